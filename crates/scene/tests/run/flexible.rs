//! Runs with flexible bodies: what the folder holds, and whether it goes on to the same bits.

use crate::support::{Folder, scene, start, steps_without_timings};
use crate::vtk::{grid, listed, tags};
use signorini_mechanics::flexible::element::von_mises;
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
use signorini_mechanics::flexible::{FlexibleBody, FlexibleLoad, Link, Skin, Stresses, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Body, Collider, Energy, Mat3, Material, Model, Pose, Shape, Simulation, State, Vec3};
use signorini_scene::run::{
    CellKind, FlexibleCounts, ForceKind, Frame, MeshRecord, Run, RunFolder, RunOptions, export_vtk, frame_numbers,
};
use signorini_scene::{Origin, Overrides, Scene, load};
use std::fs;

const STEPS: u64 = 12;

fn rubber() -> Elastic {
    let mut material = Elastic::new(1e6, 0.3, 1000.0).unwrap();
    material.damping.stiffness = 0.01;
    material
}

/// A block that falls on a floor, a bar held at its left and pulled at its right end, two cables with a weight.
fn model() -> Model {
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.4, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor, the"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let weight = model.body(Body::new("weight", 0.5, Mat3::IDENTITY * 0.01).at(Vec3::new(5.0, 0.0, 1.0)));
    let mut soft = box_mesh(ElementKind::Tet4, Vec3::splat(0.1), [1, 1, 1]).unwrap();
    soft.transform(Pose::at(Vec3::Z * 0.051));
    model.flexible(FlexibleBody::solid("soft, block", soft, rubber()).with_skin(Skin::new(stone)));
    let mut bar = box_mesh(ElementKind::Hex8, Vec3::new(0.4, 0.1, 0.1), [4, 1, 1]).unwrap();
    bar.transform(Pose::at(Vec3::new(0.0, 2.0, 1.0)));
    let (left, right) = (bar.node_sets["x-min"].clone(), bar.node_sets["x-max"].clone());
    let bar = model.flexible(FlexibleBody::solid("bar", bar, rubber()).held_at(&left));
    let displacement = Law::Table { times: vec![0.0, 1.0], values: vec![0.0, 0.02] };
    model.link("pull", Link::Imposed { flexible: bar, nodes: right, direction: Vec3::X, displacement });
    let factor = Some(Law::Table { times: vec![0.0, 1.0], values: vec![1.0, 2.0] });
    let (nodes, force) = (vec![(5, 1.0), (6, 3.0)], Vec3::Y * 0.5);
    model.flexible_load("push", FlexibleLoad::Nodes { flexible: bar, nodes, force, factor });
    let nodes = vec![Vec3::new(5.0, 0.0, 2.0), Vec3::new(5.0, 0.0, 1.5), Vec3::new(5.0, 0.0, 1.0)];
    let cables = vec![[0, 1], [1, 2]];
    let rope = Structure::Cables { nodes, cables, area: 1e-4, slack: 1.0, skin: Vec::new() };
    let rope = model.flexible(FlexibleBody::new("rope", rope, Elastic::new(1e8, 0.3, 1000.0).unwrap()).held_at(&[0]));
    model.link("hook", Link::Rigid { flexible: rope, nodes: vec![2], body: weight });
    model.build().unwrap()
}

fn flexible_scene(model: Model) -> Scene {
    let mut scene = scene();
    scene.model = model;
    scene.origin = Origin::Gallery("flexible".into());
    scene.until = STEPS as f64 * scene.settings.step;
    scene
}

#[test]
fn frames_and_checkpoint_hold_all_nodes_and_a_resumed_simulation_goes_on_to_the_same_bits() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut to_run = flexible_scene(model());
    to_run.output.every = 3;
    start(&path, to_run).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let manifest = run.manifest();
    let expected: Vec<(&str, CellKind, usize, usize, usize, bool)> = vec![
        ("soft, block", CellKind::Tet4, 8, 5, 0, true),
        ("bar", CellKind::Hex8, 20, 4, 4, false),
        ("rope", CellKind::Cable, 3, 2, 1, false),
    ];
    let found: Vec<_> =
        manifest.flexible.iter().map(|b| (b.name.as_str(), b.kind, b.nodes, b.elements, b.held, b.skin)).collect();
    assert_eq!(found, expected);
    assert!((manifest.flexible[1].mass - 4.0).abs() < 1e-12);
    let counts = FlexibleCounts { bodies: 3, nodes: 31, elements: 11 };
    assert_eq!(manifest.summary.as_ref().unwrap().flexible, counts);
    assert_eq!(run.summary().unwrap().flexible, counts);

    // The oracle: the same simulation without any files.
    let settings = flexible_scene(model()).settings;
    let mut simulation = Simulation::new(model(), settings.clone()).unwrap();
    let (steps, mut frames) = (run.steps().unwrap(), run.frames().unwrap());
    assert_eq!(frames.len(), 1 + STEPS / 3);
    assert_eq!(frames.get(0).unwrap(), Frame::of(simulation.state()));
    for row in &steps {
        let report = simulation.step().unwrap();
        assert_eq!((row.elastic, row.total()), (report.energy.elastic, report.energy.total()));
        if row.step % 3 == 0 {
            let frame = frames.get(row.step / 3).unwrap();
            assert_eq!(frame, Frame::of(simulation.state()));
            assert_eq!((frame.nodes.len(), frame.node_velocities.len()), (31, 31));
        }
    }
    assert!(steps.last().unwrap().elastic > 0.0);
    // As the documentation reads it.
    let numbers = frame_numbers(2, 31);
    assert_eq!(numbers, 1 + 13 * 2 + 6 * 31);
    let bytes = fs::read(path.join("trajectory.bin")).unwrap();
    assert_eq!(bytes.len() as u64, 8 * numbers as u64 * frames.len());
    // The fifth node of the bar is at its pulled end; what follows are 15 of the bar and 3 of the rope.
    let at = bytes.len() - 8 * 6 * 3 - 8 * 6 * 16 + 8 * 3;
    let velocity = f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(velocity, simulation.state().node_velocities[12].x);
    assert!(velocity > 0.0);

    let checkpoint = run.checkpoint().unwrap();
    assert_eq!(checkpoint.state, *simulation.state());
    let mut resumed = Simulation::resumed(model(), settings, checkpoint.state, checkpoint.warm).unwrap();
    for _ in 0..5 {
        simulation.step().unwrap();
        resumed.step().unwrap();
    }
    assert_eq!(resumed.state().hash(), simulation.state().hash());

    // A frame cut short does not count.
    fs::write(path.join("trajectory.bin"), &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(RunFolder::open(&path).unwrap().frames().unwrap().len(), STEPS / 3);
}

#[test]
fn vtk_files_hold_elements_with_strain_and_stress_and_equal_those_of_an_export() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut to_run = flexible_scene(model());
    (to_run.output.contacts, to_run.output.vtk, to_run.output.every) = (true, true, 4);
    start(&path, to_run).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let target = folder.join("export");
    assert_eq!(export_vtk(&run, &target, |_| {}).unwrap(), 4);
    for entry in fs::read_dir(&target).unwrap() {
        let name = entry.unwrap().file_name();
        assert_eq!(fs::read(target.join(&name)).unwrap(), fs::read(path.join("vtk").join(&name)).unwrap(), "{name:?}");
    }
    let files = listed(&target.join("flexible.pvd"));
    assert_eq!(files.len(), 4);
    let model = model();
    let start: Vec<Vec3> = model.flexible().iter().flat_map(|body| body.nodes().to_vec()).collect();
    let mut frames = run.frames().unwrap();
    for (k, (time, name)) in files.iter().enumerate() {
        let (frame, grid) = (frames.get(k as u64).unwrap(), grid(&target.join(name)));
        assert_eq!((*time, grid.points, grid.cells), (frame.time, 31, 11));
        assert_eq!(
            (grid.vectors("Points"), grid.vectors("velocity")),
            (frame.nodes.clone(), frame.node_velocities.clone())
        );
        let moved: Vec<Vec3> = frame.nodes.iter().zip(&start).map(|(now, start)| *now - *start).collect();
        assert_eq!(grid.vectors("displacement"), moved);
        let types: Vec<f64> = [vec![10.0; 5], vec![12.0; 4], vec![3.0; 2]].concat();
        assert_eq!(grid.of("types"), types);
        // Numbers as contacts have them: after the two rigid bodies.
        assert_eq!(grid.of("CellData/body"), [vec![2.0; 5], vec![3.0; 4], vec![4.0; 2]].concat());
        let (mut cells, mut points, mut tensions) = (Vec::new(), Vec::new(), Vec::new());
        for body in ["soft, block", "bar", "rope"] {
            let id = model.flexible_named(body).unwrap();
            let found = Stresses::of(&model, id, &frame.nodes, &frame.node_velocities);
            cells.extend(found.elements.iter().map(|element| (element.strain, element.stress)));
            tensions.extend(found.elements.iter().map(|element| element.tension.unwrap_or(0.0)));
            points.extend(found.nodes);
        }
        // XX YY ZZ XY YZ XZ
        let six = |t: &Mat3| [t.x_axis.x, t.y_axis.y, t.z_axis.z, t.y_axis.x, t.z_axis.y, t.z_axis.x];
        let close = |found: &[f64], expected: Vec<f64>| {
            let largest = expected.iter().fold(1e-12, |most: f64, x| most.max(x.abs()));
            let fits = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12 * largest);
            assert!(found.len() == expected.len() && fits, "{found:?} {expected:?}");
        };
        close(grid.of("CellData/stress"), cells.iter().flat_map(|(_, stress)| six(stress)).collect());
        close(grid.of("CellData/strain"), cells.iter().flat_map(|(strain, _)| six(strain)).collect());
        close(grid.of("CellData/von_mises"), cells.iter().map(|(_, stress)| von_mises(*stress)).collect());
        close(grid.of("PointData/stress"), points.iter().flat_map(six).collect());
        close(grid.of("tension"), tensions.clone());
        assert!(k == 0 || (tensions[10] > 0.0 && grid.of("CellData/von_mises")[5] > 0.0));
    }
    let bytes = fs::read(target.join(&files[0].1)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let end = text.find("<AppendedData").unwrap();
    let xml = text[..end].to_owned() + "</VTKFile>";
    let stress =
        tags(&xml).into_iter().find(|(_, array)| array.get("Name").is_some_and(|name| name == "stress")).unwrap();
    let axes: Vec<&str> = (0..6).map(|k| stress.1[&format!("ComponentName{k}")].as_str()).collect();
    assert_eq!(axes, ["XX", "YY", "ZZ", "XY", "YZ", "XZ"]);
}

#[test]
fn every_kind_of_element_has_its_nodes_in_the_order_of_vtk() {
    for kind in ElementKind::ALL {
        let folder = Folder::new();
        let path = folder.join("a");
        let mut mesh = box_mesh(kind, Vec3::new(0.3, 0.2, 0.1), [2, 1, 1]).unwrap();
        mesh.transform(Pose::at(Vec3::Z));
        let mut model = Model::builder();
        let mut body = FlexibleBody::solid("block", mesh.clone(), rubber());
        body.angular_velocity = Vec3::new(1.0, 2.0, 3.0);
        model.flexible(body);
        let mut to_run = flexible_scene(model.build().unwrap());
        to_run.output.vtk = true;
        start(&path, to_run).go(None, &mut ()).unwrap();
        let frame = RunFolder::open(&path).unwrap().frames().unwrap().get(STEPS).unwrap();
        let grid = grid(&path.join("vtk/flexible_000012.vtu"));
        let (kind, width) = match kind {
            ElementKind::Tet4 => (10.0, 4),
            ElementKind::Tet10 => (24.0, 10),
            ElementKind::Hex8 => (12.0, 8),
        };
        assert_eq!(grid.of("types"), vec![kind; mesh.element_count()]);
        let ends: Vec<f64> = (1..=mesh.element_count()).map(|k| (width * k) as f64).collect();
        assert_eq!(grid.of("offsets"), ends);
        let nodes: Vec<f64> = mesh.elements.iter().map(|node| f64::from(*node)).collect();
        assert_eq!((grid.of("connectivity"), grid.vectors("Points")), (nodes.as_slice(), frame.nodes));
    }
}

#[test]
fn contacts_links_and_held_nodes_are_told_by_name() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut to_run = flexible_scene(model());
    (to_run.output.contacts, to_run.output.forces) = (true, true);
    start(&path, to_run).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let mut simulation = Simulation::new(model(), flexible_scene(model()).settings).unwrap();
    (0..STEPS).for_each(|_| assert!(simulation.step().is_ok()));
    let contacts: Vec<_> = run.contacts().unwrap().unwrap().into_iter().filter(|row| row.step == STEPS).collect();
    assert_eq!(contacts.len(), simulation.contact_forces().count());
    assert!(contacts.iter().any(|row| row.fz != 0.0));
    let both = |row: &signorini_scene::run::ContactRow| {
        let mut names = [row.body_a.clone(), row.body_b.clone()];
        names.sort();
        names
    };
    assert!(contacts.iter().all(|row| both(row) == ["floor, the", "soft, block"]));

    let rows = run.forces().unwrap().unwrap();
    assert_eq!(rows.len() as u64, 5 * (STEPS + 1));
    let names: Vec<_> =
        rows[..5].iter().map(|r| (r.kind, r.name.as_str(), r.type_name.as_str(), r.body.as_str())).collect();
    let expected = [
        (ForceKind::Force, "push", "load", "bar"),
        (ForceKind::Link, "pull", "imposed", "bar"),
        (ForceKind::Link, "hook", "rigid", "rope"),
        (ForceKind::Held, "bar", "nodes", "bar"),
        (ForceKind::Held, "rope", "nodes", "rope"),
    ];
    assert_eq!(names, expected);
    assert!(rows[1..5].iter().all(|row| row.force.is_none() && row.drive_force.is_none()), "before the first step");
    assert_eq!(rows[0].force, Some([0.0, 0.5, 0.0]), "loads are known at once");
    let last = &rows[rows.len() - 4..];
    let reactions = simulation.reactions().unwrap();
    for (row, on) in last.iter().zip([
        reactions.links[0].on_flexible,
        reactions.links[1].on_flexible,
        reactions.held[1],
        reactions.held[2],
    ]) {
        assert_eq!((row.force, row.torque), (Some(on.force.to_array()), Some(on.torque.to_array())));
    }
    assert_eq!(last[0].drive_force, Some(reactions.links[0].rows.iter().sum()));
    assert!(last[1].drive_force.is_none());
    // The rope pulls its weight up, the weight pulls the rope down.
    assert!(last[1].force.unwrap()[2] < -1.0 && last[3].force.unwrap()[2] > 1.0);
}

#[test]
fn folders_whose_flexible_bodies_do_not_fit_are_refused_by_name() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, flexible_scene(model())).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let records: Vec<MeshRecord> = run.meshes().unwrap();
    assert_eq!((records[1].nodes.len(), records[1].elements.len()), (20, 32));
    assert_eq!((records[2].area, records[2].law), (Some(1e-4), None));
    let file = path.join("flexible.json");
    let good = fs::read_to_string(&file).unwrap();
    let message = |text: &str| {
        fs::write(&file, text).unwrap();
        export_vtk(&RunFolder::open(&path).unwrap(), &folder.join("x"), |_| {}).unwrap_err().to_string()
    };
    assert!(message("[]").ends_with("flexible.json is damaged: it has 0 flexible bodies, run.json has 3"));
    assert!(message(&good[..good.len() / 2]).contains("flexible.json is damaged: EOF"));
    let spoiled = good.replacen("\"name\":\"bar\"", "\"name\":\"bat\"", 1);
    assert!(message(&spoiled).ends_with("it has `bat` of 20 nodes, run.json has `bar` of 20"), "{}", message(&spoiled));
    let spoiled = good.replacen("\"law\":\"corotational\"", "\"law\":null", 1);
    assert!(message(&spoiled).ends_with("`soft, block` has no law"), "{}", message(&spoiled));
    let spoiled = good.replacen("\"elements\":[", "\"elements\":[900,", 1);
    assert!(message(&spoiled).contains("expected a multiple of 4"), "{}", message(&spoiled));
    fs::write(&file, &good).unwrap();

    let json = path.join("run.json");
    let text = fs::read_to_string(&json).unwrap();
    fs::write(&json, text.replacen("\"nodes\": 20", "\"nodes\": 21", 1)).unwrap();
    let error = RunFolder::open(&path).unwrap().checkpoint().unwrap_err().to_string();
    assert!(error.ends_with("it has 31 nodes of flexible bodies, run.json has 32"), "{error}");
}

#[test]
fn a_scene_with_flexible_bodies_is_resumed_to_the_bits_of_one_that_was_not_stopped() {
    // From so low that the block lands before it is stopped.
    let low = ("height".to_owned(), "0.005".to_owned());
    for (name, set) in [("falling-elastic-block", vec![low]), ("net-catches-ball", vec![])] {
        let folder = Folder::new();
        let overrides = Overrides { set, ..Overrides::default() };
        let make = |path: &std::path::Path, steps: u64| {
            let mut scene = load(name, &overrides).unwrap();
            (scene.output.contacts, scene.output.forces, scene.output.vtk) = (true, true, true);
            let options = RunOptions { steps: Some(steps), ..RunOptions::default() };
            Run::create(path, scene, &overrides, &options).unwrap().go(None, &mut ()).unwrap();
        };
        let (whole, parts) = (folder.join("whole"), folder.join("parts"));
        make(&whole, 14);
        make(&parts, 9);
        Run::resume(&parts, Some(14), None).unwrap().go(None, &mut ()).unwrap();
        for file in ["trajectory.bin", "contacts.csv", "forces.csv", "flexible.json", "vtk/flexible_000001.vtu"] {
            assert_eq!(fs::read(whole.join(file)).unwrap(), fs::read(parts.join(file)).unwrap(), "{name} {file}");
        }
        assert_eq!(steps_without_timings(&whole), steps_without_timings(&parts));
        let states = [&whole, &parts].map(|path| RunFolder::open(path).unwrap().checkpoint().unwrap().state.hash());
        assert_eq!(states[0], states[1], "{name}");
    }
}

#[test]
fn work_accounts_for_all_energy_from_start_to_end() {
    let folder = Folder::new();
    let path = folder.join("a");
    let before = Energy::of(&model(), &State::start_of(&model())).total();
    start(&path, flexible_scene(model())).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let summary = run.manifest().summary.clone().unwrap();
    let work = summary.energy.work.unwrap().sum;
    let change = summary.energy.total - before;
    assert!((work.total() - change).abs() < 1e-9, "{work:?} {change}");
    assert!(work.drives > 0.0, "the bar is pulled");
    assert_eq!(run.summary().unwrap().energy.work, summary.energy.work);
    let last = run.steps().unwrap().pop().unwrap();
    assert_eq!(summary.energy.elastic, last.elastic);
}

//! What holds flexible bodies: fixed nodes, links, contacts; stress in a body at rest.

use crate::support::{block, rubber, simulation};
use signorini_mechanics::flexible::element::von_mises;
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleBody, FlexibleLoad, Link, MassMatrix, Skin, Stresses, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Body, Collider, Mat3, Material, Model, Shape, Vec3};

const G: f64 = 9.81;

fn nodes_of(body: &FlexibleBody, set: &str) -> Vec<u32> {
    let Structure::Solid { mesh, .. } = &body.structure else { panic!() };
    mesh.node_set(set).unwrap().to_vec()
}

/// A block of 4 kg held at one end, along x.
fn held(kind: ElementKind, which: MassMatrix, mass_damping: f64) -> FlexibleBody {
    let mut material = rubber();
    (material.damping.mass, material.damping.stiffness) = (mass_damping, 0.003);
    let mut body = block(kind, Vec3::new(0.4, 0.1, 0.1), [4, 1, 1], material);
    if let Structure::Solid { mass, .. } = &mut body.structure {
        *mass = which;
    }
    let end = nodes_of(&body, "x-min");
    body.held_at(&end)
}

#[test]
fn fixed_nodes_take_all_that_momentum_gains_in_every_step() {
    for kind in ElementKind::ALL {
        for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
            let mut model = Model::builder();
            let id = model.flexible(held(kind, mass, 0.0));
            let nodes = vec![(7, 1.0), (5, 2.0)];
            let force = Vec3::new(1.0, 20.0, -3.0);
            model.flexible_load("push", FlexibleLoad::Nodes { flexible: id, nodes, force, factor: None });
            let mut simulation = simulation(model.build().unwrap(), 0.004);
            assert!(simulation.reactions().is_none(), "nothing is known before the first step");
            let load = simulation.flexible_load(0).unwrap();
            assert!((load.force - force).length() < 1e-13 && simulation.flexible_load(1).is_none());
            let weight = Vec3::Z * -4.0 * G;
            let mut before = Vec3::ZERO;
            for step in 0..30 {
                let report = simulation.step().unwrap();
                let rate = (report.momentum.linear - before) / 0.004;
                before = report.momentum.linear;
                let reaction = simulation.reactions().unwrap().held[0].force;
                let missing = rate - weight - force - reaction;
                assert!(missing.length() < 1e-9 * weight.length(), "{kind} {mass:?} step {step}: {missing}");
            }
            assert!(before.length() > 1e-3, "it moves");
        }
    }
}

#[test]
fn a_block_at_rest_gives_its_weight_and_the_moment_of_it_to_its_fixed_nodes() {
    for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
        let mut model = Model::builder();
        model.flexible(held(ElementKind::Hex8, mass, 30.0));
        let mut simulation = simulation(model.build().unwrap(), 0.05);
        (0..400).for_each(|_| assert!(simulation.step().unwrap().converged()));
        let reactions = simulation.reactions().unwrap();
        let weight = 4.0 * G;
        assert!((reactions.held[0].force - Vec3::Z * weight).length() < 1e-9 * weight, "{:?}", reactions.held);
        // About the centre of mass the weight has no moment: neither have the fixed nodes.
        assert!(reactions.held[0].torque.length() < 1e-7 * weight * 0.4, "{:?}", reactions.held);
        assert!(reactions.links.is_empty() && reactions.contacts.is_empty());
    }
}

#[test]
fn a_block_on_a_floor_gives_its_weight_to_its_contacts() {
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.4, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let mut material = rubber();
    material.damping.mass = 20.0;
    let mut body = block(ElementKind::Tet4, Vec3::new(0.2, 0.2, 0.1), [2, 2, 1], material);
    if let Structure::Solid { mesh, .. } = &mut body.structure {
        mesh.nodes.iter_mut().for_each(|node| node.z += 0.05);
    }
    model.flexible(body.with_skin(Skin::new(stone)));
    let mut simulation = simulation(model.build().unwrap(), 0.02);
    (0..400).for_each(|_| assert!(simulation.step().unwrap().converged()));
    let reactions = simulation.reactions().unwrap();
    assert_eq!(reactions.contacts.len(), 1);
    let pair = &reactions.contacts[0];
    assert_eq!(pair.bodies.map(|body| simulation.model().name_of(body.index()).to_owned()), ["floor", "block"]);
    let weight = 0.2 * 0.2 * 0.1 * 1000.0 * G;
    assert!((pair.force - Vec3::Z * weight).length() < 1e-8 * weight, "{pair:?} {weight}");
    assert_eq!(reactions.held[0].force, Vec3::ZERO);
}

#[test]
fn a_stretched_bar_pulls_at_its_link_and_at_its_fixed_nodes_with_e_a_epsilon() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut material = rubber();
    (material.poisson, material.damping.mass) = (0.0, 100.0);
    let bar = block(ElementKind::Tet4, Vec3::new(1.0, 0.1, 0.1), [10, 1, 1], material);
    let (left, nodes) = (nodes_of(&bar, "x-min"), nodes_of(&bar, "x-max"));
    let flexible = model.flexible(bar.held_at(&left));
    let displacement = Law::Table { times: vec![0.0, 1.0], values: vec![0.0, 0.02] };
    model.link("pull", Link::Imposed { flexible, nodes, direction: Vec3::X, displacement });
    let mut simulation = simulation(model.build().unwrap(), 0.02);
    (0..600).for_each(|_| assert!(simulation.step().unwrap().converged()));
    let reactions = simulation.reactions().unwrap();
    let exact = 1e6 * 0.01 * 0.02;
    let link = &reactions.links[0];
    assert!((link.on_flexible.force - Vec3::X * exact).length() < 1e-8 * exact, "{link:?}");
    assert!((link.rows.iter().sum::<f64>() - exact).abs() < 1e-8 * exact && link.rows.len() == 4);
    assert!((reactions.held[0].force + Vec3::X * exact).length() < 1e-8 * exact, "{:?}", reactions.held);
}

#[test]
fn a_link_carries_the_weight_that_hangs_on_it() {
    for is_rigid in [true, false] {
        let mut model = Model::builder();
        model.gravity(Vec3::X * G);
        let bar = held(ElementKind::Tet4, MassMatrix::Lumped, 30.0);
        let nodes = nodes_of(&bar, "x-max");
        let flexible = model.flexible(bar);
        let body = model.body(Body::new("weight", 3.0, Mat3::IDENTITY * 0.01).at(Vec3::new(0.3, 0.0, 0.0)));
        let link = match is_rigid {
            true => Link::Rigid { flexible, nodes, body },
            false => Link::Distributed { flexible, nodes: nodes.iter().map(|n| (*n, 1.0)).collect(), body },
        };
        model.link("hook", link);
        let mut simulation = simulation(model.build().unwrap(), 0.05);
        (0..1500).for_each(|_| assert!(simulation.step().unwrap().converged()));
        let reactions = simulation.reactions().unwrap();
        let on_bar = reactions.links[0].on_flexible.force;
        assert!((on_bar - Vec3::X * 3.0 * G).length() < 1e-7 * 3.0 * G, "{is_rigid} {on_bar}");
        let at_wall = reactions.held[0].force;
        assert!((at_wall + Vec3::X * 7.0 * G).length() < 1e-7 * 7.0 * G, "{is_rigid} {at_wall}");
    }
}

#[test]
fn a_loaded_cantilever_has_the_stress_of_its_moment_and_its_clamp_that_moment() {
    let (length, side) = (1.0, 0.1_f64);
    let mut material = rubber();
    (material.youngs_modulus, material.poisson, material.damping.mass) = (1e8, 0.0, 60.0);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let bar = block(ElementKind::Tet10, Vec3::new(length, side, side), [8, 2, 2], material);
    let (root, tip) = (nodes_of(&bar, "x-min"), nodes_of(&bar, "x-max"));
    let id = model.flexible(bar.held_at(&root));
    let nodes = tip.iter().map(|node| (*node, 1.0)).collect();
    let force = Vec3::new(0.0, 0.0, -1.0);
    model.flexible_load("tip", FlexibleLoad::Nodes { flexible: id, nodes, force, factor: None });
    let mut simulation = simulation(model.build().unwrap(), 0.05);
    (0..300).for_each(|_| assert!(simulation.step().unwrap().converged()));
    let held = simulation.reactions().unwrap().held[0];
    let load = simulation.flexible_load(0).unwrap();
    assert!((held.torque + load.torque).length() < 1e-7, "{held:?} {load:?}");
    assert!((held.force + force).length() < 1e-9, "{held:?}");
    // About the centre of mass the load has −F L/2 × …: the fixed nodes balance it.
    assert!((held.torque + Vec3::X.cross(force) * (0.5 * length)).length() < 1e-5, "{held:?}");
    let state = simulation.state();
    let stresses = Stresses::of(simulation.model(), id, &state.nodes, &state.node_velocities);
    let inertia = side.powi(4) / 12.0;
    let rest = simulation.model().flexible()[0].nodes();
    let mut seen = 0;
    for (node, stress) in rest.iter().zip(&stresses.nodes) {
        if node.x.abs() < 1e-9 && node.z.abs() > 0.49 * side {
            // In the middle M = F L/2; y = ±side/2.
            let exact = 0.5 * length * 0.5 * side / inertia;
            assert!((von_mises(*stress) / exact - 1.0).abs() < 0.02, "{node} {} {exact}", von_mises(*stress));
            assert_eq!(stress.x_axis.x > 0.0, node.z > 0.0, "pulled above, pressed below");
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

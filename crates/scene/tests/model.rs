//! What scene files mean: frames, masses, patterns, overrides.

use glam::{DMat3, DQuat, DVec3};
use signorini_mechanics::{Body, Model, Shape};
use signorini_scene::{Origin, Overrides, Scene, load, parse};

fn scene(text: &str) -> Scene {
    let text = format!("signorini = 1\n{text}");
    parse(&text, "scene.toml", None, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn body<'a>(model: &'a Model, name: &str) -> &'a Body {
    &model.bodies()[model.body_named(name).unwrap_or_else(|| panic!("no body {name}")).index()]
}

fn set(pairs: &[(&str, &str)]) -> Overrides {
    Overrides {
        set: pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        ..Overrides::default()
    }
}

fn assert_near(a: DVec3, b: DVec3) {
    assert!((a - b).length() < 1e-12, "{a} {b}");
}

#[test]
fn the_frame_of_a_body_is_moved_into_its_centre_of_mass() {
    // A dumbbell of balls of 1 and 3 kg, 2 m apart: the centre is 1.5 m from the light one.
    let scene = scene(
        "[bodies.a]\nposition = [10, 0, 0]\nrotation = { axis = [0, 0, 1], angle-degrees = 90 }\nangular-velocity = [0, 3, 0]\n\
         velocity = [1, 2, 3]\nshapes = [\n{ type = \"sphere\", radius = 0.5, density = \"=6/pi\" },\n\
         { type = \"sphere\", radius = 0.5, position = [2, 0, 0], density = \"=18/pi\" }]\n",
    );
    let a = body(&scene.model, "a");
    assert!((a.mass - 4.0).abs() < 1e-12);
    assert_near(a.start.position, DVec3::new(10.0, 1.5, 0.0));
    // Across the bar: 0.4 m r² of both balls and 1·1.5² + 3·0.5²; along it only the balls.
    let balls = 0.4 * 0.25 * 4.0;
    assert!(
        (a.inertia - DMat3::from_diagonal(DVec3::new(balls, balls + 3.0, balls + 3.0)))
            .to_cols_array()
            .iter()
            .all(|x| x.abs() < 1e-12)
    );
    let positions: Vec<DVec3> = scene.model.colliders().iter().map(|(_, collider)| collider.pose.position).collect();
    assert_near(positions[0], DVec3::new(-1.5, 0.0, 0.0));
    assert_near(positions[1], DVec3::new(0.5, 0.0, 0.0));
    // World y is the body's x after the turn.
    assert_near(a.angular_velocity, DVec3::new(3.0, 0.0, 0.0));
    assert_near(a.velocity, DVec3::new(1.0, 2.0, 3.0));
}

#[test]
fn mass_and_inertia_are_taken_as_they_are_given() {
    let text = |inertia: &str| format!("[bodies.a]\nmass = 2\ninertia = {inertia}\ncentre-of-mass = [0, 0, 1]\n");
    let expected = DMat3::from_cols(DVec3::new(3.0, 0.1, 0.2), DVec3::new(0.1, 4.0, 0.3), DVec3::new(0.2, 0.3, 5.0));
    for inertia in ["[3, 4, 5, 0.1, 0.2, 0.3]", "[3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5]"] {
        let scene = scene(&text(inertia));
        let a = body(&scene.model, "a");
        assert_eq!((a.mass, a.inertia), (2.0, expected));
        assert_near(a.start.position, DVec3::Z);
    }
    // Without inertia the mass is spread over the shape: 1/6 m a² for a cube.
    let cube = scene("[bodies.a]\nmass = 3\nshape = { type = \"cuboid\", size = [2, 2, 2] }\n");
    assert!((body(&cube.model, "a").inertia.y_axis.y - 2.0).abs() < 1e-12);
}

#[test]
fn rotations_can_be_given_in_four_ways() {
    let rotation = |text: &str| {
        let scene = scene(&format!("[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nrotation = {text}\n"));
        body(&scene.model, "a").start.rotation
    };
    let same = |a: DQuat, b: DQuat| assert!(a.dot(b).abs() > 1.0 - 1e-14, "{a} {b}");
    same(rotation("{ axis = [0, 0, 2], angle-degrees = 90 }"), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    same(rotation("{ axis = [0, 1e-200, 0], angle = 0.3 }"), DQuat::from_rotation_y(0.3));
    same(rotation("{ quaternion = [2, 2, 0, 0] }"), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let (y, z) = (20_f64.to_radians(), 30_f64.to_radians());
    let turned = rotation("{ euler-degrees = [10, 20, 30] }") * DVec3::X;
    // The turn about x leaves X alone; then y, then z about the fixed axes.
    let after_y = DVec3::new(y.cos(), 0.0, -y.sin());
    assert_near(turned, DVec3::new(after_y.x * z.cos(), after_y.x * z.sin(), after_y.z));
}

#[test]
fn materials_meet_by_the_rule_or_by_their_pair() {
    let scene = scene(
        "[materials.a]\nfriction = 0.5\nstiffness = 100\n[materials.b]\nfriction = 0.2\nrestitution = 1\n[materials.c]\n\
         [[pairs]]\nmaterials = [\"a\", \"b\"]\nrestitution = 0.5\n\
         [bodies.x]\nmass = 1\nmaterial = \"a\"\nshapes = [{ type = \"sphere\", radius = 1 }, { type = \"sphere\", radius = 1, material = \"b\" }]\n",
    );
    let ids: Vec<_> = scene.model.colliders().iter().map(|(_, collider)| collider.material).collect();
    let contact = scene.model.contact(ids[0], ids[1]);
    assert_eq!((contact.friction, contact.restitution), (0.2, 0.5));
    assert_eq!(contact.softness.map(|softness| softness.stiffness), Some(100.0));
}

#[test]
fn parameters_follow_what_is_set_beside_the_file() {
    let radius = |overrides: &Overrides| {
        let scene = load("balls-in-box", overrides).unwrap();
        let (_, collider) = &scene.model.colliders()[5];
        let Shape::Sphere { radius } = collider.shape else { panic!("no ball") };
        assert!(scene.parameters.contains(&("spacing".to_owned(), 2.2 * radius)));
        radius
    };
    assert_eq!(radius(&set(&[("count", "8")])), 0.035);
    assert_eq!(radius(&set(&[("count", "8"), ("radius", "side/10")])), 0.1);
    let scene = load("balls-in-box", &set(&[("count", "150")])).unwrap();
    assert_eq!(scene.model.moving(), 150);
    assert_eq!(scene.origin, Origin::Gallery("balls-in-box".into()));
}

#[test]
fn a_seed_changes_random_places_and_nothing_else() {
    let place = |seed| {
        let scene = load("balls-in-box", &Overrides { seed: Some(seed), ..set(&[("count", "8")]) }).unwrap();
        body(&scene.model, "ball-0003").start.position
    };
    assert_eq!(place(5), place(5));
    assert_ne!(place(5), place(6));
    assert!((place(5) - place(6)).abs().max_element() < 2.0 * 0.08 * 0.035 + 1e-12);
}

#[test]
fn a_fill_keeps_its_distance_and_stays_inside() {
    let scene = scene(
        "[[populate]]\nname = \"b\"\npattern = \"fill\"\ncount = 300\ndistance = 0.01\nmass = 1\n\
         cylinder = { foot = [1, 2, 3], radius = 0.6, height = 1.5 }\nshape = { type = \"sphere\", radius = 0.05 }\n",
    );
    let places: Vec<DVec3> = scene.model.bodies().iter().map(|body| body.start.position).collect();
    assert_eq!(places.len(), 300);
    for (i, a) in places.iter().enumerate() {
        let d = *a - DVec3::new(1.0, 2.0, 3.0);
        assert!(d.truncate().length() <= 0.55 + 1e-12 && d.z >= 0.05 - 1e-12 && d.z <= 1.45 + 1e-12, "{d}");
        assert!(places[..i].iter().all(|b| a.distance(*b) >= 0.11 - 1e-12));
    }
}

#[test]
fn a_wall_is_as_long_in_every_row_and_bricks_leave_the_gap() {
    let scene = scene(
        "[[populate]]\nname = \"b\"\npattern = \"wall\"\ncolumns = 5\nrows = 4\nsize = [0.2, 0.1, 0.05]\ngap = 0.01\ndensity = 1000\n",
    );
    let mut rows: Vec<Vec<(f64, f64)>> = vec![Vec::new(); 4];
    for (id, collider) in scene.model.colliders() {
        let Shape::Cuboid { half } = collider.shape else { panic!("no brick") };
        let at = scene.model.bodies()[id.index()].start.position;
        rows[(at.z / 0.05) as usize].push((at.x - half.x, at.x + half.x));
    }
    for (k, row) in rows.iter_mut().enumerate() {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(row.len(), 5 + k % 2);
        assert!((row[0].0 + 0.52).abs() < 1e-12 && (row[row.len() - 1].1 - 0.52).abs() < 1e-12, "{row:?}");
        assert!(row.windows(2).all(|pair| (pair[1].0 - pair[0].1 - 0.01).abs() < 1e-12), "{row:?}");
    }
}

#[test]
fn stacks_grow_heavier_by_their_factor_and_hang_on_their_joints() {
    let scene = load("mass-ratio-stack", &set(&[("count", "5"), ("ratio", "10")])).unwrap();
    let masses: Vec<f64> = (1..=5).map(|k| body(&scene.model, &format!("sphere-000{k}")).mass).collect();
    assert!(masses.iter().enumerate().all(|(k, mass)| (mass / (100.0 * 10_f64.powi(k as i32)) - 1.0).abs() < 1e-14));
    assert_eq!(scene.model.joints().len(), 5);
    let chain = load("pendulum-chain", &set(&[("count", "7")])).unwrap();
    // Six between the links, one at the top, one at the weight.
    assert_eq!(chain.model.joints().len(), 8);
    assert!(chain.warnings.is_empty());
}

#[test]
fn overlaps_and_joints_that_do_not_fit_are_warnings_with_names() {
    let scene = scene(
        "[bodies.a]\nmass = 1\nshape = { type = \"sphere\", radius = 1 }\n[bodies.b]\nmass = 1\nposition = [1.5, 0, 0]\n\
         shape = { type = \"sphere\", radius = 1 }\n[joints.bar]\ntype = \"distance\"\nbodies = [\"a\", \"b\"]\n\
         points = [[0, 0, 0], [1.5, 0, 0]]\nlength = 1.75\n",
    );
    assert_eq!(scene.warnings.len(), 2);
    assert_eq!(scene.warnings[0], "`a` and `b` overlap by 5.000e-1 m at the start");
    assert_eq!(scene.warnings[1], "joint `bar` misses by 2.500e-1 m at the start");
}

#[test]
fn groups_decide_who_meets() {
    let scene = scene(
        "[bodies.a]\nmass = 1\nshape = { type = \"sphere\", radius = 1, groups = [\"x\"], collides-with = [\"y\"] }\n\
         [bodies.b]\nmass = 1\nshape = { type = \"sphere\", radius = 1, groups = [\"y\"] }\n\
         [bodies.c]\nmass = 1\nshape = { type = \"sphere\", radius = 1, groups = [\"x\"] }\n\
         [bodies.d]\nmass = 1\nshape = { type = \"sphere\", radius = 1, collides-with = [] }\n",
    );
    let groups: Vec<_> = scene.model.colliders().iter().map(|(_, collider)| collider.groups).collect();
    let meets: Vec<bool> = groups[1..].iter().map(|other| groups[0].meet(*other)).collect();
    assert_eq!(meets, [true, false, false]);
    assert!(groups[1].meet(groups[2]));
}

#[test]
fn copies_of_a_shape_are_spread_about_the_axis() {
    let scene = load("rotating-drum", &set(&[("count", "1"), ("planks", "24")])).unwrap();
    let drum = scene.model.body_named("drum").unwrap();
    let planks: Vec<_> = scene.model.colliders().iter().filter(|(id, _)| *id == drum).map(|(_, c)| c.pose).collect();
    assert_eq!(planks.len(), 24);
    assert!(planks.iter().all(|pose| (pose.position.length() - 0.52).abs() < 1e-12));
    // The whole is balanced: its centre is the axis.
    assert_near(body(&scene.model, "drum").start.position, DVec3::ZERO);
}

#[test]
fn a_file_is_read_and_names_its_meshes_from_where_it_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/everything.toml");
    let scene = load(&path.to_string_lossy(), &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scene.name, "everything");
    assert_eq!(scene.origin, Origin::File(path));
    assert_eq!((scene.steps(), scene.settings.step), (10, 0.005));
    assert_eq!(scene.settings.restitution_law, signorini_mechanics::RestitutionLaw::Newton);
    assert!(scene.output.vtk && scene.output.contacts && scene.output.forces);
    assert!(scene.output.checkpoint_every == Some(5));
    let missing = load("no-such-scene", &Overrides::default()).unwrap_err().to_string();
    assert!(
        missing.contains("cannot read the scene") && missing.contains("scenes of the gallery: andrews-squeezer"),
        "{missing}"
    );
    assert!(missing.contains("(no-such-scene)"), "a file that is not there has no lines: {missing}");
    assert!(load("single-bal", &Overrides::default()).unwrap_err().to_string().contains("did you mean `single-ball`?"));
}

#[test]
fn sizes_alternate_and_densities_stay() {
    let shapes = [
        "{ type = \"sphere\", radius = 0.1, position = [0.1, 0, 0] }",
        "{ type = \"cone\", radius = 0.1, height = 0.3 }",
        "{ type = \"convex-hull\", points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]] }",
        "{ type = \"capsule\", radius = 0.1, length = 0.3 }",
    ];
    for shape in shapes {
        let scene = scene(&format!(
            "[[populate]]\nname = \"b\"\npattern = \"grid\"\ncount = [4, 1, 1]\nspacing = 10\nscales = [1, 2]\ndensity = 700\nshape = {shape}\n"
        ));
        let model = &scene.model;
        let [small, large] = ["b-0001", "b-0002"].map(|name| body(model, name));
        // The oracle is the shape itself: mass and inertia of the scaled one.
        for (name, at) in [("b-0001", 0), ("b-0002", 1)] {
            let properties = model.colliders()[at].1.shape.mass_properties().unwrap();
            let body = body(model, name);
            assert!((body.mass / (700.0 * properties.volume) - 1.0).abs() < 1e-12);
            let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
            assert!((trace(body.inertia) / (700.0 * trace(properties.inertia)) - 1.0).abs() < 1e-12);
        }
        assert!((large.mass / small.mass - 8.0).abs() < 1e-12);
        assert_eq!(body(model, "b-0003").mass, small.mass);
        assert_near(large.start.position - 10.0 * DVec3::X, 2.0 * small.start.position);
    }
}

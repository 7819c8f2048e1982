//! Skins that meet rigid bodies and each other.

use crate::support::{block, rubber};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{Skin, Structure};
use signorini_mechanics::{Body, Collider, Energy, Material, Model, Pose, Settings, Shape, Simulation, Vec3};
use signorini_solver::Tolerance;

const ELEMENT: f64 = 0.05;

fn settings(h: f64) -> Settings {
    Settings { step: h, tolerance: Some(Tolerance::Velocity(1e-9)), ..Settings::default() }
}

/// A block of 0.2 × 0.2 × 0.1 m whose underside is at z = `height`.
fn block_above(height: f64, kind: ElementKind, skin: Skin) -> signorini_mechanics::flexible::FlexibleBody {
    let size = Vec3::new(0.2, 0.2, 0.1);
    let mut body = block(kind, size, [4, 4, 2], rubber());
    let Structure::Solid { mesh, .. } = &mut body.structure else { panic!() };
    mesh.transform(Pose::at(Vec3::Z * (height + 0.05)));
    body.with_skin(skin)
}

#[test]
fn a_block_falls_onto_a_floor_and_rests_with_its_weight_on_it() {
    for kind in ElementKind::ALL {
        let mut model = Model::builder();
        let material = model.material(Material { friction: 0.5, ..Material::new("rubber") });
        let floor = model.body(Body::fixed("floor"));
        model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
        model.flexible(block_above(0.05, kind, Skin::new(material)));
        let mut simulation = Simulation::new(model.build().unwrap(), settings(0.005)).unwrap();
        let mut energy = Energy::of(simulation.model(), simulation.state()).total();
        for step in 0..300 {
            let report = simulation.step().unwrap();
            assert!(report.converged(), "{kind} step {step}: {:?}", report.status);
            assert!(report.penetration <= 1e-6 * ELEMENT, "{kind} step {step}: {}", report.penetration);
            assert!(report.energy.total() <= energy + 1e-6 * 1.96, "{kind} step {step}");
            energy = report.energy.total();
        }
        let force: Vec3 = simulation.contact_forces().map(|contact| contact.force).sum();
        let weight = 4.0 * 9.81;
        assert!((force - Vec3::Z * weight).length() < 1e-3 * weight, "{kind}: {force}");
        assert!(simulation.state().node_velocities.iter().all(|v| v.length() < 1e-3), "{kind}");
    }
}

#[test]
fn a_block_falls_onto_spheres() {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.3, ..Material::new("rubber") });
    for (k, (x, y)) in [(-0.07, -0.06), (0.08, -0.05), (0.0, 0.08)].into_iter().enumerate() {
        let ball = model.body(Body::fixed(format!("ball {k}")).at(Vec3::new(x, y, -0.04)));
        model.collider(ball, Collider::new(Shape::Sphere { radius: 0.04 }, material));
    }
    model.flexible(block_above(0.02, ElementKind::Tet4, Skin::new(material)));
    let settings = Settings { contact_tolerance: Some(1e-6 * ELEMENT), ..settings(0.002) };
    let mut simulation = Simulation::new(model.build().unwrap(), settings).unwrap();
    let mut energy = Energy::of(simulation.model(), simulation.state()).total();
    let start = energy.abs();
    let mut worst = (0.0_f64, 0.0_f64);
    for step in 0..400 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "step {step}: {:?}", report.status);
        worst.0 = worst.0.max(report.penetration);
        worst.1 = worst.1.max((report.energy.total() - energy) / start);
        energy = report.energy.total();
    }
    let force: Vec3 = simulation.contact_forces().map(|contact| contact.force).sum();
    println!("worst penetration {:e} of an element, energy gain {:e}, force {force}", worst.0 / ELEMENT, worst.1);
    assert!(worst.0 <= 1e-6 * ELEMENT && worst.1 <= 1e-6, "{worst:?}");
    assert!((force.z - 39.24).abs() < 0.01 * 39.24, "{force}");
}

#[test]
fn a_block_stays_on_a_slope_below_the_friction_angle_and_slides_above() {
    for (friction, slides) in [(0.6, false), (0.3, true)] {
        let mut model = Model::builder();
        let angle = 0.5_f64.atan();
        // The slope is level and gravity leans.
        model.gravity(Vec3::new(9.81 * angle.sin(), 0.0, -9.81 * angle.cos()));
        let material = model.material(Material { friction, ..Material::new("rubber") });
        let floor = model.body(Body::fixed("floor"));
        model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
        let body = block_above(0.0, ElementKind::Hex8, Skin::new(material));
        let start = body.nodes().to_vec();
        model.flexible(body);
        let mut simulation = Simulation::new(model.build().unwrap(), settings(0.01)).unwrap();
        for _ in 0..100 {
            assert!(simulation.step().unwrap().converged());
        }
        let state = simulation.state();
        let moved: f64 = state.nodes.iter().zip(&start).map(|(a, b)| a.x - b.x).sum::<f64>() / start.len() as f64;
        // v = g (sin − µ cos) t of the centre.
        let speed = state.node_velocities.iter().map(|v| v.x).sum::<f64>() / start.len() as f64;
        let expected = 9.81 * (angle.sin() - friction * angle.cos());
        match slides {
            true => assert!((speed - expected).abs() < 0.02 * expected, "{speed} {expected}"),
            false => assert!(moved < 0.01 && speed.abs() < 1e-3, "{moved} {speed}"),
        }
    }
}

#[test]
fn two_blocks_rest_on_each_other() {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.5, ..Material::new("rubber") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let mut upper = block_above(0.101, ElementKind::Tet4, Skin::new(material));
    upper.name = "upper".into();
    // Off the grid of the lower one.
    let Structure::Solid { mesh, .. } = &mut upper.structure else { panic!() };
    mesh.transform(Pose::at(Vec3::new(0.013, 0.021, 0.0)));
    model.flexible(block_above(0.001, ElementKind::Tet4, Skin::new(material)));
    model.flexible(upper);
    let mut simulation = Simulation::new(model.build().unwrap(), settings(0.005)).unwrap();
    for step in 0..300 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "step {step} {:?}", report.status);
        assert!(report.penetration < 1e-3 * ELEMENT, "step {step} {}", report.penetration);
    }
    let on = |body: usize| -> Vec3 {
        let all = simulation.contact_forces();
        all.filter(|contact| contact.bodies[1].index() == body).map(|contact| contact.force).sum()
    };
    // From the floor to the lower block (1), from that to the upper (2).
    assert!((on(1).z - 78.48).abs() < 0.1 && (on(2).z - 39.24).abs() < 0.1, "{} {}", on(1), on(2));
}

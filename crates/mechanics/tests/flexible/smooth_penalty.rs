//! Skins that meet others by penalty.

use crate::support::{block, rubber};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleBody, Skin, Structure};
use signorini_mechanics::{
    Body, Collider, Mat3, Material, Model, ModelBuilder, Penalty, Pose, Quat, Settings, Shape, Simulation, StepError,
    Stepper, Vec3,
};

const HHT: Stepper = Stepper::Hht { alpha: -0.2 };

fn floor(model: &mut ModelBuilder, friction: f64) -> signorini_mechanics::MaterialId {
    let material = model.material(Material { friction, ..Material::new("surface") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    material
}

/// A block with its lower face at a height.
fn lifted(mut body: FlexibleBody, by: f64) -> FlexibleBody {
    let Structure::Solid { mesh, .. } = &mut body.structure else { panic!() };
    mesh.nodes.iter_mut().for_each(|node| node.z += by);
    body
}

fn with(stepper: Stepper, step: f64, penalty: Option<Penalty>) -> Settings {
    Settings { stepper, step, penalty, ..Settings::default() }
}

#[test]
fn a_block_settles_on_springs_that_carry_its_weight() {
    for (kind, stepper) in [(ElementKind::Hex8, HHT), (ElementKind::Tet4, Stepper::ImplicitEuler)] {
        let mut model = Model::builder();
        let material = floor(&mut model, 0.5);
        let mut soft = rubber();
        (soft.damping.mass, soft.damping.stiffness) = (5.0, 5e-3);
        let body = block(kind, Vec3::splat(0.2), [2, 2, 2], soft).with_skin(Skin::new(material));
        model.flexible(lifted(body, 0.101));
        let penalty = Penalty::linear(1e4, 100.0);
        let mut simulation = Simulation::new(model.build().unwrap(), with(stepper, 2e-3, Some(penalty))).unwrap();
        (0..1000).for_each(|_| assert!(simulation.step().is_ok()));
        let report = simulation.step().unwrap();
        assert!(report.active >= 4, "{report:?}");
        let weight = 1000.0 * 0.008 * 9.81;
        let carried: Vec3 = simulation.contact_forces().map(|contact| contact.force).sum();
        assert!((carried.z.abs() - weight).abs() < 1e-4 * weight, "{carried} {weight}");
        // Every spring by its own overlap.
        let mut overlaps = 0.0;
        for contact in simulation.contact_forces().filter(|contact| contact.gap < 0.0) {
            let along = contact.force.dot(contact.normal);
            assert!((along + 1e4 * contact.gap).abs() < 1e-3 * weight, "{contact:?}");
            overlaps -= contact.gap;
        }
        assert!((1e4 * overlaps - weight).abs() < 1e-3 * weight, "{overlaps}");
    }
}

#[test]
fn a_sliding_block_is_slowed_by_friction() {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.3);
    let mut stiff = rubber();
    (stiff.youngs_modulus, stiff.damping.stiffness) = (1e7, 1e-3);
    let mut body = block(ElementKind::Hex8, Vec3::new(0.4, 0.4, 0.1), [2, 2, 1], stiff).with_skin(Skin::new(material));
    body.velocity = Vec3::X * 2.0;
    model.flexible(lifted(body, 0.05));
    let settings = with(HHT, 1e-3, Some(Penalty::linear(1e5, 1e3)));
    let mut simulation = Simulation::new(model.build().unwrap(), settings).unwrap();
    let momentum = |simulation: &Simulation| simulation.state().node_velocities.iter().map(|v| v.x).sum::<f64>();
    (0..200).for_each(|_| assert!(simulation.step().is_ok()));
    let nodes = simulation.state().nodes.len() as f64;
    let (before, from) = (momentum(&simulation) / nodes, simulation.state().time);
    (0..200).for_each(|_| assert!(simulation.step().is_ok()));
    let slowed = (before - momentum(&simulation) / nodes) / (simulation.state().time - from);
    assert!((slowed - 0.3 * 9.81).abs() < 0.02 * 0.3 * 9.81, "{slowed}");
}

/// A beam on two fixed rollers with a heavy ball on top.
fn three_point_bending() -> Model {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.2, ..Material::new("surface") });
    let turn = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    for (name, x) in [("left", -0.4), ("right", 0.4)] {
        let roller = model.body(Body::fixed(name).posed(Pose::new(Vec3::new(x, 0.0, -0.05), turn)));
        model.collider(roller, Collider::new(Shape::Capsule { radius: 0.05, half_height: 0.2 }, material));
    }
    let mut soft = rubber();
    (soft.youngs_modulus, soft.damping.mass, soft.damping.stiffness) = (2e7, 200.0, 1e-3);
    let beam = block(ElementKind::Hex8, Vec3::new(1.0, 0.1, 0.1), [12, 2, 2], soft).with_skin(Skin::new(material));
    model.flexible(lifted(beam, 0.05));
    let ball = model.body(Body::new("ball", 20.0, Mat3::IDENTITY * 0.02).at(Vec3::new(0.0, 0.0, 0.15)));
    model.collider(ball, Collider::new(Shape::Sphere { radius: 0.05 }, material));
    model.build().unwrap()
}

#[test]
fn a_beam_bends_between_springs_as_between_hard_contacts() {
    let run = |settings: Settings, steps: usize| {
        let mut simulation = Simulation::new(three_point_bending(), settings).unwrap();
        (0..steps).for_each(|_| assert!(simulation.step().is_ok()));
        simulation
    };
    let tolerance = Some(signorini_solver::Tolerance::Velocity(1e-8));
    let hard = run(Settings { step: 5e-3, tolerance, ..Settings::default() }, 200);
    let soft = run(with(HHT, 2e-3, Some(Penalty::linear(1e6, 2e3))), 600);
    let ball = |simulation: &Simulation| simulation.state().poses[2].position.z;
    let sunk = 0.15 - ball(&hard);
    // F/k of two to four contact points in series.
    assert!(sunk > 5e-3 && (ball(&hard) - ball(&soft)).abs() < 0.05 * sunk, "{sunk} {}", 0.15 - ball(&soft));
    let weight = (20.0 + 10.0) * 9.81;
    let carried = |simulation: &Simulation| {
        let rollers = simulation.contact_forces().filter(|contact| contact.bodies[0].index() < 2);
        rollers.map(|contact| contact.force.z.abs()).sum::<f64>()
    };
    for simulation in [&hard, &soft] {
        assert!((carried(simulation) - weight).abs() < 0.02 * weight, "{} {weight}", carried(simulation));
    }
}

#[test]
fn without_penalty_touching_stops_the_run_with_the_names_of_both_bodies() {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.5);
    let body = block(ElementKind::Tet4, Vec3::splat(0.2), [1, 1, 1], rubber()).with_skin(Skin::new(material));
    model.flexible(lifted(body, 0.11));
    let mut simulation = Simulation::new(model.build().unwrap(), with(HHT, 5e-3, None)).unwrap();
    let error = (0..100).find_map(|_| simulation.step().err()).expect("they meet");
    let StepError::Touching { bodies, .. } = &error else { panic!("{error}") };
    assert!(bodies.contains(&"floor".to_owned()) && bodies.contains(&"block".to_owned()), "{bodies:?}");
}

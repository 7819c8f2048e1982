//! Links by smooth steppers.

use crate::smooth_vibration::by;
use crate::support::{block, rubber};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleId, Link, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Body, BodyId, Mat3, Model, ModelBuilder, Stepper, Vec3};

const STEPPERS: [Stepper; 4] = [
    Stepper::ImplicitEuler,
    Stepper::Trapezoidal,
    Stepper::Hht { alpha: -0.2 },
    Stepper::GeneralisedAlpha { rho: 0.7 },
];

/// A bar along x, clamped on the left, with the nodes of its right end.
fn bar(model: &mut ModelBuilder, damping: f64) -> (FlexibleId, Vec<u32>) {
    let mut material = rubber();
    (material.poisson, material.damping.mass) = (0.0, damping);
    let bar = block(ElementKind::Tet4, Vec3::new(1.0, 0.1, 0.1), [10, 1, 1], material);
    let Structure::Solid { mesh, .. } = &bar.structure else { panic!() };
    let (left, right) = (mesh.node_set("x-min").unwrap().to_vec(), mesh.node_set("x-max").unwrap().to_vec());
    (model.flexible(bar.held_at(&left)), right)
}

fn link(is_rigid: bool, flexible: FlexibleId, nodes: &[u32], body: BodyId) -> Link {
    match is_rigid {
        true => Link::Rigid { flexible, nodes: nodes.to_vec(), body },
        false => Link::Distributed { flexible, nodes: nodes.iter().map(|n| (*n, 1.0)).collect(), body },
    }
}

#[test]
fn an_imposed_displacement_is_met_and_needs_the_force_of_a_stretched_bar() {
    // Without damping, forces would remember the kinks of the table.
    for stepper in STEPPERS.into_iter().filter(|stepper| *stepper != Stepper::Trapezoidal) {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let (flexible, nodes) = bar(&mut model, 100.0);
        let displacement = Law::Table { times: vec![0.0, 1.0], values: vec![0.0, 0.02] };
        model.link("pull", Link::Imposed { flexible, nodes: nodes.clone(), direction: Vec3::X, displacement });
        let mut simulation = by(model.build().unwrap(), stepper, 0.02);
        for _ in 0..200 {
            let report = simulation.step().unwrap();
            assert!(report.joint_violation < 1e-11, "{}: {:e}", stepper.name(), report.joint_violation);
        }
        for &node in &nodes {
            assert!((simulation.state().nodes[node as usize].x - 0.52).abs() < 1e-11);
        }
        // E A ε
        let force: f64 = simulation.warm_start().joints.iter().sum::<f64>() / 0.02;
        assert!((force - 200.0).abs() < 1e-4 * 200.0, "{}: {force}", stepper.name());
        // The clamp pulls as hard.
        let reactions = simulation.reactions().unwrap();
        let [held, pulled] = [reactions.held[0].force, reactions.links[0].on_flexible.force];
        assert!((held + pulled).length() < 1e-4 * 200.0, "{}: {held} {pulled}", stepper.name());
    }
}

#[test]
fn a_weight_on_a_bar_hangs_where_it_should_by_either_link() {
    for stepper in STEPPERS {
        for is_rigid in [true, false] {
            let mut model = Model::builder();
            model.gravity(Vec3::X * 9.81);
            let (flexible, nodes) = bar(&mut model, 40.0);
            let body = model.body(Body::new("weight", 3.0, Mat3::IDENTITY * 0.01).at(Vec3::new(0.6, 0.0, 0.0)));
            model.link("hook", link(is_rigid, flexible, &nodes, body));
            let mut simulation = by(model.build().unwrap(), stepper, 0.02);
            let mut violation = 0.0_f64;
            for _ in 0..400 {
                let report = simulation.step().unwrap();
                violation = violation.max(report.joint_violation).max(report.joint_angle_violation);
            }
            assert!(violation < 1e-10, "{} {is_rigid}: {violation:e}", stepper.name());
            let expected = (3.0 * 9.81) / 1e4 + 1000.0 * 9.81 / (2.0 * 1e6);
            let moved = simulation.state().poses[0].position.x - 0.6;
            assert!((moved - expected).abs() < 2e-3 * expected, "{} {is_rigid}: {moved} {expected}", stepper.name());
        }
    }
}

/// A hub that turns with a flexible arm.
fn arm(is_rigid: bool) -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut material = rubber();
    material.damping.stiffness = 0.002;
    let mut arm = block(ElementKind::Hex8, Vec3::new(0.5, 0.1, 0.1), [5, 1, 1], material);
    arm.angular_velocity = Vec3::Z;
    arm.velocity = Vec3::new(0.0, 0.25, 0.0);
    let Structure::Solid { mesh, .. } = &arm.structure else { panic!() };
    let nodes = mesh.node_set("x-min").unwrap().to_vec();
    let flexible = model.flexible(arm);
    let mut hub = Body::new("hub", 5.0, Mat3::IDENTITY).at(Vec3::new(-0.25, 0.0, 0.0));
    hub.angular_velocity = Vec3::Z;
    let body = model.body(hub);
    model.link("root", link(is_rigid, flexible, &nodes, body));
    model.build().unwrap()
}

#[test]
fn a_turning_body_takes_a_flexible_arm_along() {
    for is_rigid in [true, false] {
        for (stepper, step, allowed) in [
            (Stepper::Hht { alpha: -0.1 }, 2e-3, 1e-5),
            (Stepper::GeneralisedAlpha { rho: 0.8 }, 2e-3, 1e-5),
            (Stepper::Rk4, 2e-4, 1e-7),
        ] {
            let mut simulation = by(arm(is_rigid), stepper, step);
            let start = simulation.step().unwrap();
            for _ in 0..(0.4 / step) as usize {
                let report = simulation.step().unwrap();
                let at = format!("{} {is_rigid} t = {}", stepper.name(), report.time);
                assert!(report.joint_violation < 1e-10 && report.joint_angle_violation < 1e-10, "{at}: {report:?}");
                assert!((report.momentum.linear - start.momentum.linear).length() < 1e-8, "{at}");
                let change = (report.momentum.angular - start.momentum.angular).length();
                assert!(change < allowed * start.momentum.angular.length(), "{at}: {change:e}");
                assert!(report.iterations <= 6, "{at}: {} iterations", report.iterations);
            }
        }
    }
}

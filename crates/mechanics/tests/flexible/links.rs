//! Nodes held to bodies and to imposed motions.

use crate::support::{block, rubber, simulation};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleId, Link, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Body, Mat3, Model, ModelBuilder, Vec3};

/// A bar along x with the nodes of both ends.
fn bar(model: &mut ModelBuilder, damping: f64) -> (FlexibleId, Vec<u32>, Vec<u32>) {
    let mut material = rubber();
    (material.poisson, material.damping.mass) = (0.0, damping);
    let bar = block(ElementKind::Tet4, Vec3::new(1.0, 0.1, 0.1), [10, 1, 1], material);
    let Structure::Solid { mesh, .. } = &bar.structure else { panic!() };
    let (left, right) = (mesh.node_set("x-min").unwrap().to_vec(), mesh.node_set("x-max").unwrap().to_vec());
    (model.flexible(bar.held_at(&left)), left, right)
}

#[test]
fn an_imposed_displacement_is_met_and_needs_the_force_of_a_stretched_bar() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let (flexible, _, nodes) = bar(&mut model, 100.0);
    let displacement = Law::Table { times: vec![0.0, 1.0], values: vec![0.0, 0.02] };
    model.link("pull", Link::Imposed { flexible, nodes: nodes.clone(), direction: Vec3::X, displacement });
    let mut simulation = simulation(model.build().unwrap(), 0.02);
    for _ in 0..400 {
        let report = simulation.step().unwrap();
        assert!(report.converged() && report.joint_violation < 1e-12, "{}", report.joint_violation);
    }
    for node in nodes {
        assert!((simulation.state().nodes[node as usize].x - 0.52).abs() < 1e-12);
    }
    // E A ε
    let force: f64 = simulation.warm_start().joints.iter().sum::<f64>() / 0.02;
    assert!((force - 1e6 * 0.01 * 0.02).abs() < 1e-6 * 200.0, "{force}");
}

#[test]
fn a_weight_on_a_bar_hangs_where_it_should_by_either_link() {
    for is_rigid in [true, false] {
        let mut model = Model::builder();
        model.gravity(Vec3::X * 9.81);
        let (flexible, _, nodes) = bar(&mut model, 40.0);
        let body = model.body(Body::new("weight", 3.0, Mat3::IDENTITY * 0.01).at(Vec3::new(0.6, 0.0, 0.0)));
        let link = match is_rigid {
            true => Link::Rigid { flexible, nodes, body },
            false => Link::Distributed { flexible, nodes: nodes.iter().map(|n| (*n, 1.0)).collect(), body },
        };
        model.link("hook", link);
        let mut simulation = simulation(model.build().unwrap(), 0.02);
        let mut violation = 0.0_f64;
        for _ in 0..1500 {
            let report = simulation.step().unwrap();
            assert!(report.converged());
            violation = violation.max(report.joint_violation).max(report.joint_angle_violation);
        }
        assert!(violation < 1e-8, "{violation}");
        // (m_weight + m_bar/2) g L / EA, linear TET4 bars are exact for a constant force and near for the weight.
        let expected = (3.0 * 9.81) / 1e4 + 1000.0 * 9.81 / (2.0 * 1e6);
        let moved = simulation.state().poses[0].position.x - 0.6;
        assert!((moved - expected).abs() < 2e-3 * expected, "{is_rigid} {moved} {expected}");
    }
}

#[test]
fn a_turning_body_takes_a_flexible_arm_along() {
    for is_rigid in [true, false] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let mut material = rubber();
        material.damping.stiffness = 0.02;
        let mut arm = block(ElementKind::Hex8, Vec3::new(0.5, 0.1, 0.1), [5, 1, 1], material);
        arm.angular_velocity = Vec3::Z;
        arm.velocity = Vec3::new(0.0, 0.25, 0.0);
        let Structure::Solid { mesh, .. } = &arm.structure else { panic!() };
        let nodes = mesh.node_set("x-min").unwrap().to_vec();
        let flexible = model.flexible(arm);
        let mut hub = Body::new("hub", 5.0, Mat3::IDENTITY).at(Vec3::new(-0.25, 0.0, 0.0));
        hub.angular_velocity = Vec3::Z;
        let body = model.body(hub);
        let link = match is_rigid {
            true => Link::Rigid { flexible, nodes, body },
            false => Link::Distributed { flexible, nodes: nodes.iter().map(|n| (*n, 1.0)).collect(), body },
        };
        model.link("root", link);
        let mut simulation = simulation(model.build().unwrap(), 0.001);
        let start = simulation.step().unwrap();
        for _ in 0..500 {
            let report = simulation.step().unwrap();
            assert!(report.joint_violation < 1e-5 && report.joint_angle_violation < 1e-5, "{report:?}");
            assert!((report.momentum.linear - start.momentum.linear).length() < 1e-10);
            // Of order 1: the angular momentum changes with the step only.
            let change = (report.momentum.angular - start.momentum.angular).length();
            assert!(change < 2e-3 * start.momentum.angular.length(), "{is_rigid} {change}");
        }
    }
}

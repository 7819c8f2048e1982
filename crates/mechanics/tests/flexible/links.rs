//! Nodes held to bodies and to imposed motions.

use crate::support::{block, rubber, simulation};
use signorini_collision::Contact;
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleId, Link, Skin, StressLaw, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{
    Body, Collider, Energy, Mat3, Material, Model, ModelBuilder, Settings, Shape, Simulation, StepError, Vec3,
};

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

#[test]
fn a_body_does_not_push_the_nodes_it_holds() {
    // A box stands on a block and is glued to one node under it, which its own shape would push away.
    let mut model = Model::builder();
    let material = model.material(Material::new("rubber"));
    let body = block(ElementKind::Hex8, Vec3::new(0.2, 0.2, 0.1), [2, 2, 1], rubber());
    let Structure::Solid { mesh, .. } = &body.structure else { panic!() };
    let bottom = mesh.node_set("z-min").unwrap().to_vec();
    let middle = mesh.nodes.iter().position(|node| (*node - Vec3::Z * 0.05).length() < 1e-12).unwrap() as u32;
    let flexible = model.flexible(body.held_at(&bottom).with_skin(Skin::new(material)));
    let shape = Shape::Cuboid { half: Vec3::splat(0.05) };
    let hub = model.body(Body::of_shape("hub", &shape, 5000.0).unwrap().at(Vec3::Z * 0.1));
    model.collider(hub, Collider::new(shape, material));
    model.link("glue", Link::Rigid { flexible, nodes: vec![middle], body: hub });
    let mut simulation =
        Simulation::new(model.build().unwrap(), Settings { step: 0.005, ..Settings::default() }).unwrap();
    let held = simulation.state().nodes[middle as usize];
    let is_there = |contact: &Contact| (contact.points[1] - held).length() < 1e-9;
    assert!(!simulation.contacts().iter().any(is_there) && !simulation.contacts().is_empty());
    let start = Energy::of(simulation.model(), simulation.state()).total();
    for step in 0..100 {
        let report = simulation.step().unwrap();
        assert!(report.energy.total() <= start + 1e-6 * start.abs(), "step {step}: {}", report.energy.total());
    }
}

#[test]
fn a_step_that_turns_an_element_inside_out_is_refused_and_leaves_the_state_as_it_was() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut body = block(ElementKind::Hex8, Vec3::ONE, [1, 1, 1], rubber());
    let Structure::Solid { mesh, law, .. } = &mut body.structure else { panic!() };
    *law = StressLaw::NeoHookean;
    let (bottom, nodes) = (mesh.node_set("z-min").unwrap().to_vec(), mesh.node_set("z-max").unwrap().to_vec());
    let flexible = model.flexible(body.held_at(&bottom));
    // Down by more than its height in one second.
    let displacement = Law::linear(0.0, -1.2);
    model.link("press", Link::Imposed { flexible, nodes, direction: Vec3::Z, displacement });
    let mut simulation = simulation(model.build().unwrap(), 0.05);
    let (error, before) = loop {
        let before = simulation.state().clone();
        match simulation.step() {
            Ok(report) => assert!(report.energy.elastic.is_finite() && report.time < 1.0, "{}", report.time),
            Err(error) => break (error, before),
        }
    };
    assert!(matches!(&error, StepError::Element { body, element: 0, .. } if body == "block"), "{error}");
    assert_eq!(simulation.state(), &before);
}

//! Strain and stress of flexible bodies of a model, for output, against closed forms.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use signorini_mechanics::flexible::element::von_mises;
use signorini_mechanics::flexible::material::{Elastic, Rayleigh};
use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
use signorini_mechanics::flexible::{FlexibleBody, FlexibleId, MassMatrix, StressLaw, Stresses, Structure};
use signorini_mechanics::{Mat3, Model, State, Vec3};

const YOUNG: f64 = 2e6;
const POISSON: f64 = 0.3;

/// Two blocks one after the other, so that nodes of the second do not start at 0; and where the second's nodes are.
fn blocks(kind: ElementKind, law: StressLaw, poisson: f64) -> (Model, FlexibleId) {
    let mesh = box_mesh(kind, Vec3::new(2.0, 1.0, 0.5), [4, 2, 2]).unwrap();
    let material = Elastic::new(YOUNG, poisson, 1000.0).unwrap();
    let structure = || Structure::Solid { mesh: mesh.clone(), law, mass: MassMatrix::Lumped };
    let mut model = Model::builder();
    model.flexible(FlexibleBody::new("first", structure(), material));
    let second = model.flexible(FlexibleBody::new("second", structure(), material));
    (model.build().unwrap(), second)
}

fn stresses(model: &Model, body: FlexibleId, moved: impl Fn(Vec3) -> Vec3) -> Stresses {
    let state = State::start_of(model);
    let mut nodes = state.nodes.clone();
    model.nodes_of(body).for_each(|node| nodes[node] = moved(nodes[node]));
    Stresses::of(model, body, &nodes, &state.node_velocities)
}

fn all_cases() -> impl Iterator<Item = (ElementKind, StressLaw)> {
    let laws = [StressLaw::Corotational, StressLaw::NeoHookean];
    ElementKind::ALL.into_iter().flat_map(move |kind| laws.into_iter().map(move |law| (kind, law)))
}

#[test]
fn a_stretched_block_has_the_uniaxial_stress_of_young_in_elements_and_at_nodes() {
    let strain = 1e-6;
    for (kind, law) in all_cases() {
        let (model, block) = blocks(kind, law, POISSON);
        let stretch = Vec3::ONE + Vec3::new(1.0, -POISSON, -POISSON) * strain;
        let found = stresses(&model, block, |x| x * stretch);
        let exact = Mat3::from_diagonal(Vec3::X * YOUNG * strain);
        // The laws agree to first order in the strain.
        let slack = 10.0 * YOUNG * strain * strain + 1e-9;
        assert_eq!(found.nodes.len(), model.nodes_of(block).len());
        for element in &found.elements {
            assert!(element.stress.abs_diff_eq(exact, slack), "{kind} {law:?} {}", element.stress);
            assert!((element.von_mises() - YOUNG * strain).abs() < slack && element.tension.is_none());
            assert!((element.strain.y_axis.y + POISSON * strain).abs() < 1e-11);
        }
        assert!(found.nodes.iter().all(|stress| stress.abs_diff_eq(exact, slack)), "{kind} {law:?}");
    }
}

#[test]
fn a_block_that_only_turned_and_moved_has_no_stress() {
    let turn = Mat3::from_rotation_z(2.0) * Mat3::from_rotation_x(-0.7);
    for (kind, law) in all_cases() {
        let (model, block) = blocks(kind, law, POISSON);
        let found = stresses(&model, block, |x| turn * x + Vec3::new(3.0, -1.0, 2.0));
        let largest = found.elements.iter().map(|element| element.von_mises()).fold(0.0, f64::max);
        let at_nodes = found.nodes.iter().map(|stress| von_mises(*stress)).fold(0.0, f64::max);
        assert!(largest.max(at_nodes) < 1e-13 * 100.0 * YOUNG, "{kind} {law:?} {largest} {at_nodes}");
    }
}

#[test]
fn a_block_pressed_from_all_sides_has_the_pressure_of_its_bulk_modulus_and_nothing_of_von_mises() {
    let strain = 1e-6;
    for (kind, law) in all_cases() {
        let (model, block) = blocks(kind, law, POISSON);
        let found = stresses(&model, block, |x| x * (1.0 - strain));
        // p = K ΔV/V, K = E / (3(1 − 2ν)).
        let pressure = YOUNG / (3.0 * (1.0 - 2.0 * POISSON)) * 3.0 * strain;
        for element in &found.elements {
            assert!(element.stress.abs_diff_eq(Mat3::IDENTITY * -pressure, 1e-5 * pressure), "{kind} {law:?}");
            assert!(element.von_mises() < 1e-8 * pressure, "{kind} {law:?} {}", element.von_mises());
        }
    }
}

#[test]
fn stress_turns_with_the_body() {
    let (strain, turn) = (0.02, Mat3::from_rotation_y(1.1));
    let (model, block) = blocks(ElementKind::Hex8, StressLaw::Corotational, POISSON);
    let stretch = Vec3::ONE + Vec3::new(1.0, -POISSON, -POISSON) * strain;
    let found = stresses(&model, block, |x| turn * (x * stretch));
    let axis = turn * Vec3::X;
    let exact = Mat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * (YOUNG * strain);
    assert!(found.elements.iter().all(|element| element.stress.abs_diff_eq(exact, 1e-9 * YOUNG)));
    // Strain stays in the axes of the element.
    assert!(found.elements.iter().all(|element| (element.strain.x_axis.x - strain).abs() < 1e-12));
}

#[test]
fn a_bent_beam_has_the_stress_of_its_moment_at_every_node() {
    // Pure bending, ν = 0: u = (−κ x z, 0, κ x²/2) has ε_xx = −κ z and no other strain; quadratic elements hold it exactly.
    let curvature = 1e-7;
    let (model, block) = blocks(ElementKind::Tet10, StressLaw::Corotational, 0.0);
    let found = stresses(&model, block, |x| x + Vec3::new(-curvature * x.x * x.z, 0.0, 0.5 * curvature * x.x * x.x));
    let (width, height) = (1.0_f64, 0.5_f64);
    let inertia = width * height.powi(3) / 12.0;
    let moment = YOUNG * inertia * curvature;
    let rest = model.flexible()[block.index()].nodes();
    for (node, stress) in rest.iter().zip(&found.nodes) {
        let exact = moment * node.z / inertia;
        // Of second order: turns of elements of κ L.
        assert!((stress.x_axis.x + exact).abs() < 1e-5 * YOUNG * curvature, "{node} {} {exact}", stress.x_axis.x);
        assert!((von_mises(*stress) - exact.abs()).abs() < 1e-5 * YOUNG * curvature);
    }
}

#[test]
fn cables_have_their_tension_and_a_stress_along_themselves() {
    let (area, slack) = (1e-4, 0.9);
    let mut material = Elastic::new(1e9, 0.3, 1000.0).unwrap();
    material.damping = Rayleigh { mass: 0.0, stiffness: 1e-3 };
    let nodes = vec![Vec3::ZERO, Vec3::new(0.0, 3.0, 4.0), Vec3::new(0.0, 3.0, 5.0)];
    let structure = Structure::Cables { nodes, cables: vec![[0, 1], [1, 2]], area, slack, skin: Vec::new() };
    let mut model = Model::builder();
    let net = model.flexible(FlexibleBody::new("net", structure, material));
    let model = model.build().unwrap();
    let mut state = State::start_of(&model);
    // The second hangs loose.
    state.nodes[2] = Vec3::new(0.0, 3.0, 4.5);
    // The first grows by 0.6 · 0.1 m/s: its damper is E A/L · 1e-3.
    state.node_velocities[1] = Vec3::Y * 0.1;
    let found = Stresses::of(&model, net, &state.nodes, &state.node_velocities);
    let (stiffness, length) = (1e9 * area, 5.0 * slack);
    let tension = stiffness * (5.0 - length) / length + 1e-3 * stiffness / length * 0.06;
    let first = &found.elements[0];
    assert!((first.tension.unwrap() - tension).abs() < 1e-9 * tension);
    assert!((first.von_mises() - tension / area).abs() < 1e-9 * tension / area);
    assert!((first.stress.y_axis.z - 0.48 * tension / area).abs() < 1e-9 * tension / area);
    assert!((found.elements[0].strain.z_axis.z - 0.64 * (1.0 / slack - 1.0)).abs() < 1e-12);
    assert_eq!(found.elements[1].tension, Some(0.0));
    assert!(found.elements[1].strain.z_axis.z < 0.0 && found.nodes[2] == Mat3::ZERO);
}

#[test]
fn an_element_turned_inside_out_has_no_stress_and_says_nan() {
    let (model, block) = blocks(ElementKind::Tet4, StressLaw::NeoHookean, POISSON);
    let found = stresses(&model, block, |x| Vec3::new(x.x, x.y, -x.z));
    assert!(found.elements.iter().all(|element| element.von_mises().is_nan()));
    assert!(found.nodes.iter().all(|stress| *stress == Mat3::ZERO));
}

//! A cantilever along x, clamped at the origin, and what small loads do to it.

use signorini_mechanics::analysis::{EquilibriumSettings, static_equilibrium};
use signorini_mechanics::flexible::beam_line::BeamLine;
use signorini_mechanics::flexible::element::{BeamTheory, Section};
use signorini_mechanics::flexible::material::{Elastic, Rayleigh};
use signorini_mechanics::force::Load;
use signorini_mechanics::{BodyId, Model, ModelBuilder, Settings, Simulation, State, Vec3};

pub(crate) const LENGTH: f64 = 1.0;
pub(crate) const YOUNG: f64 = 1e9;
pub(crate) const DENSITY: f64 = 1000.0;
/// Along y and along z.
pub(crate) const SIDES: [f64; 2] = [0.02, 0.01];

/// ∫ z² dA: deflection along z.
pub(crate) fn inertia_y() -> f64 {
    SIDES[0] * SIDES[1].powi(3) / 12.0
}

pub(crate) fn area() -> f64 {
    SIDES[0] * SIDES[1]
}

pub(crate) fn section() -> Section {
    Section::rectangle(SIDES[0], SIDES[1]).expect("an answer")
}

pub(crate) fn material() -> Elastic {
    Elastic::new(YOUNG, 0.25, DENSITY).expect("an answer")
}

/// The line of a cantilever without gravity.
pub(crate) fn line(elements: usize, theory: BeamTheory, damping: Rayleigh) -> BeamLine {
    let material = Elastic { damping, ..material() };
    BeamLine::straight("arm", [Vec3::ZERO, Vec3::X * LENGTH], elements, section(), material)
        .theory(theory)
        .clamped([true, false])
}

/// A model of it with more in it.
pub(crate) fn model(line: &BeamLine, more: impl FnOnce(&mut ModelBuilder, &[BodyId])) -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let nodes = line.add_to(&mut model).expect("an answer").nodes;
    more(&mut model, &nodes);
    model.build().expect("an answer")
}

pub(crate) fn undamped(elements: usize) -> BeamLine {
    line(elements, BeamTheory::EulerBernoulli, Rayleigh::default())
}

pub(crate) fn loaded(line: &BeamLine, force: Vec3) -> Model {
    model(line, |model, nodes| {
        model.force("tip", Load::new(*nodes.last().expect("an answer")).force(force, None));
    })
}

pub(crate) fn rest(model: &Model, from: &State) -> State {
    let settings = EquilibriumSettings { leave_unstable: false, ..EquilibriumSettings::default() };
    static_equilibrium(model, from, &settings).expect("an answer").state
}

/// The same under a small load: rounding of positions times EA/L is some 1e-7 of it.
fn at_rest(model: &Model) -> State {
    let settings = EquilibriumSettings { tolerance: 1e-6, ..EquilibriumSettings::default() };
    static_equilibrium(model, &State::start_of(model), &settings).expect("an answer").state
}

/// F L³/3EI, and F L/κGA where sections shear.
fn closed_form(force: f64, theory: BeamTheory) -> f64 {
    let shear_modulus = YOUNG / 2.5;
    let shear = match theory {
        BeamTheory::EulerBernoulli => 0.0,
        BeamTheory::Timoshenko => force * LENGTH / (5.0 / 6.0 * shear_modulus * area()),
    };
    force * LENGTH.powi(3) / (3.0 * YOUNG * inertia_y()) + shear
}

#[test]
fn a_tip_load_deflects_a_cantilever_by_the_closed_form_whatever_the_number_of_elements() {
    for theory in [BeamTheory::EulerBernoulli, BeamTheory::Timoshenko] {
        for elements in [1, 2, 5] {
            // A deflection of some 1e-4 of the length: what is not linear is some 1e-8 of it.
            let force = 5e-4;
            let model = loaded(&line(elements, theory, Rayleigh::default()), Vec3::Z * force);
            let tip = at_rest(&model).poses[elements].position.z;
            let error = tip / closed_form(force, theory) - 1.0;
            println!("{theory:?}, {elements} elements: off by {error:.1e}");
            assert!(error.abs() < 2e-7, "{theory:?} {elements}: {error}");
        }
    }
}

#[test]
fn stepping_to_rest_ends_at_the_closed_form() {
    for theory in [BeamTheory::EulerBernoulli, BeamTheory::Timoshenko] {
        let (elements, force) = (4, 5e-5);
        let model = loaded(&line(elements, theory, Rayleigh { mass: 20.0, stiffness: 1e-3 }), Vec3::Z * force);
        let settings = Settings { step: 0.05, ..Settings::default() };
        let mut simulation = Simulation::new(model, settings).expect("an answer");
        (0..400).for_each(|_| assert!(simulation.step().expect("an answer").converged()));
        let error = simulation.state().poses[elements].position.z / closed_form(force, theory) - 1.0;
        println!("{theory:?}: off by {error:.1e}");
        assert!(error.abs() < 1e-7, "{theory:?}: {error}");
    }
}

#[test]
fn bending_about_the_other_axis_and_a_turned_section_have_the_other_stiffness() {
    let (elements, force) = (2, 5e-4);
    let slender = undamped(elements);
    let sideways = loaded(&slender, Vec3::Y * force);
    let tip = at_rest(&sideways).poses[elements].position.y;
    let stiff = force / (3.0 * YOUNG * SIDES[1] * SIDES[0].powi(3) / 12.0);
    assert!((tip / stiff - 1.0).abs() < 2e-7, "{tip} {stiff}");
    let turned = loaded(&slender.up(Vec3::Y), Vec3::Y * force);
    let tip = at_rest(&turned).poses[elements].position.y;
    assert!((tip / closed_form(force, BeamTheory::EulerBernoulli) - 1.0).abs() < 2e-7, "{tip}");
}

#[test]
fn a_beam_weighs_what_its_volume_does_and_its_nodes_are_named_in_order() {
    let plan = undamped(4).clamped([false; 2]).plan().expect("an answer");
    let mass: f64 = plan.nodes.iter().map(|node| node.mass).sum();
    assert!((mass - DENSITY * area() * LENGTH).abs() < 1e-14, "{mass}");
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["arm/0", "arm/1", "arm/2", "arm/3", "arm/4"]);
    assert_eq!(plan.element_name(3), "arm/3");
}

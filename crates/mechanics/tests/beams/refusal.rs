//! Beams that cannot be, and beams that are bent too far.

use crate::cantilever::{loaded, material, model, section, undamped};
use signorini_mechanics::analysis::{EquilibriumSettings, modes, static_equilibrium};
use signorini_mechanics::flexible::beam_line::{Arc, BeamLine, BeamSkin};
use signorini_mechanics::flexible::element::Section;
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::force::Load;
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Material, Model, Settings, Simulation, State, StepError, Stepper, Vec3};

fn through(points: &[Vec3]) -> BeamLine {
    BeamLine::through("arm", points.to_vec(), section(), material())
}

fn message(line: &BeamLine) -> String {
    line.plan().expect_err("an error").to_string()
}

#[test]
fn beams_that_cannot_be_are_refused_by_name() {
    let straight = through(&[Vec3::ZERO, Vec3::X]);
    assert!(message(&through(&[Vec3::ZERO])).starts_with("beam `arm` has 1 points, expected at least 2"));
    assert!(message(&through(&[])).starts_with("beam `arm` has 0 points"));
    let divided = BeamLine::straight("arm", [Vec3::ZERO, Vec3::X], 0, section(), material());
    assert!(message(&divided).starts_with("beam `arm` has 1 points"));
    let repeated = message(&through(&[Vec3::ZERO, Vec3::X, Vec3::X]));
    assert_eq!(repeated, "beam `arm`: points 1 and 2 are both at [1.0, 0.0, 0.0], expected points apart");
    let not_finite = message(&through(&[Vec3::ZERO, Vec3::new(1.0, f64::NAN, 0.0)]));
    assert_eq!(not_finite, "beam `arm`: point 1 is [1.0, NaN, 0.0], expected finite numbers");
    let along = message(&straight.clone().up(Vec3::X * 2.0));
    assert!(along.contains("`up` is [2.0, 0.0, 0.0], along element 0"), "{along}");
    for up in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        assert!(message(&straight.clone().up(up)).contains("`up`"));
    }
    assert!(message(&straight.clone().clamped([true, true])).contains("nothing can move"));
    assert!(message(&straight.clone().moving(Vec3::NAN, Vec3::ZERO)).contains("velocity"));
    let flat = Section { area: 0.0, ..section() };
    let flat = BeamLine::through("arm", vec![Vec3::ZERO, Vec3::X], flat, material());
    assert_eq!(message(&flat), "beam `arm`: area of the section is 0, expected a finite value > 0");
    let incompressible = Elastic { poisson: 0.5, ..material() };
    let incompressible = BeamLine::through("arm", vec![Vec3::ZERO, Vec3::X], section(), incompressible);
    assert!(message(&incompressible).contains("Poisson's ratio is 0.5"));
    let mut builder = Model::builder();
    let wood = builder.material(Material::new("wood"));
    for radius in [0.0, f64::NAN, -1.0] {
        assert!(message(&straight.clone().skin(BeamSkin::new(radius, wood))).contains("radius of the skin"));
    }
    let arc = Arc { centre: Vec3::ZERO, axis: Vec3::ZERO, start: Vec3::X, angle: 1.0 };
    assert!(message(&BeamLine::arc("arm", &arc, 4, section(), material())).contains("point 0"));
    let arc = Arc { axis: Vec3::Z, start: Vec3::Z, ..arc };
    assert!(message(&BeamLine::arc("arm", &arc, 4, section(), material())).contains("points 0 and 1"));
}

#[test]
fn a_beam_that_is_bent_too_far_stops_the_step_and_is_named() {
    // A moment that grows beyond what three elements can be rolled up by, 2 rad at each end of each.
    let model = || {
        model(&undamped(3), |model, nodes| {
            model.force("tip", Load::new(nodes[3]).torque(Vec3::Y * -30.0, Some(Law::linear(0.0, 1.0))));
        })
    };
    for stepper in
        [Stepper::DviEuler, Stepper::DviRattle, Stepper::ImplicitEuler, Stepper::GeneralisedAlpha { rho: 0.8 }]
    {
        let mut simulation =
            Simulation::new(model(), Settings { step: 0.002, stepper, ..Settings::default() }).expect("an answer");
        let error = (0..1000)
            .find_map(|_| simulation.step().err())
            .unwrap_or_else(|| panic!("{}: no beam holds this", stepper.name()));
        let StepError::Force { force, problem, .. } = &error else { panic!("{}: {error}", stepper.name()) };
        assert!(force.starts_with("beam `arm/") && problem.contains("turned by"), "{}: {error}", stepper.name());
    }
}

#[test]
fn analyses_name_a_beam_that_does_not_exist_where_its_nodes_are() {
    let model = loaded(&undamped(2), Vec3::Z);
    let mut folded = State::start_of(&model);
    folded.poses[1].position = folded.poses[2].position;
    let error = static_equilibrium(&model, &folded, &EquilibriumSettings::default()).expect_err("an error").to_string();
    assert_eq!(error, "beam `arm/1`: length is 0 m, expected a finite value > 0");
    assert_eq!(modes(&model, &folded).expect_err("an error").to_string(), error);
    let settings = Settings { step: 0.01, ..Settings::default() };
    let mut simulation = Simulation::resumed(model, settings, folded, Default::default()).expect("an answer");
    assert_eq!(simulation.step().expect_err("an error").to_string(), format!("step 1 at t = 0 s: {error}"));
}

//! Falls, spins and static limits by smooth steppers.

use crate::smooth_vibration::{by, smooth};
use crate::support::{block, rubber, simulation};
use signorini_mechanics::flexible::mesh::{ElementKind, FaceNodes};
use signorini_mechanics::flexible::{FlexibleLoad, Link, MassMatrix, StressLaw, Structure};
use signorini_mechanics::joint::Law;
use signorini_mechanics::{Model, Momentum, Settings, Simulation, StepError, Stepper, Vec3};

/// A free block with every law and mass.
fn spinning(law: StressLaw, mass: MassMatrix, kind: ElementKind) -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut body = block(kind, Vec3::new(0.4, 0.1, 0.1), [2, 1, 1], rubber());
    let Structure::Solid { law: own, mass: matrix, .. } = &mut body.structure else { panic!() };
    (*own, *matrix) = (law, mass);
    (body.velocity, body.angular_velocity) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.0, 2.0, 4.0));
    model.flexible(body);
    model.build().unwrap()
}

#[test]
fn a_free_block_falls_as_a_point_by_every_method() {
    for stepper in smooth() {
        for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
            let mut model = Model::builder();
            let mut body = block(ElementKind::Tet4, Vec3::splat(0.2), [1, 1, 1], rubber());
            let Structure::Solid { mass: matrix, .. } = &mut body.structure else { panic!() };
            *matrix = mass;
            model.flexible(body);
            let mut simulation = by(model.build().unwrap(), stepper, 1e-3);
            let start = simulation.state().nodes.clone();
            (0..20).for_each(|_| assert!(simulation.step().unwrap().converged()));
            let n = 20.0;
            // ½ g t², with the error of Euler's methods.
            let fall = match stepper.order() {
                1 if stepper.is_explicit() => -9.81 * 1e-6 * n * (n - 1.0) / 2.0,
                1 => -9.81 * 1e-6 * n * (n + 1.0) / 2.0,
                _ => -9.81 * 1e-6 * n * n / 2.0,
            };
            for (now, start) in simulation.state().nodes.iter().zip(&start) {
                let error = (*now - *start - Vec3::Z * fall).length();
                assert!(error < 1e-11, "{}: {error:e}", stepper.name());
            }
        }
    }
}

#[test]
fn a_spinning_block_keeps_its_momentum_to_the_order_of_the_method() {
    let steppers = [
        Stepper::ImplicitEuler,
        Stepper::Trapezoidal,
        Stepper::Hht { alpha: -0.1 },
        Stepper::GeneralisedAlpha { rho: 0.8 },
        Stepper::Heun,
        Stepper::Rk4,
        Stepper::Leapfrog,
    ];
    for (law, mass, kind) in [
        (StressLaw::Corotational, MassMatrix::Lumped, ElementKind::Hex8),
        (StressLaw::NeoHookean, MassMatrix::Consistent, ElementKind::Tet4),
    ] {
        for stepper in steppers {
            let drift = |steps: usize| {
                let model = spinning(law, mass, kind);
                let mut simulation = by(model, stepper, 0.05 / steps as f64);
                let start = Momentum::of(simulation.model(), simulation.state());
                let mut worst = 0.0_f64;
                for _ in 0..steps {
                    let now = simulation.step().unwrap().momentum;
                    let linear = (now.linear - start.linear).length() / start.linear.length();
                    assert!(linear < 1e-9, "{}: {linear:e}", stepper.name());
                    worst = worst.max((now.angular - start.angular).length() / start.angular.length());
                }
                worst
            };
            let (coarse, fine) = (drift(100), drift(200));
            // A factor of 2^p, or rounding already.
            let expected = 2.0_f64.powf(f64::from(stepper.order()) - 0.5);
            let what = format!("{} {law:?}: {coarse:e} {fine:e}", stepper.name());
            assert!(coarse < 2e-2 && (fine < coarse / expected || coarse < 1e-10), "{what}");
        }
    }
}

#[test]
fn a_bent_block_rests_where_the_dvi_step_rests() {
    for (law, kind, mass) in [
        (StressLaw::Corotational, ElementKind::Hex8, MassMatrix::Lumped),
        (StressLaw::NeoHookean, ElementKind::Tet10, MassMatrix::Consistent),
    ] {
        let model = || {
            let mut model = Model::builder();
            let mut material = rubber();
            (material.damping.mass, material.damping.stiffness) = (20.0, 2e-3);
            let mut body = block(kind, Vec3::new(0.6, 0.1, 0.1), [3, 1, 1], material);
            let Structure::Solid { mesh, law: own, mass: matrix } = &mut body.structure else { panic!() };
            (*own, *matrix) = (law, mass);
            let root = mesh.node_set("x-min").unwrap().to_vec();
            let id = model.flexible(body.held_at(&root));
            let pressure = FlexibleLoad::Pressure {
                flexible: id,
                faces: vec![FaceNodes::Triangle([0, 1, 2])],
                pressure: 10.0,
                factor: None,
            };
            model.flexible_load("breath", pressure);
            model.build().unwrap()
        };
        let mut reference = simulation(model(), 0.02);
        (0..400).for_each(|_| assert!(reference.step().is_ok()));
        for stepper in [Stepper::ImplicitEuler, Stepper::Hht { alpha: -0.2 }, Stepper::GeneralisedAlpha { rho: 0.5 }] {
            let mut simulation = by(model(), stepper, 0.02);
            (0..400).for_each(|_| assert!(simulation.step().unwrap().converged()));
            let both = simulation.state().nodes.iter().zip(&reference.state().nodes);
            let error = both.map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
            assert!(error < 1e-8, "{} {law:?}: {error:e}", stepper.name());
        }
    }
}

#[test]
fn an_element_pushed_inside_out_is_named_after_shorter_steps_were_tried() {
    for stepper in [Stepper::Hht { alpha: -0.1 }, Stepper::Rk4] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let mut body = block(ElementKind::Tet4, Vec3::splat(0.1), [2, 1, 1], rubber());
        let Structure::Solid { mesh, law, .. } = &mut body.structure else { panic!() };
        *law = StressLaw::NeoHookean;
        let (root, end) = (mesh.node_set("x-min").unwrap().to_vec(), mesh.node_set("x-max").unwrap().to_vec());
        let flexible = model.flexible(body.held_at(&root));
        // Beyond the clamp within a hundredth of a second.
        let displacement = Law::Polynomial(vec![0.0, -20.0]);
        model.link("press", Link::Imposed { flexible, nodes: end, direction: Vec3::X, displacement });
        let settings = Settings { stepper, step: 1e-4, ..Settings::default() };
        let mut simulation = Simulation::new(model.build().unwrap(), settings).unwrap();
        let error = (0..200).find_map(|_| simulation.step().err()).expect("an error");
        assert!(matches!(&error, StepError::Element { body, .. } if body == "block"), "{}: {error}", stepper.name());
    }
}

#[test]
fn rattle_and_analyses_say_that_they_take_rigid_bodies_only() {
    use signorini_mechanics::State;
    use signorini_mechanics::analysis::{EquilibriumSettings, modes, static_equilibrium};
    let model = || spinning(StressLaw::Corotational, MassMatrix::Lumped, ElementKind::Tet4);
    let settings = Settings { stepper: Stepper::DviRattle, ..Settings::default() };
    let error = Simulation::new(model(), settings).err().expect("refused");
    assert!(matches!(error, StepError::RigidOnly { .. }), "{error}");
    let state = State::start_of(&model());
    let of_modes = modes(&model(), &state).expect_err("refused").to_string();
    let of_rest = static_equilibrium(&model(), &state, &EquilibriumSettings::default()).expect_err("refused");
    assert!(of_modes.contains("`block`") && of_rest.to_string().contains("`block`"), "{of_modes} {of_rest}");
}

//! Beams in motion: energy, momentum, steppers against each other, threads.

use crate::cantilever::{LENGTH, YOUNG, inertia_y, line, loaded, material, model, rest, section, undamped};
use signorini_mechanics::flexible::beam_line::{Arc, BeamLine};
use signorini_mechanics::flexible::element::BeamTheory;
use signorini_mechanics::flexible::material::{Elastic, Rayleigh};
use signorini_mechanics::{Energy, Model, Momentum, Settings, Simulation, State, StepMemory, Stepper, Vec3};
use signorini_testkit::fitted_order;

/// A cantilever let go from where a force of `share` EI/L² held it: the model and its start.
fn released(line: &BeamLine, share: f64) -> (impl Fn() -> Model + use<>, State) {
    let pulled = loaded(line, Vec3::Z * (share * YOUNG * inertia_y() / (LENGTH * LENGTH)));
    let start = rest(&pulled, &State::start_of(&pulled));
    let line = line.clone();
    (move || model(&line, |_, _| ()), start)
}

fn run(model: Model, start: &State, settings: &Settings, until: f64) -> (State, Vec<Energy>) {
    let steps = (until / settings.step).round() as u64;
    let mut simulation =
        Simulation::resumed(model, settings.clone(), start.clone(), StepMemory::default()).expect("an answer");
    let mut energies = Vec::new();
    for _ in 0..steps {
        let report = simulation.step().expect("an answer");
        assert!(report.converged(), "{report:?}");
        energies.push(report.energy);
    }
    (simulation.state().clone(), energies)
}

/// The first period is 0.62 s: ω = 3.516 √(EI/ρA)/L².
const PERIOD: f64 = 0.62;

#[test]
fn free_vibration_keeps_its_energy_with_methods_that_have_no_damping() {
    let (model, start) = released(&undamped(6), 1.0);
    let all = Energy::of(&model(), &start).total();
    for stepper in
        [Stepper::Trapezoidal, Stepper::GeneralisedAlpha { rho: 1.0 }, Stepper::GeneralisedAlpha { rho: 0.9 }]
    {
        let drifts: Vec<f64> = [0.004, 0.002]
            .iter()
            .map(|&step| {
                let settings = Settings { step, stepper, ..Settings::default() };
                let (_, energies) = run(model(), &start, &settings, 2.0 * PERIOD);
                let (kinetic, drift) = energies.iter().fold((0.0_f64, 0.0_f64), |(kinetic, drift), energy| {
                    (kinetic.max(energy.kinetic), drift.max((energy.total() / all - 1.0).abs()))
                });
                // It does swing.
                assert!(kinetic > 0.8 * all, "{kinetic} {all}");
                drift
            })
            .collect();
        println!("{} {:?}: energy off by {drifts:?}", stepper.name(), stepper.parameters());
        assert!(drifts[1] < 0.02 && drifts[1] < 0.6 * drifts[0], "{stepper:?} {drifts:?}");
    }
}

#[test]
fn all_steppers_go_to_the_same_motion_each_with_its_order() {
    let damped = line(4, BeamTheory::Timoshenko, Rayleigh { mass: 0.5, stiffness: 2e-3 });
    let (model, start) = released(&damped, 0.5);
    let until = 0.32;
    let tip = |stepper: Stepper, step: f64| {
        let settings = Settings { step, stepper, ..Settings::default() };
        run(model(), &start, &settings, until).0.poses[4].position
    };
    let exact = tip(Stepper::GeneralisedAlpha { rho: 0.8 }, 0.00025);
    for (stepper, steps, order) in [
        (Stepper::DviEuler, [0.0005, 0.00025, 0.000125], 1.0),
        (Stepper::Hht { alpha: -0.1 }, [0.004, 0.002, 0.001], 2.0),
        (Stepper::GeneralisedAlpha { rho: 0.8 }, [0.004, 0.002, 0.001], 2.0),
    ] {
        let errors = steps.map(|step| (tip(stepper, step) - exact).length());
        let fitted = fitted_order(&errors);
        println!("{}: tip off by {errors:?} m, order {fitted:.2}", stepper.name());
        assert!((fitted - order).abs() < 0.25, "{}: {fitted} {errors:?}", stepper.name());
    }
}

/// Half a hoop that flies and spins, free, with stiffness damping. `spin` is a share of 10 rad/s.
fn flying(spin: f64) -> Model {
    let hoop = Arc { centre: Vec3::ZERO, axis: Vec3::Y, start: Vec3::X * 0.3, angle: 3.0 };
    let soft = Elastic { damping: Rayleigh { mass: 0.0, stiffness: 1e-3 }, ..material() };
    let beam = BeamLine::arc("hoop", &hoop, 8, section(), soft)
        .moving(Vec3::new(1.0, 2.0, 3.0), spin * Vec3::new(2.0, 9.0, 4.0));
    model(&beam, |_, _| ())
}

/// Linearly implicit Euler turns chords along their tangents, which stretches them by (ωh)²/2: it is given a slower spin.
#[test]
fn a_spinning_free_beam_keeps_its_momentum_and_loses_only_energy_of_deformation() {
    for (stepper, spin, order) in [
        (Stepper::DviEuler, 0.1, 1.0),
        (Stepper::DviRattle, 1.0, 2.0),
        (Stepper::GeneralisedAlpha { rho: 0.8 }, 1.0, 2.0),
    ] {
        let start = State::start_of(&flying(spin));
        let before = Momentum::of(&flying(spin), &start);
        let losses = [0.002, 0.001, 0.0005].map(|step| {
            let settings = Settings { step, stepper, ..Settings::default() };
            let (state, energies) = run(flying(spin), &start, &settings, 0.5);
            let after = Momentum::of(&flying(spin), &state);
            let linear = (after.linear - before.linear).length() / before.linear.length();
            assert!(linear < 1e-9, "{}: linear momentum is off by {linear}", stepper.name());
            assert!(energies.last().expect("an answer").total() < energies[0].total());
            (after.angular - before.angular).length() / before.angular.length()
        });
        let fitted = fitted_order(&losses);
        println!("{}: angular momentum off by {losses:?}, order {fitted:.2}", stepper.name());
        assert!(losses[2] < 0.01 && fitted > order - 0.25, "{}: {fitted} {losses:?}", stepper.name());
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for stepper in [Stepper::DviEuler, Stepper::DviRattle, Stepper::GeneralisedAlpha { rho: 0.8 }] {
        let hashes = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("an answer");
            pool.install(|| {
                let settings = Settings { step: 0.002, stepper, parallel: true, ..Settings::default() };
                run(flying(1.0), &State::start_of(&flying(1.0)), &settings, 0.1).0.hash()
            })
        });
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{}: {hashes:x?}", stepper.name());
    }
}

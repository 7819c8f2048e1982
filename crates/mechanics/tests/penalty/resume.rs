//! A run that is stopped goes on to the same bits; settings survive being written and read.

use super::*;
use signorini_mechanics::Adaptive;

/// Balls thrown at each other and at the floor, with friction: contacts open, close, stick and slide.
fn scene() -> Model {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.4);
    ball(&mut model, "first", material, Vec3::new(0.0, 0.0, RADIUS), Vec3::new(0.8, 0.1, 0.0));
    ball(&mut model, "second", material, Vec3::new(0.3, 0.02, RADIUS + 0.01), Vec3::ZERO);
    ball(&mut model, "third", material, Vec3::new(0.3, 0.0, 3.0 * RADIUS + 0.03), Vec3::ZERO);
    model.build().unwrap()
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bits() {
    let adaptive = Some(Adaptive { tolerance: 1e-6, ..Adaptive::default() });
    for (stepper, adaptive, penalty) in [
        (ALPHA, None, Penalty::linear(2e4, 30.0)),
        (ALPHA, adaptive, Penalty::hertz(1e6, 0.3)),
        (Stepper::ImplicitEuler, None, Penalty::hertz(1e6, 0.3)),
        (Stepper::TrapezoidalLinearised, None, Penalty::linear(2e4, 30.0)),
        (Stepper::Rk4, None, Penalty::linear(2e4, 30.0)),
        (Stepper::Leapfrog, adaptive, Penalty::hertz(1e6, 0.3)),
    ] {
        let settings = Settings { adaptive, ..settings(stepper, 1e-3, penalty) };
        let mut whole = Simulation::new(scene(), settings.clone()).unwrap();
        let (mut stops, mut active) = (Vec::new(), std::collections::BTreeSet::new());
        for step in 0..400 {
            if step % 80 == 40 {
                stops.push((step, whole.state().clone(), whole.warm_start().clone()));
            }
            active.insert(whole.step().unwrap().active);
        }
        assert!(active.len() >= 3, "{}: {active:?}", stepper.name());
        for (step, state, warm) in stops {
            let mut resumed = Simulation::resumed(scene(), settings.clone(), state, warm).unwrap();
            (step..400).for_each(|_| assert!(resumed.step().is_ok()));
            assert_eq!(resumed.state().hash(), whole.state().hash(), "{} from step {step}", stepper.name());
            let (kept, other) = (resumed.warm_start(), whole.warm_start());
            assert_eq!(kept.contacts, other.contacts, "{} from step {step}", stepper.name());
            // By their bits: what is not there is kept as what is not a number.
            let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&kept.motion), bits(&other.motion), "{} from step {step}", stepper.name());
        }
    }
}

#[test]
fn results_are_the_same_on_one_thread_and_on_several() {
    let hash = |parallel: bool| {
        let settings = Settings { parallel, ..settings(ALPHA, 1e-3, Penalty::hertz(1e6, 0.3)) };
        let mut simulation = Simulation::new(scene(), settings).unwrap();
        (0..200).for_each(|_| assert!(simulation.step().is_ok()));
        simulation.state().hash()
    };
    assert_eq!(hash(true), hash(false));
}

//! Orders of convergence of time-steppers against reference solutions.

use super::run_but_for;
use signorini_mechanics::{BodyId, Model, Promise, Settings, Simulation, Stepper, Vec3};
use signorini_testkit::fitted_order;

pub(crate) fn with(stepper: Stepper, h: f64) -> Settings {
    Settings { stepper, ..super::settings(h) }
}

/// Steps of 1/n of a time: position and velocity of a body at its end.
fn end_of(model: Model, stepper: Stepper, body: BodyId, time: f64, steps: usize) -> (Vec3, Vec3) {
    let mut simulation = Simulation::new(model, with(stepper, time / steps as f64)).expect("valid");
    // What turns or slides along a curve within a long step leaves an overlap; joints are open with the first order only.
    let left: &[Promise] =
        if stepper == Stepper::DviEuler { &[Promise::Joints, Promise::Overlap] } else { &[Promise::Overlap] };
    run_but_for(left, &mut simulation, steps);
    let state = simulation.state();
    (state.poses[body.index()].position, state.velocities[body.index()])
}

/// y(time) of ẏ = f(t, y) by the classical Runge-Kutta method.
pub(crate) fn integrate<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    start: [f64; N],
    time: f64,
    steps: usize,
) -> [f64; N] {
    let h = time / steps as f64;
    let add = |y: &[f64; N], k: &[f64; N], a: f64| -> [f64; N] { std::array::from_fn(|i| y[i] + a * k[i]) };
    let mut y = start;
    for n in 0..steps {
        let t = n as f64 * h;
        let k1 = f(t, &y);
        let k2 = f(t + 0.5 * h, &add(&y, &k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &add(&y, &k2, 0.5 * h));
        let k4 = f(t + h, &add(&y, &k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

/// Errors of position and velocity for four step counts, each twice the one before.
fn errors(
    model: impl Fn() -> (Model, BodyId),
    stepper: Stepper,
    time: f64,
    coarsest: usize,
    exact: (Vec3, Vec3),
) -> [Vec<f64>; 2] {
    let mut errors = [Vec::new(), Vec::new()];
    for refinement in 0..4 {
        let (model, body) = model();
        let (position, velocity) = end_of(model, stepper, body, time, coarsest << refinement);
        errors[0].push((position - exact.0).length());
        errors[1].push((velocity - exact.1).length());
    }
    errors
}

/// Positions and velocities of order 2, but of order 1 by `dvi-euler`: the scene is no accident.
pub(crate) fn check_order(
    name: &str,
    model: impl Fn() -> (Model, BodyId),
    time: f64,
    coarsest: usize,
    exact: (Vec3, Vec3),
) {
    for errors in errors(&model, Stepper::DviRattle, time, coarsest, exact) {
        let order = fitted_order(&errors);
        assert!((1.8..2.4).contains(&order), "{name}: order {order:.2} of {errors:?}");
    }
    for errors in errors(&model, Stepper::DviEuler, time, coarsest, exact) {
        let order = fitted_order(&errors);
        assert!(order < 1.5, "{name}, dvi-euler: order {order:.2} of {errors:?}");
    }
}

//! ME-9: the precession of a top.
//!
//! With u = cos θ, a = I₃ω₃/I and b = L_z/I a heavy top obeys u̇² = f(u) = (1 − u²)(ε − βu) − (b − a u)² and φ̇ = (b − a u)/(1 − u²). Started with spin alone
//! at u₀ it falls from a cusp: f(u) = (u₀ − u)(β(1 − u²) − a²(u₀ − u)), and back to it after a whole nutation.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::SceneRun;
use crate::{Context, Experiment, Figure, Outcome, Series};
use anyhow::Result;
use signorini_mechanics::{Stepper, Vec3};
use std::f64::consts::{PI, TAU};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-9",
    title: "The precession of a top",
    source: BEYOND,
    description: "Gallery: spinning-top, a cone on its tip with 200 rad/s and 20° of tilt. It nutates; over whole nutations it precesses by an elliptic integral, \
                  here by Gauss-Chebyshev quadrature. Looked at after three nutations.",
    seconds: [1.3, 5.1],
    run,
};

/// Of the scene: m, rad/s, rad.
const HEIGHT: f64 = 0.05;
const RADIUS: f64 = 0.03;
const SPIN: f64 = 200.0;
const TILT: f64 = PI / 9.0;
/// Nutations that are waited for.
const NUTATIONS: f64 = 3.0;

/// Time of a nutation and the angle of precession in it.
fn nutation() -> [f64; 2] {
    // A cone of mass 1 about its tip: 3/10 r² about its axis, 3/20 r² + 3/5 h² across it, centre at 3/4 h.
    let (along, across) = (0.3 * RADIUS * RADIUS, 0.15 * RADIUS * RADIUS + 0.6 * HEIGHT * HEIGHT);
    let (a, beta) = (along * SPIN / across, 2.0 * 9.81 * 0.75 * HEIGHT / across);
    let high = TILT.cos();
    // β(1 − u²) = a²(u₀ − u): the root below u₀.
    let root = (a.powi(4) - 4.0 * beta * (a * a * high - beta)).sqrt();
    let [low, other] = [(a * a - root) / (2.0 * beta), (a * a + root) / (2.0 * beta)];
    // f = β (u₀ − u)(u − low)(other − u); with u = mean + half cos χ the ends are no longer singular.
    let (mean, half) = (0.5 * (high + low), 0.5 * (high - low));
    let count = 64;
    let mut sum = [0.0; 2];
    for k in 0..count {
        let u = mean + half * ((f64::from(k) + 0.5) * PI / f64::from(count)).cos();
        let weight = 2.0 * PI / f64::from(count) / (beta * (other - u)).sqrt();
        sum[0] += weight;
        sum[1] += weight * a * (high - u) / (1.0 - u * u);
    }
    sum
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let [period, angle] = nutation();
    let until = NUTATIONS * period;
    let exact = NUTATIONS * angle;
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    let fine = context.choose(5000.0, 10_000.0);
    for (stepper, steps, order) in [
        (Stepper::DviEuler, fine, 1),
        (Stepper::DviRattle, fine, 2),
        (Stepper::GeneralisedAlpha { rho: 0.9 }, fine, 2),
        (Stepper::Rk4, fine, 4),
    ] {
        let step = until / steps;
        let run = SceneRun::of("spinning-top").stepper(stepper).step(step).until(until);
        let at = run.scene()?.model.body_named("top").map_or(0, |body| body.index());
        let (mut turned, mut before, mut seen) = (0.0, 0.0_f64, Vec::new());
        run.follow(context, |simulation, report| {
            let axis = simulation.state().poses[at].rotation * Vec3::Z;
            let azimuth = axis.y.atan2(axis.x);
            turned += (azimuth - before + PI).rem_euclid(TAU) - PI;
            before = azimuth;
            if report.step % 10 == 0 {
                seen.push([report.time, turned]);
            }
        })?;
        // The spin turns by ω h in a step; errors of order p are of the size (ωh)ᵖ of the way.
        let form = ClosedForm {
            quantity: &format!("{}: precession in three nutations, {steps} steps", stepper.name()),
            formula: "3 ∮ φ̇ dt",
            unit: "rad",
            exact,
            found: turned,
            slack: exact * (SPIN * step).powi(order),
            because: "(ωh)ᵖ of the way with the order p",
        };
        rows.push(form.row(run.command()));
        series.push(Series::new(stepper.name(), seen));
    }
    series.push(Series::new("closed form, mean", [[0.0, 0.0], [until, exact]]));
    let figure = Figure {
        name: "top".into(),
        title: "Precession of a top".into(),
        x: "time [s]".into(),
        y: "azimuth [rad]".into(),
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, figures: vec![figure], ..Outcome::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quadrature_has_converged_to_the_reduced_equations_of_the_top() {
        // θ̈ = sin θ (g m l/I) + φ̇ sin θ (φ̇ cos θ − a), φ̇ = a (u₀ − u)/(1 − u²), by RK4 over a nutation: θ̇ is zero again, φ is the angle.
        let (along, across) = (0.3 * RADIUS * RADIUS, 0.15 * RADIUS * RADIUS + 0.6 * HEIGHT * HEIGHT);
        let (a, gravity) = (along * SPIN / across, 9.81 * 0.75 * HEIGHT / across);
        let precession = |theta: f64| a * (TILT.cos() - theta.cos()) / theta.sin().powi(2);
        let slope = |[theta, rate, _]: [f64; 3]| {
            let phi = precession(theta);
            [rate, theta.sin() * (gravity + phi * (phi * theta.cos() - a)), phi]
        };
        let [period, angle] = nutation();
        let (mut y, steps) = ([TILT, 0.0, 0.0], 20_000);
        let h = period / f64::from(steps);
        let add = |y: [f64; 3], k: [f64; 3], by: f64| -> [f64; 3] { std::array::from_fn(|i| y[i] + by * k[i]) };
        for _ in 0..steps {
            let k1 = slope(y);
            let k2 = slope(add(y, k1, 0.5 * h));
            let k3 = slope(add(y, k2, 0.5 * h));
            let k4 = slope(add(y, k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        assert!(
            (y[0] - TILT).abs() < 1e-9 && y[1].abs() < 1e-6 && (y[2] - angle).abs() < 1e-9,
            "{y:?} {period} {angle}"
        );
    }
}

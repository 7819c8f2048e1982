//! TS-2: numerical dissipation, measured on an oscillator against the closed form.

mod characteristic;
mod recurrence;

use super::steppers::label;
use crate::rules::reproduce;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use characteristic::spectral_radius;
use recurrence::largest_factor;
use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Mat3, Model, Settings, Simulation, Stepper, Vec3};
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-2",
    title: "Numerical dissipation against α and ρ∞",
    source: "notes on time-steppers",
    description: "The factor by which one step shrinks an oscillation (spectral radius) against the step over the period, h/T. Measured: a mass \
                  on a spring is stepped and the factor read off the recurrence its places obey. Closed form: the largest root of the \
                  characteristic polynomial, with coefficients that share no code with the steppers.",
    seconds: [0.6, 2.8],
    run,
};

/// ωh from … to, in powers of ten.
const DECADES: [f64; 2] = [-2.0, 3.0];
/// Samples the recurrence is read off.
const SAMPLES: usize = 10;
/// s; ω is what is varied.
const STEP: f64 = 0.01;
/// Measured and closed form may differ by so much: Newton's method ends at 1e-11 and the recurrence loses four digits.
const SAME: f64 = 1e-6;
/// The factor at ωh = 1000 may differ from its limit by so much: a triple root comes to its limit as (ωh)^(−2/3) = 0.01.
const AT_LIMIT: f64 = 0.02;

fn steppers() -> Vec<Stepper> {
    let newmark = [(0.25, 0.5), (0.3025, 0.6), (0.5625, 1.0)].map(|(beta, gamma)| Stepper::Newmark { beta, gamma });
    let hht = [0.0, -0.1, -0.2, -1.0 / 3.0].map(|alpha| Stepper::Hht { alpha });
    let generalised = [0.0, 0.5, 0.8, 1.0].map(|rho| Stepper::GeneralisedAlpha { rho });
    [&[Stepper::ImplicitEuler, Stepper::Trapezoidal][..], &newmark, &hht, &generalised].concat()
}

/// The factor for infinitely long steps in closed form.
fn limit(stepper: &Stepper) -> Option<(&'static str, f64)> {
    match *stepper {
        Stepper::ImplicitEuler => Some(("0", 0.0)),
        Stepper::Trapezoidal => Some(("1: no damping", 1.0)),
        Stepper::Newmark { gamma: 0.5, .. } => Some(("1: no damping for γ = 1/2", 1.0)),
        // β = ¼(γ + ½)²: both roots are (γ − 3/2)/(γ + ½).
        Stepper::Newmark { gamma, .. } => Some(("(3/2 − γ)/(γ + 1/2)", (1.5 - gamma).abs() / (gamma + 0.5))),
        Stepper::Hht { alpha } => Some(("(1 + α)/(1 − α)", (1.0 + alpha) / (1.0 - alpha))),
        Stepper::GeneralisedAlpha { rho } => Some(("ρ∞", rho)),
        _ => None,
    }
}

/// So many values of ωh, evenly in their logarithm.
fn frequencies(count: usize) -> impl Iterator<Item = f64> {
    let [low, high] = DECADES;
    (0..count).map(move |k| 10.0_f64.powf(low + (high - low) * k as f64 / (count - 1) as f64))
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "dissipation",
        "Factor by which a step shrinks an oscillator",
        &["stepper", "omega h", "h/T", "measured", "closed form"],
    );
    let (mut rows, mut series, mut measured_points) = (Vec::new(), Vec::new(), Vec::new());
    for stepper in steppers() {
        let name = label(&stepper);
        context.at(&name)?;
        let closed = |omega_h: f64| spectral_radius(&stepper, omega_h).unwrap_or(f64::NAN);
        let (mut worst, mut last) = (0.0_f64, f64::NAN);
        for omega_h in frequencies(context.choose(11, 26)) {
            let measured = measure(stepper, omega_h)?;
            let form = closed(omega_h);
            // A number that is none stays: max would lose it.
            worst = if (measured - form).abs() <= worst { worst } else { (measured - form).abs() };
            last = measured;
            measured_points.push([omega_h / TAU, measured]);
            // Interrupts the line: these are dots.
            measured_points.push([f64::NAN, f64::NAN]);
            table.push(vec![
                name.as_str().into(),
                omega_h.into(),
                (omega_h / TAU).into(),
                measured.into(),
                form.into(),
            ]);
        }
        rows.push(Row {
            quantity: format!("{name}: spectral radius over 0.0016 ≤ h/T ≤ 159"),
            published: "root of the characteristic polynomial".into(),
            ours: format!("differs by at most {worst:.1e}"),
            ratio: None,
            verdict: Verdict::holds(worst <= SAME),
            command: reproduce(context, "TS-2"),
            note: format!("Asked: within {SAME:.0e}."),
        });
        if let Some((formula, limit)) = limit(&stepper) {
            rows.push(Row {
                quantity: format!("{name}: spectral radius for long steps"),
                published: format!("{formula} = {limit:.3}"),
                ours: format!("{last:.3} at h/T = 159"),
                ratio: (limit > 0.0).then_some(last / limit),
                verdict: Verdict::holds((last - limit).abs() <= AT_LIMIT),
                command: reproduce(context, "TS-2"),
                note: format!("Asked: within {AT_LIMIT}; a triple root (ρ∞ = 0) comes to its limit as (ωh)^(−2/3), which is 0.01 here."),
            });
        }
        series.push(Series::new(&name, frequencies(300).map(|omega_h| [omega_h / TAU, closed(omega_h)])));
    }
    series.push(Series::new("measured", measured_points).with_dots());
    let figure = Figure {
        name: "dissipation".into(),
        title: "What a step leaves of an oscillation (lines: closed form, dots: measured)".into(),
        x: "h/T, steps over the period".into(),
        y: "spectral radius".into(),
        log: [true, false],
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}

/// A mass on a spring without rest length moves along x; of its places the recurrence tells the factor. Slow oscillations are looked
/// at about once a radian.
fn measure(stepper: Stepper, omega_h: f64) -> Result<f64> {
    let omega = omega_h / STEP;
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let mass = model.body(Body::new("mass", 1.0, Mat3::IDENTITY).at(Vec3::X));
    model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], omega * omega, 0.0, 0.0));
    let mut simulation = Simulation::new(model.build()?, Settings { step: STEP, stepper, ..Settings::default() })?;
    let every = (1.0 / omega_h).round().max(1.0) as i32;
    let mut places = vec![simulation.state().poses[mass.index()].position.x];
    // Newton's method ends at 1e-11: what is below 1e-6 no longer has the digits to tell.
    while places.len() < SAMPLES && places.last().is_some_and(|x| x.abs() > 1e-6 || places.len() < 4) {
        for _ in 0..every {
            simulation.step()?;
        }
        places.push(simulation.state().poses[mass.index()].position.x);
    }
    Ok(largest_factor(&places).map_or(f64::NAN, |factor| factor.powf(1.0 / f64::from(every))))
}

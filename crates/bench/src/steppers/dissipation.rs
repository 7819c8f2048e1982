//! Spectral radius against ωh: measured on an oscillator, and the closed form.

use super::characteristic::spectral_radius;
use super::recurrence::largest_factor;
use super::{Sheet, label};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Mat3, Model, Settings, Simulation, Stepper, Vec3};
use signorini_plot::{Axis, Curve, Plot};

/// ωh from … to, in powers of ten.
const DECADES: [f64; 2] = [-2.0, 3.0];
/// Samples the recurrence is read off.
const SAMPLES: usize = 10;
/// s; ω is what is varied.
const STEP: f64 = 0.01;

fn steppers() -> Vec<Stepper> {
    let hht = [0.0, -0.1, -0.2, -1.0 / 3.0].map(|alpha| Stepper::Hht { alpha });
    let generalised = [0.0, 0.5, 0.8, 1.0].map(|rho| Stepper::GeneralisedAlpha { rho });
    [&[Stepper::ImplicitEuler, Stepper::Trapezoidal][..], &hht, &generalised].concat()
}

/// So many values of ωh, evenly in their logarithm.
fn frequencies(count: usize) -> impl Iterator<Item = f64> {
    let [low, high] = DECADES;
    (0..count).map(move |k| 10.0_f64.powf(low + (high - low) * k as f64 / (count - 1) as f64))
}

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut all = Table::new(&["stepper", "omega h", "measured", "closed form"]);
    let mut short = Table::new(&["stepper", "ωh = 0.01", "0.1", "1", "10", "1000", "measured - closed form, largest"]);
    let mut curves = Vec::new();
    for (style, stepper) in steppers().into_iter().enumerate() {
        let name = label(&stepper);
        let closed = |omega_h: f64| spectral_radius(&stepper, omega_h).unwrap_or(f64::NAN);
        let (mut dots, mut worst) = (Vec::new(), 0.0_f64);
        for omega_h in frequencies(if sheet.is_quick() { 6 } else { 26 }) {
            let measured = measure(stepper, omega_h)?;
            let form = closed(omega_h);
            worst = worst.max((measured - form).abs());
            dots.push([omega_h, measured]);
            let row = [omega_h, measured, form].map(Value::Exact);
            all.push([vec![Value::text(&name)], row.to_vec()].concat());
        }
        let mut row = vec![Value::text(&name)];
        row.extend([0.01, 0.1, 1.0, 10.0, 1000.0].map(|omega_h| Value::Exact(closed(omega_h))));
        row.push(Value::Small(worst));
        short.push(row);
        let points = frequencies(300).map(|omega_h| [omega_h, closed(omega_h)]).collect();
        curves.push(Curve { dots, ..Curve::new(&name, style, points) });
    }
    sheet.table("Factor by which a step shrinks an oscillator (closed form)", "dissipation-summary", &short)?;
    sheet.keep("dissipation", &all)?;
    sheet.picture(
        "dissipation",
        &Plot {
            title: "What a step leaves of an oscillation (lines: closed form, dots: measured)".into(),
            x: Axis::logarithmic("ωh, radians a step"),
            y: Axis::linear("spectral radius").within([0.0, 1.0]),
            curves,
            legend: true,
            size: [760.0, 400.0],
            ..Plot::default()
        },
    )
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

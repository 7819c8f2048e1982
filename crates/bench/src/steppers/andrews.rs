//! Andrews' squeezer: error at t = 0.03 s against the published state, steps and processor time.

use super::order_cases::andrews;
use super::{Sheet, label, settings};
use crate::simulate::cpu;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Newton, Settings, Simulation, Stepper};
use signorini_plot::{Axis, Curve, Plot};

const END: f64 = 0.03;
/// Of Newton's method, where steps are short.
const TIGHT: f64 = 1e-14;

/// What is asked: within 2000 steps, and with small steps.
const ASKED: [(f64, usize); 2] = [(1e-6, 2000), (1e-9, usize::MAX)];

/// One stepper with the intervals it is tried with; with extrapolation every interval is three steps.
struct Series {
    stepper: Stepper,
    extrapolate: bool,
    /// Of Newton's method: what it leaves of every step adds up, the more the shorter steps are.
    tolerance: f64,
    intervals: &'static [u32],
}

fn series() -> Vec<Series> {
    let generalised = Stepper::GeneralisedAlpha { rho: 0.9 };
    let of = |stepper, extrapolate, intervals| Series { stepper, extrapolate, tolerance: 1e-11, intervals };
    let tight = |extrapolate, intervals| Series { stepper: generalised, extrapolate, tolerance: TIGHT, intervals };
    vec![
        of(generalised, false, &[1000, 2000, 4000, 8000, 32_000]),
        of(generalised, true, &[333, 666, 1332, 2700]),
        tight(false, &[8000, 32_000, 300_000]),
        tight(true, &[666, 1332, 2700, 4000]),
        of(Stepper::Hht { alpha: -0.1 }, false, &[1000, 2000, 4000, 8000, 32_000]),
        of(Stepper::Rk4, false, &[333, 500, 1000, 2000, 4000, 8000]),
        of(Stepper::Trapezoidal, false, &[1000, 2000, 4000, 8000, 32_000]),
        of(Stepper::ImplicitEuler, false, &[2000, 8000, 32_000]),
        of(Stepper::DviEuler, false, &[2000, 8000, 32_000]),
        of(Stepper::DviRattle, false, &[2000, 8000, 32_000]),
    ]
}

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table =
        Table::new(&["stepper", "intervals", "steps", "error", "cpu", "cpu a step", "newton iterations a step"]);
    let mut curves = Vec::new();
    let mut found = Vec::new();
    for (style, Series { stepper, extrapolate, tolerance, intervals }) in series().into_iter().enumerate() {
        let name = format!("{}{}", label(&stepper), if extrapolate { ", extrapolated" } else { "" });
        let name = if tolerance == TIGHT { format!("{name}, newton {TIGHT:e}") } else { name };
        let mut points = Vec::new();
        // One is enough to see that it works.
        for &intervals in &intervals[..if sheet.is_quick() { 1 } else { intervals.len() }] {
            let newton = Newton { tolerance, ..Newton::default() };
            let settings = Settings { extrapolate, newton, ..settings(stepper, END / f64::from(intervals)) };
            let mut simulation = Simulation::new(andrews::model(), settings)?;
            let (before, mut iterations) = (cpu::seconds(), 0);
            let outcome = (0..intervals).try_for_each(|_| {
                iterations += simulation.step()?.iterations;
                Ok::<_, signorini_mechanics::StepError>(())
            });
            let time = cpu::seconds().zip(before).map_or(f64::NAN, |(after, before)| after - before);
            let steps = intervals as usize * if extrapolate { 3 } else { 1 };
            let error = if outcome.is_ok() { andrews::error(simulation.state()) } else { f64::INFINITY };
            points.push([steps as f64, error]);
            found.push((stepper, steps, error));
            table.push(vec![
                Value::text(&name),
                Value::Count(intervals as usize),
                Value::Count(steps),
                if error.is_finite() { Value::Small(error) } else { Value::Missing },
                Value::Seconds(time),
                Value::Seconds(time / steps as f64),
                Value::Ratio(f64::from(iterations) / steps as f64),
            ]);
        }
        points.retain(|point| point[1].is_finite());
        curves.push(Curve { dots: points.clone(), ..Curve::new(&name, style, points) });
    }
    sheet.table("Andrews' squeezer at 0.03 s: largest error of an angle over max(1, |angle|)", "andrews", &table)?;
    for (error, most) in ASKED {
        let best = found
            .iter()
            .filter(|(stepper, steps, _)| matches!(stepper, Stepper::GeneralisedAlpha { .. }) && *steps <= most)
            .map(|(_, steps, error)| (*error, *steps))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((least, steps)) = best.filter(|_| !sheet.is_quick()) {
            let verdict = if least <= error { "holds" } else { "FAILS" };
            let within = if most == usize::MAX { String::new() } else { format!(" within {most} steps") };
            println!("{verdict}: {error:e} with generalised-alpha{within}: {least:.1e} with {steps}");
        }
    }
    sheet.picture(
        "andrews",
        &Plot {
            title: "Andrews' squeezer at 0.03 s".into(),
            x: Axis::logarithmic("steps (three an interval with extrapolation)"),
            y: Axis::logarithmic("error of angles, relative"),
            curves,
            legend: true,
            size: [760.0, 380.0],
            ..Plot::default()
        },
    )
}

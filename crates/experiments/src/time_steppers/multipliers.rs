//! TS-3: the force of a joint against time: without damping it oscillates about the true one.

use super::motions::heavy_top;
use super::steppers::label;
use crate::rules::reproduce;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::{Settings, Simulation, Stepper};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-3",
    title: "Multipliers of the trapezoidal rule oscillate, those of HHT and generalised-α do not",
    source: "notes on time-steppers",
    description: "The force of a ball joint on a heavy asymmetric body, against the exact force (Euler's equations by RK4). Oscillation is the mean \
                  |second difference| of the force less that of the exact one: four times the amplitude of a zigzag.",
    seconds: [1.9, 18.0],
    run,
};

/// s.
const STEP: f64 = 0.02;
const SECONDS: f64 = 1.2;
/// A force whose oscillation is below this share of its mean is smooth.
const SMOOTH: f64 = 0.05;

/// What the notes say of the multipliers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Oscillate,
    Smooth,
}

fn steppers() -> [(Stepper, Said); 6] {
    [
        (Stepper::Trapezoidal, Said::Oscillate),
        (Stepper::Hht { alpha: -0.1 }, Said::Smooth),
        (Stepper::Hht { alpha: -1.0 / 3.0 }, Said::Smooth),
        (Stepper::GeneralisedAlpha { rho: 0.5 }, Said::Smooth),
        (Stepper::GeneralisedAlpha { rho: 0.8 }, Said::Smooth),
        (Stepper::GeneralisedAlpha { rho: 1.0 }, Said::Smooth),
    ]
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "multipliers",
        "Force of a ball joint in 1.2 s: mean |second difference| less that of the exact force",
        &["stepper", "step [s]", "oscillation [N]", "largest error [N]", "mean exact force [N]"],
    );
    let halvings: u32 = context.choose(2, 4);
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for (stepper, said) in steppers() {
        let name = label(&stepper);
        let mut shares = Vec::new();
        for halving in 0..halvings {
            let step = STEP / f64::from(1 << halving);
            context.at(&format!("{name}, h = {step} s"))?;
            let exact = exact_forces(step);
            let found = forces(stepper, step)?;
            let error = found.iter().zip(&exact).fold(0.0_f64, |m, (found, exact)| m.max((found - exact).abs()));
            let mean = exact.iter().sum::<f64>() / exact.len() as f64;
            let oscillation = roughness(&found) - roughness(&exact);
            table.push(vec![name.as_str().into(), step.into(), oscillation.into(), error.into(), mean.into()]);
            shares.push(oscillation / mean);
            if halving == 0 {
                if series.is_empty() {
                    series.push(Series::new("exact", timed(&exact, step)));
                }
                series.push(Series::new(&name, timed(&found, step)));
            }
        }
        rows.push(row(context, &stepper, said, &shares));
    }
    let figure = Figure {
        name: "multipliers".into(),
        title: format!("Force of a ball joint, h = {STEP} s"),
        x: "time [s]".into(),
        y: "|force| [N]".into(),
        series,
        ..Figure::default()
    };
    let notes = vec![format!("Smooth: oscillation below {SMOOTH} of the mean force, with every step.")];
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], notes })
}

/// Oscillation over mean force, with every step; the first is the longest.
fn row(context: &Context<'_>, stepper: &Stepper, said: Said, shares: &[f64]) -> Row {
    let is_smooth = shares.iter().all(|share| *share < SMOOTH);
    let shown: Vec<String> = shares.iter().map(|share| format!("{share:.3}")).collect();
    let verdict = verdict(said, shares);
    let note = match (said, is_smooth, stepper) {
        (Said::Smooth, false, Stepper::GeneralisedAlpha { rho }) if *rho == 1.0 => {
            "The notes say that ρ∞ = 1 has no dissipation and yet smooth reactions. Ψ⁺ = 0 at every step makes ρ∞ its factor for joint forces: with \
             ρ∞ = 1 what the start leaves in them stays for ever. Any ρ∞ < 1 removes it."
        }
        (Said::Smooth, false, _) => "More than the share that counts as smooth.",
        _ => "",
    };
    Row {
        quantity: format!("{}: oscillation over mean force, h = 0.02 s and halves of it", label(stepper)),
        published: match said {
            Said::Oscillate => "oscillatory reactions",
            Said::Smooth => "no oscillation",
        }
        .into(),
        ours: shown.join(", "),
        ratio: None,
        verdict,
        command: reproduce(context, "TS-3"),
        note: note.into(),
    }
}

/// Smooth is smooth with every step; an oscillation is one that shorter steps do not remove.
fn verdict(said: Said, shares: &[f64]) -> Verdict {
    Verdict::holds(match said {
        Said::Smooth => shares.iter().all(|share| *share < SMOOTH),
        Said::Oscillate => shares.iter().all(|share| *share > SMOOTH),
    })
}

fn steps(step: f64) -> u32 {
    (SECONDS / step).round() as u32
}

fn exact_forces(step: f64) -> Vec<f64> {
    (1..=steps(step)).map(|k| size(&heavy_top::exact(f64::from(k) * step)[2])).collect()
}

fn forces(stepper: Stepper, step: f64) -> Result<Vec<f64>> {
    let mut simulation = Simulation::new(heavy_top::model(), Settings { step, stepper, ..Settings::default() })?;
    (0..steps(step))
        .map(|_| {
            simulation.step()?;
            Ok(size(&simulation.joint_forces(0).unwrap_or_default()))
        })
        .collect()
}

fn timed(forces: &[f64], step: f64) -> impl Iterator<Item = [f64; 2]> {
    forces.iter().enumerate().map(move |(k, force)| [(k + 1) as f64 * step, *force])
}

fn size(force: &[f64]) -> f64 {
    force.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Mean |x_{n+1} − 2x_n + x_{n−1}|: four times the amplitude of a zigzag, h² times the curvature of what is smooth.
fn roughness(sequence: &[f64]) -> f64 {
    let second = sequence.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs());
    second.sum::<f64>() / sequence.len().saturating_sub(2).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_smooth_and_a_zigzag_has_four_times_its_amplitude() {
        assert_eq!(roughness(&[1.0, 2.0, 3.0, 4.0]), 0.0);
        assert_eq!(roughness(&[1.0, -1.0, 1.0, -1.0]), 4.0);
    }

    #[test]
    fn an_oscillation_that_one_step_removes_is_none_and_no_number_is_neither() {
        assert_eq!(verdict(Said::Oscillate, &[0.9, 0.8]), Verdict::AtPublished);
        assert_eq!(verdict(Said::Oscillate, &[0.9, 0.01]), Verdict::Short);
        assert_eq!(verdict(Said::Smooth, &[0.01, 0.002]), Verdict::AtPublished);
        assert_eq!(verdict(Said::Smooth, &[0.01, 0.2]), Verdict::Short);
        assert_eq!(verdict(Said::Smooth, &[f64::NAN]), Verdict::Short);
        assert_eq!(verdict(Said::Oscillate, &[f64::NAN]), Verdict::Short);
    }
}

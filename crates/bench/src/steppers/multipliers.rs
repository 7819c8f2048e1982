//! The force of a ball joint against time: without damping it oscillates about the true one.

use super::order_cases::heavy_top;
use super::{Sheet, label};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Settings, Simulation, Stepper};
use signorini_plot::{Axis, Curve, Plot};

const STEP: f64 = 0.02;
const STEPS: u32 = 60;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&["stepper", "oscillation [N]", "largest error [N]", "force, largest [N]"]);
    let exact: Vec<f64> = (1..=STEPS).map(|k| size(&heavy_top::exact(f64::from(k) * STEP)[2])).collect();
    let times = || (1..=STEPS).map(|k| f64::from(k) * STEP);
    let curve = |name: &str, style: usize, forces: &[f64]| {
        Curve::new(name, style, times().zip(forces).map(|(t, force)| [t, *force]).collect())
    };
    let mut curves = vec![curve("exact", 30, &exact)];
    let steppers = [Stepper::Trapezoidal, Stepper::Hht { alpha: -0.1 }, Stepper::GeneralisedAlpha { rho: 0.8 }];
    for (style, stepper) in steppers.into_iter().enumerate() {
        let settings = Settings { step: STEP, stepper, ..Settings::default() };
        let mut simulation = Simulation::new(heavy_top::model(), settings)?;
        let mut forces = Vec::new();
        for _ in 0..STEPS {
            simulation.step()?;
            forces.push(size(&simulation.joint_forces(0).unwrap_or_default()));
        }
        let error = forces.iter().zip(&exact).fold(0.0_f64, |m, (found, exact)| m.max((found - exact).abs()));
        table.push(vec![
            Value::text(label(&stepper)),
            Value::Small(roughness(&forces) - roughness(&exact)),
            Value::Small(error),
            Value::Ratio(forces.iter().copied().fold(0.0, f64::max)),
        ]);
        curves.push(curve(&label(&stepper), style, &forces));
    }
    sheet.table(
        "Force of a ball joint, h = 0.02 s, 1.2 s: mean |second difference| less that of the exact force",
        "multipliers",
        &table,
    )?;
    sheet.picture(
        "multipliers",
        &Plot {
            title: "Force of a ball joint, h = 0.02 s".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("|force| [N]"),
            curves,
            legend: true,
            size: [760.0, 340.0],
            ..Plot::default()
        },
    )
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
}

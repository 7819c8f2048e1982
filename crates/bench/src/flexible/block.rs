//! A soft block falling onto balls: its energy never grows, and it overlaps no more than asked.

use super::{Sheet, scene};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Energy, Settings, Simulation};
use signorini_solver::Tolerance;
use std::time::Instant;

const TEXT: &str = include_str!("../../../scene/gallery/falling-elastic-block.toml");
/// Overlap allowed, as a share of an element.
const SHARE: f64 = 1e-6;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&[
        "h [s]",
        "contact-tolerance / element",
        "steps",
        "not converged",
        "overlap / element",
        "largest gain of energy in a step / fall",
        "seconds a step",
    ]);
    let steps: &[f64] = if sheet.is_quick() { &[0.005] } else { &[0.01, 0.005, 0.0025, 0.001] };
    for &h in steps {
        for share in [None, Some(SHARE)] {
            let scene = scene("falling-elastic-block", TEXT, &[])?;
            let parameter =
                |name: &str| scene.parameters.iter().find(|(own, _)| own == name).map_or(f64::NAN, |(_, x)| *x);
            let element = parameter("side") / parameter("cells");
            let mass: f64 = scene.model.node_masses().iter().sum();
            let fall = mass * scene.model.gravity().length() * parameter("height");
            let contact_tolerance = share.map(|share| share * element);
            let tolerance = Some(Tolerance::Velocity(1e-8));
            let mut simulation =
                Simulation::new(scene.model, Settings { step: h, tolerance, contact_tolerance, ..scene.settings })?;
            let mut energy = Energy::of(simulation.model(), simulation.state()).total();
            let (mut gain, mut overlap, mut missed) = (f64::NEG_INFINITY, 0.0_f64, 0);
            let count = (if sheet.is_quick() { 0.2 } else { 1.0 } / h).round() as usize;
            let started = Instant::now();
            for _ in 0..count {
                let report = simulation.step()?;
                missed += usize::from(!report.converged());
                gain = gain.max(report.energy.total() - energy);
                energy = report.energy.total();
                overlap = overlap.max(report.penetration);
            }
            table.push(vec![
                Value::Ratio(h),
                share.map_or(Value::Missing, Value::Small),
                Value::Count(count),
                Value::Count(missed),
                Value::Small(overlap / element),
                Value::Small(gain / fall),
                Value::Seconds(started.elapsed().as_secs_f64() / count as f64),
            ]);
        }
    }
    sheet.table("A soft block falls onto four balls", "block", &table)
}

//! Mechanisms that pass singular places or have redundant joints, for ten seconds.

use super::Sheet;
use super::drift::EnergyDrift;
use super::scenes::Gallery;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Settings, Simulation, Stepper};
use std::time::Instant;

const STEP: f64 = 1e-3;
const SECONDS: f64 = 10.0;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&[
        "mechanism",
        "bodies",
        "steps",
        "energy drift / largest |E|",
        "energy drift / largest kinetic",
        "violation [m]",
        "newton iterations a step",
        "factorisations a step",
        "steps in parts",
        "wall time",
    ]);
    let cases = [
        ("n-four-bar, 2 windows", Gallery::NFourBar, Some(("windows", "2"))),
        ("n-four-bar, 40 windows", Gallery::NFourBar, Some(("windows", "40"))),
        ("bricard", Gallery::Bricard, None),
    ];
    let steps = (if sheet.is_quick() { 0.01 } else { 1.0 } * SECONDS / STEP) as u32;
    for (name, scene, set) in cases {
        let stepper = Stepper::GeneralisedAlpha { rho: 0.8 };
        let mut simulation =
            Simulation::new(scene.model(set.as_slice())?, Settings { step: STEP, stepper, ..Settings::default() })?;
        let mut drift = EnergyDrift::of(&simulation);
        let (mut violation, mut iterations, mut factorisations, mut parts) = (0.0_f64, 0, 0, 0);
        let started = Instant::now();
        for _ in 0..steps {
            let report = simulation.step()?;
            drift.see(&report.energy);
            violation = violation.max(report.joint_violation);
            iterations += report.iterations;
            factorisations += report.factorisations;
            parts += usize::from(report.rounds > 0);
        }
        let a_step = |count: u32| Value::Ratio(f64::from(count) / f64::from(steps));
        table.push(vec![
            Value::text(name),
            Value::Count(simulation.model().moving()),
            Value::Count(steps as usize),
            Value::Small(drift.largest / drift.total),
            Value::Small(drift.relative()),
            Value::Small(violation),
            a_step(iterations),
            a_step(factorisations),
            Value::Count(parts),
            Value::Seconds(started.elapsed().as_secs_f64()),
        ]);
    }
    sheet.table("Mechanisms: generalised-alpha, rho 0.8, h = 1 ms (10 s unless --quick)", "mechanisms", &table)
}

//! One step of three-point bending by all methods: how far apart their velocities are.

use super::{BENDING, Sheet, scene};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Settings, Simulation};
use signorini_solver::{ConeProblem, FrictionLaw, Method, SolverSettings, Tolerance, solve};
use std::time::Instant;

/// Steps taken before the problem is kept.
const BEFORE: usize = 3;
/// Residuals asked for, relative.
const TOLERANCES: [f64; 2] = [1e-4, 1e-8];
/// Seconds a method may take.
const LIMIT: f64 = 20.0;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let width = if sheet.is_quick() { 1 } else { 4 };
    let scene = scene("three-point-bending", BENDING, &[("width", width.to_string())])?;
    let mut simulation = Simulation::new(scene.model, Settings { step: 0.05, ..scene.settings })?;
    for _ in 0..BEFORE {
        simulation.step()?;
    }
    let problem = simulation.problem()?;
    println!("{} velocities, {} rows, {} contacts", problem.velocities(), problem.row_count(), problem.contacts());
    let columns = ["asked", "method", "status", "iterations", "time", "residual [m/s]", "difference [m/s]"];
    let mut table = Table::new(&columns);
    for tolerance in TOLERANCES {
        race(&problem, tolerance, &mut table);
    }
    sheet.table(
        "One step of three-point bending, all methods: largest difference of velocities from the first",
        "agreement",
        &table,
    )
}

/// Solves a problem by all methods and prints how far apart their answers are.
fn race(problem: &ConeProblem, tolerance: f64, table: &mut Table) {
    let mut answers: Vec<(&str, Vec<f64>)> = Vec::new();
    for method in Method::all() {
        let name = method.name();
        let settings = SolverSettings {
            tolerance: Tolerance::Relative(tolerance),
            friction: FrictionLaw::Relaxed,
            time_limit: Some(LIMIT),
            ..SolverSettings::from(method)
        };
        let started = Instant::now();
        let mut row = vec![Value::Small(tolerance), Value::text(name)];
        match solve(problem, &settings) {
            Err(error) => {
                // Which methods could is another question.
                let text = error.to_string();
                row.push(Value::text(text.split(';').next().unwrap_or_default()));
                row.extend(std::iter::repeat_n(Value::Missing, 4));
            }
            Ok(solution) => {
                let seconds = started.elapsed().as_secs_f64();
                let velocity = solution.velocity().to_vec();
                let report = &solution.report;
                let apart = answers.first().map(|(_, first)| distance(first, &velocity));
                row.extend([
                    Value::text(report.status.to_string()),
                    Value::Count(report.iterations as usize),
                    Value::Seconds(seconds),
                    Value::Small(report.residuals.natural_map),
                    apart.map_or(Value::Missing, Value::Small),
                ]);
                if report.status == signorini_solver::Status::Converged {
                    answers.push((name, velocity));
                }
            }
        }
        table.push(row);
    }
    println!("asked for {tolerance:.0e}: largest difference of velocities of every two that reach it [m/s]");
    for (name, own) in &answers {
        let differences: Vec<String> =
            answers.iter().map(|(_, other)| format!("{:8.1e}", distance(own, other))).collect();
        println!("{name:>24} {}", differences.join(" "));
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

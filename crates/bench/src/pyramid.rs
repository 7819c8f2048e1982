//! The methods of the QP paper on one pyramid problem (PB-4: 1000 pebbles, three facets): interior point in its two forms,
//! projected quasi-Newton, trust-region Newton, and projected Jacobi, all to the same residual.

use crate::our_run;
use crate::table::{Table, Value};
use anyhow::{Context, Result};
use signorini_solver::family::SpherePacking;
use signorini_solver::{Blmvm, InteriorPoint, Jacobi, KktForm, Method, Tron};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of spheres
    #[arg(long, default_value_t = 1000)]
    bodies: usize,
    /// Coefficient of friction
    #[arg(long, default_value_t = 0.3)]
    friction: f64,
    /// Facets of the friction pyramids
    #[arg(long, default_value_t = 3)]
    facets: u32,
    /// The residual to reach, `natural_map_relative` of the pyramid law
    #[arg(long, default_value_t = 1e-6)]
    tol: f64,
    /// Most seconds a method
    #[arg(long, default_value_t = 120.0)]
    time_limit: f64,
    /// The best of so many runs is taken
    #[arg(long, default_value_t = 1)]
    repeat: usize,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The methods with what the paper used in their place.
fn methods() -> [(Method, &'static str); 5] {
    let interior = |kkt| InteriorPoint { kkt, polish: false, ..InteriorPoint::default() }.into();
    [
        (interior(KktForm::Reduced), "OOQP-CHOL"),
        (interior(KktForm::QuasiDefinite), "OOQP-MA27"),
        (Blmvm::default().into(), "BLMVM"),
        (Tron::default().into(), "TRON"),
        (Jacobi::default().into(), ""),
    ]
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let columns = [
        "method",
        "form",
        "paper",
        "velocities",
        "multipliers",
        "iterations",
        "status",
        "residual",
        "time",
        "set-up",
        "an iteration",
    ];
    let mut table = Table::new(&columns);
    let packing = SpherePacking { bodies: arguments.bodies, friction: arguments.friction, ..SpherePacking::default() };
    let problem = packing.problem().context("the packing")?;
    let multipliers = problem.with_pyramids(arguments.facets)?.problem().row_count();
    for (method, paper) in methods() {
        let name = method.name();
        let mut settings = our_run::with(method, arguments.tol).with_facets(arguments.facets);
        settings.time_limit = Some(arguments.time_limit);
        let run = our_run::fastest(&problem, &settings, arguments.repeat)?;
        let iterations = run.report.iterations;
        table.push(vec![
            Value::text(name),
            run.report.kkt.map_or(Value::Missing, Value::text),
            if paper.is_empty() { Value::Missing } else { Value::text(paper) },
            Value::Count(problem.velocities()),
            Value::Count(multipliers),
            Value::Count(iterations as usize),
            Value::text(run.report.status.name()),
            Value::Small(run.residual()),
            Value::Seconds(run.seconds),
            Value::Seconds(run.report.timings.setup),
            Value::Seconds(run.report.timings.iterations / f64::from(iterations.max(1))),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}

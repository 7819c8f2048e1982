//! A picture of all methods on one packing: residual against time, as SVG.

use anyhow::{Context, Result};
use signorini_plot::{Axis, Curve, Plot, Rule};
use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{Method, SolveError, SolverSettings, Status, Tolerance, solve};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where the picture is written
    #[arg(long, value_name = "FILE", default_value = "docs/compare.svg")]
    svg: PathBuf,
    /// Spheres in the packing
    #[arg(long, value_name = "N", default_value_t = 300)]
    bodies: usize,
    /// Residual each method is asked for
    #[arg(long, value_name = "X", default_value_t = 1e-8)]
    tol: f64,
    /// Most seconds a method
    #[arg(long, value_name = "S", default_value_t = 3.0)]
    time_limit: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let packing = SpherePacking { bodies: arguments.bodies, gaps: Gaps::Loosened, ..SpherePacking::default() };
    let problem = packing.problem()?;
    let mut curves = Vec::new();
    for (style, method) in Method::all().into_iter().enumerate() {
        let name = method.name();
        let settings = SolverSettings {
            tolerance: Tolerance::Relative(arguments.tol),
            time_limit: Some(arguments.time_limit),
            history: true,
            ..method.into()
        };
        let report = match solve(&problem, &settings) {
            Ok(solution) => solution.report,
            Err(SolveError::NotAccepted { .. }) => continue,
            Err(error) => return Err(error).context(name),
        };
        let points: Vec<[f64; 2]> =
            report.history.iter().map(|entry| [entry.seconds, entry.residuals.natural_map_relative]).collect();
        let reached = points.last().filter(|_| report.status == Status::Converged);
        curves.push(Curve { dots: reached.copied().into_iter().collect(), ..Curve::new(name, style, points) });
    }
    let plot = Plot {
        title: format!("{} spheres in a box, {} contacts", arguments.bodies, problem.contacts()),
        x: Axis::logarithmic("time [s] (dots: tolerance reached)"),
        y: Axis::logarithmic("natural map, relative"),
        rules: vec![Rule { name: format!("tolerance {:e}", arguments.tol), at: arguments.tol }],
        curves,
        legend: true,
        size: [760.0, 340.0],
    };
    std::fs::write(&arguments.svg, plot.document()).with_context(|| arguments.svg.display().to_string())?;
    println!("{}", arguments.svg.display());
    Ok(())
}

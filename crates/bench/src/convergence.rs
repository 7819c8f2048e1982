//! A picture of convergence: residual against iteration, as SVG.

use anyhow::{Context, Result};
use signorini_plot::{Axis, Curve, Plot};
use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{HistoryEntry, InteriorPoint, SolverSettings, Tolerance, solve};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where the picture is written
    #[arg(long, value_name = "FILE", default_value = "docs/convergence.svg")]
    svg: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut curves = Vec::new();
    for (bodies, friction) in [(100, 0.3), (1000, 0.0), (1000, 0.3), (4000, 0.3)] {
        let packing = SpherePacking { bodies, friction, gaps: Gaps::Loosened, ..SpherePacking::default() };
        let tolerance = Tolerance::Relative(1e-13);
        let method = InteriorPoint::default().into();
        let settings = SolverSettings { method, tolerance, history: true, ..Default::default() };
        let solution = solve(&packing.problem()?, &settings)?;
        curves.push((format!("{bodies} spheres, μ = {friction}"), solution.report.history));
    }
    std::fs::write(&arguments.svg, draw(&curves).document()).with_context(|| arguments.svg.display().to_string())?;
    println!("{}", arguments.svg.display());
    Ok(())
}

fn draw(curves: &[(String, Vec<HistoryEntry>)]) -> Plot {
    let point = |entry: &HistoryEntry| [f64::from(entry.iteration), entry.residuals.natural_map_relative];
    let curves = curves.iter().enumerate().map(|(style, (name, history))| Curve {
        dots: history.iter().filter(|entry| entry.phase == "newton").map(point).collect(),
        ..Curve::new(name, style, history.iter().map(point).collect())
    });
    Plot {
        x: Axis::linear("iteration (dots: Newton)"),
        y: Axis::logarithmic("natural map, relative").within([1e-16, 10.0]),
        curves: curves.collect(),
        legend: true,
        size: [760.0, 340.0],
        ..Plot::default()
    }
}

//! A picture of convergence: residual against iteration, as SVG.

use anyhow::{Context, Result};
use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{HistoryEntry, InteriorPoint, SolverSettings, Tolerance, solve};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where the picture is written
    #[arg(long, value_name = "FILE", default_value = "docs/convergence.svg")]
    svg: PathBuf,
}

/// Size of the picture, and of the margins left, top, right, bottom.
const SIZE: [f64; 2] = [760.0, 340.0];
const MARGIN: [f64; 4] = [64.0, 16.0, 16.0, 44.0];
/// Decades shown.
const DECADES: [i32; 2] = [-16, 1];
/// Colours that differ in lightness too, with their dash patterns.
const STYLES: [(&str, &str); 4] = [("#1b4f9c", ""), ("#c2410c", "7 3"), ("#15803d", "2 3"), ("#6b21a8", "10 3 2 3")];

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
    std::fs::write(&arguments.svg, draw(&curves)?).with_context(|| arguments.svg.display().to_string())?;
    println!("{}", arguments.svg.display());
    Ok(())
}

fn draw(curves: &[(String, Vec<HistoryEntry>)]) -> Result<String> {
    let last = curves.iter().map(|(_, history)| history.len()).max().unwrap_or(1).max(2) - 1;
    let x = |iteration: u32| MARGIN[0] + (SIZE[0] - MARGIN[0] - MARGIN[2]) * f64::from(iteration) / last as f64;
    let span = f64::from(DECADES[1] - DECADES[0]);
    let y = |value: f64| {
        let decade = value.max(1e-300).log10().clamp(f64::from(DECADES[0]), f64::from(DECADES[1]));
        MARGIN[1] + (SIZE[1] - MARGIN[1] - MARGIN[3]) * (f64::from(DECADES[1]) - decade) / span
    };
    let mut out = String::new();
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12">"##,
        SIZE[0], SIZE[1]
    )?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
    for decade in (DECADES[0]..=DECADES[1]).step_by(4) {
        let at = y(10f64.powi(decade));
        writeln!(
            out,
            r##"<line x1="{}" x2="{}" y1="{at:.1}" y2="{at:.1}" stroke="#d4d4d4"/>"##,
            MARGIN[0],
            SIZE[0] - MARGIN[2]
        )?;
        writeln!(out, r##"<text x="{}" y="{:.1}" text-anchor="end">1e{decade}</text>"##, MARGIN[0] - 6.0, at + 4.0)?;
    }
    for iteration in (0..=last as u32).step_by(5) {
        writeln!(
            out,
            r##"<text x="{:.1}" y="{}" text-anchor="middle">{iteration}</text>"##,
            x(iteration),
            SIZE[1] - 26.0
        )?;
    }
    writeln!(
        out,
        r##"<text x="{}" y="{}" text-anchor="middle">iteration (dots: Newton)</text>"##,
        SIZE[0] / 2.0,
        SIZE[1] - 8.0
    )?;
    writeln!(
        out,
        r##"<text transform="translate(14 {}) rotate(-90)" text-anchor="middle">natural map, relative</text>"##,
        SIZE[1] / 2.0
    )?;
    for (k, (name, history)) in curves.iter().enumerate() {
        let (colour, dash) = STYLES[k % STYLES.len()];
        let points: Vec<String> = history
            .iter()
            .map(|entry| format!("{:.1},{:.1}", x(entry.iteration), y(entry.residuals.natural_map_relative)))
            .collect();
        writeln!(
            out,
            r##"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>"##,
            points.join(" ")
        )?;
        for entry in history.iter().filter(|entry| entry.phase == "newton") {
            let (cx, cy) = (x(entry.iteration), y(entry.residuals.natural_map_relative));
            writeln!(out, r##"<circle cx="{cx:.1}" cy="{cy:.1}" r="3.5" fill="{colour}"/>"##)?;
        }
        let row = MARGIN[1] + 16.0 + 17.0 * k as f64;
        let left = SIZE[0] - 200.0;
        writeln!(
            out,
            r##"<line x1="{left}" x2="{}" y1="{row}" y2="{row}" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>"##,
            left + 30.0
        )?;
        writeln!(out, r##"<text x="{}" y="{}">{name}</text>"##, left + 38.0, row + 4.0)?;
    }
    writeln!(out, "</svg>")?;
    Ok(out)
}

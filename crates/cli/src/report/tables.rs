//! Tables of the report.

use crate::commands::compare::matrix::{Cell, Matrix};
use crate::commands::compare::outcome::{Comparison, FileRuns, Outcome};
use crate::commands::compare::table::cells;
use signorini_plot::{escape, sample};
use std::fmt::Write;

/// What each solver did, all problems together.
pub(super) fn solvers(out: &mut String, comparison: &Comparison) {
    let mut fastest = vec![0usize; comparison.solvers.len()];
    for file in &comparison.files {
        let times = file.runs.iter().enumerate().filter_map(|(k, run)| Some((k, run.reached()?.seconds)));
        if let Some((k, _)) = times.min_by(|a, b| a.1.total_cmp(&b.1)) {
            fastest[k] += 1;
        }
    }
    out.push_str(
        "<h2 id=\"solvers\">Solvers</h2>\n<div class=\"scroll\"><table>\n<tr><th>solver</th><th>problems it takes</th>\
         <th>solved</th><th>fastest on</th><th>worst residual</th><th>answers that differ</th></tr>\n",
    );
    for (k, (name, fastest)) in comparison.solvers.iter().zip(fastest).enumerate() {
        let mut sum = Cell::default();
        comparison.files.iter().for_each(|file| sum.add(comparison, file, k));
        let worst = sum.worst.map_or_else(|| "-".into(), |worst| format!("{worst:.1e}"));
        let _ = writeln!(
            out,
            "<tr><td>{}{}</td><td>{}</td><td class=\"{}\">{}</td><td>{fastest}</td><td>{worst}</td><td class=\"{}\">{}</td></tr>",
            sample(k),
            escape(name),
            sum.accepted,
            class(&sum),
            sum.solved,
            if sum.differ > 0 { "missed" } else { "none" },
            sum.differ
        );
    }
    out.push_str("</table></div>\n");
}

/// Solver by problem.
pub(super) fn matrix(out: &mut String, comparison: &Comparison) {
    let Matrix { problems, cells } = Matrix::new(comparison);
    out.push_str(
        "<h2 id=\"matrix\">What was solved</h2>\n<p class=\"soft\">Solved of the problems the solver takes, and the worst \
         residual.</p>\n<div class=\"scroll\"><table>\n<tr><th>problem</th>",
    );
    comparison.solvers.iter().for_each(|name| {
        let _ = write!(out, "<th>{}</th>", escape(name));
    });
    out.push_str("</tr>\n");
    for (problem, cells) in problems.iter().zip(&cells) {
        let _ = write!(out, "<tr><td>{}</td>", escape(problem));
        for cell in cells {
            let _ = write!(out, "<td class=\"{}\">{}</td>", class(cell), cell.text());
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn class(cell: &Cell) -> &'static str {
    match cell {
        Cell { accepted: 0, .. } => "none",
        cell if cell.solved == cell.accepted => "met",
        _ => "missed",
    }
}

/// The runs on one file.
pub(super) fn runs(out: &mut String, file: &FileRuns) {
    out.push_str(
        "<div class=\"scroll\"><table>\n<tr><th>solver</th><th class=\"words\">status</th><th>time</th><th>iterations</th>\
         <th>relative residual</th><th>residual in m/s</th><th>memory</th><th>differs</th>",
    );
    let reasons = file.runs.iter().any(|run| run.reason().is_some());
    out.push_str(if reasons { "<th class=\"words\">why</th></tr>\n" } else { "</tr>\n" });
    for run in &file.runs {
        let _ = write!(out, "<tr><td>{}</td>", escape(run.solver));
        let class = match &run.outcome {
            Outcome::NotAccepted(_) => "none",
            _ if run.reached().is_some() && !run.differs() => "met",
            _ => "missed",
        };
        let texts = match run.answer() {
            Some(answer) => cells(answer),
            None => [run.status(), "-", "-", "-", "-", "-", "-"].map(str::to_owned),
        };
        for (k, text) in texts.iter().enumerate() {
            let class = if k == 0 { format!("words {class}") } else { "number".into() };
            let _ = write!(out, "<td class=\"{class}\">{}</td>", escape(text));
        }
        if let Some(reason) = run.reason() {
            let _ = write!(out, "<td class=\"words\">{}</td>", escape(reason));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// Which line is which solver.
pub(super) fn key<'a>(out: &mut String, solvers: impl Iterator<Item = (usize, &'a str)>) {
    out.push_str("<ul class=\"key\">");
    for (style, name) in solvers {
        let _ = write!(out, "<li>{}{}</li>", sample(style), escape(name));
    }
    out.push_str("</ul>\n");
}

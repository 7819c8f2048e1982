//! The comparison for people.

use super::agreement::limit;
use super::matrix::Matrix;
use super::outcome::{Answer, Comparison, Outcome, Run};
use super::timing::REPEAT_SECONDS;
use crate::commands::solve::seconds;
use crate::printer::{Column, Printer};
use signorini_solver::{FrictionLaw, Tolerance};

const COLUMNS: [Column; 9] = [
    Column::words("file"),
    Column::words("solver"),
    Column::words("status"),
    Column::number("time"),
    Column::number("iterations"),
    Column::number("relative"),
    Column::number("m/s"),
    Column::number("memory"),
    Column::number("differs"),
];

/// One line a run, and what to know about the numbers.
pub(super) fn runs(comparison: &Comparison, printer: &mut Printer) {
    let rows = comparison.files.iter().flat_map(|file| file.runs.iter().map(|run| row(&file.label, run)));
    printer.table(&COLUMNS, rows.collect());
    printer.line(&summary(comparison));
    printer.line(&how_measured(comparison));
    printer.line("");
}

fn row(label: &str, run: &Run) -> Vec<String> {
    let mut row = vec![label.to_owned(), run.solver.to_owned()];
    match &run.outcome {
        // Not a failure: there was nothing to try.
        Outcome::NotAccepted(_) => row.extend(["-"; 7].map(str::to_owned)),
        Outcome::Failed(_) => row.extend(["error", "-", "-", "-", "-", "-", "-"].map(str::to_owned)),
        Outcome::Answered(answer) => row.extend(cells(answer)),
    }
    row
}

/// Status, time, iterations, residuals, memory, difference of an answer; times of runs that missed are marked.
pub(crate) fn cells(answer: &Answer) -> [String; 7] {
    let (time, iterations) = match answer.reached {
        Some(reached) => (seconds(reached.seconds), reached.iterations.to_string()),
        None => (format!("> {}", seconds(answer.seconds)), format!("> {}", answer.iterations)),
    };
    [
        answer.status.name().to_owned(),
        time,
        iterations,
        format!("{:.1e}", answer.residuals.natural_map_relative),
        format!("{:.1e}", answer.residuals.natural_map),
        answer
            .peak_memory_bytes
            .map_or_else(|| "-".into(), |bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))),
        match answer.difference {
            _ if answer.is_reference => "reference".into(),
            None => "-".into(),
            Some(difference) if difference.differs => format!("{:.1e} !", difference.relative),
            Some(difference) if difference.relative == 0.0 => "0".into(),
            Some(difference) => format!("{:.1e}", difference.relative),
        },
    ]
}

/// How many runs did what.
pub(crate) fn summary(comparison: &Comparison) -> String {
    let count = |wanted: fn(&Run) -> bool| comparison.runs().filter(|run| wanted(run)).count();
    let runs = comparison.runs().count();
    let met = count(|run| run.reached().is_some());
    let refused = count(|run| matches!(run.outcome, Outcome::NotAccepted(_)));
    let differ = count(Run::differs);
    let mut parts = vec![format!("{met} reached {}", comparison.tolerance_name())];
    for (number, what) in [
        (runs - met - refused, "did not"),
        (refused, "not accepted by the solver (-)"),
        (differ, "differ (!)"),
        (comparison.left, "not made"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    format!("{runs} {}: {}", if runs == 1 { "run" } else { "runs" }, parts.join(", "))
}

/// What the numbers mean.
pub(crate) fn how_measured(comparison: &Comparison) -> String {
    let (Tolerance::Relative(tolerance) | Tolerance::Velocity(tolerance)) = comparison.tolerance;
    let differs = match (comparison.law, comparison.tolerance) {
        (FrictionLaw::Exact, _) => "several answers can be right under the exact law".to_owned(),
        (_, Tolerance::Relative(_)) => format!("more than {:.0e} is marked", limit(tolerance)),
        (_, Tolerance::Velocity(_)) => format!("more than {:.0e} m/s is marked", limit(tolerance)),
    };
    format!(
        "Time and iterations until the tolerance; a run under {:.0} ms is repeated, the fastest counts; differs: velocities at the \
         contacts from those of the most accurate answer, relative to the free motion ({differs})",
        1e3 * REPEAT_SECONDS
    )
}

/// Solver by problem; the longer list runs down.
pub(super) fn matrix(comparison: &Comparison, printer: &mut Printer) {
    let Matrix { problems, cells } = Matrix::new(comparison);
    let solvers: Vec<String> = comparison.solvers.iter().map(|&name| name.to_owned()).collect();
    let across = solvers.len() <= problems.len().max(6);
    let (down, right) = if across { (&problems, &solvers) } else { (&solvers, &problems) };
    let corner = Column::words(if across { "solved, worst residual" } else { "solver (solved, worst residual)" });
    let columns: Vec<Column> = [corner].into_iter().chain(right.iter().cloned().map(Column::named)).collect();
    let cell = |i: usize, j: usize| if across { cells[i][j].text() } else { cells[j][i].text() };
    let rows = down.iter().enumerate();
    let rows = rows.map(|(i, name)| [name.clone()].into_iter().chain((0..right.len()).map(|j| cell(i, j))).collect());
    printer.table(&columns, rows.collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::compare::outcome::FileRuns;
    use crate::commands::compare::record::object;

    #[test]
    fn a_problem_a_solver_does_not_take_is_a_dash_with_a_reason_and_no_failure() {
        let reason = "tron cannot take round friction cones".to_owned();
        let runs = vec![Run { solver: "tron", outcome: Outcome::NotAccepted(reason) }];
        let (name, label) = ("set/a.hdf5".to_owned(), "a.hdf5".to_owned());
        let comparison = Comparison {
            solvers: vec!["tron"],
            tolerance: Tolerance::Relative(1e-6),
            law: FrictionLaw::Relaxed,
            time_limit: 1.0,
            files: vec![FileRuns { name, label, contacts: 1, velocities: 3, rows: 3, runs }],
            unusable: Vec::new(),
            left: 0,
        };
        let file = &comparison.files[0];
        assert_eq!(row(&file.label, &file.runs[0]), ["a.hdf5", "tron", "-", "-", "-", "-", "-", "-", "-"]);
        assert_eq!(Matrix::new(&comparison).cells[0][0].text(), "-");
        assert_eq!(summary(&comparison), "1 run: 0 reached 1e-6, 1 not accepted by the solver (-)");
        let object = object(&comparison, file, &file.runs[0]);
        assert_eq!((&object["status"], &object["file"]), (&"not-accepted".into(), &"set/a.hdf5".into()));
        assert_eq!(object["reason"], "tron cannot take round friction cones");
        let page = crate::report::page(&comparison, 1);
        assert!(page.contains("tron cannot take round friction cones") && page.contains("not-accepted"));
    }
}

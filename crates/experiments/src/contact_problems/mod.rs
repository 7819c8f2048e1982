//! BP-1: real contact problems of a folder, all of them to 1e-8, relaxed and exact.

use crate::{Context, DataTable, Experiment, Outcome, Row, Verdict};
use anyhow::{Context as _, Result};
use signorini_solver::problem::from_fclib;
use signorini_solver::{Auto, FrictionLaw, SolverSettings, Tolerance, fclib, solve};
use std::path::{Path, PathBuf};

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[Experiment {
    id: "BP-1",
    title: "Real contact problems, solved to 1e-8",
    source: "FCLIB collection and settled piles of Project Chrono",
    description: "Every FCLIB file below the folder that the environment variable SIGNORINI_PROBLEMS names, solved by `auto` to 1e-8 of the natural map \
                  relative to the free velocity, with the relaxed law and with Coulomb's own. Quick: files below 100 kB.",
    seconds: [0.1, 60.0],
    run,
}];

/// Names the folder.
const FOLDER: &str = "SIGNORINI_PROBLEMS";
const TOLERANCE: f64 = 1e-8;
/// Most seconds a problem.
const LIMIT: f64 = 60.0;
/// Bytes of a file that is small enough for a quick run.
const SMALL: u64 = 100_000;

fn run(context: &Context<'_>) -> Result<Outcome> {
    match std::env::var_os(FOLDER) {
        Some(folder) => solve_all(context, &PathBuf::from(folder)),
        None => Ok(not_run()),
    }
}

fn not_run() -> Outcome {
    let row = Row {
        quantity: "problems solved to 1e-8".into(),
        published: "all".into(),
        ours: String::new(),
        ratio: None,
        verdict: Verdict::NotRun,
        command: format!("{FOLDER}=DIR signorini reproduce BP-1"),
        note: format!(
            "{FOLDER} is not set. Download problems in FCLIB's format (https://github.com/FrictionalContactLibrary/fclib-library) into a folder and \
             name it."
        ),
    };
    Outcome { rows: vec![row], ..Outcome::default() }
}

/// Files of a folder and its folders that end in .hdf5, in the order of their names; not those of complementarity problems without friction laws.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "hdf5") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn solve_all(context: &Context<'_>, folder: &Path) -> Result<Outcome> {
    let mut table = DataTable::new(
        "contact-problems",
        "Contact problems solved to 1e-8",
        &["file", "law", "contacts", "solved", "residual", "iterations", "seconds"],
    );
    let laws = [FrictionLaw::Relaxed, FrictionLaw::Exact];
    let (mut tried, mut solved, mut missed) = (0_usize, [0_usize; 2], [const { Vec::new() }; 2]);
    let mut left_out = Vec::new();
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        if context.is_quick() && std::fs::metadata(&path).map_or(0, |data| data.len()) > SMALL {
            continue;
        }
        context.at(&name)?;
        let problem =
            match fclib::read(&path).map_err(anyhow::Error::from).and_then(|file| Ok(from_fclib(&file.problem)?)) {
                Ok(problem) => problem,
                Err(error) => {
                    left_out.push(format!("{name} is no contact problem: {error}"));
                    continue;
                }
            };
        tried += 1;
        for (k, law) in laws.into_iter().enumerate() {
            let settings = SolverSettings {
                friction: law,
                time_limit: Some(LIMIT),
                ..SolverSettings::from(Auto::default()).to(Tolerance::Relative(TOLERANCE))
            };
            let started = std::time::Instant::now();
            let (is_solved, residual, iterations) = match solve(&problem, &settings) {
                Ok(solution) => {
                    let report = solution.report;
                    let residual = report.residuals.natural_map_relative;
                    (settings.tolerance.met(&report.residuals), residual, report.iterations)
                }
                Err(_) => (false, f64::NAN, 0),
            };
            solved[k] += usize::from(is_solved);
            if !is_solved {
                missed[k].push(format!("{name} ({residual:.0e})"));
            }
            table.push(vec![
                name.as_str().into(),
                law.name().into(),
                problem.cones().len().into(),
                if is_solved { "yes" } else { "no" }.into(),
                residual.into(),
                iterations.into(),
                started.elapsed().as_secs_f64().into(),
            ]);
        }
    }
    let row = |k: usize| Row {
        quantity: format!("problems solved to {TOLERANCE:e}, {} law", laws[k].name()),
        published: format!("all {tried}"),
        ours: solved[k].to_string(),
        ratio: (tried > 0).then(|| solved[k] as f64 / tried as f64),
        verdict: verdict(solved[k], tried),
        command: format!("{FOLDER}=DIR signorini reproduce BP-1{}", context.choose(" --quick", "")),
        note: if missed[k].is_empty() { String::new() } else { format!("Not reached: {}.", missed[k].join(", ")) },
    };
    Ok(Outcome { rows: vec![row(0), row(1)], tables: vec![table], notes: left_out, ..Outcome::default() })
}

/// All, or not; none at all shows nothing.
fn verdict(solved: usize, tried: usize) -> Verdict {
    if tried == 0 { Verdict::NotRun } else { Verdict::holds(solved == tried) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_count_and_an_empty_folder_does_not() {
        assert_eq!(verdict(5, 5), Verdict::AtPublished);
        assert_eq!(verdict(4, 5), Verdict::Short);
        assert_eq!(verdict(0, 0), Verdict::NotRun);
        assert_eq!(not_run().rows[0].verdict, Verdict::NotRun);
    }
}

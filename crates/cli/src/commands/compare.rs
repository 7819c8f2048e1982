//! `signorini compare`: many solvers on many problems, timed to the same residual.

pub(crate) mod agreement;
pub(crate) mod matrix;
pub(crate) mod outcome;
pub(crate) mod profile;
mod record;
pub(crate) mod table;
mod timing;

use self::outcome::{Comparison, FileRuns, Outcome, Run};
use self::record::CsvFile;
use self::timing::timed;
use super::store::is_input;
use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::inputs::{self, Input, Loaded};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::whole_file::write_whole;
use crate::{interrupt, report};
use anyhow::{Context, Result, bail};
use serde_json::json;
use signorini_solver::{FrictionLaw, ResidualMeter, Solution, SolveError, Status};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) fn run(args: &CompareArgs, printer: &mut Printer) -> Result<Exit> {
    if args.facets.is_some() && args.friction != FrictionLaw::Relaxed {
        bail!("friction pyramids (--facets) obey the relaxed law only; leave out one of --facets and --friction");
    }
    let inputs = inputs::expand(&args.files);
    check_outputs(args, &inputs)?;
    let csv = args.csv.as_deref().map(CsvFile::create).transpose()?;
    if args.threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.into());
        pool.build_global().context("cannot start the threads")?;
    }
    let solvers: Vec<&str> = args.solvers.0.iter().map(signorini_solver::Method::name).collect();
    let runs = inputs.len() * solvers.len();
    let mut job = Job {
        args,
        cancel: interrupt::flag(),
        progress: Progress::new(runs, args.quiet),
        csv,
        exit: Exit::Done,
        comparison: Comparison {
            solvers,
            tolerance: args.tol,
            law: args.friction,
            time_limit: args.time_limit,
            files: Vec::new(),
            unusable: Vec::new(),
            left: runs,
        },
    };
    for (input, label) in inputs.iter().zip(labels(&inputs)) {
        job.compare(input, label, printer);
        if job.stopped() || printer.closed() {
            break;
        }
    }
    job.progress.finish();
    let Job { comparison, mut exit, .. } = job;
    if let Some(path) = &args.html {
        write_whole(path, &report::page(&comparison, args.threads))
            .with_context(|| format!("cannot write the report to {}", path.display()))?;
    }
    if !args.matrix {
        table::runs(&comparison, printer);
    }
    table::matrix(&comparison, printer);
    if interrupted(&comparison) {
        exit = Exit::Interrupted;
        printer.note(None, &format!("interrupted: {} of {runs} runs were not made", comparison.left));
    }
    Ok(exit)
}

/// Refuses outputs that would destroy something or cannot be written, before any work is done.
fn check_outputs(args: &CompareArgs, inputs: &[Input]) -> Result<()> {
    for (path, what) in [(&args.csv, "table"), (&args.html, "report")] {
        let Some(path) = path else { continue };
        if is_input(path, inputs) {
            bail!("{} is an input and is not overwritten: name another file for the {what}", path.display());
        }
    }
    if let Some(path) = &args.html {
        if args.csv.as_ref() == Some(path) {
            bail!("{} cannot be both the table and the report: name two files", path.display());
        }
        // Opened, not emptied: a report of an earlier comparison is there until the new one is complete.
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened.with_context(|| format!("cannot write the report to {}", path.display()))?;
    }
    Ok(())
}

/// File names where they tell the files apart, paths where they do not.
fn labels(inputs: &[Input]) -> Vec<String> {
    let short = |input: &Input| match input {
        Input::File(_) => input.file_name().display().to_string(),
        _ => input.name(),
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    inputs.iter().for_each(|input| *counts.entry(short(input)).or_default() += 1);
    inputs.iter().map(|input| if counts[&short(input)] == 1 { short(input) } else { input.name() }).collect()
}

fn interrupted(comparison: &Comparison) -> bool {
    let stopped = |run: &Run| run.answer().is_some_and(|answer| answer.status == Status::Interrupted);
    comparison.runs().any(stopped) || (comparison.left > 0 && interrupt::flagged())
}

/// A comparison under way.
struct Job<'a> {
    args: &'a CompareArgs,
    cancel: &'static AtomicBool,
    progress: Progress,
    csv: Option<CsvFile>,
    exit: Exit,
    comparison: Comparison,
}

impl Job<'_> {
    fn stopped(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Every solver on one input.
    fn compare(&mut self, input: &Input, label: String, printer: &mut Printer) {
        let name = input.name();
        self.progress.begin(&name);
        let loaded = match input.load() {
            Ok(loaded) => loaded,
            Err(failure) => {
                self.exit = self.exit.max(Exit::CouldNotRun);
                self.progress.suspend(|| {
                    printer.error(Some(&name), &failure.message, failure.hint);
                    printer.object(&json!({ "file": name, "status": "error", "error": failure.message }));
                });
                self.comparison.unusable.push((name, failure.message));
                self.comparison.left -= self.args.solvers.0.len();
                self.args.solvers.0.iter().for_each(|_| self.progress.advance());
                return;
            }
        };
        for remark in loaded.problem.remarks() {
            self.progress.suspend(|| printer.note(Some(&name), &remark.to_string()));
        }
        let mut file = FileRuns {
            name,
            label,
            contacts: loaded.problem.contacts(),
            velocities: loaded.problem.velocities(),
            rows: loaded.problem.row_count(),
            runs: Vec::new(),
        };
        let mut solutions = Vec::new();
        for method in &self.args.solvers.0 {
            self.progress.begin(&format!("{}: {}", file.label, method.name()));
            let (outcome, solution) = self.run(method, &loaded);
            file.runs.push(Run { solver: method.name(), outcome });
            solutions.push(solution);
            self.comparison.left -= 1;
            self.write_rows(&file, false, printer);
            self.progress.advance();
            if self.stopped() {
                break;
            }
        }
        self.find_differences(&loaded, &mut file, &solutions);
        self.write_rows(&file, true, printer);
        self.judge(&file);
        for run in &file.runs {
            self.progress.suspend(|| {
                if let Outcome::Failed(reason) = &run.outcome {
                    printer.error(Some(&file.name), &format!("{}: {reason}", run.solver), None);
                }
                printer.object(&record::object(&self.comparison, &file, run));
            });
        }
        if self.args.html.is_none() {
            file.runs.iter_mut().for_each(Run::forget_history);
        }
        self.comparison.files.push(file);
    }

    fn run(&self, method: &signorini_solver::Method, loaded: &Loaded) -> (Outcome, Option<Solution>) {
        match timed(&loaded.problem, &self.args.settings(method.clone()), self.cancel) {
            Ok((answer, solution)) => (Outcome::Answered(Box::new(answer)), Some(solution)),
            Err(error @ SolveError::NotAccepted { .. }) => (Outcome::NotAccepted(error.to_string()), None),
            Err(error) => (Outcome::Failed(error.to_string()), None),
        }
    }

    /// Compares every answer with the most accurate one.
    fn find_differences(&self, loaded: &Loaded, file: &mut FileRuns, solutions: &[Option<Solution>]) {
        let answered = solutions.iter().enumerate().filter_map(|(k, solution)| Some((k, solution.as_ref()?)));
        let Some(best) = agreement::most_accurate(answered) else { return };
        let (Some(reference), Ok(meter)) = (&solutions[best], ResidualMeter::new(&loaded.problem)) else { return };
        let law = self.comparison.law;
        for (k, (run, solution)) in file.runs.iter_mut().zip(solutions).enumerate() {
            if let (Outcome::Answered(answer), Some(solution)) = (&mut run.outcome, solution) {
                let met = answer.reached.is_some();
                let free = meter.free_norm();
                answer.difference = Some(agreement::difference(&loaded.problem, free, solution, reference, met, law));
                answer.is_reference = k == best;
            }
        }
    }

    fn write_rows(&mut self, file: &FileRuns, complete: bool, printer: &mut Printer) {
        let Some(csv) = &mut self.csv else { return };
        if let Err(error) = csv.write(&self.comparison, file, complete) {
            self.progress.suspend(|| printer.error(None, &format!("{error:#}"), None));
            self.exit = self.exit.max(Exit::CouldNotRun);
            // Told once; the comparison itself goes on.
            self.csv = None;
        }
    }

    fn judge(&mut self, file: &FileRuns) {
        // A problem that no solver named can take is not solved.
        if file.runs.iter().all(|run| matches!(run.outcome, Outcome::NotAccepted(_))) {
            self.exit = self.exit.max(Exit::Missed);
        }
        for run in &file.runs {
            let missed = match &run.outcome {
                Outcome::NotAccepted(_) => false,
                Outcome::Failed(_) => true,
                Outcome::Answered(answer) => answer.reached.is_none() || run.differs(),
            };
            self.exit = self.exit.max(if missed { Exit::Missed } else { Exit::Done });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_different() {
        let file = |path: &str| Input::File(path.into());
        let inputs = [file("a/x.hdf5"), file("b/x.hdf5"), file("b/y.hdf5"), Input::Example("pile".into())];
        assert_eq!(labels(&inputs), ["a/x.hdf5", "b/x.hdf5", "y.hdf5", "example:pile"]);
    }
}

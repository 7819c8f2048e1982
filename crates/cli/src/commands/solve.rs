//! `signorini solve`: problems in, answers and how good they are out.

use super::history::HistoryFile;
use super::store::{Store, is_input};
use crate::args::SolveArgs;
use crate::exit::Exit;
use crate::inputs::{self, Failure, Input, Loaded};
use crate::interrupt;
use crate::printer::{Column, Printer};
use crate::progress::Progress;
use crate::verify::larger;
use crate::words::counted;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::json;
use signorini_experiments::memory;
use signorini_solver::problem::{MovedByRepair, Remark};
use signorini_solver::{
    Control, FrictionLaw, Iterate, Report, Residuals, Solution, SolverSettings, Status, Tolerance, WarmStart,
};
use signorini_solver::{SolveError, solve_with};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub(crate) fn run(args: &SolveArgs, printer: &mut Printer) -> Result<Exit> {
    let unused = args.unused();
    if !unused.is_empty() {
        bail!("{} has no use for {}: these belong to interior-point", args.solver, unused.join(", "));
    }
    if args.write.is_some() && args.friction == FrictionLaw::Lagged {
        bail!("an FCLIB file has no place for a solution of the lagged law: leave out --write");
    }
    let inputs = inputs::expand(&args.files);
    if let (Some(history), Some(write)) = (&args.history, &args.write)
        && history == write
    {
        bail!("{} cannot be both the history and the solution: name two files", history.display());
    }
    let mut history = match &args.history {
        Some(path) if is_input(path, &inputs) => {
            bail!("{} is an input and is not overwritten: name another file for the history", path.display())
        }
        Some(path) => Some(HistoryFile::create(path)?),
        None => None,
    };
    let store = args.write.as_deref().map(|target| Store::plan(target, &inputs)).transpose()?;
    if args.threads > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.into());
        pool.build_global().context("cannot start the threads")?;
    }
    let job = Job { settings: args.settings(), warm: args.warm, cancel: interrupt::flag() };
    let progress = Progress::new(inputs.len(), args.quiet);
    let mut outcomes = Vec::new();
    let mut exit = Exit::Done;
    for (index, input) in inputs.iter().enumerate() {
        let file = input.name();
        progress.begin(&file);
        let outcome = job.solve(input).map(|solved| {
            let mut problems = Vec::new();
            if let Some(history) = &mut history {
                problems.extend(history.append(&file, &solved.solution.report.history).err());
            }
            let row = solved.summary(&file);
            if let Some(store) = &store {
                problems.extend(store.write(index, solved.loaded, &solved.solution, args.friction).err());
            }
            (row, problems)
        });
        exit = exit.max(progress.suspend(|| tell(&file, &outcome, printer)));
        outcomes.push((file, outcome.map(|(row, _)| row)));
        progress.advance();
        if job.cancel.load(Ordering::Relaxed) || printer.closed() {
            break;
        }
    }
    progress.finish();
    let left = inputs.len() - outcomes.len();
    show(&outcomes, left, printer);
    if job.cancel.load(Ordering::Relaxed) && left > 0 {
        exit = Exit::Interrupted;
        printer.note(None, &format!("interrupted: {left} of {} files were not solved", inputs.len()));
    }
    Ok(exit)
}

/// What is done with every file.
struct Job {
    settings: SolverSettings,
    warm: WarmStart,
    cancel: &'static AtomicBool,
}

/// An answer with what it took.
struct Solved {
    loaded: Loaded,
    solution: Solution,
    friction: FrictionLaw,
    /// How far mending the matrix of the file moves the answer; none where the file was solved as it is.
    moved: Option<MovedByRepair>,
    load_seconds: f64,
    wall_seconds: f64,
    peak_memory_bytes: Option<u64>,
}

impl Job {
    fn solve(&self, input: &Input) -> Result<Solved, Failure> {
        let started = Instant::now();
        let loaded = input.load()?;
        let load_seconds = started.elapsed().as_secs_f64();
        let warm = self.warm_start(&loaded);
        let control = Control { warm: warm.as_ref(), cancel: Some(self.cancel) };
        memory::reset_peak();
        let started = Instant::now();
        let solution = solve_with(&loaded.problem, &self.settings, &control)?;
        let wall_seconds = started.elapsed().as_secs_f64();
        let friction = self.settings.friction;
        let peak_memory_bytes = memory::peak_bytes();
        // The exact law needs no symmetry and is solved with the matrix as given.
        let moved = match friction {
            FrictionLaw::Exact => None,
            _ => loaded.problem.moved_by_repair(solution.impulse()).map_err(SolveError::from)?,
        };
        Ok(Solved { loaded, solution, friction, moved, load_seconds, wall_seconds, peak_memory_bytes })
    }

    /// The first starting point of the file: our rows are its contacts, then its bilateral constraints.
    fn warm_start(&self, loaded: &Loaded) -> Option<Iterate> {
        if self.warm == WarmStart::None {
            return None;
        }
        let guess = loaded.file.as_ref()?.guesses.first()?;
        let mut velocity = guess.v.clone().unwrap_or_default();
        velocity.resize(loaded.problem.velocities(), 0.0);
        let mut impulse = guess.r.clone();
        impulse.extend(guess.l.iter().flatten());
        impulse.resize(loaded.problem.row_count(), 0.0);
        Some(Iterate { velocity, impulse })
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        Self { message: error.to_string(), hint: error.hint() }
    }
}

/// One line of the results; the fields scripts depend on come first.
#[derive(Serialize)]
struct Summary {
    file: String,
    solver: &'static str,
    status: &'static str,
    #[serde(skip)]
    exit: Exit,
    iterations: u32,
    wall_seconds: f64,
    contacts: usize,
    residual: Residuals,
    objective: f64,
    peak_memory_bytes: Option<u64>,
    reason: Option<&'static str>,
    tolerance: Tolerance,
    friction: &'static str,
    velocities: usize,
    rows: usize,
    kkt: Option<&'static str>,
    facets: Option<u32>,
    phases: Vec<Phase>,
    factor_entries: usize,
    /// What `auto` tried.
    attempts: Vec<Tried>,
    setup_seconds: f64,
    load_seconds: f64,
    remarks: Vec<String>,
    /// How far mending the matrix of the file moves relative velocities, if it was mended.
    moved_by_repair: Option<Moved>,
    /// What is said if that is more than the tolerance.
    #[serde(skip)]
    other_matrix: Option<String>,
}

/// A move of relative velocities: largest \[m/s\], and relative to the free ones.
#[derive(Serialize)]
struct Moved {
    velocity: f64,
    relative: f64,
}

#[derive(Serialize)]
struct Tried {
    method: &'static str,
    reason: &'static str,
    status: &'static str,
    iterations: u32,
    natural_map_relative: f64,
}

#[derive(Serialize)]
struct Phase {
    name: &'static str,
    iterations: u32,
}

impl Solved {
    fn summary(&self, file: &str) -> Summary {
        let (problem, report): (_, &Report) = (&self.loaded.problem, &self.solution.report);
        let too_far = self.moved.filter(|moved| !moved.is_within(report.tolerance));
        let other_matrix = too_far.map(|MovedByRepair { velocity, relative }| {
            let mended: Vec<&str> = problem.remarks().iter().map(Remark::matrix).collect();
            format!(
                "mending {} moves relative velocities by {velocity:.1e} m/s ({relative:.1e} of the free ones), more than the \
                 tolerance: this is the answer of another matrix",
                mended.join(" and ")
            )
        });
        Summary {
            file: file.to_owned(),
            solver: report.method,
            status: report.status.name(),
            exit: match report.status {
                Status::Converged if too_far.is_some() => Exit::Missed,
                Status::Converged => Exit::Done,
                Status::Interrupted => Exit::Interrupted,
                _ => Exit::Missed,
            },
            iterations: report.iterations,
            wall_seconds: self.wall_seconds,
            contacts: problem.contacts(),
            residual: report.residuals,
            objective: report.objective,
            peak_memory_bytes: self.peak_memory_bytes,
            reason: if let Status::Stalled(reason) = report.status { Some(reason) } else { None },
            tolerance: report.tolerance,
            friction: self.friction.name(),
            velocities: problem.velocities(),
            rows: problem.row_count(),
            kkt: report.kkt,
            facets: report.facets,
            phases: report.phases.iter().map(|&(name, iterations)| Phase { name, iterations }).collect(),
            factor_entries: report.factor_entries,
            attempts: report
                .attempts
                .iter()
                .map(|attempt| Tried {
                    method: attempt.method,
                    reason: attempt.reason,
                    status: attempt.status.name(),
                    iterations: attempt.iterations,
                    natural_map_relative: attempt.residual,
                })
                .collect(),
            setup_seconds: report.timings.setup,
            load_seconds: self.load_seconds,
            remarks: problem.remarks().iter().map(ToString::to_string).collect(),
            moved_by_repair: self.moved.map(|MovedByRepair { velocity, relative }| Moved { velocity, relative }),
            other_matrix,
        }
    }
}

impl Summary {
    /// Solver, form of its linear system, facets of the friction pyramids.
    fn how(&self) -> String {
        let form = self.kkt.map(str::to_owned);
        let facets = self.facets.map(|facets| format!("{facets} facets"));
        [Some(self.solver.to_owned()), form, facets].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn row(&self) -> Vec<String> {
        // Phases may alternate; the table says how many iterations each took in all.
        let mut totals: BTreeMap<&str, u32> = BTreeMap::new();
        for phase in &self.phases {
            *totals.entry(phase.name).or_default() += phase.iterations;
        }
        let phases: Vec<String> = totals.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let iterations = match phases.len() {
            0 | 1 => self.iterations.to_string(),
            _ => format!("{} ({})", self.iterations, phases.join(" + ")),
        };
        vec![
            self.file.clone(),
            self.contacts.to_string(),
            self.velocities.to_string(),
            self.how(),
            self.status.to_owned(),
            iterations,
            format!("{:.1e}", self.residual.natural_map_relative),
            format!("{:.1e}", self.residual.natural_map),
            seconds(self.wall_seconds),
        ]
    }
}

/// What helps where mending a matrix changes the answer.
const AS_GIVEN: &str = "`--friction exact` solves the file with the matrix as given, which needs no symmetry";

/// Says at once what happened to one file.
fn tell(file: &str, outcome: &Result<(Summary, Vec<anyhow::Error>), Failure>, printer: &mut Printer) -> Exit {
    match outcome {
        Ok((row, problems)) => {
            for remark in &row.remarks {
                printer.note(Some(file), remark);
            }
            if let Some(problem) = &row.other_matrix {
                printer.error(Some(file), problem, Some(AS_GIVEN));
            }
            for failed in row.attempts.iter().rev().skip(1).rev() {
                let Tried { method, status, iterations, natural_map_relative, .. } = failed;
                let after = counted(*iterations, "iteration");
                let what = format!("{method}: {status} at {natural_map_relative:.1e} after {after}");
                printer.note(Some(file), &format!("{what}; another method was tried"));
            }
            if let Some(reason) = row.reason {
                printer.note(Some(file), &format!("stalled: {reason}"));
            }
            printer.object(row);
            for problem in problems {
                printer.error(Some(file), &format!("{problem:#}"), None);
            }
            if problems.is_empty() { row.exit } else { row.exit.max(Exit::CouldNotRun) }
        }
        Err(failure) => {
            printer.error(Some(file), &failure.message, failure.hint);
            printer.object(&json!({ "file": file, "status": "error", "error": failure.message }));
            Exit::CouldNotRun
        }
    }
}

const COLUMNS: [Column; 9] = [
    Column::words("file"),
    Column::number("contacts"),
    Column::number("velocities"),
    Column::words("solver"),
    Column::words("status"),
    Column::words("iterations"),
    Column::number("relative"),
    Column::number("m/s"),
    Column::number("time"),
];

/// The table and the line below it.
fn show(outcomes: &[(String, Result<Summary, Failure>)], left: usize, printer: &mut Printer) {
    let rows: Vec<&Summary> = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).collect();
    printer.table(&COLUMNS, rows.iter().map(|row| row.row()).collect());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, outcome) in outcomes {
        *counts.entry(outcome.as_ref().map_or("error", |row| row.status)).or_default() += 1;
    }
    if left > 0 {
        counts.insert("not solved", left);
    }
    let mut parts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    if !rows.is_empty() {
        let worst = rows.iter().map(|row| row.residual.natural_map_relative).fold(0.0, larger);
        let total: f64 = rows.iter().map(|row| row.wall_seconds).sum();
        parts.push(format!("worst natural map {worst:.1e}"));
        parts.push(seconds(total));
    }
    let files = outcomes.len() + left;
    printer.line(&format!("{files} {}: {}", if files == 1 { "problem" } else { "problems" }, parts.join(", ")));
}

/// A time for people.
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.9995e-3 => format!("{:.0} µs", 1e6 * seconds),
        _ if seconds < 0.9995 => format!("{:.1} ms", 1e3 * seconds),
        _ => format!("{seconds:.2} s"),
    }
}

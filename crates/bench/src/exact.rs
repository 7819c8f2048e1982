//! Coulomb's law as it is, on a collection with the times of Siconos: which problems are solved to 1e-8, and how fast.

use crate::cases::load;
use crate::our_run;
use crate::table::{Table, Value, middle};
use anyhow::{Context, Result};
use signorini_solver::{Auto, FrictionLaw, SolverSettings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder with reference.csv and the files that names
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Most seconds a run
    #[arg(long, default_value_t = 60.0, value_name = "S")]
    time_limit: f64,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The residual to reach: that to which the times of Siconos are.
const TOLERANCE: f64 = 1e-8;
/// Runs are repeated until so many seconds have gone by, and no more than so many times; the fastest counts.
const SECONDS: f64 = 0.5;
const REPEAT: usize = 20;
/// Problems of fewer contacts are left out of the median: set-up rules there.
const CONTACTS: usize = 50;

/// One row of reference.csv, as far as it is used.
struct Reference {
    instance: String,
    file: String,
    contacts: usize,
    fastest: Option<(String, f64)>,
    /// Solvers that reached the tolerance.
    reached: Vec<String>,
    /// Solvers that were tried.
    tried: Vec<String>,
}

/// Our time, if solved, beside the reference.
struct Outcome {
    reference: Reference,
    seconds: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "problem",
        "contacts",
        "status",
        "solved",
        "methods",
        "iterations",
        "residual",
        "time",
        "fastest Siconos",
        "its time",
        "its time / ours",
    ]);
    let mut outcomes = Vec::new();
    for reference in references(&arguments.directory)? {
        let outcome = outcome(arguments, reference, &mut table)?;
        outcomes.push(outcome);
    }
    table.finish(arguments.csv.as_deref())?;
    summarise(&outcomes);
    Ok(())
}

fn outcome(arguments: &Arguments, reference: Reference, table: &mut Table) -> Result<Outcome> {
    let problem = load(&arguments.directory.join(&reference.file)).with_context(|| reference.file.clone())?;
    // One thread, like Siconos.
    let settings = SolverSettings {
        friction: FrictionLaw::Exact,
        time_limit: Some(arguments.time_limit),
        parallel: false,
        ..our_run::with(Auto::default(), TOLERANCE)
    };
    let fastest = reference.fastest.clone();
    let siconos = fastest.as_ref().map(|(_, seconds)| *seconds);
    let mut cells = vec![Value::text(&reference.instance), Value::Count(reference.contacts)];
    let mut seconds = None;
    match our_run::run(&problem, &settings) {
        Ok(first) => {
            let more = ((SECONDS / first.seconds) as usize).min(REPEAT - 1);
            let again = if more > 0 { our_run::fastest(&problem, &settings, more)?.seconds } else { f64::INFINITY };
            let time = first.seconds.min(again);
            let solved = settings.tolerance.met(&first.report.residuals);
            seconds = solved.then_some(time);
            let methods: Vec<&str> = first.report.attempts.iter().map(|attempt| attempt.method).collect();
            cells.extend([
                Value::text(first.report.status.name()),
                Value::text(if solved { "yes" } else { "no" }),
                Value::text(methods.join(" > ")),
                Value::Count(first.report.iterations as usize),
                Value::Small(first.residual()),
                Value::Seconds(time),
            ]);
        }
        Err(error) => {
            cells.extend([Value::text(format!("{error:#}")), Value::text("no")]);
            cells.extend([Value::Missing, Value::Missing, Value::Missing, Value::Missing]);
        }
    }
    cells.push(fastest.map_or(Value::Missing, |(solver, _)| Value::Text(solver)));
    cells.push(siconos.map_or(Value::Missing, Value::Seconds));
    cells.push(siconos.zip(seconds).map_or(Value::Missing, |(theirs, ours)| Value::Ratio(theirs / ours)));
    table.push(cells);
    Ok(Outcome { reference, seconds })
}

fn summarise(outcomes: &[Outcome]) {
    let count = |solved: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| solved(outcome)).count();
    println!("solved to {TOLERANCE:e}, of {}:", outcomes.len());
    let mut solvers = Table::new(&["solver", "solved", "tried"]);
    let all = Value::Count(outcomes.len());
    let ours = Value::Count(count(&|outcome| outcome.seconds.is_some()));
    solvers.push(vec![Value::text("auto (ours)"), ours, all.clone()]);
    let any = Value::Count(count(&|outcome| outcome.reference.fastest.is_some()));
    solvers.push(vec![Value::text("any of Siconos"), any, all]);
    for (solver, (solved, tried)) in solver_counts(outcomes) {
        solvers.push(vec![Value::text(solver), Value::Count(solved), Value::Count(tried)]);
    }
    solvers.print();

    // What one side did not solve took it for ever; problems neither solved say nothing.
    let large = outcomes.iter().filter(|outcome| outcome.reference.contacts >= CONTACTS);
    let times: Vec<(f64, f64)> = large
        .map(|outcome| (outcome.seconds, outcome.reference.fastest.as_ref().map(|(_, seconds)| *seconds)))
        .filter(|(ours, theirs)| ours.or(*theirs).is_some())
        .map(|(ours, theirs)| (ours.unwrap_or(f64::INFINITY), theirs.unwrap_or(f64::INFINITY)))
        .collect();
    let faster = times.iter().filter(|(ours, theirs)| ours <= theirs).count();
    let ours = middle(times.iter().map(|(ours, _)| *ours).collect());
    let theirs = middle(times.iter().map(|(_, theirs)| *theirs).collect());
    let ratio = middle(times.iter().map(|(ours, theirs)| theirs / ours).collect());
    println!("problems of at least {CONTACTS} contacts: {}, ours as fast or faster on {faster}", times.len());
    if let (Some(ours), Some(theirs), Some(ratio)) = (ours, theirs, ratio) {
        let verdict = if ours <= theirs { "holds" } else { "FAILS" };
        println!("{verdict}: median time {:.3} ms, fastest of Siconos {:.3} ms", 1e3 * ours, 1e3 * theirs);
        println!("median of the ratios its / ours: {ratio:.2}");
    }
}

/// Problems solved and tried by each solver of the reference.
fn solver_counts(outcomes: &[Outcome]) -> BTreeMap<&str, (usize, usize)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        for solver in &outcome.reference.tried {
            counts.entry(solver).or_default().1 += 1;
        }
        for solver in &outcome.reference.reached {
            counts.entry(solver).or_default().0 += 1;
        }
    }
    counts
}

fn references(directory: &Path) -> Result<Vec<Reference>> {
    let path = directory.join("reference.csv");
    let mut reader = csv::Reader::from_path(&path).with_context(|| path.display().to_string())?;
    let headers = reader.headers()?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name).with_context(|| format!("no {name}"));
    let (instance, file, contacts) = (column("instance")?, column("file")?, column("n_contacts")?);
    let (solver, seconds) = (column("ncp_fastest_1e8_solver")?, column("ncp_fastest_1e8_time_s")?);
    let (reached, missed) = (column("ncp_reached_1e8")?, column("ncp_missed_1e8")?);
    let mut references = Vec::new();
    for record in reader.records() {
        let record = record?;
        let fastest = match record[solver].is_empty() {
            true => None,
            false => Some((record[solver].to_owned(), record[seconds].parse().context("a time of Siconos")?)),
        };
        let reached = solvers(&record[reached]);
        let tried = [reached.clone(), solvers(&record[missed])].concat();
        references.push(Reference {
            instance: record[instance].to_owned(),
            file: record[file].to_owned(),
            contacts: record[contacts].parse().context("a number of contacts")?,
            fastest,
            reached,
            tried,
        });
    }
    Ok(references)
}

/// The names of a list like `l3:NSGS; l3:ADMM(info 1)`.
fn solvers(list: &str) -> Vec<String> {
    let names = list.split(';').map(|entry| entry.split('(').next().unwrap_or_default().trim());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_named_without_the_reason_they_failed() {
        assert_eq!(solvers("l3:NSGS; l3:ADMM(info 1); "), ["l3:NSGS", "l3:ADMM"]);
        assert!(solvers("").is_empty());
    }
}

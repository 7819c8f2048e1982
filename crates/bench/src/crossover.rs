//! Where one method overtakes another: the measurements behind the choices of `auto`.
//!
//! Relaxed law: interior point against first-order methods to loose tolerances, on packings of growing size. Exact law:
//! Newton on impulses against the fixed point around the interior point, on small packings and files. All runs use one
//! thread, whose times repeat better.

use crate::cases::{Case, PackingArguments, file_cases};
use crate::our_run::{self, OurRun};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_solver::family::Gaps;
use signorini_solver::{Apgd, FrictionLaw, InteriorPoint, Method, ProximalNewton, SolverSettings, Spg, Tolerance};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// FCLIB files, or folders with such files, for the exact law
    #[arg(value_name = "FILE|DIR")]
    places: Vec<PathBuf>,
    /// Numbers of spheres for the relaxed law, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "300,1000,3000,10000", value_name = "BODIES,…")]
    packings: Vec<usize>,
    /// Numbers of spheres for the exact law, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "30,100,300", value_name = "BODIES,…")]
    exact_packings: Vec<usize>,
    /// Tolerances of the relaxed law, `natural_map_relative`, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1e-2,1e-3,1e-4", value_name = "X,…")]
    tolerances: Vec<f64>,
    /// Tolerance of the exact law
    #[arg(long, default_value_t = 1e-4, value_name = "X")]
    exact_tolerance: f64,
    /// Coefficient of friction
    #[arg(long, default_value_t = 0.3, value_name = "MU")]
    friction: f64,
    /// Most seconds a run
    #[arg(long, default_value_t = 60.0, value_name = "S")]
    time_limit: f64,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Runs shorter than this \[s\] are repeated and the fastest counts.
const SHORT: f64 = 1.0;
const REPEAT: usize = 3;

/// How long a method took for a problem; infinitely long if it did not solve it.
struct Race {
    size: usize,
    tolerance: f64,
    method: &'static str,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "law",
        "problem",
        "contacts",
        "rows",
        "tolerance",
        "method",
        "status",
        "iterations",
        "residual",
        "time",
    ]);
    let (interior, spg, apgd) = (InteriorPoint::default(), Spg::default(), Apgd::default());
    let relaxed: [Method; 3] = [interior.clone().into(), spg.into(), apgd.into()];
    let exact: [Method; 2] = [ProximalNewton::default().into(), interior.into()];

    let mut races = Vec::new();
    for case in packings(arguments, &arguments.packings)? {
        for &tolerance in &arguments.tolerances {
            for method in &relaxed {
                let settings = settings(arguments, method, FrictionLaw::Relaxed, tolerance);
                races.push(race(&case, &settings, case.problem.contacts(), &mut table)?);
            }
        }
    }
    let mut cases = packings(arguments, &arguments.exact_packings)?;
    cases.extend(file_cases(&arguments.places)?);
    let mut exact_races = Vec::new();
    for case in &cases {
        for method in &exact {
            let settings = settings(arguments, method, FrictionLaw::Exact, arguments.exact_tolerance);
            exact_races.push(race(case, &settings, case.problem.row_count(), &mut table)?);
        }
    }
    table.finish(arguments.csv.as_deref())?;

    for &tolerance in &arguments.tolerances {
        let here: Vec<&Race> = races.iter().filter(|race| race.tolerance == tolerance).collect();
        for method in &relaxed[1..] {
            match wins_from(&here, method.name(), relaxed[0].name()) {
                Some(contacts) => println!("{tolerance:e}: {} wins from {contacts} contacts on", method.name()),
                None => println!("{tolerance:e}: {} does not win at the largest size", method.name()),
            }
        }
    }
    let [newton, fixed_point] = [0, 1].map(|k| exact[k].name());
    let (rows, gain) = best_threshold(&exact_races, newton, fixed_point, arguments.time_limit);
    println!("exact law, {} problems: {newton} up to {rows} rows is best;", cases.len());
    println!("the geometric mean time is then {gain:.3} of that with {fixed_point} alone");
    Ok(())
}

fn packings(arguments: &Arguments, sizes: &[usize]) -> Result<Vec<Case>> {
    let packings =
        PackingArguments { packings: None, friction: vec![arguments.friction], seed: 1, gaps: Gaps::Settled };
    packings.cases(sizes)
}

fn settings(arguments: &Arguments, method: &Method, friction: FrictionLaw, tolerance: f64) -> SolverSettings {
    let time_limit = Some(arguments.time_limit);
    let settings = SolverSettings { friction, time_limit, parallel: false, ..method.clone().into() };
    settings.to(Tolerance::Relative(tolerance))
}

fn race(case: &Case, settings: &SolverSettings, size: usize, table: &mut Table) -> Result<Race> {
    let Tolerance::Relative(tolerance) = settings.tolerance else { anyhow::bail!("not a relative tolerance") };
    let mut run: OurRun = our_run::run(&case.problem, settings)?;
    if run.seconds < SHORT {
        let again = our_run::fastest(&case.problem, settings, REPEAT - 1)?;
        run.seconds = run.seconds.min(again.seconds);
    }
    let solved = settings.tolerance.met(&run.report.residuals);
    let method = settings.method.name();
    table.push(vec![
        Value::text(settings.friction.name()),
        Value::text(&case.name),
        Value::Count(case.problem.contacts()),
        Value::Count(case.problem.row_count()),
        Value::Small(tolerance),
        Value::text(method),
        Value::text(run.report.status.name()),
        Value::Count(run.report.iterations as usize),
        Value::Small(run.residual()),
        Value::Seconds(run.seconds),
    ]);
    Ok(Race { size, tolerance, method, seconds: if solved { run.seconds } else { f64::INFINITY } })
}

/// The smallest size from which on `method` is always faster than `other`.
fn wins_from(races: &[&Race], method: &str, other: &str) -> Option<usize> {
    let mut pairs = pairs(races, method, other);
    pairs.sort_unstable_by_key(|(size, _, _)| std::cmp::Reverse(*size));
    pairs.iter().take_while(|(_, one, two)| one < two).last().map(|(size, _, _)| *size)
}

/// (size, seconds of `method`, seconds of `other`) for each problem.
fn pairs(races: &[&Race], method: &str, other: &str) -> Vec<(usize, f64, f64)> {
    let of =
        |name: &str| races.iter().filter(|race| race.method == name).map(|race| (race.size, race.seconds)).collect();
    let (one, two): (Vec<_>, Vec<_>) = (of(method), of(other));
    one.into_iter().zip(two).map(|((size, one), (_, two))| (size, one, two)).collect()
}

/// The size up to which `small` is best used instead of `large`, by the geometric mean of the times, and that mean over
/// the one with `large` alone. What was not solved counts as the time limit.
fn best_threshold(races: &[Race], small: &str, large: &str, limit: f64) -> (usize, f64) {
    let mut pairs = pairs(&races.iter().collect::<Vec<_>>(), small, large);
    pairs.sort_unstable_by_key(|(size, _, _)| *size);
    let (mut sum, mut best) = (0.0, (0, 0.0));
    for (k, (size, one, two)) in pairs.iter().enumerate() {
        sum += one.min(limit).ln() - two.min(limit).ln();
        // Problems of one size stay together.
        let last = pairs.get(k + 1).is_none_or(|next| next.0 > *size);
        if last && sum < best.1 {
            best = (*size, sum);
        }
    }
    (best.0, (best.1 / pairs.len().max(1) as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn races(times: &[(usize, f64, f64)]) -> Vec<Race> {
        let race = |size, method, seconds| Race { size, tolerance: 1e-2, method, seconds };
        times.iter().flat_map(|&(size, one, two)| [race(size, "a", one), race(size, "b", two)]).collect()
    }

    #[test]
    fn a_method_wins_from_the_size_after_which_it_is_never_slower() {
        let races = races(&[(1, 1.0, 2.0), (2, 2.0, 1.0), (3, 1.0, 2.0), (4, 1.0, f64::INFINITY)]);
        let races: Vec<&Race> = races.iter().collect();
        assert_eq!(wins_from(&races, "a", "b"), Some(3));
        assert_eq!(wins_from(&races, "b", "a"), None);
    }

    #[test]
    fn the_threshold_gives_the_least_geometric_mean() {
        let races = races(&[(1, 1.0, 4.0), (2, 2.0, 1.0), (3, 1.0, 4.0), (4, f64::INFINITY, 1.0)]);
        let (size, gain) = best_threshold(&races, "a", "b", 60.0);
        assert_eq!(size, 3);
        assert!((gain - (1.0_f64 / 8.0).powf(0.25)).abs() < 1e-12);
        assert_eq!(best_threshold(&races, "b", "a", 60.0).0, 4);
    }
}

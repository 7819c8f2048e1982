//! Krylov and spectral methods against Jacobi on frictionless piles in a cylinder: the comparisons KS-1, KS-2 and KS-3.
//!
//! Every method runs once on a problem, with a history; what it had after so many iterations is read from that. An
//! iteration is one product with N. All runs use one thread.

use crate::table::{Table, Value};
use anyhow::{Context, Result};
use signorini_solver::family::CylinderPacking;
use signorini_solver::{
    ConeProblem, FacePreconditioner, Gpminres, GpminresP, HistoryEntry, InteriorPoint, Jacobi, Kucera, Method,
    SolverSettings, Spg, Tolerance, solve,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only piles of 1000 spheres, the lightest and the heaviest lid, and Jacobi to 10,000 iterations
    #[arg(long)]
    quick: bool,
    /// Write everything in one table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Iterations of Jacobi in Table 1 of the paper; the third is where GPMINRES is compared with it.
const JACOBI: [u32; 4] = [1_000, 10_000, 43_000, 100_000];
/// Time of Jacobi over that of GPMINRES asked for at the third.
const FASTER: f64 = 10.0;
/// Iterations of the methods it is compared with.
const OTHERS: [u32; 2] = [1_000, 10_000];
/// Iterations of the preconditioned one: those of the paper, and as many as without.
const PRECONDITIONED: [u32; 2] = [100, 1_000];
/// Equal iterations of KS-2 and KS-3: early, between, late.
const EQUAL: [u32; 3] = [100, 1_000, 3_000];
/// One method is far ahead of another when objective gap and residual are smaller by this factor.
const FAR: f64 = 2.0;
/// Accuracy of the least objective, relative: gaps below it say nothing and count as equal. So do residuals, which there
/// are soon rounding.
const FLOOR: f64 = 1e-10;

const COLUMNS: [&str; 11] = [
    "comparison",
    "problem",
    "contacts",
    "method",
    "iterations",
    "objective",
    "above least",
    "relative",
    "residual",
    "time",
    "jacobi / this",
];

/// A problem with its least objective.
struct Pile {
    name: &'static str,
    problem: ConeProblem,
    least: f64,
}

/// What a method had after so many iterations.
#[derive(Clone, Debug)]
struct Sample {
    problem: &'static str,
    method: &'static str,
    iterations: u32,
    entry: HistoryEntry,
    /// (objective − least)/|least|
    gap: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut all = Table::new(&COLUMNS);
    first(arguments.quick, &mut all)?;
    equal_iterations(arguments.quick, "KS-2", "krylov-2-", &mut all, second_verdicts)?;
    equal_iterations(arguments.quick, "KS-3", "krylov-3-", &mut all, third_verdicts)?;
    all.save(arguments.csv.as_deref())
}

/// KS-1: objectives of Table 1, and the time to the objectives of Jacobi.
fn first(quick: bool, all: &mut Table) -> Result<()> {
    let piles = piles("krylov-1", false)?;
    let pile = piles.first().context("no such test problem")?;
    pile.introduce("KS-1");
    let jacobi_at = if quick { &JACOBI[..2] } else { &JACOBI[..] };
    let complete = GpminresP { preconditioner: FacePreconditioner::Complete, ..GpminresP::default() };
    let runs: [(&'static str, Method, &[u32]); 6] = [
        ("jacobi", Jacobi::default().into(), jacobi_at),
        ("gpminres", Gpminres::default().into(), &OTHERS),
        ("gpminres-p, incomplete", GpminresP::default().into(), &PRECONDITIONED),
        ("gpminres-p, complete", complete.into(), &PRECONDITIONED),
        ("spg", Spg::default().into(), &OTHERS),
        ("kucera", Kucera::default().into(), &OTHERS),
    ];
    let mut shown = Table::new(&COLUMNS[3..10]);
    let mut histories = Vec::new();
    let mut jacobi = Vec::new();
    for (name, method, iterations) in runs {
        let history = pile.history(method, iterations.iter().copied().max().unwrap_or(0))?;
        for &iterations in iterations {
            let sample = pile.after(name, &history, iterations)?;
            shown.push(pile.cells(&sample)[3..10].to_vec());
            all.push([vec![Value::text("KS-1")], pile.cells(&sample)[1..].to_vec()].concat());
            if name == "jacobi" {
                jacobi.push(sample);
            }
        }
        histories.push((name, history));
    }
    shown.print();
    let mut ratios = Table::new(&["objective of jacobi after", "method", "iterations", "time", "jacobi / this"]);
    let mut goal = None;
    for reference in &jacobi {
        for (name, history) in &histories {
            let reached = history.iter().find(|entry| entry.objective <= reference.entry.objective);
            let ratio = reached.map(|entry| reference.entry.seconds / entry.seconds);
            if *name == "gpminres" && reference.iterations == JACOBI[2] {
                goal = ratio;
            }
            let mut row = vec![Value::Count(reference.iterations as usize), Value::text(*name)];
            row.push(reached.map_or(Value::Missing, |entry| Value::Count(entry.iteration as usize)));
            row.push(reached.map_or(Value::Missing, |entry| Value::Seconds(entry.seconds)));
            row.push(ratio.map_or(Value::Missing, Value::Ratio));
            ratios.push(row);
            if let Some(entry) = reached {
                let mut cells = pile.cells(&pile.sample(name, entry.iteration, entry));
                cells[0] = Value::text(format!("KS-1 at jacobi {}", reference.iterations));
                cells[10] = ratio.map_or(Value::Missing, Value::Ratio);
                all.push(cells);
            }
        }
    }
    ratios.print();
    if !quick {
        let found = goal.map_or("never".into(), |ratio| format!("{ratio:.1} times faster"));
        let holds = goal.is_some_and(|ratio| ratio >= FASTER);
        verdict(
            holds,
            &format!("gpminres reaches jacobi's objective of {} iterations at least {FASTER} times faster", JACOBI[2]),
            &found,
        );
    }
    Ok(())
}

/// KS-2 and KS-3: four methods after equal iterations on every problem whose name begins with `prefix`.
fn equal_iterations(
    quick: bool,
    comparison: &'static str,
    prefix: &str,
    all: &mut Table,
    verdicts: fn(&[Sample]),
) -> Result<()> {
    let mut samples = Vec::new();
    for pile in piles(prefix, quick)? {
        pile.introduce(comparison);
        for (name, method) in methods() {
            let history = pile.history(method, EQUAL[EQUAL.len() - 1])?;
            for iterations in EQUAL {
                let sample = pile.after(name, &history, iterations)?;
                all.push([vec![Value::text(comparison)], pile.cells(&sample)[1..].to_vec()].concat());
                samples.push(sample);
            }
        }
    }
    for (title, value) in [
        ("objective above the least, relative", (|sample| sample.gap) as fn(&Sample) -> f64),
        ("natural map, relative", |sample| sample.entry.residuals.natural_map_relative),
        ("contacts that carry force", |sample| sample.entry.active as f64),
    ] {
        println!("{title}");
        let mut columns = vec!["problem", "iterations"];
        columns.extend(methods().map(|(name, _)| name));
        let mut table = Table::new(&columns);
        let mut names: Vec<&str> = samples.iter().map(|sample| sample.problem).collect();
        names.dedup();
        for problem in names {
            for iterations in EQUAL {
                let mut row = vec![Value::text(problem), Value::Count(iterations as usize)];
                let here = samples.iter().filter(|s| s.problem == problem && s.iterations == iterations);
                row.extend(here.map(|sample| match value(sample) {
                    x if x >= 1.0 && x.fract() == 0.0 => Value::Count(x as usize),
                    x => Value::Small(x),
                }));
                table.push(row);
            }
        }
        table.print();
    }
    verdicts(&samples);
    Ok(())
}

/// The methods of KS-2 and KS-3 in the order of the columns.
fn methods() -> [(&'static str, Method); 4] {
    [
        ("jacobi", Jacobi::default().into()),
        ("spg", Spg::default().into()),
        ("gpminres", Gpminres::default().into()),
        ("kucera", Kucera::default().into()),
    ]
}

fn verdict(holds: bool, claim: &str, found: &str) {
    println!("{}: {claim}: {found}", if holds { "holds" } else { "FAILS" });
}

/// Whether a claim that one method is the best holds: not if it is one of several equal ones everywhere.
fn verdict_on_best(best: bool, alone: bool, claim: &str, found: &str) {
    match (best, alone) {
        (true, false) => println!("tie: {claim}: {found}"),
        _ => verdict(best, claim, found),
    }
}

/// A measure in which methods are compared.
type Measure = (&'static str, fn(&Sample) -> f64);

const MEASURES: [Measure; 2] = [
    ("objective", |sample| sample.gap.max(FLOOR)),
    ("residual", |sample| sample.entry.residuals.natural_map_relative.max(FLOOR)),
];

/// Everything ahead of Jacobi; SPG best early, GPMINRES best late.
fn second_verdicts(samples: &[Sample]) {
    for (measure, value) in MEASURES {
        for iterations in EQUAL {
            let (factor, at) = least_lead(samples, iterations, value);
            let claim = format!("all far ahead of jacobi in {measure}, after {iterations} iterations");
            verdict(factor >= FAR, &claim, &format!("least factor {factor:.2}, {at}"));
        }
    }
    for (claim, method, iterations) in
        [("spg best early", "spg", EQUAL[0]), ("gpminres best late", "gpminres", EQUAL[EQUAL.len() - 1])]
    {
        for (measure, value) in MEASURES {
            let bests = bests(samples, iterations, value);
            let best = bests.iter().all(|(_, best)| best.contains(&method));
            let alone = bests.iter().any(|(_, best)| best.len() == 1);
            let found: Vec<String> =
                bests.iter().map(|(problem, best)| format!("{problem} {}", best.join(" = "))).collect();
            let claim = format!("{claim} in {measure}, after {iterations} iterations");
            verdict_on_best(best, alone, &claim, &found.join(", "));
        }
    }
}

/// GPMINRES degrades least from the lightest lid to the heaviest.
fn third_verdicts(samples: &[Sample]) {
    for (measure, value) in MEASURES {
        for iterations in EQUAL {
            let growth = growth(samples, iterations, value);
            let least = growth.iter().map(|(_, factor)| *factor).fold(f64::INFINITY, f64::min);
            let best = growth.iter().any(|(method, factor)| *method == "gpminres" && *factor <= least);
            let alone = growth.iter().filter(|(_, factor)| *factor <= least).count() == 1;
            let found: Vec<String> = growth.iter().map(|(method, factor)| format!("{method} {factor:.2}")).collect();
            let claim = format!("gpminres degrades least in {measure}, after {iterations} iterations");
            verdict_on_best(best, alone, &claim, &found.join(", "));
        }
    }
}

/// By how much the other methods are ahead of Jacobi where they are so least, and where that is.
fn least_lead(samples: &[Sample], iterations: u32, value: fn(&Sample) -> f64) -> (f64, String) {
    let mut least = (f64::INFINITY, String::new());
    let here = || samples.iter().filter(|sample| sample.iterations == iterations);
    for jacobi in here().filter(|sample| sample.method == "jacobi") {
        for other in here().filter(|sample| sample.problem == jacobi.problem && sample.method != "jacobi") {
            let factor = value(jacobi) / value(other);
            if factor < least.0 {
                least = (factor, format!("{} on {}", other.method, other.problem));
            }
        }
    }
    least
}

/// The methods with the smallest value on each problem; several where they are equal.
fn bests(samples: &[Sample], iterations: u32, value: fn(&Sample) -> f64) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut bests: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    let here: Vec<&Sample> = samples.iter().filter(|sample| sample.iterations == iterations).collect();
    for sample in &here {
        let on_same = here.iter().filter(|other| other.problem == sample.problem);
        let least = on_same.map(|other| value(other)).fold(f64::INFINITY, f64::min);
        if bests.last().is_none_or(|(problem, _)| *problem != sample.problem) {
            bests.push((sample.problem, Vec::new()));
        }
        if let (true, Some((_, methods))) = (value(sample) <= least, bests.last_mut()) {
            methods.push(sample.method);
        }
    }
    bests
}

/// Value on the last problem over that on the first, for each method.
fn growth(samples: &[Sample], iterations: u32, value: fn(&Sample) -> f64) -> Vec<(&'static str, f64)> {
    let here: Vec<&Sample> = samples.iter().filter(|sample| sample.iterations == iterations).collect();
    let (Some(first), Some(last)) = (here.first(), here.last()) else { return Vec::new() };
    let on = |problem: &'static str| here.iter().filter(move |sample| sample.problem == problem);
    let pairs = on(first.problem).zip(on(last.problem));
    pairs.map(|(light, heavy)| (light.method, value(heavy) / value(light))).collect()
}

/// The test problems whose name begins with `prefix`; quick: those of 1000 spheres, first and last mass.
fn piles(prefix: &str, quick: bool) -> Result<Vec<Pile>> {
    let mut found = Vec::new();
    for (name, packing) in CylinderPacking::test_problems() {
        let skipped = quick && (packing.bodies > 1000 || name == "krylov-3-4t");
        if name.starts_with(prefix) && !skipped {
            let problem = packing.problem().context(name)?;
            let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(FLOOR));
            let least = solve(&problem, &settings).context(name)?.report.objective;
            found.push(Pile { name, problem, least });
        }
    }
    Ok(found)
}

impl Pile {
    fn introduce(&self, comparison: &str) {
        let contacts = self.problem.contacts();
        println!("{comparison}, {}: {contacts} contacts, least objective {:.9e}", self.name, self.least);
    }

    /// A run from g = 0; the tolerance is out of reach, so that only rounding ends it before the limit.
    fn history(&self, method: Method, iterations: u32) -> Result<Vec<HistoryEntry>> {
        let settings = SolverSettings {
            method,
            tolerance: Tolerance::Relative(1e-15),
            max_iterations: Some(iterations),
            history: true,
            parallel: false,
            ..SolverSettings::default()
        };
        Ok(solve(&self.problem, &settings)?.report.history)
    }

    /// The last iterate recorded that took no more than so many iterations.
    fn after(&self, method: &'static str, history: &[HistoryEntry], iterations: u32) -> Result<Sample> {
        let entry = history.iter().rev().find(|entry| entry.iteration <= iterations).context("empty history")?;
        Ok(self.sample(method, iterations, entry))
    }

    fn sample(&self, method: &'static str, iterations: u32, entry: &HistoryEntry) -> Sample {
        let gap = (entry.objective - self.least) / self.least.abs();
        Sample { problem: self.name, method, iterations, entry: *entry, gap }
    }

    /// A row of the table of everything.
    fn cells(&self, sample: &Sample) -> Vec<Value> {
        vec![
            Value::Missing,
            Value::text(sample.problem),
            Value::Count(self.problem.contacts()),
            Value::text(sample.method),
            Value::Count(sample.entry.iteration as usize),
            Value::Exact(sample.entry.objective),
            Value::Small(sample.entry.objective - self.least),
            Value::Small(sample.gap),
            Value::Small(sample.entry.residuals.natural_map_relative),
            Value::Seconds(sample.entry.seconds),
            Value::Missing,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_solver::Residuals;

    fn sample(problem: &'static str, method: &'static str, gap: f64) -> Sample {
        let residuals = Residuals {
            natural_map: 0.0,
            natural_map_relative: gap,
            primal: 0.0,
            dual: 0.0,
            complementarity: 0.0,
            momentum: 0.0,
        };
        let entry = HistoryEntry { iteration: 100, phase: "", seconds: 1.0, residuals, objective: 0.0, active: 0 };
        Sample { problem, method, iterations: 100, entry, gap }
    }

    #[test]
    fn leads_bests_and_growths_are_those_of_the_samples() {
        let samples = [
            sample("a", "jacobi", 1.0),
            sample("a", "spg", 0.1),
            sample("a", "gpminres", 0.25),
            sample("b", "jacobi", 8.0),
            sample("b", "spg", 0.5),
            sample("b", "gpminres", 0.5),
        ];
        let gap: fn(&Sample) -> f64 = |sample| sample.gap;
        assert_eq!(least_lead(&samples, 100, gap), (4.0, "gpminres on a".into()));
        assert_eq!(bests(&samples, 100, gap), [("a", vec!["spg"]), ("b", vec!["spg", "gpminres"])]);
        assert_eq!(growth(&samples, 100, gap), [("jacobi", 8.0), ("spg", 5.0), ("gpminres", 2.0)]);
    }
}

//! PB-5: peak memory of a solve against the number of pebbles, and how many a machine could hold.

use super::power_law::PowerLaw;
use super::solvers::{self, BLMVM, FACETS, REDUCED};
use crate::memory::{peak_bytes, reset_peak};
use crate::{Cell, Context, DataTable, Figure, Outcome, Row, Series, Verdict};
use signorini_solver::family::SpherePacking;
use signorini_solver::{Apgd, Method, SolverSettings, solve};

/// Iterations of a measurement: the first has already all that is ever allocated.
const ITERATIONS: u32 = 3;
const GIGABYTE: f64 = (1_u64 << 30) as f64;
/// Pebbles that the paper's trend puts into so many gigabytes.
const PUBLISHED: [(f64, f64); 2] = [(4.0, 150_000.0), (32.0, 600_000.0)];
/// Memory of OOQP over that of BLMVM, at most.
const RATIO: f64 = 3.0;
const APGD: &str = "apgd";
const METHODS: [&str; 3] = [APGD, BLMVM, REDUCED];

pub(super) fn run(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let sizes: &[usize] = context.choose(&[500, 1_000, 2_000], &[1_000, 2_000, 5_000, 10_000, 20_000]);
    let columns = ["pebbles", "contacts", "method", "problem [MB]", "memory [MB]"];
    let mut table = DataTable::new("pb-5", "Peak memory of a solve", &columns);
    let mut measured: Vec<(&'static str, Vec<[f64; 2]>)> = Vec::new();
    for name in METHODS {
        let mut points = Vec::new();
        for &pebbles in sizes {
            context.at(&format!("{pebbles} pebbles, {name}"))?;
            let Some(need) = in_a_process_of_its_own(pebbles, name).or_else(|| need_of(pebbles, name)) else {
                continue;
            };
            points.push([pebbles as f64, need.peak]);
            let megabytes = |bytes: f64| Cell::from(bytes * 1e-6);
            table.push(vec![
                pebbles.into(),
                need.contacts.into(),
                name.into(),
                megabytes(need.problem),
                megabytes(need.peak),
            ]);
        }
        measured.push((name, points));
    }
    let supported = measured.iter().all(|(_, points)| !points.is_empty());
    let mut outcome = Outcome { tables: vec![table], ..Outcome::default() };
    if !supported {
        outcome.notes.push("This system does not tell the peak memory of a process: nothing was measured.".into());
        return Ok(outcome);
    }
    rows(&measured, &mut outcome);
    if context.is_quick() {
        // A few megabytes are as much as what the making of the packings left behind.
        outcome.rows.iter_mut().for_each(|row| row.verdict = Verdict::Informative);
    }
    outcome.figures.push(figure(&measured));
    outcome.notes.push(format!(
        "Settled packings in a box as high as wide, friction 0.3, as pyramids of {FACETS} facets; peak resident memory while {ITERATIONS} \
         iterations are made, above that of the program before it makes the problem, each in a process of its own. The growth between the two largest sizes is extrapolated. In the vessel \
         the box is wider than high until it is full."
    ));
    Ok(outcome)
}

/// What a solve needs \[bytes\].
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Need {
    /// Contacts of the problem.
    pub contacts: usize,
    /// The problem alone.
    pub problem: f64,
    /// The peak during the solve, the problem included.
    pub peak: f64,
}

/// What a solve of a packing by a method needs above what this process has now; `None` if there is no such method, or the
/// system does not tell. What was freed before is used again and not seen: right only in a process that has done nothing yet.
#[must_use]
pub fn need_of(pebbles: usize, name: &str) -> Option<Need> {
    let name = METHODS.into_iter().find(|known| *known == name)?;
    let start = reset_peak()?;
    let problem = SpherePacking { bodies: pebbles, friction: 0.3, ..SpherePacking::default() }.problem().ok()?;
    reset_peak()?;
    drop(solve(&problem, &settings(name)).ok()?);
    Some(Need {
        contacts: problem.contacts(),
        problem: problem.memory_bytes() as f64,
        peak: peak_bytes()?.saturating_sub(start) as f64,
    })
}

/// The same by `signorini reproduce --memory-of PEBBLES,METHOD`, if this process is `signorini`.
fn in_a_process_of_its_own(pebbles: usize, name: &str) -> Option<Need> {
    let program = std::env::current_exe().ok()?;
    if program.file_stem()? != "signorini" {
        return None;
    }
    let what = format!("{pebbles},{name}");
    let output = std::process::Command::new(program).args(["reproduce", "--memory-of", &what]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// The method of a name; `apgd` takes round cones.
fn settings(name: &str) -> SolverSettings {
    let settings = match solvers::named(name) {
        Some(solver) => solvers::settings(solver.method, 1e6),
        None => SolverSettings::from(Method::from(Apgd::default())),
    };
    SolverSettings { max_iterations: Some(ITERATIONS), ..settings }
}

fn rows(measured: &[(&'static str, Vec<[f64; 2]>)], outcome: &mut Outcome) {
    let mut push = |quantity: String, published: String, ours: String, ratio, verdict, note: &str| {
        let (command, note) = ("signorini reproduce PB-5".to_owned(), note.to_owned());
        outcome.rows.push(Row { quantity, published, ours, ratio, verdict, command, note });
    };
    for (name, points) in measured {
        let Some(law) = PowerLaw::beyond(points) else { continue };
        for gigabytes in [4.0, 24.0, 32.0] {
            let pebbles = law.reaching(gigabytes * GIGABYTE);
            let published = PUBLISHED.iter().find(|(size, _)| *size == gigabytes && *name == REDUCED).map(|(_, p)| *p);
            let quantity = format!("pebbles within {gigabytes} GB, {name}");
            let ours = format!("{:.0} thousand (memory grows as n^{:.2})", pebbles * 1e-3, law.exponent);
            let (words, verdict) = match published {
                Some(published) => {
                    (format!("{:.0} thousand", published * 1e-3), Verdict::more_is_better(pebbles, published))
                }
                None => (String::new(), Verdict::Informative),
            };
            let note = match verdict {
                Verdict::Short => {
                    "the factor of a pile as high as wide fills in faster than that of shallow layers: the paper extrapolated from 3200 pebbles at most"
                }
                _ => "",
            };
            push(quantity, words, ours, published.map(|published| pebbles / published), verdict, note);
        }
    }
    let last = |name: &str| measured.iter().find(|(own, _)| *own == name).and_then(|(_, points)| points.last());
    if let (Some(factored), Some(first_order)) = (last(REDUCED), last(BLMVM)) {
        let ratio = factored[1] / first_order[1];
        let note = match Verdict::less_is_better(ratio, RATIO) {
            Verdict::Short => "BLMVM here keeps no matrix but J and a few vectors; the factor is what it is",
            _ => "",
        };
        let quantity = format!("memory of the interior point over that of BLMVM, {:.0} pebbles", factored[0]);
        let verdict = Verdict::less_is_better(ratio, RATIO);
        push(quantity, "at most 3".into(), format!("{ratio:.1}"), Some(ratio / RATIO), verdict, note);
    }
}

fn figure(measured: &[(&'static str, Vec<[f64; 2]>)]) -> Figure {
    let mut series = Vec::new();
    for (name, points) in measured {
        series.push(Series::new(name, points.iter().map(|[x, y]| [*x, y / GIGABYTE])).with_dots());
        if let Some(law) = PowerLaw::beyond(points) {
            let start = points.last().map_or(1e3, |point| point[0]);
            let along = (0..=20).map(|k| start * (1e6 / start).powf(f64::from(k) / 20.0));
            series.push(Series::new(&format!("{name}, extrapolated"), along.map(|x| [x, law.at(x) / GIGABYTE])));
        }
    }
    Figure {
        name: "pb-5-memory".into(),
        title: "Peak memory against pebbles".into(),
        x: "pebbles".into(),
        y: "memory [GB]".into(),
        log: [true, true],
        series,
        rules: vec![("4 GB".into(), 4.0), ("24 GB".into(), 24.0), ("32 GB".into(), 32.0)],
    }
}

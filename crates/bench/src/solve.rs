//! Ours and Clarabel on the same problems to the same residual.

use crate::cases::{Case, Origin, PackingArguments, file_cases};
use crate::clarabel_form::{ClarabelForm, Units};
use crate::clarabel_run::{self, BACKENDS, ClarabelRun};
use crate::our_run::{self, OurRun};
use crate::table::{Table, Value, geometric_mean, median};
use anyhow::{Context, Result};
use signorini_solver::{ResidualMeter, SolverSettings};
use std::path::PathBuf;

/// Files with fewer contacts are over in microseconds: they are shown, not averaged.
const FEWEST_CONTACTS: usize = 50;
/// A residual above this is no answer (no impulses at all have about 1): such a row has no ratio.
const WORST_ANSWER: f64 = 1e-2;
/// Where interior-point iterations are counted.
const ITERATION_TOLERANCE: f64 = 1e-6;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders searched for FCLIB files (or files)
    #[arg(value_name = "DIR")]
    places: Vec<PathBuf>,
    /// The residual both must reach: our `natural_map_relative` of both answers
    #[arg(long, default_value_t = 1e-7)]
    tol: f64,
    #[command(flatten)]
    packings: PackingArguments,
    /// The best of so many runs is taken, for both
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// How Clarabel is run: as shipped (its default factorisation, the data as given), or the best of both its
    /// factorisations and two systems of units, found by trying. The tolerance asked of it is always the loosest that
    /// reaches the residual.
    #[arg(long, value_enum, default_value_t = Peer::Best)]
    peer: Peer,
    /// Threads for both
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// How Clarabel is run.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub(crate) enum Peer {
    /// Default factorisation, data as given.
    Shipped,
    /// The fastest of its factorisations and of two systems of units.
    Best,
}

/// The outcome on one problem.
struct Comparison<'a> {
    case: &'a Case,
    ours: OurRun,
    clarabel: ClarabelRun,
    /// The residual compared at: the one asked for, or the best Clarabel reached.
    tolerance: f64,
    /// Our interior-point iterations to 1e-6 without polish.
    iterations: Option<u32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut cases = file_cases(&arguments.places)?;
    cases.extend(arguments.packings.cases(&[])?);
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    let mut comparisons = Vec::new();
    for case in &cases {
        eprintln!("{}: {} contacts", case.name, case.problem.contacts());
        comparisons.push(compare(case, arguments).with_context(|| case.name.clone())?);
    }
    table(&comparisons, arguments.tol).finish(arguments.csv.as_deref())?;
    summary(&comparisons, arguments);
    Ok(())
}

fn compare<'a>(case: &'a Case, arguments: &Arguments) -> Result<Comparison<'a>> {
    let problem = &case.problem;
    let mut meter = ResidualMeter::new(problem)?;
    let natural = Units::natural(&mut meter, problem.row_count());
    let mut form = ClarabelForm::new(problem, Units::GIVEN)?;
    let backends = if arguments.peer == Peer::Best { &BACKENDS[..] } else { &BACKENDS[..1] };
    let mut clarabel = clarabel_run::fastest(&form, problem, &mut meter, arguments.tol, backends, arguments.threads)?;
    if arguments.peer == Peer::Best {
        let other_form = ClarabelForm::new(problem, natural)?;
        let other =
            clarabel_run::fastest(&other_form, problem, &mut meter, arguments.tol, backends, arguments.threads)?;
        if clarabel_run::is_better(&other, &clarabel, arguments.tol) {
            (form, clarabel) = (other_form, other);
        }
    }
    // Not reached: compare at what it reached, unless that is no answer.
    let usable = clarabel.residual <= WORST_ANSWER;
    let tolerance = if usable { clarabel.residual.max(arguments.tol) } else { arguments.tol };
    let settings = SolverSettings { parallel: arguments.threads > 1, ..our_run::to(tolerance) };
    let mut ours = our_run::run(problem, &settings)?;
    for _ in 1..arguments.repeat {
        let again = our_run::run(problem, &settings)?;
        ours = if again.seconds < ours.seconds { again } else { ours };
        let again = clarabel_run::run(&form, problem, &mut meter, clarabel.backend, clarabel.level, arguments.threads)?;
        clarabel.seconds = clarabel.seconds.min(again.seconds);
    }
    let iterations = our_run::plain_iterations(problem, ITERATION_TOLERANCE)?;
    Ok(Comparison { case, ours, clarabel, tolerance, iterations })
}

impl Comparison<'_> {
    /// Clarabel's time divided by ours; `None` unless both have an answer of that residual.
    fn ratio(&self) -> Option<f64> {
        let both = self.clarabel.residual <= WORST_ANSWER && self.ours_met();
        both.then(|| self.clarabel.seconds / self.ours.seconds)
    }
    fn ours_met(&self) -> bool {
        self.ours.residual() <= self.tolerance
    }
    fn note(&self, asked: f64) -> String {
        let mut notes = Vec::new();
        match self.clarabel.residual {
            residual if residual <= asked => {}
            residual if residual <= WORST_ANSWER => notes.push("at Clarabel's best"),
            _ => notes.push("Clarabel failed"),
        }
        if !self.ours_met() {
            notes.push("ours not reached");
        }
        notes.join(", ")
    }
}

fn table(comparisons: &[Comparison<'_>], asked: f64) -> Table {
    let mut table = Table::new(&[
        "problem",
        "contacts",
        "velocities",
        "its 1e-6",
        "its",
        "time",
        "residual",
        "clarabel its",
        "clarabel time",
        "clarabel residual",
        "backend",
        "units",
        "level",
        "ratio",
        "note",
    ]);
    for comparison in comparisons {
        let Comparison { case, ours, clarabel, iterations, .. } = comparison;
        table.push(vec![
            Value::text(&case.name),
            Value::Count(case.problem.contacts()),
            Value::Count(case.problem.velocities()),
            iterations.map_or(Value::Missing, |count| Value::Count(count as usize)),
            Value::Count(ours.report.iterations as usize),
            Value::Seconds(ours.seconds),
            Value::Small(ours.residual()),
            Value::Count(clarabel.iterations as usize),
            Value::Seconds(clarabel.seconds),
            Value::Small(clarabel.residual),
            Value::text(clarabel.backend),
            Value::text(clarabel.units),
            Value::Small(clarabel.level),
            comparison.ratio().map_or(Value::Missing, Value::Ratio),
            Value::text(comparison.note(asked)),
        ]);
    }
    table
}

fn summary(comparisons: &[Comparison<'_>], arguments: &Arguments) {
    let asked = arguments.tol;
    let large = |c: &&Comparison<'_>| c.case.origin == Origin::File && c.case.problem.contacts() >= FEWEST_CONTACTS;
    let ratios = |chosen: Vec<&Comparison<'_>>| chosen.into_iter().filter_map(Comparison::ratio).collect::<Vec<f64>>();
    let files = ratios(comparisons.iter().filter(large).collect());
    let packings = ratios(comparisons.iter().filter(|c| c.case.origin == Origin::Packing).collect());
    println!(
        "\nratio = Clarabel's time / ours at natural_map_relative {asked:.0e} (or where Clarabel ends), threads: {}",
        arguments.threads
    );
    for (name, ratios) in [(format!("files with ≥ {FEWEST_CONTACTS} contacts"), files), ("packings".into(), packings)]
    {
        if let Some(mean) = geometric_mean(&ratios) {
            println!("geometric mean over {} {name}: {mean:.2}", ratios.len());
        }
    }
    let named = comparisons.iter().filter_map(|c| Some((c.ratio()?, &c.case.name)));
    if let Some((ratio, name)) = named.min_by(|a, b| a.0.total_cmp(&b.0)) {
        println!("worst ratio: {ratio:.2} ({name})");
    }
    if let Some(median) = median(comparisons.iter().filter_map(|c| c.iterations).collect()) {
        println!("median interior-point iterations to {ITERATION_TOLERANCE:.0e} without polish: {median}");
    }
    let ours = comparisons.iter().filter(|c| !c.ours_met()).count();
    let clarabel = comparisons.len() - comparisons.iter().filter(|c| c.clarabel.residual <= asked).count();
    println!("not reached: ours {ours}, Clarabel {clarabel} of {}", comparisons.len());
}

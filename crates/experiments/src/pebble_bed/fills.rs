//! PB-1, PB-2, PB-3: 800, 1600 and 3200 pebbles until they rest.

use super::fill::{Fill, Recipe};
use super::orderings::{is_fastest, is_several_times_slower, is_slowest};
use super::replay::Replay;
use super::solvers::{self, AUGMENTED, BLMVM, QUASI_DEFINITE, REDUCED, TRON};
use crate::hardware::{PENTIUM_4, cores, times_as_fast_as};
use crate::{Context, DataTable, Figure, Outcome, Row, Series, Verdict};

/// One run of the paper: average seconds a step on its machine.
struct Published {
    id: &'static str,
    pebbles: usize,
    rest_energy: f64,
    steps: &'static str,
    /// Of OOQP-CHOL, OOQP-MA27, BLMVM and TRON.
    cholesky: f64,
    indefinite: Option<f64>,
    blmvm: f64,
    tron: Option<f64>,
    /// Pebbles and steps of a quick run, and steps between the problems that all solvers solve.
    quick: (usize, u64, u64),
    keep_every: u64,
    /// Most seconds a solve of the others.
    time_limit: f64,
}

/// How many times faster a step than published is asked of us.
const FASTER: f64 = 100.0;

pub(super) fn first(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let published = Published {
        id: "PB-1",
        pebbles: 800,
        rest_energy: 0.2,
        steps: "324-487",
        cholesky: 25.206,
        indefinite: Some(161.33),
        blmvm: 30.058,
        tron: Some(580.624),
        quick: (100, 100, 30),
        keep_every: 20,
        time_limit: 30.0,
    };
    run(context, &published)
}

pub(super) fn second(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let published = Published {
        id: "PB-2",
        pebbles: 1600,
        rest_energy: 0.8,
        steps: "310-394",
        cholesky: 122.894,
        indefinite: Some(1083.929),
        blmvm: 185.652,
        tron: None,
        quick: (150, 100, 40),
        keep_every: 40,
        time_limit: 30.0,
    };
    run(context, &published)
}

pub(super) fn third(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let published = Published {
        id: "PB-3",
        pebbles: 3200,
        rest_energy: 2.5,
        steps: "284-296",
        cholesky: 593.023,
        indefinite: None,
        blmvm: 779.618,
        tron: None,
        quick: (200, 100, 40),
        keep_every: 60,
        time_limit: 60.0,
    };
    run(context, &published)
}

fn run(context: &Context<'_>, published: &Published) -> anyhow::Result<Outcome> {
    let (pebbles, most_steps, keep_every) =
        context.choose(published.quick, (published.pebbles, 500, published.keep_every));
    let reduced = solvers::named(REDUCED).ok_or_else(|| anyhow::anyhow!("no solver {REDUCED}"))?;
    let fill = Fill::run(
        context,
        &Recipe {
            label: &format!("{pebbles} pebbles, {REDUCED}"),
            pebbles,
            method: reduced.method,
            rest_energy: published.rest_energy,
            most_steps,
            keep_every: Some(keep_every),
        },
    )?;
    let time_limit = context.choose(2.0, published.time_limit);
    let mut replays = Vec::new();
    // An unsymmetric factorisation of 3200 pebbles takes minutes, and the paper has no time for it either.
    let has_augmented = context.is_quick() || published.indefinite.is_some();
    for solver in solvers::all().into_iter().filter(|solver| has_augmented || solver.name != AUGMENTED) {
        replays.push(Replay::of(context, &solver, &fill.problems, time_limit)?);
    }
    let mut outcome = Outcome::default();
    let report = Report { published, pebbles, is_full: !context.is_quick(), fill: &fill, replays: &replays };
    report.rows(&mut outcome);
    report.tables(&mut outcome);
    report.figures(&mut outcome);
    outcome.notes.push(format!(
        "{pebbles} pebbles fall from random places in a cylinder above the vessel; the paper's start on circles in planes. The whole \
         fill is run with {REDUCED}; the problems of every {keep_every}th step ({} of them) are then solved by all methods from no \
         guess to the same residual {:.0e} (the paper ran every solver by itself, with tolerances of its own). Pairs enter a problem when \
         their speeds may close them within the step: at most {} contacts here, while the paper's one published QP has 21 a pebble (PB-4).",
        fill.problems.len(),
        solvers::TOLERANCE,
        fill.most_contacts(),
    ));
    Ok(outcome)
}

struct Report<'a> {
    published: &'a Published,
    pebbles: usize,
    is_full: bool,
    fill: &'a Fill,
    replays: &'a [Replay],
}

impl Report<'_> {
    fn seconds(&self, name: &str) -> f64 {
        self.replays.iter().find(|replay| replay.solver.name == name).map_or(f64::NAN, Replay::mean_seconds)
    }

    fn row(&self, quantity: &str, published: String, ours: String, verdict: Verdict, note: String) -> Row {
        let effort = if self.is_full { "" } else { " --quick" };
        let command = format!("signorini reproduce {}{effort}", self.published.id);
        Row { quantity: quantity.into(), published, ours, ratio: None, verdict, command, note }
    }

    /// Quick fills have problems of a few dozen contacts: their times say nothing about the published sizes.
    fn at_full_size(&self, verdict: Verdict) -> Verdict {
        if self.is_full { verdict } else { Verdict::Informative }
    }

    fn rows(&self, outcome: &mut Outcome) {
        let Self { published, fill, .. } = self;
        let steps = match fill.rested {
            true => fill.steps.len().to_string(),
            false => format!("not at rest after {}", fill.steps.len()),
        };
        let plain = format!("signorini run pebble-bed --set count={} --tol {:.0e}", self.pebbles, solvers::TOLERANCE);
        let quantity = format!("steps until the kinetic energy is below {}", published.rest_energy);
        let note = "the fill is ours: the paper's pebbles started higher up".to_owned();
        let mut row = self.row(&quantity, published.steps.into(), steps, Verdict::Informative, note);
        row.command = plain.clone();
        outcome.rows.push(row);
        self.speed_rows(&plain, outcome);
        let times = |names: &[&str]| names.iter().map(|name| self.seconds(name)).collect::<Vec<f64>>();
        let (reduced, lu) = (self.seconds(REDUCED), self.seconds(AUGMENTED));
        let others: Vec<&str> = [QUASI_DEFINITE, AUGMENTED, BLMVM, TRON]
            .into_iter()
            .filter(|name| self.seconds(name).is_finite())
            .collect();
        let ours: Vec<String> =
            others.iter().map(|name| format!("{name} {:.1}", self.seconds(name) / reduced)).collect();
        let verdict = self.at_full_size(is_fastest(reduced, &times(&others)));
        let note = match verdict {
            Verdict::Short => {
                "a method for bounds is faster on problems as small as these: a factorisation pays when they are larger"
            }
            _ => "",
        };
        let quantity = "interior point with Cholesky is the fastest; times of the others over its own";
        let words = format!(
            "BLMVM {:.1}{}{}",
            published.blmvm / published.cholesky,
            of("MA27", published.indefinite, published),
            of("TRON", published.tron, published)
        );
        outcome.rows.push(self.row(quantity, words, ours.join(", "), verdict, note.into()));
        if let Some(indefinite) = published.indefinite {
            let words = format!("{:.1}", indefinite / published.cholesky);
            let quantity = "time of the augmented system over that of Cholesky: several times (3 or more)";
            let verdict = self.at_full_size(is_several_times_slower(lu, reduced));
            let note = "MA27 is a symmetric indefinite factorisation, ours of the augmented system an unsymmetric one; LDLᵀ of the \
                        quasi-definite form is closer to Cholesky";
            outcome.rows.push(self.row(quantity, words, format!("{:.1}", lu / reduced), verdict, note.into()));
        }
        let (words, verdict) = match published.tron {
            Some(tron) => (
                format!("{:.0} times OOQP-CHOL", tron / published.cholesky),
                self.at_full_size(is_slowest(self.seconds(TRON), &times(&others))),
            ),
            None => ("crashed".to_owned(), Verdict::Informative),
        };
        let tron = self.replays.iter().find(|replay| replay.solver.name == TRON);
        let reached =
            tron.map_or(String::new(), |tron| format!(", reached {} of {}", tron.reached(), tron.solves.len()));
        let ours = format!("{:.1} times{reached}", self.seconds(TRON) / reduced);
        outcome.rows.push(self.row("TRON is the slowest", words, ours, verdict, note_on_tron(verdict).into()));
    }

    /// Seconds of whole steps, which only compare by orders of magnitude.
    fn speed_rows(&self, plain: &str, outcome: &mut Outcome) {
        let (published, seconds) = (self.published, self.fill.mean_seconds());
        let (ratio, machine) = (published.cholesky / seconds, times_as_fast_as(&PENTIUM_4));
        let verdict = self.at_full_size(Verdict::more_is_better(ratio, FASTER));
        let note = format!(
            "One core of this machine multiplies matrices {machine:.1} times as fast as the peak of the paper's processor, and {} may be used: \
             hardware explains a factor of {:.0} at most, the rest ({:.0}) is the method, its code and smaller problems.{}",
            cores(),
            machine * cores() as f64,
            ratio / (machine * cores() as f64),
            if self.is_full { "" } else { " Quick runs have fewer pebbles: no comparison." },
        );
        let words = format!("{} s a step on a Pentium 4", published.cholesky);
        let ours = format!("{seconds:.3} s, {ratio:.0} times faster (asked: {FASTER})");
        let mut row = self.row("OOQP-CHOL: average time of a step", words, ours, verdict, note);
        row.ratio = Some(ratio).filter(|_| self.is_full);
        row.command = plain.into();
        outcome.rows.push(row);
    }

    fn tables(&self, outcome: &mut Outcome) {
        let id = self.published.id.to_lowercase();
        let columns =
            ["method", "paper", "problems", "reached", "mean time [s]", "mean iterations", "published [s a step]"];
        let mut means = DataTable::new(&format!("{id}-solvers"), "Every method on the same problems", &columns);
        for replay in self.replays {
            let published = match replay.solver.paper {
                "OOQP-CHOL" => Some(self.published.cholesky),
                "OOQP-MA27" => self.published.indefinite,
                "BLMVM" => Some(self.published.blmvm),
                "TRON" => self.published.tron,
                _ => None,
            };
            means.push(vec![
                replay.solver.name.into(),
                replay.solver.paper.into(),
                replay.solves.len().into(),
                replay.reached().into(),
                replay.mean_seconds().into(),
                replay.mean_iterations().into(),
                published.into(),
            ]);
        }
        let columns = ["method", "time of the step [s]", "rows", "solve [s]", "iterations", "residual", "reached"];
        let mut solves = DataTable::new(&format!("{id}-solves"), "Every solve", &columns);
        for replay in self.replays {
            for solved in &replay.solves {
                solves.push(vec![
                    replay.solver.name.into(),
                    solved.time.into(),
                    solved.rows.into(),
                    solved.seconds.into(),
                    solved.iterations.into(),
                    solved.residual.into(),
                    if solved.reached { "yes" } else { "no" }.into(),
                ]);
            }
        }
        let columns = ["steps", "mean time of a step [s]", "mean iterations", "most contacts", "steps missed"];
        let mut fill = DataTable::new(&format!("{id}-fill"), "The whole fill", &columns);
        let whole = self.fill;
        fill.push(vec![
            whole.steps.len().into(),
            whole.mean_seconds().into(),
            whole.mean_iterations().into(),
            whole.most_contacts().into(),
            whole.missed().into(),
        ]);
        outcome.tables.extend([means, solves, fill]);
    }

    fn figures(&self, outcome: &mut Outcome) {
        let id = self.published.id.to_lowercase();
        let steps = &self.fill.steps;
        outcome.figures.push(Figure {
            name: format!("{id}-energy"),
            title: format!("Kinetic energy of {} pebbles", self.pebbles),
            x: "time [s]".into(),
            y: "kinetic energy".into(),
            log: [false, true],
            series: vec![Series::new(REDUCED, steps.iter().map(|taken| [taken.time, taken.kinetic]))],
            rules: vec![("rest".into(), self.published.rest_energy)],
        });
        let mut series = vec![Series::new("whole step", steps.iter().map(|taken| [taken.time, taken.seconds]))];
        series.extend(self.replays.iter().map(|replay| {
            let points = replay.solves.iter().map(|solved| [solved.time, solved.seconds]);
            Series::new(replay.solver.name, points).with_dots()
        }));
        outcome.figures.push(Figure {
            name: format!("{id}-time"),
            title: format!("Time of a step of {} pebbles", self.pebbles),
            x: "time [s]".into(),
            y: "time of a solve [s]".into(),
            log: [false, true],
            series,
            rules: Vec::new(),
        });
    }
}

fn of(name: &str, seconds: Option<f64>, published: &Published) -> String {
    seconds.map_or(String::new(), |seconds| format!(", {name} {:.1}", seconds / published.cholesky))
}

fn note_on_tron(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Short => {
            "TRON needs few Newton steps on these problems, each with an incomplete factor of the free block"
        }
        _ => "",
    }
}

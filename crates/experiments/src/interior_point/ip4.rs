//! IP-4: three-point bending: how long steps may be with hard contacts and with springs in their place.

use super::THESIS;
use crate::bending::{Bending, Contacts, DAMPING, STIFFNESS, bend, scene, settings};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "IP-4",
    title: "Three-point bending: hard contacts allow long steps, springs do not",
    source: THESIS,
    description: "A rubber beam of 26 × 12 × 3 cells of corotational tetrahedra (E = 0.01 GPa, ν = 0.3, 1000 kg/m³) lies on two cylinders 1 m apart; a \
                  third is driven down 0.3 m at 1 m/s and holds. A step length is stable if the run comes to its end, every step is solved as \
                  it is, and elastic and kinetic energy stay below twice those of a hard run at h = 0.005 s. Springs: 2 MN/m and 100 N s/m \
                  a contact point, implicit Euler with Newton's method. Only selected steps are run: `cargo run -p signorini-bench -- \
                  flexible bending` runs a finer set. Quick: fewer steps, none that costs more than a few seconds.",
    seconds: [46.0, 150.0],
    run,
};

/// The published steps \[s\]: where hard contacts converge, to where they are stable, below which springs are.
const CONVERGES: f64 = 0.05;
const STABLE_TO: f64 = 0.06;
const SPRINGS_BELOW: f64 = 0.005;
/// The step of the run whose energies bound the others \[s\].
const REFERENCE: f64 = 0.005;
/// Steps run \[s\], in order of length.
const HARD: [f64; 4] = [0.05, 0.06, 0.08, 0.1];
const SPRINGS: [f64; 3] = [0.001, 0.002, 0.005];
/// How many of the hard steps are run quickly, and the first of those with springs: the stable one takes minutes.
const QUICK_HARD: usize = 2;
const QUICK_SPRINGS: usize = 1;
/// When hard runs end \[s\], and those with springs, which cost most of the time: the punch has stopped at 0.3 s.
const UNTIL: f64 = 0.5;
const SPRINGS_UNTIL: f64 = 0.35;

/// One run.
struct Run {
    contacts: Contacts,
    step: f64,
    found: Bending,
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut runs = Vec::new();
    let mut bounds = None;
    let (hard, springs) = context.choose((&HARD[..QUICK_HARD], &SPRINGS[QUICK_SPRINGS..]), (&HARD[..], &SPRINGS[..]));
    let hard = [REFERENCE].iter().chain(hard).map(|step| (Contacts::Hard, *step, UNTIL));
    for (contacts, step, until) in hard.chain(springs.iter().map(|step| (Contacts::Springs, *step, SPRINGS_UNTIL))) {
        let name = name_of(contacts);
        let at = |time: f64| Ok(context.at(&format!("{name}, h = {step} s, t = {time:.3} s"))?);
        let found = bend(scene(false)?, settings(step, contacts), until, bounds, &at)?;
        // The first is the reference.
        bounds = bounds.or(Some(found.energies()));
        runs.push(Run { contacts, step, found });
    }
    let figure = Figure {
        name: "force".into(),
        title: "Force of the punch".into(),
        x: "time [s]".into(),
        y: "force [N]".into(),
        series: runs.iter().filter(|run| is_drawn(run)).map(curve).collect(),
        ..Figure::default()
    };
    let notes = vec![format!(
        "Springs of {STIFFNESS:.0e} N/m and {DAMPING} N s/m are ours: the thesis does not give its own. Their stability is by chance at some \
         longer steps and not at shorter ones: the largest stable step is the one below which all that were tried are stable."
    )];
    Ok(Outcome { rows: rows(&runs), tables: vec![table(&runs)], figures: vec![figure], notes })
}

fn name_of(contacts: Contacts) -> &'static str {
    match contacts {
        Contacts::Hard => "hard",
        Contacts::Springs => "springs",
    }
}

fn is_drawn(run: &Run) -> bool {
    match run.contacts {
        Contacts::Hard => run.step == REFERENCE || run.step == CONVERGES,
        Contacts::Springs => run.found.is_stable(),
    }
}

fn curve(run: &Run) -> Series {
    let name = format!("{}, h = {} s", name_of(run.contacts), run.step);
    let series = Series::new(&name, run.found.reaction.iter().copied());
    if run.step == CONVERGES { series.with_dots() } else { series }
}

fn table(runs: &[Run]) -> DataTable {
    let mut table = DataTable::new(
        "steps",
        "Runs by step length",
        &[
            "contacts",
            "h [s]",
            "stable",
            "time of the run [s]",
            "elastic [J]",
            "kinetic [J]",
            "overlap [m]",
            "force at the end [N]",
        ],
    );
    for Run { contacts, step, found } in runs {
        let stable = if found.is_stable() { "yes" } else { &found.trouble };
        table.push(vec![
            name_of(*contacts).into(),
            (*step).into(),
            stable.into(),
            found.seconds.into(),
            found.elastic.into(),
            found.kinetic.into(),
            found.overlap.into(),
            found.reaction.last().map(|point| point[1]).into(),
        ]);
    }
    table
}

/// The largest step below which all that were tried are stable \[s\].
fn largest_stable(runs: &[Run], contacts: Contacts) -> Option<&Run> {
    runs.iter().filter(|run| run.contacts == contacts).take_while(|run| run.found.is_stable()).last()
}

fn rows(runs: &[Run]) -> Vec<Row> {
    let command = || "signorini reproduce IP-4".to_owned();
    let find = |contacts, step: f64| runs.iter().find(|run| run.contacts == contacts && run.step == step);
    let mut rows = Vec::new();
    for (step, published) in [(CONVERGES, "converges"), (STABLE_TO, "stable")] {
        let run = find(Contacts::Hard, step);
        let stable = run.is_some_and(|run| run.found.is_stable());
        let trouble = run.map_or_else(String::new, |run| run.found.trouble.clone());
        rows.push(Row {
            quantity: format!("hard contacts at h = {step} s"),
            published: published.into(),
            ours: if stable { "stable, every step converged".into() } else { trouble.clone() },
            ratio: None,
            verdict: Verdict::holds(stable),
            command: command(),
            note: if stable { String::new() } else { format!("The run ends early: {trouble}") },
        });
    }
    let (hard, springs) = (largest_stable(runs, Contacts::Hard), largest_stable(runs, Contacts::Springs));
    let limit = hard.map_or(0.0, |run| run.step);
    // Steps are 0.01 s and more apart: within a tenth is the same step.
    let verdict = Verdict::more_is_better(limit, STABLE_TO);
    rows.push(Row {
        quantity: "largest stable step with hard contacts [s]".into(),
        published: STABLE_TO.to_string(),
        ours: limit.to_string(),
        ratio: Some(limit / STABLE_TO),
        verdict,
        command: command(),
        note: if verdict == Verdict::Short {
            "A published step is not stable here: see the rows above.".into()
        } else {
            String::new()
        },
    });
    if let Some(run) = find(Contacts::Springs, SPRINGS_BELOW) {
        let unstable = !run.found.is_stable();
        rows.push(Row {
            quantity: format!("springs in place of contacts at h = {SPRINGS_BELOW} s, implicit integration"),
            published: "not stable".into(),
            ours: if unstable { format!("not stable ({})", run.found.trouble) } else { "stable".into() },
            ratio: None,
            verdict: Verdict::holds(unstable),
            command: command(),
            note: match unstable {
                true => String::new(),
                false => "Springs bear this step here: the thesis does not give the stiffness of its own.".into(),
            },
        });
    }
    let published = STABLE_TO / SPRINGS_BELOW;
    let mut times = Row {
        quantity: "the largest stable step with hard contacts is this many times that with springs".into(),
        published: format!("more than {published:.0}"),
        ours: String::new(),
        ratio: None,
        verdict: Verdict::NotRun,
        command: command(),
        note: String::new(),
    };
    let is_tried = find(Contacts::Springs, SPRINGS[0]).is_some();
    match (hard, springs) {
        (Some(hard), Some(springs)) => {
            let ours = hard.step / springs.step;
            times.ours = format!("{ours:.0} ({} s and {} s)", hard.step, springs.step);
            times.ratio = Some(ours / published);
            times.verdict = Verdict::more_is_better(ours, published);
            if times.verdict == Verdict::Short {
                times.note =
                    "Springs bear longer steps here than in the thesis, which does not give their stiffness.".into();
            }
        }
        _ if is_tried => {
            times.verdict = Verdict::Short;
            times.note = "One of both has no stable step among those that were tried.".into();
        }
        _ => {}
    }
    rows.push(times);
    if let (Some(hard), Some(springs)) = (hard, springs) {
        let speed = |run: &Run| run.found.seconds / run.found.reaction.last().map_or(f64::NAN, |point| point[0]);
        rows.push(Row {
            quantity: "simulated time costs this many times less with hard contacts, each at its largest stable step"
                .into(),
            published: String::new(),
            ours: format!("{:.1}", speed(springs) / speed(hard)),
            ratio: None,
            verdict: Verdict::Informative,
            command: command(),
            note: String::new(),
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(contacts: Contacts, step: f64, stable: bool) -> Run {
        let trouble = if stable { String::new() } else { "t = 0.1 s: it bursts".into() };
        Run {
            contacts,
            step,
            found: Bending { trouble, seconds: 1.0, reaction: vec![[0.5, 1.0]], ..Bending::default() },
        }
    }

    #[test]
    fn a_stable_step_beyond_an_unstable_one_does_not_count() {
        let stability = [(0.001, true), (0.002, false), (0.005, true)];
        let runs: Vec<Run> = stability.map(|(step, stable)| of(Contacts::Springs, step, stable)).into_iter().collect();
        assert_eq!(largest_stable(&runs, Contacts::Springs).map(|run| run.step), Some(0.001));
        assert!(largest_stable(&runs, Contacts::Hard).is_none());
    }

    #[test]
    fn every_verdict_follows_from_the_runs() {
        let verdicts = |hard: [bool; 4], springs: [bool; 3]| {
            let hard = HARD.into_iter().zip(hard).map(|(step, stable)| of(Contacts::Hard, step, stable));
            let springs = SPRINGS.into_iter().zip(springs).map(|(step, stable)| of(Contacts::Springs, step, stable));
            let rows = rows(&hard.chain(springs).collect::<Vec<_>>());
            assert!(rows.iter().all(|row| row.verdict != Verdict::Short || !row.note.is_empty()));
            rows.into_iter().map(|row| row.verdict).collect::<Vec<_>>()
        };
        use Verdict::{AtPublished, Better, Informative, Short};
        let good = verdicts([true, true, true, false], [true, false, false]);
        assert_eq!(good, [AtPublished, AtPublished, Better, AtPublished, Better, Informative]);
        // A limit of 0.05 s is a sixth below the published one.
        let bad = verdicts([true, false, false, false], [true, true, true]);
        assert_eq!(bad, [AtPublished, Short, Short, Short, Short, Informative]);
        let none = verdicts([true, true, true, true], [false, false, false]);
        assert_eq!(none, [AtPublished, AtPublished, Better, AtPublished, Short]);
    }
}

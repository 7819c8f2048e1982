//! TS-1: order of accuracy of every integrator.

use super::motions::{Case, Followed};
use super::steppers::{label, settings};
use crate::rules::{order, reproduce, worst};
use crate::{Cell, Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict, fit};
use anyhow::Result;
use signorini_mechanics::Stepper;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-1",
    title: "Order of accuracy of every integrator",
    source: "notes on time-steppers",
    description: "Errors of positions, velocities and joint forces at the end of motions with known solutions, in four runs, each \
                  with half the step of the one before; the order is fitted. Motions: two masses on a soft and a stiff spring (closed form), \
                  a body on a ball joint (Euler's equations), a four-bar of hinges that leans in space (its one equation of motion), Andrews' \
                  squeezer (RK4 with tiny steps). Quick: the first two.",
    seconds: [2.4, 120.0],
    run,
};

fn steppers() -> Vec<Stepper> {
    let mut steppers = Stepper::ALL.to_vec();
    // β = ¼(γ + ½)²: stable for every step, damped, of order 1.
    steppers.push(Stepper::Newmark { beta: 0.3025, gamma: 0.6 });
    steppers
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let cases: &[Case] = context.choose(&[Case::StiffOscillator, Case::BallJoint], &Case::ALL);
    let mut table = DataTable::new(
        "orders",
        "Orders fitted over four runs, each with half the step; errors of the finest run (SI units)",
        &[
            "motion",
            "stepper",
            "order",
            "of positions",
            "of velocities",
            "of joint forces",
            "steps",
            "error of positions [m]",
            "error of velocities [m/s]",
            "error of joint forces [N]",
            "steps in parts",
        ],
    );
    let (mut rows, mut figures) = (Vec::new(), [figure("positions", "m"), figure("joint forces", "N")]);
    for stepper in steppers() {
        let name = label(&stepper);
        let mut found = Vec::new();
        for &case in cases {
            context.at(&format!("{name} on {}", case.name()))?;
            let exact = case.exact(&stepper)?;
            let followed = case.follow(&settings(stepper, case.end()), &exact)?;
            let parts = if case.has_multipliers() { 3 } else { 2 };
            let orders: Vec<f64> = (0..parts).map(|part| fitted(case, &followed, part)).collect();
            let part = |values: &dyn Fn(usize) -> f64, k: usize| Cell::from((k < parts).then(|| values(k)));
            let error = |k: usize| followed.errors[k][3];
            let mut cells = vec![case.name().into(), name.as_str().into(), f64::from(stepper.order()).into()];
            cells.extend((0..3).map(|k| part(&|k| orders[k], k)));
            cells.push(followed.steps[3].into());
            cells.extend((0..3).map(|k| part(&error, k)));
            cells.push(followed.troubled.into());
            table.push(cells);
            if case == Case::BallJoint {
                for (figure, part) in figures.iter_mut().zip([0, 2]) {
                    figure.series.push(Series::new(&name, points(case, &followed, part)).with_dots());
                }
            }
            found.push((case, orders));
        }
        rows.extend(rows_of(context, &stepper, &found));
    }
    let notes = vec![
        "A fitted order counts within 0.15 of the order of the method.".into(),
        "Steps with hard contacts are solved to 1e-10 m/s, joints of dvi-euler to 1e-11 m.".into(),
    ];
    Ok(Outcome { rows, tables: vec![table], figures: figures.to_vec(), notes })
}

/// h and error of the four runs.
fn points(case: Case, followed: &Followed, part: usize) -> Vec<[f64; 2]> {
    let step = |k: usize| case.end() / f64::from(followed.steps[k]);
    (0..4).map(|k| [step(k), followed.errors[part][k]]).collect()
}

fn fitted(case: Case, followed: &Followed, part: usize) -> f64 {
    fit::power(&points(case, followed, part))
}

fn figure(part: &str, unit: &str) -> Figure {
    Figure {
        name: format!("orders-{}", part.replace(' ', "-")),
        title: format!("A body on a ball joint: error of {part} after 0.8 s"),
        x: "step h [s]".into(),
        y: format!("error of {part} [{unit}]"),
        log: [true, true],
        ..Figure::default()
    }
}

/// What the notes say of joint forces.
enum Forces {
    /// They have an order.
    Order(f64),
    /// They oscillate: their error does not shrink with the step.
    Oscillate,
    /// Nothing.
    Silent,
}

fn forces(stepper: &Stepper) -> Forces {
    match stepper {
        Stepper::Trapezoidal | Stepper::TrapezoidalLinearised => Forces::Oscillate,
        Stepper::Newmark { gamma, .. } if *gamma == 0.5 => Forces::Oscillate,
        Stepper::DviPassive | Stepper::DviRattle => Forces::Silent,
        _ => Forces::Order(f64::from(stepper.order())),
    }
}

/// A row for the motion and one for joint forces.
fn rows_of(context: &Context<'_>, stepper: &Stepper, found: &[(Case, Vec<f64>)]) -> [Row; 2] {
    let (name, expected) = (label(stepper), f64::from(stepper.order()));
    let said = |parts: std::ops::Range<usize>| {
        let case = |(case, orders): &(Case, Vec<f64>)| {
            let orders: Vec<String> = orders.get(parts.clone())?.iter().map(|order| format!("{order:.2}")).collect();
            Some(format!("{} ({})", orders.join(", "), case.name()))
        };
        found.iter().filter_map(case).collect::<Vec<_>>().join("; ")
    };
    let motion = || found.iter().flat_map(|(_, orders)| orders[..2].iter().copied());
    let of_forces = || found.iter().filter_map(|(_, orders)| orders.get(2).copied());
    let least = |orders: &mut dyn Iterator<Item = f64>| orders.fold(f64::INFINITY, f64::min);
    let command = reproduce(context, "TS-1");
    let first = Row {
        quantity: format!("{name}: order of positions and velocities"),
        published: format!("{expected}"),
        ours: said(0..2),
        ratio: Some(least(&mut motion()) / expected),
        verdict: worst(motion().map(|found| order(found, expected))),
        command: command.clone(),
        note: String::new(),
    };
    let (published, ratio, verdict) = match forces(stepper) {
        Forces::Order(expected) => (
            format!("{expected}"),
            Some(least(&mut of_forces()) / expected),
            worst(of_forces().map(|found| order(found, expected))),
        ),
        // No order: the error of at least one motion does not even halve with the step.
        Forces::Oscillate => {
            ("they oscillate (no order)".into(), None, Verdict::holds(of_forces().any(|found| found < 0.5)))
        }
        Forces::Silent => (String::new(), None, Verdict::Informative),
    };
    let note = match verdict {
        Verdict::Short if stepper.has_hard_contacts() => {
            "In the four-bar hinges in space are redundant: many joint forces give the same motion, and the cone problem of a step takes any of them; \
             their motion has its order."
        }
        Verdict::Informative => {
            "The multipliers of a step are impulses of its two halves: averages over it, of order 1."
        }
        _ => "",
    };
    let second = Row {
        quantity: format!("{name}: order of joint forces"),
        published,
        ours: said(2..3),
        ratio,
        verdict,
        command,
        note: note.into(),
    };
    [first, second]
}

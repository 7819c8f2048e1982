//! TS-7: how far the energy of a motion without losses drifts.

use super::steppers::{label, settings};
use crate::rules::reproduce;
use crate::scene_run::SceneRun;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::{Energy, Simulation, Stepper};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-7",
    title: "Energy of a double pendulum with every integrator",
    source: "notes on time-steppers",
    description: "A double pendulum without losses, h = 1 ms, 4 s (quick: 0.4 s). The notes say that implicit Euler loses energy, that methods \
                  without dissipation may gain it in long runs, and that a little numerical dissipation is therefore worth its price.",
    seconds: [0.5, 71.0],
    run,
};

/// s.
const STEP: f64 = 1e-3;
const SECONDS: f64 = 4.0;
/// Points of a curve.
const POINTS: u32 = 200;

/// How far the energy of a motion without losses moves from its start.
pub(crate) struct EnergyDrift {
    start: f64,
    /// The last E − E₀, and the largest size of it.
    pub(crate) last: f64,
    pub(crate) largest: f64,
    /// The largest kinetic energy, and the largest |E|.
    pub(crate) kinetic: f64,
    pub(crate) total: f64,
}

impl EnergyDrift {
    pub(crate) fn of(energy: &Energy) -> Self {
        let start = energy.total();
        Self { start, last: 0.0, largest: 0.0, kinetic: energy.kinetic, total: start.abs() }
    }

    pub(crate) fn see(&mut self, energy: &Energy) {
        self.last = energy.total() - self.start;
        self.largest = self.largest.max(self.last.abs());
        self.kinetic = self.kinetic.max(energy.kinetic);
        self.total = self.total.max(energy.total().abs());
    }

    /// The largest drift over the largest kinetic energy.
    pub(crate) fn relative(&self) -> f64 {
        self.largest / self.kinetic
    }
}

/// What one stepper did.
struct Followed {
    drift: EnergyDrift,
    violation: f64,
    until: f64,
    seen: Vec<[f64; 2]>,
    failure: Option<String>,
}

fn follow(context: &Context<'_>, stepper: Stepper, steps: u32) -> Result<Followed> {
    let model = SceneRun::of("double-pendulum").scene()?.model;
    let mut simulation = Simulation::new(model, settings(stepper, STEP))?;
    let mut drift = EnergyDrift::of(&Energy::of(simulation.model(), simulation.state()));
    let (mut violation, mut seen, mut failure) = (0.0_f64, Vec::new(), None);
    for k in 1..=steps {
        if k % 500 == 1 {
            context.at(&format!("{}: step {k} of {steps}", label(&stepper)))?;
        }
        // A method that cannot go on is a result as well.
        let report = match simulation.step() {
            Ok(report) => report,
            Err(error) => {
                failure = Some(error.to_string());
                break;
            }
        };
        violation = violation.max(report.joint_violation);
        drift.see(&report.energy);
        if k % (steps / POINTS).max(1) == 0 {
            seen.push([report.time, drift.last.abs()]);
        }
    }
    Ok(Followed { drift, violation, until: simulation.state().time, seen, failure })
}

/// What is claimed of the energy.
enum Claim {
    /// Stays within a share of the largest kinetic energy.
    Kept(f64),
    /// Is lost: this share of the kinetic energy at least.
    Lost,
    /// Grows: an explicit Euler step multiplies oscillations by √(1 + (ωh)²).
    Gained,
    /// Of undamped rules with joints: nothing sure in long runs.
    MayGrow,
}

/// Of order p: 10 (h/τ)ᵖ with τ = 0.1 s, about the shortest time in which the motion changes.
fn claim(stepper: &Stepper) -> Claim {
    match stepper {
        Stepper::ImplicitEuler | Stepper::ImplicitEulerLinearised => Claim::Lost,
        Stepper::Euler => Claim::Gained,
        Stepper::Trapezoidal | Stepper::TrapezoidalLinearised => Claim::MayGrow,
        Stepper::Newmark { gamma, .. } if *gamma == 0.5 => Claim::MayGrow,
        _ => Claim::Kept(10.0 * (STEP / 0.1).powi(stepper.order())),
    }
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "energy",
        "A double pendulum, h = 1 ms: energy over the largest kinetic energy",
        &["stepper", "largest |E - E0|", "at the end, signed", "violation [m]", "ran until [s]"],
    );
    let steps = (context.choose(0.1, 1.0) * SECONDS / STEP).round() as u32;
    // By a method that keeps it: some gain so much that their own says nothing.
    let kinetic = follow(context, Stepper::Rk4, steps)?.drift.kinetic;
    let (mut rows, mut series, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for stepper in Stepper::ALL {
        let name = label(&stepper);
        let Followed { drift, violation, until, seen, failure } = follow(context, stepper, steps)?;
        let (largest, last) = (drift.largest / kinetic, drift.last / kinetic);
        table.push(vec![name.as_str().into(), largest.into(), last.into(), violation.into(), until.into()]);
        let ran = failure.is_none();
        let (published, verdict) = match claim(&stepper) {
            Claim::Kept(share) => (
                format!("error of order {}: at most {share:.0e}", stepper.order()),
                Verdict::holds(ran && largest <= share),
            ),
            Claim::Lost => ("damps: energy is lost".into(), Verdict::holds(ran && last < 0.0)),
            Claim::Gained => ("√(1 + (ωh)²) > 1 a step: energy is gained".into(), Verdict::holds(ran && last > 0.0)),
            Claim::MayGrow => ("not damped: energy may grow in long runs".into(), Verdict::Informative),
        };
        rows.push(Row {
            quantity: format!("{name}: energy drift over the largest kinetic energy"),
            published,
            ours: format!("{largest:.1e} ({last:+.1e} at the end)"),
            ratio: None,
            verdict,
            command: reproduce(context, "TS-7"),
            note: failure.as_ref().map_or(String::new(), |error| format!("Ended at {until:.2} s: {error}")),
        });
        if let Some(error) = failure {
            notes.push(format!("{name}: {error}"));
        }
        series.push(Series::new(stepper.name(), seen.iter().map(|[time, left]| [*time, left / kinetic])));
    }
    let figure = Figure {
        name: "energy".into(),
        title: "Energy of a double pendulum, h = 1 ms".into(),
        x: "time [s]".into(),
        y: "|E − E₀| / largest kinetic energy".into(),
        log: [false, true],
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], notes })
}

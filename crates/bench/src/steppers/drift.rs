//! How far joints open with explicit steppers, and how far energy drifts with all of them.

use super::scenes::Gallery;
use super::{Sheet, label, settings};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Energy, Projection, Settings, Simulation, Stepper};
use signorini_plot::{Axis, Curve, Plot};

/// s, of the pendulum.
const STEP: f64 = 2e-3;
const SECONDS: f64 = 10.0;
/// s, of the double pendulum.
const ENERGY_STEP: f64 = 1e-3;
const ENERGY_SECONDS: f64 = 4.0;
/// Points of a curve.
const POINTS: u32 = 200;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    violation(sheet)?;
    energy(sheet)
}

fn violation(sheet: &Sheet<'_>) -> Result<()> {
    let mut table =
        Table::new(&["stepper", "projection", "violation [m]", "violation [rad]", "energy drift / largest kinetic"]);
    let mut curves = Vec::new();
    let steps = (if sheet.is_quick() { 0.1 } else { 1.0 } * SECONDS / STEP) as u32;
    let explicit = Stepper::ALL.into_iter().filter(Stepper::is_explicit);
    for (kind, stepper) in explicit.enumerate() {
        let projections = [Projection::None, Projection::Positions, Projection::Both];
        for (name, projection) in ["none", "positions", "both"].into_iter().zip(projections) {
            let settings = Settings { projection: Some(projection), ..settings(stepper, STEP) };
            let mut simulation = Simulation::new(Gallery::Pendulum.model(&[])?, settings)?;
            let mut drift = EnergyDrift::of(&simulation);
            let (mut metres, mut radians) = (0.0_f64, 0.0_f64);
            let mut points = Vec::new();
            for k in 1..=steps {
                let report = simulation.step()?;
                metres = metres.max(report.joint_violation);
                radians = radians.max(report.joint_angle_violation);
                drift.see(&report.energy);
                if k % (steps / POINTS).max(1) == 0 {
                    points.push([report.time, report.joint_violation]);
                }
            }
            table.push(vec![
                Value::text(stepper.name()),
                Value::text(name),
                Value::Small(metres),
                Value::Small(radians),
                Value::Small(drift.relative()),
            ]);
            // With projection all are at rounding; without, each has a curve.
            if projection == Projection::None || stepper == Stepper::Rk4 {
                let style = if projection == Projection::None { kind } else { kind + 8 * (1 + name.len() % 3) };
                curves.push(Curve::new(&format!("{}, {name}", stepper.name()), style, points));
            }
        }
    }
    sheet.table(
        "A pendulum, h = 2 ms (10 s unless --quick): explicit steppers and what is put back onto the hinge",
        "drift",
        &table,
    )?;
    sheet.picture(
        "drift",
        &Plot {
            title: "A hinge with explicit steppers, h = 2 ms, by what is projected".into(),
            x: Axis::linear("time [s]"),
            y: Axis::logarithmic("violation of the hinge [m]").within([1e-16, 1.0]),
            curves,
            legend: true,
            size: [760.0, 340.0],
            ..Plot::default()
        },
    )
}

fn energy(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&[
        "stepper",
        "largest |E - E0| / largest kinetic",
        "at the end, signed",
        "violation [m]",
        "ran until [s]",
    ]);
    let (mut curves, mut failures) = (Vec::new(), Vec::new());
    let steps = (if sheet.is_quick() { 0.1 } else { 1.0 } * ENERGY_SECONDS / ENERGY_STEP) as u32;
    let kinetic = largest_kinetic(steps)?;
    for (style, stepper) in Stepper::ALL.into_iter().enumerate() {
        let mut simulation = Simulation::new(Gallery::DoublePendulum.model(&[])?, settings(stepper, ENERGY_STEP))?;
        let mut drift = EnergyDrift::of(&simulation);
        let (mut violation, mut seen) = (0.0_f64, Vec::new());
        for k in 1..=steps {
            // A method that cannot go on is a result as well.
            let report = match simulation.step() {
                Ok(report) => report,
                Err(error) => {
                    failures.push(format!("{}: {error}", label(&stepper)));
                    break;
                }
            };
            violation = violation.max(report.joint_violation);
            drift.see(&report.energy);
            if k % (steps / POINTS).max(1) == 0 {
                seen.push((report.time, drift.last.abs()));
            }
        }
        table.push(vec![
            Value::text(label(&stepper)),
            Value::Small(drift.largest / kinetic),
            Value::Small(drift.last / kinetic),
            Value::Small(violation),
            Value::Ratio(simulation.state().time),
        ]);
        let points = seen.iter().map(|(time, left)| [*time, left / kinetic]).collect();
        curves.push(Curve::new(stepper.name(), style, points));
    }
    sheet.table("A double pendulum, h = 1 ms (4 s unless --quick): energy", "energy", &table)?;
    failures.iter().for_each(|failure| println!("{failure}"));
    sheet.picture(
        "energy",
        &Plot {
            title: "Energy of a double pendulum, h = 1 ms".into(),
            x: Axis::linear("time [s]"),
            y: Axis::logarithmic("|E − E₀| / largest kinetic energy").within([1e-11, 10.0]),
            curves,
            legend: true,
            size: [760.0, 380.0],
            ..Plot::default()
        },
    )
}

/// The largest kinetic energy of the double pendulum, by a method that keeps it: some gain so much that their own says nothing.
fn largest_kinetic(steps: u32) -> Result<f64> {
    let mut simulation = Simulation::new(Gallery::DoublePendulum.model(&[])?, settings(Stepper::Rk4, ENERGY_STEP))?;
    let mut drift = EnergyDrift::of(&simulation);
    for _ in 0..steps {
        drift.see(&simulation.step()?.energy);
    }
    Ok(drift.kinetic)
}

/// How far the energy of a motion without losses moves from its start.
pub(super) struct EnergyDrift {
    start: f64,
    /// The last E − E₀, and the largest size of it.
    pub(super) last: f64,
    pub(super) largest: f64,
    /// The largest kinetic energy, and the largest |E|.
    pub(super) kinetic: f64,
    pub(super) total: f64,
}

impl EnergyDrift {
    pub(super) fn of(simulation: &Simulation) -> Self {
        let energy = Energy::of(simulation.model(), simulation.state());
        let start = energy.total();
        Self { start, last: 0.0, largest: 0.0, kinetic: energy.kinetic, total: start.abs() }
    }

    pub(super) fn see(&mut self, energy: &Energy) {
        self.last = energy.total() - self.start;
        self.largest = self.largest.max(self.last.abs());
        self.kinetic = self.kinetic.max(energy.kinetic);
        self.total = self.total.max(energy.total().abs());
    }

    /// The largest drift over the largest kinetic energy.
    pub(super) fn relative(&self) -> f64 {
        self.largest / self.kinetic
    }
}

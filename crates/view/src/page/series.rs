//! Plots of steps.csv.

use super::body::{Array, Body};
use crate::Recording;
use serde_json::{Value, json};
use signorini_scene::run::StepRow;

type Curve = (&'static str, fn(&StepRow) -> f64);

/// A plot.
struct Plot {
    title: &'static str,
    unit: &'static str,
    log: bool,
    curves: Vec<Curve>,
}

/// The plots of a run.
pub(super) struct Plots(Vec<Plot>);

impl Plots {
    pub(super) fn of(recording: &Recording) -> Self {
        let manifest = recording.manifest();
        let mut energy: Vec<Curve> = vec![("kinetic", |row| row.kinetic), ("potential", |row| row.potential)];
        if !manifest.flexible.is_empty() {
            energy.push(("elastic", |row| row.elastic));
        }
        energy.push(("total", StepRow::total));
        let plot = |title, unit, log, curves| Plot { title, unit, log, curves };
        let mut plots = vec![
            plot("energy", "J", false, energy),
            plot("penetration", "m", true, vec![("deepest", |row| row.penetration)]),
            plot("residual", "m/s", true, vec![("natural map", |row| row.natural_map), ("tolerance", tolerance)]),
            plot("iterations", "", false, vec![("iterations", |row| f64::from(row.iterations))]),
            plot(
                "contacts",
                "",
                false,
                vec![("in the problem", |row| row.contacts as f64), ("with force", |row| row.active as f64)],
            ),
        ];
        let has_joints =
            recording.steps().iter().any(|row| row.joint_violation > 0.0 || row.joint_angle_violation > 0.0);
        if has_joints || !manifest.joints.is_empty() {
            plots.push(plot("joint violation", "m", true, vec![("length", |row| row.joint_violation)]));
            plots.push(plot("joint violation", "rad", true, vec![("angle", |row| row.joint_angle_violation)]));
        }
        plots.push(plot(
            "time a step",
            "s",
            true,
            vec![
                ("collision", |row| row.seconds[0]),
                ("assembly", |row| row.seconds[1]),
                ("solve", |row| row.seconds[2]),
            ],
        ));
        Self(plots)
    }

    /// Number of curves.
    pub(super) fn curves(&self) -> usize {
        self.0.iter().map(|plot| plot.curves.len()).sum()
    }

    /// Packs the given steps.
    pub(super) fn pack(&self, steps: &[StepRow], rows: &[usize], body: &mut Body) -> (Value, Array) {
        let mut values = |of: fn(&StepRow) -> f64| {
            // A gap is NaN; infinities cannot be drawn either.
            let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
            body.f64s(&rows.iter().map(|row| finite(of(&steps[*row]))).collect::<Vec<_>>())
        };
        let times = values(|row| row.time);
        let mut plots = Vec::new();
        for plot in &self.0 {
            let curves: Vec<Value> =
                plot.curves.iter().map(|(name, of)| json!({ "name": name, "values": values(*of) })).collect();
            plots.push(json!({ "title": plot.title, "unit": plot.unit, "log": plot.log, "curves": curves }));
        }
        (Value::Array(plots), times)
    }
}

/// The residual a step had to reach \[m/s\]: the residual divided by its ratio to the tolerance.
fn tolerance(row: &StepRow) -> f64 {
    if row.tolerance_ratio > 0.0 && row.natural_map > 0.0 { row.natural_map / row.tolerance_ratio } else { f64::NAN }
}

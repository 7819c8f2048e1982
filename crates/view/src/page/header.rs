//! The header: names, facts, and where the arrays are.

use super::body::Array;
use super::joints;
use crate::Recording;
use serde_json::{Value, json};
use signorini_scene::run::{Manifest, RunStatus};
use signorini_solver::Tolerance;

/// What the parts of a run say.
pub(super) struct Parts<'a> {
    pub(super) notes: &'a [String],
    pub(super) bounds: [[f64; 3]; 2],
    pub(super) times: Array,
    pub(super) steps: Array,
    pub(super) frames: usize,
    pub(super) shapes: Vec<Value>,
    pub(super) bodies: Vec<Value>,
    pub(super) motion: Value,
    pub(super) flexible: Vec<Value>,
    pub(super) contacts: Option<Value>,
    pub(super) joint_forces: Option<Value>,
    pub(super) series: (Value, Array),
}

/// About how many bytes a header has.
pub(super) fn estimate(manifest: &Manifest) -> u64 {
    let bodies: usize = manifest.bodies.iter().map(|body| 300 + body.name.len() + 250 * body.shapes.len()).sum();
    (10_000 + bodies + 200 * manifest.shapes.len() + 400 * manifest.joints.len()) as u64
}

/// The header, padded so that the body starts at a multiple of 8 bytes.
pub(super) fn text(recording: &Recording, parts: Parts<'_>) -> String {
    let manifest = recording.manifest();
    let status = match manifest.status {
        RunStatus::Running => "running",
        RunStatus::Finished => "finished",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed => "failed",
        RunStatus::Stopped => "stopped",
    };
    let (series, series_time) = parts.series;
    let header = json!({
        "format": 1,
        "program": format!("signorini {}", env!("CARGO_PKG_VERSION")),
        "name": manifest.scene.name,
        "title": manifest.scene.title,
        "status": status,
        "notes": parts.notes,
        "facts": facts(recording),
        "gravity": manifest.gravity,
        "low": parts.bounds[0],
        "high": parts.bounds[1],
        "frames": { "count": parts.frames, "time": parts.times, "step": parts.steps },
        "shapes": parts.shapes,
        "bodies": parts.bodies,
        "motion": parts.motion,
        "flexible": parts.flexible,
        "contacts": parts.contacts,
        "joints": joints::list(manifest),
        "joint_forces": parts.joint_forces,
        "series": series,
        "series_time": series_time,
    });
    let mut text = header.to_string();
    let padded = (4 + text.len()).next_multiple_of(8) - 4;
    text.extend(std::iter::repeat_n(' ', padded - text.len()));
    text
}

/// What the page says about a run in words.
fn facts(recording: &Recording) -> Vec<[String; 2]> {
    let manifest = recording.manifest();
    let (settings, steps) = (&manifest.settings, recording.steps());
    let tolerance = match settings.tolerance {
        Some(Tolerance::Velocity(speed)) => format!("{speed:e} m/s"),
        Some(Tolerance::Relative(share)) => format!("{share:e} of the free velocity"),
        _ => "by the speed gained in a step".into(),
    };
    let largest = |of: &dyn Fn(&signorini_scene::run::StepRow) -> f64| steps.iter().map(of).fold(0.0, f64::max);
    let taken = steps.len();
    let seconds: f64 = steps.iter().flat_map(|row| row.seconds).sum();
    let mut facts = vec![
        ("stepper", manifest.stepper.clone()),
        ("step", format!("{} s", settings.step)),
        ("solver", settings.solver_name().to_owned()),
        ("friction law", settings.friction.name().to_owned()),
        ("tolerance", tolerance),
        ("steps", format!("{taken} of {}", manifest.steps)),
        ("steps that broke a promise", steps.iter().filter(|row| !row.converged()).count().to_string()),
        ("worst residual", format!("{:.1e} m/s", largest(&|row| row.natural_map))),
        ("deepest overlap", format!("{:.1e} m", largest(&|row| row.penetration))),
        ("most contacts", format!("{}", largest(&|row| row.contacts as f64))),
        ("most iterations", format!("{}", largest(&|row| f64::from(row.iterations)))),
        ("bodies", manifest.bodies.len().to_string()),
    ];
    if !manifest.flexible.is_empty() {
        facts.push(("nodes of flexible bodies", manifest.nodes().to_string()));
    }
    if !manifest.joints.is_empty() {
        facts.push(("joints", manifest.joints.len().to_string()));
        facts.push(("joint violation", format!("{:.1e} m", largest(&|row| row.joint_violation))));
    }
    facts.push(("time of all steps", format!("{seconds:.2} s")));
    facts.push(("run by", format!("signorini {}", manifest.program)));
    facts.extend(manifest.scene.set.iter().map(|(name, value)| ("parameter", format!("{name} = {value}"))));
    facts.into_iter().map(|(name, value)| [name.to_owned(), value]).collect()
}

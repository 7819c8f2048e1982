//! run.json: what is run, with which settings, and how it ended.

use super::error::{damaged, reading};
use super::model_hash::model_hash;
use super::shapes::{self, BodyRecord, ShapeRecord};
use super::{FlexibleRecord, JointRecord, RunError, Summary, durable, flexible, joints};
use crate::scene::USUAL_STOP;
use crate::{Origin, Output, Overrides, Scene};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use signorini_mechanics::{Energy, Settings};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Version of the run folder that this program reads and writes.
pub const FORMAT: u64 = 3;

/// Contents of run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the run folder, [`FORMAT`].
    pub format: u64,
    /// Version of the program that started the run.
    pub program: String,
    /// How the run stands.
    pub status: RunStatus,
    /// What stopped a run that failed, or whose steps had no answer.
    pub message: Option<String>,
    /// All steps together; none while it runs for the first time.
    #[serde(default, deserialize_with = "fitting_or_none")]
    pub summary: Option<Summary>,
    /// Energy before the first step \[J\], counted as in steps.csv. Runs of earlier programs do not have it.
    #[serde(default, deserialize_with = "fitting_or_none")]
    pub energy_at_start: Option<Energy>,
    /// The scene as it was read.
    pub scene: SceneRecord,
    /// How it is stepped: the scene's settings with everything the user changed.
    pub settings: Settings,
    /// The time-stepper.
    pub stepper: String,
    /// Steps after which the run ends.
    pub steps: u64,
    /// It ends early after so many steps in a row that have no answer; 0 for never.
    #[serde(default = "usual_stop")]
    pub stop_after: u32,
    /// What is written.
    pub output: OutputRecord,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Hash of all numbers of the model, those of joints, forces and flexible bodies included: a resumed run must be of the same model.
    pub model_hash: String,
    /// The bodies, in the order of the trajectory.
    pub bodies: Vec<BodyRecord>,
    /// Shapes the bodies refer to.
    pub shapes: Vec<ShapeRecord>,
    /// The flexible bodies, in the order of the trajectory; contacts count them after the others.
    #[serde(default)]
    pub flexible: Vec<FlexibleRecord>,
    /// The joints, in the order of forces.csv; runs of earlier programs have none.
    #[serde(default)]
    pub joints: Vec<JointRecord>,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// Under way, or ended by a crash.
    Running,
    /// All steps were taken.
    Finished,
    /// Stopped by the user.
    Interrupted,
    /// Stopped by an error.
    Failed,
    /// Stopped because its steps had no answer.
    Stopped,
}

fn usual_stop() -> u32 {
    USUAL_STOP
}

/// The scene of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneRecord {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// Its text, all of it.
    pub text: String,
    /// Where it came from: a path, if it was a file.
    pub file: Option<PathBuf>,
    /// Parameters the user changed.
    pub set: Vec<(String, String)>,
    /// The seed the user gave.
    pub seed: Option<u64>,
    /// All parameters with their values.
    pub parameters: Vec<(String, f64)>,
    /// What looked wrong in the scene.
    pub warnings: Vec<String>,
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Steps between frames.
    pub every: u64,
    /// The contact forces of every frame.
    pub contacts: bool,
    /// The forces of joints and of forces of every frame.
    #[serde(default)]
    pub forces: bool,
    /// VTK files of every frame.
    pub vtk: bool,
    /// Steps between checkpoints; by the clock without it.
    pub checkpoint_every: Option<u64>,
}

impl From<&Output> for OutputRecord {
    fn from(output: &Output) -> Self {
        Self {
            every: u64::from(output.every.max(1)),
            contacts: output.contacts,
            forces: output.forces,
            vtk: output.vtk,
            checkpoint_every: output.checkpoint_every.map(|every| u64::from(every.max(1))),
        }
    }
}

/// What does not fit (a number that was not finite has no place in JSON) counts as none: the other files have it all.
fn fitting_or_none<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

impl Manifest {
    /// The manifest of a run that starts.
    pub(super) fn new(scene: &Scene, overrides: &Overrides, steps: u64) -> Self {
        let (bodies, shapes) = shapes::record(scene);
        let file = match &scene.origin {
            Origin::File(path) => Some(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            Origin::Gallery(_) => None,
        };
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            status: RunStatus::Running,
            message: None,
            summary: None,
            energy_at_start: None,
            scene: SceneRecord {
                name: scene.name.clone(),
                title: scene.title.clone(),
                text: scene.source.clone(),
                file,
                set: overrides.set.clone(),
                seed: overrides.seed,
                parameters: scene.parameters.clone(),
                warnings: scene.warnings.clone(),
            },
            settings: scene.settings.clone(),
            stepper: scene.settings.stepper.name().to_owned(),
            steps,
            stop_after: scene.stop_after,
            output: OutputRecord::from(&scene.output),
            gravity: scene.model.gravity().to_array(),
            model_hash: model_hash(&scene.model),
            bodies,
            shapes,
            flexible: flexible::record(&scene.model),
            joints: joints::record(&scene.model),
        }
    }

    /// Nodes of all flexible bodies.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.flexible.iter().fold(0, |sum, body| body.nodes.saturating_add(sum))
    }

    /// Names of all bodies by the number contacts give: flexible bodies after the others.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let flexible = self.flexible.iter().map(|body| body.name.as_str());
        self.bodies.iter().map(|body| body.name.as_str()).chain(flexible)
    }

    /// Reads run.json of a folder; of earlier formats too if `earlier`, with what they do not say empty.
    pub(super) fn read(folder: &Path, earlier: bool) -> Result<Self, RunError> {
        let path = folder.join(super::MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(RunError::NotARun { folder: folder.to_path_buf() });
            }
            other => other.map_err(reading(&path))?,
        };
        // The version first: the rest may be laid out differently in another one.
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| damaged(&path, e.to_string()))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(FORMAT) => {}
            Some(1..FORMAT) if earlier => {}
            Some(found) => return Err(RunError::OtherVersion { file: path, found, expected: FORMAT }),
            None => return Err(damaged(&path, "it has no format number")),
        }
        let this: Self = serde_json::from_value(value).map_err(|e| damaged(&path, e.to_string()))?;
        let known = this.shapes.len();
        if let Some(body) = this.bodies.iter().find(|body| body.shapes.iter().any(|placed| placed.shape >= known)) {
            let problem = format!("body `{}` refers to a shape that is not there; there are {known}", body.name);
            return Err(damaged(&path, problem));
        }
        let bodies = this.bodies.len();
        if let Some(joint) = this.joints.iter().find(|joint| joint.bodies.iter().any(|body| *body >= bodies)) {
            let problem = format!("joint `{}` refers to a body that is not there; there are {bodies}", joint.name);
            return Err(damaged(&path, problem));
        }
        if this.output.every == 0 {
            return Err(damaged(&path, "output.every is 0, expected a number of steps"));
        }
        Ok(this)
    }

    /// Writes run.json of a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(super::MANIFEST);
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|e| damaged(&path, e.to_string()))?;
        bytes.push(b'\n');
        durable::replace(&path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_solver::{Method, Tolerance};

    #[test]
    fn settings_of_every_method_read_back_to_the_same_bits() {
        for method in Method::all() {
            let settings = Settings {
                method,
                step: 0.1_f64.sqrt() * 1e-3,
                tolerance: Some(Tolerance::Velocity(1.0 / 3.0 * 1e-7)),
                ..Settings::default()
            };
            let text = serde_json::to_string_pretty(&settings).unwrap();
            let back: Settings = serde_json::from_str(&text).unwrap();
            assert_eq!(back, settings, "{text}");
        }
    }
}

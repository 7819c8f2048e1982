//! What a scene file says, ready to run.

use signorini_mechanics::{Model, Settings, Stepper, Vec3};
use std::path::PathBuf;

/// A scene, ready to run.
#[derive(Debug)]
pub struct Scene {
    /// The name of the gallery scene, or of the file without its ending.
    pub name: String,
    /// One line that says what it is; empty if the file has none.
    pub title: String,
    /// More about it; empty if the file has none.
    pub description: String,
    /// Bodies, shapes, joints, forces.
    pub model: Model,
    /// Centre of mass of every rigid body in the frame in which the file gives the body's shapes \[m\], in the order of the model; 0 for
    /// fixed bodies. The model itself measures everything from the centre of mass.
    pub centres_of_mass: Vec<Vec3>,
    /// How it is stepped.
    pub settings: Settings,
    /// When it ends \[s\].
    pub until: f64,
    /// A run ends early after so many steps in a row that have no answer; 0 for never.
    pub stop_after: u32,
    /// What a run writes.
    pub output: Output,
    /// Things that look wrong but can be run: overlaps, joints that do not fit.
    pub warnings: Vec<String>,
    /// The parameters with their values, in the order of their names.
    pub parameters: Vec<(String, f64)>,
    /// The text it was read from.
    pub source: String,
    /// Where it came from.
    pub origin: Origin,
}

impl Scene {
    /// Steps from the start to the end: until / step, rounded to the nearest whole number.
    #[must_use]
    pub fn steps(&self) -> u64 {
        (self.until / self.settings.step).round() as u64
    }
}

/// Steps in a row without an answer that end a run, unless the scene has another number.
pub(crate) const USUAL_STOP: u32 = 5;

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Steps between frames.
    pub every: u32,
    /// Write the contact forces of every frame.
    pub contacts: bool,
    /// Write the forces of joints and of forces (motors, springs, bushings, loads) of every frame.
    pub forces: bool,
    /// Write VTK files.
    pub vtk: bool,
    /// Steps between checkpoints; none without it.
    pub checkpoint_every: Option<u32>,
}

impl Default for Output {
    fn default() -> Self {
        Self { every: 1, contacts: false, forces: false, vtk: false, checkpoint_every: None }
    }
}

/// Where a scene came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The gallery, by name.
    Gallery(String),
    /// A file.
    File(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gallery(name) => write!(f, "{name} (gallery)"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Changes to a scene that are given beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Parameters by name and their new values: numbers or expressions.
    pub set: Vec<(String, String)>,
    /// The seed of everything random, in place of the file's.
    pub seed: Option<u64>,
    /// The time-stepper, in place of the file's; what the file says of such steppers counts then.
    pub stepper: Option<Stepper>,
}

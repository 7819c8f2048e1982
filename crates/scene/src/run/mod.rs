//! Run folders: what a simulation leaves on the disk, how it is written, read, resumed and exported.
//!
//! | file | contents | written |
//! |---|---|---|
//! | `run.json` | scene text and overrides, effective settings, bodies and shapes, status, summary | replaced as a whole |
//! | `flexible.json` | meshes and materials of flexible bodies, if there are any | once |
//! | `steps.csv` | one line a step: residuals, energy, momentum, penetration, timings | appended |
//! | `trajectory.bin` | frames of 64-bit reals: time, 13 numbers a body, 6 a node of flexible bodies | appended |
//! | `contacts.csv` | contact forces of every frame, on request | appended |
//! | `forces.csv` | forces of joints and of forces of every frame, on request | appended |
//! | `vtk/` | PVD series of VTU files, on request | one file a frame |
//! | `problem-N.hdf5` | the problem of step N as an FCLIB file, on request | once |
//! | `checkpoint.bin` | state, impulses, lengths of the other files, checksum | replaced as a whole |
//!
//! Files are replaced by renaming a complete one over them, or only appended to, the line in steps.csv last of a step. So
//! whenever the program is killed the folder opens at the last complete step, and a resumed run cuts the appended files back
//! to the lengths of the checkpoint and goes on to the same bits.
//!
//! ```
//! use signorini_scene::run::{Ending, Run, RunFolder, RunOptions};
//! use signorini_scene::{Overrides, load};
//! let folder = std::env::temp_dir().join(format!("signorini-doc-{}", std::process::id()));
//! let overrides = Overrides::default();
//! let options = RunOptions { steps: Some(5), overwrite: true, ..RunOptions::default() };
//! let mut run = Run::create(&folder, load("single-ball", &overrides)?, &overrides, &options)?;
//! assert_eq!(run.go(None, &mut ())?, Ending::Finished);
//! // Frame 0 is the start; a ball in free fall is then lower in every frame.
//! let mut frames = RunFolder::open(&folder)?.frames()?;
//! let mut height = |k| frames.get(k).map(|frame| frame.bodies[1].pose.position.z);
//! assert!(height(5)? < height(4)? && height(1)? < height(0)?);
//! # drop(run);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The parts: [`Run`] steps a scene and writes; [`RunFolder`] reads what was written; the `export_` functions convert it.

mod broken_field;
mod checkpoint;
mod contacts;
mod durable;
mod error;
mod export;
mod flexible;
mod fnv;
mod folder;
mod forces;
mod joints;
mod manifest;
mod model_hash;
mod problem;
mod readable_steps;
mod recorder;
mod rows;
mod runner;
mod shapes;
mod step_row;
mod summary;
pub mod surface;
mod trajectory;
mod vtk;

pub use checkpoint::{Checkpoint, Lengths};
pub use contacts::ContactRow;
pub use durable::temporary_of;
pub use error::RunError;
pub use export::{export_csv, export_vtk};
pub use flexible::{CellKind, FlexibleRecord, LawRecord, MeshRecord, NodeFields};
pub use folder::RunFolder;
pub use forces::{ForceKind, ForceRow};
pub use joints::JointRecord;
pub use manifest::{FORMAT, Manifest, OutputRecord, RunStatus, SceneRecord};
pub use runner::{Ending, Observer, Run, RunOptions, steps_until};
pub use shapes::{BodyRecord, CompoundPart, PlacedShape, ShapeRecord};
pub use step_row::{COLUMNS, StepRow};
pub use summary::{BrokenSteps, Contacts, EnergyRecord, FlexibleCounts, Parts, Solver, Summary, WorkRecord};
pub use trajectory::{BodyFrame, Frame, Frames, NUMBERS_PER_BODY, NUMBERS_PER_NODE, frame_numbers};

const MANIFEST: &str = "run.json";
const FLEXIBLE: &str = "flexible.json";
const STEPS: &str = "steps.csv";
const TRAJECTORY: &str = "trajectory.bin";
const CONTACTS: &str = "contacts.csv";
const FORCES: &str = "forces.csv";
const CHECKPOINT: &str = "checkpoint.bin";
const VTK: &str = "vtk";
const LOCK: &str = ".lock";
/// The page that `signorini view` makes unless told otherwise.
pub const PAGE: &str = "view.html";

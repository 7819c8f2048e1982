//! Writing a run folder, step by step.

use super::durable::{self, Appender, Lock, is_temporary};
use super::error::{reading, writing};
use super::vtk::{ContactPoint, Series};
use super::{Frame, Lengths, Manifest, RunError, RunFolder, StepRow, checkpoint, contacts, flexible, forces};
use signorini_mechanics::{ContactForce, Model, Simulation};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Writes the files of a run.
pub(super) struct Recorder {
    folder: PathBuf,
    steps: Appender,
    trajectory: Appender,
    contacts: Option<Appender>,
    forces: Option<Appender>,
    vtk: Option<Series>,
    every: u64,
    /// Names of all bodies, flexible ones last, ready for CSV.
    names: Vec<String>,
    line: String,
    bytes: Vec<u8>,
    _lock: Lock,
}

impl Recorder {
    /// Starts a folder with the first frame.
    pub(super) fn create(
        folder: &Path,
        overwrite: bool,
        manifest: &Manifest,
        simulation: &Simulation,
    ) -> Result<Self, RunError> {
        let lock = claim(folder, overwrite)?;
        let (start, model) = (Frame::of(simulation.state()), simulation.model());
        let vtk = match manifest.output.vtk {
            true => Some(Series::new(&folder.join(super::VTK), manifest, model, &start, true)?),
            false => None,
        };
        let contacts = manifest.output.contacts.then(|| Appender::create(&folder.join(super::CONTACTS))).transpose()?;
        let forces = manifest.output.forces.then(|| Appender::create(&folder.join(super::FORCES))).transpose()?;
        let mut this = Self {
            folder: folder.to_path_buf(),
            steps: Appender::create(&folder.join(super::STEPS))?,
            trajectory: Appender::create(&folder.join(super::TRAJECTORY))?,
            contacts,
            forces,
            vtk,
            every: manifest.output.every,
            names: csv_names(manifest),
            line: String::new(),
            bytes: Vec::new(),
            _lock: lock,
        };
        this.steps.append(StepRow::header().as_bytes())?;
        if let Some(contacts) = &mut this.contacts {
            contacts.append(contacts::HEADER.as_bytes())?;
        }
        if let Some(forces) = &mut this.forces {
            forces.append(forces::header().as_bytes())?;
        }
        flexible::write(folder, model)?;
        this.frame(simulation)?;
        this.checkpoint(simulation)?;
        // Last: a folder that has a manifest has everything else and can be resumed.
        manifest.write(folder)?;
        Ok(this)
    }

    /// Goes on with a folder, cut back to the given lengths.
    pub(super) fn reopen(run: &RunFolder, model: &Model, lengths: &Lengths) -> Result<Self, RunError> {
        let (folder, manifest) = (run.path(), run.manifest());
        let lock = Lock::take(folder)?;
        let contacts = manifest.output.contacts;
        let contacts =
            contacts.then(|| Appender::reopen(&folder.join(super::CONTACTS), lengths.contacts)).transpose()?;
        let forces = manifest.output.forces;
        let forces = forces.then(|| Appender::reopen(&folder.join(super::FORCES), lengths.forces)).transpose()?;
        let steps = Appender::reopen(&folder.join(super::STEPS), lengths.steps)?;
        let trajectory = Appender::reopen(&folder.join(super::TRAJECTORY), lengths.trajectory)?;
        let vtk = match manifest.output.vtk {
            true => {
                let mut frames = run.frames()?;
                let mut series = Series::new(&folder.join(super::VTK), manifest, model, &frames.get(0)?, true)?;
                let times = (0..frames.len()).map(|k| Ok(frames.get(k)?.time)).collect::<Result<Vec<_>, RunError>>()?;
                series.skip(times.into_iter());
                Some(series)
            }
            false => None,
        };
        Ok(Self {
            folder: folder.to_path_buf(),
            steps,
            trajectory,
            contacts,
            forces,
            vtk,
            every: manifest.output.every,
            names: csv_names(manifest),
            line: String::new(),
            bytes: Vec::new(),
            _lock: lock,
        })
    }

    /// Records a step; its line comes last, so that a step that has a line is complete.
    pub(super) fn step(&mut self, simulation: &Simulation, row: &StepRow) -> Result<(), RunError> {
        if row.step.is_multiple_of(self.every) {
            self.frame(simulation)?;
        }
        self.line.clear();
        row.write(&mut self.line);
        self.steps.append(self.line.as_bytes())
    }

    fn frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let state = simulation.state();
        let frame = Frame::of(state);
        if let Some(contacts) = &mut self.contacts {
            self.line.clear();
            contacts::write(state.step, state.time, simulation.contact_forces(), &self.names, &mut self.line);
            contacts.append(self.line.as_bytes())?;
        }
        if let Some(forces) = &mut self.forces {
            self.line.clear();
            forces::write(simulation, &self.names, &mut self.line);
            forces.append(self.line.as_bytes())?;
        }
        if let Some(vtk) = &mut self.vtk {
            let points: Vec<ContactPoint> = simulation.contact_forces().map(|force| contact_point(&force)).collect();
            vtk.frame(&frame, simulation.model(), &points)?;
        }
        self.bytes.clear();
        frame.write(&mut self.bytes);
        self.trajectory.append(&self.bytes)
    }

    /// Forces everything to the disk and replaces the checkpoint.
    pub(super) fn checkpoint(&self, simulation: &Simulation) -> Result<(), RunError> {
        // The checkpoint says how long the others are: they must be that long first.
        self.steps.sync()?;
        self.trajectory.sync()?;
        for appended in [&self.contacts, &self.forces].into_iter().flatten() {
            appended.sync()?;
        }
        if let Some(vtk) = &self.vtk {
            vtk.finish()?;
        }
        let lengths = Lengths {
            steps: self.steps.length(),
            trajectory: self.trajectory.length(),
            contacts: self.contacts.as_ref().map_or(0, Appender::length),
            forces: self.forces.as_ref().map_or(0, Appender::length),
        };
        checkpoint::write(&self.folder, simulation.state(), simulation.warm_start(), &lengths)
    }
}

/// Writes steps.csv of an earlier program again with the columns of this one; returns its length \[bytes\].
pub(super) fn rewrite_steps(folder: &Path, rows: &[StepRow]) -> Result<u64, RunError> {
    let mut text = StepRow::header();
    rows.iter().for_each(|row| row.write(&mut text));
    // Only while nobody else writes to the folder.
    let _lock = Lock::take(folder)?;
    durable::replace(&folder.join(super::STEPS), text.as_bytes())?;
    Ok(text.len() as u64)
}

fn csv_names(manifest: &Manifest) -> Vec<String> {
    manifest.names().map(|name| contacts::csv_field(name).into_owned()).collect()
}

fn contact_point(contact: &ContactForce) -> ContactPoint {
    ContactPoint {
        bodies: contact.bodies.map(|body| body.index() as i32),
        point: contact.point,
        normal: contact.normal,
        gap: contact.gap,
        force: contact.force,
    }
}

/// Makes the folder ready for a new run: made if missing, taken if empty; an old run is removed only when asked, other files
/// never.
fn claim(folder: &Path, overwrite: bool) -> Result<Lock, RunError> {
    std::fs::create_dir_all(folder).map_err(writing(folder))?;
    let is_run = folder.join(super::MANIFEST).exists();
    if is_run && !overwrite {
        return Err(RunError::Exists { folder: folder.to_path_buf() });
    }
    let mut ours = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(reading(folder))? {
        let name = entry.map_err(reading(folder))?.file_name().to_string_lossy().into_owned();
        match is_of_a_run(&name) {
            true => ours.push(name),
            false if !is_run => return Err(RunError::ForeignFolder { folder: folder.to_path_buf() }),
            false => {}
        }
    }
    // Before anything is removed: somebody may be writing to it.
    let lock = Lock::take(folder)?;
    // The manifest first: without it the rest is no run that could be mistaken for the new one.
    ours.sort_by_key(|name| name != super::MANIFEST);
    for name in ours.iter().filter(|name| *name != super::LOCK) {
        let path = folder.join(name);
        let removed = if path.is_dir() { remove_series(&path) } else { std::fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(writing(&path)(error)),
            _ => {}
        }
    }
    Ok(lock)
}

fn is_of_a_run(name: &str) -> bool {
    let written = [super::STEPS, super::TRAJECTORY, super::CONTACTS, super::FORCES, super::VTK];
    let fixed = [super::MANIFEST, super::FLEXIBLE, super::CHECKPOINT, super::LOCK, super::PAGE];
    let is_known = written.contains(&name) || fixed.contains(&name);
    is_known || is_temporary(name) || (name.starts_with("problem-") && name.ends_with(".hdf5"))
}

/// Removes our files from the folder of VTK files; the folder itself if nothing else is in it.
fn remove_series(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "vtu" || ending == "pvd") {
            std::fs::remove_file(path)?;
        }
    }
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

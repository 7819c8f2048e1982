//! The loop: steps a scene and writes what happens.

use super::model_hash::has_hash;
use super::recorder::{self, Recorder};
use super::{Manifest, RunError, RunFolder, RunStatus, StepRow, Summary, problem};
use crate::{Overrides, Scene, parse};
use signorini_mechanics::{Promise, Simulation, StepError, StepReport};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between checkpoints when no number of steps is given.
const CHECKPOINT_CLOCK: Duration = Duration::from_secs(30);

/// More steps are refused: a slip of the pen rather than a wish.
const MOST_STEPS: u64 = 1_000_000_000;

/// A time within this share of a step counts as reached.
const SAME_TIME: f64 = 1e-6;

/// How a run is started.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Replace a run that is in the folder.
    pub overwrite: bool,
    /// Steps after which it ends, in place of those of the scene.
    pub steps: Option<u64>,
    /// Times \[s\]: the problem of the step that starts there or just after is stored.
    pub problems_at: Vec<f64>,
}

/// Told about every step.
pub trait Observer {
    /// A step was taken and recorded.
    fn step(&mut self, report: &StepReport);
    /// A problem was stored.
    fn stored(&mut self, _problem: &Path) {}
}

/// Nobody wants to know.
impl Observer for () {
    fn step(&mut self, _report: &StepReport) {}
}

/// How a run came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps were taken.
    Finished,
    /// Stopped from outside; `resume` goes on.
    Interrupted,
    /// Stopped because steps had no answer; `resume` goes on.
    Stopped,
}

/// Steps of length h until a time is reached: until / h, rounded to the nearest whole number.
#[must_use]
pub fn steps_until(until: f64, step: f64) -> u64 {
    (until / step).round() as u64
}

/// A scene that is being run into a folder.
pub struct Run {
    folder: PathBuf,
    manifest: Manifest,
    simulation: Simulation,
    recorder: Recorder,
    summary: Summary,
    /// Seconds of the steps before this process.
    seconds_before: f64,
    started: Instant,
    /// Steps and time of the last checkpoint.
    checkpoint: (u64, Instant),
    problems_at: Vec<f64>,
    /// Steps without an answer since the last one that had one.
    unanswered: u32,
}

impl Run {
    /// Starts a run: makes the folder, writes the first frame and a checkpoint.
    ///
    /// # Errors
    /// A folder that is taken, settings out of range, files that cannot be written.
    pub fn create(folder: &Path, scene: Scene, overrides: &Overrides, options: &RunOptions) -> Result<Self, RunError> {
        let started = Instant::now();
        let steps = checked(options.steps.unwrap_or_else(|| scene.steps()))?;
        let mut manifest = Manifest::new(&scene, overrides, steps);
        let simulation = Simulation::new(scene.model, scene.settings)?;
        let energy = simulation.energy();
        manifest.energy_at_start = Some(energy);
        let recorder = Recorder::create(folder, options.overwrite, &manifest, &simulation)?;
        let summary = Summary::start(&manifest, &energy);
        Ok(Self::new(folder, manifest, simulation, recorder, summary, started, options.problems_at.clone()))
    }

    /// Goes on with a run from its last checkpoint, to `steps` in place of the number it was started with. What was written
    /// after the checkpoint is cut off and written again, to the same bits.
    ///
    /// # Errors
    /// A folder that is no run, is damaged or in use; a scene that has changed.
    pub fn resume(folder: &Path, steps: Option<u64>, parallel: Option<bool>) -> Result<Self, RunError> {
        let started = Instant::now();
        let run = RunFolder::open(folder)?;
        let checkpoint = run.checkpoint()?;
        let mut manifest = run.manifest().clone();
        manifest.steps = checked(steps.unwrap_or(manifest.steps))?;
        let scene = &manifest.scene;
        let overrides = Overrides { set: scene.set.clone(), seed: scene.seed, stepper: None };
        let (name, base) = match &scene.file {
            Some(file) => (file.display().to_string(), file.parent()),
            None => (scene.name.clone(), None),
        };
        let mut model = parse(&scene.text, &name, base, &overrides)?.model;
        if !has_hash(&model, &manifest.model_hash) {
            return Err(RunError::Changed { folder: folder.to_path_buf() });
        }
        manifest.settings.parallel = parallel.unwrap_or(manifest.settings.parallel);
        let (mut rows, taken) = (run.steps_of(Some(checkpoint.lengths.steps))?, checkpoint.state.step);
        // A file that was rewritten and then left alone is longer than the checkpoint says.
        let is_cut = (rows.len() as u64) < taken;
        let is_earlier = taken > 0 && (checkpoint.warm.energy.is_none() || is_cut || run.has_earlier_steps()?);
        if is_earlier {
            rows = run.steps_of(None)?;
            rows.truncate(taken as usize);
        }
        check_lengths(&run, &checkpoint, rows.len() as u64)?;
        let mut lengths = checkpoint.lengths;
        if is_earlier {
            lengths.steps = recorder::rewrite_steps(folder, &rows)?;
        }
        let recorder = Recorder::reopen(&run, &model, &lengths)?;
        let energy = match manifest.energy_at_start {
            Some(energy) => energy,
            // Earlier programs did not store it: the model is put where it started once more.
            None => {
                let at_start = Simulation::new(model, manifest.settings.clone())?;
                let energy = at_start.energy();
                model = at_start.into_model();
                energy
            }
        };
        manifest.energy_at_start = Some(energy);
        let mut summary = Summary::start(&manifest, &energy);
        rows.iter().for_each(|row| summary.add(row));
        let simulation = Simulation::resumed(model, manifest.settings.clone(), checkpoint.state, checkpoint.warm)?;
        if is_earlier {
            recorder.checkpoint(&simulation)?;
        }
        let mut this = Self::new(folder, manifest, simulation, recorder, summary, started, Vec::new());
        this.seconds_before = seconds_before(&this.manifest, &this.summary);
        this.manifest.status = RunStatus::Running;
        this.manifest.message = None;
        this.manifest.write(folder)?;
        Ok(this)
    }

    fn new(
        folder: &Path,
        manifest: Manifest,
        simulation: Simulation,
        recorder: Recorder,
        summary: Summary,
        started: Instant,
        mut problems_at: Vec<f64>,
    ) -> Self {
        problems_at.sort_by(|a, b| b.total_cmp(a));
        Self {
            folder: folder.to_path_buf(),
            summary,
            checkpoint: (simulation.state().step, Instant::now()),
            manifest,
            simulation,
            recorder,
            seconds_before: 0.0,
            started,
            problems_at,
            unanswered: 0,
        }
    }

    /// Lets it go on however many steps have no answer.
    pub fn keep_going(&mut self) {
        self.manifest.stop_after = 0;
    }

    /// What is run.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// The model and where it is.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
    /// All steps so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
    /// Where it is written.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes all steps that are left, or as many as `cancel` allows.
    ///
    /// # Errors
    /// A step without an answer or a file that cannot be written. All complete steps stay readable, and run.json says why.
    pub fn go(&mut self, cancel: Option<&AtomicBool>, observer: &mut dyn Observer) -> Result<Ending, RunError> {
        let outcome = self.steps(cancel, observer);
        let last_words = match &outcome {
            Ok(Ending::Finished) => self.close(RunStatus::Finished, None),
            Ok(Ending::Interrupted) => self.close(RunStatus::Interrupted, None),
            Ok(Ending::Stopped) => self.close(RunStatus::Stopped, Some(self.why_stopped())),
            Err(error) => self.close(RunStatus::Failed, Some(error.to_string())),
        };
        // The first error is the one to report.
        let ending = outcome?;
        last_words.map(|()| ending)
    }

    fn steps(&mut self, cancel: Option<&AtomicBool>, observer: &mut dyn Observer) -> Result<Ending, RunError> {
        while self.simulation.state().step < self.manifest.steps {
            if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                return Ok(Ending::Interrupted);
            }
            self.store_problems(observer)?;
            let report = match self.simulation.step_with(cancel) {
                Err(StepError::Interrupted { .. }) => return Ok(Ending::Interrupted),
                other => other?,
            };
            let row = StepRow::of(&report);
            self.recorder.step(&self.simulation, &row)?;
            self.summary.add(&row);
            observer.step(&report);
            let (last_step, last_time) = self.checkpoint;
            let is_due = match self.manifest.output.checkpoint_every {
                Some(every) => row.step - last_step >= every,
                None => last_time.elapsed() >= CHECKPOINT_CLOCK,
            };
            if is_due {
                self.recorder.checkpoint(&self.simulation)?;
                self.checkpoint = (row.step, Instant::now());
            }
            self.unanswered = if report.has_answer { 0 } else { self.unanswered + 1 };
            let is_last = row.step == self.manifest.steps;
            if self.unanswered == self.manifest.stop_after && self.unanswered > 0 && !is_last {
                return Ok(Ending::Stopped);
            }
        }
        Ok(Ending::Finished)
    }

    /// What contradicts what, in the last step.
    fn why_stopped(&self) -> String {
        let broken = self.simulation.report().map_or(&[][..], |report| &report.broken);
        // Where positions are broken, that says more than a residual.
        let broken = broken.iter().max_by_key(|broken| broken.promise != Promise::Residual);
        let what = broken.map_or(String::new(), |broken| format!(": {broken}"));
        match self.unanswered {
            1 => format!("the last step has no answer{what}"),
            steps => format!("the last {steps} steps have no answer{what}"),
        }
    }

    fn store_problems(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let reached = self.simulation.state().time + SAME_TIME * self.simulation.settings().step;
        let waiting = self.problems_at.len();
        while self.problems_at.last().is_some_and(|time| *time <= reached) {
            self.problems_at.pop();
        }
        if self.problems_at.len() < waiting {
            let path = problem::write(&self.simulation, &self.manifest.scene.name, &self.folder)?;
            observer.stored(&path);
        }
        Ok(())
    }

    /// Writes the last checkpoint and how the run ended.
    fn close(&mut self, status: RunStatus, message: Option<String>) -> Result<(), RunError> {
        self.summary.took(self.seconds_before + self.started.elapsed().as_secs_f64());
        self.summary.state_hash = format!("{:016x}", self.simulation.state().hash());
        self.manifest.status = status;
        self.manifest.message = message;
        self.manifest.summary = Some(self.summary.clone());
        // After a failed write the files may hold part of a step: the checkpoint before it stays.
        let recorded = self.summary.steps == self.simulation.state().step;
        let checkpoint = if recorded { self.recorder.checkpoint(&self.simulation) } else { Ok(()) };
        checkpoint.and(self.manifest.write(&self.folder))
    }
}

fn checked(steps: u64) -> Result<u64, RunError> {
    if steps > MOST_STEPS { Err(RunError::TooManySteps { steps, most: MOST_STEPS }) } else { Ok(steps) }
}

/// Seconds that the steps before took: as run.json says if the run ended there, or else what the steps measured.
fn seconds_before(manifest: &Manifest, counted: &Summary) -> f64 {
    match &manifest.summary {
        Some(known) if known.steps == counted.steps => known.wall_seconds,
        _ => counted.seconds.total(),
    }
}

/// Whether the files fit the checkpoint.
fn check_lengths(run: &RunFolder, checkpoint: &super::Checkpoint, rows: u64) -> Result<(), RunError> {
    let step = checkpoint.state.step;
    if rows != step {
        let path = run.path().join(super::STEPS);
        return Err(super::error::damaged(&path, format!("it has {rows} steps, the checkpoint has {step}")));
    }
    let frames = 1 + step / run.manifest().output.every;
    if checkpoint.lengths.trajectory != frames * run.frame_bytes() {
        let path = run.path().join(super::CHECKPOINT);
        let found = checkpoint.lengths.trajectory;
        let problem = format!("it says {found} bytes of trajectory, expected {}", frames * run.frame_bytes());
        return Err(super::error::damaged(&path, problem));
    }
    Ok(())
}

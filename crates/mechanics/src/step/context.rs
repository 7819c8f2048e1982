//! What is an argument of one step, and of nothing that outlives it.

use super::report::{StepReport, StepTimings};
use super::settings::StepSettings;
use signorini_solver::SolverSettings;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a step is given besides model and state, and what it counts on its way.
pub(crate) struct StepContext<'a> {
    /// How the model is stepped.
    pub(crate) settings: &'a StepSettings,
    /// Set by anyone to stop the step.
    pub(crate) cancel: Option<&'a AtomicBool>,
    /// What the step that led to the state said about itself; `None` before the first, also of a simulation that was resumed.
    pub(crate) previous: Option<&'a StepReport>,
    /// Where the time went so far.
    pub(crate) timings: StepTimings,
    /// Iterations so far, of all problems.
    pub(crate) iterations: u32,
    /// How many of them the limit does not count: those before a part of the step that has a limit of its own.
    pub(crate) uncounted: u32,
}

impl<'a> StepContext<'a> {
    pub(crate) fn new(
        settings: &'a StepSettings,
        cancel: Option<&'a AtomicBool>,
        previous: Option<&'a StepReport>,
    ) -> Self {
        Self { settings, cancel, previous, timings: StepTimings::default(), iterations: 0, uncounted: 0 }
    }

    /// Iterations that are left to the step, or to a part of it that has a limit of its own; `None` for any number.
    pub(crate) fn iterations_left(&self) -> Option<u32> {
        self.settings.asked.iteration_limit().map(|limit| limit.saturating_sub(self.iterations - self.uncounted))
    }

    /// How the problem of the step is solved as promised.
    pub(crate) fn solver_settings(&self) -> SolverSettings {
        let StepSettings { asked, tolerance, .. } = self.settings;
        SolverSettings {
            method: asked.method.clone(),
            friction: asked.friction,
            tolerance: *tolerance,
            facets: asked.facets,
            max_iterations: asked.max_iterations,
            time_limit: asked.time_limit,
            parallel: self.settings.uses_threads(),
            history: false,
        }
    }
}

/// Does some work and adds the seconds it takes.
pub(crate) fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    *seconds += started.elapsed().as_secs_f64();
    done
}

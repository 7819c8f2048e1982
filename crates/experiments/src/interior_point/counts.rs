//! Iterations of the steps of a simulation.

use crate::Context;
use anyhow::Result;
use signorini_mechanics::{Model, Promise, Settings, Simulation, Stepper};
use signorini_solver::{FrictionLaw, InteriorPoint, Stopping, WarmStart};

/// What the steps of a run came to.
#[derive(Default)]
pub(super) struct Counts {
    /// Iterations of each step.
    pub(super) iterations: Vec<u32>,
    /// Most contacts of a step.
    pub(super) contacts: usize,
    /// Steps that did not meet their rule.
    pub(super) missed: usize,
    /// Worst violation of a joint \[m\].
    pub(super) joint_violation: f64,
    /// Deepest overlap \[m\].
    pub(super) overlap: f64,
    /// Worst natural map of a step, relative to its free motion: our own measure, whatever rule ended the step.
    pub(super) residual: f64,
}

impl Counts {
    pub(super) fn total(&self) -> u32 {
        self.iterations.iter().sum()
    }
    pub(super) fn mean(&self) -> f64 {
        f64::from(self.total()) / self.iterations.len().max(1) as f64
    }
    pub(super) fn most(&self) -> u32 {
        self.iterations.iter().copied().max().unwrap_or(0)
    }
}

/// The interior point alone, as the papers count it: with their stopping rule and without a finish by Newton's method.
pub(super) fn settings(step: f64, stopping: Stopping, warm_start: WarmStart) -> Settings {
    let method = InteriorPoint { stopping, warm_start, polish: false, ..InteriorPoint::default() };
    // No friction: all laws are one, and the papers' stopping rules belong to the convex one.
    let (stepper, friction) = (Stepper::DviEuler, FrictionLaw::Relaxed);
    Settings { step, stepper, method: method.into(), friction, ..Settings::default() }
}

/// Takes steps and counts.
pub(super) fn count(context: &Context<'_>, what: &str, simulation: &mut Simulation, steps: u32) -> Result<Counts> {
    let mut counts = Counts::default();
    for step in 1..=steps {
        context.at(&format!("{what}, step {step} of {steps}"))?;
        let report = simulation.step()?;
        counts.iterations.push(report.iterations);
        counts.contacts = counts.contacts.max(report.contacts);
        // The papers' rules promise nothing about overlaps, and these are reported beside it.
        counts.missed += usize::from(report.broken.iter().any(|broken| broken.promise == Promise::Residual));
        counts.joint_violation = counts.joint_violation.max(report.joint_violation);
        counts.overlap = counts.overlap.max(report.penetration);
        counts.residual = counts.residual.max(report.residuals.natural_map_relative);
    }
    Ok(counts)
}

/// The same from the start of a model.
pub(super) fn count_from(
    context: &Context<'_>,
    what: &str,
    model: Model,
    settings: Settings,
    steps: u32,
) -> Result<Counts> {
    count(context, what, &mut Simulation::new(model, settings)?, steps)
}

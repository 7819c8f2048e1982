//! Pebbles fall into the vessel until they rest: the scene `pebble-bed`, step by step.

use super::solvers::{FACETS, TOLERANCE};
use crate::Context;
use anyhow::Context as _;
use signorini_mechanics::{Settings, Simulation, State};
use signorini_scene::{Overrides, load};
use signorini_solver::{ConeProblem, Method, Tolerance};
use std::time::Instant;

/// The step of the paper \[s\].
pub(super) const STEP: f64 = 0.05;

/// What is filled, by what, and when it ends.
pub(super) struct Recipe<'a> {
    pub(super) label: &'a str,
    pub(super) pebbles: usize,
    pub(super) method: Method,
    /// The fill ends when the kinetic energy falls below this \[J\] …
    pub(super) rest_energy: f64,
    /// … or after so many steps.
    pub(super) most_steps: u64,
    /// The problem of every so many steps is kept, if any.
    pub(super) keep_every: Option<u64>,
}

/// One step of a fill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) time: f64,
    /// Kinetic energy after it \[J\].
    pub(super) kinetic: f64,
    /// Seconds it took, detection and assembly included.
    pub(super) seconds: f64,
    pub(super) iterations: u32,
    pub(super) contacts: usize,
    pub(super) converged: bool,
}

/// A fill.
pub(super) struct Fill {
    pub(super) steps: Vec<Taken>,
    /// Kept problems with the time of their step.
    pub(super) problems: Vec<(f64, ConeProblem)>,
    /// Whether the kinetic energy fell below the limit.
    pub(super) rested: bool,
    /// Where everything is at its end.
    pub(super) end: State,
}

/// The simulation of a fill at its start.
pub(super) fn simulation(pebbles: usize, change: impl FnOnce(&mut Settings)) -> anyhow::Result<Simulation> {
    // The vessel of the paper is 80 high; it has to be higher for more than it can hold.
    let height = 80.0_f64.max(pebbles as f64 * 1e-3);
    let set = vec![("count".into(), pebbles.to_string()), ("height".into(), height.to_string())];
    let scene = load("pebble-bed", &Overrides { set, ..Overrides::default() })
        .map_err(|errors| anyhow::anyhow!("pebble-bed: {errors}"))?;
    let mut settings = scene.settings;
    settings.tolerance = Some(Tolerance::Relative(TOLERANCE));
    settings.facets = Some(FACETS);
    settings.step = STEP;
    change(&mut settings);
    Simulation::new(scene.model, settings).context("pebble-bed")
}

impl Fill {
    pub(super) fn run(context: &Context<'_>, recipe: &Recipe<'_>) -> anyhow::Result<Self> {
        let mut simulation = simulation(recipe.pebbles, |settings| settings.method = recipe.method.clone())?;
        let end = simulation.state().clone();
        let mut this = Self { steps: Vec::new(), problems: Vec::new(), rested: false, end };
        let mut has_fallen = false;
        for step in 0..recipe.most_steps {
            let energy = this.steps.last().map_or(0.0, |taken| taken.kinetic);
            context.at(&format!("{}, step {step}, kinetic energy {energy:.3}", recipe.label))?;
            if recipe.keep_every.is_some_and(|every| step % every == every / 2) && !simulation.contacts().is_empty() {
                this.problems.push((simulation.state().time, simulation.problem()?));
            }
            let started = Instant::now();
            let report = simulation.step_with(Some(context.stop))?;
            let kinetic = report.energy.kinetic;
            this.steps.push(Taken {
                time: report.time,
                kinetic,
                seconds: started.elapsed().as_secs_f64(),
                iterations: report.iterations,
                contacts: report.contacts,
                converged: report.converged(),
            });
            has_fallen |= kinetic > 10.0 * recipe.rest_energy;
            if has_fallen && kinetic < recipe.rest_energy {
                this.rested = true;
                break;
            }
        }
        this.end = simulation.state().clone();
        Ok(this)
    }

    pub(super) fn mean_seconds(&self) -> f64 {
        self.steps.iter().map(|taken| taken.seconds).sum::<f64>() / self.steps.len().max(1) as f64
    }

    pub(super) fn mean_iterations(&self) -> f64 {
        self.steps.iter().map(|taken| f64::from(taken.iterations)).sum::<f64>() / self.steps.len().max(1) as f64
    }

    pub(super) fn missed(&self) -> usize {
        self.steps.iter().filter(|taken| !taken.converged).count()
    }

    pub(super) fn most_contacts(&self) -> usize {
        self.steps.iter().map(|taken| taken.contacts).max().unwrap_or(0)
    }
}

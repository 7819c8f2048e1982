//! Three-point bending of a rubber beam with hard contacts and with springs in their place (IP-4, and the bench).
//!
//! A step length is stable if the run comes to its end, every step is solved as it is (not in halves, after Newton's method failed), and
//! neither elastic nor kinetic energy is ever more than twice the largest of a hard run with a tenth of the published step.

use anyhow::{Context, Result, anyhow};
use signorini_mechanics::{Penalty, Settings, Simulation, Stepper};
use signorini_scene::{Overrides, Scene, gallery, parse};
use signorini_solver::Tolerance;
use std::time::Instant;

/// The step of the published run \[s\].
pub const PUBLISHED_STEP: f64 = 0.05;
/// Stiffness of a contact point \[N/m\]: overlaps of a hundredth of a cell under the largest reaction.
pub const STIFFNESS: f64 = 2e6;
/// Its damping \[N s/m\].
pub const DAMPING: f64 = 100.0;
/// How much more energy than in the reference is unstable.
const TOO_MUCH: f64 = 2.0;

/// How bodies meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// Hard contacts, one cone problem a step.
    Hard,
    /// Springs and dampers, implicit Euler.
    Springs,
}

/// What became of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bending {
    /// Why it is not stable; empty if it is.
    pub trouble: String,
    /// What it took \[s\].
    pub seconds: f64,
    /// Largest elastic energy \[J\].
    pub elastic: f64,
    /// Largest kinetic energy \[J\].
    pub kinetic: f64,
    /// Deepest overlap \[m\].
    pub overlap: f64,
    /// Time \[s\] and force on the punch \[N\], step by step.
    pub reaction: Vec<[f64; 2]>,
}

impl Bending {
    /// Whether nothing went wrong.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.trouble.is_empty()
    }
    /// Largest elastic and kinetic energy, for the runs that are measured by this one.
    #[must_use]
    pub fn energies(&self) -> (f64, f64) {
        (self.elastic, self.kinetic)
    }
}

/// The scene of the gallery: 26 × 12 × 3 cells as published, or 13 × 2 × 2 if coarse.
///
/// # Errors
/// None that a program as shipped can meet.
pub fn scene(coarse: bool) -> Result<Scene> {
    let set = if coarse { &[("cells", "13"), ("width", "2"), ("height", "2")][..] } else { &[] };
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let entry = gallery::find("three-point-bending").context("there is no scene `three-point-bending`")?;
    let overrides = Overrides { set, ..Overrides::default() };
    parse(entry.text, entry.name, None, &overrides).map_err(|errors| anyhow!("{errors}"))
}

/// How the scene is stepped.
#[must_use]
pub fn settings(step: f64, contacts: Contacts) -> Settings {
    let plain = Settings { step, ..Settings::default() };
    match contacts {
        Contacts::Hard => Settings { tolerance: Some(Tolerance::Velocity(1e-3)), ..plain },
        Contacts::Springs => {
            Settings { stepper: Stepper::ImplicitEuler, penalty: Some(Penalty::linear(STIFFNESS, DAMPING)), ..plain }
        }
    }
}

/// Runs the scene until a time \[s\]; energies above twice the `bounds` are trouble. `at` hears the time before every step.
///
/// # Errors
/// A scene without a punch, settings that cannot be used, or what `at` says.
pub fn bend(
    scene: Scene,
    settings: Settings,
    until: f64,
    bounds: Option<(f64, f64)>,
    at: &dyn Fn(f64) -> Result<()>,
) -> Result<Bending> {
    let h = settings.step;
    let punch = scene.model.body_named("punch").context("the scene has no punch")?;
    let mut simulation = Simulation::new(scene.model, settings)?;
    let mut out = Bending::default();
    let started = Instant::now();
    for _ in 0..(until / h).round() as u32 {
        at(simulation.state().time)?;
        let report = match simulation.step() {
            Ok(report) => report,
            Err(error) => {
                out.trouble = format!("t = {:.3} s: {error}", simulation.state().time);
                break;
            }
        };
        out.elastic = out.elastic.max(report.energy.elastic);
        out.kinetic = out.kinetic.max(report.energy.kinetic);
        out.overlap = out.overlap.max(report.penetration);
        // Of a pair the rigid body comes first, and the force is that on the second.
        let on_punch = simulation.contact_forces().filter(|contact| contact.bodies[0] == punch);
        out.reaction.push([report.time, on_punch.map(|contact| -contact.force.z).sum()]);
        if report.substeps > 1 {
            out.trouble = format!("t = {:.4} s: Newton's method fails", report.time);
            break;
        }
        if !report.converged() {
            out.trouble = format!("t = {:.3} s: {}", report.time, report.status);
            break;
        }
        let is_too_much = |(elastic, kinetic): (f64, f64)| {
            report.energy.elastic > TOO_MUCH * elastic || report.energy.kinetic > TOO_MUCH * kinetic
        };
        if bounds.is_some_and(is_too_much) || !report.energy.total().is_finite() {
            let energy = report.energy;
            out.trouble =
                format!("t = {:.3} s: {:.0} J elastic, {:.0} J kinetic", report.time, energy.elastic, energy.kinetic);
            break;
        }
    }
    out.seconds = started.elapsed().as_secs_f64();
    Ok(out)
}

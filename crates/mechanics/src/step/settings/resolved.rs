//! Settings with the numbers of the model in the place of those that were not given.

use super::Settings;
use crate::Model;
use crate::dynamics::contact::finder::ContactFinder;
use crate::dynamics::parameters::Parameters;
use crate::promise::bounds::{AskedBounds, Bounds};
use crate::step::stepper::Stepper;
use signorini_linalg::Threads;
use signorini_solver::Tolerance;

/// Without a tolerance asked for, steps must be accurate to this share of the speed gained by falling for one step.
const TOLERANCE_SHARE: f64 = 0.05;
/// The relative tolerance where there is no gravity to compare with.
const TOLERANCE_WITHOUT_GRAVITY: f64 = 1e-3;
/// Without another recovery speed, overlaps are undone at this share of √(g r): slower than a body falls by its own radius r.
const RECOVERY_SHARE: f64 = 0.5;
/// Without gravity there is no speed to compare with: overlaps are undone by this share of the radius per step.
const RECOVERY_WITHOUT_GRAVITY: f64 = 0.01;
/// Bodies rest that are slower than this share of the usual tolerance, 5e-8 m/s with a step of 10 ms: more than what solving to rounding leaves in tall towers, and less than 5 µm in
/// 100 s.
const RESTING_SHARE: f64 = 1e-5;
/// Overlaps are deep that are undone at this share of the recovery speed, or faster.
const DEEP_SHARE: f64 = 0.05;
/// Without another threshold, contacts rebound that approach faster than this many times the speed gained by falling for one step: what
/// rests must not hop.
const REBOUND_FALLS: f64 = 2.0;

/// How a model is stepped, with nothing left open.
#[derive(Clone)]
pub(crate) struct StepSettings {
    /// What was asked for.
    pub(crate) asked: Settings,
    /// What forces and rows are made with.
    pub(crate) parameters: Parameters,
    /// What every step has to meet.
    pub(crate) tolerance: Tolerance,
    /// The tolerance of somebody who asks for none \[m/s\]; `None` without gravity.
    pub(crate) usual_tolerance: Option<f64>,
    /// How far steps may be off.
    pub(crate) bounds: Bounds,
}

impl StepSettings {
    /// The settings of a model whose smallest body the finder of its contacts knows.
    pub(crate) fn of(model: &Model, asked: Settings, contacts: &ContactFinder) -> Self {
        let (gravity, radius) = (model.gravity().length(), contacts.smallest_radius());
        let fall = gravity * asked.step;
        let recovery_speed = asked.recovery_speed.unwrap_or_else(|| {
            if gravity > 0.0 {
                RECOVERY_SHARE * (gravity * radius).sqrt()
            } else {
                RECOVERY_WITHOUT_GRAVITY * radius / asked.step
            }
        });
        let usual_tolerance = (gravity > 0.0).then_some(TOLERANCE_SHARE * fall);
        let without = || usual_tolerance.map_or(Tolerance::Relative(TOLERANCE_WITHOUT_GRAVITY), Tolerance::Velocity);
        let tolerance = asked.tolerance.unwrap_or_else(without);
        let asked_bounds = AskedBounds {
            joint_tolerance: asked.joint_tolerance,
            contact_tolerance: asked.contact_tolerance,
            is_closed_where_bodies_arrive: match asked.stepper {
                Stepper::DviRattle => true,
                // With flexible bodies joints are held to first order.
                Stepper::DviPassive => model.flexible().is_empty(),
                _ => false,
            },
            step: asked.step,
        };
        Self {
            parameters: Parameters {
                step: asked.step,
                recovery_speed,
                deep_overlap: deep_overlap(tolerance, recovery_speed, asked.step),
                radius,
                resting_speed: RESTING_SHARE * usual_tolerance.unwrap_or(0.0),
                restitution_threshold: asked.restitution_threshold.unwrap_or(REBOUND_FALLS * fall),
                restitution_law: asked.restitution_law,
                gyroscopic: asked.gyroscopic,
            },
            tolerance,
            usual_tolerance,
            bounds: Bounds::new(model, asked_bounds, tolerance, radius),
            asked,
        }
    }

    /// The same for steps of half the length, which have to be as accurate as whole ones.
    pub(crate) fn halved(&self) -> Self {
        let mut half = self.clone();
        half.parameters.step *= 0.5;
        half.parameters.deep_overlap *= 0.5;
        half
    }

    /// Threads are used only if the pool has more than one: waking a worker costs more than a small step.
    pub(crate) fn uses_threads(&self) -> bool {
        self.asked.parallel && rayon::current_num_threads() > 1
    }

    /// The same for what takes threads by name.
    pub(crate) fn threads(&self) -> Threads {
        if self.uses_threads() { Threads::Pool } else { Threads::One }
    }
}

/// From where on overlaps are deep \[m\]: failing to part them would miss the tolerance of a step of h seconds.
fn deep_overlap(tolerance: Tolerance, recovery_speed: f64, h: f64) -> f64 {
    let deep = match tolerance {
        Tolerance::Velocity(speed) => speed.max(DEEP_SHARE * recovery_speed),
        Tolerance::Relative(_) => DEEP_SHARE * recovery_speed,
    };
    if deep < recovery_speed { h * deep } else { f64::INFINITY }
}

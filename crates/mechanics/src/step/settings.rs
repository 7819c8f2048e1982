//! How a model is stepped through time.

mod resolved;

pub(crate) use resolved::StepSettings;

use crate::StepError;
use crate::dynamics::gyroscopic::Gyroscopic;
use crate::dynamics::penalty::settings::Penalty;
use crate::dynamics::rebound::RestitutionLaw;
use crate::step::stepper::Stepper;
use signorini_solver::{FrictionLaw, Method, Tolerance};

/// When Newton's method of the implicit steppers ends.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Newton {
    /// The last increment is below this: metres relative to the model's own length (its longest lever), and radians. It also changes
    /// accelerations by no more than a thousand times this, as a share, so that joint forces keep digits in short steps. Less than
    /// rounding is not asked for.
    pub tolerance: f64,
    /// Most iterations; a step that needs more is taken in halves.
    pub max_iterations: u32,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-11, max_iterations: 20 }
    }
}

/// Sub-steps of smooth steppers chosen by their estimated error: `step` is then the time between results.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Adaptive {
    /// Error of positions a sub-step may make: metres relative to the model's own length, and radians.
    pub tolerance: f64,
    /// The shortest sub-step \[s\]; without it, 1e-9 of the step.
    pub min_step: Option<f64>,
    /// The longest sub-step \[s\]; without it, the step.
    pub max_step: Option<f64>,
}

impl Default for Adaptive {
    fn default() -> Self {
        Self { tolerance: 1e-6, min_step: None, max_step: None }
    }
}

/// What is put back onto the joints after every smooth step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// Nothing: what the method leaves is left.
    #[default]
    None,
    /// Positions.
    Positions,
    /// Positions and velocities.
    Both,
}

/// How a model is stepped through time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Length of a step h \[s\].
    pub step: f64,
    /// The time-stepper.
    pub stepper: Stepper,
    /// Newton's method of implicit steppers.
    pub newton: Newton,
    /// Sub-steps of smooth steppers by their estimated error; without it, one a step (more where Newton's method fails).
    pub adaptive: Option<Adaptive>,
    /// Smooth steppers run side by side with h and h/2; their difference is the error, which is reported and removed: one order more,
    /// at three times the cost.
    pub extrapolate: bool,
    /// What smooth steppers put back onto the joints; without it, both for explicit steppers and nothing for the others.
    pub projection: Option<Projection>,
    /// Contacts as springs and dampers, for smooth steppers; without it they refuse to let bodies overlap.
    pub penalty: Option<Penalty>,
    /// How the problem of a step is solved.
    pub method: Method,
    /// The friction law: Coulomb's own unless another is asked for. The relaxed law is convex and faster, but what slides lifts.
    pub friction: FrictionLaw,
    /// How accurate every step has to be; without it, 5 % of the speed gained by falling for one step (relative 1e-3 without
    /// gravity), and small problems are solved far more accurately than that.
    pub tolerance: Option<Tolerance>,
    /// Friction pyramids of this many facets in place of round cones.
    pub facets: Option<u32>,
    /// Most iterations of all solves of a step together; without it, 10,000 with the method `auto`, and as many as they have with others. Each part of a step that is
    /// divided because bodies turn into each other may take as many. Whether a step has an answer at all is asked before that, so that contradictions end sooner.
    pub max_iterations: Option<u32>,
    /// Most seconds a step may take to solve. Results are then no longer the same on every machine.
    pub time_limit: Option<f64>,
    /// Start from the impulses of the step before.
    pub warm_start: bool,
    /// Use the threads of the current pool; the answer has the same bits either way.
    pub parallel: bool,
    /// Joints hold within this \[m, rad\] at the end of every step: it is solved again with the curvature of its motion until they
    /// do. Without it joints are held to first order, within about ½(hω)²l, which also takes a little energy.
    pub joint_tolerance: Option<f64>,
    /// Bodies overlap by no more than this \[m\] where they meet in a step: it is solved again with the points and normals of its end
    /// until they do not. Without it gaps are closed to first order.
    pub contact_tolerance: Option<f64>,
    /// How often `dvi-euler` linearises the forces of flexible bodies in a step, at most: 1 for linearly implicit Euler, more for Newton's
    /// method of implicit Euler, which ends when nodes no longer move. Bodies that turn by an angle φ a step are stretched by φ²/2 with
    /// the first, and have the stress of their motion with the second.
    pub flexible_iterations: u32,
    /// Overlaps are undone at most at this speed η_s \[m/s\]; without it, half of √(g r) with the smallest body's radius r.
    pub recovery_speed: Option<f64>,
    /// Contacts with a gap below this \[m\] enter the problem (and those that the bodies' speeds may close within the step); without
    /// it, 1 % of the smallest body's radius.
    pub envelope: Option<f64>,
    /// Contacts that approach slower than this \[m/s\] do not rebound; without it, twice the speed gained by falling for one step.
    pub restitution_threshold: Option<f64>,
    /// How `dvi-passive` keeps rebounds from gaining energy.
    pub restitution_law: RestitutionLaw,
    /// Whether bodies fall asleep that have rested for a while: they stay where they are, to the bit, and cost nothing until they are touched. Only with `dvi-passive`.
    pub sleeping: bool,
    /// The torque −ω × Iω.
    pub gyroscopic: Gyroscopic,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 0.01,
            stepper: Stepper::default(),
            newton: Newton::default(),
            adaptive: None,
            extrapolate: false,
            projection: None,
            penalty: None,
            method: Method::default(),
            friction: FrictionLaw::Exact,
            tolerance: None,
            facets: None,
            max_iterations: None,
            time_limit: None,
            warm_start: true,
            parallel: true,
            joint_tolerance: None,
            contact_tolerance: None,
            flexible_iterations: 1,
            recovery_speed: None,
            envelope: None,
            restitution_threshold: None,
            restitution_law: RestitutionLaw::default(),
            sleeping: true,
            gyroscopic: Gyroscopic::Implicit,
        }
    }
}

/// Most iterations of a step by the method `auto`, unless another number is asked for: ten times what the hardest steps of the gallery take.
const MOST_ITERATIONS: u32 = 10_000;

impl Settings {
    /// Most iterations of all solves of a step together; `None` for as many as its method has.
    #[must_use]
    pub fn iteration_limit(&self) -> Option<u32> {
        let usual =
            (self.stepper.has_hard_contacts() && matches!(self.method, Method::Auto(_))).then_some(MOST_ITERATIONS);
        self.max_iterations.or(usual)
    }

    /// What solves the equations of a step: a method for cone problems, or `newton` and `explicit` for smooth steppers.
    #[must_use]
    pub fn solver_name(&self) -> &'static str {
        match (self.stepper.has_hard_contacts(), self.stepper.is_explicit()) {
            (true, _) => self.method.name(),
            (false, true) => "explicit",
            (false, false) => "newton",
        }
    }

    pub(crate) fn check(&self) -> Result<(), StepError> {
        let bad = |name, value, allowed| Err(StepError::Setting { name, value, allowed });
        if self.step <= 0.0 || !self.step.is_finite() {
            return bad("step", self.step, "a finite number of seconds > 0");
        }
        self.stepper.check()?;
        if self.newton.tolerance <= 0.0 || !self.newton.tolerance.is_finite() {
            return bad("newton tolerance", self.newton.tolerance, "a finite number > 0");
        }
        if self.newton.max_iterations == 0 {
            return bad("newton max-iterations", 0.0, "at least 1");
        }
        if let Some(adaptive) = &self.adaptive {
            let positive = [
                ("adaptive tolerance", Some(adaptive.tolerance)),
                ("adaptive min-step", adaptive.min_step),
                ("adaptive max-step", adaptive.max_step),
            ];
            for (name, value) in positive {
                match value {
                    Some(value) if value <= 0.0 || !value.is_finite() => {
                        return bad(name, value, "a finite number > 0");
                    }
                    _ => {}
                }
            }
            let longest = adaptive.max_step.unwrap_or(self.step).min(self.step);
            match adaptive.min_step {
                Some(value) if value > longest => {
                    return bad("adaptive min-step", value, "at most the max-step and the step");
                }
                _ => {}
            }
        }
        if self.stepper.has_hard_contacts()
            && (self.adaptive.is_some() || self.extrapolate || self.projection.is_some())
        {
            return Err(StepError::SmoothOnly { stepper: self.stepper.name() });
        }
        if self.adaptive.is_some() && self.extrapolate {
            return bad("extrapolate", 1.0, "equal steps (without `adaptive`)");
        }
        if let Some(penalty) = &self.penalty {
            penalty.check()?;
            if self.stepper.has_hard_contacts() {
                let allowed = "no penalty, or a smooth stepper (this one has hard contacts)";
                return bad("penalty stiffness", penalty.stiffness, allowed);
            }
        }
        let optional = [
            ("joint-tolerance", self.joint_tolerance),
            ("contact-tolerance", self.contact_tolerance),
            ("recovery-speed", self.recovery_speed),
            ("envelope", self.envelope),
            ("restitution-threshold", self.restitution_threshold),
        ];
        for (name, value) in optional {
            match value {
                Some(value) if value < 0.0 || !value.is_finite() => return bad(name, value, "a finite number ≥ 0"),
                _ => {}
            }
        }
        Ok(())
    }
}

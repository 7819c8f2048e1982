//! How a model is stepped through time.

use crate::StepError;
use signorini_solver::{FrictionLaw, Method, Tolerance};

/// How the torque −ω × Iω is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// One Newton step of implicit Euler, body by body, in parts where one would gain energy: stable for fast spins.
    #[default]
    Implicit,
    /// As a force of the step's start: first order, gains energy.
    Explicit,
    /// Left out.
    Off,
}

/// How a model is stepped through time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Length of a step h \[s\].
    pub step: f64,
    /// How the problem of a step is solved.
    pub method: Method,
    /// The friction law: Coulomb's own unless another is asked for. The relaxed law is convex and faster, but what slides lifts.
    pub friction: FrictionLaw,
    /// How accurate every step has to be; without it, 5 % of the speed gained by falling for one step (relative 1e-3 without
    /// gravity), and small problems are solved far more accurately than that.
    pub tolerance: Option<Tolerance>,
    /// Friction pyramids of this many facets in place of round cones.
    pub facets: Option<u32>,
    /// Most iterations a step.
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
    /// Overlaps are undone at most at this speed η_s \[m/s\]; without it, half of √(g r) with the smallest body's radius r.
    pub recovery_speed: Option<f64>,
    /// Contacts with a gap below this \[m\] enter the problem (and those that the bodies' speeds may close within the step); without
    /// it, 1 % of the smallest body's radius.
    pub envelope: Option<f64>,
    /// Contacts that approach slower than this \[m/s\] do not rebound; without it, twice the speed gained by falling for one step.
    pub restitution_threshold: Option<f64>,
    /// The torque −ω × Iω.
    pub gyroscopic: Gyroscopic,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 0.01,
            method: Method::default(),
            friction: FrictionLaw::Exact,
            tolerance: None,
            facets: None,
            max_iterations: None,
            time_limit: None,
            warm_start: true,
            parallel: true,
            joint_tolerance: None,
            recovery_speed: None,
            envelope: None,
            restitution_threshold: None,
            gyroscopic: Gyroscopic::Implicit,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), StepError> {
        let bad = |name, value, allowed| Err(StepError::Setting { name, value, allowed });
        if self.step <= 0.0 || !self.step.is_finite() {
            return bad("step", self.step, "a finite number of seconds > 0");
        }
        let optional = [
            ("joint-tolerance", self.joint_tolerance),
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

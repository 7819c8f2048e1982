//! Accelerated steps: implicit and explicit methods for M a = f + Cᵀλ, Ψ = 0, with sub-steps where Newton's method or an error bound
//! ask for them.

pub(crate) mod coefficients;
pub(crate) mod explicit;
mod extrapolation;
mod implicit;
mod memory;
pub(crate) mod method;
mod names;
mod start;
mod substeps;
mod touching;

use crate::dynamics::penalty::PenaltyForces;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::dynamics::smooth::{Contradiction, System};
use crate::flexible::field::Failure;
use crate::step::settings::{Adaptive, Projection};
use crate::step::stepper;
use crate::{Model, Settings, State};
use coefficients::Coefficients;
use explicit::Explicit;
pub(crate) use extrapolation::SmoothMotion;
use implicit::Implicit;

/// A state with its accelerations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accelerated {
    pub(crate) phase: Phase,
    /// a = M⁻¹(f + Cᵀλ).
    pub(crate) acceleration: Vec<f64>,
    /// â, what the implicit steppers move with.
    pub(crate) algorithmic: Vec<f64>,
    /// λ \[N, N m\].
    pub(crate) multipliers: Vec<f64>,
}

/// Why Newton's method gave up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewtonFailure {
    pub(crate) reason: &'static str,
    /// The step that was tried \[s\].
    pub(crate) step: f64,
    /// The body with the largest increment, and that increment (metres relative to the model's length, or radians).
    pub(crate) body: usize,
    pub(crate) increment: f64,
    /// The joint with the largest violation (relative as above).
    pub(crate) joint: usize,
    pub(crate) violation: f64,
    /// The force that does not exist where Newton's method led, by index, and what it says.
    pub(crate) problem: Option<(usize, String)>,
    /// The element that has no force there.
    pub(crate) element: Option<Box<Failure>>,
}

/// What stops a smooth step; the time is that up to which all went well \[s\].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SmoothFailure {
    Newton {
        time: f64,
        failure: NewtonFailure,
    },
    Joints {
        time: f64,
        contradiction: Contradiction,
    },
    /// An element that has no force.
    Element {
        time: f64,
        failure: Box<Failure>,
    },
    /// No sub-step is small enough for the error asked for.
    Error {
        time: f64,
        step: f64,
        error: f64,
    },
    Interrupted {
        time: f64,
    },
}

impl SmoothFailure {
    /// The element that had no force, if that was the reason.
    fn element(&self) -> Option<&Failure> {
        match self {
            Self::Newton { failure, .. } => failure.element.as_deref(),
            Self::Element { failure, .. } => Some(failure),
            _ => None,
        }
    }
}

/// What an interval took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Advance {
    /// Newton iterations of all sub-steps.
    pub(crate) iterations: u32,
    pub(crate) factorisations: u32,
    pub(crate) substeps: u32,
    /// Sub-steps taken again: their error was too large, or Newton's method failed.
    pub(crate) rejected: u32,
    /// The shortest sub-step taken \[s\].
    pub(crate) shortest: f64,
    /// The worst last increment of Newton's method, as a velocity \[m/s\].
    pub(crate) residual: f64,
}

impl Advance {
    /// Counts another interval as well.
    fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.factorisations += other.factorisations;
        self.substeps += other.substeps;
        self.rejected += other.rejected;
        self.shortest = self.shortest.min(other.shortest);
        self.residual = self.residual.max(other.residual);
    }
}

/// A smooth stepper and what it keeps from step to step.
pub(crate) struct SmoothStepper {
    adaptive: Option<Adaptive>,
    projection: Projection,
    pub(crate) equations: Equations,
    pub(crate) consistent: Consistent,
    method: Family,
    /// Where the step starts, and ends.
    from: Accelerated,
    to: Accelerated,
    /// The last sub-step \[s\]; 0 before the first.
    last: f64,
    /// The sub-step to be tried next \[s\].
    next: f64,
}

enum Family {
    Implicit(Coefficients, Box<Implicit>),
    Explicit(Explicit),
}

impl SmoothStepper {
    pub(crate) fn new(model: &Model, settings: &Settings, state: &State) -> Self {
        let equations = Equations::by(model, settings.parallel);
        let phase = equations.phase(state);
        let zero = vec![0.0; equations.dimension];
        let system = System { model, equations: &equations };
        let method = match settings.stepper.about().family {
            stepper::Family::Implicit(coefficients) => {
                Family::Implicit(coefficients, Implicit::new(system, settings.newton).into())
            }
            stepper::Family::Explicit(rule) => Family::Explicit(Explicit::new(rule, &phase)),
            stepper::Family::Hard => {
                unreachable!("hard steppers begin by `Hard::begin`, and analyses choose an implicit one")
            }
        };
        let from = Accelerated {
            phase,
            acceleration: zero.clone(),
            algorithmic: zero,
            multipliers: vec![0.0; equations.rows.len()],
        };
        let usual = if settings.stepper.is_explicit() { Projection::Both } else { Projection::None };
        Self {
            adaptive: settings.adaptive,
            projection: settings.projection.unwrap_or(usual),
            consistent: Consistent::new(System { model, equations: &equations }),
            equations,
            method,
            to: from.clone(),
            from,
            last: 0.0,
            next: settings.step,
        }
    }

    /// Whether accelerations oscillate from step to step: joints without damping.
    pub(crate) fn oscillates(&self) -> bool {
        matches!(&self.method, Family::Implicit(coefficients, _) if !coefficients.is_damped())
            && !self.equations.rows.is_empty()
    }

    /// Multipliers λ of all bilateral rows \[N, N m\].
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.from.multipliers
    }

    /// Accelerations a of all velocities.
    pub(crate) fn accelerations(&self) -> &[f64] {
        &self.from.acceleration
    }

    /// Meets contacts by penalty from now on.
    pub(crate) fn meet_contacts(&mut self, penalty: PenaltyForces) {
        self.consistent.penalty = Some(Box::new(penalty));
    }

    /// Contacts by penalty, at the present state.
    pub(crate) fn penalty(&self) -> Option<&PenaltyForces> {
        self.consistent.penalty.as_deref()
    }

    /// Positions and velocities now.
    pub(crate) fn write(&self, state: &mut State) {
        let Accelerated { phase, .. } = &self.from;
        for &body in &self.equations.moving {
            let motion = self.equations.motion(phase, body);
            state.poses[body] = motion.pose;
            (state.velocities[body], state.angular_velocities[body]) = (motion.velocity, motion.angular_velocity);
        }
        state.nodes.clone_from(&phase.nodes);
        self.equations.columns.scatter_nodes(&phase.velocity, &mut state.node_velocities);
        state.memory.clone_from(&phase.memory);
    }
}

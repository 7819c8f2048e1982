//! What can stop an analysis.

use crate::ShapeError;
use signorini_linalg::EigenError;

/// An analysis that has no answer, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A setting out of range.
    #[error("{name} is {value}, expected {allowed}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A state of another model.
    #[error("the state holds {found} {what}, expected {expected}")]
    State {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What the model needs.
        expected: usize,
    },
    /// A model with flexible bodies.
    #[error("flexible body `{body}`: {analysis} takes rigid bodies only")]
    Flexible {
        /// The first flexible body.
        body: String,
        /// The analysis.
        analysis: &'static str,
    },
    /// A number overflowed, or was not finite to begin with.
    #[error("{what} has a number that is not finite")]
    NotFinite {
        /// Where.
        what: &'static str,
    },
    /// A force that does not exist where its bodies are.
    #[error("{force}: {problem}")]
    Force {
        /// The force, by kind and name.
        force: String,
        /// What is wrong.
        problem: String,
    },
    /// A model too large for dense matrices.
    #[error("the model has {found} {what}, expected at most {allowed}: this analysis uses dense matrices")]
    TooLarge {
        /// Velocities or freedoms.
        what: &'static str,
        /// What was found.
        found: usize,
        /// What is allowed.
        allowed: usize,
    },
    /// Joints that cannot hold together.
    #[error(
        "joints contradict each other in {of} at t = {time} s: joint `{joint}` (bodies `{}` and `{}`) is left with {left:.3e}",
        bodies[0],
        bodies[1]
    )]
    Contradiction {
        /// When \[s\].
        time: f64,
        /// Positions, speeds or accelerations.
        of: &'static str,
        /// The joint that is violated most.
        joint: String,
        /// Its bodies.
        bodies: [String; 2],
        /// What is left of its worst row.
        left: f64,
    },
    /// A limit or rope that holds, or would have to.
    #[error(
        "joint `{joint}` is at its limit (or its rope is taut): {value:.3e} is left, and one-sided rows are no part of this analysis"
    )]
    OneSided {
        /// The joint.
        joint: String,
        /// What is left of its row \[m or rad\]; negative where it is violated.
        value: f64,
    },
    /// A body that no joint and no spring holds.
    #[error("body `{body}` has nothing to hold it{}", match others { 0 => String::new(), n => format!(", nor have the {n} bodies connected with it") })]
    Unheld {
        /// The body.
        body: String,
        /// How many more bodies move with it.
        others: usize,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium after {iterations} iterations: {residual:.3e} N are left on body `{body}`, expected at most {allowed:.3e} N"
    )]
    NotConverged {
        /// Iterations spent.
        iterations: u32,
        /// The largest force left \[N\] (torques divided by the model's length).
        residual: f64,
        /// What it was asked to be below \[N\].
        allowed: f64,
        /// The body it acts on.
        body: String,
    },
    /// Motions that are not all imposed.
    #[error("degrees of freedom that are not imposed: {freedoms}; body `{body}` can still move")]
    Free {
        /// How many.
        freedoms: usize,
        /// A body that moves along one of them, more than any other.
        body: String,
    },
    /// A model that imposes no motion.
    #[error("no joint imposes a motion, expected at least one that is driven")]
    NoDrive,
    /// The simulation of what is not imposed stopped.
    #[error("the simulation of the free motion stops at t = {time} s: {reason}")]
    Simulation {
        /// The last good time \[s\].
        time: f64,
        /// Why.
        reason: String,
    },
    /// A shape that cannot be used.
    #[error("shape of body `{body}`: {error}")]
    Shape {
        /// The body.
        body: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// Eigenvalues that were not found.
    #[error(transparent)]
    Eigen(#[from] EigenError),
}

impl AnalysisError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::OneSided { .. } => {
                "simulate it instead, or replace the limit by a spring or by an equation (a distance joint)"
            }
            Self::Unheld { .. } => {
                "contacts are no part of this analysis: fix the body, connect it by a joint or spring, or simulate it"
            }
            Self::NotConverged { .. } => "start nearer to the equilibrium, or simulate the model with dampers",
            Self::Free { .. } => "drive the joint that leaves it free, or let free motions be simulated",
            Self::NoDrive => "give a revolute, prismatic or distance joint a `motion`",
            Self::TooLarge { .. } => "analyse a part of the model",
            Self::Contradiction { .. } => "check the points and axes of that joint, or the motions imposed on it",
            _ => return None,
        })
    }
}

//! What a step says about itself, in physical units.

use crate::{Broken, Energy, Momentum};
use signorini_solver::{Residuals, Status};

/// Seconds spent in the parts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimings {
    /// Finding contacts.
    pub collision: f64,
    /// Forces, rows, the problem.
    pub assembly: f64,
    /// Solving it.
    pub solve: f64,
}

/// Where the energy of a step went \[J\].
///
/// Impulses g along rows J do the work gᵀJ(v + v⁺)/2: that is exact, as M(v⁺ − v) is the sum of all impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Of contacts, friction included.
    pub contacts: f64,
    /// Of joints and links: what motors and imposed motions put in.
    pub joints: f64,
    /// The rest of the change of energy: loads, dampers, and what the method itself takes (or, with explicit forces, gives).
    pub rest: f64,
}

/// What a step says about itself. Quantities are those after the step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Steps taken, this one included.
    pub step: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// How the solve ended. Whether the step may be trusted is said by [`StepReport::converged`].
    pub status: Status,
    /// The method that gave the answer.
    pub method: &'static str,
    /// Iterations, all phases.
    pub iterations: u32,
    /// Matrices factorised by Newton's method of smooth steppers; 0 for others.
    pub factorisations: u32,
    /// How often the step was taken again with more contacts, because bodies met that had been too far apart; of smooth steppers, how
    /// many sub-steps were taken again because of their error or a failure of Newton's method.
    pub rounds: u32,
    /// Sub-steps the step was taken in: 1, unless errors are bounded or Newton's method failed with longer ones.
    pub substeps: u32,
    /// The shortest of them \[s\].
    pub shortest_step: f64,
    /// With extrapolation, the error of positions since the start that was estimated and removed: \[m\] and \[rad\], the largest.
    pub error_estimate: Option<[f64; 2]>,
    /// Residuals of the answer.
    pub residuals: Residuals,
    /// Residual divided by tolerance: at most 1 when met.
    pub tolerance_ratio: f64,
    /// Contacts in the problem.
    pub contacts: usize,
    /// Contacts that carry force.
    pub active: usize,
    /// Deepest overlap after the step \[m\]; 0 without any.
    pub penetration: f64,
    /// Worst violation of a joint, rope, limit or link after the step \[m\].
    pub joint_violation: f64,
    /// Worst violation of a joint, limit or link after the step \[rad\].
    pub joint_angle_violation: f64,
    /// Energy after the step; with contacts by penalty their springs are part of the potential energy.
    pub energy: Energy,
    /// Momentum after the step.
    pub momentum: Momentum,
    /// Where its energy went; only of `dvi-euler`.
    pub work: Option<Work>,
    /// Share of the recovery speed that was used: 1, unless undoing all overlaps at once has no solution.
    pub recovery: f64,
    /// The promises it broke, each by whom most; empty for a step that has converged.
    pub broken: Vec<Broken>,
    /// Where the time went.
    pub timings: StepTimings,
}

impl StepReport {
    /// Whether the step kept every promise.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.broken.is_empty()
    }
}

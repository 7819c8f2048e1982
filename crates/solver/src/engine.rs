//! What solves convex problems: a method with everything it keeps from solve to solve.

use crate::change::Change;
use crate::driver::{Driver, Task};
use crate::friction_law::FrictionLaw;
use crate::limits::RunLimits;
use crate::report::{Iterate, Solution};
use crate::residual::ResidualMeter;
use crate::{ConeProblem, SolveError};
use signorini_linalg::Threads;

/// What is new about a problem, and how it is to be prepared.
#[derive(Clone, Copy)]
pub(crate) struct Preparation {
    pub(crate) change: Change,
    /// The law a method that knows several is to solve.
    pub(crate) law: FrictionLaw,
    pub(crate) threads: Threads,
}

/// What one solve is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// An answer to a similar problem.
    pub(crate) start: Option<&'a Iterate>,
    /// The start answers a problem that differs by a small change of b: Newton is worth a try.
    pub(crate) is_close: bool,
    pub(crate) limits: RunLimits<'a>,
}

/// A method and what it keeps: buffers, layout, symbolic analysis, factors. The problem and its meter are handed in.
pub(crate) trait Engine: Send + Sync {
    /// Takes note of a problem; the meter is that of the problem already.
    fn prepare(&mut self, problem: &ConeProblem, meter: &ResidualMeter, how: Preparation) -> Result<(), SolveError>;
    /// Lets go of what it reads where the problem has it: that is about to change.
    fn release(&mut self) {}
    /// Takes over the offsets b that the meter has now.
    fn set_offset(&mut self, meter: &ResidualMeter);
    /// Solves the prepared problem; residuals are those of the problem with the meter's offsets.
    fn solve(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError>;
}

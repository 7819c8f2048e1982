//! A method on the dual problem: what it keeps between solves, and one iteration at a time.

use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Iteration, Measured, Step};
use crate::dual::{Arrangement, DualProblem};
use crate::report::Iterate;

/// A method on the dual problem min ½gᵀNg + rᵀg, g ∈ K. It owns its buffers; the dual problem is handed in with every call.
pub(crate) trait DualEngine: Send + Sync {
    /// In which order it visits blocks.
    fn arrangement(&self) -> Arrangement {
        Arrangement::Neighbours
    }
    /// Renews what depends on N and on the sizes of the problem.
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError>;
    /// Starts from the impulses `start` ∈ K, in the rows of `dual`.
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]);
    /// Makes the next iterate.
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step;
    /// Copies the impulses of the current iterate.
    fn export(&self, dual: &DualProblem, out: &mut Iterate);
    /// Which part of the method made the current iterate.
    fn phase(&self) -> &'static str;
    /// The natural map of the current iterate, if the method has it anyway.
    fn estimate(&self, dual: &DualProblem) -> Option<Estimate>;
    /// Whether it looks at [`Measured::required_speed`], which costs a pass over J.
    fn watches_required_speed(&self) -> bool {
        true
    }
}

/// An engine with its dual problem, as the driver sees them.
pub(crate) struct OnDual {
    pub(crate) dual: DualProblem,
    engine: Box<dyn DualEngine>,
    start: Vec<f64>,
}

impl OnDual {
    pub(crate) fn new(engine: Box<dyn DualEngine>) -> Self {
        Self { dual: DualProblem::empty(engine.arrangement()), engine, start: Vec::new() }
    }
    /// Takes note of what changed in the dual problem.
    pub(crate) fn prepare(&mut self, change: Change) -> Result<(), SolveError> {
        self.engine.prepare(&mut self.dual, change)
    }
    /// Starts from the impulses of an iterate, projected on K, or from zero.
    pub(crate) fn begin(&mut self, from: Option<&Iterate>) {
        self.dual.start(from, &mut self.start);
        self.engine.begin(&mut self.dual, &self.start);
    }
}

impl Iteration for OnDual {
    fn advance(&mut self, measured: &Measured) -> Step {
        self.engine.advance(&mut self.dual, measured)
    }
    fn export(&self, out: &mut Iterate) {
        self.engine.export(&self.dual, out);
    }
    fn impulses_only(&self) -> bool {
        true
    }
    fn phase(&self) -> &'static str {
        self.engine.phase()
    }
    fn estimate(&self) -> Option<Estimate> {
        self.engine.estimate(&self.dual)
    }
    fn watches_required_speed(&self) -> bool {
        self.engine.watches_required_speed()
    }
}

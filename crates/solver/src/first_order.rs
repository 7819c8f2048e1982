//! Methods on the dual problem as engines.

use crate::driver::{Driver, Task};
use crate::dual_engine::{DualEngine, OnDual};
use crate::engine::{Ask, Engine, Preparation};
use crate::friction_law::FrictionLaw;
use crate::report::Solution;
use crate::residual::ResidualMeter;
use crate::{ConeProblem, SolveError};

/// Methods on the dual problem.
pub(crate) struct FirstOrder {
    name: &'static str,
    run: OnDual,
}

impl FirstOrder {
    /// A method of this name.
    pub(crate) fn new(name: &'static str, engine: Box<dyn DualEngine>) -> Self {
        Self { name, run: OnDual::new(engine) }
    }
}

impl Engine for FirstOrder {
    fn prepare(&mut self, problem: &ConeProblem, meter: &ResidualMeter, how: Preparation) -> Result<(), SolveError> {
        let Preparation { change, law, threads } = how;
        let changed = self.run.dual.update(problem, meter.delassus_ref(), change, threads)?;
        if law == FrictionLaw::Exact {
            self.run.dual.set_exact_law(problem);
        }
        self.run.prepare(changed)
    }

    fn release(&mut self) {
        self.run.dual.release();
    }

    fn set_offset(&mut self, meter: &ResidualMeter) {
        self.run.dual.set_free_velocity(meter.delassus_ref().free_velocity());
    }

    fn solve(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        self.run.begin(ask.start);
        driver.run(self.name, &mut self.run, task, &ask.limits, out);
        Ok(())
    }
}

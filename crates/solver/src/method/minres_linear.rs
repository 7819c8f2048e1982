//! MINRES on N g = −r, for problems with bilateral rows only [PaigeSaunders1975].
//!
//! Redundant rows make N singular but leave the system consistent: from g = 0 the answer is the one of least length.

use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{DualProblem, dot};
use crate::dual_engine::DualEngine;
use crate::method::interior_point::LIKELY_INFEASIBLE;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;
use signorini_linalg::{KrylovStatus, KrylovStep, MinresRecurrence, MinresWorkspace};

/// MINRES for linear problems.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Minres {
    /// Precondition by the diagonal of N: fewer iterations where masses differ much; the answer of redundant rows is then
    /// the one of least length in the scaled rows.
    pub scaled: bool,
}

impl MethodSettings for Minres {
    fn describe(&self) -> Description {
        Description {
            name: "minres",
            summary: "MINRES for linear problems (bilateral rows only)",
            accepts: Accepts::LINEAR,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(MinresEngine::new(self.clone())))
    }
}

/// See `signorini_linalg::MinresSettings::rank_tolerance`; smaller than its default, as joints of long chains have condition
/// numbers beyond 1e8.
const RANK_TOLERANCE: f64 = 1e-12;
/// A restart that does not gain this factor has reached the accuracy of the data.
const RESTART_GAIN: f64 = 0.5;

struct MinresEngine {
    settings: Minres,
    recurrence: MinresRecurrence,
    work: MinresWorkspace,
    g: Vec<f64>,
    /// −(Ng + r).
    residual: Vec<f64>,
    /// M⁻¹.
    inverse: Vec<f64>,
    /// ‖residual‖² at the last restart.
    last: f64,
}

impl MinresEngine {
    fn new(settings: Minres) -> Self {
        let (g, residual, inverse) = Default::default();
        let (recurrence, work) = Default::default();
        Self { settings, recurrence, work, g, residual, inverse, last: 0.0 }
    }

    /// Starts the recurrence from the residual at the present impulses; returns its squared length.
    fn restart(&mut self, dual: &mut DualProblem) -> f64 {
        let Self { recurrence, g, inverse, residual, work, .. } = self;
        dual.gradient(g, residual);
        residual.iter_mut().for_each(|r| *r = -*r);
        *recurrence = MinresRecurrence::start(residual, None, RANK_TOLERANCE, |x, out| scale(inverse, x, out), work);
        dot(residual, residual)
    }
}

fn scale(inverse: &[f64], x: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(x).zip(inverse).for_each(|((out, x), m)| *out = x * m);
}

impl DualEngine for MinresEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            let scaled = self.settings.scaled;
            self.inverse.clear();
            self.inverse.extend((0..dual.rows()).map(|row| if scaled { 1.0 / dual.softness()[row] } else { 1.0 }));
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        self.g.clear();
        self.g.extend_from_slice(start);
        self.residual.resize(dual.rows(), 0.0);
        self.work.resize(dual.rows());
        self.last = self.restart(dual);
    }
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step {
        if measured.required_speed > LIKELY_INFEASIBLE {
            return Step::Infeasible;
        }
        let Self { recurrence, work, g, residual, inverse, .. } = self;
        let step = recurrence.advance(|x, out| dual.apply(x, out), |x, out| scale(inverse, x, out), g, work);
        match step {
            KrylovStep::Taken => recurrence.update_residual(residual, work),
            KrylovStep::Stopped(status) => {
                let now = self.restart(dual);
                if now > RESTART_GAIN * RESTART_GAIN * self.last || now.is_nan() {
                    return Step::Stalled(match status {
                        KrylovStatus::Breakdown => "rows contradict each other: the least-squares answer is reached",
                        _ => "no progress at the limit of double precision",
                    });
                }
                self.last = now;
            }
        }
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn phase(&self) -> &'static str {
        "minres"
    }
    fn estimate(&self, dual: &DualProblem) -> Option<Estimate> {
        Some(dual.estimate_from(dot(&self.residual, &self.residual)))
    }
}

//! MINRES on N g = −r, for problems with bilateral rows only [PaigeSaunders1975].
//!
//! Redundant rows make N singular but leave the system consistent: from g = 0 the answer is the one of least length.

use crate::SolveError;
use crate::driver::{Estimate, Iteration, Measured, Step};
use crate::dual::{DualProblem, dot};
use crate::method::interior_point::LIKELY_INFEASIBLE;
use crate::method::{Accepts, Description, DualMethod, MethodSettings};
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
    fn dual(&self) -> Option<&dyn DualMethod> {
        Some(self)
    }
}

/// See `signorini_linalg::MinresSettings::rank_tolerance`; smaller than its default, as joints of long chains have condition
/// numbers beyond 1e8.
const RANK_TOLERANCE: f64 = 1e-12;
/// A restart that does not gain this factor has reached the accuracy of the data.
const RESTART_GAIN: f64 = 0.5;

impl DualMethod for Minres {
    fn begin<'a>(&'a self, dual: &'a mut DualProblem, start: &[f64]) -> Result<Box<dyn Iteration + 'a>, SolveError> {
        let m = dual.rows();
        let inverse: Vec<f64> = (0..m).map(|row| if self.scaled { 1.0 / dual.softness()[row] } else { 1.0 }).collect();
        let mut work = MinresWorkspace::new(m);
        let mut residual = vec![0.0; m];
        let recurrence = restart(dual, start, &inverse, &mut residual, &mut work);
        Ok(Box::new(Run {
            recurrence,
            work,
            g: start.to_vec(),
            last: dot(&residual, &residual),
            residual,
            inverse,
            dual,
        }))
    }
}

struct Run<'a> {
    dual: &'a mut DualProblem,
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

fn restart(
    dual: &mut DualProblem,
    g: &[f64],
    inverse: &[f64],
    residual: &mut [f64],
    work: &mut MinresWorkspace,
) -> MinresRecurrence {
    dual.gradient(g, residual);
    residual.iter_mut().for_each(|r| *r = -*r);
    MinresRecurrence::start(residual, None, RANK_TOLERANCE, |x, out| scale(inverse, x, out), work)
}

fn scale(inverse: &[f64], x: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(x).zip(inverse).for_each(|((out, x), m)| *out = x * m);
}

impl Iteration for Run<'_> {
    fn advance(&mut self, measured: &Measured) -> Step {
        if measured.required_speed > LIKELY_INFEASIBLE {
            return Step::Infeasible;
        }
        let Self { dual, recurrence, work, g, residual, inverse, last } = self;
        let step = recurrence.advance(|x, out| dual.apply(x, out), |x, out| scale(inverse, x, out), g, work);
        match step {
            KrylovStep::Taken => recurrence.update_residual(residual, work),
            KrylovStep::Stopped(status) => {
                *recurrence = restart(dual, g, inverse, residual, work);
                let now = dot(residual, residual);
                if now > RESTART_GAIN * RESTART_GAIN * *last || now.is_nan() {
                    return Step::Stalled(match status {
                        KrylovStatus::Breakdown => "rows contradict each other: the least-squares answer is reached",
                        _ => "no progress at the limit of double precision",
                    });
                }
                *last = now;
            }
        }
        Step::Taken
    }
    fn export(&self, out: &mut Iterate) {
        self.dual.export(&self.g, out);
    }
    fn impulses_only(&self) -> bool {
        true
    }
    fn phase(&self) -> &'static str {
        "minres"
    }
    fn estimate(&self) -> Option<Estimate> {
        Some(self.dual.estimate_from(dot(&self.residual, &self.residual)))
    }
}

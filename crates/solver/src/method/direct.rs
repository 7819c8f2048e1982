//! Sparse direct solution of linear problems: bilateral rows only.
//!
//! ```text
//! [ H   Cᵀ ] [  dv ]     [ r_d ]
//! [ C  −E  ] [ −dγ ] = − [ r_γ ],   r_d = Hv + c − Cᵀγ,  r_γ = Cv − b + Eγ
//! ```
//!
//! One factorisation by [`crate::method::kkt`], whose small regularisation makes up for redundant rows; every iteration
//! solves for what is left, so that the first gives the answer and further ones refine it.

use crate::driver::{Measured, Step};
use crate::method::interior_point::LIKELY_INFEASIBLE;
use crate::method::kkt::{Direction, KktForm, KktSolver};
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;
use crate::standard_form::StandardForm;
use signorini_linalg::FactorError;

/// Sparse direct solution of linear problems.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Direct {
    /// Which form of the system is factorised.
    pub kkt: KktForm,
}

impl Default for Direct {
    fn default() -> Self {
        Self { kkt: KktForm::QuasiDefinite }
    }
}

impl MethodSettings for Direct {
    fn describe(&self) -> Description {
        Description {
            name: "direct",
            summary: "sparse factorisation for linear problems (bilateral rows only)",
            accepts: Accepts::LINEAR,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100
    }
}

/// Refinements inside one solve.
const REFINEMENTS: u32 = 2;
/// Iterations in a row that may fail to halve the residual.
const PATIENCE: u32 = 2;

/// The iterate and the buffers of the method.
#[derive(Default)]
pub(crate) struct DirectState {
    v: Vec<f64>,
    gamma: Vec<f64>,
    rhs: Direction,
    step: Direction,
    best: f64,
    failures: u32,
}

impl DirectState {
    /// Factorises and starts from a warm start or from nothing.
    pub(crate) fn begin(
        &mut self,
        form: &StandardForm,
        kkt: &mut KktSolver,
        warm: Option<&Iterate>,
    ) -> Result<(), FactorError> {
        kkt.factorise(form)?;
        for (part, size) in [(&mut self.v, form.velocities()), (&mut self.gamma, form.free.len())] {
            part.clear();
            part.resize(size, 0.0);
        }
        if let Some(warm) = warm {
            form.import(warm, &mut self.v, &mut self.gamma, &mut []);
        }
        self.rhs.clear(form);
        self.step.clear(form);
        (self.best, self.failures) = (f64::INFINITY, 0);
        Ok(())
    }

    /// One iteration: a solve for what is left.
    pub(crate) fn advance(&mut self, form: &StandardForm, kkt: &mut KktSolver, measured: &Measured) -> Step {
        if measured.required_speed > LIKELY_INFEASIBLE {
            return Step::Infeasible;
        }
        let measure = measured.residuals.natural_map_relative;
        self.failures = if measure < 0.5 * self.best { 0 } else { self.failures + 1 };
        self.best = self.best.min(measure);
        if self.failures > PATIENCE {
            return Step::Stalled("no progress at the limit of double precision");
        }
        let Self { v, gamma, rhs, step, .. } = self;
        form.dual_residual(v, gamma, &[], &mut rhs.v);
        form.relative_velocity(v, gamma, &[], &mut [], &mut rhs.gamma);
        rhs.v.iter_mut().chain(&mut rhs.gamma).for_each(|r| *r = -*r);
        kkt.solve(form, |_, _| {}, rhs, REFINEMENTS, step);
        if !step.is_finite() {
            return Step::Stalled("the system is too close to singular");
        }
        v.iter_mut().zip(&step.v).for_each(|(x, d)| *x += d);
        gamma.iter_mut().zip(&step.gamma).for_each(|(x, d)| *x += d);
        Step::Taken
    }

    pub(crate) fn export(&self, form: &StandardForm, out: &mut Iterate) {
        form.export(&self.v, &self.gamma, &[], out);
    }
}

//! Primal-dual interior point (Mehrotra predictor-corrector, Nesterov-Todd scaling), THEORY §7.

mod point;
mod settings;
mod start;
mod step;

pub use settings::{InteriorPoint, Start, Steps, Stopping, WarmStart};

use crate::driver::{Iteration, Step};
use crate::method::kkt::KktSolver;
use crate::method::semismooth_newton::Newton;
use crate::report::Iterate;
use crate::residual::Residuals;
use crate::standard_form::StandardForm;
use point::Point;
use signorini_linalg::FactorError;
use step::NewtonStep;

/// One run of the method.
pub(crate) struct InteriorPointRun<'a> {
    form: &'a StandardForm,
    settings: &'a InteriorPoint,
    point: Point,
    step: NewtonStep,
    kkt: &'a mut KktSolver,
    /// Complementarity of the best iterate so far and how many iterations ago that was.
    progress: (f64, u32),
}

/// Iterations without progress after which the method gives up.
const PATIENCE: u32 = 8;

impl<'a> InteriorPointRun<'a> {
    pub(crate) fn new(
        form: &'a StandardForm,
        settings: &'a InteriorPoint,
        kkt: &'a mut KktSolver,
        warm: Option<&Iterate>,
    ) -> Result<Self, FactorError> {
        let point = start::starting_point(form, settings, kkt, warm)?;
        Ok(Self { form, settings, step: NewtonStep::new(form), point, kkt, progress: (f64::INFINITY, 0) })
    }

    pub(crate) fn form(&self) -> &'a StandardForm {
        self.form
    }

    /// The form and the factorisation, for a method that takes over.
    pub(crate) fn system(&mut self) -> (&'a StandardForm, &mut KktSolver) {
        (self.form, self.kkt)
    }

    /// Lets Newton start from the current iterate.
    pub(crate) fn hand_over(&self, newton: &mut Newton) {
        newton.start(&self.point.v, &self.point.gamma, &self.point.lambda);
    }

    fn paper_rule_met(&self, residual_limit: f64, mu_limit: f64) -> bool {
        let [free, cone, dual] = self.point.mean_residuals(self.form);
        free < residual_limit && cone < residual_limit && dual < residual_limit && self.point.mu() < mu_limit
    }
}

impl Iteration for InteriorPointRun<'_> {
    fn advance(&mut self, residuals: &Residuals) -> Step {
        let measure = residuals.natural_map_relative;
        // A tenth off the best residual counts as progress.
        if measure < 0.9 * self.progress.0 {
            self.progress = (measure, 0);
        } else {
            self.progress.1 += 1;
            if self.progress.1 > PATIENCE {
                return Step::Stalled("no progress at the limit of double precision");
            }
        }
        self.step.take(self.form, self.settings, self.kkt, &mut self.point)
    }

    fn export(&self, out: &mut Iterate) {
        self.form.export(&self.point.v, &self.point.gamma, &self.point.lambda, out);
    }

    fn phase(&self) -> &'static str {
        "interior-point"
    }

    fn own_rule_met(&self) -> Option<bool> {
        match self.settings.stopping {
            Stopping::Residual => None,
            Stopping::Paper => Some(self.paper_rule_met(1e-8, 1e-7)),
            Stopping::Thesis => Some(self.paper_rule_met(1e-10, 1e-9)),
        }
    }
}

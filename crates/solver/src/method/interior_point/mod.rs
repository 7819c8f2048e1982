//! Primal-dual interior point (Mehrotra predictor-corrector, Nesterov-Todd scaling), THEORY §7.

mod lift;
mod point;
mod settings;
mod start;
mod step;

pub use settings::{InteriorPoint, Start, Steps, Stopping, WarmStart};

use crate::driver::{Iteration, Measured, Step};
use crate::method::kkt::KktSolver;
use crate::method::semismooth_newton::Newton;
use crate::report::Iterate;
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
    progress: Progress,
}

/// Iterations without progress after which the method gives up.
const PATIENCE: u32 = 8;
/// The constraints contradict each other if any velocity that satisfies them is this many times the problem's own,
pub(crate) const SURELY_INFEASIBLE: f64 = 1e12;
/// or this many times when the iteration has come to a halt.
pub(crate) const LIKELY_INFEASIBLE: f64 = 1e7;
/// A measure has fallen when it is below this share of its best.
const ENOUGH_PROGRESS: f64 = 0.98;

/// Watches the measures that must fall: residual, infeasibility, complementarity. On hard problems they take turns.
#[derive(Default)]
struct Progress {
    best: Option<[f64; 3]>,
    idle: u32,
}

impl Progress {
    /// Whether any measure fell in the last iterations.
    fn made(&mut self, measures: [f64; 3]) -> bool {
        let best = self.best.get_or_insert([f64::INFINITY; 3]);
        let mut fell = false;
        for (best, measure) in best.iter_mut().zip(measures) {
            if measure < ENOUGH_PROGRESS * *best {
                *best = measure;
                fell = true;
            }
        }
        self.idle = if fell { 0 } else { self.idle + 1 };
        self.idle <= PATIENCE
    }
}

impl<'a> InteriorPointRun<'a> {
    pub(crate) fn new(
        form: &'a StandardForm,
        settings: &'a InteriorPoint,
        kkt: &'a mut KktSolver,
        warm: Option<&Iterate>,
    ) -> Result<Self, FactorError> {
        // The step before may have left an answer to this one: with the rules of the papers it is taken as it is, before
        // being pushed inside the cones spoils it. (By the residual the driver finds out itself.)
        let recycled = start::recycled(form, settings, warm);
        let point = match recycled.filter(|point| rule_met(settings.stopping, point) == Some(true)) {
            Some(answer) => answer,
            None => start::starting_point(form, settings, kkt, warm)?,
        };
        Ok(Self { form, settings, step: NewtonStep::new(form, &point.lift), point, kkt, progress: Progress::default() })
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
}

/// Whether a point meets the rule of a paper; `None` if the residual is the rule.
fn rule_met(stopping: Stopping, point: &Point) -> Option<bool> {
    let (residual_limit, mu_limit) = match stopping {
        Stopping::Residual => return None,
        Stopping::Paper => (1e-8, 1e-7),
        Stopping::Thesis => (1e-10, 1e-9),
    };
    let [free, cone, dual] = point.mean_residuals();
    Some(free < residual_limit && cone < residual_limit && dual < residual_limit && point.mu() < mu_limit)
}

impl Iteration for InteriorPointRun<'_> {
    fn advance(&mut self, measured: &Measured) -> Step {
        if measured.required_speed > SURELY_INFEASIBLE {
            return Step::Infeasible;
        }
        if self.form.cones.len() == 0 {
            return match measured.required_speed > LIKELY_INFEASIBLE {
                true => Step::Infeasible,
                false => Step::Stalled("a linear problem is solved at the start"),
            };
        }
        let measures = [measured.residuals.natural_map_relative, self.point.infeasibility(), self.point.mu()];
        let step = match self.progress.made(measures) {
            true => self.step.take(self.form, self.settings, self.kkt, &mut self.point),
            false => Step::Stalled("no progress at the limit of double precision"),
        };
        match step {
            Step::Stalled(_) if measured.required_speed > LIKELY_INFEASIBLE => Step::Infeasible,
            other => other,
        }
    }

    fn export(&self, out: &mut Iterate) {
        self.form.export(&self.point.v, &self.point.gamma, &self.point.lambda, out);
    }

    fn phase(&self) -> &'static str {
        "interior-point"
    }

    fn own_rule_met(&self) -> Option<bool> {
        rule_met(self.settings.stopping, &self.point)
    }
}

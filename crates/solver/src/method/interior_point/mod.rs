//! Primal-dual interior point (Mehrotra predictor-corrector, Nesterov-Todd scaling), THEORY §7.

mod lift;
mod point;
mod settings;
mod start;
mod step;

pub use settings::{InteriorPoint, Start, Steps, Stopping, WarmStart};

use crate::driver::{Measured, Step};
use crate::method::kkt::KktSolver;
use crate::method::semismooth_newton::Newton;
use crate::report::Iterate;
use crate::standard_form::StandardForm;
use point::Point;
use signorini_linalg::FactorError;
use start::StartRoom;
use step::NewtonStep;

/// The iterate and the buffers of the method.
pub(crate) struct InteriorPointState {
    settings: InteriorPoint,
    point: Point,
    step: Box<NewtonStep>,
    room: StartRoom,
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

impl InteriorPointState {
    pub(crate) fn new(settings: InteriorPoint) -> Self {
        let (point, step, room, progress) = Default::default();
        Self { settings, point, step, room, progress }
    }

    /// Starts from a warm start or from nothing.
    pub(crate) fn begin(
        &mut self,
        form: &StandardForm,
        kkt: &mut KktSolver,
        warm: Option<&Iterate>,
    ) -> Result<(), FactorError> {
        let Self { settings, point, step, room, progress } = self;
        *progress = Progress::default();
        // The step before may have left an answer to this one: with the rules of the papers it is taken as it is, before
        // being pushed inside the cones spoils it. (By the residual the driver finds out itself.)
        let has_own_rule = settings.stopping != Stopping::Residual;
        let is_answered = has_own_rule
            && start::recycle(form, settings, warm, room, point)
            && rule_met(settings.stopping, point) == Some(true);
        if !is_answered {
            start::starting_point(form, settings, kkt, warm, room, point)?;
        }
        step.resize(form, &point.lift);
        Ok(())
    }

    /// Lets Newton start from the current iterate.
    pub(crate) fn hand_over(&self, newton: &mut Newton) {
        newton.start(&self.point.v, &self.point.gamma, &self.point.lambda);
    }

    /// One iteration.
    pub(crate) fn advance(&mut self, form: &StandardForm, kkt: &mut KktSolver, measured: &Measured) -> Step {
        if measured.required_speed > SURELY_INFEASIBLE {
            return Step::Infeasible;
        }
        if form.cones.len() == 0 {
            return if measured.required_speed > LIKELY_INFEASIBLE {
                Step::Infeasible
            } else {
                Step::Stalled("a linear problem is solved at the start")
            };
        }
        let measures = [measured.residuals.natural_map_relative, self.point.infeasibility(), self.point.mu()];
        let step = if self.progress.made(measures) {
            self.step.take(form, &self.settings, kkt, &mut self.point)
        } else {
            Step::Stalled("no progress at the limit of double precision")
        };
        match step {
            Step::Stalled(_) if measured.required_speed > LIKELY_INFEASIBLE => Step::Infeasible,
            other => other,
        }
    }

    pub(crate) fn export(&self, form: &StandardForm, out: &mut Iterate) {
        form.export(&self.point.v, &self.point.gamma, &self.point.lambda, out);
    }

    /// Whether the rule of a paper is met, where one is the rule.
    pub(crate) fn own_rule_met(&self) -> Option<bool> {
        rule_met(self.settings.stopping, &self.point)
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

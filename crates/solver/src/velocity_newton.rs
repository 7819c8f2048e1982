//! Proximal Newton in velocities, from a start that is almost the answer: one sparse factor of the size of the bodies per step.
//!
//! What rests begins a step with the impulses of the step before, which miss the answer by rounding that has grown. Contacts that carry nothing, or share a load in many
//! ways, make Newton's method of [`crate::method::semismooth_newton`] jump between sets of active contacts there. With a proximal term
//!
//! ```text
//! u = y + (α/τ)(λ − c),   F(λ) = λ − Π(λ − τu)        (y_n with its slip μ‖y_t‖ under the exact law)
//! ```
//!
//! the problem has one answer whatever the contacts share, and Newton's method finds it in a few steps; moved to that answer, the centre c goes to an answer of the problem by a factor of
//! about α per move. The slip is that of the present velocities: at rest it is nothing, and what slides is left to other methods.

use crate::driver::{Iteration, Measured, Step};
use crate::method::kkt::{KktForm, KktSolver};
use crate::method::semismooth_newton::Newton;
use crate::problem::PatternName;
use crate::report::Iterate;
use crate::residual::ResidualMeter;
use crate::second_order::factor_error;
use crate::standard_form::StandardForm;
use crate::{ConeProblem, SolveError};
use signorini_linalg::Threads;

/// α: small enough that one or two centres suffice, large enough that the factor keeps nine digits, ...
const SHARE: f64 = 1e-7;
/// ... and this share of the least softness of a contact over the largest, where that is less: a light body under heavy ones moves with them a share of that much.
const SHARE_OF_RANGE: f64 = 1e-3;
/// No factor has more digits than this.
const LEAST_SHARE: f64 = 1e-16;
/// The centre moves when F has fallen to this share of what it was there, ...
const CENTRE_GAIN: f64 = 0.05;
/// ... or after so many steps.
const STEPS_PER_CENTRE: u32 = 6;
/// Steps in a row that may fail to halve the residual: one, as the set of active contacts may have changed.
const PATIENCE: u32 = 1;
/// A step may make F so many times as large: Newton's method may climb before it falls.
const CLIMB: f64 = 2.0;
/// Halvings of a step that climbs higher.
const HALVINGS: u32 = 3;

/// Newton's method, with what it keeps from problem to problem of one pattern.
#[derive(Default)]
pub(crate) struct VelocityNewton {
    form: StandardForm,
    kkt: Option<KktSolver>,
    newton: Newton,
    pattern: Option<PatternName>,
    at_centre: f64,
    steps: u32,
    best: f64,
    idle: u32,
}

impl VelocityNewton {
    pub(crate) const NAME: &str = "velocity-newton";

    /// Takes note of a problem, and begins at a start.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn begin(
        &mut self,
        problem: &ConeProblem,
        meter: &ResidualMeter,
        start: &Iterate,
        is_exact: bool,
        threads: Threads,
    ) -> Result<(), SolveError> {
        let is_known = self.pattern.is_some_and(|pattern| pattern.is(problem.pattern));
        let change = if is_known { crate::change::Change::SamePattern } else { crate::change::Change::Everything };
        self.pattern = Some(problem.pattern);
        let is_same = self.form.update(problem, meter.delassus_ref(), change);
        let form = &self.form;
        if !(is_same && self.kkt.as_mut().is_some_and(|kkt| kkt.renew(form))) {
            // What no longer fits is given back before its successor asks for memory.
            self.kkt = None;
            self.kkt = Some(KktSolver::new(form, KktForm::Auto, threads).map_err(factor_error)?);
        }
        self.newton.clear(form);
        self.newton.start_from(form, start, true);
        let (least, most) = form
            .cone_softness
            .iter()
            .filter(|softness| **softness > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), softness| (least.min(*softness), most.max(*softness)));
        let share = if least < most { SHARE.min(SHARE_OF_RANGE * least / most).max(LEAST_SHARE) } else { SHARE };
        self.newton.keep_near(share, is_exact);
        self.at_centre = self.newton.misfit(form);
        (self.steps, self.best, self.idle) = (0, f64::INFINITY, 0);
        Ok(())
    }
}

impl Iteration for VelocityNewton {
    fn advance(&mut self, measured: &Measured) -> Step {
        let residual = measured.residuals.natural_map;
        if residual < 0.5 * self.best {
            (self.best, self.idle) = (residual, 0);
        } else {
            self.idle += 1;
        }
        if self.idle > PATIENCE || !residual.is_finite() {
            return Step::Stalled("Newton steps no longer reduce the residual");
        }
        let Self { form, kkt: Some(kkt), newton, .. } = self else {
            return Step::Stalled("there is no system");
        };
        let mut before = newton.misfit(form);
        if before <= CENTRE_GAIN * self.at_centre || self.steps >= STEPS_PER_CENTRE {
            newton.move_centre();
            before = newton.misfit(form);
            (self.at_centre, self.steps) = (before, 0);
        }
        self.steps += 1;
        let step = newton.step(form, kkt);
        if !matches!(step, Step::Taken) {
            return step;
        }
        let mut share = 0.5;
        for _ in 0..HALVINGS {
            if newton.misfit(form) <= CLIMB * before {
                break;
            }
            newton.go_back(share);
            share *= 0.5;
        }
        Step::Taken
    }

    fn export(&self, out: &mut Iterate) {
        self.newton.export(&self.form, out);
    }

    fn watches_required_speed(&self) -> bool {
        false
    }

    fn phase(&self) -> &'static str {
        Self::NAME
    }
}

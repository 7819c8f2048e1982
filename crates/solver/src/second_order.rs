//! The interior point, Newton and the direct solution on one problem: what they share, and what follows when one of them fails.
//!
//! The interior point finds which contacts are open, sticking and sliding; Newton, started close enough, then
//! converges quadratically where the interior point is limited by the conditioning of its system. Newton is tried when
//! the residual first falls below [`FIRST_TRY`], and again each time the interior point has gained [`RETRY_GAIN`]; not,
//! though, for the last [`WORTH_IT`] of the way, which the interior point covers in the iterations a failed try costs.

use crate::driver::{Driver, Iteration, Measured, Step, Task};
use crate::engine::{Ask, Engine, Preparation};
use crate::limits::{RunLimits, Tolerance};
use crate::method::Method;
use crate::method::direct::DirectState;
use crate::method::interior_point::{InteriorPoint, InteriorPointState, Stopping, WarmStart};
use crate::method::kkt::{KktForm, KktSolver};
use crate::method::semismooth_newton::{Newton, SemismoothNewton};
use crate::report::{Iterate, Solution, Status};
use crate::residual::ResidualMeter;
use crate::standard_form::StandardForm;
use crate::{ConeProblem, SolveError};
use signorini_linalg::{FactorError, Threads};

/// Relative residual at which Newton is first tried.
const FIRST_TRY: f64 = 1e-5;
/// Gain of the interior point between two tries.
const RETRY_GAIN: f64 = 1e-2;
/// Least ratio of residual to tolerance for which Newton is tried.
const WORTH_IT: f64 = 300.0;
/// Compliance that stands in for hard contacts when no velocity satisfies them all, as a share of each row's N_ii.
const LEAST_VIOLATION_COMPLIANCE: f64 = 1e-6;

/// The three methods on the standard form of a problem.
///
/// Parts have boxes of their own, made when they are first needed: one box for all would be larger than what an allocator hands
/// out quickly (1 KiB), which a single small problem would wait for.
pub(crate) struct SecondOrder {
    plan: Plan,
    kkt_form: KktForm,
    /// The interior point: the method itself, or what Newton and the direct solution fall back to.
    inner: InteriorPoint,
    threads: Threads,
    form: Box<StandardForm>,
    kkt: Option<Box<KktSolver>>,
    /// Another elimination order, for where the first one stalls; made when that happens.
    other_kkt: Option<Box<KktSolver>>,
    uses_other: bool,
    interior: InteriorPointState,
    newton: Box<Newton>,
    direct: Box<DirectState>,
    run: Run,
    /// The answer of an attempt that is followed by another.
    earlier: Option<Box<Solution>>,
    /// The answer of Newton where the interior point takes over.
    of_newton: Option<Box<Solution>>,
}

/// Which of the methods comes first.
#[derive(Clone, Copy, PartialEq)]
enum Plan {
    InteriorPoint,
    Newton { most_iterations: u32 },
    Direct,
}

/// What the driver is running.
#[derive(Clone, Copy)]
enum Run {
    /// The interior point, polished by Newton if there is a tolerance to polish for.
    InteriorPoint {
        polish: Option<Polish>,
    },
    Newton,
    Direct,
}

/// Newton as the polish of the interior point.
#[derive(Clone, Copy)]
struct Polish {
    tolerance: Tolerance,
    is_on: bool,
    /// Residual below which Newton is tried next.
    next_try: f64,
    /// What was measured of the iterate that Newton started from.
    resume: Option<Measured>,
    /// The interior point has stalled.
    is_last: bool,
}

impl SecondOrder {
    pub(crate) fn new(method: &Method) -> Self {
        let (plan, kkt_form, inner) = match method {
            Method::InteriorPoint(settings) => (Plan::InteriorPoint, settings.kkt, settings.clone()),
            Method::SemismoothNewton(SemismoothNewton { max_newton_iterations, fallback }) => {
                (Plan::Newton { most_iterations: *max_newton_iterations }, fallback.kkt, fallback.clone())
            }
            Method::Direct(settings) => {
                (Plan::Direct, settings.kkt, InteriorPoint { kkt: settings.kkt, ..InteriorPoint::default() })
            }
            other => {
                unreachable!("{} is an engine on the dual problem, and `auto` chooses among engines", other.name())
            }
        };
        Self {
            plan,
            kkt_form,
            interior: InteriorPointState::new(inner.clone()),
            inner,
            threads: Threads::One,
            form: Box::default(),
            kkt: None,
            other_kkt: None,
            uses_other: false,
            newton: Box::default(),
            direct: Box::default(),
            run: Run::Newton,
            earlier: None,
            of_newton: None,
        }
    }

    /// The interior point; from the warm start first, cold if that stalls.
    fn interior_point(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        self.interior_point_from(ask, task, driver, out)?;
        let most = ask.limits.max_iterations;
        let cold = |out: &Solution| {
            let limits = ask.limits.with_iterations(most.saturating_sub(out.report.iterations));
            Ask { start: None, limits, ..*ask }
        };
        if matches!(out.report.status, Status::Stalled(_) | Status::Infeasible) && ask.start.is_some() {
            self.again(&cold(out), task, driver, out)?;
        }
        // Another elimination order rounds differently: where one form stalls the other may not.
        if matches!(out.report.status, Status::Stalled(_)) && self.kkt_form == KktForm::Auto && !self.uses_other {
            if self.other_kkt.is_none() {
                let other = KktSolver::new(&self.form, KktForm::QuasiDefinite, Threads::One).map_err(factor_error)?;
                self.other_kkt = Some(Box::new(other));
            }
            self.uses_other = true;
            self.again(&cold(out), task, driver, out)?;
        }
        Ok(())
    }

    /// One more attempt by the interior point; the record is that of all, the answer the best.
    fn again(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let mut earlier = self.earlier.take().unwrap_or_else(no_answer);
        std::mem::swap(out, &mut *earlier);
        let outcome = self.interior_point_from(ask, task, driver, out);
        out.follow(&mut earlier);
        self.earlier = Some(earlier);
        outcome
    }

    fn interior_point_from(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let Self { form, interior, .. } = self;
        let kkt = chosen(&mut self.kkt, &mut self.other_kkt, self.uses_other);
        interior.begin(form, kkt, ask.start).map_err(factor_error)?;
        let is_polished = self.inner.polish && self.inner.stopping == Stopping::Residual;
        let polish =
            Polish { tolerance: ask.limits.tolerance, is_on: false, next_try: FIRST_TRY, resume: None, is_last: false };
        if is_polished {
            self.newton.clear(&self.form);
        }
        self.run = Run::InteriorPoint { polish: is_polished.then_some(polish) };
        self.drive("interior-point", &ask.limits, task, driver, out);
        Ok(())
    }

    /// Newton from the warm start, the interior point if that fails.
    fn newton_first(
        &mut self,
        most: u32,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let limit = ask.limits.max_iterations;
        self.newton.clear(&self.form);
        if let (Some(start), WarmStart::Full | WarmStart::Partial) = (ask.start, self.inner.warm_start) {
            self.newton.start_from(&self.form, start, self.inner.warm_start == WarmStart::Full);
        }
        self.run = Run::Newton;
        self.drive("semismooth-newton", &ask.limits.with_iterations(most.min(limit)), task, driver, out);
        if matches!(out.report.status, Status::Stalled(_) | Status::IterationLimit) {
            let limits = ask.limits.with_iterations(limit.saturating_sub(out.report.iterations));
            let mut of_newton = self.of_newton.take().unwrap_or_else(no_answer);
            std::mem::swap(out, &mut *of_newton);
            let outcome = self.interior_point(&Ask { limits, ..*ask }, task, driver, out);
            out.report.method = of_newton.report.method;
            out.follow(&mut of_newton);
            self.of_newton = Some(of_newton);
            outcome?;
        }
        Ok(())
    }

    /// Lets the driver run what `self.run` says.
    fn drive(
        &mut self,
        name: &'static str,
        limits: &RunLimits<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) {
        driver.run(name, self, task, limits, out);
        let kkt = chosen(&mut self.kkt, &mut self.other_kkt, self.uses_other);
        out.report.kkt = Some(kkt.name());
        out.report.factor_entries = kkt.factor_entries();
    }

    /// The answer of an infeasible problem: constraints as springs, far stiffer than the bodies are heavy, share the
    /// violation so that the sum of its squares, each divided by its row's N_ii, is least. Residuals are those of the
    /// problem that was asked; if this second solve does not converge, the status is its own.
    fn least_violation(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let diagonal = task.meter.delassus_ref().diagonal();
        let soft = task.problem.softened(diagonal.iter().map(|n| LEAST_VIOLATION_COMPLIANCE * n));
        let mut meter = ResidualMeter::new(&soft)?;
        let used = task.meter.delassus_ref().offset();
        let extra: Vec<f64> = task.problem.offset().iter().zip(used).map(|(b, used)| b - used).collect();
        meter.delassus().set_extra(&soft, &extra);
        let mut engine = Self::new(&Method::InteriorPoint(self.inner.clone()));
        let how = Preparation {
            change: crate::change::Change::Everything,
            law: crate::friction_law::FrictionLaw::Relaxed,
            threads: self.threads,
        };
        engine.prepare(&soft, &meter, how)?;
        engine.set_offset(&meter);
        // One clock and one limit for both.
        let limits = ask.limits.with_iterations(ask.limits.max_iterations.saturating_sub(out.report.iterations));
        let mut answer = Solution::empty(ask.limits.tolerance);
        let mut soft_task = Task { problem: &soft, meter: &mut meter, started: task.started, setup: task.setup };
        engine.interior_point(&Ask { limits, ..*ask }, &mut soft_task, driver, &mut answer)?;
        let Solution { iterate, report: of_answer, .. } = answer;
        let residuals = task.meter.measure(task.problem, &iterate.velocity, &iterate.impulse);
        out.take(task.meter, &iterate.impulse, residuals);
        let report = &mut out.report;
        report.iterations += of_answer.iterations;
        report.phases.push(("least-violation", of_answer.iterations));
        let all = of_answer.timings.setup + of_answer.timings.iterations;
        report.timings.iterations = all - report.timings.setup;
        if of_answer.status != Status::Converged {
            report.status = of_answer.status;
        }
        Ok(())
    }

    /// Starts Newton from the interior point.
    fn start_polish(&mut self, measured: &Measured, polish: Polish) -> Step {
        self.interior.hand_over(&mut self.newton);
        let next_try = measured.residuals.natural_map_relative * RETRY_GAIN;
        let polish = Polish { is_on: true, resume: Some(*measured), next_try, ..polish };
        self.advance_polished(measured, polish)
    }

    fn advance_polished(&mut self, measured: &Measured, polish: Polish) -> Step {
        self.run = Run::InteriorPoint { polish: Some(polish) };
        let Self { form, interior, newton, .. } = self;
        let kkt = chosen(&mut self.kkt, &mut self.other_kkt, self.uses_other);
        if polish.is_on {
            let step = newton.advance(form, kkt, measured);
            if matches!(step, Step::Taken) || polish.is_last {
                return step;
            }
            let resume = polish.resume.unwrap_or(*measured);
            return self.advance_polished(&resume, Polish { is_on: false, ..polish });
        }
        let is_far = polish.tolerance.ratio(&measured.residuals) > WORTH_IT;
        if is_far && measured.residuals.natural_map_relative <= polish.next_try {
            return self.start_polish(measured, polish);
        }
        match interior.advance(form, kkt, measured) {
            Step::Stalled(_) => {
                newton.last_attempt();
                self.start_polish(measured, Polish { is_last: true, ..polish })
            }
            other => other,
        }
    }
}

/// Room for an answer.
fn no_answer() -> Box<Solution> {
    Box::new(Solution::empty(Tolerance::Relative(1.0)))
}

/// The system in use. Prepared engines have one.
fn chosen<'a>(
    kkt: &'a mut Option<Box<KktSolver>>,
    other: &'a mut Option<Box<KktSolver>>,
    uses_other: bool,
) -> &'a mut KktSolver {
    let slot = if uses_other { other } else { kkt };
    match slot {
        Some(kkt) => kkt,
        None => unreachable!("`prepare` makes the system, and `interior_point` the other one before it is used"),
    }
}

impl Engine for SecondOrder {
    fn prepare(&mut self, problem: &ConeProblem, meter: &ResidualMeter, how: Preparation) -> Result<(), SolveError> {
        let is_same = self.form.update(problem, meter.delassus_ref(), how.change);
        self.uses_other = false;
        self.threads = how.threads;
        let form = &self.form;
        let renewed = |kkt: &mut Option<Box<KktSolver>>| is_same && kkt.as_mut().is_some_and(|kkt| kkt.renew(form));
        if !renewed(&mut self.other_kkt) {
            self.other_kkt = None;
        }
        if !renewed(&mut self.kkt) {
            // What no longer fits is given back before its successor asks for memory.
            self.kkt = None;
            self.kkt = Some(Box::new(KktSolver::new(form, self.kkt_form, how.threads).map_err(factor_error)?));
        }
        Ok(())
    }

    fn set_offset(&mut self, meter: &ResidualMeter) {
        self.form.set_offset(meter.delassus_ref().offset());
    }

    fn solve(
        &mut self,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        match self.plan {
            Plan::InteriorPoint if ask.is_close && ask.start.is_some() => {
                let most = SemismoothNewton::default().max_newton_iterations;
                self.newton_first(most, ask, task, driver, out)?;
            }
            Plan::InteriorPoint => self.interior_point(ask, task, driver, out)?,
            Plan::Newton { most_iterations } => self.newton_first(most_iterations, ask, task, driver, out)?,
            Plan::Direct => {
                let kkt = chosen(&mut self.kkt, &mut self.other_kkt, self.uses_other);
                self.direct.begin(&self.form, kkt, ask.start).map_err(factor_error)?;
                self.run = Run::Direct;
                self.drive("direct", &ask.limits, task, driver, out);
            }
        }
        if out.report.status == Status::Infeasible {
            self.least_violation(ask, task, driver, out)?;
        }
        Ok(())
    }
}

impl Iteration for SecondOrder {
    fn advance(&mut self, measured: &Measured) -> Step {
        if let Run::InteriorPoint { polish: Some(polish) } = self.run {
            return self.advance_polished(measured, polish);
        }
        let Self { form, interior, newton, direct, .. } = self;
        let kkt = chosen(&mut self.kkt, &mut self.other_kkt, self.uses_other);
        match self.run {
            Run::InteriorPoint { .. } => interior.advance(form, kkt, measured),
            Run::Newton => newton.advance(form, kkt, measured),
            Run::Direct => direct.advance(form, kkt, measured),
        }
    }

    fn export(&self, out: &mut Iterate) {
        match self.run {
            Run::InteriorPoint { polish: Some(Polish { is_on: true, .. }) } | Run::Newton => {
                self.newton.export(&self.form, out);
            }
            Run::InteriorPoint { .. } => self.interior.export(&self.form, out),
            Run::Direct => self.direct.export(&self.form, out),
        }
    }

    fn phase(&self) -> &'static str {
        match self.run {
            Run::InteriorPoint { polish: Some(Polish { is_on: true, .. }) } | Run::Newton => "newton",
            Run::InteriorPoint { .. } => "interior-point",
            Run::Direct => "direct",
        }
    }

    fn own_rule_met(&self) -> Option<bool> {
        match self.run {
            // Newton as a polish works by the residual; the rules of the papers have no polish.
            Run::InteriorPoint { polish: None } => self.interior.own_rule_met(),
            _ => None,
        }
    }
}

/// Why a factorisation failed, for the caller.
pub(crate) fn factor_error(error: FactorError) -> SolveError {
    match error {
        FactorError::Memory => SolveError::Memory,
        FactorError::Pivot { pivot } => SolveError::Factorisation { pivot: Some(pivot) },
        FactorError::Structure { column } => SolveError::Factorisation { pivot: Some(column) },
        _ => SolveError::Factorisation { pivot: None },
    }
}

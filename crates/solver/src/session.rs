//! The interior point and Newton on one problem: what their phases share, and what follows when one of them fails.

use crate::driver::{self, Iteration};
use crate::method::Method;
use crate::method::crossover::Crossover;
use crate::method::direct::DirectRun;
use crate::method::interior_point::{InteriorPoint, InteriorPointRun, Stopping, WarmStart};
use crate::method::kkt::{KktForm, KktSolver};
use crate::method::semismooth_newton::{Newton, NewtonRun, SemismoothNewton};
use crate::residual::ResidualMeter;
use crate::settings::{Control, SolverSettings};
use crate::standard_form::StandardForm;
use crate::{ConeProblem, Iterate, Solution, SolveError, Status};
use signorini_linalg::{FactorError, Threads};
use std::time::Instant;

/// Compliance that stands in for hard contacts when no velocity satisfies them all, as a share of each row's N_ii.
const LEAST_VIOLATION_COMPLIANCE: f64 = 1e-6;

/// What the phases of one solve by the interior point and Newton share.
pub(crate) struct Session<'a> {
    problem: &'a ConeProblem,
    started: Instant,
    meter: ResidualMeter<'a>,
    form: StandardForm,
    kkt: KktSolver,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        mut meter: ResidualMeter<'a>,
        settings: &SolverSettings,
        form_of_system: KktForm,
        started: Instant,
    ) -> Result<Self, SolveError> {
        let problem = meter.delassus().problem();
        let form = StandardForm::new(meter.delassus());
        let threads = if settings.parallel { Threads::Pool } else { Threads::One };
        let kkt = KktSolver::new(&form, form_of_system, threads).map_err(factor_error)?;
        Ok(Self { problem, started, meter, form, kkt })
    }

    /// Adds a relative velocity to every row, in place of the one added before.
    pub(crate) fn set_extra(&mut self, extra: &[f64]) {
        self.meter.delassus().set_extra(extra);
        self.form.set_offset(self.meter.delassus().offset());
    }

    /// Solves by the method of the settings.
    pub(crate) fn solve(&mut self, settings: &SolverSettings, control: &Control<'_>) -> Result<Solution, SolveError> {
        let (solution, inner) = match &settings.method {
            Method::InteriorPoint(method) => {
                (self.interior_point(method, settings, control, settings.iteration_limit())?, method)
            }
            Method::SemismoothNewton(method) => (self.semismooth_newton(method, settings, control)?, &method.fallback),
            Method::Direct(method) => {
                let solution = self.direct(settings, control)?;
                let inner = InteriorPoint { kkt: method.kkt, ..InteriorPoint::default() };
                return match solution.report.status {
                    Status::Infeasible => self.least_violation(&inner, settings, control, solution),
                    _ => Ok(solution),
                };
            }
            // The others are methods on the dual problem, and solved there.
            other => return Err(SolveError::NotAccepted { method: other.name(), what: "this form", able: Vec::new() }),
        };
        match solution.report.status {
            Status::Infeasible => self.least_violation(inner, settings, control, solution),
            _ => Ok(solution),
        }
    }

    /// The interior point; from the warm start first, cold if that stalls.
    fn interior_point(
        &mut self,
        settings: &InteriorPoint,
        common: &SolverSettings,
        control: &Control<'_>,
        limit: u32,
    ) -> Result<Solution, SolveError> {
        let mut solution = self.interior_point_from(settings, common, control, limit)?;
        let left = |solution: &Solution| limit.saturating_sub(solution.report.iterations);
        let cold = Control { warm: None, ..*control };
        if matches!(solution.report.status, Status::Stalled(_) | Status::Infeasible) && control.warm.is_some() {
            let left = left(&solution);
            solution = continued(solution, self.interior_point_from(settings, common, &cold, left)?);
        }
        // Another elimination order rounds differently: where one form stalls the other may not.
        if matches!(solution.report.status, Status::Stalled(_)) && settings.kkt == KktForm::Auto {
            let other = KktForm::QuasiDefinite;
            self.kkt = KktSolver::new(&self.form, other, Threads::One).map_err(factor_error)?;
            let left = left(&solution);
            solution = continued(solution, self.interior_point_from(settings, common, &cold, left)?);
        }
        Ok(solution)
    }

    fn interior_point_from(
        &mut self,
        settings: &InteriorPoint,
        common: &SolverSettings,
        control: &Control<'_>,
        limit: u32,
    ) -> Result<Solution, SolveError> {
        let Self { started, meter, form, kkt, .. } = self;
        let (name, entries) = (kkt.name(), kkt.factor_entries());
        let limits = common.limits(control, limit);
        let mut run = InteriorPointRun::new(form, settings, kkt, control.warm).map_err(factor_error)?;
        let mut crossover;
        let iteration: &mut dyn Iteration = if settings.polish && settings.stopping == Stopping::Residual {
            crossover = Crossover::new(run, common.tolerance);
            &mut crossover
        } else {
            &mut run
        };
        let mut solution = driver::run("interior-point", iteration, meter, &limits, *started);
        solution.report.kkt = Some(name);
        solution.report.factor_entries = entries;
        Ok(solution)
    }

    /// Linear problems by one factorisation.
    fn direct(&mut self, common: &SolverSettings, control: &Control<'_>) -> Result<Solution, SolveError> {
        let (name, entries) = (self.kkt.name(), self.kkt.factor_entries());
        let limits = common.limits(control, common.iteration_limit());
        let mut run = DirectRun::new(&self.form, &mut self.kkt, control.warm).map_err(factor_error)?;
        let mut solution = driver::run("direct", &mut run, &mut self.meter, &limits, self.started);
        solution.report.kkt = Some(name);
        solution.report.factor_entries = entries;
        Ok(solution)
    }

    fn semismooth_newton(
        &mut self,
        settings: &SemismoothNewton,
        common: &SolverSettings,
        control: &Control<'_>,
    ) -> Result<Solution, SolveError> {
        let (name, entries) = (self.kkt.name(), self.kkt.factor_entries());
        let limit = common.iteration_limit();
        let limits = common.limits(control, settings.max_newton_iterations.min(limit));
        let mut newton = Newton::new(&self.form);
        match (control.warm, settings.fallback.warm_start) {
            (None, _) | (_, WarmStart::None) => {}
            (Some(warm), WarmStart::Full) => newton.start_from(&self.form, warm),
            (Some(warm), WarmStart::Partial) => {
                let impulse = vec![0.0; warm.impulse.len()];
                newton.start_from(&self.form, &Iterate { velocity: warm.velocity.clone(), impulse });
            }
        }
        let mut run = NewtonRun { form: &self.form, kkt: &mut self.kkt, newton };
        let mut solution = driver::run("semismooth-newton", &mut run, &mut self.meter, &limits, self.started);
        if matches!(solution.report.status, Status::Stalled(_) | Status::IterationLimit) {
            let left = limit.saturating_sub(solution.report.iterations);
            let mut second = self.interior_point(&settings.fallback, common, control, left)?;
            second.report.method = solution.report.method;
            solution = continued(solution, second);
        }
        solution.report.kkt = Some(name);
        solution.report.factor_entries = entries;
        Ok(solution)
    }
}

impl Session<'_> {
    /// The answer of an infeasible problem: constraints as springs, far stiffer than the bodies are heavy, share the
    /// violation so that the sum of its squares, each divided by its row's N_ii, is least. Residuals are those of the
    /// problem that was asked; if this second solve does not converge, the status is its own.
    fn least_violation(
        &mut self,
        settings: &InteriorPoint,
        common: &SolverSettings,
        control: &Control<'_>,
        infeasible: Solution,
    ) -> Result<Solution, SolveError> {
        let diagonal = self.meter.delassus().diagonal();
        let soft = self.problem.softened(diagonal.iter().map(|n| LEAST_VIOLATION_COMPLIANCE * n));
        // One clock and one limit for both.
        let mut session = Session::new(ResidualMeter::new(&soft)?, common, settings.kkt, self.started)?;
        let extra = self.problem.offset().iter().zip(self.meter.delassus().offset()).map(|(b, used)| b - used);
        session.set_extra(&extra.collect::<Vec<_>>());
        let left = common.iteration_limit().saturating_sub(infeasible.report.iterations);
        let answer = session.interior_point(settings, common, control, left)?;
        let report = infeasible.report;
        let mut solution = Solution { report, ..answer };
        solution.report.residuals = self.meter.measure(solution.velocity(), solution.impulse());
        solution.report.objective = self.meter.objective(solution.impulse());
        solution.report.iterations += answer.report.iterations;
        solution.report.phases.push(("least-violation", answer.report.iterations));
        let all = answer.report.timings.setup + answer.report.timings.iterations;
        solution.report.timings.iterations = all - solution.report.timings.setup;
        if answer.report.status != Status::Converged {
            solution.report.status = answer.report.status;
        }
        solution.iterate.velocity.copy_from_slice(self.meter.velocity());
        solution.relative_velocity.copy_from_slice(self.meter.relative_velocity());
        Ok(solution)
    }
}

/// The answer of a second attempt with the record of both; the first one's answer if that is the better one.
pub(crate) fn continued(first: Solution, mut second: Solution) -> Solution {
    let offset = first.report.iterations;
    let (earlier, report) = (&first.report, &mut second.report);
    report.iterations += offset;
    report.phases.splice(0..0, earlier.phases.iter().copied());
    report.history.iter_mut().for_each(|entry| entry.iteration += offset);
    report.history.splice(0..0, earlier.history.iter().copied());
    // Both clocks started together: what the second calls its setup is all that came before it.
    report.timings.iterations += report.timings.setup - earlier.timings.setup;
    report.timings.setup = earlier.timings.setup;
    let (before, after) = (earlier.tolerance.ratio(&earlier.residuals), report.tolerance.ratio(&report.residuals));
    if after > before || after.is_nan() {
        report.residuals = earlier.residuals;
        report.objective = earlier.objective;
        (report.method, report.kkt, report.factor_entries) = (earlier.method, earlier.kkt, earlier.factor_entries);
        return Solution { report: second.report, ..first };
    }
    second
}

pub(crate) fn factor_error(error: FactorError) -> SolveError {
    match error {
        FactorError::Memory => SolveError::Memory,
        _ => SolveError::Factorisation,
    }
}

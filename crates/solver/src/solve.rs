//! The one-call door: a problem and settings in, a solution out.

use crate::driver::{self, Iteration};
use crate::method::crossover::Crossover;
use crate::method::interior_point::{InteriorPoint, InteriorPointRun, Stopping, WarmStart};
use crate::method::kkt::{KktForm, KktSolver};
use crate::method::semismooth_newton::{Newton, NewtonRun, SemismoothNewton};
use crate::residual::ResidualMeter;
use crate::settings::{Control, Limits};
use crate::standard_form::StandardForm;
use crate::{ConeProblem, Iterate, Solution, SolveError, Status, Tolerance};
use signorini_linalg::{FactorError, Threads};
use std::time::Instant;

/// A method with its settings.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SolverSettings {
    /// Interior point, with a Newton polish unless switched off.
    InteriorPoint(InteriorPoint),
    /// Semi-smooth Newton from the warm start, interior point if that fails.
    SemismoothNewton(SemismoothNewton),
}

impl From<InteriorPoint> for SolverSettings {
    fn from(settings: InteriorPoint) -> Self {
        Self::InteriorPoint(settings)
    }
}

impl From<SemismoothNewton> for SolverSettings {
    fn from(settings: SemismoothNewton) -> Self {
        Self::SemismoothNewton(settings)
    }
}

impl SolverSettings {
    /// Default settings of every method, in the order they are listed to users.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![InteriorPoint::default().into(), SemismoothNewton::default().into()]
    }
    /// The name used in settings, on the command line and in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InteriorPoint(_) => "interior-point",
            Self::SemismoothNewton(_) => "semismooth-newton",
        }
    }
    /// One line for lists of methods.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        match self {
            Self::InteriorPoint(_) => "primal-dual interior point, polished by semi-smooth Newton",
            Self::SemismoothNewton(_) => "semi-smooth Newton from a warm start, interior point as its fallback",
        }
    }
    /// The settings of the interior point inside: every method so far has one.
    pub fn interior_point_mut(&mut self) -> &mut InteriorPoint {
        match self {
            Self::InteriorPoint(settings) => settings,
            Self::SemismoothNewton(settings) => &mut settings.fallback,
        }
    }
    /// Sets the tolerance.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.interior_point_mut().tolerance = tolerance;
    }
}

/// Solves a problem from a cold start.
///
/// # Errors
/// Settings out of range, or a system that cannot be set up. Stopping early is not an error: see
/// [`crate::Report::status`].
pub fn solve(problem: &ConeProblem, settings: &SolverSettings) -> Result<Solution, SolveError> {
    solve_with(problem, settings, &Control::default())
}

/// Solves a problem with a warm start or a way to interrupt.
///
/// # Errors
/// As [`solve`], and a warm start of the wrong size.
pub fn solve_with(
    problem: &ConeProblem,
    settings: &SolverSettings,
    control: &Control<'_>,
) -> Result<Solution, SolveError> {
    control.check(problem)?;
    let mut session;
    let (solution, interior_point) = match settings {
        SolverSettings::InteriorPoint(settings) => {
            session = Session::new(problem, settings)?;
            (session.interior_point(settings, control)?, settings)
        }
        SolverSettings::SemismoothNewton(settings) => {
            if settings.fallback.stopping != Stopping::Residual {
                return Err(SolveError::StoppingRule { method: "semismooth-newton" });
            }
            session = Session::new(problem, &settings.fallback)?;
            (session.semismooth_newton(settings, control)?, &settings.fallback)
        }
    };
    match solution.report.status {
        Status::Infeasible => session.least_violation(problem, interior_point, control, solution),
        _ => Ok(solution),
    }
}

/// Compliance that stands in for hard contacts when no velocity satisfies them all, as a share of each row's N_ii.
const LEAST_VIOLATION_COMPLIANCE: f64 = 1e-6;

/// What the phases of one solve share.
struct Session<'a> {
    started: Instant,
    meter: ResidualMeter<'a>,
    form: StandardForm,
    kkt: KktSolver,
}

impl<'a> Session<'a> {
    fn new(problem: &'a ConeProblem, settings: &InteriorPoint) -> Result<Self, SolveError> {
        let started = Instant::now();
        settings.check()?;
        let mut meter = ResidualMeter::new(problem)?;
        let form = StandardForm::new(meter.delassus());
        let threads = if settings.parallel { Threads::Pool } else { Threads::One };
        let kkt = KktSolver::new(&form, settings.kkt, threads).map_err(factor_error)?;
        Ok(Self { started, meter, form, kkt })
    }

    /// The interior point; from the warm start first, cold if that stalls.
    fn interior_point(&mut self, settings: &InteriorPoint, control: &Control<'_>) -> Result<Solution, SolveError> {
        let mut solution = self.interior_point_from(settings, control)?;
        let cold = Control { warm: None, ..*control };
        if matches!(solution.report.status, Status::Stalled(_) | Status::Infeasible) && control.warm.is_some() {
            let again = InteriorPoint { max_iterations: left(settings, &solution), ..settings.clone() };
            solution = continued(solution, self.interior_point_from(&again, &cold)?);
        }
        // Another elimination order rounds differently: where one form stalls the other may not.
        if matches!(solution.report.status, Status::Stalled(_)) && settings.kkt == KktForm::Auto {
            let other = KktForm::QuasiDefinite;
            let again = InteriorPoint { kkt: other, max_iterations: left(settings, &solution), ..settings.clone() };
            self.kkt = KktSolver::new(&self.form, other, Threads::One).map_err(factor_error)?;
            solution = continued(solution, self.interior_point_from(&again, &cold)?);
        }
        Ok(solution)
    }

    fn interior_point_from(&mut self, settings: &InteriorPoint, control: &Control<'_>) -> Result<Solution, SolveError> {
        let Self { started, meter, form, kkt } = self;
        let (name, entries) = (kkt.name(), kkt.factor_entries());
        let limits = limits(settings, control, settings.max_iterations);
        let mut run = InteriorPointRun::new(form, settings, kkt, control.warm).map_err(factor_error)?;
        let mut crossover;
        let iteration: &mut dyn Iteration = if settings.polish && settings.stopping == Stopping::Residual {
            crossover = Crossover::new(run, settings.tolerance);
            &mut crossover
        } else {
            &mut run
        };
        let mut solution = driver::run("interior-point", iteration, meter, &limits, *started);
        solution.report.kkt = Some(name);
        solution.report.factor_entries = entries;
        Ok(solution)
    }

    fn semismooth_newton(
        &mut self,
        settings: &SemismoothNewton,
        control: &Control<'_>,
    ) -> Result<Solution, SolveError> {
        let (name, entries) = (self.kkt.name(), self.kkt.factor_entries());
        let most = settings.max_newton_iterations.min(settings.fallback.max_iterations);
        let limits = limits(&settings.fallback, control, most);
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
            let fallback =
                InteriorPoint { max_iterations: left(&settings.fallback, &solution), ..settings.fallback.clone() };
            let second = self.interior_point(&fallback, control)?;
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
        problem: &ConeProblem,
        settings: &InteriorPoint,
        control: &Control<'_>,
        infeasible: Solution,
    ) -> Result<Solution, SolveError> {
        let diagonal = self.meter.delassus().diagonal();
        let soft = problem.softened(diagonal.iter().map(|n| LEAST_VIOLATION_COMPLIANCE * n));
        let answer = Session::new(&soft, settings)?.interior_point(settings, control)?;
        let report = infeasible.report;
        let mut solution = Solution { report, ..answer };
        solution.report.residuals = self.meter.measure(solution.velocity(), solution.impulse());
        solution.report.objective = self.meter.objective(solution.impulse());
        solution.report.iterations += answer.report.iterations;
        solution.report.phases.push(("least-violation", answer.report.iterations));
        solution.report.timings.iterations += answer.report.timings.setup + answer.report.timings.iterations;
        if answer.report.status != Status::Converged {
            solution.report.status = answer.report.status;
        }
        solution.iterate.velocity.copy_from_slice(self.meter.velocity());
        solution.relative_velocity.copy_from_slice(self.meter.relative_velocity());
        Ok(solution)
    }
}

/// Iterations left of the limit after a first attempt.
fn left(settings: &InteriorPoint, first: &Solution) -> u32 {
    settings.max_iterations.saturating_sub(first.report.iterations)
}

/// The answer of a second attempt with the record of both; the first one's answer if that is the better one.
fn continued(first: Solution, mut second: Solution) -> Solution {
    let offset = first.report.iterations;
    let (earlier, report) = (&first.report, &mut second.report);
    report.method = earlier.method;
    report.iterations += offset;
    report.phases.splice(0..0, earlier.phases.iter().copied());
    report.history.iter_mut().for_each(|entry| entry.iteration += offset);
    report.history.splice(0..0, earlier.history.iter().copied());
    report.timings.setup = earlier.timings.setup;
    let (before, after) = (earlier.tolerance.ratio(&earlier.residuals), report.tolerance.ratio(&report.residuals));
    if after > before || after.is_nan() {
        report.residuals = earlier.residuals;
        report.objective = earlier.objective;
        return Solution { report: second.report, ..first };
    }
    second
}

fn limits<'a>(settings: &InteriorPoint, control: &Control<'a>, max_iterations: u32) -> Limits<'a> {
    Limits {
        tolerance: settings.tolerance,
        max_iterations,
        time_limit: settings.time_limit,
        history: settings.history,
        cancel: control.cancel,
    }
}

fn factor_error(error: FactorError) -> SolveError {
    match error {
        FactorError::Memory => SolveError::Memory,
        _ => SolveError::Factorisation,
    }
}

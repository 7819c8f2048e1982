//! The one place where problems of steps are solved.

use crate::dynamics::free_motion::FreeMotion;
use crate::step::context::{StepContext, timed};
use crate::step::settings::StepSettings;
use crate::{State, StepError, Vec3};
use signorini_solver::{
    ConeProblem, Iterate, Limits, ProblemError, Solution, SolveError, Solver, SolverSettings, Status, Tolerance,
};

/// Without a tolerance asked for, problems of up to so many rows aim at more accuracy than is promised: there a factorisation costs
/// little.
const AIM_ROWS: usize = 600;
/// The same while everything is quiet: an accurate answer of what rests holds from step to step, so that the next one begins with it and has nothing to do, where a
/// loose one leaves motions of the size of the tolerance that tall stacks add up.
const QUIET_ROWS: usize = 6_000;
/// Bodies are quiet while they are slower than so many tolerances: by default the speed that gravity gives in one step.
const QUIET: f64 = 20.0;
/// The share of the promised tolerance that such problems aim at, so that resting bodies rest.
const AIM: f64 = 4e-6;
/// Iterations that may be spent on that.
const AIM_ITERATIONS: u32 = 50;

/// The problem of a step and the solver that keeps what it has prepared for the steps before.
pub(crate) struct Answers {
    solver: Solver,
    /// An answer that nobody needs any more: its memory is that of the next one.
    spare: Option<Solution>,
}

impl Answers {
    /// Holds a problem without velocities and rows, until one is written into it.
    pub(crate) fn new() -> Self {
        match Solver::new(SolverSettings::default()) {
            Ok(solver) => Self { solver, spare: None },
            Err(error) => unreachable!("default settings are valid: {error}"),
        }
    }

    /// The problem that was written last.
    pub(crate) fn problem(&self) -> &ConeProblem {
        self.solver.problem()
    }

    /// The problem, given away.
    pub(crate) fn into_problem(mut self) -> ConeProblem {
        std::mem::replace(self.solver.problem_mut(), ConeProblem::empty())
    }

    /// Where a problem is written to before it is solved.
    pub(crate) fn problem_mut(&mut self) -> &mut ConeProblem {
        self.solver.problem_mut()
    }

    /// Takes back an answer that nobody needs any more.
    pub(crate) fn recycle(&mut self, solution: Solution) {
        self.spare = Some(solution);
    }

    /// Writes H and c of the step.
    ///
    /// # Errors
    /// Numbers that overflowed.
    pub(crate) fn set_free_motion(&mut self, free: &FreeMotion) -> Result<(), ProblemError> {
        self.solver.problem_mut().set_free_motion(&free.inertia, &free.linear)
    }

    /// Solves the problem of a step from a state, starting from an answer to a similar one, in as many iterations as the settings allow.
    ///
    /// # Errors
    /// No answer, or the step was interrupted.
    pub(crate) fn solve(
        &mut self,
        settings: &SolverSettings,
        from: Option<&Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        self.solve_within(None, settings, from, state, cx)
    }

    /// The same in at most so many iterations of all methods together.
    fn solve_within(
        &mut self,
        in_all: Option<u32>,
        settings: &SolverSettings,
        from: Option<&Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        let (step, time) = (state.step + 1, state.time);
        let limits = Limits { cancel: cx.cancel, in_all, ..Limits::default() };
        let solution = timed(&mut cx.timings.solve, || self.solver.solve_as(settings, from, &limits)).map_err(
            |error| match error {
                SolveError::Problem(error) => StepError::Problem { step, time, error },
                error => StepError::Solve { step, time, error },
            },
        )?;
        cx.timings.setup += solution.report.timings.setup;
        if solution.report.status == Status::Interrupted {
            return Err(StepError::Interrupted { step, time });
        }
        Ok(self.solver.take_solution(self.spare.take()))
    }

    /// Solves the problem as accurately as is promised, and better where that costs little, in the iterations that the step has left.
    ///
    /// # Errors
    /// As [`Answers::solve`].
    pub(crate) fn solve_as_promised(
        &mut self,
        from: Option<&Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        self.solve_as_promised_within(cx.iterations_left(), from, state, cx)
    }

    /// The same in at most so many iterations.
    ///
    /// # Errors
    /// As [`Answers::solve`].
    pub(crate) fn solve_as_promised_within(
        &mut self,
        in_all: Option<u32>,
        from: Option<&Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        let settings = cx.solver_settings();
        let rows = self.problem().row_count();
        let aims_higher = rows <= AIM_ROWS || (rows <= QUIET_ROWS && is_quiet(state, cx.settings));
        if cx.settings.asked.tolerance.is_some() || !aims_higher {
            return self.solve_within(in_all, &settings, from, state, cx);
        }
        let promised = cx.settings.tolerance;
        let most = settings.max_iterations.map_or(AIM_ITERATIONS, |limit| limit.min(AIM_ITERATIONS));
        let aim = SolverSettings { tolerance: promised.loosened(AIM), max_iterations: Some(most), ..settings.clone() };
        let mut solution = self.solve_within(in_all, &aim, from, state, cx)?;
        if promised.met(&solution.report.residuals) {
            solution.report.status = Status::Converged;
        } else if solution.report.status != Status::Infeasible {
            let iterations = solution.report.iterations;
            let left = in_all.map(|most| most.saturating_sub(iterations));
            solution = self.solve_within(left, &settings, Some(&solution.iterate), state, cx)?;
            solution.report.iterations += iterations;
        }
        Ok(solution)
    }
}

/// Whether no body moves faster than what a step of rest may leave.
fn is_quiet(state: &State, settings: &StepSettings) -> bool {
    let Tolerance::Velocity(promised) = settings.tolerance else { return false };
    let (most, radius) = (QUIET * promised, settings.parameters.radius);
    let is_slow = |velocity: &Vec3, lever: f64| lever * velocity.length() <= most;
    state.velocities.iter().chain(&state.node_velocities).all(|v| is_slow(v, 1.0))
        && state.angular_velocities.iter().all(|omega| is_slow(omega, radius))
}

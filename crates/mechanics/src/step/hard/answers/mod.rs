//! The one place where problems of steps are solved.

mod aim;
mod islands;
mod rest;
mod speeds;

use crate::dynamics::columns::Columns;
use crate::dynamics::free_motion::FreeMotion;
use crate::step::context::{StepContext, timed};
use crate::{State, StepError};
use aim::Asked;
use islands::IslandSolvers;
use rest::BodiesAtRest;
pub use rest::Rest;
use signorini_solver::problem::Partition;
use signorini_solver::{ConeProblem, Iterate, ProblemError, Solution, SolveError, Solver, SolverSettings, Status};
use speeds::Speeds;

/// The problem of a step and the solver that keeps what it has prepared for the steps before.
pub(crate) struct Answers {
    /// Where velocities stand, and where those of each body begin.
    columns: Columns,
    starts: Vec<usize>,
    /// Holds the problem, and solves it where it is one piece.
    solver: Solver,
    /// What parts it falls into.
    partition: Partition,
    /// Solve its parts.
    islands: IslandSolvers,
    /// How bodies have rested.
    rest: BodiesAtRest,
    /// An answer that nobody needs any more: its memory is that of the next one.
    spare: Option<Solution>,
}

impl Answers {
    /// Holds a problem without velocities and rows, until one is written into it.
    pub(crate) fn new(columns: &Columns) -> Self {
        match Solver::new(SolverSettings::default()) {
            Ok(solver) => {
                let (columns, starts) = (columns.clone(), columns.starts());
                let rest = BodiesAtRest::new(&columns);
                Self {
                    columns,
                    starts,
                    solver,
                    partition: Partition::default(),
                    islands: IslandSolvers::default(),
                    rest,
                    spare: None,
                }
            }
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

    /// Begins a step after which bodies have rested so.
    pub(crate) fn recall_rest(&mut self, known: &[Rest]) {
        self.rest.recall(known);
    }

    /// How bodies have rested after the last solve.
    pub(crate) fn rest(&self) -> &[Rest] {
        self.rest.after()
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
        let asked = Asked { settings, aims_higher: false, usual: None, in_all: None, cancel: cx.cancel };
        self.solve_for(&asked, from, state, cx)
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
        let aims_higher = cx.settings.asked.tolerance.is_none();
        let usual = cx.settings.usual_tolerance.filter(|_| self.rest.is_known());
        let asked = Asked { settings: &cx.solver_settings(), aims_higher, usual, in_all, cancel: cx.cancel };
        self.solve_for(&asked, from, state, cx)
    }

    /// Solves the problem part by part where it falls into parts, else as a whole.
    fn solve_for(
        &mut self,
        asked: &Asked<'_>,
        from: Option<&Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        let (step, time) = (state.step + 1, state.time);
        let Self { columns, starts, solver, partition, islands, rest, spare } = self;
        let velocities = columns.gather(state, cx.settings.threads());
        let radius = cx.settings.parameters.radius;
        let speeds = Speeds { all: &velocities, of_bodies: columns.of_bodies(), radius, own: None };
        let solution = timed(&mut cx.timings.solve, || {
            // A limit of seconds is one of the whole problem.
            let parts = match asked.settings.time_limit {
                None => partition.of(solver.problem(), starts),
                Some(_) => None,
            };
            match parts {
                Some(parts) => islands.solve(parts, solver.problem(), asked, (&speeds, rest), from, spare.take()),
                None => {
                    let mut own = rest.of(None);
                    let solution = asked.solve(solver, (&speeds, &mut own), from, spare.take());
                    rest.set(None, own);
                    solution
                }
            }
        })
        .map_err(|error| match error {
            SolveError::Problem(error) => StepError::Problem { step, time, error },
            error => StepError::Solve { step, time, error },
        })?;
        cx.timings.setup += solution.report.timings.setup;
        if solution.report.status == Status::Interrupted {
            return Err(StepError::Interrupted { step, time });
        }
        Ok(solution)
    }
}

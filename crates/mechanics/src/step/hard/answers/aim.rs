//! How accurately a problem is solved: as promised, and better where that costs little.

use super::rest::{Accuracy, Outcome, Rest};
use super::speeds::Speeds;
use signorini_solver::{InteriorPoint, Iterate, Limits, Solution, SolveError, Solver, SolverSettings, Status};
use std::sync::atomic::AtomicBool;

/// Without a tolerance asked for, problems of up to so many rows aim at more accuracy than is promised: there a factorisation costs
/// little.
const AIM_ROWS: usize = 600;
/// The share of the promised tolerance that such problems aim at: what slides without friction keeps its speed to 1e-9.
const AIM: f64 = 4e-7;
/// The same with the steppers of the papers.
const AIM_OF_PAPERS: f64 = 4e-6;
/// Iterations that may be spent on that.
const AIM_ITERATIONS: u32 = 50;
/// Newton's steps that may be spent on an answer that lasts.
const NEWTON_STEPS: u32 = 16;

/// What a problem is solved for. Every part of a problem that falls apart is solved for the same.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The settings, with the tolerance that is promised.
    pub(super) settings: &'a SolverSettings,
    /// Whether to aim higher where that costs little.
    pub(super) aims_higher: bool,
    /// The tolerance of somebody who asks for none, where what rests is solved for its rest \[m/s\].
    pub(super) usual: Option<f64>,
    /// Most iterations of all methods together.
    pub(super) in_all: Option<u32>,
    /// Set by anyone to stop.
    pub(super) cancel: Option<&'a AtomicBool>,
}

impl Asked<'_> {
    /// Solves the problem that a solver holds, whose bodies move at some speeds and have rested for some time, from an answer to a similar one. The answer is given away; the
    /// next one is written into the memory of `spare`.
    ///
    /// # Errors
    /// No answer.
    pub(super) fn solve(
        &self,
        solver: &mut Solver,
        (speeds, rest): (&Speeds<'_>, &mut Rest),
        from: Option<&Iterate>,
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        let rows = solver.problem().row_count();
        if let Some(accuracy) = rest.accuracy(self.settings, self.usual, rows, speeds) {
            let solution = self.solve_for_rest(solver, &accuracy, from, spare)?;
            let outcome = match () {
                () if solution.was_start() => Outcome::Lasted,
                () if accuracy.lasts(&solution.report.residuals) => Outcome::Solved,
                () => Outcome::Failed,
            };
            *rest = rest.after(outcome);
            return Ok(solution);
        }
        *rest = rest.after(Outcome::Promised);
        if self.aims_higher && rows <= AIM_ROWS {
            return self.solve_better(solver, from, spare);
        }
        solver.solve_as(self.settings, from, &self.limits(0))?;
        Ok(solver.take_solution(spare))
    }

    /// Limits of one more solve after so many iterations.
    fn limits(&self, done: u32) -> Limits<'_> {
        let in_all = self.in_all.map(|most| most.saturating_sub(done));
        Limits { cancel: self.cancel, in_all, ..Limits::default() }
    }

    /// Solves a problem better than promised, and as promised where that cannot be had.
    fn solve_better(
        &self,
        solver: &mut Solver,
        from: Option<&Iterate>,
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        let promised = self.settings.tolerance;
        let most = self.settings.max_iterations.map_or(AIM_ITERATIONS, |limit| limit.min(AIM_ITERATIONS));
        let higher = SolverSettings {
            tolerance: promised.loosened(if self.usual.is_some() { AIM } else { AIM_OF_PAPERS }),
            max_iterations: Some(most),
            ..self.settings.clone()
        };
        solver.solve_as(&higher, from, &self.limits(0))?;
        let mut solution = solver.take_solution(spare);
        match solution.report.status {
            Status::Interrupted => {}
            _ if promised.met(&solution.report.residuals) => solution.report.status = Status::Converged,
            Status::Infeasible => {}
            _ => {
                let (iterations, setup) = (solution.report.iterations, solution.report.timings.setup);
                solver.solve_as(self.settings, Some(&solution.iterate), &self.limits(iterations))?;
                solution = solver.take_solution(Some(solution));
                solution.report.iterations += iterations;
                solution.report.timings.setup += setup;
            }
        }
        Ok(solution)
    }

    /// Solves a problem of what rests, so that its answer lasts: the start is the answer, or Newton's method makes one of it; where it does not, another method makes a start for
    /// it that is closer.
    fn solve_for_rest(
        &self,
        solver: &mut Solver,
        accuracy: &Accuracy,
        from: Option<&Iterate>,
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        let newton =
            SolverSettings { tolerance: accuracy.aim, max_iterations: Some(NEWTON_STEPS), ..self.settings.clone() };
        let mut done = 0;
        let mut spare = spare;
        if let Some(from) = from {
            let mut solution = self.polish(solver, (accuracy, &newton), (from, 0), spare)?;
            if solution.report.status == Status::Interrupted {
                return Ok(solution);
            }
            if accuracy.lasts(&solution.report.residuals) {
                solution.report.status = Status::Converged;
                return Ok(solution);
            }
            done = solution.report.iterations;
            spare = Some(solution);
        }
        let solution = self.solve_and_polish(solver, (accuracy, &newton), from, spare, done)?;
        let is_left_short = |solution: &Solution| {
            solution.report.status == Status::Converged && !accuracy.lasts(&solution.report.residuals)
        };
        if from.is_none() || !accuracy.is_worth_a_cold_start || !is_left_short(&solution) {
            return Ok(solution);
        }
        // Where loads are shared in many ways Newton's method makes nothing of an answer at the edge of the cones, as one step leaves it to the next. The interior point from no start
        // goes to the middle of all answers, where every contact that can carry does.
        let mut warm = solution;
        let central = SolverSettings { method: InteriorPoint::default().into(), ..self.settings.clone() };
        let centred = Asked { settings: &central, ..*self };
        let cold = centred.solve_and_polish(solver, (accuracy, &newton), None, None, warm.report.iterations)?;
        let ratio = |solution: &Solution| self.settings.tolerance.ratio(&solution.report.residuals);
        if ratio(&cold) < ratio(&warm) || cold.report.status == Status::Interrupted {
            return Ok(cold);
        }
        warm.report.iterations = cold.report.iterations;
        Ok(warm)
    }

    /// Newton's method in velocities from a start, after so many iterations of others.
    fn polish(
        &self,
        solver: &mut Solver,
        (accuracy, newton): (&Accuracy, &SolverSettings),
        (from, done): (&Iterate, u32),
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        solver.polish(newton, from, &Limits { start_tolerance: Some(accuracy.start), ..self.limits(done) })?;
        Ok(solver.take_solution(spare))
    }

    /// Solves a problem better than promised and makes an answer of it that lasts, where Newton's method can.
    fn solve_and_polish(
        &self,
        solver: &mut Solver,
        (accuracy, newton): (&Accuracy, &SolverSettings),
        from: Option<&Iterate>,
        spare: Option<Solution>,
        done: u32,
    ) -> Result<Solution, SolveError> {
        let promised = self.settings.tolerance;
        let mut solution = self.solve_better(solver, from, spare)?;
        solution.report.iterations += done;
        if solution.report.status == Status::Converged && !accuracy.lasts(&solution.report.residuals) {
            let done = solution.report.iterations;
            let mut polished = self.polish(solver, (accuracy, newton), (&solution.iterate, done), None)?;
            polished.report.iterations += done;
            let is_better = promised.ratio(&polished.report.residuals) < promised.ratio(&solution.report.residuals);
            if is_better && polished.report.status != Status::Interrupted {
                polished.report.status = Status::Converged;
                return Ok(polished);
            }
        }
        Ok(solution)
    }
}

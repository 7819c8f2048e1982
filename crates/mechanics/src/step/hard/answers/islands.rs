//! Problems that fall into parts which have nothing to do with each other: each is solved by a solver of its own, with its own size, method, accuracy and factor.
//!
//! A servo beside a pile of stones neither makes the pile's problem a coupled one nor waits for it. The parts are solved side by side by all threads.

use super::aim::Asked;
use super::rest::{BodiesAtRest, Rest};
use super::speeds::Speeds;
use signorini_linalg::{Halves, Threads};
use signorini_solver::problem::Components;
use signorini_solver::{ConeProblem, Iterate, Residuals, Solution, SolveError, Solver, SolverSettings, Status};

/// Solvers are kept for so many problems without their part: contacts that come and go often come back.
const KEPT: u32 = 8;

/// The solvers of parts.
#[derive(Default)]
pub(super) struct IslandSolvers {
    /// In ascending order of the first velocities of their parts; those of the present problem are taken out.
    kept: Vec<(usize, Option<IslandSolver>)>,
    /// The parts of the present problem.
    present: Vec<IslandSolver>,
}

/// The solver of a part and what it keeps.
struct IslandSolver {
    solver: Solver,
    start: Iterate,
    /// How its bodies have rested.
    rest: Rest,
    /// Room for numbers.
    room: Vec<f64>,
    /// The answer, until it has been put together with the others, and then its memory.
    answer: Option<Solution>,
    error: Option<SolveError>,
    /// Problems since this part was last there.
    unused: u32,
}

impl IslandSolver {
    fn new() -> Self {
        match Solver::new(SolverSettings::default()) {
            Ok(solver) => Self {
                solver,
                start: Iterate::default(),
                rest: Rest::default(),
                room: Vec::new(),
                answer: None,
                error: None,
                unused: 0,
            },
            Err(error) => unreachable!("default settings are valid: {error}"),
        }
    }
}

impl IslandSolvers {
    /// Solves all parts of a problem and puts their answers together in the memory of `spare`.
    ///
    /// # Errors
    /// That of the first part that has no answer.
    pub(super) fn solve(
        &mut self,
        parts: &Components,
        problem: &ConeProblem,
        asked: &Asked<'_>,
        (speeds, rest): (&Speeds<'_>, &mut BodiesAtRest),
        from: Option<&Iterate>,
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        let threads = if asked.settings.parallel { Threads::Pool } else { Threads::One };
        self.present.extend((0..parts.len()).map(|part| {
            let first = parts.velocities(part)[0];
            let mut island = match self.kept.binary_search_by_key(&first, |(first, _)| *first) {
                Ok(at) => self.kept[at].1.take(),
                Err(at) => {
                    self.kept.insert(at, (first, None));
                    None
                }
            }
            .unwrap_or_else(IslandSolver::new);
            island.unused = 0;
            island.rest = rest.of(Some(parts.velocities(part)));
            island
        }));
        Halves::new(1, threads).each(&mut self.present, &|part, island| {
            island.error = island.solve((parts, part), problem, asked, speeds, from).err();
        });
        self.present.iter().enumerate().for_each(|(part, island)| rest.set(Some(parts.velocities(part)), island.rest));
        let error = self.present.iter_mut().find_map(|island| island.error.take());
        let whole = error.map_or_else(|| Ok(together(parts, problem, &self.present, spare)), Err);
        // The parts have the order of their first velocities.
        let mut present = self.present.drain(..);
        self.kept.retain_mut(|(_, slot)| {
            let island = slot.get_or_insert_with(|| match present.next() {
                Some(island) => island,
                None => unreachable!("a place without a solver is that of a part of the problem"),
            });
            island.unused += 1;
            island.unused <= KEPT
        });
        drop(present);
        whole
    }
}

impl IslandSolver {
    fn solve(
        &mut self,
        (parts, part): (&Components, usize),
        problem: &ConeProblem,
        asked: &Asked<'_>,
        speeds: &Speeds<'_>,
        from: Option<&Iterate>,
    ) -> Result<(), SolveError> {
        let Self { solver, start, answer, rest, room, .. } = self;
        let threads = if asked.settings.parallel { Threads::Pool } else { Threads::One };
        parts.write(part, problem, solver.problem_mut(), room, threads)?;
        let from = from.map(|all| {
            let own = [&mut start.velocity, &mut start.impulse];
            parts.gather(part, problem, [&all.velocity, &all.impulse], own);
            &*start
        });
        let own = Speeds { own: Some(parts.velocities(part)), ..*speeds };
        *answer = Some(asked.solve(solver, (&own, rest), from, answer.take())?);
        Ok(())
    }
}

/// The answer to the whole problem. What is largest in a part is largest in all; what is summed is summed; the method is that of the largest part.
fn together(parts: &Components, problem: &ConeProblem, islands: &[IslandSolver], spare: Option<Solution>) -> Solution {
    let answers = || islands.iter().filter_map(|island| island.answer.as_ref()).enumerate();
    let Some((_, largest)) = answers().max_by_key(|(part, answer)| (answer.impulse().len(), usize::MAX - part)) else {
        unreachable!("a problem has parts, and all of them are answered")
    };
    let mut whole = spare.unwrap_or_else(|| largest.clone());
    whole.report.clone_from(&largest.report);
    whole.iterate.velocity.resize(problem.velocities(), 0.0);
    whole.iterate.impulse.resize(problem.row_count(), 0.0);
    whole.relative_velocity.resize(problem.row_count(), 0.0);
    (whole.report.residuals, whole.report.objective, whole.report.timings.setup) = (Residuals::default(), 0.0, 0.0);
    for (part, answer) in answers() {
        parts.scatter_velocities(part, answer.velocity(), &mut whole.iterate.velocity);
        parts.scatter_rows(part, problem, answer.impulse(), &mut whole.iterate.impulse);
        parts.scatter_rows(part, problem, &answer.relative_velocity, &mut whole.relative_velocity);
        let (all, own) = (&mut whole.report, &answer.report);
        if severity(own.status) > severity(all.status) {
            all.status = own.status;
        }
        all.iterations = all.iterations.max(own.iterations);
        all.factor_entries = all.factor_entries.max(own.factor_entries);
        all.objective += own.objective;
        all.timings.setup += own.timings.setup;
        let (all, own) = (&mut all.residuals, &own.residuals);
        all.complementarity += own.complementarity;
        all.natural_map = all.natural_map.max(own.natural_map);
        all.natural_map_relative = all.natural_map_relative.max(own.natural_map_relative);
        all.primal = all.primal.max(own.primal);
        all.dual = all.dual.max(own.dual);
        all.momentum = all.momentum.max(own.momentum);
    }
    whole
}

/// How much a status says against an answer: that of the whole is the worst of its parts.
fn severity(status: Status) -> u32 {
    match status {
        Status::Converged => 0,
        Status::Stalled(_) => 1,
        Status::IterationLimit => 2,
        Status::TimeLimit => 3,
        Status::Infeasible => 4,
        _ => 5,
    }
}

//! The exact law by a fixed point around any convex method, and Newton as soon as that is close enough.
//!
//! With a relative velocity w added to the rows, the convex problem is y = Ng + r + w ∈ K*, g ∈ K, g·y = 0. Its answer obeys
//! Coulomb's law when w = s(u) e_n, u = Ng + r. So: solve, take w from the slip found, solve again from the last answer.
//! Where N was given with a skew part, (N_given − N) g is part of w as well.
//!
//! One iteration of the driver is one convex problem, or one Newton step. Newton is tried after the first convex answer,
//! and again whenever the fixed point has gained [`RETRY_GAIN`] since.

use super::anderson::Anderson;
use super::lagged::dilations;
use crate::change::Change;
use crate::cone::Cone;
use crate::driver::{Driver, Iteration, Measured, Step, Task};
use crate::dual::{Arrangement, DualProblem};
use crate::engine::{Ask, Engine};
use crate::limits::Tolerance;
use crate::method::proximal_newton::{NewtonOnImpulses, ProximalNewton};
use crate::problem::Compliance;
use crate::report::{Iterate, Solution, Status};
use crate::residual::ResidualMeter;
use crate::{ConeProblem, SolveError};
use signorini_linalg::{CscMatrix, Lu, Threads};
use std::time::Instant;

/// Gain of the fixed point between two tries of Newton.
const RETRY_GAIN: f64 = 0.1;
/// Newton must halve its residual in so many steps.
const NEWTON_PATIENCE: u32 = 12;
/// Newton factorises a matrix of N's pattern, which fills in: more rows are left to the fixed point.
const NEWTON_ROWS: usize = 40_000;
/// The convex problems are solved this much more accurately than the exact law is met so far.
const INNER_GAIN: f64 = 1e-2;
/// Loosest tolerance of a convex problem.
const LOOSEST: f64 = 1e-3;
/// Sharpest one.
const SHARPEST: f64 = 1e-13;
/// Fixed-point steps without progress before giving up.
const PATIENCE: u32 = 100;
/// Errors this many times the best restart the acceleration.
const WILD: f64 = 5.0;

/// The problem without velocities, N = J H⁻¹ Jᵀ + E with H as it was given, and the factor of that H.
pub(crate) fn condense(problem: &ConeProblem, inertia: &CscMatrix) -> Result<(ConeProblem, Lu), SolveError> {
    let mut factor = Lu::analyse(inertia, Threads::One).map_err(|_| SolveError::Memory)?;
    factor.factorise(inertia).map_err(crate::second_order::factor_error)?;
    let (rows, m) = (problem.rows(), problem.row_count());
    let mut entries = Vec::new();
    let (mut response, mut rates) = (vec![0.0; problem.velocities()], vec![0.0; m]);
    for k in 0..rows.len() {
        let block = rows.block(k);
        for (r, row) in rows.rows_of(k).enumerate() {
            response.fill(0.0);
            block.columns.iter().zip(block.row(r)).for_each(|(&column, value)| response[column] = *value);
            factor.solve_in_place(&mut response);
            rows.mul(&response, &mut rates);
            entries.extend(rates.iter().enumerate().filter(|(_, u)| **u != 0.0).map(|(i, u)| (i, row, *u)));
        }
    }
    if let Compliance::Diagonal(e) = problem.compliance() {
        entries.extend(e.iter().enumerate().map(|(i, e)| (i, i, *e)));
    }
    let mut motion: Vec<f64> = problem.linear_as_given().iter().map(|c| -c).collect();
    factor.solve_in_place(&mut motion);
    let mut free = vec![0.0; m];
    rows.mul(&motion, &mut free);
    free.iter_mut().zip(problem.offset()).for_each(|(u, b)| *u -= b);
    let cones: Vec<_> = problem.each_block().map(|(rows, cone)| (cone, rows.len())).collect();
    let matrix = CscMatrix::from_triplets(m, m, entries).map_err(|_| SolveError::Memory)?;
    Ok((ConeProblem::condensed(matrix, free, &cones)?, factor))
}

/// The fixed point and what it keeps from solve to solve.
pub(crate) struct FixedPoint {
    /// Measures answers of the convex problems, with w.
    meter: ResidualMeter,
    driver: Driver,
    answer: Solution,
    /// The current answer.
    iterate: Iterate,
    /// r without w.
    free_velocity: Vec<f64>,
    /// w: relative velocities added to the rows of the convex problem.
    extra: Vec<f64>,
    next_extra: Vec<f64>,
    /// N_given − N.
    defect: Option<CscMatrix>,
    anderson: Anderson,
    best: f64,
    idle: u32,
    stage: Stage,
    newton_dual: DualProblem,
    newton: NewtonOnImpulses,
    /// What changed since Newton was last prepared; `None` if it is ready.
    newton_change: Option<Change>,
    newton_start: Vec<f64>,
    /// Error below which Newton is tried next.
    next_try: f64,
    error_at_handover: f64,
    newton_best: f64,
    newton_idle: u32,
    /// Convex problems so far.
    solved: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    FixedPoint,
    Newton,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self {
            meter: ResidualMeter::empty(),
            driver: Driver::default(),
            answer: Solution::empty(Tolerance::Relative(1.0)),
            iterate: Iterate::default(),
            free_velocity: Vec::new(),
            extra: Vec::new(),
            next_extra: Vec::new(),
            defect: None,
            anderson: Anderson::default(),
            best: f64::INFINITY,
            idle: 0,
            stage: Stage::FixedPoint,
            newton_dual: DualProblem::empty(Arrangement::Neighbours),
            newton: NewtonOnImpulses::default(),
            newton_change: Some(Change::Everything),
            newton_start: Vec::new(),
            next_try: f64::INFINITY,
            error_at_handover: f64::INFINITY,
            newton_best: f64::INFINITY,
            newton_idle: 0,
            solved: 0,
        }
    }
}

impl FixedPoint {
    /// Takes note of a problem.
    pub(crate) fn prepare(
        &mut self,
        problem: &ConeProblem,
        change: Change,
        threads: Threads,
    ) -> Result<(), SolveError> {
        self.meter.update(problem, change, threads)?;
        let is_everything = change == Change::Everything || self.newton_change == Some(Change::Everything);
        self.newton_change = Some(if is_everything { Change::Everything } else { Change::SamePattern });
        self.defect = problem.defect();
        Ok(())
    }

    /// Solves the prepared problem around the convex problems of an engine. The meter of the task measures by the exact law.
    pub(crate) fn solve(
        &mut self,
        name: &'static str,
        engine: &mut dyn Engine,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let problem = task.problem;
        let free = task.meter.delassus_ref().free_velocity();
        self.free_velocity.clear();
        self.free_velocity.extend_from_slice(free);
        for buffer in [&mut self.extra, &mut self.next_extra] {
            buffer.clear();
            buffer.resize(problem.row_count(), 0.0);
        }
        self.iterate.resize(problem);
        match ask.start {
            Some(start) => {
                self.iterate.velocity.copy_from_slice(&start.velocity);
                self.iterate.impulse.copy_from_slice(&start.impulse);
            }
            None => {
                self.iterate.velocity.fill(0.0);
                self.iterate.impulse.fill(0.0);
            }
        }
        self.anderson.restart();
        (self.best, self.idle, self.solved, self.stage) = (f64::INFINITY, 0, 0, Stage::FixedPoint);
        (self.next_try, self.error_at_handover) = (f64::INFINITY, f64::INFINITY);
        (self.newton_best, self.newton_idle) = (f64::INFINITY, 0);
        let mut run = ExactRun { state: self, engine, problem, ask, started: task.started, setup: task.setup };
        driver.run(name, &mut run, task, &ask.limits, out);
        Ok(())
    }

    /// w that belongs to the relative velocity y = u + w of the current answer, into `next_extra`.
    fn consistent_extra(&mut self, problem: &ConeProblem) {
        let Self { answer, extra, next_extra, defect, iterate, .. } = self;
        let y = &mut answer.relative_velocity;
        y.iter_mut().zip(&*extra).for_each(|(y, w)| *y -= w);
        if let Some(defect) = defect {
            defect.mul_add(1.0, &iterate.impulse, y);
        }
        dilations(problem, y, next_extra);
        if let Some(defect) = defect {
            defect.mul_add(1.0, &iterate.impulse, next_extra);
        }
    }

    fn start_newton(&mut self, problem: &ConeProblem) -> Result<(), SolveError> {
        if problem.row_count() > NEWTON_ROWS {
            return Err(SolveError::Memory);
        }
        if let Some(change) = self.newton_change {
            self.newton_dual.update(problem, self.meter.delassus_ref(), change, Threads::One)?;
            self.newton_dual.set_exact_law(problem);
            self.newton.prepare(&mut self.newton_dual)?;
            self.newton_change = None;
        }
        self.newton_dual.set_free_velocity(&self.free_velocity);
        self.newton_start.resize(self.newton_dual.rows(), 0.0);
        self.newton_dual.import(&self.iterate.impulse, &mut self.newton_start);
        self.newton.start(&self.newton_dual, &self.newton_start, ProximalNewton::default().regularisation);
        Ok(())
    }
}

/// One solve: the state with what it works on.
struct ExactRun<'a> {
    state: &'a mut FixedPoint,
    engine: &'a mut dyn Engine,
    problem: &'a ConeProblem,
    ask: &'a Ask<'a>,
    started: Instant,
    setup: f64,
}

impl ExactRun<'_> {
    /// Solves the convex problem with the current w, from the last answer, and finds the next w.
    fn solve_convex(&mut self, error: f64) -> Result<Status, SolveError> {
        let Self { state, engine, problem, ask, started, setup } = self;
        let target = match ask.limits.tolerance {
            Tolerance::Relative(target) => target,
            Tolerance::Velocity(_) => 0.0,
        };
        let tolerance = Tolerance::Relative((INNER_GAIN * error).min(LOOSEST).max(0.1 * target).max(SHARPEST));
        let limits = crate::limits::RunLimits { tolerance, history: false, ..ask.limits };
        let is_close = state.solved > 0 || ask.start.is_some();
        let FixedPoint { meter, driver, answer, iterate, extra, .. } = &mut **state;
        meter.delassus().set_extra(problem, extra);
        engine.set_offset(meter);
        let inner = Ask { start: is_close.then_some(&*iterate), is_close, limits };
        let mut task = Task { problem, meter, started: *started, setup: *setup };
        engine.solve(&inner, &mut task, driver, answer)?;
        iterate.velocity.copy_from_slice(&answer.iterate.velocity);
        iterate.impulse.copy_from_slice(&answer.iterate.impulse);
        state.consistent_extra(problem);
        state.solved += 1;
        Ok(state.answer.report.status)
    }

    fn fixed_point(&mut self, error: f64) -> Step {
        let state = &mut *self.state;
        // The first answer is compared with nothing: zero impulses may look better and lead nowhere.
        if state.solved <= 1 {
            state.best = f64::INFINITY;
        }
        if error < 0.98 * state.best {
            state.best = error;
            state.idle = 0;
        } else {
            state.idle += 1;
            if error > WILD * state.best {
                state.anderson.restart();
            }
        }
        if state.idle > PATIENCE {
            return Step::Stalled("the fixed point of the friction law makes no progress");
        }
        if state.solved > 0 {
            state.anderson.advance(&mut state.extra, &state.next_extra);
            // Dilation is never negative.
            let is_dilation = state.defect.is_none();
            for (rows, cone) in self.problem.each_block().filter(|_| is_dilation) {
                let least = if matches!(cone, Cone::Free | Cone::NonNegative) { f64::NEG_INFINITY } else { 0.0 };
                state.extra[rows.start] = state.extra[rows.start].max(least);
            }
        }
        match self.solve_convex(error) {
            Ok(Status::Infeasible) => Step::Stalled("a convex problem of the fixed point contradicts itself"),
            Ok(_) => Step::Taken,
            Err(_) => Step::Stalled("a convex problem of the fixed point could not be set up"),
        }
    }
}

impl Iteration for ExactRun<'_> {
    fn advance(&mut self, measured: &Measured) -> Step {
        let error = measured.residuals.natural_map_relative;
        let state = &mut *self.state;
        if state.stage == Stage::FixedPoint && state.solved > 0 && error < state.next_try {
            state.next_try = RETRY_GAIN * error;
            if state.start_newton(self.problem).is_ok() {
                state.stage = Stage::Newton;
                state.error_at_handover = error;
                state.newton_best = error;
                state.newton_idle = 0;
            }
        } else if state.stage == Stage::Newton {
            state.newton_idle += 1;
            if error < 0.5 * state.newton_best {
                state.newton_best = error;
                state.newton_idle = 0;
            }
        }
        if state.stage == Stage::Newton {
            if state.newton_idle <= NEWTON_PATIENCE && state.newton.advance() {
                return Step::Taken;
            }
            state.stage = Stage::FixedPoint;
            let error = state.error_at_handover;
            return self.fixed_point(error);
        }
        self.fixed_point(error)
    }

    fn export(&self, out: &mut Iterate) {
        match self.state.stage {
            Stage::Newton => self.state.newton_dual.export(self.state.newton.impulses(), out),
            Stage::FixedPoint => out.impulse.copy_from_slice(&self.state.iterate.impulse),
        }
    }

    fn impulses_only(&self) -> bool {
        true
    }

    fn phase(&self) -> &'static str {
        match self.state.stage {
            Stage::FixedPoint => "fixed-point",
            Stage::Newton => "proximal-newton",
        }
    }
}

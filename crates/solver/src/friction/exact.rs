//! The exact law by a fixed point around any convex method, and Newton as soon as that is close enough.
//!
//! With a relative velocity w added to the rows, the convex problem is y = Ng + r + w ∈ K*, g ∈ K, g·y = 0. Its answer obeys
//! Coulomb's law when w = s(u) e_n, u = Ng + r. So: solve, take w from the slip found, solve again from the last answer.
//! Where N was given with a skew part, (N_given − N) g is part of w as well.
//!
//! One iteration of the driver is one convex problem, or one Newton step. Newton is tried after the first convex answer,
//! and again whenever the fixed point has gained [`RETRY_GAIN`] since.

use super::FrictionLaw;
use super::anderson::Anderson;
use super::lagged::dilations;
use crate::cone::Cone;
use crate::convex::ConvexSolver;
use crate::driver::{self, Iteration, Measured, Step};
use crate::dual::DualProblem;
use crate::method::proximal_newton::{NewtonOnImpulses, ProximalNewton};
use crate::method::semismooth_newton::SemismoothNewton;
use crate::problem::Compliance;
use crate::residual::ResidualMeter;
use crate::settings::{Control, SolverSettings, Tolerance};
use crate::{ConeProblem, Iterate, Method, Solution, SolveError, Status};
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

pub(crate) fn solve(
    mut meter: ResidualMeter<'_>,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    let problem = meter.delassus().problem();
    let problem_as_given;
    let (problem, given_inertia) = match (problem.as_given(), problem.is_condensed()) {
        (Some(inertia), false) => {
            let (condensed, factor) = condense(problem, inertia)?;
            problem_as_given = condensed;
            (&problem_as_given, Some((problem, factor)))
        }
        _ => (problem, None),
    };
    let mut meter = match given_inertia {
        Some(_) => ResidualMeter::new(problem)?,
        None => meter,
    };
    meter.set_law(FrictionLaw::Exact);
    let condensed_warm = control.warm.map(|warm| match given_inertia {
        Some(_) => Iterate { velocity: Vec::new(), impulse: warm.impulse.clone() },
        None => warm.clone(),
    });
    let control = Control { warm: condensed_warm.as_ref(), ..*control };
    let limits = settings.limits(&control, settings.iteration_limit());
    let name = settings.method.name();
    let mut solution = match settings.method.dual().filter(|_| settings.method.solves_exact_law()) {
        Some(method) => {
            let threads = if settings.parallel { Threads::Pool } else { Threads::One };
            let dual = DualProblem::arranged(meter.delassus(), threads, method.arrangement())?;
            let mut dual = dual.of_exact_law(problem);
            let start = dual.start(control.warm);
            let mut run = method.begin(&mut dual, &start)?;
            driver::run(name, run.as_mut(), &mut meter, &limits, started)
        }
        None => {
            let mut run = ExactRun::new(problem, settings, &control, started)?;
            driver::run(name, &mut run, &mut meter, &limits, started)
        }
    };
    if let Some((asked, mut factor)) = given_inertia {
        // v = H⁻¹(Jᵀg − c) with H as given.
        solution.iterate.velocity = asked.linear_as_given().iter().map(|c| -c).collect();
        asked.rows().mul_transpose_add(1.0, &solution.iterate.impulse, &mut solution.iterate.velocity);
        factor.solve_in_place(&mut solution.iterate.velocity);
    }
    Ok(solution)
}

/// The problem without velocities, N = J H⁻¹ Jᵀ + E with H as it was given, and the factor of that H.
fn condense(problem: &ConeProblem, inertia: &CscMatrix) -> Result<(ConeProblem, Lu), SolveError> {
    let mut factor = Lu::analyse(inertia, Threads::One).map_err(|_| SolveError::Memory)?;
    factor.factorise(inertia).map_err(|_| SolveError::Factorisation)?;
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

struct ExactRun<'a> {
    problem: &'a ConeProblem,
    settings: SolverSettings,
    control: Control<'a>,
    convex: ConvexSolver<'a>,
    /// The current answer.
    iterate: Iterate,
    /// w: relative velocities added to the rows of the convex problem.
    extra: Vec<f64>,
    next_extra: Vec<f64>,
    /// N_given − N.
    defect: Option<CscMatrix>,
    anderson: Anderson,
    best: f64,
    idle: u32,
    stage: Stage,
    newton: Option<(DualProblem, NewtonOnImpulses)>,
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

impl<'a> ExactRun<'a> {
    fn new(
        problem: &'a ConeProblem,
        settings: &SolverSettings,
        control: &Control<'a>,
        started: Instant,
    ) -> Result<Self, SolveError> {
        let m = problem.row_count();
        let iterate = match control.warm {
            Some(warm) => warm.clone(),
            None => Iterate { velocity: vec![0.0; problem.velocities()], impulse: vec![0.0; m] },
        };
        Ok(Self {
            convex: ConvexSolver::new(ResidualMeter::new(problem)?, settings, started)?,
            problem,
            settings: SolverSettings { friction: FrictionLaw::Relaxed, history: false, ..settings.clone() },
            control: *control,
            iterate,
            extra: vec![0.0; m],
            next_extra: vec![0.0; m],
            defect: problem.defect(),
            anderson: Anderson::default(),
            best: f64::INFINITY,
            idle: 0,
            stage: Stage::FixedPoint,
            newton: None,
            next_try: f64::INFINITY,
            error_at_handover: f64::INFINITY,
            newton_best: f64::INFINITY,
            newton_idle: 0,
            solved: 0,
        })
    }

    /// w that belongs to the relative velocity `y` = u + w of the current answer, into `next_extra`.
    fn consistent_extra(&mut self, y: &mut [f64]) {
        y.iter_mut().zip(&self.extra).for_each(|(y, w)| *y -= w);
        if let Some(defect) = &self.defect {
            defect.mul_add(1.0, &self.iterate.impulse, y);
        }
        dilations(self.problem, y, &mut self.next_extra);
        if let Some(defect) = &self.defect {
            defect.mul_add(1.0, &self.iterate.impulse, &mut self.next_extra);
        }
    }

    /// Solves the convex problem with the current w, from the last answer, and finds the next w.
    fn solve_convex(&mut self, error: f64) -> Result<Status, SolveError> {
        let mut settings = self.settings.clone();
        let target = match self.settings.tolerance {
            Tolerance::Relative(target) => target,
            Tolerance::Velocity(_) => 0.0,
        };
        settings.tolerance = Tolerance::Relative((INNER_GAIN * error).min(LOOSEST).max(0.1 * target).max(SHARPEST));
        let warm = (self.solved > 0 || self.control.warm.is_some()).then_some(&self.iterate);
        if let (Some(_), Method::InteriorPoint(method)) = (warm, &self.settings.method) {
            settings.method = SemismoothNewton { fallback: method.clone(), ..Default::default() }.into();
        }
        self.convex.set_extra(&self.extra);
        let control = Control { warm, cancel: self.control.cancel };
        let mut solution = self.convex.solve(&settings, &control)?;
        self.iterate = solution.iterate;
        self.consistent_extra(&mut solution.relative_velocity);
        self.solved += 1;
        Ok(solution.report.status)
    }

    fn start_newton(&mut self) -> Result<(), SolveError> {
        if self.problem.row_count() > NEWTON_ROWS {
            return Err(SolveError::Memory);
        }
        let (dual, newton) = match &mut self.newton {
            Some(pair) => pair,
            none => {
                let mut meter = ResidualMeter::new(self.problem)?;
                let mut dual = DualProblem::new(meter.delassus(), Threads::One)?.of_exact_law(self.problem);
                let newton = NewtonOnImpulses::new(&mut dual)?;
                none.insert((dual, newton))
            }
        };
        let mut g = vec![0.0; dual.rows()];
        dual.import(&self.iterate.impulse, &mut g);
        newton.start(&g, ProximalNewton::default().regularisation);
        Ok(())
    }

    fn fixed_point(&mut self, error: f64) -> Step {
        // The first answer is compared with nothing: zero impulses may look better and lead nowhere.
        if self.solved <= 1 {
            self.best = f64::INFINITY;
        }
        if error < 0.98 * self.best {
            self.best = error;
            self.idle = 0;
        } else {
            self.idle += 1;
            if error > WILD * self.best {
                self.anderson.restart();
            }
        }
        if self.idle > PATIENCE {
            return Step::Stalled("the fixed point of the friction law makes no progress");
        }
        if self.solved > 0 {
            self.anderson.advance(&mut self.extra, &self.next_extra);
            // Dilation is never negative.
            for (rows, cone) in self.problem.each_block().filter(|_| self.defect.is_none()) {
                let least = if matches!(cone, Cone::Free | Cone::NonNegative) { f64::NEG_INFINITY } else { 0.0 };
                self.extra[rows.start] = self.extra[rows.start].max(least);
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
        if self.stage == Stage::FixedPoint && self.solved > 0 && error < self.next_try {
            self.next_try = RETRY_GAIN * error;
            if self.start_newton().is_ok() {
                self.stage = Stage::Newton;
                self.error_at_handover = error;
                self.newton_best = error;
                self.newton_idle = 0;
            }
        } else if self.stage == Stage::Newton {
            self.newton_idle += 1;
            if error < 0.5 * self.newton_best {
                self.newton_best = error;
                self.newton_idle = 0;
            }
        }
        if self.stage == Stage::Newton {
            if let Some((_, newton)) = &mut self.newton
                && self.newton_idle <= NEWTON_PATIENCE
                && newton.advance()
            {
                return Step::Taken;
            }
            self.stage = Stage::FixedPoint;
            return self.fixed_point(self.error_at_handover);
        }
        self.fixed_point(error)
    }

    fn export(&self, out: &mut Iterate) {
        match (self.stage, &self.newton) {
            (Stage::Newton, Some((dual, newton))) => dual.export(newton.impulses(), out),
            _ => out.impulse.copy_from_slice(&self.iterate.impulse),
        }
    }

    fn impulses_only(&self) -> bool {
        true
    }

    fn phase(&self) -> &'static str {
        match self.stage {
            Stage::FixedPoint => "fixed-point",
            Stage::Newton => "proximal-newton",
        }
    }
}

//! A convex problem and whatever a method prepares for it, to be solved several times with other offsets b.

use crate::driver;
use crate::dual::DualProblem;
use crate::residual::ResidualMeter;
use crate::session::Session;
use crate::settings::{Control, SolverSettings};
use crate::{Method, Solution, SolveError};
use signorini_linalg::Threads;
use std::time::Instant;

pub(crate) enum ConvexSolver<'a> {
    /// Interior point and Newton.
    SecondOrder(Box<Session<'a>>),
    /// Methods on the dual problem.
    Dual { meter: Box<ResidualMeter<'a>>, dual: Box<DualProblem>, started: Instant },
}

impl<'a> ConvexSolver<'a> {
    /// `meter` is that of the problem, by the relaxed law.
    pub(crate) fn new(
        meter: ResidualMeter<'a>,
        settings: &SolverSettings,
        started: Instant,
    ) -> Result<Self, SolveError> {
        if let Some(method) = settings.method.dual() {
            let mut meter = Box::new(meter);
            let threads = if settings.parallel { Threads::Pool } else { Threads::One };
            let dual = Box::new(DualProblem::arranged(meter.delassus(), threads, method.arrangement())?);
            return Ok(Self::Dual { meter, dual, started });
        }
        let kkt = match &settings.method {
            Method::InteriorPoint(method) => method.kkt,
            Method::SemismoothNewton(method) => method.fallback.kkt,
            Method::Direct(method) => method.kkt,
            _ => Default::default(),
        };
        Ok(Self::SecondOrder(Box::new(Session::new(meter, settings, kkt, started)?)))
    }

    /// Adds a relative velocity to every row, in place of the one added before.
    pub(crate) fn set_extra(&mut self, extra: &[f64]) {
        match self {
            Self::SecondOrder(session) => session.set_extra(extra),
            Self::Dual { meter, dual, .. } => {
                meter.delassus().set_extra(extra);
                dual.set_free_velocity(meter.delassus().free_velocity());
            }
        }
    }

    /// Solves from the warm start of `control`. Residuals are those of the problem with its extra velocities.
    pub(crate) fn solve(&mut self, settings: &SolverSettings, control: &Control<'_>) -> Result<Solution, SolveError> {
        match (self, settings.method.dual()) {
            (Self::Dual { meter, dual, started }, Some(method)) => {
                let start = dual.start(control.warm);
                let limits = settings.limits(control, settings.iteration_limit());
                let mut run = method.begin(dual, &start)?;
                Ok(driver::run(settings.method.name(), run.as_mut(), meter, &limits, *started))
            }
            (Self::SecondOrder(session), _) => session.solve(settings, control),
            (Self::Dual { .. }, None) => {
                let (method, what) = (settings.method.name(), "a problem set up for another method");
                Err(SolveError::NotAccepted { method, what, able: Vec::new() })
            }
        }
    }
}

//! One folder or file an algorithm, and the list of them all.
//!
//! A method is a settings type with [`MethodSettings`] and an [`Iteration`] that makes one step at a time; loop, clock,
//! limits and residuals belong to [`crate::driver`]. To add one: its file here, one line in `methods!` below.

pub(crate) mod accelerated_sor;
pub(crate) mod apgd;
pub(crate) mod auto;
mod best;
pub(crate) mod blmvm;
mod calibration;
pub(crate) mod direct;
pub(crate) mod gpminres;
pub(crate) mod interior_point;
pub(crate) mod jacobi;
pub(crate) mod kkt;
pub(crate) mod kucera;
pub(crate) mod minres_linear;
pub(crate) mod nsgs;
pub(crate) mod progress;
pub(crate) mod proximal_newton;
pub(crate) mod semismooth_newton;
pub(crate) mod sor;
pub(crate) mod spg;
mod stages;
pub(crate) mod tron;

use crate::cone::Cone;
use crate::dual_engine::DualEngine;
use crate::error::ROUND_CONES;
use crate::{ConeProblem, SolveError};
use accelerated_sor::AcceleratedSor;
use apgd::Apgd;
use auto::Auto;
use blmvm::Blmvm;
use direct::Direct;
use gpminres::{Gpminres, GpminresP};
use interior_point::{InteriorPoint, Stopping, WarmStart};
use jacobi::Jacobi;
use kucera::Kucera;
use minres_linear::Minres;
use nsgs::Nsgs;
use proximal_newton::ProximalNewton;
use semismooth_newton::SemismoothNewton;
use sor::{ParallelSor, Sor, SymmetricSor};
use spg::Spg;
use tron::Tron;

/// What a method is called and which problems it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The name used in settings, on the command line and in reports.
    pub name: &'static str,
    /// One line for lists of methods.
    pub summary: &'static str,
    /// What it can do.
    pub accepts: Accepts,
}

/// The kinds of rows and matrices a method can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// Bilateral rows (joints, motors).
    pub bilateral: bool,
    /// Frictionless unilateral rows.
    pub unilateral: bool,
    /// Round friction cones.
    pub friction: bool,
}

impl Accepts {
    /// Every problem.
    pub const EVERYTHING: Self = Self { bilateral: true, unilateral: true, friction: true };
    /// Simple bounds: no round cones.
    pub const BOUNDS: Self = Self { friction: false, ..Self::EVERYTHING };
    /// Linear systems.
    pub const LINEAR: Self = Self { unilateral: false, ..Self::BOUNDS };

    /// The first thing of a problem that is not accepted.
    fn obstacle(&self, problem: &ConeProblem) -> Option<&'static str> {
        problem.cones().iter().find_map(|cone| match cone {
            Cone::Free => (!self.bilateral).then_some("bilateral rows"),
            Cone::NonNegative => (!self.unilateral).then_some("unilateral rows"),
            Cone::Friction { .. } | Cone::Rolling { .. } => (!self.friction).then_some(ROUND_CONES),
        })
    }
}

/// What every settings type of a method says about the method.
pub(crate) trait MethodSettings {
    /// Name, summary, abilities.
    fn describe(&self) -> Description;
    /// Iterations after which it is stopped when the user gives no limit.
    fn usual_iterations(&self) -> u32;
    /// Refuses values out of range.
    fn check(&self) -> Result<(), SolveError> {
        Ok(())
    }
    /// Whether it solves the exact friction law as it is. Other methods solve it by a fixed point around them.
    fn solves_exact_law(&self) -> bool {
        false
    }
    /// The method as an engine on the dual problem, if it is one.
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        None
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A method with its settings.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$doc])* $name($name),)*
        }

        impl Method {
            /// Default settings of every method, in the order they are listed to users.
            #[must_use]
            pub fn all() -> Vec<Self> {
                vec![$(Self::$name($name::default()),)*]
            }
            fn settings(&self) -> &dyn MethodSettings {
                match self {
                    $(Self::$name(settings) => settings,)*
                }
            }
        }

        $(impl From<$name> for Method {
            fn from(settings: $name) -> Self {
                Self::$name(settings)
            }
        })*
    };
}

methods! {
    /// Chosen by the problem and by what is asked.
    Auto,
    /// Interior point, with a Newton polish unless switched off.
    InteriorPoint,
    /// Semi-smooth Newton from the warm start, interior point if that fails.
    SemismoothNewton,
    /// Regularised semi-smooth Newton, relaxed or exact law.
    ProximalNewton,
    /// Non-smooth Gauss-Seidel, relaxed or exact law.
    Nsgs,
    /// Projected Jacobi.
    Jacobi,
    /// Accelerated projected gradient.
    Apgd,
    /// Spectral projected gradient.
    Spg,
    /// Projected SOR, block after block.
    Sor,
    /// Projected SOR, forwards and backwards in turn.
    SymmetricSor,
    /// Projected SOR, colour by colour on all threads.
    ParallelSor,
    /// Projected Gauss-Seidel with momentum, relaxed or exact law.
    AcceleratedSor,
    /// Projected limited-memory quasi-Newton, for bounds.
    Blmvm,
    /// Trust-region Newton, for bounds.
    Tron,
    /// Gradient projection with MINRES on the free variables.
    Gpminres,
    /// The same with a preconditioner.
    GpminresP,
    /// Conjugate gradients on the free variables, gradient steps that bind and release them.
    Kucera,
    /// MINRES for linear problems.
    Minres,
    /// Sparse direct solution of linear problems.
    Direct,
}

impl Default for Method {
    fn default() -> Self {
        Auto::default().into()
    }
}

impl Method {
    /// The method of this name with its default settings.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|method| method.name() == name)
    }
    /// What it is called and which problems it takes.
    #[must_use]
    pub fn describe(&self) -> Description {
        self.settings().describe()
    }
    /// The name used in settings, on the command line and in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.describe().name
    }
    /// Iterations after which it is stopped when the user gives no limit.
    #[must_use]
    pub fn usual_iterations(&self) -> u32 {
        self.settings().usual_iterations()
    }
    /// The settings of the interior point inside, for methods that have one.
    pub fn interior_point_mut(&mut self) -> Option<&mut InteriorPoint> {
        match self {
            Self::Auto(settings) => Some(&mut settings.interior_point),
            Self::InteriorPoint(settings) => Some(settings),
            Self::SemismoothNewton(settings) => Some(&mut settings.fallback),
            _ => None,
        }
    }
    /// Whether it solves the exact friction law as it is; other methods do by a fixed point around them.
    #[must_use]
    pub fn solves_exact_law(&self) -> bool {
        self.settings().solves_exact_law()
    }
    /// Whether an absolute rule of the papers ends it instead of the residual.
    pub(crate) fn stops_by_another_rule(&self) -> bool {
        match self {
            Self::Auto(Auto { interior_point: settings }) | Self::InteriorPoint(settings) => {
                settings.stopping != Stopping::Residual
            }
            _ => false,
        }
    }
    /// Whether its settings say that a warm start is not looked at.
    pub(crate) fn ignores_warm_start(&self) -> bool {
        match self {
            Self::InteriorPoint(settings) => settings.warm_start == WarmStart::None,
            Self::SemismoothNewton(settings) => settings.fallback.warm_start == WarmStart::None,
            _ => false,
        }
    }
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        self.settings().check()
    }
    /// The method as an engine on the dual problem, if it is one.
    pub(crate) fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        self.settings().dual_engine()
    }
    /// Refuses problems the method cannot solve, naming methods that can.
    ///
    /// # Errors
    /// [`SolveError::NotAccepted`].
    pub fn accept(&self, problem: &ConeProblem) -> Result<(), SolveError> {
        match self.describe().accepts.obstacle(problem) {
            None => Ok(()),
            Some(what) => {
                let able = |method: &Self| method.describe().accepts.obstacle(problem).is_none();
                let able = Self::all().iter().filter(|method| able(method)).map(Self::name).collect();
                let takes_bounds = self.describe().accepts.unilateral;
                Err(SolveError::NotAccepted { method: self.name(), what, takes_bounds, able })
            }
        }
    }
}

//! Settings of the interior-point method.

use crate::method::kkt::KktForm;
use crate::method::{Accepts, Description, MethodSettings};

/// Primal-dual interior point for orthant rows and second-order cones together (THEORY §7).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct InteriorPoint {
    /// Form of the linear system.
    pub kkt: KktForm,
    /// Starting point.
    pub start: Start,
    /// Whether primal and dual variables take the same step.
    pub steps: Steps,
    /// What is taken over from a warm start.
    pub warm_start: WarmStart,
    /// Further centrality correctors an iteration (Gondzio), each one more solve with the same factor.
    pub correctors: u32,
    /// Rule that ends the iterations.
    pub stopping: Stopping,
    /// Finish by semi-smooth Newton on the natural map once close (see [`crate::SemismoothNewton`]).
    pub polish: bool,
    /// Corrections by iterative refinement a solve.
    pub refinements: u32,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        Self {
            kkt: KktForm::Auto,
            start: Start::Scaled,
            steps: Steps::Equal,
            warm_start: WarmStart::Full,
            correctors: 3,
            stopping: Stopping::Residual,
            polish: true,
            refinements: 1,
        }
    }
}

impl MethodSettings for InteriorPoint {
    fn describe(&self) -> Description {
        Description {
            name: "interior-point",
            summary: "primal-dual interior point, polished by semi-smooth Newton",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        200 // a well-posed problem needs 10 to 25
    }
}

/// Starting points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Least-squares start weighted by each contact's own velocity per impulse, shifted into the cones.
    #[default]
    Scaled,
    /// One affine step from ones, then y₀ = max(1, |y + Δy|), likewise λ₀.
    Nocedal,
    /// v = 0, y₀ = max(1, Dv − b), λ₀ = 1/y₀.
    Dapuzzo,
    /// Least-squares start with unit weights, shifted into the cones.
    Cvxopt,
}

impl Start {
    /// All starting points a user can name.
    pub const ALL: [Self; 4] = [Self::Scaled, Self::Nocedal, Self::Dapuzzo, Self::Cvxopt];
    /// The name used in settings and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scaled => "scaled",
            Self::Nocedal => "nocedal",
            Self::Dapuzzo => "dapuzzo",
            Self::Cvxopt => "cvxopt",
        }
    }
}

/// Step lengths of primal (v, y) and dual (γ, λ) variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// One length for all: robust whatever H is.
    #[default]
    Equal,
    /// Each as far as it can go.
    Split,
}

/// What a warm start contributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmStart {
    /// Nothing.
    None,
    /// Velocities only.
    Partial,
    /// Velocities and impulses, pushed back inside the cones.
    #[default]
    Full,
}

/// Rule that ends the iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopping {
    /// The residual of [`crate::SolverSettings::tolerance`], the same for every method.
    #[default]
    Residual,
    /// The absolute rule of the 2015 paper: ‖r_p‖/m < 1e-8, ‖r_d‖/n < 1e-8, μ < 1e-7.
    Paper,
    /// The absolute rule of the thesis: ‖r_γ‖/n_γ, ‖r_λ‖/n_λ, ‖r_d‖/n_v < 1e-10, μ < 1e-9.
    Thesis,
}

//! Gradient projection with MINRES on the free variables (GPMINRES) [Heyn2013, §4.2; THEORY §8].
//!
//! Two phases take turns. Projected gradient steps find the face of K the solution is on,
//!
//! ```text
//! d = Π_T(−∇q),  α = dᵀd/dᵀNd shortened until  q(g⁺) ≤ q(g) + μ ∇qᵀ(g⁺ − g),  g⁺ = Π(g − α∇q)
//! ```
//!
//! until the face stays or the decrease is below η₁ of the best one. Then MINRES lowers the gradient within the face,
//! (PᵀNP + κ) w = −Pᵀ∇q, until the decrease of its model is below η₂ of the best one, and a projected search follows w. If
//! the gradient then holds every force on its face (active = binding set), the face is likely the one sought: MINRES goes
//! on, η₂ tightened; else gradient steps change the face.
//!
//! Rows without friction are fixed where g = 0 and free elsewhere, bilateral rows are always free. A friction cone is
//! fixed at its apex, free inside; on its surface it moves in the tangent plane, where the model includes the curvature κ of
//! the surface ([`crate::cone::face`]), and the projected search returns to the cone. Without κ the steps of contacts that
//! slide under little force are too long by orders of magnitude, and the search ends them all.
//!
//! Every product with N is one iteration: a gradient step takes one product for α and, if anything was projected, one for
//! each trial; MINRES one per iteration and one for each trial.

mod engine;
mod factor;

use crate::SolveError;
use crate::dual_engine::DualEngine;
use crate::method::{Accepts, Description, MethodSettings};
use engine::{GpminresEngine, Preconditioner};
use factor::FactorOfFace;

/// Gradient projection with MINRES on the free variables.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gpminres {
    /// μ: a step is accepted when it gains this share of what the gradient promises, 0 < μ < ½.
    pub sufficient_decrease: f64,
    /// η₁: gradient steps end when one gains less than this share of the best one.
    pub gradient_decrease: f64,
    /// η₂: MINRES ends when an iteration gains less than this share of the best one.
    pub minres_decrease: f64,
    /// Most gradient steps before MINRES.
    pub gradient_steps: u32,
    /// Most MINRES iterations on one face; as many again each time the active set equals the binding set.
    pub minres_iterations: u32,
    /// Most times a MINRES step is shortened before gradient steps take over.
    pub halvings: u32,
    /// MINRES ends when projection would cut off more than this share of its step: the face is about to change.
    pub departure: f64,
}

impl Default for Gpminres {
    fn default() -> Self {
        Self {
            sufficient_decrease: 0.1,
            gradient_decrease: 0.1,
            minres_decrease: 0.1,
            gradient_steps: 10,
            minres_iterations: 50,
            halvings: 10,
            departure: 0.1,
        }
    }
}

impl MethodSettings for Gpminres {
    fn describe(&self) -> Description {
        Description {
            name: "gpminres",
            summary: "gradient projection with MINRES on the free variables",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let shares = [
            ("sufficient-decrease", self.sufficient_decrease, 0.5, "a number between 0 and 0.5"),
            ("gradient-decrease", self.gradient_decrease, 1.0, "a number between 0 and 1"),
            ("minres-decrease", self.minres_decrease, 1.0, "a number between 0 and 1"),
        ];
        for (name, value, below, allowed) in shares {
            if !(value > 0.0 && value < below) {
                return Err(SolveError::Setting { name, value, allowed });
            }
        }
        if self.departure.is_nan() || self.departure <= 0.0 {
            let (name, value) = ("departure", self.departure);
            return Err(SolveError::Setting { name, value, allowed: "a number > 0; 1 or more: never" });
        }
        for (name, count) in [("gradient-steps", self.gradient_steps), ("minres-iterations", self.minres_iterations)] {
            if count == 0 {
                return Err(SolveError::Setting { name, value: 0.0, allowed: "at least 1" });
            }
        }
        Ok(())
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(GpminresEngine::new(self.clone(), Preconditioner::None)))
    }
}

/// How the systems on the free variables are preconditioned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FacePreconditioner {
    /// Cholesky factor of the free block of N, made anew for every face: few MINRES iterations, each dear.
    Complete,
    /// Incomplete Cholesky factor with the pattern of N.
    #[default]
    Incomplete,
    /// Mean diagonal of N over each block: as cheap as none.
    Diagonal,
}

/// GPMINRES with a preconditioner.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpminresP {
    /// The preconditioner of MINRES.
    pub preconditioner: FacePreconditioner,
    /// Everything else.
    pub search: Gpminres,
}

impl MethodSettings for GpminresP {
    fn describe(&self) -> Description {
        Description {
            name: "gpminres-p",
            summary: "gpminres with a preconditioner from the free block of N",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        self.search.usual_iterations()
    }
    fn check(&self) -> Result<(), SolveError> {
        self.search.check()
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        let preconditioner = match self.preconditioner {
            FacePreconditioner::Diagonal => Preconditioner::Diagonal(Vec::new()),
            FacePreconditioner::Incomplete => Preconditioner::Factor(Box::new(FactorOfFace::incomplete())),
            FacePreconditioner::Complete => Preconditioner::Factor(Box::new(FactorOfFace::complete())),
        };
        Some(Box::new(GpminresEngine::new(self.search.clone(), preconditioner)))
    }
}

//! The methods of the paper and ours in their places.

use signorini_solver::{Auto, Blmvm, InteriorPoint, KktForm, Method, SolverSettings, Tolerance, Tron};

/// Accuracy of every solve: the natural map relative to the free velocity. The paper's interior points stop at 1e-8 of their own
/// measure, its BLMVM and TRON at gradients of 1e-3 and 1e-4; here all meet the same.
pub(super) const TOLERANCE: f64 = 1e-6;
/// Facets of the friction pyramids.
pub(super) const FACETS: u32 = 3;

/// A method in the place of one of the paper.
#[derive(Clone)]
pub(super) struct Solver {
    pub(super) name: &'static str,
    /// What the paper used; empty if nothing.
    pub(super) paper: &'static str,
    pub(super) method: Method,
}

/// Names by which rows ask for their methods.
pub(super) const REDUCED: &str = "interior point, reduced (Cholesky)";
pub(super) const QUASI_DEFINITE: &str = "interior point, quasi-definite (LDLᵀ)";
pub(super) const AUGMENTED: &str = "interior point, augmented (LU)";
pub(super) const BLMVM: &str = "blmvm";
pub(super) const TRON: &str = "tron";
pub(super) const AUTO: &str = "auto";

/// All of them, the fastest of the paper first.
pub(super) fn all() -> [Solver; 6] {
    let interior = |kkt| Method::from(InteriorPoint { kkt, polish: false, ..InteriorPoint::default() });
    [
        Solver { name: REDUCED, paper: "OOQP-CHOL", method: interior(KktForm::Reduced) },
        Solver { name: QUASI_DEFINITE, paper: "", method: interior(KktForm::QuasiDefinite) },
        Solver { name: AUGMENTED, paper: "OOQP-MA27", method: interior(KktForm::Augmented) },
        Solver { name: BLMVM, paper: "BLMVM", method: Blmvm::default().into() },
        Solver { name: TRON, paper: "TRON", method: Tron::default().into() },
        Solver { name: AUTO, paper: "", method: Auto::default().into() },
    ]
}

/// One of them by its name.
pub(super) fn named(name: &str) -> Option<Solver> {
    all().into_iter().find(|solver| solver.name == name)
}

/// Settings of a solve by itself.
pub(super) fn settings(method: Method, time_limit: f64) -> SolverSettings {
    let settings = SolverSettings::from(method).to(Tolerance::Relative(TOLERANCE)).with_facets(FACETS);
    SolverSettings { time_limit: Some(time_limit), ..settings }
}

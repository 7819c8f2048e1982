//! What an FCLIB file holds.

use signorini_linalg::CscMatrix;

/// Everything of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FclibFile {
    /// The problem.
    pub problem: FclibProblem,
    /// Where it comes from.
    pub info: Info,
    /// A solution of the exact Signorini-Coulomb problem.
    pub solution: Option<StoredSolution>,
    /// A solution of its convex relaxation (an extra group; other FCLIB readers ignore it).
    pub solution_ccp: Option<StoredSolution>,
    /// Starting points.
    pub guesses: Vec<StoredSolution>,
}

/// A problem in one of the two formulations; rolling friction if `mu_r` is given and the dimension is 5.
#[derive(Clone, Debug, PartialEq)]
pub enum FclibProblem {
    /// In contact space.
    Local(LocalProblem),
    /// With the velocities of the bodies.
    Global(GlobalProblem),
}

/// u = W r + V λ + q, 0 = Vᵀ r + R λ + s.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalProblem {
    /// Unknowns per contact: 2, 3, or 5 with rolling friction.
    pub dimension: usize,
    /// W, square, as stored: often not exactly symmetric.
    pub w: CscMatrix,
    /// V, one column per bilateral constraint; given together with `r` and `s`.
    pub v: Option<CscMatrix>,
    /// R, square, one row per bilateral constraint.
    pub r: Option<CscMatrix>,
    /// Free relative velocities.
    pub q: Vec<f64>,
    /// Right-hand side of the bilateral constraints.
    pub s: Option<Vec<f64>>,
    /// Friction coefficient of each contact, ≥ 0.
    pub mu: Vec<f64>,
    /// Rolling friction coefficient of each contact, ≥ 0, a length.
    pub mu_r: Option<Vec<f64>>,
}

/// M v = H r + G λ + f, u = Hᵀ v + w, 0 = Gᵀ v + b.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalProblem {
    /// Unknowns per contact: 2, 3, or 5 with rolling friction.
    pub dimension: usize,
    /// M, square, as stored: not always exactly symmetric.
    pub m: CscMatrix,
    /// H, one row per degree of freedom, one column per contact unknown.
    pub h: CscMatrix,
    /// G, one column per bilateral constraint; given together with `b`.
    pub g: Option<CscMatrix>,
    /// Generalised impulses without contact.
    pub f: Vec<f64>,
    /// Constant part of the relative velocities.
    pub w: Vec<f64>,
    /// Constant part of the bilateral constraints.
    pub b: Option<Vec<f64>>,
    /// Friction coefficient of each contact, ≥ 0.
    pub mu: Vec<f64>,
    /// Rolling friction coefficient of each contact, ≥ 0, a length.
    pub mu_r: Option<Vec<f64>>,
}

/// Free text about a problem; empty where the file has none. No NUL characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// A short name.
    pub title: String,
    /// Origin and contents.
    pub description: String,
    /// Remarks on the mathematics.
    pub math_info: String,
}

/// A solution or a starting point.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSolution {
    /// Velocities of the bodies; global problems only (where the C library insists on them).
    pub v: Option<Vec<f64>>,
    /// Relative velocities at the contacts.
    pub u: Vec<f64>,
    /// Contact impulses.
    pub r: Vec<f64>,
    /// Multipliers of the bilateral constraints; only for problems that have some.
    pub l: Option<Vec<f64>>,
}

impl FclibFile {
    /// A file with a problem and no solutions.
    #[must_use]
    pub fn new(problem: FclibProblem, info: Info) -> Self {
        Self { problem, info, solution: None, solution_ccp: None, guesses: Vec::new() }
    }
}

impl FclibProblem {
    /// Unknowns per contact.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            Self::Local(problem) => problem.dimension,
            Self::Global(problem) => problem.dimension,
        }
    }

    /// Friction coefficient of each contact.
    #[must_use]
    pub fn mu(&self) -> &[f64] {
        match self {
            Self::Local(problem) => &problem.mu,
            Self::Global(problem) => &problem.mu,
        }
    }

    /// Rolling friction coefficient of each contact.
    #[must_use]
    pub fn mu_r(&self) -> Option<&[f64]> {
        match self {
            Self::Local(problem) => problem.mu_r.as_deref(),
            Self::Global(problem) => problem.mu_r.as_deref(),
        }
    }

    /// Number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.mu().len()
    }

    /// Contact unknowns: entries of `u` and `r`.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        match self {
            Self::Local(problem) => problem.q.len(),
            Self::Global(problem) => problem.w.len(),
        }
    }

    /// Degrees of freedom of the bodies; none in a local problem.
    #[must_use]
    pub fn velocities(&self) -> Option<usize> {
        match self {
            Self::Local(_) => None,
            Self::Global(problem) => Some(problem.f.len()),
        }
    }

    /// Bilateral constraints, if the problem has the matrices for them.
    #[must_use]
    pub fn bilaterals(&self) -> Option<usize> {
        match self {
            Self::Local(problem) => problem.s.as_ref().map(Vec::len),
            Self::Global(problem) => problem.b.as_ref().map(Vec::len),
        }
    }

    /// Name of the HDF5 group the problem is stored in.
    pub(super) fn group(&self) -> &'static str {
        match (self, self.mu_r().is_some()) {
            (Self::Local(_), false) => "/fclib_local",
            (Self::Local(_), true) => "/fclib_local_rolling",
            (Self::Global(_), false) => "/fclib_global",
            (Self::Global(_), true) => "/fclib_global_rolling",
        }
    }
}

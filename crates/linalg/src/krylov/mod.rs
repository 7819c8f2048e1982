//! Krylov methods for symmetric systems: conjugate gradients and MINRES, preconditioned.
//!
//! A run is an object that takes one iteration at a time ([`Cg`], [`Minres`]), so that a caller can place its own tests
//! between iterations; [`solve_cg`] and [`solve_minres`] are the loops built on it.
//!
//! The preconditioner is the operator that *applies* M⁻¹, symmetric and positive definite. Both methods measure
//! residuals in the norm that comes with it, ‖r‖_{M⁻¹} = √(rᵀM⁻¹r): the Euclidean norm if M = I.

mod cg;
mod minres;

pub use cg::{Cg, CgSettings, CgWorkspace, solve_cg};
pub use minres::{Minres, MinresRecurrence, MinresSettings, MinresWorkspace, solve_minres};

use crate::LinearOperator;
use crate::dot::dot;

/// Why a Krylov method stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KrylovStatus {
    /// The residual, computed afresh from the solution, is within the tolerance.
    Converged,
    /// The iterations allowed are used up.
    IterationLimit,
    /// No further progress: rounding limits the residual, the system is inconsistent, or the preconditioner is not
    /// positive definite. The iterate is the best one of the method.
    Breakdown,
    /// Conjugate gradients met a direction p with pᵀAp ≤ 0: the matrix is not positive definite.
    NegativeCurvature,
}

/// How a Krylov method ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct KrylovReport {
    /// Iterations taken, each with one product by the matrix and one by the preconditioner.
    pub iterations: usize,
    /// ‖b − Ax‖/‖b‖ in the norm of the preconditioner, computed afresh from the solution; 0 if b = 0.
    pub residual_relative: f64,
    /// Why the method stopped.
    pub status: KrylovStatus,
}

/// The outcome of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum KrylovStep {
    /// The solution moved.
    Taken,
    /// The solution is unchanged and will stay so: the recurrence has ended for this reason.
    Stopped(KrylovStatus),
}

/// Why a Krylov method cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KrylovError {
    /// Matrix, preconditioner, vectors and workspace are not of one size.
    #[error("{what} has size {found}, expected {expected} as the matrix has {expected} rows")]
    Dimension {
        /// Which argument.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The number of rows of the matrix.
        expected: usize,
    },
    /// A setting is out of range.
    #[error("`{name}` is {found}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The value found.
        found: f64,
        /// The values allowed.
        expected: &'static str,
    },
    /// The right-hand side or the initial guess has no finite norm.
    #[error("{what} is not finite (squared norm {found})")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// The squared norm found.
        found: f64,
    },
    /// vᵀM⁻¹v ≤ 0 for the right-hand side or the first residual.
    #[error("the preconditioner is not positive definite: {found} is the squared norm it gives to {what}")]
    Preconditioner {
        /// The vector.
        what: &'static str,
        /// The product vᵀM⁻¹v.
        found: f64,
    },
}

/// A tolerance test is answered by a residual computed afresh; if that one fails the test, the recurrence has drifted
/// and starts again from the iterate. A restart that does not gain this factor has reached the accuracy of the data.
const RESTART_GAIN: f64 = 0.5;

/// One run of a method, as the loop sees it.
trait Iteration {
    fn advance(&mut self) -> KrylovStep;
    fn iterations(&self) -> usize;
    /// The relative residual by the recurrence.
    fn residual_relative(&self) -> f64;
    /// The relative residual computed afresh; the recurrence starts again from the iterate.
    fn restart(&mut self) -> f64;
}

fn drive(run: &mut impl Iteration, relative_tolerance: f64, max_iterations: usize) -> KrylovReport {
    let mut at_restart = f64::INFINITY;
    loop {
        let mut stopped = None;
        if run.residual_relative() > relative_tolerance {
            if run.iterations() >= max_iterations {
                stopped = Some(KrylovStatus::IterationLimit);
            } else {
                match run.advance() {
                    KrylovStep::Taken => continue,
                    KrylovStep::Stopped(status) => stopped = Some(status),
                }
            }
        }
        let residual_relative = run.restart();
        let status = if residual_relative <= relative_tolerance {
            KrylovStatus::Converged
        } else {
            match stopped {
                Some(KrylovStatus::Converged) | None if residual_relative <= RESTART_GAIN * at_restart => {
                    at_restart = residual_relative;
                    continue;
                }
                Some(KrylovStatus::Converged) | None => KrylovStatus::Breakdown,
                Some(status) => status,
            }
        };
        return KrylovReport { iterations: run.iterations(), residual_relative, status };
    }
}

fn check_settings(tolerances: &[(&'static str, f64)]) -> Result<(), KrylovError> {
    match tolerances.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
        Some(&(name, found)) => Err(KrylovError::Setting { name, found, expected: "a finite value ≥ 0" }),
        None => Ok(()),
    }
}

fn check_sizes(
    matrix: &impl LinearOperator,
    preconditioner: &impl LinearOperator,
    vectors: [(&'static str, usize); 3],
) -> Result<(), KrylovError> {
    let expected = matrix.nrows();
    let operators = [
        ("matrix (columns)", matrix.ncols()),
        ("preconditioner (rows)", preconditioner.nrows()),
        ("preconditioner (columns)", preconditioner.ncols()),
    ];
    match operators.into_iter().chain(vectors).find(|&(_, found)| found != expected) {
        Some((what, found)) => Err(KrylovError::Dimension { what, found, expected }),
        None => Ok(()),
    }
}

/// ‖v‖_{M⁻¹}, leaving M⁻¹v in `preconditioned`; zero for v = 0 only.
fn checked_norm(
    what: &'static str,
    preconditioner: &impl LinearOperator,
    v: &[f64],
    preconditioned: &mut [f64],
) -> Result<f64, KrylovError> {
    let euclidean = dot(v, v);
    if !euclidean.is_finite() {
        return Err(KrylovError::NotFinite { what, found: euclidean });
    }
    preconditioner.apply(v, preconditioned);
    let found = dot(v, preconditioned);
    if found > 0.0 && found.is_finite() || euclidean == 0.0 {
        Ok(found.max(0.0).sqrt())
    } else {
        Err(KrylovError::Preconditioner { what, found })
    }
}

/// `r = b − A x`.
fn residual(matrix: &impl LinearOperator, b: &[f64], x: &[f64], r: &mut [f64]) {
    matrix.apply(x, r);
    for (r, &b) in r.iter_mut().zip(b) {
        *r = b - *r;
    }
}

/// `y += alpha x`.
fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

#[cfg(test)]
mod spectral {
    //! Symmetric matrices with a given spectrum, whose pseudo-inverse is known from it.

    use super::*;
    use crate::CscMatrix;
    use proptest::prelude::*;

    /// A = Q D Qᵀ with Q = H₁H₂H₃, a product of Householder reflections.
    #[derive(Clone, Debug)]
    pub(super) struct Spectral {
        pub(super) eigenvalues: Vec<f64>,
        mirrors: Vec<Vec<f64>>,
    }

    impl Spectral {
        /// Q f(D) Qᵀ v.
        pub(super) fn apply_function(&self, f: impl Fn(f64) -> f64, v: &[f64]) -> Vec<f64> {
            let mut out = v.to_vec();
            self.mirrors.iter().for_each(|mirror| reflect(mirror, &mut out));
            out.iter_mut().zip(&self.eigenvalues).for_each(|(out, &d)| *out *= f(d));
            self.mirrors.iter().rev().for_each(|mirror| reflect(mirror, &mut out));
            out
        }
        /// The solution of least length of A x = b.
        pub(super) fn pseudo_solve(&self, b: &[f64]) -> Vec<f64> {
            self.apply_function(|d| if d == 0.0 { 0.0 } else { 1.0 / d }, b)
        }
        pub(super) fn matrix(&self, f: impl Fn(f64) -> f64 + Copy) -> CscMatrix {
            let n = self.eigenvalues.len();
            let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>();
            let triplets = (0..n).flat_map(|col| {
                self.apply_function(f, &unit(col)).into_iter().enumerate().map(move |(row, v)| (row, col, v))
            });
            CscMatrix::from_triplets(n, n, triplets).unwrap().symmetric_part().0
        }
        pub(super) fn n(&self) -> usize {
            self.eigenvalues.len()
        }
    }

    fn reflect(mirror: &[f64], v: &mut [f64]) {
        axpy(-2.0 * dot(mirror, v) / dot(mirror, mirror).max(f64::MIN_POSITIVE), mirror, v);
    }

    /// A matrix with eigenvalues drawn from `eigenvalue`, and a vector.
    pub(super) fn spectral<E>(eigenvalue: E) -> impl Strategy<Value = (Spectral, Vec<f64>)>
    where
        E: Strategy<Value = f64> + Clone + 'static,
    {
        (1usize..25).prop_flat_map(move |n| {
            let vector = || prop::collection::vec(-1.0..1.0f64, n);
            (prop::collection::vec(eigenvalue.clone(), n), prop::collection::vec(vector(), 3), vector())
                .prop_map(|(eigenvalues, mirrors, v)| (Spectral { eigenvalues, mirrors }, v))
        })
    }

    pub(super) fn distance(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    pub(super) fn norm(x: &[f64]) -> f64 {
        dot(x, x).sqrt()
    }
}

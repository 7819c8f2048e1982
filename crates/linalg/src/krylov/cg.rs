//! Preconditioned conjugate gradients [HestenesStiefel1952].
//!
//! For A symmetric positive definite, x_k minimises the energy ½xᵀAx − bᵀx over x₀ + span{p₀, …, p_{k−1}}. The
//! directions are A-conjugate, pᵢᵀApⱼ = 0, so that the minimiser over all of them moves along the last one alone:
//!
//! z = M⁻¹r,   ρ = rᵀz,   p ← z + (ρ/ρ_old) p,   α = ρ/pᵀAp,   x ← x + αp,   r ← r − αAp.
//!
//! Conjugacy of z_k against p₀ … p_{k−2} is automatic: Apⱼ is a combination of rⱼ and rⱼ₊₁, and rᵢᵀM⁻¹rⱼ = 0 for i ≠ j.
//! In exact arithmetic the residual vanishes after as many iterations as M⁻¹A has distinct eigenvalues.

use super::{
    Iteration, KrylovError, KrylovReport, KrylovStatus, KrylovStep, axpy, check_settings, check_sizes, checked_norm,
    dot, drive, residual,
};
use crate::LinearOperator;

/// When conjugate gradients stop.
#[derive(Clone, Debug, PartialEq)]
pub struct CgSettings {
    /// Stop at ‖b − Ax‖ ≤ this · ‖b‖, in the norm of the preconditioner.
    pub relative_tolerance: f64,
    /// Stop after this many iterations.
    pub max_iterations: usize,
}

impl Default for CgSettings {
    fn default() -> Self {
        Self { relative_tolerance: 1e-10, max_iterations: 1000 }
    }
}

/// The vectors of a run, to be used again by runs of the same size.
#[derive(Clone, Debug)]
pub struct CgWorkspace {
    /// Residual r = b − Ax.
    r: Vec<f64>,
    /// Preconditioned residual z = M⁻¹r.
    z: Vec<f64>,
    /// Direction.
    p: Vec<f64>,
    /// Product Ap.
    ap: Vec<f64>,
}

impl CgWorkspace {
    /// Vectors for systems of `n` unknowns.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { r: vec![0.0; n], z: vec![0.0; n], p: vec![0.0; n], ap: vec![0.0; n] }
    }
}

/// A run of conjugate gradients, one iteration at a time.
#[derive(Debug)]
pub struct Cg<'a, A, P> {
    matrix: A,
    preconditioner: P,
    b: &'a [f64],
    x: &'a mut [f64],
    work: &'a mut CgWorkspace,
    b_norm: f64,
    /// ρ = rᵀM⁻¹r.
    rho: f64,
    iterations: usize,
}

impl<'a, A: LinearOperator, P: LinearOperator> Cg<'a, A, P> {
    /// Starts from the guess in `x` (operators by value or by reference), which holds the iterate from now on. With b = 0, x is set to 0 at once.
    ///
    /// # Errors
    /// Sizes that differ, vectors that are not finite, or a preconditioner seen not to be positive definite.
    pub fn begin(
        matrix: A,
        preconditioner: P,
        b: &'a [f64],
        x: &'a mut [f64],
        work: &'a mut CgWorkspace,
    ) -> Result<Self, KrylovError> {
        let vectors = [("right-hand side", b.len()), ("initial guess", x.len()), ("workspace", work.r.len())];
        check_sizes(&matrix, &preconditioner, vectors)?;
        let b_norm = checked_norm("the right-hand side", &preconditioner, b, &mut work.z)?;
        if b_norm == 0.0 {
            x.fill(0.0);
        }
        residual(&matrix, b, x, &mut work.r);
        let r_norm = checked_norm("the residual of the initial guess", &preconditioner, &work.r, &mut work.z)?;
        work.p.copy_from_slice(&work.z);
        Ok(Self { matrix, preconditioner, b, x, work, b_norm, rho: r_norm * r_norm, iterations: 0 })
    }

    /// Takes one iteration.
    pub fn advance(&mut self) -> KrylovStep {
        if self.rho == 0.0 {
            return KrylovStep::Stopped(KrylovStatus::Converged);
        }
        // The negated test also stops at NaN: a preconditioner that is not positive definite, or overflow.
        if !(self.rho > 0.0 && self.rho.is_finite()) {
            return KrylovStep::Stopped(KrylovStatus::Breakdown);
        }
        let CgWorkspace { r, z, p, ap } = &mut *self.work;
        self.matrix.apply(p, ap);
        let curvature = dot(p, ap);
        if curvature <= 0.0 {
            return KrylovStep::Stopped(KrylovStatus::NegativeCurvature);
        }
        let alpha = self.rho / curvature;
        if !alpha.is_finite() {
            return KrylovStep::Stopped(KrylovStatus::Breakdown);
        }
        axpy(alpha, p, self.x);
        axpy(-alpha, ap, r);
        self.preconditioner.apply(r, z);
        let rho_old = std::mem::replace(&mut self.rho, dot(r, z));
        let beta = self.rho / rho_old;
        for (p, &z) in p.iter_mut().zip(&*z) {
            *p = z + beta * *p;
        }
        self.iterations += 1;
        KrylovStep::Taken
    }

    /// Computes the residual afresh, restarts the recurrence from the iterate, and returns the relative residual.
    pub fn restart(&mut self) -> f64 {
        let CgWorkspace { r, z, p, .. } = &mut *self.work;
        residual(&self.matrix, self.b, self.x, r);
        self.preconditioner.apply(r, z);
        self.rho = dot(r, z);
        p.copy_from_slice(z);
        self.residual_relative()
    }

    /// ‖b − Ax‖/‖b‖ in the norm of the preconditioner, by the recurrence; 0 if b = 0.
    #[must_use]
    pub fn residual_relative(&self) -> f64 {
        if self.b_norm == 0.0 { 0.0 } else { self.rho.abs().sqrt() / self.b_norm }
    }

    /// Iterations taken.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The iterate.
    #[must_use]
    pub fn solution(&self) -> &[f64] {
        self.x
    }

    /// The residual b − Ax, by the recurrence.
    #[must_use]
    pub fn residual(&self) -> &[f64] {
        &self.work.r
    }

    /// The direction of the next step; after [`KrylovStatus::NegativeCurvature`] the one with pᵀAp ≤ 0.
    #[must_use]
    pub fn direction(&self) -> &[f64] {
        &self.work.p
    }
}

impl<A: LinearOperator, P: LinearOperator> Iteration for Cg<'_, A, P> {
    fn advance(&mut self) -> KrylovStep {
        self.advance()
    }
    fn iterations(&self) -> usize {
        self.iterations
    }
    fn residual_relative(&self) -> f64 {
        self.residual_relative()
    }
    fn restart(&mut self) -> f64 {
        self.restart()
    }
}

/// Solves A x = b for A symmetric positive definite, from the guess in `x`. `preconditioner` applies M⁻¹.
///
/// # Errors
/// Sizes that differ, vectors or settings out of range. Stopping early is no error: see [`KrylovReport::status`].
///
/// ```
/// use signorini_linalg::{CgSettings, CgWorkspace, CscMatrix, Identity, KrylovStatus, solve_cg};
/// let a = CscMatrix::from_triplets(2, 2, [(0, 0, 4.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)])?;
/// let mut x = [0.0; 2];
/// let report = solve_cg(&a, Identity(2), &[1.0, 2.0], &mut x, &CgSettings::default(), &mut CgWorkspace::new(2))?;
/// assert_eq!(report.status, KrylovStatus::Converged);
/// assert!((x[0] - 1.0 / 11.0).abs() < 1e-9 && (x[1] - 7.0 / 11.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_cg(
    matrix: impl LinearOperator,
    preconditioner: impl LinearOperator,
    b: &[f64],
    x: &mut [f64],
    settings: &CgSettings,
    work: &mut CgWorkspace,
) -> Result<KrylovReport, KrylovError> {
    check_settings(&[("relative_tolerance", settings.relative_tolerance)])?;
    let mut run = Cg::begin(matrix, preconditioner, b, x, work)?;
    Ok(drive(&mut run, settings.relative_tolerance, settings.max_iterations))
}

#[cfg(test)]
mod tests {
    use super::super::spectral::{distance, norm, spectral};
    use super::*;
    use crate::{CscMatrix, Identity};
    use proptest::prelude::*;

    fn solve(a: &CscMatrix, m: impl LinearOperator, b: &[f64], x: &mut [f64]) -> KrylovReport {
        let settings = CgSettings { relative_tolerance: 1e-12, max_iterations: 200 };
        solve_cg(a, m, b, x, &settings, &mut CgWorkspace::new(b.len())).unwrap()
    }

    proptest! {
        #[test]
        fn positive_definite_systems_are_solved_within_n_iterations((a, b) in spectral(0.1..10.0f64), guess in -2.0..2.0f64) {
            let matrix = a.matrix(|d| d);
            let mut x = vec![guess; a.n()];
            let report = solve(&matrix, Identity(a.n()), &b, &mut x);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            // cond ≤ 100: rounding delays the n-th step, by fewer than n/2 + 4 iterations on this family.
            prop_assert!(report.iterations <= a.n() + a.n() / 2 + 4, "{:?} for n = {}", report, a.n());
            let expected = a.pseudo_solve(&b);
            // ‖x − x*‖ ≤ ‖r‖/λ_min ≤ 1e-12 ‖b‖ / 0.1, and the rounding of the matrix itself, ε·cond.
            prop_assert!(distance(&x, &expected) <= 1e-10 * norm(&b), "{x:?} {expected:?}");
        }

        #[test]
        fn the_exact_inverse_converges_in_one_iteration((a, b) in spectral(0.1..10.0f64)) {
            let mut x = vec![0.0; a.n()];
            let report = solve(&a.matrix(|d| d), a.matrix(|d| 1.0 / d), &b, &mut x);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            prop_assert!(report.iterations <= 2, "{report:?}");
        }

        #[test]
        fn consistent_semidefinite_systems_give_the_solution_of_least_length(
            (a, v) in spectral(prop_oneof![Just(0.0), 0.5..5.0f64]),
        ) {
            let b = a.apply_function(|d| d, &v);
            let mut x = vec![0.0; a.n()];
            let report = solve(&a.matrix(|d| d), Identity(a.n()), &b, &mut x);
            let expected = a.pseudo_solve(&b);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            prop_assert!(distance(&x, &expected) <= 1e-9 * (1.0 + norm(&expected)), "{report:?} {x:?} {expected:?}");
        }

        #[test]
        fn single_steps_lower_the_energy((a, b) in spectral(0.1..10.0f64)) {
            let matrix = a.matrix(|d| d);
            let (mut x, mut work) = (vec![0.0; a.n()], CgWorkspace::new(a.n()));
            let mut run = Cg::begin(&matrix, Identity(a.n()), &b, &mut x, &mut work).unwrap();
            let energy = |x: &[f64]| 0.5 * dot(x, &a.apply_function(|d| d, x)) - dot(&b, x);
            let mut last = 0.0;
            for _ in 0..a.n() {
                let _ = run.advance();
                let now = energy(run.solution());
                prop_assert!(now <= last + 1e-13 * norm(&b).powi(2) / 0.1, "{now} after {last}");
                last = now;
            }
        }
    }

    #[test]
    fn negative_curvature_is_reported_with_its_direction() {
        let a = CscMatrix::diagonal(&[1.0, -1.0]);
        let (mut x, mut work) = ([0.0; 2], CgWorkspace::new(2));
        let mut run = Cg::begin(&a, Identity(2), &[1.0, 2.0], &mut x, &mut work).unwrap();
        assert_eq!(run.advance(), KrylovStep::Stopped(KrylovStatus::NegativeCurvature));
        assert_eq!(run.direction(), [1.0, 2.0]);
        assert_eq!(solve(&a, Identity(2), &[1.0, 2.0], &mut [0.0; 2]).status, KrylovStatus::NegativeCurvature);
    }

    #[test]
    fn trivial_systems_need_no_iteration() {
        let converged = KrylovReport { iterations: 0, residual_relative: 0.0, status: KrylovStatus::Converged };
        assert_eq!(solve(&CscMatrix::zeros(0, 0), Identity(0), &[], &mut []), converged);
        let mut x = [3.0, 4.0];
        assert_eq!(solve(&CscMatrix::diagonal(&[1.0, 2.0]), Identity(2), &[0.0; 2], &mut x), converged);
        assert_eq!(x, [0.0; 2]);
    }

    #[test]
    fn limits_and_unreachable_tolerances_are_stated() {
        let a = CscMatrix::diagonal(&[1.0, 2.0, 3.0]);
        let (b, mut work) = ([1.0; 3], CgWorkspace::new(3));
        let limited = CgSettings { max_iterations: 1, ..CgSettings::default() };
        let report = solve_cg(&a, Identity(3), &b, &mut [0.0; 3], &limited, &mut work).unwrap();
        assert_eq!((report.status, report.iterations), (KrylovStatus::IterationLimit, 1));
        let hilbert = CscMatrix::from_triplets(
            9,
            9,
            (0..81).map(|e| (e / 9, e % 9, 1.0 / f64::from(1 + u8::try_from(e / 9 + e % 9).unwrap()))),
        )
        .unwrap();
        let exact = CgSettings { relative_tolerance: 0.0, max_iterations: 10_000 };
        let report =
            solve_cg(&hilbert, Identity(9), &[1.0; 9], &mut [0.0; 9], &exact, &mut CgWorkspace::new(9)).unwrap();
        assert_ne!(report.status, KrylovStatus::Converged);
    }

    #[test]
    fn bad_input_is_named() {
        let a = CscMatrix::diagonal(&[1.0, 2.0]);
        let mut work = CgWorkspace::new(2);
        let mut error = |m: &CscMatrix, b: &[f64], tolerance| {
            let settings = CgSettings { relative_tolerance: tolerance, ..CgSettings::default() };
            solve_cg(&a, m, b, &mut [0.0; 2], &settings, &mut work).unwrap_err().to_string()
        };
        let identity = CscMatrix::diagonal(&[1.0, 1.0]);
        assert!(error(&identity, &[1.0], 0.1).contains("right-hand side has size 1, expected 2"));
        assert!(error(&identity, &[1.0, f64::NAN], 0.1).contains("not finite"));
        assert!(error(&identity, &[1.0, 1.0], f64::NAN).contains("`relative_tolerance` is NaN"));
        assert!(error(&CscMatrix::diagonal(&[-1.0, 0.0]), &[1.0, 1.0], 0.1).contains("not positive definite"));
    }
}

//! Preconditioned MINRES [PaigeSaunders1975].
//!
//! For A symmetric, possibly indefinite or singular, x_k minimises ‖b − Ax‖_{M⁻¹} over x₀ + 𝒦_k, the Krylov space of
//! M⁻¹A from M⁻¹r₀. With M = I (else read A as M^{-½}AM^{-½}, which never appears: the recurrences below need products
//! with A and M⁻¹ only):
//!
//! 1. Lanczos. β₁v₁ = r₀ and β_{k+1}v_{k+1} = Av_k − α_k v_k − β_k v_{k−1}, i.e. A V_k = V_{k+1} T̲_k with T̲_k tridiagonal
//!    of size (k+1)×k. In M-terms y_k = β_k M v_k is kept, z_k = M⁻¹y_k, β_k² = y_kᵀz_k.
//! 2. x = x₀ + V_k t has ‖r‖ = ‖β₁e₁ − T̲_k t‖. Rotations Q_k annihilate the subdiagonal: Q_k T̲_k = R_k, upper triangular
//!    with three diagonals (γ_k; δ_k; ε_k), one new rotation (c_k, s_k) a step:
//!
//!    ```text
//!    δ_k = c_{k−1} δ̄_k + s_{k−1} α_k        γ̄_k = s_{k−1} δ̄_k − c_{k−1} α_k
//!    ε_{k+1} = s_{k−1} β_{k+1}              δ̄_{k+1} = −c_{k−1} β_{k+1}
//!    γ_k = √(γ̄_k² + β_{k+1}²),  c_k = γ̄_k/γ_k,  s_k = β_{k+1}/γ_k
//!    φ_k = c_k φ̄_{k−1},  φ̄_k = s_k φ̄_{k−1} = ‖r_k‖:  never increasing, as |s_k| ≤ 1
//!    ```
//! 3. W_k = V_k R_k⁻¹ column by column: w_k = (v_k − ε_k w_{k−2} − δ_k w_{k−1})/γ_k, and x ← x + φ_k w_k.
//!
//! ‖A r_{k−1}‖ = φ̄_{k−1} √(γ̄_k² + δ̄_{k+1}²): if this vanishes while φ̄ does not, x is a least-squares solution of an
//! inconsistent system. If Ax = b is consistent and x₀ = 0, every iterate lies in the range of M⁻¹A, hence the limit is the
//! solution of least length (in ‖·‖_M). For inconsistent singular systems it is *a* least-squares solution only.

use super::{
    Iteration, KrylovError, KrylovReport, KrylovStatus, KrylovStep, axpy, check_settings, check_sizes, checked_norm,
    dot, drive, residual,
};
use crate::LinearOperator;

/// A Lanczos quantity below this part of the largest one seen is rounding: the Krylov space is exhausted.
const EXHAUSTED: f64 = 16.0 * f64::EPSILON;

/// When MINRES stops.
#[derive(Clone, Debug, PartialEq)]
pub struct MinresSettings {
    /// Stop at ‖b − Ax‖ ≤ this · ‖b‖, in the norm of the preconditioner.
    pub relative_tolerance: f64,
    /// Stop after this many iterations.
    pub max_iterations: usize,
    /// Stop as [`KrylovStatus::Breakdown`] at ‖A r‖ ≤ this · ‖A‖ ‖r‖: the rest of r is taken for orthogonal to the range of
    /// A. Larger values give up on ill-conditioned consistent systems (cond > 1/this); smaller ones, below the rounding
    /// of the Lanczos process, let the iterates of an inconsistent system run away along the null space: seen at 1e-11 on
    /// 5×5 matrices with close eigenvalues, not at 1e-8 in 20,000 random matrices. As ‖r‖² exceeds the least one by
    /// (this · cond · ‖r‖)² at most, about √ε costs no digits of the residual while cond is moderate.
    pub rank_tolerance: f64,
}

impl Default for MinresSettings {
    fn default() -> Self {
        Self { relative_tolerance: 1e-10, max_iterations: 1000, rank_tolerance: 1e-8 }
    }
}

/// The vectors of a run, to be used again by runs of the same size.
#[derive(Clone, Debug, Default)]
pub struct MinresWorkspace {
    /// y_k = β_k M v_k and the one before.
    y: Vec<f64>,
    y_old: Vec<f64>,
    /// z_k = M⁻¹y_k.
    z: Vec<f64>,
    /// v_k.
    v: Vec<f64>,
    /// A v_k, then y_{k+1}.
    y_new: Vec<f64>,
    /// w_k and the two before.
    w: Vec<f64>,
    w_old: Vec<f64>,
    w_older: Vec<f64>,
}

impl MinresWorkspace {
    /// Vectors for systems of `n` unknowns.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let mut this = Self::default();
        this.resize(n);
        this
    }

    /// Makes room for systems of `n` unknowns; what the vectors held is lost. A recurrence has to be started after it.
    pub fn resize(&mut self, n: usize) {
        let Self { y, y_old, z, v, y_new, w, w_old, w_older } = self;
        for vector in [y, y_old, z, v, y_new, w, w_old, w_older] {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }
}

/// The recurrence by itself: scalars only, the vectors are the [`MinresWorkspace`] given to every call. For callers that
/// spread the iterations over time, or whose operators are not [`LinearOperator`]s; [`Minres`] is the same with the
/// operators kept.
#[derive(Clone, Copy, Debug)]
pub struct MinresRecurrence {
    b_norm: f64,
    rank_tolerance: f64,
    scalars: Scalars,
}

impl Default for MinresRecurrence {
    /// The recurrence of a residual that is zero: it takes no step.
    fn default() -> Self {
        Self { b_norm: 0.0, rank_tolerance: 0.0, scalars: Scalars::start(0.0) }
    }
}

impl MinresRecurrence {
    /// Starts from the residual r = b − Ax of a guess. `b_norm` is ‖b‖ in the norm of the preconditioner: residuals below
    /// its rounding are not reduced any further; `None` stands for the norm of the residual itself.
    ///
    /// Sizes are the caller's duty. A preconditioner that is not positive definite ends the first iteration as a breakdown.
    pub fn start(
        residual: &[f64],
        b_norm: Option<f64>,
        rank_tolerance: f64,
        preconditioner: impl FnOnce(&[f64], &mut [f64]),
        work: &mut MinresWorkspace,
    ) -> Self {
        work.y.copy_from_slice(residual);
        preconditioner(&work.y, &mut work.z);
        let scalars = work.begin();
        Self { b_norm: b_norm.unwrap_or(scalars.phi_bar), rank_tolerance, scalars }
    }

    /// Takes one iteration: one product by each operator, and x moves.
    pub fn advance(
        &mut self,
        matrix: impl FnOnce(&[f64], &mut [f64]),
        preconditioner: impl FnOnce(&[f64], &mut [f64]),
        x: &mut [f64],
        work: &mut MinresWorkspace,
    ) -> KrylovStep {
        let Scalars { beta_old, beta, dbar, epsilon, c, s, phi_bar, scale } = self.scalars;
        // Below the rounding of r itself, steps would only add noise, which a singular matrix amplifies.
        if phi_bar <= EXHAUSTED * self.b_norm || beta <= EXHAUSTED * scale {
            return KrylovStep::Stopped(KrylovStatus::Converged);
        }
        // NaN: a preconditioner that is not positive definite, or overflow.
        if !beta.is_finite() {
            return KrylovStep::Stopped(KrylovStatus::Breakdown);
        }
        let MinresWorkspace { y, y_old, z, v, y_new, w, w_old, w_older } = work;

        // Lanczos: y_{k+1} = A v_k − (α_k/β_k) y_k − (β_k/β_{k−1}) y_{k−1}.
        for (v, &z) in v.iter_mut().zip(&*z) {
            *v = z / beta;
        }
        matrix(v, y_new);
        if beta_old > 0.0 {
            axpy(-beta / beta_old, y_old, y_new);
        }
        let alpha = dot(v, y_new);
        axpy(-alpha / beta, y, y_new);
        std::mem::swap(y_old, y);
        std::mem::swap(y, y_new);
        preconditioner(y, z);
        let beta_new = dot(y, z).sqrt();

        // The old rotation on the new column, then the new rotation.
        let delta = c * dbar + s * alpha;
        let gamma_bar = s * dbar - c * alpha;
        let epsilon_new = s * beta_new;
        let dbar_new = -c * beta_new;
        let gamma = gamma_bar.hypot(beta_new);
        let beta_before = if beta_old > 0.0 { beta } else { 0.0 };
        let scale = scale.max(alpha.hypot(beta_before).hypot(beta_new));
        // ‖A r‖ ≈ 0 ≠ ‖r‖: nothing in the Krylov space lowers the residual, and γ may vanish. False for NaN, too.
        let progress = gamma_bar.hypot(dbar_new) > self.rank_tolerance * scale;
        if !(progress && gamma > 0.0 && gamma.is_finite()) {
            self.scalars.beta = f64::NAN; // y and z have moved on: any later call stops above.
            return KrylovStep::Stopped(KrylovStatus::Breakdown);
        }
        let (c, s) = (gamma_bar / gamma, beta_new / gamma);
        let phi = c * phi_bar;

        // w_k = (v_k − ε_k w_{k−2} − δ_k w_{k−1})/γ_k, written over w_{k−3}.
        std::mem::swap(w_older, w_old);
        std::mem::swap(w_old, w);
        for (((w, &v), &w_older), &w_old) in w.iter_mut().zip(&*v).zip(&*w_older).zip(&*w_old) {
            *w = (v - epsilon * w_older - delta * w_old) / gamma;
        }
        axpy(phi, w, x);
        self.scalars = Scalars {
            beta_old: beta,
            beta: beta_new,
            dbar: dbar_new,
            epsilon: epsilon_new,
            c,
            s,
            phi_bar: s * phi_bar,
            scale,
        };
        KrylovStep::Taken
    }

    /// ‖b − Ax‖ in the norm of the preconditioner. It never increases.
    #[must_use]
    pub fn residual_norm(&self) -> f64 {
        self.scalars.phi_bar
    }

    /// Turns the residual b − Ax before the last iteration taken into the one after it:
    ///
    /// ```text
    /// r_k = s_k² r_{k−1} − c_k φ̄_k M v_{k+1},   M v_{k+1} = y_{k+1}/β_{k+1}
    /// ```
    pub fn update_residual(&self, residual: &mut [f64], work: &MinresWorkspace) {
        let Scalars { beta, c, s, phi_bar, .. } = self.scalars;
        let share = if beta > 0.0 { c * phi_bar / beta } else { 0.0 };
        for (r, y) in residual.iter_mut().zip(&work.y) {
            *r = s * s * *r - share * y;
        }
    }
}

impl MinresWorkspace {
    /// The recurrence at its first step, given y = r and z = M⁻¹r.
    fn begin(&mut self) -> Scalars {
        for vector in [&mut self.y_old, &mut self.w, &mut self.w_old, &mut self.w_older] {
            vector.fill(0.0);
        }
        Scalars::start(dot(&self.y, &self.z).sqrt())
    }
}

/// A run of MINRES, one iteration at a time.
#[derive(Debug)]
pub struct Minres<'a, A, P> {
    matrix: A,
    preconditioner: P,
    b: &'a [f64],
    x: &'a mut [f64],
    work: &'a mut MinresWorkspace,
    recurrence: MinresRecurrence,
    iterations: usize,
}

/// The scalars of the recurrence, named as in the header.
#[derive(Clone, Copy, Debug)]
struct Scalars {
    beta_old: f64,
    beta: f64,
    dbar: f64,
    epsilon: f64,
    c: f64,
    s: f64,
    phi_bar: f64,
    /// The largest column norm of T̲ so far: a lower estimate of ‖A‖.
    scale: f64,
}

impl Scalars {
    /// Before the first step, with ‖r₀‖ = β₁. The rotation "before" is c = −1, s = 0, whence γ̄₁ = α₁.
    fn start(beta: f64) -> Self {
        Self { beta_old: 0.0, beta, dbar: 0.0, epsilon: 0.0, c: -1.0, s: 0.0, phi_bar: beta, scale: 0.0 }
    }
}

impl<'a, A: LinearOperator, P: LinearOperator> Minres<'a, A, P> {
    /// Starts from the guess in `x` (operators by value or by reference), which holds the iterate from now on. With b = 0, x is set to 0 at once.
    ///
    /// Of the settings, only `rank_tolerance` is used here; the other tests are the caller's.
    ///
    /// # Errors
    /// Sizes that differ, vectors or settings out of range, or a preconditioner seen not to be positive definite.
    pub fn begin(
        matrix: A,
        preconditioner: P,
        b: &'a [f64],
        x: &'a mut [f64],
        settings: &MinresSettings,
        work: &'a mut MinresWorkspace,
    ) -> Result<Self, KrylovError> {
        check_settings(&[
            ("relative_tolerance", settings.relative_tolerance),
            ("rank_tolerance", settings.rank_tolerance),
        ])?;
        let vectors = [("right-hand side", b.len()), ("initial guess", x.len()), ("workspace", work.y.len())];
        check_sizes(&matrix, &preconditioner, vectors)?;
        let b_norm = checked_norm("the right-hand side", &preconditioner, b, &mut work.z)?;
        if b_norm == 0.0 {
            x.fill(0.0);
        }
        residual(&matrix, b, x, &mut work.y);
        checked_norm("the residual of the initial guess", &preconditioner, &work.y, &mut work.z)?;
        let scalars = work.begin();
        let recurrence = MinresRecurrence { b_norm, rank_tolerance: settings.rank_tolerance, scalars };
        Ok(Self { matrix, preconditioner, b, x, work, recurrence, iterations: 0 })
    }

    /// Takes one iteration.
    pub fn advance(&mut self) -> KrylovStep {
        let Self { matrix, preconditioner, x, work, recurrence, .. } = self;
        let step = recurrence.advance(|x, out| matrix.apply(x, out), |x, out| preconditioner.apply(x, out), x, work);
        self.iterations += usize::from(step == KrylovStep::Taken);
        step
    }

    /// Computes the residual afresh, restarts the recurrence from the iterate, and returns the relative residual.
    pub fn restart(&mut self) -> f64 {
        residual(&self.matrix, self.b, self.x, &mut self.work.y);
        self.preconditioner.apply(&self.work.y, &mut self.work.z);
        self.recurrence.scalars = self.work.begin();
        self.residual_relative()
    }

    /// ‖b − Ax‖/‖b‖ in the norm of the preconditioner, by the recurrence; 0 if b = 0. It never increases.
    #[must_use]
    pub fn residual_relative(&self) -> f64 {
        let MinresRecurrence { b_norm, scalars, .. } = &self.recurrence;
        if *b_norm == 0.0 { 0.0 } else { scalars.phi_bar / b_norm }
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
}

impl<A: LinearOperator, P: LinearOperator> Iteration for Minres<'_, A, P> {
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

/// Solves A x = b for A symmetric, possibly indefinite or singular, from the guess in `x`. `preconditioner` applies M⁻¹.
///
/// From x = 0, a consistent singular system gives the solution of least length (in ‖·‖_M). An inconsistent one ends as
/// [`KrylovStatus::Breakdown`] with a least-squares solution.
///
/// # Errors
/// Sizes that differ, vectors or settings out of range. Stopping early is no error: see [`KrylovReport::status`].
///
/// ```
/// use signorini_linalg::{CscMatrix, Identity, KrylovStatus, MinresSettings, MinresWorkspace, solve_minres};
/// let a = CscMatrix::diagonal(&[2.0, -1.0, 0.0]);
/// let mut x = [0.0; 3];
/// let mut work = MinresWorkspace::new(3);
/// let report = solve_minres(&a, Identity(3), &[1.0, 1.0, 0.0], &mut x, &MinresSettings::default(), &mut work)?;
/// assert_eq!(report.status, KrylovStatus::Converged);
/// assert!((x[0] - 0.5).abs() < 1e-9 && (x[1] + 1.0).abs() < 1e-9 && x[2] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_minres(
    matrix: impl LinearOperator,
    preconditioner: impl LinearOperator,
    b: &[f64],
    x: &mut [f64],
    settings: &MinresSettings,
    work: &mut MinresWorkspace,
) -> Result<KrylovReport, KrylovError> {
    let mut run = Minres::begin(matrix, preconditioner, b, x, settings, work)?;
    Ok(drive(&mut run, settings.relative_tolerance, settings.max_iterations))
}

#[cfg(test)]
mod tests {
    use super::super::spectral::{distance, norm, spectral};
    use super::*;
    use crate::{CscMatrix, Identity};
    use proptest::prelude::*;

    fn solve(a: &CscMatrix, m: impl LinearOperator, b: &[f64], x: &mut [f64]) -> KrylovReport {
        let settings = MinresSettings { relative_tolerance: 1e-12, max_iterations: 400, ..MinresSettings::default() };
        solve_minres(a, m, b, x, &settings, &mut MinresWorkspace::new(b.len())).unwrap()
    }

    fn indefinite() -> impl Strategy<Value = f64> + Clone {
        prop_oneof![0.1..10.0f64, -10.0..-0.1f64].boxed()
    }

    fn singular() -> impl Strategy<Value = f64> + Clone {
        prop_oneof![Just(0.0), 0.5..5.0f64, -5.0..-0.5f64].boxed()
    }

    proptest! {
        #[test]
        fn definite_and_indefinite_systems_are_solved_within_n_iterations((a, b) in spectral(indefinite()), guess in -2.0..2.0f64) {
            let mut x = vec![guess; a.n()];
            let report = solve(&a.matrix(|d| d), Identity(a.n()), &b, &mut x);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            // cond ≤ 100: loss of orthogonality delays the n-th step, by less than n + 4 iterations on this family.
            prop_assert!(report.iterations <= 2 * a.n() + 4, "{:?} for n = {}", report, a.n());
            let expected = a.pseudo_solve(&b);
            prop_assert!(distance(&x, &expected) <= 1e-10 * (norm(&b) + norm(&expected)), "{x:?} {expected:?}");
        }

        #[test]
        fn consistent_singular_systems_give_the_solution_of_least_length((a, v) in spectral(singular())) {
            let b = a.apply_function(|d| d, &v);
            let mut x = vec![0.0; a.n()];
            let report = solve(&a.matrix(|d| d), Identity(a.n()), &b, &mut x);
            let expected = a.pseudo_solve(&b);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            prop_assert!(distance(&x, &expected) <= 1e-9 * (1.0 + norm(&expected)), "{report:?} {x:?} {expected:?}");
        }

        #[test]
        fn inconsistent_systems_end_at_the_least_squares_residual((a, b) in spectral(singular())) {
            let mut x = vec![0.0; a.n()];
            let report = solve(&a.matrix(|d| d), Identity(a.n()), &b, &mut x);
            let least = norm(&a.apply_function(|d| f64::from(u8::from(d == 0.0)), &b));
            let expected = if least > 1e-6 * norm(&b) { KrylovStatus::Breakdown } else { KrylovStatus::Converged };
            prop_assert!(report.status == expected || (1e-14..=1e-6).contains(&(least / norm(&b))), "{report:?} {least}");
            prop_assert!(report.residual_relative * norm(&b) <= least * (1.0 + 1e-8) + 1e-11, "{report:?} {least}");
        }

        #[test]
        fn the_residual_never_grows_and_is_the_true_one((a, b) in spectral(indefinite()), m in 0.2..5.0f64) {
            let matrix = a.matrix(|d| d);
            // A preconditioner that does not commute with A, so that the recurrences in M are exercised.
            let diagonal: Vec<f64> = (0..a.n()).map(|i| if i % 2 == 0 { 1.0 } else { m }).collect();
            let preconditioner = CscMatrix::diagonal(&diagonal);
            let m_norm = |r: &[f64]| r.iter().zip(&diagonal).map(|(r, d)| r * r * d).sum::<f64>().sqrt();
            let (mut x, mut work) = (vec![0.0; a.n()], MinresWorkspace::new(a.n()));
            let mut run = Minres::begin(&matrix, &preconditioner, &b, &mut x, &MinresSettings::default(), &mut work).unwrap();
            let (mut last, mut r, mut carried) = (1.0, vec![0.0; a.n()], b.clone());
            for _ in 0..a.n() {
                if run.advance() != KrylovStep::Taken {
                    break;
                }
                let now = run.residual_relative();
                prop_assert!(now <= last, "{now} after {last}");
                residual(&matrix, &b, run.solution(), &mut r);
                prop_assert!((m_norm(&r) / m_norm(&b) - now).abs() <= 1e-9, "{} {now}", m_norm(&r) / m_norm(&b));
                run.recurrence.update_residual(&mut carried, run.work);
                prop_assert!(distance(&carried, &r) <= 1e-8 * norm(&b), "{carried:?} {r:?}");
                last = now;
            }
        }

        #[test]
        fn the_exact_absolute_inverse_converges_in_two_iterations((a, b) in spectral(indefinite())) {
            // M⁻¹A has the eigenvalues ±1 only.
            let mut x = vec![0.0; a.n()];
            let report = solve(&a.matrix(|d| d), a.matrix(|d| 1.0 / d.abs()), &b, &mut x);
            prop_assert_eq!(report.status, KrylovStatus::Converged);
            prop_assert!(report.iterations <= 3, "{report:?}");
        }
    }

    #[test]
    fn trivial_systems_need_no_iteration() {
        let converged = KrylovReport { iterations: 0, residual_relative: 0.0, status: KrylovStatus::Converged };
        assert_eq!(solve(&CscMatrix::zeros(0, 0), Identity(0), &[], &mut []), converged);
        let mut x = [3.0, 4.0];
        assert_eq!(solve(&CscMatrix::zeros(2, 2), Identity(2), &[0.0; 2], &mut x), converged);
        assert_eq!(x, [0.0; 2]);
    }

    #[test]
    fn the_zero_matrix_breaks_down_at_zero() {
        let mut x = [0.0; 2];
        let report = solve(&CscMatrix::zeros(2, 2), Identity(2), &[1.0, 2.0], &mut x);
        assert_eq!((report.status, report.residual_relative, x), (KrylovStatus::Breakdown, 1.0, [0.0; 2]));
    }

    #[test]
    fn unreachable_tolerances_do_not_pollute_the_null_space() {
        let third = 1.0 / 3.0;
        // I − eeᵀ/3, rounded; b orthogonal to e up to rounding.
        let entry = |e: usize| f64::from(u8::from(e / 3 == e % 3)) - third;
        let a = CscMatrix::from_triplets(3, 3, (0..9).map(|e| (e / 3, e % 3, entry(e)))).unwrap();
        let (b, mut x) = ([0.1, 0.2, -0.3], [0.0; 3]);
        let settings = MinresSettings { relative_tolerance: 0.0, ..MinresSettings::default() };
        let _ = solve_minres(&a, Identity(3), &b, &mut x, &settings, &mut MinresWorkspace::new(3)).unwrap();
        // a is a projector: x = b, but for the steps below the rounding of r, and these times 1/rank_tolerance at worst.
        assert!(distance(&x, &b) <= 1e-14, "{x:?}");
    }

    #[test]
    fn an_indefinite_preconditioner_is_an_error_or_a_breakdown() {
        let (a, m) = (CscMatrix::diagonal(&[1.0, 2.0, 3.0]), CscMatrix::diagonal(&[1.0, 1.0, -0.5]));
        let attempt = |b: &[f64]| {
            let mut work = MinresWorkspace::new(3);
            solve_minres(&a, &m, b, &mut [0.0; 3], &MinresSettings::default(), &mut work).map(|report| report.status)
        };
        assert!(matches!(attempt(&[0.0, 0.0, 1.0]), Err(KrylovError::Preconditioner { .. })));
        assert_eq!(attempt(&[1.0, 1.0, 1.0]), Ok(KrylovStatus::Breakdown));
    }

    #[test]
    fn a_stopped_run_stays_stopped() {
        let a = CscMatrix::zeros(2, 2);
        let (mut x, mut work) = ([0.0; 2], MinresWorkspace::new(2));
        let mut run =
            Minres::begin(&a, Identity(2), &[1.0, 2.0], &mut x, &MinresSettings::default(), &mut work).unwrap();
        for _ in 0..3 {
            assert_eq!(run.advance(), KrylovStep::Stopped(KrylovStatus::Breakdown));
        }
    }
}

//! One predictor-corrector step.

use super::point::{Point, step_to_boundary};
use super::{InteriorPoint, Steps};
use crate::cone::second_order::{self, MAX_DIM, Scaling};
use crate::driver::Step;
use crate::method::kkt::{Direction, KktSolver};
use crate::problem::{RowBlocks, inverse_cholesky};
use crate::standard_form::StandardForm;

/// Buffers of a step.
pub(super) struct NewtonStep {
    scalings: Vec<Scaling>,
    /// z = W⁻¹y = Wλ.
    z: Vec<f64>,
    /// r_z, then x with z∘x = r_z.
    target: Vec<f64>,
    dy: Vec<f64>,
    scaled_dy: Vec<f64>,
    scaled_dlambda: Vec<f64>,
    rhs: Direction,
    direction: Direction,
    /// What a corrector started from, to go back to.
    kept_direction: Direction,
    kept_dy: Vec<f64>,
    kept_target: Vec<f64>,
    scratch: Vec<f64>,
    scratch_free: Vec<f64>,
}

impl NewtonStep {
    pub(super) fn new(form: &StandardForm) -> Self {
        let m = form.cones.len();
        let zeros = vec![0.0; m];
        Self {
            scalings: Vec::with_capacity(form.cones.jacobian.len()),
            z: zeros.clone(),
            target: zeros.clone(),
            dy: zeros.clone(),
            scaled_dy: zeros.clone(),
            scaled_dlambda: zeros.clone(),
            rhs: Direction::zeros(form),
            direction: Direction::zeros(form),
            kept_direction: Direction::zeros(form),
            kept_dy: zeros.clone(),
            kept_target: zeros.clone(),
            scratch: zeros,
            scratch_free: vec![0.0; form.free.len()],
        }
    }

    pub(super) fn take(
        &mut self,
        form: &StandardForm,
        settings: &InteriorPoint,
        kkt: &mut KktSolver,
        point: &mut Point,
    ) -> Step {
        let rows = &form.cones.jacobian;
        if point.scalings(rows, &mut self.scalings).is_none() {
            return Step::Stalled("a cone variable reached the boundary");
        }
        set_weights(form, &self.scalings, kkt);
        if kkt.factorise(form).is_err() {
            return Step::Stalled("the system became too ill-conditioned to factorise");
        }
        apply_all(rows, &self.scalings, Scaling::apply, &point.lambda, &mut self.z);
        let mu = point.mu();

        // Predictor: r_z = z∘z, so x = z and Wᵀx = y.
        self.target.copy_from_slice(&self.z);
        self.solve(form, kkt, point, 0);
        let (primal, dual) = self.lengths(rows, point, 1.0);
        let affine = primal.min(dual).min(1.0);
        let mu_affine = complementarity_after(point, &self.dy, &self.direction.lambda, affine) / rows.len() as f64;
        let sigma = (mu_affine / mu).powi(3).clamp(1e-12, 1.0);

        // Corrector: r_z = z∘z + (W⁻¹Δy)∘(WΔλ) − σμe.
        apply_all(rows, &self.scalings, Scaling::apply_inverse, &self.dy, &mut self.scaled_dy);
        apply_all(rows, &self.scalings, Scaling::apply, &self.direction.lambda, &mut self.scaled_dlambda);
        self.corrector_target(rows, sigma * mu);
        self.solve(form, kkt, point, settings.refinements);
        for _ in 0..settings.correctors {
            if !self.centrality_corrector(form, kkt, point, sigma * mu) {
                break;
            }
        }
        if !self.direction.is_finite() || self.dy.iter().any(|dy| !dy.is_finite()) {
            return Step::Stalled("the search direction is not finite");
        }

        // Fraction to the boundary: 0.9 far from the solution, tending to 1 with the step of the predictor.
        let fraction = 1.0 - 0.1 * (1.0 - affine).max(0.01);
        let (primal, dual) = self.lengths(rows, point, fraction);
        let (primal, dual) = match settings.steps {
            Steps::Equal => (primal.min(dual).min(1.0), primal.min(dual).min(1.0)),
            Steps::Split => (primal.min(1.0), dual.min(1.0)),
        };
        if primal.max(dual) < SHORTEST_STEP {
            return Step::Stalled("steps became too short");
        }
        add_scaled(primal, &self.direction.v, &mut point.v);
        add_scaled(primal, &self.dy, &mut point.y);
        add_scaled(dual, &self.direction.gamma, &mut point.gamma);
        add_scaled(dual, &self.direction.lambda, &mut point.lambda);
        point.update_residuals(form);
        Step::Taken
    }

    /// x from z∘x = z∘z + (W⁻¹Δy)∘(WΔλ) − σμe, into `target`.
    fn corrector_target(&mut self, rows: &RowBlocks, centre: f64) {
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let d = range.len();
            let z = &self.z[range.clone()];
            let (mut r_z, mut second) = ([0.0; MAX_DIM], [0.0; MAX_DIM]);
            second_order::product(z, z, &mut r_z[..d]);
            second_order::product(
                &self.scaled_dy[range.clone()],
                &self.scaled_dlambda[range.clone()],
                &mut second[..d],
            );
            r_z[0] -= centre;
            for i in 0..d {
                r_z[i] += second[i];
            }
            second_order::divide(z, &r_z[..d], &mut self.target[range]);
        }
    }

    /// Solves the Newton system for the current `target` x; fills `direction` and `dy`.
    fn solve(&mut self, form: &StandardForm, kkt: &mut KktSolver, point: &Point, refinements: u32) {
        let rows = &form.cones.jacobian;
        apply_all(rows, &self.scalings, Scaling::apply, &self.target, &mut self.scratch);
        for (rhs, r) in self.rhs.v.iter_mut().zip(&point.r_dual) {
            *rhs = -r;
        }
        for (rhs, r) in self.rhs.gamma.iter_mut().zip(&point.r_free) {
            *rhs = -r;
        }
        for ((rhs, r), wx) in self.rhs.lambda.iter_mut().zip(&point.r_cone).zip(&self.scratch) {
            *rhs = -r - wx;
        }
        let scalings = &self.scalings;
        kkt.solve(form, |x, out| theta(rows, scalings, x, out), &self.rhs, refinements, &mut self.direction);
        // Δy = DΔv + EΔλ + r_λ
        form.rates(
            &self.direction.v,
            &self.direction.gamma,
            &self.direction.lambda,
            &mut self.dy,
            &mut self.scratch_free,
        );
        self.dy.iter_mut().zip(&point.r_cone).for_each(|(dy, r)| *dy += r);
    }

    /// Gondzio's multiple centrality correction [Gondzio 1996]: raises complementarity products that a longer trial step
    /// would leave too small. Returns whether it lengthened the step.
    fn centrality_corrector(&mut self, form: &StandardForm, kkt: &mut KktSolver, point: &Point, centre: f64) -> bool {
        let rows = &form.cones.jacobian;
        let (primal, dual) = self.lengths(rows, point, 1.0);
        let before = primal.min(dual).min(1.0);
        if before > LONG_ENOUGH {
            return false;
        }
        let aim = (before + LONGER_STEP).min(1.0);
        self.kept_target.copy_from_slice(&self.target);
        self.kept_dy.copy_from_slice(&self.dy);
        self.kept_direction.copy_from(&self.direction);
        apply_all(rows, &self.scalings, Scaling::apply_inverse, &self.dy, &mut self.scaled_dy);
        apply_all(rows, &self.scalings, Scaling::apply, &self.direction.lambda, &mut self.scaled_dlambda);
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let d = range.len();
            let (mut a, mut b, mut product, mut x) = ([0.0; MAX_DIM], [0.0; MAX_DIM], [0.0; MAX_DIM], [0.0; MAX_DIM]);
            for (i, row) in range.clone().enumerate() {
                a[i] = self.z[row] + aim * self.scaled_dy[row];
                b[i] = self.z[row] + aim * self.scaled_dlambda[row];
            }
            second_order::product(&a[..d], &b[..d], &mut product[..d]);
            // Lift the smaller eigenvalue of the product to the band. Large products are left alone: cutting them, as
            // Gondzio does for linear programs, cost one or two iterations on every pile tried.
            let low = second_order::margin(&product[..d]);
            let mut change = [0.0; MAX_DIM];
            change[0] = (SMALLEST_PRODUCT * centre - low).max(0.0);
            second_order::divide(&self.z[range.clone()], &change[..d], &mut x[..d]);
            for (i, row) in range.enumerate() {
                self.target[row] -= x[i];
            }
        }
        self.solve(form, kkt, point, 0);
        let (primal, dual) = self.lengths(rows, point, 1.0);
        let after = primal.min(dual).min(1.0);
        if after >= before + ENOUGH_LONGER * (aim - before) {
            return true;
        }
        std::mem::swap(&mut self.direction, &mut self.kept_direction);
        std::mem::swap(&mut self.dy, &mut self.kept_dy);
        std::mem::swap(&mut self.target, &mut self.kept_target);
        false
    }

    fn lengths(&self, rows: &RowBlocks, point: &Point, fraction: f64) -> (f64, f64) {
        (
            fraction * step_to_boundary(rows, &point.y, &self.dy),
            fraction * step_to_boundary(rows, &point.lambda, &self.direction.lambda),
        )
    }
}

/// A corrector aims at a step this much longer than the one there is,
const LONGER_STEP: f64 = 0.3;
/// counts as a success if it gains this share of it,
const ENOUGH_LONGER: f64 = 0.01;
/// and is not tried at all above this step.
const LONG_ENOUGH: f64 = 0.95;
/// Smallest eigenvalue of a complementarity product a corrector accepts, as a share of the target σμ.
const SMALLEST_PRODUCT: f64 = 0.1;
/// Steps below this change nothing but the last digits.
const SHORTEST_STEP: f64 = 1e-10;

fn complementarity_after(point: &Point, dy: &[f64], dlambda: &[f64], step: f64) -> f64 {
    point
        .y
        .iter()
        .zip(dy)
        .zip(point.lambda.iter().zip(dlambda))
        .map(|((y, dy), (l, dl))| (y + step * dy) * (l + step * dl))
        .sum()
}

fn add_scaled(alpha: f64, d: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(d).for_each(|(x, d)| *x += alpha * d);
}

fn apply_all(
    rows: &RowBlocks,
    scalings: &[Scaling],
    apply: fn(&Scaling, &[f64], &mut [f64]),
    x: &[f64],
    out: &mut [f64],
) {
    for (k, scaling) in scalings.iter().enumerate() {
        let range = rows.rows_of(k);
        apply(scaling, &x[range.clone()], &mut out[range]);
    }
}

/// `out = WᵀW x`.
fn theta(rows: &RowBlocks, scalings: &[Scaling], x: &[f64], out: &mut [f64]) {
    let mut once = [0.0; MAX_DIM];
    for (k, scaling) in scalings.iter().enumerate() {
        let range = rows.rows_of(k);
        let d = range.len();
        scaling.apply(&x[range.clone()], &mut once[..d]);
        scaling.apply(&once[..d], &mut out[range]);
    }
}

/// R with RᵀR = (WᵀW + E)⁻¹: R = W⁻¹ when E = 0, else the inverse Cholesky factor of the block.
pub(super) fn set_weights(form: &StandardForm, scalings: &[Scaling], kkt: &mut KktSolver) {
    let rows = &form.cones.jacobian;
    for (k, scaling) in scalings.iter().enumerate() {
        let range = rows.rows_of(k);
        let d = range.len();
        let block = kkt.weights.block_mut(k);
        if form.cones.is_hard() {
            scaling.inverse_matrix(d, block);
        } else {
            scaling.square_matrix(d, block);
            for (i, row) in range.enumerate() {
                block[i * d + i] += form.cones.e[row];
            }
            if inverse_cholesky(d, block).is_none() {
                // Only rounding can make it indefinite, where W² is nearly singular and E no larger than its rounding.
                scaling.inverse_matrix(d, block);
            }
        }
    }
}

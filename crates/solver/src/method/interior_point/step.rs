//! One predictor-corrector step.

use super::lift::{self, Lift, LiftedBlock};
use super::point::{Point, step_to_boundary};
use super::{InteriorPoint, Steps};
use crate::cone::second_order::{self, MAX_DIM, Scaling};
use crate::driver::Step;
use crate::method::kkt::{Direction, KktSolver};
use crate::problem::inverse_cholesky;
use crate::standard_form::StandardForm;

/// Buffers of a step. Vectors are lifted (see [`super::lift`]) unless they belong to a [`Direction`].
#[derive(Default)]
pub(super) struct NewtonStep {
    scalings: Vec<Scaling>,
    /// z = W⁻¹y = WPλ.
    z: Vec<f64>,
    /// r_z, then x with z∘x = r_z.
    target: Vec<f64>,
    /// W x.
    pull: Vec<f64>,
    dy: Vec<f64>,
    /// P Δλ.
    dforce: Vec<f64>,
    scaled_dy: Vec<f64>,
    scaled_dlambda: Vec<f64>,
    rhs: Direction,
    direction: Direction,
    /// What a corrector started from, to go back to.
    kept_direction: Direction,
    kept_dy: Vec<f64>,
    kept_target: Vec<f64>,
    /// One entry a row.
    scratch: Vec<f64>,
    scratch_free: Vec<f64>,
}

impl NewtonStep {
    /// Sizes of a form, in the memory it has.
    pub(super) fn resize(&mut self, form: &StandardForm, lift: &Lift) {
        let lifted = [
            &mut self.z,
            &mut self.target,
            &mut self.pull,
            &mut self.dy,
            &mut self.dforce,
            &mut self.scaled_dy,
            &mut self.scaled_dlambda,
            &mut self.kept_dy,
            &mut self.kept_target,
        ];
        lifted.into_iter().for_each(|buffer| buffer.resize(lift.len(), 0.0));
        for direction in [&mut self.rhs, &mut self.direction, &mut self.kept_direction] {
            direction.clear(form);
        }
        self.scratch.resize(form.cones.len(), 0.0);
        self.scratch_free.resize(form.free.len(), 0.0);
    }

    pub(super) fn take(
        &mut self,
        form: &StandardForm,
        settings: &InteriorPoint,
        kkt: &mut KktSolver,
        point: &mut Point,
    ) -> Step {
        if point.scalings(&mut self.scalings).is_none() {
            return Step::Stalled("a cone variable reached the boundary");
        }
        set_weights(form, &point.lift, &self.scalings, kkt);
        if kkt.factorise(form).is_err() {
            return Step::Stalled("the system became too ill-conditioned to factorise");
        }
        apply_all(&point.lift, &self.scalings, Scaling::apply, &point.force, &mut self.z);
        let mu = point.mu();

        // Predictor: r_z = z∘z, so x = z and Wᵀx = y.
        self.target.copy_from_slice(&self.z);
        self.solve(form, kkt, point, 0);
        let (primal, dual) = self.lengths(point, 1.0);
        let affine = primal.min(dual).min(1.0);
        let mu_affine = complementarity_after(point, &self.dy, &self.dforce, affine) / point.lift.cones() as f64;
        let sigma = (mu_affine / mu).powi(3).clamp(1e-12, 1.0);

        // Corrector: r_z = z∘z + (W⁻¹Δy)∘(WΔλ) − σμe.
        apply_all(&point.lift, &self.scalings, Scaling::apply_inverse, &self.dy, &mut self.scaled_dy);
        apply_all(&point.lift, &self.scalings, Scaling::apply, &self.dforce, &mut self.scaled_dlambda);
        self.corrector_target(&point.lift, sigma * mu);
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
        let (primal, dual) = self.lengths(point, fraction);
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
    fn corrector_target(&mut self, lift: &Lift, centre: f64) {
        for range in lift.each_cone() {
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
        let lift = &point.lift;
        apply_all(lift, &self.scalings, Scaling::apply, &self.target, &mut self.pull);
        lift.down(&self.pull, &mut self.scratch);
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
        kkt.solve(form, |x, out| theta(lift, scalings, x, out), &self.rhs, refinements, &mut self.direction);
        // PᵀΔy = DΔv + EΔλ + r_λ
        form.rates(
            &self.direction.v,
            &self.direction.gamma,
            &self.direction.lambda,
            &mut self.scratch,
            &mut self.scratch_free,
        );
        self.scratch.iter_mut().zip(&point.r_cone).for_each(|(dy, r)| *dy += r);
        lift.up(&self.scratch, &mut self.dy);
        lift.up(&self.direction.lambda, &mut self.dforce);
        for block in lift.each_block().filter(LiftedBlock::is_rolling) {
            self.split_normal(block, point);
        }
    }

    /// Δa and Δb of a rolling block from the first component of W⁻¹Δy + WPΔλ = −x in each cone,
    ///
    /// ```text
    /// (w₀Δa − w₁·Δy_T)/η + (WPΔλ)₀ = −x₀
    /// ```
    ///
    /// with Δy_T from the rows. (Δa = −(Wx + W²PΔλ)₀ says the same and loses all digits when the cone slides.) The sum
    /// of both is known better, from the rows; what is missing is shared out as a : b, so that the small one of them keeps
    /// its digits.
    fn split_normal(&mut self, block: LiftedBlock, point: &Point) {
        let (first, second) = (block.lifted.start, block.lifted.start + 3);
        for (at, cone) in [first, second].into_iter().zip(block.cones) {
            let scaling = &self.scalings[cone];
            let (eta, w) = scaling.parts();
            let mut scaled = [0.0; MAX_DIM];
            scaling.apply(&self.dforce[at..at + 3], &mut scaled);
            let tangential = w[1] * self.dy[at + 1] + w[2] * self.dy[at + 2];
            self.dy[at] = (tangential - eta * (self.target[at] + scaled[0])) / w[0];
        }
        let missing = self.scratch[block.rows.start] - self.dy[first] - self.dy[second];
        let share = point.y[first] / (point.y[first] + point.y[second]);
        self.dy[first] += share * missing;
        self.dy[second] += (1.0 - share) * missing;
    }

    /// Gondzio's multiple centrality correction [Gondzio 1996]: raises complementarity products that a longer trial step
    /// would leave too small. Returns whether it lengthened the step.
    fn centrality_corrector(&mut self, form: &StandardForm, kkt: &mut KktSolver, point: &Point, centre: f64) -> bool {
        let (primal, dual) = self.lengths(point, 1.0);
        let before = primal.min(dual).min(1.0);
        if before > LONG_ENOUGH {
            return false;
        }
        let aim = (before + LONGER_STEP).min(1.0);
        self.kept_target.copy_from_slice(&self.target);
        self.kept_dy.copy_from_slice(&self.dy);
        self.kept_direction.copy_from(&self.direction);
        apply_all(&point.lift, &self.scalings, Scaling::apply_inverse, &self.dy, &mut self.scaled_dy);
        apply_all(&point.lift, &self.scalings, Scaling::apply, &self.dforce, &mut self.scaled_dlambda);
        for range in point.lift.each_cone() {
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
        let (primal, dual) = self.lengths(point, 1.0);
        let after = primal.min(dual).min(1.0);
        if after >= before + ENOUGH_LONGER * (aim - before) {
            return true;
        }
        std::mem::swap(&mut self.direction, &mut self.kept_direction);
        point.lift.up(&self.direction.lambda, &mut self.dforce);
        std::mem::swap(&mut self.dy, &mut self.kept_dy);
        std::mem::swap(&mut self.target, &mut self.kept_target);
        false
    }

    fn lengths(&self, point: &Point, fraction: f64) -> (f64, f64) {
        (
            fraction * step_to_boundary(&point.lift, &point.y, &self.dy),
            fraction * step_to_boundary(&point.lift, &point.force, &self.dforce),
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

fn complementarity_after(point: &Point, dy: &[f64], dforce: &[f64], step: f64) -> f64 {
    point
        .y
        .iter()
        .zip(dy)
        .zip(point.force.iter().zip(dforce))
        .map(|((y, dy), (l, dl))| (y + step * dy) * (l + step * dl))
        .sum()
}

fn add_scaled(alpha: f64, d: &[f64], x: &mut [f64]) {
    x.iter_mut().zip(d).for_each(|(x, d)| *x += alpha * d);
}

fn apply_all(lift: &Lift, scalings: &[Scaling], apply: fn(&Scaling, &[f64], &mut [f64]), x: &[f64], out: &mut [f64]) {
    for (range, scaling) in lift.each_cone().zip(scalings) {
        apply(scaling, &x[range.clone()], &mut out[range]);
    }
}

/// `out = PᵀW²P x`.
fn theta(lift: &Lift, scalings: &[Scaling], x: &[f64], out: &mut [f64]) {
    let (mut once, mut twice) = ([0.0; MAX_DIM], [0.0; MAX_DIM]);
    for block in lift.each_block() {
        let (x, out) = (&x[block.rows.clone()], &mut out[block.rows.clone()]);
        if !block.is_rolling() {
            let d = x.len();
            scalings[block.cones.start].apply(x, &mut once[..d]);
            scalings[block.cones.start].apply(&once[..d], out);
            continue;
        }
        out[0] = 0.0;
        for (cone, tail) in block.cones.zip([1..3, 3..5]) {
            let lifted = [x[0], x[tail.start], x[tail.start + 1]];
            scalings[cone].apply(&lifted, &mut once);
            scalings[cone].apply(&once, &mut twice);
            out[0] += twice[0];
            out[tail].copy_from_slice(&twice[1..]);
        }
    }
}

/// R with RᵀR = (PᵀW²P + E)⁻¹: R = W⁻¹ when E = 0, else the inverse Cholesky factor of the block; see [`lift`] for
/// rolling blocks.
pub(super) fn set_weights(form: &StandardForm, lift: &Lift, scalings: &[Scaling], kkt: &mut KktSolver) {
    for (k, block) in lift.each_block().enumerate() {
        let r = kkt.weights.block_mut(k);
        let scaling = &scalings[block.cones.start];
        let (d, hard) = (block.rows.len(), form.cones.is_hard());
        if block.is_rolling() {
            let e = if hard { &[] } else { &form.cones.e[block.rows] };
            lift::rolling_weights(&scalings[block.cones], e, r);
        } else if hard {
            scaling.inverse_matrix(d, r);
        } else {
            scaling.square_matrix(d, r);
            for (i, row) in block.rows.enumerate() {
                r[i * d + i] += form.cones.e[row];
            }
            if inverse_cholesky(d, r).is_none() {
                // Only rounding can make it indefinite, where W² is nearly singular and E no larger than its rounding.
                scaling.inverse_matrix(d, r);
            }
        }
    }
}

//! Semi-smooth Newton on the natural map F(λ) = λ − Π(λ − τ y(λ)), THEORY §7.
//!
//! Π is piecewise smooth; its derivative P at z = λ − τy is symmetric with eigenvalues p ∈ [0, 1]. Newton's equation
//! (I − P) dλ + τ P dy = −F reads, along an eigenvector q of P,
//!
//! ```text
//! p = 0   (open)            dλ = −F
//! p = 1   (closed)          dy = −F/τ
//! else    (sliding, across) dy + (1−p)/(τp) dλ = −F/(τp)
//! ```
//!
//! With dy = D dv + E dλ this is the system of [`crate::method::kkt`] with Θ = Σ (1−p)/(τp) qqᵀ over p > 0. Hyperstatic
//! contacts make it singular but consistent: a share δ of each contact's softness is added to Θ in the factor, and
//! iterative refinement, which sees the true Θ, takes it out again. That is a proximal iteration, and its limit from
//! zero has no part in the null space: the shortest step.

use crate::SolveError;
use crate::cone::MAX_ROWS;
use crate::cone::rolling::{self, Foot};
use crate::driver::{Measured, Step};
use crate::method::interior_point::{InteriorPoint, Stopping};
use crate::method::kkt::{Direction, KktSolver};
use crate::method::{Accepts, Description, MethodSettings};
use crate::problem::{RowBlocks, inverse_cholesky};
use crate::report::Iterate;
use crate::standard_form::StandardForm;
use std::ops::Range;

/// Semi-smooth Newton from the warm start (2 or 3 iterations when it is close), interior point if that fails.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SemismoothNewton {
    /// Newton iterations before the fallback takes over.
    pub max_newton_iterations: u32,
    /// The interior point used when Newton does not converge; its tolerance and limits hold for both.
    pub fallback: InteriorPoint,
}

impl Default for SemismoothNewton {
    fn default() -> Self {
        Self { max_newton_iterations: 12, fallback: InteriorPoint::default() }
    }
}

impl MethodSettings for SemismoothNewton {
    fn describe(&self) -> Description {
        Description {
            name: "semismooth-newton",
            summary: "semi-smooth Newton from a warm start, interior point as its fallback",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        self.fallback.usual_iterations()
    }
    fn check(&self) -> Result<(), SolveError> {
        match self.fallback.stopping {
            Stopping::Residual => Ok(()),
            _ => Err(SolveError::StoppingRule { method: "semismooth-newton" }),
        }
    }
}

/// δ: share of a contact's softness added to its block in the factor.
const PROXIMAL: f64 = 1e-9;
/// An imbalance of momentum below this share of the terms it is the sum of is rounding, as residuals are measured.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Refinements a Newton step may use.
const REFINEMENTS: u32 = 8;
/// Steps in a row that may fail to improve the residual.
const PATIENCE: u32 = 3;
/// The same for the last attempt, when nothing else is left to try.
const LAST_PATIENCE: u32 = 12;
/// A residual this many times the best seen tells that the start was not close enough.
const BLOW_UP: f64 = 1e5;

/// State of a Newton iteration; borrows the factorisation of the caller at each step.
#[derive(Default)]
pub(crate) struct Newton {
    v: Vec<f64>,
    gamma: Vec<f64>,
    lambda: Vec<f64>,
    y: Vec<f64>,
    r_free: Vec<f64>,
    r_dual: Vec<f64>,
    /// One square block a cone, row-major: Θ on the active directions.
    theta: Vec<f64>,
    theta_start: Vec<usize>,
    rhs: Direction,
    step: Direction,
    /// Part of dλ known beforehand (directions with p = 0).
    fixed: Vec<f64>,
    /// c and α of a proximal term α (λ − c)/τ that is part of the problem; empty and 0 without one.
    centre: Vec<f64>,
    share: f64,
    /// Whether y_n of what slides has the slip of Coulomb's exact law added.
    is_exact: bool,
    /// Sizes of the terms that balance, and H v.
    size: Vec<f64>,
    momentum: Vec<f64>,
    best: f64,
    failures: u32,
    patience: u32,
}

impl Newton {
    /// Sizes of a form, in the memory it has; the iterate is zero.
    pub(crate) fn clear(&mut self, form: &StandardForm) {
        let (n, free, cone) = (form.velocities(), form.free.len(), form.cones.len());
        let rows = &form.cones.jacobian;
        self.theta_start.clear();
        self.theta_start.push(0);
        let mut end = 0;
        for k in 0..rows.len() {
            end += rows.rows_of(k).len().pow(2);
            self.theta_start.push(end);
        }
        let parts = [
            (&mut self.v, n),
            (&mut self.gamma, free),
            (&mut self.lambda, cone),
            (&mut self.y, cone),
            (&mut self.r_free, free),
            (&mut self.r_dual, n),
            (&mut self.theta, end),
            (&mut self.fixed, cone),
        ];
        for (part, size) in parts {
            part.clear();
            part.resize(size, 0.0);
        }
        self.rhs.clear(form);
        self.step.clear(form);
        self.centre.clear();
        (self.share, self.is_exact) = (0.0, false);
        (self.best, self.failures, self.patience) = (f64::INFINITY, 0, PATIENCE);
    }

    /// Makes the attempt that follows the last one: it goes on longer without success.
    pub(crate) fn last_attempt(&mut self) {
        self.patience = LAST_PATIENCE;
    }

    /// Starts from an iterate in standard form.
    pub(crate) fn start(&mut self, v: &[f64], gamma: &[f64], lambda: &[f64]) {
        self.v.copy_from_slice(v);
        self.gamma.copy_from_slice(gamma);
        self.lambda.copy_from_slice(lambda);
        self.best = f64::INFINITY;
        self.failures = 0;
    }

    /// Starts from an iterate of the problem, or from its velocities alone.
    pub(crate) fn start_from(&mut self, form: &StandardForm, iterate: &Iterate, with_impulses: bool) {
        form.import(iterate, &mut self.v, &mut self.gamma, &mut self.lambda);
        if !with_impulses {
            self.gamma.fill(0.0);
            self.lambda.fill(0.0);
        }
        self.best = f64::INFINITY;
        self.failures = 0;
    }

    pub(crate) fn export(&self, form: &StandardForm, out: &mut Iterate) {
        form.export(&self.v, &self.gamma, &self.lambda, out);
    }

    /// Puts a proximal term into the problem, about the present impulses and with a share α of the softness of each contact, and the slip of the exact law.
    pub(crate) fn keep_near(&mut self, share: f64, is_exact: bool) {
        self.centre.clone_from(&self.lambda);
        (self.share, self.is_exact) = (share, is_exact);
    }

    /// Moves the centre of the proximal term to the present impulses.
    pub(crate) fn move_centre(&mut self) {
        self.centre.copy_from_slice(&self.lambda);
    }

    /// The size of F/τ of the problem with its proximal term \[m/s\].
    pub(crate) fn misfit(&mut self, form: &StandardForm) -> f64 {
        self.relative_velocity(form);
        let rows = &form.cones.jacobian;
        let mut squares: f64 = self.r_free.iter().map(|r| r * r).sum();
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let tau = 1.0 / form.cone_softness[k];
            let faces = self.faces(range.clone(), tau);
            for face in &faces[..range.len()] {
                let along = match face.kind {
                    Kind::Held => face.residual / tau,
                    Kind::Active { softness } => face.residual / (1.0 + tau * softness),
                };
                squares += along * along;
            }
        }
        squares.sqrt()
    }

    /// Goes back by a share of the last step.
    pub(crate) fn go_back(&mut self, share: f64) {
        self.v.iter_mut().zip(&self.step.v).for_each(|(x, d)| *x -= share * d);
        self.gamma.iter_mut().zip(&self.step.gamma).for_each(|(x, d)| *x -= share * d);
        for ((lambda, d), fixed) in self.lambda.iter_mut().zip(&self.step.lambda).zip(&self.fixed) {
            *lambda -= share * (d + fixed);
        }
    }

    /// y with the proximal term, and C v − b.
    fn relative_velocity(&mut self, form: &StandardForm) {
        form.relative_velocity(&self.v, &self.gamma, &self.lambda, &mut self.y, &mut self.r_free);
        if self.centre.is_empty() {
            return;
        }
        let rows = &form.cones.jacobian;
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let softness = self.share * form.cone_softness[k];
            for row in range {
                self.y[row] += softness * (self.lambda[row] - self.centre[row]);
            }
        }
    }

    /// Takes an imbalance of momentum for none that is rounding of the terms it is the sum of: what a light body carries would move it by more than the answer may be off.
    fn drop_rounding(&mut self, form: &StandardForm) {
        let Self { r_dual, size, momentum, v, gamma, lambda, .. } = self;
        size.clear();
        size.extend(form.linear.iter().map(|c| c.abs()));
        for (rows, force) in [(&form.cones.jacobian, &*lambda), (&form.free.jacobian, &*gamma)] {
            for k in 0..rows.len() {
                let block = rows.block(k);
                for (r, row) in rows.rows_of(k).enumerate() {
                    let terms = block.columns.iter().zip(block.row(r));
                    terms.for_each(|(&column, value)| size[column] += (value * force[row]).abs());
                }
            }
        }
        momentum.clear();
        momentum.resize(v.len(), 0.0);
        form.inertia.mul_add(1.0, v, momentum);
        for ((r, size), momentum) in r_dual.iter_mut().zip(size).zip(momentum) {
            if r.abs() <= ROUNDING * (*size + momentum.abs()) {
                *r = 0.0;
            }
        }
    }

    /// Eigenvectors of the derivative of the projection of a block, with what Newton's equation says along them. What sticks has no slip: its equation is y = 0, where that of
    /// y_n + ‖y_t‖ would follow the root.
    fn faces(&self, range: Range<usize>, tau: f64) -> [Face; MAX_ROWS] {
        let (lambda, y) = (&self.lambda[range.clone()], &self.y[range]);
        if !self.is_exact || y.len() == 1 {
            return faces(lambda, y, tau);
        }
        let mut lifted = [0.0; MAX_ROWS];
        lifted[..y.len()].copy_from_slice(y);
        lifted[0] += y[1..].chunks(2).map(|slip| slip.iter().map(|s| s * s).sum::<f64>().sqrt()).sum::<f64>();
        let found = faces(lambda, &lifted[..y.len()], tau);
        let sticks = |face: &Face| matches!(face.kind, Kind::Active { softness: 0.0 });
        if found[..y.len()].iter().all(sticks) { closed(y) } else { found }
    }

    /// One Newton step.
    pub(crate) fn advance(&mut self, form: &StandardForm, kkt: &mut KktSolver, measured: &Measured) -> Step {
        let measure = measured.residuals.natural_map_relative;
        if measure < 0.5 * self.best {
            self.failures = 0;
        } else {
            self.failures += 1;
        }
        let blown_up = self.best.is_finite() && measure > BLOW_UP * self.best && self.patience < LAST_PATIENCE;
        self.best = self.best.min(measure);
        if self.failures > self.patience || blown_up || !measure.is_finite() {
            return Step::Stalled("Newton steps no longer reduce the residual");
        }
        self.step(form, kkt)
    }

    /// One Newton step, whatever the residual.
    pub(crate) fn step(&mut self, form: &StandardForm, kkt: &mut KktSolver) -> Step {
        self.linearise(form, kkt);
        if kkt.factorise(form).is_err() {
            return Step::Stalled("the Newton system could not be factorised");
        }
        let (theta, start, rows) = (&self.theta, &self.theta_start, &form.cones.jacobian);
        kkt.solve(form, |x, out| apply_blocks(rows, theta, start, x, out), &self.rhs, REFINEMENTS, &mut self.step);
        if !self.step.is_finite() {
            return Step::Stalled("the Newton step is not finite");
        }
        self.v.iter_mut().zip(&self.step.v).for_each(|(x, d)| *x += d);
        self.gamma.iter_mut().zip(&self.step.gamma).for_each(|(x, d)| *x += d);
        for ((lambda, d), fixed) in self.lambda.iter_mut().zip(&self.step.lambda).zip(&self.fixed) {
            *lambda += d + fixed;
        }
        Step::Taken
    }

    /// Fills Θ, the weights of the factor and the right-hand side at the current iterate.
    fn linearise(&mut self, form: &StandardForm, kkt: &mut KktSolver) {
        form.dual_residual(&self.v, &self.gamma, &self.lambda, &mut self.r_dual);
        if self.share > 0.0 {
            self.drop_rounding(form);
        }
        self.relative_velocity(form);
        let rows = &form.cones.jacobian;
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let d = range.len();
            let tau = 1.0 / form.cone_softness[k];
            let mut faces = self.faces(range.clone(), tau);
            for face in &mut faces[..d] {
                if let Kind::Active { softness } = &mut face.kind {
                    *softness += self.share / tau;
                }
            }
            let theta = &mut self.theta[self.theta_start[k]..self.theta_start[k + 1]];
            theta.fill(0.0);
            let (rhs, fixed) = (&mut self.rhs.lambda[range.clone()], &mut self.fixed[range.clone()]);
            rhs.fill(0.0);
            fixed.fill(0.0);
            for face in &faces[..d] {
                match face.kind {
                    Kind::Held => (0..d).for_each(|i| fixed[i] -= face.residual * face.direction[i]),
                    Kind::Active { softness } => {
                        for i in 0..d {
                            rhs[i] -= face.residual * face.direction[i];
                            for j in 0..d {
                                theta[i * d + j] += softness * face.direction[i] * face.direction[j];
                            }
                        }
                    }
                }
            }
            let compliance = form.cones.e.get(range).unwrap_or(&[]);
            let proximal = if self.share > 0.0 { 0.0 } else { PROXIMAL / tau };
            set_weights(&faces[..d], compliance, proximal, kkt.weights.block_mut(k));
        }
        // The known part of dλ moves to the right: a = −r_d + Dᵀfixed, b −= E fixed.
        self.rhs.v.iter_mut().zip(&self.r_dual).for_each(|(rhs, r)| *rhs = -r);
        rows.mul_transpose_add(1.0, &self.fixed, &mut self.rhs.v);
        self.step.v.fill(0.0);
        self.step.gamma.fill(0.0);
        form.rates(&self.step.v, &self.step.gamma, &self.fixed, &mut self.step.lambda, &mut self.rhs.gamma);
        self.rhs.lambda.iter_mut().zip(&self.step.lambda).for_each(|(rhs, moved)| *rhs -= moved);
        self.rhs.gamma.iter_mut().zip(&self.r_free).for_each(|(rhs, r)| *rhs = -*rhs - r);
    }
}

/// An eigenvector of P with what Newton's equation says along it.
#[derive(Clone, Copy)]
struct Face {
    direction: [f64; MAX_ROWS],
    /// F along the direction for held ones, F/(τp) for active ones.
    residual: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// p = 0.
    Held,
    /// p > 0, with (1−p)/(τp).
    Active { softness: f64 },
}

impl Face {
    fn held(direction: [f64; MAX_ROWS], residual: f64) -> Self {
        Self { direction, residual, kind: Kind::Held }
    }
    fn active(direction: [f64; MAX_ROWS], residual: f64, softness: f64) -> Self {
        Self { direction, residual, kind: Kind::Active { softness } }
    }
    /// The direction `direction` with 0 < p ≤ 1 and F = `f`.
    fn with_eigenvalue(direction: [f64; MAX_ROWS], p: f64, f: &[f64], tau: f64) -> Self {
        Self::active(direction, along(&direction, f) / (tau * p), (1.0 - p) / (tau * p))
    }
}

fn along(direction: &[f64; MAX_ROWS], f: &[f64]) -> f64 {
    direction.iter().zip(f).map(|(q, f)| q * f).sum()
}

fn unit(i: usize) -> [f64; MAX_ROWS] {
    std::array::from_fn(|j| f64::from(u8::from(i == j)))
}

/// Closed: Π(z) = z and F = τy. The first `y.len()` are set.
fn closed(y: &[f64]) -> [Face; MAX_ROWS] {
    std::array::from_fn(|i| Face::active(unit(i), y.get(i).copied().unwrap_or(0.0), 0.0))
}

/// Open: Π(z) = 0 and F = λ. The first `lambda.len()` are set.
fn open(lambda: &[f64]) -> [Face; MAX_ROWS] {
    std::array::from_fn(|i| Face::held(unit(i), lambda.get(i).copied().unwrap_or(0.0)))
}

/// Eigenvectors of the derivative of the projection at z = λ − τy; the first `λ.len()` are set.
fn faces(lambda: &[f64], y: &[f64], tau: f64) -> [Face; MAX_ROWS] {
    if lambda.len() == MAX_ROWS { rolling_faces(lambda, y, tau) } else { friction_faces(lambda, y, tau) }
}

/// [`faces`] on the cone L.
fn friction_faces(lambda: &[f64], y: &[f64], tau: f64) -> [Face; MAX_ROWS] {
    let d = lambda.len();
    let mut z = [0.0; 3];
    (0..d).for_each(|i| z[i] = lambda[i] - tau * y[i]);
    let tail = (z[1] * z[1] + z[2] * z[2]).sqrt();
    if tail <= z[0] {
        return closed(y);
    }
    if tail <= -z[0] {
        return open(lambda);
    }
    // On the boundary: Π(z) = ½(z₀+‖z₁‖)(1, û).
    let u = [z[1] / tail, z[2] / tail];
    let half = 0.5 * (z[0] + tail);
    let f = [
        lambda[0] - half,
        if d > 1 { lambda[1] } else { 0.0 } - half * u[0],
        if d > 2 { lambda[2] - half * u[1] } else { 0.0 },
    ];
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let ray = [root, root * u[0], root * u[1], 0.0, 0.0];
    let polar = [root, -root * u[0], -root * u[1], 0.0, 0.0];
    let across = [0.0, -u[1], u[0], 0.0, 0.0];
    let p = (half / tail).min(1.0);
    let mut faces = open(&[]);
    faces[0] = Face::active(ray, along(&ray, &f) / tau, 0.0);
    faces[1] = Face::held(polar, along(&polar, &f));
    faces[2] = Face::with_eigenvalue(across, p, &f, tau);
    faces
}

/// [`faces`] on the rolling cone {‖T‖ ≤ n, ‖R‖ ≤ n}, z = (n, T, R), T = tû, R = rŵ.
///
/// ```text
/// one on its boundary   that one with n as on L; the other moves freely (p = 1)
/// both                  Π(z) = h(1, û, ŵ), h = (n + t + r)/3:
///                       p = 1 along (1, û, ŵ), p = 0 on the rest of span(n, û, ŵ), p = h/t across û, h/r across ŵ
/// ```
fn rolling_faces(lambda: &[f64], y: &[f64], tau: f64) -> [Face; MAX_ROWS] {
    let z: [f64; MAX_ROWS] = std::array::from_fn(|i| lambda[i] - tau * y[i]);
    let (t, r) = (rolling::length(&z[1..3]), rolling::length(&z[3..5]));
    let (height, cut_t, cut_r) = match Foot::new(1.0, 1.0, z[0], t, r) {
        Foot::Inside => return closed(y),
        Foot::Apex => return open(lambda),
        Foot::Boundary { height, cut_t, cut_r } => (height, cut_t, cut_r),
    };
    if cut_t == 0.0 || cut_r == 0.0 {
        // Rows of the part on the boundary, then of the other.
        let order = if cut_r == 0.0 { [0, 1, 2, 3, 4] } else { [0, 3, 4, 1, 2] };
        let pick = |x: &[f64]| [x[order[0]], x[order[1]], x[order[2]]];
        let mut faces = friction_faces(&pick(lambda), &pick(y), tau);
        for face in &mut faces[..3] {
            let mut direction = [0.0; MAX_ROWS];
            (0..3).for_each(|i| direction[order[i]] = face.direction[i]);
            face.direction = direction;
        }
        for (face, &row) in faces[3..].iter_mut().zip(&order[3..]) {
            *face = Face::active(unit(row), y[row], 0.0);
        }
        return faces;
    }
    let (u, w) = ([z[1] / t, z[2] / t], [z[3] / r, z[4] / r]);
    // Coefficients on n, û, ŵ.
    let span = |n: f64, a: f64, b: f64| [n, a * u[0], a * u[1], b * w[0], b * w[1]];
    let f: [f64; MAX_ROWS] = {
        let foot = span(height, height, height);
        std::array::from_fn(|i| lambda[i] - foot[i])
    };
    let (third, half, sixth) = (1.0 / 3.0f64.sqrt(), std::f64::consts::FRAC_1_SQRT_2, 1.0 / 6.0f64.sqrt());
    let held = |direction| Face::held(direction, along(&direction, &f));
    [
        Face::with_eigenvalue(span(third, third, third), 1.0, &f, tau),
        held(span(0.0, half, -half)),
        held(span(2.0 * sixth, -sixth, -sixth)),
        Face::with_eigenvalue([0.0, -u[1], u[0], 0.0, 0.0], (height / t).min(1.0), &f, tau),
        Face::with_eigenvalue([0.0, 0.0, 0.0, -w[1], w[0]], (height / r).min(1.0), &f, tau),
    ]
}

/// R with RᵀR = (Θ + E + δ)⁻¹ on the active directions, zero rows for the held ones.
fn set_weights(faces: &[Face], compliance: &[f64], proximal: f64, r: &mut [f64]) {
    let d = faces.len();
    r.fill(0.0);
    if compliance.iter().all(|e| *e == 0.0) {
        for (i, face) in faces.iter().enumerate() {
            if let Kind::Active { softness } = face.kind {
                let scale = 1.0 / (softness + proximal).sqrt();
                (0..d).for_each(|j| r[i * d + j] = scale * face.direction[j]);
            }
        }
        return;
    }
    // QᵀEQ + diag(softness + δ) on the active directions, its inverse Cholesky factor times Qᵀ.
    let mut directions = [[0.0; MAX_ROWS]; MAX_ROWS];
    let mut softness = [0.0; MAX_ROWS];
    let mut count = 0;
    for face in faces {
        if let Kind::Active { softness: s } = face.kind {
            directions[count] = face.direction;
            softness[count] = s + proximal;
            count += 1;
        }
    }
    let mut block = [0.0; MAX_ROWS * MAX_ROWS];
    for i in 0..count {
        for j in 0..count {
            let coupling: f64 = (0..d).map(|k| directions[i][k] * compliance[k] * directions[j][k]).sum();
            block[i * count + j] = coupling + if i == j { softness[i] } else { 0.0 };
        }
    }
    if inverse_cholesky(count, &mut block[..count * count]).is_none() {
        return;
    }
    for i in 0..count {
        for j in 0..d {
            r[i * d + j] = (0..count).map(|k| block[i * count + k] * directions[k][j]).sum();
        }
    }
}

fn apply_blocks(rows: &RowBlocks, blocks: &[f64], start: &[usize], x: &[f64], out: &mut [f64]) {
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        let d = range.len();
        let (x, out) = (&x[range.clone()], &mut out[range]);
        for (line, out) in blocks[start[k]..start[k + 1]].chunks_exact(d).zip(out) {
            *out = line.iter().zip(x).map(|(b, x)| b * x).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use proptest::prelude::*;

    proptest! {
        /// The faces are an orthonormal basis; P put together from them is the derivative of the projection, and F along
        /// them is λ − Π(z).
        #[test]
        fn faces_are_the_eigenvectors_of_the_derivative(
            lambda in [-2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0],
            y in [-2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0],
            tau in 0.2f64..3.0, rolls in prop::bool::ANY,
        ) {
            let d = if rolls { 5 } else { 3 };
            let cone = if rolls { Cone::Rolling { mu: 1.0, mu_r: 1.0 } } else { Cone::Friction { mu: 1.0 } };
            let (lambda, y) = (&lambda[..d], &y[..d]);
            let z: Vec<f64> = lambda.iter().zip(y).map(|(l, y)| l - tau * y).collect();
            let faces = faces(lambda, y, tau);
            let mut foot = z.clone();
            cone.project(&mut foot);
            let f: Vec<f64> = lambda.iter().zip(&foot).map(|(l, p)| l - p).collect();
            let mut derivative = vec![0.0; d * d];
            for (i, face) in faces[..d].iter().enumerate() {
                for (j, other) in faces[..d].iter().enumerate() {
                    let product = along(&face.direction, &other.direction);
                    prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
                let (p, expected) = match face.kind {
                    Kind::Held => (0.0, face.residual),
                    Kind::Active { softness } => {
                        let p = 1.0 / (1.0 + tau * softness);
                        (p, face.residual * tau * p)
                    }
                };
                prop_assert!((along(&face.direction, &f) - expected).abs() < 1e-10);
                for row in 0..d {
                    for column in 0..d {
                        derivative[row * d + column] += p * face.direction[row] * face.direction[column];
                    }
                }
            }
            let step = 1e-6;
            for column in 0..d {
                let moved = |by: f64| {
                    let mut z = z.clone();
                    z[column] += by;
                    cone.project(&mut z);
                    z
                };
                // One-sided slopes differ where two pieces meet.
                let (up, down) = (moved(step), moved(-step));
                let slopes = (0..d).map(|row| ((up[row] - foot[row]) / step, (foot[row] - down[row]) / step));
                for (row, (right, left)) in slopes.enumerate() {
                    let found = derivative[row * d + column];
                    prop_assert!(
                        (right - left).abs() > 1e-3 || (found - 0.5 * (right + left)).abs() < 1e-3,
                        "{found} {right} {left}"
                    );
                }
            }
        }
    }
}

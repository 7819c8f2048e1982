//! Whether a stored solution solves its problem, evaluated straight from the data of the file.
//!
//! Nothing here is shared with the solver: cones, residuals and conventions are written down a second time, from the
//! definition of the format. Only the factorisation of M is borrowed, and its result is refined against M itself.
//!
//! ```text
//! local    u = W r + V l + q          0 = Vᵀr + R l + s
//! global   M v = H r + G l + f        u = Hᵀv + w            0 = Gᵀv + b
//! K  = {|r_T| ≤ μ r_N},  K* = {u_N ≥ μ|u_T|},  ũ = u + μ|u_T| e_N (exact law), ũ = u (relaxed law)
//! with rolling friction |r_R| ≤ μ_r r_N besides, and μ|u_T| + μ_r|u_R| in place of μ|u_T|
//! scaled error = ‖r − P_K(r − ρũ)‖/(ρ‖q‖),  ρ = 1/mean diag W
//! ```
//!
//! Rows of bilateral constraints join u and q with their own residual, and W with its diagonal.

use crate::args::Law;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use signorini_linalg::{Cholesky, CscMatrix, Lu, SymbolicFactor, Threads, order_symmetric};
use signorini_solver::fclib::{FclibProblem, GlobalProblem, LocalProblem, StoredSolution};

/// How well a stored solution solves its problem.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    /// The law it was measured by.
    pub(crate) law: Law,
    /// ‖r − P_K(r − ρũ)‖/(ρ‖q‖).
    pub(crate) scaled_error: f64,
    /// Largest excess of |r_T| over μ r_N, of |r_R| over μ_r r_N, or of −r_N \[N·s\].
    pub(crate) cone_violation: f64,
    /// Largest excess of μ|u_T| + μ_r|u_R| over ũ_N, or residual of a bilateral row \[m/s\].
    pub(crate) dual_violation: f64,
    /// Σ|r·ũ| \[J\].
    pub(crate) complementarity: f64,
    /// ½ rᵀWr + qᵀr.
    pub(crate) objective: f64,
    /// ‖u − stored u‖/‖q‖.
    pub(crate) velocity_difference: f64,
    /// ‖v − stored v‖ relative to the larger of them; global problems.
    pub(crate) body_velocity_difference: Option<f64>,
    /// What was added to the diagonal of W.
    pub(crate) shift: f64,
}

impl Verdict {
    /// Whether the solution is as good as asked; NaN is not.
    pub(crate) fn meets(&self, tolerance: f64) -> bool {
        let differences = [self.scaled_error, self.velocity_difference, self.body_velocity_difference.unwrap_or(0.0)];
        differences.iter().all(|error| *error <= tolerance)
    }
}

/// The numbers both formulations lead to.
struct Evaluated {
    /// Relative velocities that belong to the stored impulses.
    u: Vec<f64>,
    /// Residuals of the bilateral rows.
    bilateral: Vec<f64>,
    /// Velocities of the bodies that belong to the stored impulses.
    v: Option<Vec<f64>>,
    /// Free velocities of contact and bilateral rows.
    q: Vec<f64>,
    free_bilateral: Vec<f64>,
    /// Mean of the diagonal of W.
    softness: f64,
}

/// Measures a stored solution. `shift` is added to the diagonal of a local W (relaxed law only).
pub(crate) fn verify(problem: &FclibProblem, solution: &StoredSolution, law: Law, shift: f64) -> Result<Verdict> {
    if problem.bilaterals().is_some_and(|count| count > 0) && solution.l.is_none() {
        bail!("the stored solution has no multipliers `l` of the bilateral constraints");
    }
    let measured = |evaluated: &Evaluated| measure(problem, solution, law, shift, evaluated);
    let global = match problem {
        FclibProblem::Local(local) => return Ok(measured(&local_problem(local, solution, law, shift))),
        FclibProblem::Global(global) => global,
    };
    let mut mass = Mass::new(&global.m, law)?;
    let of_the_law = mass.solve(&global.f)?;
    let verdict = measured(&global_problem(global, solution, &mut mass, of_the_law)?);
    if law == Law::Exact || global.m.is_symmetric() {
        return Ok(verdict);
    }
    // `solve` keeps the motion without contacts of M as given; collections publish answers of its symmetric part alone. A stored
    // solution does not say which it is: the better reading counts.
    let as_given = free_motion(&global.m, &global.f)?;
    let other = measured(&global_problem(global, solution, &mut mass, as_given)?);
    Ok(if other.scaled_error < verdict.scaled_error { other } else { verdict })
}

fn local_problem(local: &LocalProblem, solution: &StoredSolution, law: Law, shift: f64) -> Evaluated {
    let (r, l) = (&solution.r, solution.l.as_deref().unwrap_or_default());
    let mut u: Vec<f64> = local.q.iter().zip(r).map(|(q, r)| q + shift * r).collect();
    // The relaxed problem is that of the symmetric part; the exact one takes W as it is.
    match law {
        Law::Exact => local.w.mul_add(1.0, r, &mut u),
        Law::Relaxed => {
            local.w.mul_add(0.5, r, &mut u);
            local.w.mul_transpose_add(0.5, r, &mut u);
        }
    }
    let mut diagonal: Vec<f64> = local.w.diagonal_entries().iter().map(|d| d + shift).collect();
    let mut bilateral = local.s.clone().unwrap_or_default();
    if let (Some(matrix_v), Some(matrix_r)) = (&local.v, &local.r) {
        matrix_v.mul_add(1.0, l, &mut u);
        matrix_v.mul_transpose_add(1.0, r, &mut bilateral);
        matrix_r.mul_add(1.0, l, &mut bilateral);
        diagonal.extend(matrix_r.diagonal_entries());
    }
    Evaluated {
        u,
        bilateral,
        v: None,
        q: local.q.clone(),
        free_bilateral: local.s.clone().unwrap_or_default(),
        softness: mean(&diagonal),
    }
}

/// The numbers of a global problem whose bodies would move with the velocities `free` without contacts.
fn global_problem(
    global: &GlobalProblem,
    solution: &StoredSolution,
    mass: &mut Mass,
    free: Vec<f64>,
) -> Result<Evaluated> {
    let mut impulses = vec![0.0; global.f.len()];
    global.h.mul_add(1.0, &solution.r, &mut impulses);
    if let (Some(g), Some(l)) = (&global.g, &solution.l) {
        g.mul_add(1.0, l, &mut impulses);
    }
    let mut v = mass.solve(&impulses)?;
    v.iter_mut().zip(&free).for_each(|(v, free)| *v += free);
    let rates = |matrix: &CscMatrix, v: &[f64], constant: &[f64]| {
        let mut out = constant.to_vec();
        matrix.mul_transpose_add(1.0, v, &mut out);
        out
    };
    let mut diagonal = mass.condensed_diagonal(&global.h);
    let (mut bilateral, mut free_bilateral) = (Vec::new(), Vec::new());
    if let (Some(g), Some(b)) = (&global.g, &global.b) {
        bilateral = rates(g, &v, b);
        free_bilateral = rates(g, &free, b);
        diagonal.extend(mass.condensed_diagonal(g));
    }
    Ok(Evaluated {
        u: rates(&global.h, &v, &global.w),
        bilateral,
        q: rates(&global.h, &free, &global.w),
        free_bilateral,
        v: Some(v),
        softness: mean(&diagonal),
    })
}

fn measure(problem: &FclibProblem, solution: &StoredSolution, law: Law, shift: f64, at: &Evaluated) -> Verdict {
    let d = problem.dimension();
    let step = if at.softness > 0.0 { 1.0 / at.softness } else { 1.0 };
    let free_norm = at.q.iter().chain(&at.free_bilateral).map(|q| q * q).sum::<f64>().sqrt();
    let relative = |value: f64| if free_norm > 0.0 { value / free_norm } else { value };
    let mut verdict = Verdict {
        law,
        scaled_error: 0.0,
        cone_violation: 0.0,
        dual_violation: at.bilateral.iter().fold(0.0, |worst, y| larger(worst, y.abs())),
        complementarity: 0.0,
        objective: 0.5 * solution.r.iter().zip(&at.u).zip(&at.q).map(|((r, u), q)| r * (u + q)).sum::<f64>(),
        velocity_difference: relative(distance(&at.u, &solution.u)),
        body_velocity_difference: at.v.as_ref().zip(solution.v.as_ref()).map(|(v, stored)| {
            let size = norm(v).max(norm(stored));
            if size > 0.0 { distance(v, stored) / size } else { 0.0 }
        }),
        shift,
    };
    let mut squares: f64 = at.bilateral.iter().map(|y| y * y).sum();
    for (contact, (r, u)) in solution.r.chunks_exact(d).zip(at.u.chunks_exact(d)).enumerate() {
        let limits = Limits::new(problem, contact);
        let mut u = u.to_vec();
        if law == Law::Exact {
            u[0] += limits.weighed(&u);
        }
        let shifted: Vec<f64> = r.iter().zip(&u).map(|(r, u)| r - step * u).collect();
        squares += (distance(r, &limits.nearest(&shifted)) / step).powi(2);
        verdict.cone_violation = larger(verdict.cone_violation, limits.excess(r));
        verdict.dual_violation = larger(verdict.dual_violation, limits.weighed(&u) - u[0]);
        verdict.complementarity += r.iter().zip(&u).map(|(r, u)| r * u).sum::<f64>().abs();
    }
    verdict.scaled_error = relative(squares.sqrt());
    verdict
}

/// What the parts of a contact's force may be: |r_part| ≤ coefficient · r_N.
struct Limits {
    /// Tangential part, and rolling part if there is one: rows and coefficient.
    parts: Vec<(std::ops::Range<usize>, f64)>,
}

impl Limits {
    fn new(problem: &FclibProblem, contact: usize) -> Self {
        let mu = problem.mu()[contact];
        match problem.mu_r() {
            Some(mu_r) => Self { parts: vec![(1..3, mu), (3..5, mu_r[contact])] },
            None => Self { parts: vec![(1..problem.dimension(), mu)] },
        }
    }

    /// μ|x_T| + μ_r|x_R|.
    fn weighed(&self, x: &[f64]) -> f64 {
        self.parts.iter().map(|(rows, mu)| mu * norm(&x[rows.clone()])).sum()
    }

    /// By how much a force is too large, or pulls.
    fn excess(&self, r: &[f64]) -> f64 {
        self.parts.iter().fold(-r[0], |worst, (rows, mu)| larger(worst, norm(&r[rows.clone()]) - mu * r[0]))
    }

    /// The nearest point of the cone. With two parts it lies at the least of a function of the normal component n alone, whose slope is
    /// zero for one choice of the parts that touch their limit: n = (z_N + Σ μ|z_part|)/(1 + Σ μ²) over those. Every choice
    /// gives a point of the cone when the parts are cut to their limits, so the nearest of these points is the answer.
    fn nearest(&self, z: &[f64]) -> Vec<f64> {
        if let [(_, mu)] = self.parts[..] {
            return onto_cone(mu, z);
        }
        let candidates = (0..1u32 << self.parts.len()).map(|choice| {
            let (mut sum, mut weight) = (z[0], 1.0);
            for (at, (rows, mu)) in self.parts.iter().enumerate() {
                if choice & (1 << at) != 0 {
                    sum += mu * norm(&z[rows.clone()]);
                    weight += mu * mu;
                }
            }
            // A NaN stays one.
            let normal = if sum < 0.0 { 0.0 } else { sum / weight };
            let mut point = z.to_vec();
            point[0] = normal;
            for (rows, mu) in &self.parts {
                let length = norm(&z[rows.clone()]);
                if length > mu * normal {
                    point[rows.clone()].iter_mut().for_each(|x| *x *= mu * normal / length);
                }
            }
            point
        });
        let nearest = candidates.min_by(|a, b| distance(z, a).total_cmp(&distance(z, b)));
        nearest.unwrap_or_else(|| z.to_vec())
    }
}

/// The nearest point of {|t| ≤ μ n}: the point itself, the apex, or its foot on the ray of the boundary
/// n = cos α, t = sin α t/|t| with tan α = μ.
fn onto_cone(mu: f64, z: &[f64]) -> Vec<f64> {
    let (n, tangent) = (z[0], norm(&z[1..]));
    if tangent <= mu * n {
        return z.to_vec();
    }
    let (cos, sin) = (1.0 / mu.hypot(1.0), mu / mu.hypot(1.0));
    let along = n * cos + tangent * sin;
    if along <= 0.0 {
        return vec![0.0; z.len()];
    }
    let across = if tangent > 0.0 { along * sin / tangent } else { 0.0 };
    std::iter::once(along * cos).chain(z[1..].iter().map(|t| t * across)).collect()
}

/// M⁻¹ f for a matrix without symmetry, refined once.
fn free_motion(m: &CscMatrix, f: &[f64]) -> Result<Vec<f64>> {
    let mut factor = Lu::analyse(m, Threads::One)?;
    factor.factorise(m).context("M is singular")?;
    let mut v = f.to_vec();
    factor.solve_in_place(&mut v);
    let mut residual = f.to_vec();
    m.mul_add(-1.0, &v, &mut residual);
    factor.solve_in_place(&mut residual);
    v.iter_mut().zip(&residual).for_each(|(v, correction)| *v += correction);
    Ok(v)
}

/// M and the factors of the connected parts of its symmetric part.
struct Mass {
    /// The matrix to solve with: as given for the exact law, its symmetric part for the relaxed one.
    matrix: CscMatrix,
    parts: Vec<Part>,
    /// Part and position in it of every velocity.
    place: Vec<(usize, usize)>,
}

struct Part {
    rows: Vec<usize>,
    factor: Cholesky,
}

/// Refinement stops when the residual is this small against the terms it is the sum of: a few roundings.
const REFINED: f64 = 1e-15;
/// The skew part of M is at most a tenth of it: each refinement gains a digit or more.
const MOST_REFINEMENTS: usize = 60;

impl Mass {
    fn new(m: &CscMatrix, law: Law) -> Result<Self> {
        let (symmetric, _) = m.symmetric_part();
        let mut place = vec![(0, 0); m.nrows()];
        let mut parts = Vec::new();
        for rows in connected(&symmetric) {
            for (at, &row) in rows.iter().enumerate() {
                place[row] = (parts.len(), at);
            }
            let entries = rows.iter().flat_map(|&column| {
                let (rows, values) = symmetric.col(column);
                rows.iter().zip(values).map(move |(&row, &value)| (row, column, value))
            });
            let entries = entries.map(|(row, column, value)| (place[row].1, place[column].1, value));
            let part = CscMatrix::from_triplets(rows.len(), rows.len(), entries.collect::<Vec<_>>())?;
            let lower = part.lower_triangle();
            let symbolic = SymbolicFactor::analyse(&lower, &order_symmetric(&part))?;
            let mut factor = Cholesky::new(symbolic.into(), Threads::One);
            factor
                .factorise(&lower)
                .with_context(|| format!("M is not positive definite (near velocity {})", rows[0]))?;
            parts.push(Part { rows, factor });
        }
        Ok(Self { matrix: if law == Law::Relaxed { symmetric } else { m.clone() }, parts, place })
    }

    /// M⁻¹ b, refined.
    fn solve(&mut self, b: &[f64]) -> Result<Vec<f64>> {
        let mut x = vec![0.0; b.len()];
        let mut best = (f64::INFINITY, x.clone());
        for _ in 0..MOST_REFINEMENTS {
            let mut residual = b.to_vec();
            self.matrix.mul_add(-1.0, &x, &mut residual);
            let error = norm(&residual) / norm(b).max(f64::MIN_POSITIVE);
            // The first pass starts from x = 0 and has nothing to compare with.
            let improved = error < best.0;
            if improved {
                best = (error, x.clone());
            }
            if error <= REFINED || (!improved && best.0 < 1e-10) {
                return Ok(best.1);
            }
            for part in &mut self.parts {
                let mut local: Vec<f64> = part.rows.iter().map(|&row| residual[row]).collect();
                part.factor.solve_in_place(&mut local);
                part.rows.iter().zip(local).for_each(|(&row, correction)| x[row] += correction);
            }
        }
        if best.0 > 1e-10 {
            bail!("M v = b cannot be solved accurately: a residual of {:.1e} is left", best.0);
        }
        Ok(best.1)
    }

    /// The diagonal of JᵀM⁻¹J (with the symmetric part of M).
    fn condensed_diagonal(&mut self, j: &CscMatrix) -> Vec<f64> {
        let Self { parts, place, .. } = self;
        let mut buffers: Vec<Vec<f64>> = parts.iter().map(|part| vec![0.0; part.rows.len()]).collect();
        let mut diagonal = Vec::with_capacity(j.ncols());
        for column in 0..j.ncols() {
            let (rows, values) = j.col(column);
            let mut touched: Vec<usize> = rows.iter().map(|&row| place[row].0).collect();
            touched.sort_unstable();
            touched.dedup();
            for (&row, &value) in rows.iter().zip(values) {
                let (part, at) = place[row];
                buffers[part][at] = value;
            }
            touched.iter().for_each(|&part| parts[part].factor.solve_in_place(&mut buffers[part]));
            let entries = rows.iter().zip(values).map(|(&row, &value)| {
                let (part, at) = place[row];
                value * buffers[part][at]
            });
            diagonal.push(entries.sum());
            touched.iter().for_each(|&part| buffers[part].fill(0.0));
        }
        diagonal
    }
}

/// Rows of a symmetric matrix that hang together, part by part.
fn connected(matrix: &CscMatrix) -> Vec<Vec<usize>> {
    let n = matrix.nrows();
    let mut seen = vec![false; n];
    let mut parts = Vec::new();
    for first in 0..n {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let (mut part, mut open) = (Vec::new(), vec![first]);
        while let Some(row) = open.pop() {
            part.push(row);
            let (rows, values) = matrix.col(row);
            for (&next, _) in rows.iter().zip(values).filter(|(_, value)| **value != 0.0) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn mean(x: &[f64]) -> f64 {
    if x.is_empty() { 0.0 } else { x.iter().sum::<f64>() / x.len() as f64 }
}

/// The larger of two numbers; NaN wins, so that it is not mistaken for a good answer.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_a_number_is_the_largest() {
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(larger(a, b).is_nan());
        }
        assert_eq!(larger(1.0, 2.0), 2.0);
    }

    #[test]
    fn the_projection_is_the_nearest_point_of_the_cone() {
        assert_eq!(onto_cone(0.5, &[2.0, 0.6, 0.8]), [2.0, 0.6, 0.8]);
        assert_eq!(onto_cone(0.5, &[-2.0, 0.6, 0.8]), [0.0; 3]);
        assert_eq!(onto_cone(0.0, &[2.0, 1.0, 0.0]), [2.0, 0.0, 0.0]);
        // 45° cone, point on the tangent axis: its foot is half way up.
        let foot = onto_cone(1.0, &[0.0, 3.0, 4.0]);
        assert!(distance(&foot, &[2.5, 1.5, 2.0]) < 1e-14, "{foot:?}");
        // Both limits reached, from z = p + q with p = (1, μ, 0, μ_r, 0) and q·p = 0, q in the polar cone.
        let (mu, mu_r) = (0.5, 0.25);
        let rolling = Limits { parts: vec![(1..3, mu), (3..5, mu_r)] };
        let (slide, roll) = (0.3, 0.7);
        let z = [1.0 - mu * slide - mu_r * roll, mu + slide, 0.0, mu_r + roll, 0.0];
        assert!(distance(&rolling.nearest(&z), &[1.0, mu, 0.0, mu_r, 0.0]) < 1e-14);
        // The same with the rolling part inside its limit.
        let z = [1.0 - mu * slide, mu + slide, 0.0, 0.1, -0.1];
        assert!(distance(&rolling.nearest(&z), &[1.0, mu, 0.0, 0.1, -0.1]) < 1e-14);
    }

    /// A unit mass slides: W = I, q = (−1, 1, 0), μ = ½. Relaxed: u = s(½, 1), r = n(1, −½), so n = 1 + s/2 and
    /// s = 1 − n/2 give s = 2/5, n = 6/5. Exact: u_N = 0, n = 1, s = ½.
    #[test]
    fn a_sliding_block_is_told_from_its_relaxation() {
        let problem = FclibProblem::Local(LocalProblem {
            dimension: 3,
            w: CscMatrix::diagonal(&[1.0; 3]),
            v: None,
            r: None,
            q: vec![-1.0, 1.0, 0.0],
            s: None,
            mu: vec![0.5],
            mu_r: None,
        });
        let relaxed = StoredSolution { v: None, l: None, u: vec![0.2, 0.4, 0.0], r: vec![1.2, -0.6, 0.0] };
        let exact = StoredSolution { v: None, l: None, u: vec![0.0, 0.5, 0.0], r: vec![1.0, -0.5, 0.0] };
        let error = |solution, law| verify(&problem, solution, law, 0.0).unwrap().scaled_error;
        assert!(error(&relaxed, Law::Relaxed) < 1e-15);
        assert!(error(&exact, Law::Exact) < 1e-15);
        assert!(error(&relaxed, Law::Exact) > 0.1);
        assert!(error(&exact, Law::Relaxed) > 0.1);
    }

    #[test]
    fn a_coupled_unsymmetric_mass_matrix_is_inverted() {
        let m = CscMatrix::from_triplets(3, 3, [(0, 0, 2.0), (0, 1, 1.1), (1, 0, 0.9), (1, 1, 3.0), (2, 2, 4.0)]);
        let mut mass = Mass::new(&m.unwrap(), Law::Exact).unwrap();
        assert_eq!(mass.parts.len(), 2);
        // M (1, 2, 3) = (4.2, 6.9, 12).
        let x = mass.solve(&[4.2, 6.9, 12.0]).unwrap();
        assert!(distance(&x, &[1.0, 2.0, 3.0]) < 1e-14, "{x:?}");
        let j = CscMatrix::from_triplets(3, 1, [(0, 0, 1.0), (2, 0, 2.0)]).unwrap();
        // Symmetric part [2 1; 1 3]: (M⁻¹)₀₀ = 3/5; 2²/4 = 1.
        assert!((mass.condensed_diagonal(&j)[0] - 1.6).abs() < 1e-14);
    }
}

//! Blocks as products of second-order cones.
//!
//! A block with 1, 2 or 3 rows is one cone L. A rolling block (5 rows, THEORY §6) is {‖T‖ ≤ n, ‖R‖ ≤ n}: two cones with a
//! common axis. The interior point works on the lifted force Pλ = ((n, T), (n, R)) ∈ L × L and splits the velocity into
//! ((a, y_T), (b, y_R)) ∈ L × L with a + b = y_n, that is y = Pᵀ(lifted velocity). For one cone P is the identity.
//!
//! Scaling: Θ = PᵀW²P, with W² = η²(2w̄w̄ᵀ − J) in each cone. Eliminating T and R from Θ + E leaves on n
//!
//! ```text
//! σ = e_n + Σ_i η_i² (η_i² + e_i g_i)/(η_i² g_i + e_i),   g = 1 + 2‖w₁‖²
//! ```
//!
//! a sum of positive numbers, so the factor R below is as accurate as W⁻¹ of a single cone; subtracting entries of Θ would
//! lose twice the digits.

use crate::cone::second_order::Scaling;
use crate::problem::RowBlocks;
use std::ops::Range;

/// Rows of a rolling block, and of its two cones.
const ROLLING_ROWS: usize = 5;
const ROLLING_LIFTED: usize = 6;

/// Which cones each block of rows is made of.
#[derive(Default)]
pub(super) struct Lift {
    /// Rows of block k.
    row_start: Vec<usize>,
    /// Cones of block k.
    first_cone: Vec<usize>,
    /// Lifted rows of cone j.
    cone_start: Vec<usize>,
}

/// One block: its rows and its cones.
pub(super) struct LiftedBlock {
    pub(super) rows: Range<usize>,
    pub(super) cones: Range<usize>,
    pub(super) lifted: Range<usize>,
}

impl LiftedBlock {
    pub(super) fn is_rolling(&self) -> bool {
        self.cones.len() == 2
    }
}

impl Lift {
    /// Becomes that of other rows, in the memory it has.
    pub(super) fn update(&mut self, rows: &RowBlocks) {
        let Self { row_start, first_cone, cone_start } = self;
        for list in [&mut *row_start, &mut *first_cone, &mut *cone_start] {
            list.clear();
            list.push(0);
        }
        let mut end = 0;
        for k in 0..rows.len() {
            let d = rows.rows_of(k).len();
            row_start.push(rows.rows_of(k).end);
            let (parts, size) = if d == ROLLING_ROWS { (2, ROLLING_LIFTED / 2) } else { (1, d) };
            for _ in 0..parts {
                end += size;
                cone_start.push(end);
            }
            first_cone.push(cone_start.len() - 1);
        }
    }

    /// Number of cones.
    pub(super) fn cones(&self) -> usize {
        self.cone_start.len() - 1
    }
    /// Number of lifted rows.
    pub(super) fn len(&self) -> usize {
        self.cone_start[self.cones()]
    }
    /// Lifted rows of a cone.
    pub(super) fn cone(&self, j: usize) -> Range<usize> {
        self.cone_start[j]..self.cone_start[j + 1]
    }
    /// Lifted rows of every cone.
    pub(super) fn each_cone(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.cone_start.windows(2).map(|w| w[0]..w[1])
    }
    pub(super) fn each_block(&self) -> impl Iterator<Item = LiftedBlock> + '_ {
        self.row_start.windows(2).zip(self.first_cone.windows(2)).map(|(rows, cones)| LiftedBlock {
            rows: rows[0]..rows[1],
            cones: cones[0]..cones[1],
            lifted: self.cone_start[cones[0]]..self.cone_start[cones[1]],
        })
    }

    /// Whether there are rolling blocks.
    fn any_rolling(&self) -> bool {
        self.len() > self.row_start[self.row_start.len() - 1]
    }

    /// `out = P x`.
    pub(super) fn up(&self, x: &[f64], out: &mut [f64]) {
        if !self.any_rolling() {
            out.copy_from_slice(x);
            return;
        }
        for block in self.each_block() {
            up(&x[block.rows], &mut out[block.lifted]);
        }
    }

    /// `out = Pᵀ x`.
    pub(super) fn down(&self, x: &[f64], out: &mut [f64]) {
        if !self.any_rolling() {
            out.copy_from_slice(x);
            return;
        }
        for block in self.each_block() {
            down(&x[block.lifted], &mut out[block.rows]);
        }
    }

    /// Splits velocities of the rows so that both cones of a rolling block are equally far from their boundary.
    pub(super) fn split(&self, y: &[f64], out: &mut [f64]) {
        for block in self.each_block() {
            let (y, out) = (&y[block.rows.clone()], &mut out[block.lifted.clone()]);
            up(y, out);
            if block.is_rolling() {
                let (t, r) = (y[1].hypot(y[2]), y[3].hypot(y[4]));
                out[0] = 0.5 * (y[0] + t - r);
                out[3] = 0.5 * (y[0] + r - t);
            }
        }
    }
}

/// `out = P x` for one block.
pub(super) fn up(x: &[f64], out: &mut [f64]) {
    match out.len() {
        ROLLING_LIFTED => {
            out[..3].copy_from_slice(&x[..3]);
            out[3] = x[0];
            out[4..].copy_from_slice(&x[3..]);
        }
        _ => out.copy_from_slice(x),
    }
}

/// `out = Pᵀ x` for one block.
pub(super) fn down(x: &[f64], out: &mut [f64]) {
    match x.len() {
        ROLLING_LIFTED => {
            out[..3].copy_from_slice(&x[..3]);
            out[0] += x[3];
            out[3..].copy_from_slice(&x[4..]);
        }
        _ => out.copy_from_slice(x),
    }
}

/// R with RᵀR = (PᵀW²P + E)⁻¹ for a rolling block, row-major 5 × 5; `e` is empty or has one value for T and one for R.
///
/// ```text
/// R = [ 1/√σ (1, −h₁ᵀ, −h₂ᵀ) ]      C = (η² + e)I + 2η²w₁w₁ᵀ in each cone,  h = C⁻¹b = 2η²w₀ w₁/(η² g + e)
///     [ 0    C₁^−½    0      ]
///     [ 0    0        C₂^−½  ]
/// ```
pub(super) fn rolling_weights(scalings: &[Scaling], e: &[f64], r: &mut [f64]) {
    let compliance = |row: usize| e.get(row).copied().unwrap_or(0.0);
    r.fill(0.0);
    let mut sigma = compliance(0);
    for (scaling, first) in scalings.iter().zip([1, 3]) {
        let (eta, w) = scaling.parts();
        let (square, e) = (eta * eta, compliance(first));
        let tail = w[1] * w[1] + w[2] * w[2];
        let g = 1.0 + 2.0 * tail;
        let along = square * g + e;
        sigma += square * ((square + e * g) / along);
        let slope = 2.0 * square * w[0] / along;
        // C^−½ = I/√(η²+e) + (1/√(η²g+e) − 1/√(η²+e)) ŵŵᵀ; the difference of the roots, over ‖w₁‖², in a form that
        // does not cancel.
        let (across, root) = ((square + e).sqrt(), along.sqrt());
        let change = -2.0 * square / (across * root * (across + root));
        for i in 0..2 {
            r[first + i] = -slope * w[1 + i];
            for j in 0..2 {
                let identity = if i == j { 1.0 / across } else { 0.0 };
                r[(first + i) * ROLLING_ROWS + first + j] = identity + change * w[1 + i] * w[1 + j];
            }
        }
    }
    r[0] = 1.0;
    let scale = 1.0 / sigma.sqrt();
    r[..ROLLING_ROWS].iter_mut().for_each(|r| *r *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A point strictly inside L, from nearly on the boundary to central.
    fn inside() -> impl Strategy<Value = [f64; 3]> {
        (-2.0f64..2.0, -2.0f64..2.0, 1e-3f64..3.0).prop_map(|(a, b, m)| [a.hypot(b) + m, a, b])
    }

    proptest! {
        #[test]
        fn the_factor_inverts_the_sum_over_both_cones(
            ys in [inside(), inside()], ls in [inside(), inside()], soft in prop::bool::ANY,
            x in prop::collection::vec(-1.0f64..1.0, 5),
        ) {
            let scalings: Vec<Scaling> = ys.iter().zip(&ls).map(|(y, l)| Scaling::new(y, l).unwrap()).collect();
            let e = if soft { &[0.3, 0.02, 0.02, 2.0, 2.0][..] } else { &[] };
            // Θx + Ex, then RᵀR of it.
            let (mut lifted, mut once, mut twice, mut sum) = ([0.0; 6], [0.0; 6], [0.0; 6], [0.0; 5]);
            up(&x, &mut lifted);
            for (cone, scaling) in [0..3, 3..6].into_iter().zip(&scalings) {
                scaling.apply(&lifted[cone.clone()], &mut once[cone.clone()]);
                scaling.apply(&once[cone.clone()], &mut twice[cone]);
            }
            down(&twice, &mut sum);
            sum.iter_mut().zip(e).zip(&x).for_each(|((sum, e), x)| *sum += e * x);
            let mut r = [0.0; 25];
            rolling_weights(&scalings, e, &mut r);
            let scaled: Vec<f64> = (0..5).map(|i| (0..5).map(|j| r[5 * i + j] * sum[j]).sum()).collect();
            let back: Vec<f64> = (0..5).map(|j| (0..5).map(|i| r[5 * i + j] * scaled[i]).sum()).collect();
            // Condition numbers reach 1e8 and more here.
            prop_assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-5), "{back:?} {x:?}");
        }
    }

    #[test]
    fn lifting_and_its_transpose_fit_together() {
        let mut rows = RowBlocks::new();
        [1, 5, 3, 2].iter().for_each(|&count| rows.push_dense(&[], count, &[]));
        let mut lift = Lift::default();
        lift.update(&rows);
        assert_eq!((lift.cones(), lift.len()), (5, 12));
        let x: Vec<f64> = (0..11).map(f64::from).collect();
        let z: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
        let (mut lifted, mut lowered) = (vec![0.0; 12], vec![0.0; 11]);
        lift.up(&x, &mut lifted);
        lift.down(&z, &mut lowered);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert_eq!(dot(&lifted, &z), dot(&x, &lowered));
        let mut y = vec![0.0; 12];
        lift.split(&x, &mut y);
        lift.down(&y, &mut lowered);
        assert!(lowered.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-14));
        let margins = [1..4, 4..7].map(|cone| crate::cone::second_order::margin(&y[cone]));
        assert!((margins[0] - margins[1]).abs() < 1e-14, "{margins:?}");
    }
}

//! Refinement by conjugate directions, for long chains.
//!
//! Refinement takes E out of (S + E) μ, S = C M⁻¹Cᵀ, by the factor E/(λ + E) a time: at once where the eigenvalue λ of S is large
//! against E, hardly at all where it is not. A hinged chain of n links has λ ~ n⁻², and a few such eigenvalues. The method of
//! conjugate gradients for S μ = s with (S + E)⁻¹ as preconditioner needs about one iteration for each of them. Every direction
//! is one solve, as in refinement: from [[M, −Cᵀ], [C, E]] (z, δ) = (0, ρ) follows S δ = C z = ρ − E δ.

use super::saddle::Saddle;

/// Less than this share of what E took from the rows at first is left to refinement: what is left may also be rounding of rows
/// that repeat each other, and chasing it would only disturb their multipliers.
const SLOW: f64 = 1e-3;
/// Rows are met when this share of what E took from them at first is left; rounding is a hundredth of it.
const LEFT: f64 = 1e-8;
/// Most directions; rows that contradict each other have no answer.
const DIRECTIONS: usize = 60;

/// Improves a refined solution for `right`: `first` is what the first solve left of the rows, the largest, and `now` what is left
/// of all equations at present (of those above the rows nothing but rounding).
pub(crate) fn refine(saddle: &mut Saddle, solution: &mut [f64], right: &[f64], first: f64, now: &mut [f64]) {
    let n = solution.len() - saddle.compliance().len();
    let mut least = size(&now[n..]);
    if least <= SLOW * first || !least.is_finite() {
        return;
    }
    let mut residual = now.to_vec();
    // Directions (z, δ), what they change in the rows, and the last ρᵀδ.
    let (mut direction, mut change) = (vec![0.0; solution.len()], vec![0.0; solution.len() - n]);
    let mut trial = solution.to_vec();
    let mut previous = f64::INFINITY;
    for _ in 0..DIRECTIONS {
        let mut correction = residual.clone();
        correction[..n].fill(0.0);
        saddle.solve(&mut correction);
        let product = dot(&residual[n..], &correction[n..]);
        let keep = product / previous;
        previous = product;
        direction.iter_mut().zip(&correction).for_each(|(d, new)| *d = new + keep * *d);
        for (row, change) in change.iter_mut().enumerate() {
            *change = residual[n + row] - saddle.compliance()[row] * correction[n + row] + keep * *change;
        }
        let curvature = dot(&direction[n..], &change);
        // Rows that contradict each other leave directions that change nothing.
        if product <= 0.0 || curvature <= 0.0 || !(product / curvature).is_finite() {
            return;
        }
        let length = product / curvature;
        trial.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
        residual.copy_from_slice(right);
        saddle.subtract_rigid(&trial, &mut residual);
        let left = size(&residual[n..]);
        if left < least {
            least = left;
            solution.copy_from_slice(&trial);
            now.copy_from_slice(&residual);
        }
        if least <= LEFT * first || !left.is_finite() {
            return;
        }
    }
}

pub(crate) fn size(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |largest: f64, x| if x.is_nan() { f64::NAN } else { largest.max(x.abs()) })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

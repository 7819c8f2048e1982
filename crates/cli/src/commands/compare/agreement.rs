//! Whether the solvers agree.
//!
//! Compared are the relative velocities y = Ng + r, each answer with the most accurate one of the same problem. Under the
//! convex laws y is unique even where impulses are not: for two answers with natural maps z₁, z₂ the projections give
//! Δgᵀ N Δg ≤ Δzᵀ(Δg + ρΔy), so ‖Δy‖² ≤ λmax(N) ‖Δz‖ (‖Δg‖ + ρ‖Δy‖). In a well-posed problem ‖Δg‖ is a multiple of
//! ‖Δz‖, and velocities are as accurate as the residual up to a condition number; in a jammed one only the root of it is
//! guaranteed. Hence the limit below. Under the exact law several answers can be right, and differences are only told.

use signorini_solver::{ConeProblem, FrictionLaw, Solution, Tolerance};

/// Answers that meet a tolerance may differ by so many tolerances: room for the condition number of a usual problem.
const CONDITION: f64 = 1e3;

/// How far an answer is from the most accurate one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    /// ‖Δy‖ relative to the free relative velocity: the norm of the relative residual.
    pub(crate) relative: f64,
    /// Largest ‖Δy‖ of a contact or joint \[m/s\].
    pub(crate) largest: f64,
    /// Largest difference of a velocity (m/s and rad/s).
    pub(crate) velocity: f64,
    /// More than two answers of this tolerance should.
    pub(crate) differs: bool,
}

/// The number of the most accurate answer.
pub(crate) fn most_accurate<'a>(answers: impl Iterator<Item = (usize, &'a Solution)>) -> Option<usize> {
    let ratio = |solution: &Solution| {
        let ratio = solution.report.tolerance.ratio(&solution.report.residuals);
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    };
    answers.min_by(|(_, a), (_, b)| ratio(a).total_cmp(&ratio(b))).map(|(index, _)| index)
}

/// Compares an answer that claims `met` with the most accurate one.
pub(crate) fn difference(
    problem: &ConeProblem,
    free_norm: f64,
    answer: &Solution,
    reference: &Solution,
    met: bool,
    law: FrictionLaw,
) -> Difference {
    let (mut squared_sum, mut largest) = (0.0, 0.0);
    for (rows, _) in problem.each_block() {
        let pairs = answer.relative_velocity[rows.clone()].iter().zip(&reference.relative_velocity[rows]);
        let squared: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
        squared_sum += squared;
        largest = crate::verify::larger(largest, squared.sqrt());
    }
    let relative = if free_norm > 0.0 { squared_sum.sqrt() / free_norm } else { squared_sum.sqrt() };
    let pairs = answer.velocity().iter().zip(reference.velocity());
    let velocity = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, crate::verify::larger);
    let within = match answer.report.tolerance {
        Tolerance::Relative(tolerance) => relative <= limit(tolerance),
        Tolerance::Velocity(tolerance) => largest <= limit(tolerance),
    };
    Difference { relative, largest, velocity, differs: met && law != FrictionLaw::Exact && !within }
}

/// Largest difference of two answers that meet `tolerance`.
pub(crate) fn limit(tolerance: f64) -> f64 {
    CONDITION * tolerance
}

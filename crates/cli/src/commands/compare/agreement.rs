//! Whether the solvers agree.
//!
//! Compared are the relative velocities y = Ng + r, each answer with the most accurate one of the same problem. Under the
//! convex laws y is unique even where impulses are not: for two answers with natural maps z₁, z₂ the projections give
//! Δgᵀ N Δg ≤ Δzᵀ(Δg + ρΔy), so ‖Δy‖² ≤ λmax(N) ‖Δz‖ (‖Δg‖ + ρ‖Δy‖). In a well-posed problem ‖Δg‖ is a multiple of
//! ‖Δz‖, and velocities are as accurate as the residual up to a condition number; in a jammed one only the root of it is
//! guaranteed. Hence the limit below. Under the exact law several answers can be right, and differences are only told.

use signorini_solver::{ConeProblem, FrictionLaw, Solution, Tolerance};

/// Answers that meet a tolerance may differ by so many tolerances. On 42 real problems (Siconos, FCLIB, Chrono) with
/// tolerances of 1e-6 and 1e-9 the largest factor between an answer of a first-order method and that of the interior point
/// or Newton was 20 (`bench/results/agreement-*.csv`); a defect that is not in the residual makes differences of the order of the free velocity.
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
    // An answer at rounding level counts as converged and may be above a tolerance below that: its own residual then holds.
    let residuals = answer.report.residuals;
    let within = match answer.report.tolerance {
        Tolerance::Relative(tolerance) => relative <= limit(tolerance.max(residuals.natural_map_relative)),
        Tolerance::Velocity(tolerance) => largest <= limit(tolerance.max(residuals.natural_map)),
    };
    Difference { relative, largest, velocity, differs: met && law != FrictionLaw::Exact && !within }
}

/// Largest difference of two answers that meet `tolerance`.
pub(crate) fn limit(tolerance: f64) -> f64 {
    CONDITION * tolerance
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_solver::{Cone, InteriorPoint, ResidualMeter, SolverSettings, solve};

    /// Two unit masses fall on a floor at 3 and 4 m/s: the free relative velocity is 5 m/s long.
    fn floor() -> (ConeProblem, Solution, f64) {
        let problem = ConeProblem::builder()
            .diagonal_body(&[1.0])
            .diagonal_body(&[1.0])
            .linear(&[3.0, 4.0])
            .row(Cone::NonNegative, &[(0, 1.0)], 0.0)
            .row(Cone::NonNegative, &[(1, 1.0)], 0.0)
            .build()
            .unwrap();
        let solution =
            solve(&problem, &SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-6))).unwrap();
        let free = ResidualMeter::new(&problem).unwrap().free_norm();
        (problem, solution, free)
    }

    #[test]
    fn a_difference_is_measured_in_the_norm_of_the_residual_and_judged_only_where_the_answer_is_unique() {
        let (problem, reference, free) = floor();
        let mut other = reference.clone();
        other.relative_velocity[0] += 0.03;
        other.relative_velocity[1] -= 0.04;
        other.iterate.velocity[1] -= 0.04;
        let compare = |met, law| difference(&problem, free, &other, &reference, met, law);
        let found = compare(true, FrictionLaw::Relaxed);
        assert!((found.relative - 0.01).abs() < 1e-12, "{found:?}");
        assert!((found.largest - 0.04).abs() < 1e-12 && (found.velocity - 0.04).abs() < 1e-12);
        assert!(found.differs && compare(true, FrictionLaw::Lagged).differs);
        assert!(!compare(false, FrictionLaw::Relaxed).differs && !compare(true, FrictionLaw::Exact).differs);
        let same = difference(&problem, free, &reference, &reference, true, FrictionLaw::Relaxed);
        assert!(same.relative == 0.0 && !same.differs);
    }

    #[test]
    fn what_is_no_number_differs() {
        let (problem, reference, free) = floor();
        let mut other = reference.clone();
        other.relative_velocity[0] = f64::NAN;
        assert!(difference(&problem, free, &other, &reference, true, FrictionLaw::Relaxed).differs);
    }

    #[test]
    fn the_reference_has_the_smallest_residual() {
        let (_, mut worse, _) = floor();
        let best = worse.clone();
        worse.report.residuals.natural_map_relative = 1.0;
        let mut broken = worse.clone();
        broken.report.residuals.natural_map_relative = f64::NAN;
        let answers = [&broken, &worse, &best, &worse];
        assert_eq!(most_accurate(answers.into_iter().enumerate()), Some(2));
        assert_eq!(most_accurate([].into_iter()), None);
    }
}

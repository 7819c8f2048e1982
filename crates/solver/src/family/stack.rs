//! Bodies stacked on one vertical axis, each heavier than the one below.

use super::GRAVITY;
use crate::{Cone, ConeProblem, ProblemError};

/// `levels` bodies with one (vertical) velocity each, at rest on the floor: mass `mass · ratioᵏ` at level k.
///
/// ```text
/// m_k v_k = −h g m_k + λ_k − λ_{k+1},   0 ≤ v_k − v_{k−1} ⟂ λ_k ≥ 0   ⇒   v = 0,  λ_k = h g Σ_{j ≥ k} m_j
/// ```
///
/// ```
/// use signorini_solver::{InteriorPoint, family::Stack, solve};
/// let stack = Stack { levels: 5, ratio: 10.0, ..Stack::default() };
/// let solution = solve(&stack.problem()?, &InteriorPoint::default().into())?;
/// assert!((solution.impulse()[0] / stack.exact_impulses()[0] - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Number of bodies.
    pub levels: usize,
    /// Mass of a body divided by the mass of the one below.
    pub ratio: f64,
    /// Mass of the lowest body \[kg\].
    pub mass: f64,
    /// Time step \[s\].
    pub step: f64,
}

impl Default for Stack {
    fn default() -> Self {
        Self { levels: 10, ratio: 1.0, mass: 1.0, step: 0.05 }
    }
}

impl Stack {
    /// Masses from the bottom \[kg\].
    #[must_use]
    pub fn masses(&self) -> Vec<f64> {
        std::iter::successors(Some(self.mass), |mass| Some(mass * self.ratio)).take(self.levels).collect()
    }

    /// The impulse below each body \[N·s\]: the weight of all above it, for one step.
    #[must_use]
    pub fn exact_impulses(&self) -> Vec<f64> {
        let mut impulses = self.masses();
        let mut above = 0.0;
        for impulse in impulses.iter_mut().rev() {
            above += *impulse;
            *impulse = self.step * GRAVITY * above;
        }
        impulses
    }

    /// The problem of one step from rest. Its exact velocity is zero.
    ///
    /// # Errors
    /// Masses that are not positive and finite.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        let masses = self.masses();
        let mut builder = ConeProblem::builder();
        masses.iter().for_each(|&mass| {
            builder.diagonal_body(&[mass]);
        });
        builder.linear(&masses.iter().map(|mass| self.step * GRAVITY * mass).collect::<Vec<_>>());
        for level in 0..self.levels {
            match level {
                0 => builder.row(Cone::NonNegative, &[(0, 1.0)], 0.0),
                _ => builder.row(Cone::NonNegative, &[(level - 1, -1.0), (level, 1.0)], 0.0),
            };
        }
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, SolverSettings, Tolerance, solve};

    fn worst_force_error(stack: &Stack, tolerance: f64) -> f64 {
        let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(tolerance));
        let solution = solve(&stack.problem().unwrap(), &settings).unwrap();
        let exact = stack.exact_impulses();
        solution.impulse().iter().zip(&exact).map(|(found, exact)| (found / exact - 1.0).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn forces_of_equal_masses_are_the_weights_above() {
        for mass in [1e-3, 1.0, 1e12] {
            let error = worst_force_error(&Stack { levels: 20, mass, ..Stack::default() }, 1e-10);
            assert!(error < 1e-8, "relative force error {error:.1e} with masses of {mass} kg");
        }
    }

    #[test]
    fn forces_stay_exact_when_each_body_is_ten_times_heavier_than_the_one_below() {
        for levels in [5, 10, 15] {
            // The residual is a velocity: it sees a force through the mass it moves. With masses up to 10¹⁵ it must be
            // as small as it can get before the small forces are right.
            let error = worst_force_error(&Stack { levels, ratio: 10.0, ..Stack::default() }, 1e-15);
            assert!(error < 1e-9, "relative force error {error:.1e} with {levels} levels");
        }
    }
}

//! Spheres in an open box as wide as the pile is high.

use super::settle::{self, Recipe};
use super::step::Step;
use super::{Container, Gaps, Packing};
use crate::{ConeProblem, ProblemError};

/// One time step of a pile of equal spheres in a box with a floor, four walls and no lid.
///
/// The box is as wide as the pile is high. The pile is made by geometry alone ([`SpherePacking::settle`]); the
/// problem is the DVI step (THEORY §4) from small random velocities under gravity.
///
/// ```
/// use signorini_solver::{InteriorPoint, family::SpherePacking, solve};
/// let packing = SpherePacking { bodies: 50, friction: 0.3, ..SpherePacking::default() };
/// let problem = packing.problem()?;
/// assert_eq!((problem.bodies(), problem.velocities()), (50, 300));
/// assert!(problem.contacts() > 2 * problem.bodies());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpherePacking {
    /// Number of spheres.
    pub bodies: usize,
    /// Coefficient of friction; 0 makes frictionless rows instead of cones.
    pub friction: f64,
    /// Radius \[m\].
    pub radius: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Time step h \[s\].
    pub step: f64,
    /// Pairs with a gap below this share of the radius are contacts.
    pub envelope: f64,
    /// What is done to the gaps of the settled pile.
    pub gaps: Gaps,
    /// Fastest correction of an overlap η \[m/s\].
    pub recovery_speed: f64,
    /// Largest component of the velocities before the step \[m/s\] (and of r ω).
    pub agitation: f64,
    /// Chooses one of many piles.
    pub seed: u64,
}

impl Default for SpherePacking {
    fn default() -> Self {
        Self {
            bodies: 1000,
            friction: 0.3,
            radius: 0.035,
            density: 1000.0,
            step: 0.01,
            envelope: 0.05,
            gaps: Gaps::Settled,
            recovery_speed: 0.3,
            agitation: 0.003,
            seed: 1,
        }
    }
}

impl SpherePacking {
    /// Makes the pile.
    #[must_use]
    pub fn settle(&self) -> Packing {
        settle::settle(&Recipe {
            bodies: self.bodies,
            radius: self.radius,
            container: Container::Box { width: settle::width_as_high(self.bodies) },
            lid: None,
            envelope: self.envelope,
            gaps: self.gaps,
            at_rest: false,
            lid_mass: 0.0,
            seed: self.seed,
        })
    }

    /// Makes the pile and the problem of one step.
    ///
    /// # Errors
    /// Sizes, densities or friction coefficients out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        self.problem_of(&self.settle())
    }

    /// The problem of one step of a given pile.
    ///
    /// # Errors
    /// As [`SpherePacking::problem`].
    pub fn problem_of(&self, packing: &Packing) -> Result<ConeProblem, ProblemError> {
        let step = Step {
            mass: self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3),
            lid: None,
            friction: self.friction,
            step: self.step,
            recovery_speed: self.recovery_speed,
            agitation: self.agitation,
            seed: self.seed,
        };
        step.problem(packing)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GRAVITY, dot};
    use super::*;
    use crate::{InteriorPoint, SolverSettings, Tolerance, solve};

    #[test]
    fn settled_piles_have_thin_contacts_and_as_many_as_real_ones() {
        for bodies in [1, 2, 10, 100, 1000] {
            let spheres = SpherePacking { bodies, ..Default::default() };
            let pile = spheres.settle();
            let deepest = pile.contacts.iter().map(|c| -c.gap / pile.radius).fold(0.0, f64::max);
            let per_body = pile.contacts.len() as f64 / bodies as f64;
            let Container::Box { width } = pile.container else { unreachable!() };
            let highest = pile.positions.iter().map(|p| p[2]).fold(0.0, f64::max) + pile.radius;
            assert!(deepest < 2e-3, "{bodies} bodies: deepest overlap {deepest:.1e} radii");
            assert!(bodies < 100 || (3.0..4.7).contains(&per_body), "{bodies} bodies: {per_body:.2} contacts a body");
            assert!(bodies < 100 || (0.7..1.5).contains(&(highest / width)), "{bodies}: {highest} {}", width);
            for position in &pile.positions {
                assert!(position[2] > 0.9 * pile.radius && position[2] < 2.0 * width + 4.0 * pile.radius);
            }
        }
    }

    #[test]
    fn contacts_are_all_the_pairs_within_the_envelope() {
        let pile = SpherePacking { bodies: 60, ..Default::default() }.settle();
        let mut pairs = 0;
        for (j, q) in pile.positions.iter().enumerate() {
            for p in &pile.positions[..j] {
                let distance = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
                pairs += usize::from(distance - 2.0 * pile.radius < 0.05 * pile.radius);
            }
        }
        assert_eq!(pairs, pile.contacts.iter().filter(|c| c.a.is_some()).count());
    }

    /// Momentum of the whole pile: the floor and walls must take what gravity gave, up to the motion left.
    #[test]
    fn piles_rest_on_the_floor_after_the_step() {
        for friction in [0.0, 0.3] {
            let spheres = SpherePacking { bodies: 200, friction, ..Default::default() };
            let pile = spheres.settle();
            let problem = spheres.problem_of(&pile).unwrap();
            let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
            let solution = solve(&problem, &settings).unwrap();
            let fastest = solution.velocity().chunks(6).map(|v| dot([v[0], v[1], v[2]], [v[0], v[1], v[2]]).sqrt());
            let fastest = fastest.fold(0.0, f64::max);
            // Free fall gives h g = 0.0981 m/s, an overlap is opened with up to 0.3 m/s.
            assert!(fastest < 0.3, "friction {friction}: {fastest} m/s");
            assert!(solution.report.residuals.natural_map_relative < 1e-10, "{:?}", solution.report.residuals);
            let mean = solution.velocity().chunks(6).map(|v| v[2]).sum::<f64>() / 200.0;
            assert!(mean.abs() < 0.25 * spheres.step * GRAVITY, "mean vertical speed {mean}");
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_pile_and_another_seed_another() {
        let make = |seed| SpherePacking { bodies: 80, seed, ..Default::default() }.problem().unwrap();
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }
}

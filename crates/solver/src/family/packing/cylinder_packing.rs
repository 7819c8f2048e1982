//! Spheres in an upright cylinder, free on top or under a heavy lid.

use super::settle::{self, Recipe};
use super::step::Step;
use super::{Container, Gaps, Lid, Packing};
use crate::{ConeProblem, ProblemError};

/// One time step of a pile of equal spheres in a cylinder with a floor.
///
/// The default is the smallest pile of test problem 2 of the paper on Krylov and spectral methods for frictionless
/// contact; [`CylinderPacking::under_lid`] is its test problem 3. The piles are made by geometry alone
/// ([`CylinderPacking::settle`]); the problem is the DVI step (THEORY §4) from small random velocities under gravity.
///
/// ```
/// use signorini_solver::family::CylinderPacking;
/// let packing = CylinderPacking { bodies: 50, cylinder_radius: 0.5, ..CylinderPacking::under_lid(1000.0) };
/// let packing = CylinderPacking { lid: None, ..packing };
/// let problem = packing.problem()?;
/// assert_eq!((problem.bodies(), problem.velocities()), (50, 300));
/// assert!(problem.contacts() > 2 * problem.bodies());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CylinderPacking {
    /// Number of spheres.
    pub bodies: usize,
    /// Inner radius of the cylinder \[m\], at least that of a sphere.
    pub cylinder_radius: f64,
    /// A heavy body on top of the spheres; it is the last body of the problem.
    pub lid: Option<Lid>,
    /// Coefficient of friction; 0 makes frictionless rows instead of cones.
    pub friction: f64,
    /// Radius of a sphere \[m\].
    pub radius: f64,
    /// Mass of a sphere \[kg\].
    pub mass: f64,
    /// Time step h \[s\].
    pub step: f64,
    /// Pairs with a gap below this share of the radius are contacts.
    pub envelope: f64,
    /// What is done to the gaps of the settled pile.
    pub gaps: Gaps,
    /// Fastest correction of an overlap η \[m/s\].
    pub recovery_speed: f64,
    /// Largest component of the velocities of the spheres before the step \[m/s\] (and of r ω).
    pub agitation: f64,
    /// Chooses one of many piles.
    pub seed: u64,
}

impl Default for CylinderPacking {
    fn default() -> Self {
        Self {
            bodies: 1000,
            cylinder_radius: 2.0,
            lid: None,
            friction: 0.0,
            radius: 0.1,
            mass: 6.28,
            step: 0.01,
            envelope: 0.05,
            gaps: Gaps::Settled,
            recovery_speed: 0.3,
            agitation: 0.003,
            seed: 1,
        }
    }
}

impl CylinderPacking {
    /// 1000 spheres in a cylinder of radius 1.5 m under a lid of radius 1.125 m and this mass \[kg\].
    #[must_use]
    pub fn under_lid(mass: f64) -> Self {
        Self { cylinder_radius: 1.5, lid: Some(Lid { mass, ..Lid::default() }), ..Self::default() }
    }

    /// Makes the pile. The mass of the lid has no part in it.
    #[must_use]
    pub fn settle(&self) -> Packing {
        settle::settle(&Recipe {
            bodies: self.bodies,
            radius: self.radius,
            container: Container::Cylinder { radius: self.cylinder_radius / self.radius },
            lid: self.lid.as_ref(),
            envelope: self.envelope,
            gaps: self.gaps,
            seed: self.seed,
        })
    }

    /// Makes the pile and the problem of one step.
    ///
    /// # Errors
    /// Sizes, masses or friction coefficients out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        self.problem_of(&self.settle())
    }

    /// The problem of one step of a given pile, which has a lid if this has one.
    ///
    /// # Errors
    /// As [`CylinderPacking::problem`].
    pub fn problem_of(&self, packing: &Packing) -> Result<ConeProblem, ProblemError> {
        let step = Step {
            mass: self.mass,
            lid: self.lid.as_ref(),
            friction: self.friction,
            step: self.step,
            recovery_speed: self.recovery_speed,
            agitation: self.agitation,
            seed: self.seed,
        };
        step.problem(packing)
    }
}

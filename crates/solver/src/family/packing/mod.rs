//! Spheres settled in an open box: the standard problem of granular dynamics, of any size.

mod cells;
mod settle;

use super::{GRAVITY, Generator};
use crate::{Cone, ConeProblem, ProblemError};

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

/// How the gaps of the geometry enter the problem. It decides how hard the problem is with friction.
///
/// Overlaps, however small, of spheres wedged between two walls can only open by rising, for which the relaxed law
/// must open the walls first: that takes large impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gaps {
    /// As the geometry has them, with overlaps up to 1e-4 radii. Piles of time-steppers are like this: a third to
    /// a half of their contacts overlap, none has a gap of exactly zero.
    #[default]
    Settled,
    /// The pile is enlarged until nothing overlaps: v = 0 is admissible.
    Loosened,
    /// Contacts closer than 1e-3 radii get the gap 0: v = 0 is admissible, and gaps differ from the positions.
    Closed,
}

impl Gaps {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Settled, Self::Loosened, Self::Closed];
    /// The name used on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Loosened => "loosened",
            Self::Closed => "closed",
        }
    }
}

/// A settled pile: the geometry a problem is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    /// Centres of the spheres \[m\]; the floor is z = 0, the walls are at 0 and `width` in x and y.
    pub positions: Vec<[f64; 3]>,
    /// Radius of every sphere \[m\].
    pub radius: f64,
    /// Inner width of the square box \[m\].
    pub width: f64,
    /// All pairs closer than the envelope.
    pub contacts: Vec<PackedContact>,
}

/// Two spheres, or a sphere and the box, near or at contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedContact {
    /// Body A; `None` is the box.
    pub a: Option<usize>,
    /// Body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance of the surfaces Φ \[m\], negative when they overlap.
    pub gap: f64,
}

impl SpherePacking {
    /// Makes the pile.
    #[must_use]
    pub fn settle(&self) -> Packing {
        settle::settle(self)
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
        let mass = self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3);
        let inertia = 0.4 * mass * self.radius * self.radius;
        let masses = [mass, mass, mass, inertia, inertia, inertia];
        let mut generator = Generator::new(self.seed ^ 0x76_656c_6f63_6974);
        let mut builder = ConeProblem::builder();
        let mut c = Vec::with_capacity(6 * packing.positions.len());
        for _ in &packing.positions {
            builder.diagonal_body(&masses);
            // c = −(M v + h f)
            let (velocity, spin) = (generator.vector(self.agitation), generator.vector(self.agitation / self.radius));
            c.extend([-mass * velocity[0], -mass * velocity[1], -mass * (velocity[2] - self.step * GRAVITY)]);
            c.extend(spin.map(|spin| -inertia * spin));
        }
        builder.linear(&c);
        for contact in &packing.contacts {
            let b = -(contact.gap / self.step).max(-self.recovery_speed);
            if self.friction == 0.0 {
                builder.row(Cone::NonNegative, &contact.row(contact.normal, self.radius), b);
            } else {
                let frame = frame(contact.normal);
                let rows = frame.map(|direction| contact.row(direction, self.radius));
                let rows = rows.each_ref().map(Vec::as_slice);
                builder.rows(Cone::Friction { mu: self.friction }, &rows, &[b, 0.0, 0.0]);
            }
        }
        builder.build()
    }
}

impl PackedContact {
    /// Speed of B relative to A at the contact along `direction`, as a row over 6 velocities a body.
    ///
    /// d·(v + ω×s) = d·v + (s×d)·ω with s = −r n on B and +r n on A (THEORY §2; body axes = absolute axes here).
    fn row(&self, direction: [f64; 3], radius: f64) -> Vec<(usize, f64)> {
        let moment = cross(self.normal, direction).map(|x| -radius * x);
        let mut row = Vec::with_capacity(12);
        for axis in 0..3 {
            row.push((6 * self.b + axis, direction[axis]));
            row.push((6 * self.b + 3 + axis, moment[axis]));
            if let Some(a) = self.a {
                row.push((6 * a + axis, -direction[axis]));
                row.push((6 * a + 3 + axis, moment[axis]));
            }
        }
        row.retain(|(_, value)| *value != 0.0);
        row
    }
}

/// The frame n, t₁, t₂ of a unit normal; right-handed, and continuous except at n_z = −1.
pub(super) fn frame(n: [f64; 3]) -> [[f64; 3]; 3] {
    // Duff et al. 2017, eq. 7: no square root, no branch but a sign.
    let sign = 1.0f64.copysign(n[2]);
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    [n, [1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]], [b, sign + n[1] * n[1] * a, -n[1]]]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, SolverSettings, Tolerance, solve};

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn contact_frames_are_orthonormal_and_right_handed() {
        let mut generator = Generator::new(3);
        for _ in 0..100 {
            let z = generator.vector(1.0);
            let n = z.map(|x| x / dot(z, z).sqrt());
            let [n, t1, t2] = frame(n);
            assert!(
                dot(n, t1).abs() < 1e-15 && dot(n, t2).abs() < 1e-15 && (dot(cross(n, t1), t2) - 1.0).abs() < 1e-14
            );
        }
    }

    #[test]
    fn settled_piles_have_thin_contacts_and_as_many_as_real_ones() {
        for bodies in [1, 2, 10, 100, 1000] {
            let spheres = SpherePacking { bodies, ..Default::default() };
            let pile = spheres.settle();
            let deepest = pile.contacts.iter().map(|c| -c.gap / pile.radius).fold(0.0, f64::max);
            let per_body = pile.contacts.len() as f64 / bodies as f64;
            let highest = pile.positions.iter().map(|p| p[2]).fold(0.0, f64::max) + pile.radius;
            assert!(deepest < 2e-3, "{bodies} bodies: deepest overlap {deepest:.1e} radii");
            assert!(bodies < 100 || (3.0..4.7).contains(&per_body), "{bodies} bodies: {per_body:.2} contacts a body");
            assert!(bodies < 100 || (0.7..1.5).contains(&(highest / pile.width)), "{bodies}: {highest} {}", pile.width);
            for position in &pile.positions {
                assert!(position[2] > 0.9 * pile.radius && position[2] < 2.0 * pile.width + 4.0 * pile.radius);
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

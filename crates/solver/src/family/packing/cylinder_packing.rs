//! Spheres in an upright cylinder, free on top or under a heavy lid.

use super::settle::{self, Recipe};
use super::step::Step;
use super::{Container, Gaps, Lid, Packing};
use crate::{ConeProblem, ProblemError};

/// One time step of a pile of equal spheres in a cylinder with a floor.
///
/// The pile is at rest without friction ([`CylinderPacking::settle`]): its contacts carry the weight. The problem is the
/// DVI step (THEORY §4) from small random velocities under gravity. [`CylinderPacking::test_problems`] lists those
/// modelled on a publication.
///
/// ```
/// use signorini_solver::family::CylinderPacking;
/// let packing = CylinderPacking { bodies: 50, cylinder_radius: 0.5, ..CylinderPacking::default() };
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

/// The published mass of a sphere \[kg\], 1500 kg/m³ at the radius of 0.1 m.
#[expect(clippy::approx_constant, reason = "a mass as published, not a turn")]
const MASS: f64 = 6.28;

impl Default for CylinderPacking {
    fn default() -> Self {
        Self {
            bodies: 1000,
            cylinder_radius: 2.0,
            lid: None,
            friction: 0.0,
            radius: 0.1,
            mass: MASS,
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
        let lid = Some(Lid { mass, ..Lid::default() });
        Self { cylinder_radius: 1.5, lid, envelope: 0.225, ..Self::default() }
    }

    /// Piles like those on which Krylov and spectral methods for frictionless contact were first compared, with
    /// their names.
    ///
    /// Bodies, sizes and masses are the published ones. The piles themselves are not published: the envelopes are
    /// chosen to have the published number of contacts within 1 %: 3525 in the first problem, of which no more than
    /// the number of bodies is known; 3634, 8507 and 17161 in the second; 4295 under the lids of the third.
    #[must_use]
    pub fn test_problems() -> [(&'static str, Self); 7] {
        let free = |bodies, envelope, seed| Self { bodies, envelope, seed, ..Self::default() };
        [
            ("krylov-1", free(1000, 0.04, 2)),
            ("krylov-2-1000", free(1000, 0.05, 1)),
            ("krylov-2-2000", free(2000, 0.185, 1)),
            ("krylov-2-4000", free(4000, 0.185, 1)),
            ("krylov-3-1t", Self::under_lid(1000.0)),
            ("krylov-3-4t", Self::under_lid(4000.0)),
            ("krylov-3-16t", Self::under_lid(16000.0)),
        ]
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
            at_rest: true,
            lid_mass: self.lid.as_ref().map_or(0.0, |lid| lid.settling_mass / self.mass),
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

#[cfg(test)]
mod tests {
    use super::super::{GRAVITY, PackedContact, cross, dot, frame};
    use super::*;
    use crate::{InteriorPoint, Solution, SolverSettings, Tolerance, solve};

    /// Overlaps left, in radii.
    const OVERLAP: f64 = 2e-4;

    fn solved(problem: &ConeProblem) -> Solution {
        let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
        let solution = solve(problem, &settings).unwrap();
        assert!(solution.report.residuals.natural_map_relative < 1e-10, "{:?}", solution.report.residuals);
        solution
    }

    fn small_under_lid() -> CylinderPacking {
        let lid = Lid { radius: 0.55, height: 0.3, mass: 150.0, settling_mass: 100.0 };
        CylinderPacking { bodies: 250, cylinder_radius: 0.8, lid: Some(lid), ..CylinderPacking::under_lid(1.0) }
    }

    /// Gap between a sphere and a solid cylinder whose axis is z, centre at the origin; the sphere's centre outside.
    fn gap_to_solid(centre: [f64; 3], lid: &Lid, radius: f64) -> f64 {
        let beyond = (centre[0].hypot(centre[1]) - lid.radius).max(0.0);
        beyond.hypot((centre[2].abs() - 0.5 * lid.height).max(0.0)) - radius
    }

    #[test]
    fn spheres_are_inside_and_overlap_by_no_more_than_stated_and_contacts_are_all_within_the_envelope() {
        let free = |bodies| CylinderPacking { bodies, cylinder_radius: 0.7, ..Default::default() };
        let narrow = CylinderPacking { bodies: 40, cylinder_radius: 0.15, ..Default::default() };
        let loose = CylinderPacking { gaps: Gaps::Loosened, ..small_under_lid() };
        for packing in [free(1), free(2), free(30), free(300), narrow, small_under_lid(), loose] {
            let pile = packing.settle();
            let r = pile.radius;
            let Container::Cylinder { radius: cylinder } = pile.container else { unreachable!() };
            assert!((cylinder / packing.cylinder_radius - 1.0).abs() < OVERLAP);
            let overlap = if packing.gaps == Gaps::Loosened { 1e-12 } else { OVERLAP };
            let reach = packing.envelope * r;
            let mut contacts = 0;
            for (j, q) in pile.positions.iter().enumerate() {
                let mut gaps = vec![q[2] - r, cylinder - q[0].hypot(q[1]) - r];
                for p in &pile.positions[..j] {
                    let apart: [f64; 3] = std::array::from_fn(|k| q[k] - p[k]);
                    gaps.push(dot(apart, apart).sqrt() - 2.0 * r);
                }
                if let Some(lid) = &pile.lid {
                    let shape = packing.lid.as_ref().unwrap();
                    let from_lid = std::array::from_fn(|k| q[k] - lid.centre[k]);
                    gaps.push(gap_to_solid(from_lid, shape, r));
                }
                assert!(gaps.iter().all(|gap| *gap > -overlap * r), "sphere {j}: {gaps:?}");
                contacts += gaps.iter().filter(|gap| **gap < reach).count();
            }
            assert_eq!(contacts, pile.contacts.len(), "{} bodies", packing.bodies);
            assert!(pile.contacts.iter().all(|contact| (dot(contact.normal, contact.normal) - 1.0).abs() < 1e-14));
        }
    }

    /// Momentum of all bodies together, and of the lid alone, from the normals and the impulses.
    #[test]
    fn impulses_of_floor_and_walls_are_the_weight_and_the_change_of_momentum() {
        let free = CylinderPacking { bodies: 300, cylinder_radius: 0.8, agitation: 0.0, ..Default::default() };
        let under = CylinderPacking { agitation: 0.0, ..small_under_lid() };
        for (packing, friction) in [(&free, 0.0), (&free, 0.3), (&under, 0.0), (&under, 0.3)] {
            let packing = CylinderPacking { friction, ..packing.clone() };
            let pile = packing.settle();
            let solution = solved(&packing.problem_of(&pile).unwrap());
            let rows = if friction == 0.0 { 1 } else { 3 };
            let (mut outside, mut on_lid, mut torque) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            for (contact, g) in pile.contacts.iter().zip(solution.impulse().chunks(rows)) {
                let frame = frame(contact.normal);
                let on_b: [f64; 3] = std::array::from_fn(|k| (0..rows).map(|row| frame[row][k] * g[row]).sum());
                match (contact.a, &pile.lid) {
                    (None, _) => (0..3).for_each(|k| outside[k] += on_b[k]),
                    (Some(a), Some(lid)) if a == packing.bodies => {
                        let (q, n) = (pile.positions[contact.b], contact.normal);
                        let arm = std::array::from_fn(|k| q[k] - (pile.radius + contact.gap) * n[k] - lid.centre[k]);
                        let moment = cross(arm, on_b);
                        (0..3).for_each(|k| on_lid[k] -= on_b[k]);
                        (0..3).for_each(|k| torque[k] -= moment[k]);
                    }
                    _ => {}
                }
            }
            let lid_mass = packing.lid.as_ref().map_or(0.0, |lid| lid.mass);
            let mut momentum = [0.0; 3];
            for (body, v) in solution.velocity().chunks(6).enumerate() {
                let mass = if body < packing.bodies { packing.mass } else { lid_mass };
                (0..3).for_each(|k| momentum[k] += mass * v[k]);
            }
            let weight = packing.step * GRAVITY * (packing.mass * packing.bodies as f64 + lid_mass);
            momentum[2] += weight;
            for k in 0..3 {
                assert!((outside[k] - momentum[k]).abs() < 1e-8 * weight, "{k}: {outside:?} {momentum:?}");
            }
            if let Some(lid) = &packing.lid {
                let v = &solution.velocity()[6 * packing.bodies..];
                let (m, radius, height) = (lid.mass, lid.radius, lid.height);
                let tilting = m * (radius * radius / 4.0 + height * height / 12.0);
                let spin = [tilting * v[3], tilting * v[4], m * radius * radius / 2.0 * v[5]];
                let change = [m * v[0], m * v[1], m * (v[2] + packing.step * GRAVITY)];
                for k in 0..3 {
                    assert!((on_lid[k] - change[k]).abs() < 1e-8 * weight, "lid {k}: {on_lid:?} {change:?}");
                    assert!((torque[k] - spin[k]).abs() < 1e-8 * weight * radius, "lid {k}: {torque:?} {spin:?}");
                }
            }
        }
    }

    /// One step from rest: an unsupported sphere falls with h g. Without friction piles creep; these do so with less than
    /// a twentieth of that in the mean (a tenth under a lid), and with less than 1 % of the energy of the free fall.
    #[test]
    fn piles_stand_still() {
        let light = CylinderPacking { agitation: 0.0, ..CylinderPacking::under_lid(1000.0) };
        let free = |bodies| CylinderPacking { bodies, agitation: 0.0, ..Default::default() };
        for packing in [free(1000), free(2000), light] {
            let pile = packing.settle();
            let solution = solved(&packing.problem_of(&pile).unwrap());
            let free_fall = packing.step * GRAVITY;
            let speeds: Vec<f64> =
                solution.velocity().chunks(6).map(|v| dot([v[0], v[1], v[2]], [v[0], v[1], v[2]]).sqrt()).collect();
            let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
            let fastest = speeds.iter().copied().fold(0.0, f64::max);
            // The lid was level while the pile came to rest; in the step it may tilt, which moves some spheres more.
            let slow = if packing.lid.is_some() { 0.1 } else { 0.05 };
            assert!(mean < slow * free_fall && fastest < free_fall, "{} bodies: {mean} {fastest}", packing.bodies);
            let mass = |body| if body < packing.bodies { packing.mass } else { 1000.0 };
            let moving: f64 = speeds.iter().enumerate().map(|(body, v)| mass(body) * v * v).sum();
            let given: f64 = (0..speeds.len()).map(|body| mass(body) * free_fall * free_fall).sum();
            assert!(moving < 0.01 * given, "{} bodies: {moving} of {given}", packing.bodies);
        }
    }

    /// R(φ) x by Rodrigues' formula.
    fn rotated(x: [f64; 3], rotation: [f64; 3]) -> [f64; 3] {
        let angle = dot(rotation, rotation).sqrt();
        if angle == 0.0 {
            return x;
        }
        let axis = rotation.map(|k| k / angle);
        let (sin, cos) = angle.sin_cos();
        let (across, along) = (cross(axis, x), dot(axis, x));
        std::array::from_fn(|k| cos * x[k] + sin * across[k] + (1.0 - cos) * along * axis[k])
    }

    #[test]
    fn rows_of_the_lid_are_the_derivatives_of_the_gap_and_of_the_slip() {
        let packing = small_under_lid();
        let mut pile = packing.settle();
        let (shape, lid, r) = (packing.lid.clone().unwrap(), pile.lid.unwrap(), pile.radius);
        // Contacts with the rim and the side, which few piles have, besides those with the bottom.
        let last = packing.bodies;
        for (b, offset, normal) in
            [(0, [0.0, -0.55, -0.15], [0.0, -0.6, -0.8]), (1, [0.33, 0.44, 0.02], [0.6, 0.8, 0.0])]
        {
            pile.positions[b] = std::array::from_fn(|k| lid.centre[k] + offset[k] + (r + 1e-3) * normal[k]);
            pile.contacts.push(PackedContact { a: Some(last), b, normal, gap: 1e-3 });
        }
        let touching: Vec<_> = pile.contacts.iter().filter(|c| c.a == Some(last) && c.b > 1 || c.gap == 1e-3).collect();
        assert!(touching.len() > 12, "{}", touching.len());
        for contact in touching {
            let centre = pile.positions[contact.b];
            let point: [f64; 3] = std::array::from_fn(|k| centre[k] - (r + contact.gap) * contact.normal[k]);
            for (row, direction) in frame(contact.normal).into_iter().enumerate() {
                let entries = pile.row(contact, direction);
                for velocity in 0..12 {
                    let (body, axis) = (if velocity < 6 { contact.b } else { last }, velocity % 6);
                    // Where things are after the motion of one velocity for a time: gap, and slip of material points.
                    let after = |time: f64| {
                        let motion = |of: usize, first: usize| -> [f64; 3] {
                            std::array::from_fn(|k| if of == body && axis == first + k { time } else { 0.0 })
                        };
                        let moved = |of: usize, x: [f64; 3], about: [f64; 3]| -> [f64; 3] {
                            let turned = rotated(std::array::from_fn(|k| x[k] - about[k]), motion(of, 3));
                            std::array::from_fn(|k| turned[k] + about[k] + motion(of, 0)[k])
                        };
                        if row == 0 {
                            // The sphere seen from the lid: x ↦ Rᵀ(x − c − t).
                            let seen = std::array::from_fn(|k| {
                                moved(contact.b, centre, centre)[k] - lid.centre[k] - motion(last, 0)[k]
                            });
                            gap_to_solid(rotated(seen, motion(last, 3).map(|x| -x)), &shape, r)
                        } else {
                            let on_b = std::array::from_fn(|k| centre[k] - r * contact.normal[k]);
                            let (on_b, on_a) = (moved(contact.b, on_b, centre), moved(last, point, lid.centre));
                            dot(direction, std::array::from_fn(|k| on_b[k] - on_a[k]))
                        }
                    };
                    let time = 1e-5;
                    let difference = (after(time) - after(-time)) / (2.0 * time);
                    let column = 6 * body + axis;
                    let entry: f64 = entries.iter().filter(|(i, _)| *i == column).map(|(_, value)| value).sum();
                    // Rounding 1e-16/1e-5, curvature 1e-10; near the rim the gap has a kink in its second derivative.
                    assert!((entry - difference).abs() < 1e-8, "{contact:?} {row} {velocity}: {entry} {difference}");
                }
            }
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_pile_and_the_mass_of_the_lid_has_no_part_in_it() {
        let make = |seed, mass| {
            let lid = small_under_lid().lid.map(|lid| Lid { mass, ..lid });
            CylinderPacking { seed, lid, ..small_under_lid() }
        };
        assert_eq!(make(5, 100.0).problem().unwrap(), make(5, 100.0).problem().unwrap());
        assert_eq!(make(5, 100.0).settle(), make(5, 1600.0).settle());
        assert_ne!(make(5, 100.0).settle(), make(6, 100.0).settle());
    }

    #[test]
    fn test_problems_have_the_published_numbers_of_contacts_within_one_percent() {
        let published = [3525, 3634, 8507, 17161, 4295, 4295, 4295];
        for ((name, packing), published) in CylinderPacking::test_problems().into_iter().zip(published) {
            let problem = packing.problem().unwrap();
            let found = problem.contacts();
            assert!((found as f64 / f64::from(published) - 1.0).abs() < 0.01, "{name}: {found}, not {published}");
            assert_eq!(problem.bodies(), packing.bodies + usize::from(packing.lid.is_some()));
        }
    }
}

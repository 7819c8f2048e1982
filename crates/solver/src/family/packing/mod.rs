//! Spheres settled in a container: the standard problem of granular dynamics, of any size.

mod cells;
mod container;
mod cylinder_packing;
mod lid;
mod rest;
mod settle;
mod sphere_packing;
mod step;

use super::{GRAVITY, Generator};
pub use container::Container;
pub use cylinder_packing::CylinderPacking;
pub use lid::{Lid, PackedLid};
pub use sphere_packing::SpherePacking;

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
    /// Centres of the spheres \[m\]; the floor is z = 0.
    pub positions: Vec<[f64; 3]>,
    /// Radius of every sphere \[m\].
    pub radius: f64,
    /// What they lie in, lengths in m.
    pub container: Container,
    /// The lid on top, if there is one.
    pub lid: Option<PackedLid>,
    /// All pairs closer than the envelope.
    pub contacts: Vec<PackedContact>,
}

/// Two spheres, or a sphere and the container or the lid, near or at contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedContact {
    /// Body A; `None` is the container, the number of spheres is the lid.
    pub a: Option<usize>,
    /// Body B, a sphere.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance of the surfaces Φ \[m\], negative when they overlap.
    pub gap: f64,
}

impl Packing {
    /// Speed of B relative to A at the contact along `direction`, as a row over 6 velocities a body.
    ///
    /// d·(v + ω×s) = d·v + (s×d)·ω with s = −r n on B, s = +r n on a sphere A and s = p − x on the lid, p the contact
    /// and x its centre (THEORY §2; body axes = absolute axes here).
    pub(super) fn row(&self, contact: &PackedContact, direction: [f64; 3]) -> Vec<(usize, f64)> {
        let moment = cross(contact.normal, direction).map(|x| -self.radius * x);
        let mut row = Vec::with_capacity(12);
        for axis in 0..3 {
            row.push((6 * contact.b + axis, direction[axis]));
            row.push((6 * contact.b + 3 + axis, moment[axis]));
        }
        if let Some(a) = contact.a {
            // On a sphere both signs change, that of the arm and that of the speed. The product of the normal with
            // itself is exactly zero, which −r n × n, the arm formed first, is not.
            let moment = match &self.lid {
                Some(lid) if a == self.positions.len() => {
                    let reach = self.radius + contact.gap;
                    let centre = self.positions[contact.b];
                    let arm = std::array::from_fn(|k| centre[k] - reach * contact.normal[k] - lid.centre[k]);
                    cross(direction, arm)
                }
                _ => moment,
            };
            for axis in 0..3 {
                row.push((6 * a + axis, -direction[axis]));
                row.push((6 * a + 3 + axis, moment[axis]));
            }
        }
        row.retain(|(_, value)| *value != 0.0);
        row
    }
}

/// The frame n, t₁, t₂ of a unit normal; right-handed, and continuous except at n_z = −1.
fn frame(n: [f64; 3]) -> [[f64; 3]; 3] {
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
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

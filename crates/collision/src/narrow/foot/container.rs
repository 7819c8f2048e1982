//! The wall of a container around a cylinder or a truncated cone, open at both ends.
//!
//! The distance of a point is that from the cross-section of the wall, [`Section`], in the half plane of the point.
//!
//! A ball that nearly fills the container touches all around; one contact would let it swing from side to side. So for a
//! ball on the inner side the half planes at ±120° are looked at as well, with t = (p − P₀)·g along the inner side:
//!
//! ```text
//! t in [0, L]      → the wall:  d = (p − P₀)·n, the distance from the tangent plane
//! t < 0 or t > L   → the edge:  d = |p − P₀| or |p − P₁|
//! ```
//!
//! The inside is convex, hence it lies within each of its tangent planes.

use super::{FEET, Foot};
use crate::narrow::direction;
use crate::narrow::section::{Place, Section};
use glam::{DVec2, DVec3};

/// cos and sin of 0° and ±120°.
const AROUND: [DVec2; FEET] =
    [DVec2::new(1.0, 0.0), DVec2::new(-0.5, 0.866_025_403_784_438_6), DVec2::new(-0.5, -0.866_025_403_784_438_6)];

/// The wall of a container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall(Section);

impl Wall {
    pub(super) fn new(radii: [f64; 2], half_height: f64, thickness: f64) -> Self {
        Self(Section::new(radii, half_height, thickness))
    }

    /// The foot in the half plane of the point, and on the inner side those at ±120°.
    pub(super) fn feet(&self, point: DVec3, mut visit: impl FnMut(u64, Foot)) {
        // On the axis all directions are alike: x.
        let radial = point.truncate().try_normalize().unwrap_or(DVec2::X);
        let near = self.0.nearest(DVec2::new(point.truncate().length(), point.z));
        let within = near.place == Place::Inner && near.distance <= 0.0;
        if !within && !matches!(near.place, Place::Inner | Place::InnerEdge(_)) {
            let normal = (radial * near.normal.x).extend(near.normal.y);
            return visit(0, Foot { normal, distance: near.distance });
        }
        for (index, turn) in (0..).zip(AROUND) {
            let mut foot = self.foot_towards(radial.rotate(turn), point);
            // Next to an end that leans outwards t may be beyond it, though the point is in the wall.
            if within && index == 0 && foot.distance > 0.0 {
                foot = Foot { normal: (radial * near.normal.x).extend(near.normal.y), distance: near.distance };
            }
            visit(index, foot);
        }
    }

    fn foot_towards(&self, radial: DVec2, point: DVec3) -> Foot {
        let Section { ends, along, length, .. } = self.0;
        let across = point.truncate().dot(radial);
        let from_start = DVec2::new(across, point.z) - ends[0];
        let t = from_start.dot(along);
        let inwards = self.0.inwards();
        let wall_normal = (radial * inwards.x).extend(inwards.y);
        if (0.0..=length).contains(&t) {
            return Foot { normal: wall_normal, distance: from_start.dot(inwards) };
        }
        let end = ends[usize::from(t > 0.0)];
        let away = point - (radial * end.x).extend(end.y);
        let distance = away.length();
        Foot { normal: direction(away, distance).unwrap_or(wall_normal), distance }
    }

    /// See [`super::Solid::least_distance`].
    ///
    /// The distance D of the wall is 1-Lipschitz, so it is at least D − r in a ball of radius r. The feet at ±120° are no
    /// nearer than D but for one case: the point is beyond an end by s along the wall, D = √(d² + s²), and the other half
    /// plane, where t is smaller, sees the wall. There d′ ≥ d + s cot α ≥ D min(1, cot α) for the half angle α.
    pub(super) fn least_distance(&self, point: DVec3, radius: f64) -> f64 {
        let least = self.0.nearest(DVec2::new(point.truncate().length(), point.z)).distance - radius;
        if least > 0.0 { least / self.0.slope().abs().max(1.0) } else { least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feet(wall: &Wall, point: DVec3) -> Vec<Foot> {
        let mut found = Vec::new();
        wall.feet(point, |_, foot| found.push(foot));
        found
    }

    #[test]
    fn inside_a_cylinder_the_distance_is_that_to_the_inner_side_and_outside_that_to_the_outer_one() {
        let wall = Wall::new([2.0, 2.0], 1.0, 0.5);
        let inside = feet(&wall, DVec3::new(0.0, 1.5, 0.5))[0];
        assert_eq!((inside.distance, inside.normal), (0.5, -DVec3::Y));
        let within = feet(&wall, DVec3::new(-2.125, 0.0, 0.5))[0];
        assert_eq!((within.distance, within.normal), (-0.125, DVec3::X));
        let outside = feet(&wall, DVec3::new(-3.0, 0.0, 1.0));
        assert_eq!((outside[0].distance, outside[0].normal, outside.len()), (0.5, -DVec3::X, 1));
    }

    #[test]
    fn beyond_an_open_end_only_the_rim_is_felt() {
        let wall = Wall::new([2.0, 2.0], 1.0, 0.5);
        let above = feet(&wall, DVec3::new(1.4, 0.0, 1.8))[0];
        assert!((above.distance - 1.0).abs() < 1e-15);
        assert!((above.normal - DVec3::new(-0.6, 0.0, 0.8)).length() < 1e-15);
        let below_outside = feet(&wall, DVec3::new(2.8, 0.0, -1.4))[0];
        assert!((below_outside.distance - 0.5).abs() < 1e-15);
        assert!((below_outside.normal - DVec3::new(0.6, 0.0, -0.8)).length() < 1e-15);
        let over_the_ring = feet(&wall, DVec3::new(2.3, 0.0, -1.4))[0];
        assert!((over_the_ring.distance - 0.4).abs() < 1e-15 && over_the_ring.normal == -DVec3::Z);
    }

    #[test]
    fn on_the_rim_the_normal_is_that_of_the_wall() {
        let wall = Wall::new([1.0, 2.0], 1.0, 0.5);
        let rim = feet(&wall, DVec3::new(2.0, 0.0, 1.0))[0];
        assert!(rim.distance.abs() < 1e-15 && (rim.normal.length() - 1.0).abs() < 1e-15 && rim.normal.x < 0.0);
    }

    #[test]
    fn on_the_axis_of_a_cone_three_feet_balance() {
        // Half angle with tan = 3/4: normals (−0.8, 0.6) in the half plane; at z = 0 the radius is 3.
        let wall = Wall::new([1.5, 4.5], 2.0, 0.5);
        let feet = feet(&wall, DVec3::ZERO);
        assert!(feet.iter().all(|foot| (foot.distance - 0.8 * 3.0).abs() < 1e-14));
        let sum: DVec3 = feet.iter().map(|foot| foot.normal).sum();
        assert!((sum - DVec3::new(0.0, 0.0, 1.8)).length() < 1e-14);
    }
}

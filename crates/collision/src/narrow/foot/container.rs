//! The wall of a container: the inside of a cylinder or of a truncated cone, open at both ends.
//!
//! In a half plane through the axis, with x the distance from the axis, the wall is the segment from P₀ = (R₀, −H) to
//! P₁ = (R₁, H); g is its direction and n = (−g_z, g_x) its normal towards the axis. A point p has
//!
//! ```text
//! t = (p − P₀)·g in [0, L]  → the wall:  d = (p − P₀)·n, negative in the solid outside
//! t < 0 or t > L            → the rim:   d = |p − P₀| or |p − P₁|, never negative
//! ```
//!
//! so the wall is cut square at its ends, goes on outwards for ever, and beyond its ends only the edge is felt.
//!
//! A ball that nearly fills the container touches all around; one contact would let it swing from side to side. So the
//! half planes at ±120° are looked at as well. There d is the distance from the tangent plane: the inside is convex,
//! hence it lies within each of its tangent planes.

use super::{FEET, Foot};
use crate::narrow::direction;
use glam::{DVec2, DVec3};

/// cos and sin of 0° and ±120°.
const AROUND: [DVec2; FEET] =
    [DVec2::new(1.0, 0.0), DVec2::new(-0.5, 0.866_025_403_784_438_6), DVec2::new(-0.5, -0.866_025_403_784_438_6)];

/// The wall of a container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall {
    /// P₀ and P₁.
    ends: [DVec2; 2],
    /// g.
    along: DVec2,
    /// L.
    length: f64,
}

impl Wall {
    pub(super) fn new(bottom_radius: f64, top_radius: f64, half_height: f64) -> Self {
        let ends = [DVec2::new(bottom_radius, -half_height), DVec2::new(top_radius, half_height)];
        let length = ends[0].distance(ends[1]);
        Self { ends, along: (ends[1] - ends[0]).normalize_or(DVec2::Y), length }
    }

    /// n.
    fn inwards(&self) -> DVec2 {
        self.along.perp()
    }

    /// The foot in the half plane of the point, then those at ±120°.
    pub(super) fn feet(&self, point: DVec3) -> [Foot; FEET] {
        // On the axis all directions are alike: x.
        let radial = point.truncate().try_normalize().unwrap_or(DVec2::X);
        AROUND.map(|turn| self.foot_towards(radial.rotate(turn), point))
    }

    fn foot_towards(&self, radial: DVec2, point: DVec3) -> Foot {
        let across = point.truncate().dot(radial);
        let from_start = DVec2::new(across, point.z) - self.ends[0];
        let t = from_start.dot(self.along);
        let inwards = self.inwards();
        let wall_normal = (radial * inwards.x).extend(inwards.y);
        if (0.0..=self.length).contains(&t) {
            return Foot { normal: wall_normal, distance: from_start.dot(inwards) };
        }
        let end = self.ends[usize::from(t > 0.0)];
        let away = point - (radial * end.x).extend(end.y);
        let distance = away.length();
        Foot { normal: direction(away, distance).unwrap_or(wall_normal), distance }
    }

    /// See [`super::Solid::least_distance`]: d of the endless wall, unless the ball is beyond the ends all around.
    pub(super) fn least_distance(&self, point: DVec3, radius: f64) -> f64 {
        let across = point.truncate().length();
        let from_start = DVec2::new(across, point.z) - self.ends[0];
        let from_wall = from_start.dot(self.inwards()) - radius;
        // t in the half planes of the point and opposite of it: all others lie between.
        let [t, opposite] = [from_start.dot(self.along), (from_start - DVec2::new(2.0 * across, 0.0)).dot(self.along)];
        let beyond = (-t.max(opposite)).max(t.min(opposite) - self.length) - radius;
        if beyond > 0.0 { from_wall.max(beyond) } else { from_wall }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_a_cylinder_the_distance_is_that_to_the_wall_and_outside_it_is_negative() {
        let wall = Wall::new(2.0, 2.0, 1.0);
        let inside = wall.feet(DVec3::new(0.0, 1.5, 0.5))[0];
        assert_eq!((inside.distance, inside.normal), (0.5, -DVec3::Y));
        let outside = wall.feet(DVec3::new(-3.0, 0.0, 1.0))[0];
        assert_eq!((outside.distance, outside.normal), (-1.0, DVec3::X));
    }

    #[test]
    fn beyond_an_open_end_only_the_rim_is_felt() {
        let wall = Wall::new(2.0, 2.0, 1.0);
        let above = wall.feet(DVec3::new(1.4, 0.0, 1.8))[0];
        assert!((above.distance - 1.0).abs() < 1e-15);
        assert!((above.normal - DVec3::new(-0.6, 0.0, 0.8)).length() < 1e-15);
        let above_outside = wall.feet(DVec3::new(2.3, 0.0, -1.4))[0];
        assert!((above_outside.distance - 0.5).abs() < 1e-15);
        assert!((above_outside.normal - DVec3::new(0.6, 0.0, -0.8)).length() < 1e-15);
    }

    #[test]
    fn on_the_rim_the_normal_is_that_of_the_wall() {
        let wall = Wall::new(1.0, 2.0, 1.0);
        let rim = wall.feet(DVec3::new(2.0, 0.0, 1.0))[0];
        assert!(rim.distance.abs() < 1e-15 && (rim.normal.length() - 1.0).abs() < 1e-15 && rim.normal.x < 0.0);
    }

    #[test]
    fn on_the_axis_of_a_cone_three_feet_balance() {
        // Half angle with tan = 3/4: normals (−0.8, 0.6) in the half plane; at z = 0 the radius is 3.
        let wall = Wall::new(1.5, 4.5, 2.0);
        let feet = wall.feet(DVec3::ZERO);
        assert!(feet.iter().all(|foot| (foot.distance - 0.8 * 3.0).abs() < 1e-14));
        let sum: DVec3 = feet.iter().map(|foot| foot.normal).sum();
        assert!((sum - DVec3::new(0.0, 0.0, 1.8)).length() < 1e-14);
    }
}

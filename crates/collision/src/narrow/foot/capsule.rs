//! The axis of a capsule: the points (0, 0, z) with |z| ≤ half_height.

use super::Foot;
use crate::narrow::direction;
use glam::DVec3;

/// On the axis itself the normal is x: any normal across the axis would do, this one is the same every time.
#[inline]
pub(super) fn foot(half_height: f64, point: DVec3) -> Foot {
    let z = point.z.clamp(-half_height, half_height);
    let away = DVec3::new(point.x, point.y, point.z - z);
    let distance = away.length();
    Foot { normal: direction(away, distance).unwrap_or(DVec3::X), distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_axis_the_foot_is_beside_and_beyond_its_end_it_is_the_end() {
        let beside = foot(2.0, DVec3::new(3.0, 4.0, 1.5));
        assert_eq!((beside.distance, beside.normal), (5.0, DVec3::new(0.6, 0.8, 0.0)));
        let beyond = foot(2.0, DVec3::new(0.0, 3.0, -6.0));
        assert_eq!((beyond.distance, beyond.normal), (5.0, DVec3::new(0.0, 0.6, -0.8)));
    }

    #[test]
    fn on_the_axis_the_normal_is_finite_and_across() {
        assert_eq!(foot(1.0, DVec3::new(0.0, 0.0, 0.25)), Foot { normal: DVec3::X, distance: 0.0 });
    }
}

//! A box |x| ≤ a, |y| ≤ b, |z| ≤ c.
//!
//! outside: d = |p − q| with q the clamped point, n = (p − q)/d; inside: d = −min(a − |x|, b − |y|, c − |z|), n the
//! normal of that face, the first of equally near ones.

use super::Foot;
use crate::narrow::direction;
use glam::DVec3;

#[inline]
pub(super) fn foot(half: DVec3, point: DVec3) -> Foot {
    let away = point - point.clamp(-half, half);
    let distance = away.length();
    if let Some(normal) = direction(away, distance) {
        return Foot { normal, distance };
    }
    let depth = half - point.abs();
    let axis = if depth.x <= depth.y && depth.x <= depth.z {
        0
    } else if depth.y <= depth.z {
        1
    } else {
        2
    };
    let mut normal = DVec3::ZERO;
    normal[axis] = if point[axis] < 0.0 { -1.0 } else { 1.0 };
    Foot { normal, distance: -depth[axis] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: DVec3 = DVec3::new(1.0, 2.0, 3.0);

    #[test]
    fn a_face_an_edge_and_a_corner_are_met_by_their_distances() {
        assert_eq!(foot(HALF, DVec3::new(0.5, 2.5, -1.0)), Foot { normal: DVec3::Y, distance: 0.5 });
        let edge = foot(HALF, DVec3::new(4.0, 6.0, 0.0));
        assert_eq!((edge.distance, edge.normal), (5.0, DVec3::new(0.6, 0.8, 0.0)));
        let corner = foot(HALF, -HALF - DVec3::new(1.0, 2.0, 2.0));
        assert_eq!(corner.distance, 3.0);
        assert!((corner.normal + DVec3::new(1.0, 2.0, 2.0) / 3.0).length() < 1e-15);
    }

    #[test]
    fn inside_the_nearest_face_counts() {
        assert_eq!(foot(HALF, DVec3::new(0.25, -1.5, 0.0)), Foot { normal: -DVec3::Y, distance: -0.5 });
        assert_eq!(foot(HALF, DVec3::ZERO), Foot { normal: DVec3::X, distance: -1.0 });
    }

    #[test]
    fn on_a_face_the_normal_is_that_of_the_face() {
        assert_eq!(foot(HALF, DVec3::new(0.0, 0.0, -3.0)), Foot { normal: -DVec3::Z, distance: 0.0 });
    }
}

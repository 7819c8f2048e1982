//! Two spheres: g = |c_B − c_A| − r_A − r_B, n = (c_B − c_A)/|c_B − c_A|.

use super::{Touch, direction};
use glam::DVec3;

/// The contact of two spheres (centre, radius) when its gap is below `limit`. Spheres about one point part along z.
#[inline]
pub(crate) fn sphere_sphere(a: (DVec3, f64), b: (DVec3, f64), limit: f64) -> Option<Touch> {
    let between = b.0 - a.0;
    let distance = between.length();
    let gap = distance - a.1 - b.1;
    if gap < limit {
        let normal = direction(between, distance).unwrap_or(DVec3::Z);
        return Some(Touch { points: [a.0 + normal * a.1, b.0 - normal * b.1], normal, gap });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_what_is_left_between_the_surfaces() {
        let touch = sphere_sphere((DVec3::ZERO, 1.0), (DVec3::new(3.0, 0.0, 4.0), 2.0), 2.5).unwrap();
        assert_eq!(touch.gap, 2.0);
        assert_eq!(touch.points, [DVec3::new(0.6, 0.0, 0.8), DVec3::new(1.8, 0.0, 2.4)]);
        assert!(sphere_sphere((DVec3::ZERO, 1.0), (DVec3::new(3.0, 0.0, 4.0), 2.0), 2.0).is_none());
    }

    #[test]
    fn spheres_about_one_point_part_along_z() {
        let touch = sphere_sphere((DVec3::ONE, 1.0), (DVec3::ONE, 2.0), 0.0).unwrap();
        assert_eq!((touch.gap, touch.normal), (-3.0, DVec3::Z));
        assert!(touch.points.iter().all(|point| point.is_finite()));
        let close = sphere_sphere((DVec3::ZERO, 1.0), (DVec3::splat(1e-310), 2.0), 0.0).unwrap();
        assert!((close.normal.length() - 1.0).abs() < 1e-9, "{close:?}");
    }
}

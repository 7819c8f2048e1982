//! Where the nodes of a beam are.

use crate::{Quat, Vec3};

/// An arc of a circle: a point turned about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// A point of the axis \[m\].
    pub centre: Vec3,
    /// Its direction, of any length but 0.
    pub axis: Vec3,
    /// Where the arc starts \[m\].
    pub start: Vec3,
    /// How far it goes, counter-clockwise about the axis \[rad\].
    pub angle: f64,
}

impl Arc {
    /// Its points at equal angles, both ends included; NaN where the axis has no direction.
    #[must_use]
    pub fn points(&self, divisions: usize) -> Vec<Vec3> {
        let axis = self.axis.try_normalize().unwrap_or(Vec3::NAN);
        let point = |k: usize| {
            let turn = Quat::from_axis_angle(axis, self.angle * k as f64 / divisions as f64);
            self.centre + turn * (self.start - self.centre)
        };
        // glam asserts unit axes in debug builds: none is turned about.
        if axis.is_nan() || divisions == 0 {
            return vec![Vec3::NAN; divisions + 1];
        }
        (0..=divisions).map(point).collect()
    }
}

/// The points that divide every side of a polyline into equal parts; none where there are no parts.
pub(super) fn divided(corners: &[Vec3], divisions: usize) -> Vec<Vec3> {
    let side = |pair: &[Vec3]| {
        let [a, b] = [pair[0], pair[1]];
        (1..=divisions).map(move |k| if k == divisions { b } else { a.lerp(b, k as f64 / divisions as f64) })
    };
    corners.first().copied().into_iter().chain(corners.windows(2).flat_map(side)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_divided_and_corners_kept() {
        let points = divided(&[Vec3::ZERO, Vec3::X, Vec3::new(1.0, 3.0, 0.0)], 2);
        let expected = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.5], [1.0, 3.0]];
        assert_eq!(points, expected.map(|[x, y]| Vec3::new(x, y, 0.0)));
        assert_eq!(divided(&[Vec3::ZERO, Vec3::X], 0).len(), 1);
        assert!(divided(&[], 3).is_empty());
    }

    #[test]
    fn an_arc_stays_at_its_radius_and_ends_at_its_angle() {
        let arc = Arc { centre: Vec3::ONE, axis: Vec3::Z * 7.0, start: Vec3::new(3.0, 1.0, 5.0), angle: 1.5 };
        let points = arc.points(6);
        let end = Vec3::new(1.0 + 2.0 * 1.5_f64.cos(), 1.0 + 2.0 * 1.5_f64.sin(), 5.0);
        assert!(points.len() == 7 && (points[6] - end).length() < 1e-14, "{points:?}");
        assert!(points.iter().all(|p| ((*p - Vec3::ONE).truncate().length() - 2.0).abs() < 1e-14));
        assert!(Arc { axis: Vec3::ZERO, ..arc }.points(1)[0].is_nan());
    }
}

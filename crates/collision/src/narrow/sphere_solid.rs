//! A sphere against a solid with a closed form of its distance.

use super::Touch;
use super::foot::Solid;
use crate::Pose;
use glam::DVec3;

/// Every contact of a solid grown by `growth` (A) and a sphere (B: centre, radius) with a gap below `limit`, with the
/// number of its foot.
#[inline]
pub(crate) fn sphere_solid(
    (solid, pose, growth): (&Solid, &Pose, f64),
    (centre, radius): (DVec3, f64),
    limit: f64,
    mut emit: impl FnMut(u64, Touch),
) {
    solid.feet(pose, centre, |feature, foot| {
        let gap = foot.distance - growth - radius;
        if gap < limit {
            let points = [centre - foot.normal * (foot.distance - growth), centre - foot.normal * radius];
            emit(feature, Touch { points, normal: foot.normal, gap });
        }
    });
}

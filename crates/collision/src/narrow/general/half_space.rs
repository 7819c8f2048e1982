//! Half-spaces: every corner within reach is a contact, its gap the height above the plane.

use super::convex::View;
use super::feature::Feature;
use super::overlap::{CORNER_OF_B, Touch};
use glam::DVec3;

/// Contacts of the half-space n·x ≤ 0 with a core in the same frame, up to a height of the core.
pub(super) fn touch(n: DVec3, view: &View, core_reach: f64, feature: &mut Feature, found: &mut Vec<Touch>) {
    found.clear();
    if view.round.is_some() {
        // Fixed points of the rim and the deepest one, or the lowest line of the side.
        feature.take(view, -n, true);
        for (index, &point) in feature.points.iter().enumerate() {
            found.extend(corner(n, point, feature.vertex_names[index], core_reach));
        }
        return;
    }
    for (index, &vertex) in view.vertices.iter().enumerate() {
        found.extend(corner(n, vertex, index as u32, core_reach));
    }
}

/// The contact of one point with the plane.
pub(super) fn corner(n: DVec3, point: DVec3, name: u32, core_reach: f64) -> Option<Touch> {
    let gap = n.dot(point);
    let name = [CORNER_OF_B, 0, name];
    (gap < core_reach).then(|| Touch { a: point - n * gap, b: point, normal: n, gap, name })
}

//! Contacts of two convex cores.

use super::convex::View;
use super::feature::{Feature, has_face_across};
use super::gjk::closest_points;
use super::overlap::{CLOSEST, Plane, Touch};
use super::segments::end_contacts;
use super::separation::{APART, STABLE, Scratch, Search, Separation, TOUCHING, scale};

/// Corners this far outside the other feature still lie over it, relative to the smaller size: bricks whose edges are
/// flush keep their four corners whatever the rounding. The gap of a corner that passes an edge at this distance is too
/// small by no more than it.
const FLUSH: f64 = 1e-8;
/// A contact this close to s(n) proves that no direction separates more, relative to the size.
const PROVEN: f64 = 1e-12;

/// An approximate point this close to a corner is that corner, relative to the size.
const SAME: f64 = 1e-4;
/// Round cores that overlap less than this, relative to the size, face to face: another direction can part them no sooner
/// than by this much, and asking for it would make contacts flicker.
const SHALLOW: f64 = 1e-5;

/// Buffers of one pair of cores.
#[derive(Default)]
pub(super) struct Buffers {
    features: [Feature; 2],
    pub(super) found: Vec<Touch>,
    scratch: Scratch,
}

/// Fills `found` with the contacts of two cores whose gap may be below `reach`.
pub(super) fn touch(a: &View, b: &View, reach: f64, buffers: &mut Buffers) -> Option<Separation> {
    buffers.found.clear();
    let core_reach = reach + a.sweep + b.sweep;
    let mut search = Search::new(a, b);
    if let Some(face) = search.faces() {
        if face.gap >= core_reach {
            return None;
        }
        // Apart, and two points of the features are as close as the direction allows: no better direction exists.
        let round = a.round.is_some() || b.round.is_some();
        if face.gap >= 0.0 || (round && face.gap > -SHALLOW * scale(a, b)) {
            along(a, b, face, buffers);
            let closest = buffers.found.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            if closest <= face.gap + PROVEN * scale(a, b) {
                return Some(face);
            }
        }
    }
    let best = search.all(&mut buffers.scratch);
    if best.gap >= core_reach || best.gap.is_nan() {
        buffers.found.clear();
        return None;
    }
    along(a, b, best, buffers);
    // With such a normal two edges that are apart by up to `TOUCHING` are seen beside each other by as much.
    if buffers.found.is_empty() && is_touching(a, b, best) {
        along_within(a, b, best, TOUCHING, buffers);
    }
    complete(a, b, best, buffers);
    Some(best)
}

/// Whether a normal may have been preferred for its stability.
fn is_touching(a: &View, b: &View, best: Separation) -> bool {
    best.gap.abs() <= 2.0 * TOUCHING * scale(a, b)
}

/// Contacts along a given direction.
pub(super) fn along(a: &View, b: &View, direction: Separation, buffers: &mut Buffers) {
    along_within(a, b, direction, FLUSH, buffers);
}

/// The same, where corners beside the other feature by a part of the size lie over it.
fn along_within(a: &View, b: &View, direction: Separation, flush: f64, buffers: &mut Buffers) {
    let n = direction.normal;
    let across = has_face_across(a, n) || has_face_across(b, -n);
    let [feature_a, feature_b] = &mut buffers.features;
    feature_a.take(a, n, across);
    feature_b.take(b, -n, across);
    buffers.found.clear();
    let tolerance = flush * scale(a, b);
    if feature_a.points.len() == 2 && feature_b.points.len() == 2 {
        end_contacts(feature_a, feature_b, n, a.sweep + b.sweep, tolerance, &mut buffers.found);
    }
    if buffers.found.is_empty() || feature_a.points.len() != 2 || feature_b.points.len() != 2 {
        Plane::new(n).contacts(feature_a, feature_b, tolerance, &mut buffers.found);
    } else {
        Plane::new(n).crossing(feature_a, feature_b, tolerance, &mut buffers.found);
    }
}

/// The closest pair itself, where the features do not have it.
fn complete(a: &View, b: &View, best: Separation, buffers: &mut Buffers) {
    let closest = buffers.found.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
    // s(n) of a normal preferred for its stability may be lower than the gaps of the features, by what is allowed for it.
    let allowed = if is_touching(a, b, best) { 2.0 * STABLE } else { FLUSH };
    if closest <= best.gap + allowed * scale(a, b) {
        return;
    }
    let n = best.normal;
    let (on_a, index_a) = a.support(n);
    let (on_b, index_b) = b.support(-n);
    // B moved along n until the cores are a little apart: the closest points then are those that touch.
    let apart = || closest_points(a, b, n * (APART * scale(a, b) - best.gap)).map(|(p, _)| p);
    // Corners and rims are exact where the approximate point is one of them; otherwise it is between them.
    let corners = [on_a, on_b - n * best.gap];
    let point = match best.points.map(|(p, _)| p).or_else(apart) {
        Some(p) => corners.into_iter().find(|corner| (*corner - p).length() < SAME * scale(a, b)).unwrap_or(p),
        None => corners[0],
    };
    let name = [CLOSEST, index_a as u32, index_b as u32];
    buffers.found.push(Touch { a: point, b: point + n * best.gap, normal: n, gap: best.gap, name });
}

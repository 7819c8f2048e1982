//! Contacts of two segments: axes of capsules, sides of cylinders, edges.
//!
//! Lines that cross have one contact. Lines nearly parallel touch along a length, and one contact would let one roll on
//! the other: ends over the other segment are contacts as well. For swept segments each end has its own normal, towards the
//! closest point of the other, and its gap is exact at any angle. For sharp edges the common normal is used, while the
//! edges are parallel within a milliradian.

use super::feature::Feature;
use super::overlap::{CORNER_OF_A, CORNER_OF_B, Touch};
use glam::DVec3;

/// Sharp edges closer to parallel than this (sine) touch along a length.
const SHARP: f64 = 1e-3;
/// An end's own normal is used while its distance is above this part of the sweep.
const DISTANT: f64 = 1e-3;
/// An end's own normal may differ from the common one by 60°.
const SAME_SIDE: f64 = 0.5;

/// Adds the contacts of ends of two segments. `sweep`: sum of the radii around them.
pub(super) fn end_contacts(a: &Feature, b: &Feature, n: DVec3, sweep: f64, tolerance: f64, found: &mut Vec<Touch>) {
    let (d, e) = (a.points[1] - a.points[0], b.points[1] - b.points[0]);
    let parallel = d.cross(e).length() <= SHARP * d.length() * e.length();
    for (ends, others, of_a) in [(a, b, true), (b, a, false)] {
        for (index, &end) in ends.points.iter().enumerate() {
            let (p, side) = (others.points[0], others.points[1] - others.points[0]);
            let length = side.length();
            let along = side.dot(end - p) / length;
            if along.is_nan() || along < -tolerance || along > length + tolerance {
                continue;
            }
            let foot = p + side * (along / length);
            let (on_a, on_b) = if of_a { (end, foot) } else { (foot, end) };
            let distance = (on_b - on_a).length();
            let own = (on_b - on_a) / distance;
            let name = if of_a {
                [CORNER_OF_A, ends.vertex_names[index], 0]
            } else {
                [CORNER_OF_B, 0, ends.vertex_names[index]]
            };
            let touch = if distance > DISTANT * sweep && sweep > 0.0 && own.dot(n) > SAME_SIDE {
                Touch { a: on_a, b: on_b, normal: own, gap: distance, name }
            } else if parallel {
                let gap = n.dot(on_b - on_a);
                let (a, b) = if of_a { (end, end + n * gap) } else { (end - n * gap, end) };
                Touch { a, b, normal: n, gap, name }
            } else {
                continue;
            };
            if found.iter().all(|known| (known.a - touch.a).length() > tolerance) {
                found.push(touch);
            }
        }
    }
}

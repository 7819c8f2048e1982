//! An edge circle of a wall against the faces and edges of a core.
//!
//! The distance of a point of the circle from the core is a function of the angle; each of its local minima is a contact.
//! Where the nearest feature is a corner, the corner's own contact says the same.

use super::super::convex::View;
use super::super::overlap::{CLOSEST, Touch};
use super::least::minima_around;
use super::solid::{Nearest, nearest};
use glam::{DVec2, DVec3};

/// Names of contacts: so many of each circle and feature.
const PER_FEATURE: u32 = 8;
/// A local minimum no deeper than the contacts known by this part of the size says nothing new.
const KNOWN: f64 = 1e-9;

/// Adds the contacts of the circle of radius and height `edge`, the `number`-th of the wall.
pub(super) fn touch(view: &View, edge: DVec2, number: u32, core_reach: f64, found: &mut Vec<Touch>) {
    let at = |angle: f64| DVec3::new(edge.x * angle.cos(), edge.x * angle.sin(), edge.y);
    if edge.x <= 0.0 {
        // The tip of a funnel that is closed below.
        return found.extend(contact(view, at(0.0), number, 0, core_reach).map(|(touch, _)| touch));
    }
    let start = found.len();
    let closest = found.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
    // How far along the body each contact is: tells those of one feature apart, in an order fixed to the body.
    let mut places: Vec<(u32, f64)> = Vec::new();
    let value = |angle: f64| nearest(view, at(angle)).map_or(0.0, |near| near.distance);
    minima_around(&value, &mut |angle| {
        let Some((touch, near)) = contact(view, at(angle), number, 0, core_reach) else { return };
        let is_known = found[..start].iter().any(|known| {
            (known.a - touch.a).length() < KNOWN.sqrt() * view.size && known.normal.dot(touch.normal) > 1.0 - KNOWN
        });
        // Flat on a ring every angle is as good as another, and the contacts there are known.
        let is_flat = touch.normal.z.abs() > 1.0 - KNOWN && touch.gap >= closest - KNOWN * view.size;
        if !is_known && !is_flat {
            places.push((near.feature, direction(view, near.feature).dot(touch.b)));
            found.push(touch);
        }
    });
    for index in start..found.len() {
        let (feature, place) = places[index - start];
        let before = places.iter().filter(|(other, along)| *other == feature && *along < place).count() as u32;
        found[index].name = name(number, feature, before);
    }
}

fn name(number: u32, feature: u32, ordinal: u32) -> [u32; 3] {
    [CLOSEST, 1 + number, PER_FEATURE * feature + ordinal.min(PER_FEATURE - 1)]
}

/// The contact of one point of a circle, unless a corner of the core is nearest.
fn contact(view: &View, point: DVec3, number: u32, ordinal: u32, core_reach: f64) -> Option<(Touch, Nearest)> {
    let near = nearest(view, point).filter(|near| !near.is_corner && near.distance < core_reach)?;
    let (gap, normal) = (near.distance, near.towards);
    let name = name(number, near.feature, ordinal);
    Some((Touch { a: point, b: point + normal * gap, normal, gap, name }, near))
}

/// A direction fixed to the body along a feature.
fn direction(view: &View, feature: u32) -> DVec3 {
    if let Some(round) = &view.round {
        return round.axis + 0.5 * round.across;
    }
    let (faces, feature) = (view.topology.faces(), feature as usize);
    let ends = if feature < faces {
        let face = view.topology.face(feature);
        [view.topology.corners[face.start], view.topology.corners[face.start + 1]]
    } else {
        view.topology.edges[feature - faces]
    };
    view.vertices[ends[1] as usize] - view.vertices[ends[0] as usize]
}

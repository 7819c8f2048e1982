//! A face flat on a ring at an end of a wall.
//!
//! Seen along the axis, the common region of face and ring has two kinds of corners: those of the face over the ring,
//! which are contacts already, and crossings of the sides of the face with the two circles. Between two crossings the
//! outer circle bulges out: the middle of the arc is a contact too. Where a face covers a whole circle, four fixed points
//! of it hold the face.

use super::super::convex::{Round, View};
use super::super::overlap::{CORNER_OF_A, CROSSING, Touch};
use super::Container;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Faces within 2° of the ring (cosine) lie flat on it.
pub(super) const FACING: f64 = 0.9994;

/// The second of the two circles.
const OUTER: usize = 1;
/// Added to the names of crossings: the arcs that begin there.
const ARC: u32 = 8;

/// One end of the wall.
struct Ring {
    /// Inner and outer radius.
    radii: [f64; 2],
    z: f64,
    /// Out of the wall: ±z.
    out: DVec3,
    core_reach: f64,
}

impl Ring {
    /// The contact of a place of the ring with the point of the face over it.
    fn contact(&self, over: DVec3, name: [u32; 3]) -> Option<Touch> {
        let gap = self.out.z * (over.z - self.z);
        let a = DVec3::new(over.x, over.y, self.z);
        (gap < self.core_reach).then_some(Touch { a, b: a + self.out * gap, normal: self.out, gap, name })
    }

    /// Middles of the arcs of the outer circle under the face, each named by the crossing it begins at.
    fn arcs(&self, crossings: &mut [(f64, [u32; 3])], over: &dyn Fn(DVec2) -> Option<DVec3>, found: &mut Vec<Touch>) {
        crossings.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
        for (index, (start, [kind, which, side])) in crossings.iter().enumerate() {
            let end = crossings.get(index + 1).map_or(crossings[0].0 + TAU, |next| next.0);
            let middle = DVec2::from_angle(0.5 * (start + end)) * self.radii[1];
            if let Some(place) = over(middle) {
                found.extend(self.contact(place, [*kind, which + ARC, *side]));
            }
        }
    }

    /// Four points of a circle, if the face is over all of them.
    fn four(&self, circle: usize, over: &dyn Fn(DVec2) -> Option<DVec3>, found: &mut Vec<Touch>) {
        let places = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y].map(|spoke| over(spoke * self.radii[circle]));
        if places.iter().all(Option::is_some) {
            for (k, place) in (0..).zip(places.into_iter().flatten()) {
                found.extend(self.contact(place, [CORNER_OF_A, 4 * circle as u32 + k, 0]));
            }
        }
    }
}

/// Adds the contacts of the face of a core that lies flat on the ring of an end, if there is one.
pub(super) fn touch(container: &Container, view: &View, upper: bool, core_reach: f64, found: &mut Vec<Touch>) {
    let [inner, outer] = [false, true].map(|outer| container.section.edge(upper, outer));
    let out = if upper { DVec3::Z } else { DVec3::NEG_Z };
    let ring = Ring { radii: [inner.x, outer.x], z: inner.y, out, core_reach };
    if let Some(round) = &view.round {
        return disc(&ring, round, found);
    }
    let facing = view.normals.iter().take(view.topology.faces()).map(|normal| -normal.dot(out)).enumerate();
    let best = facing.reduce(|best, face| if face.1 > best.1 { face } else { best });
    if let Some((face, _)) = best.filter(|(_, facing)| *facing > FACING) {
        polygon(&ring, view, face, found);
    }
}

fn polygon(ring: &Ring, view: &View, face: usize, found: &mut Vec<Touch>) {
    let (topology, normal) = (view.topology, view.normals[face]);
    let sides = topology.face(face);
    let corner = |place: usize| view.vertices[topology.corners[place] as usize];
    for circle in 0..ring.radii.len() {
        let radius = ring.radii[circle];
        let mut crossings = Vec::new();
        for place in sides.clone() {
            let next = if place + 1 == sides.end { sides.start } else { place + 1 };
            // Each side from its lower to its higher corner, so that both faces of it see the same two crossings.
            let [p, q] = [
                topology.corners[place].min(topology.corners[next]),
                topology.corners[place].max(topology.corners[next]),
            ]
            .map(|index| view.vertices[index as usize]);
            // |p + s d|² = r², seen along the axis.
            let (start, d) = (p.truncate(), (q - p).truncate());
            let (a, b) = (d.length_squared(), d.dot(start));
            let discriminant = b * b - a * (start.length_squared() - radius * radius);
            if a <= 0.0 || discriminant <= 0.0 {
                continue;
            }
            for (which, root) in [-1.0, 1.0].into_iter().enumerate() {
                let s = (root * discriminant.sqrt() - b) / a;
                if s > 0.0 && s < 1.0 {
                    let name = [CROSSING, 1 + (2 * circle + which) as u32, topology.sides[place]];
                    let place = p + (q - p) * s;
                    crossings.push((place.truncate().to_angle(), name));
                    found.extend(ring.contact(place, name));
                }
            }
        }
        let over = |at: DVec2| {
            let z = corner(sides.start).z - normal.truncate().dot(at - corner(sides.start).truncate()) / normal.z;
            let inside = sides.clone().all(|place| {
                let next = if place + 1 == sides.end { sides.start } else { place + 1 };
                let [p, q] = [place, next].map(|place| corner(place).truncate());
                normal.z * (q - p).perp_dot(at - p) >= 0.0
            });
            inside.then(|| at.extend(z))
        };
        if crossings.is_empty() {
            ring.four(circle, &over, found);
        } else if circle == OUTER {
            ring.arcs(&mut crossings, &over, found);
        }
    }
}

fn disc(ring: &Ring, round: &Round, found: &mut Vec<Touch>) {
    let along = round.axis.dot(ring.out);
    // The base is below; a cone has nothing flat above.
    if along.abs() < FACING || (round.cone && along < 0.0) {
        return;
    }
    let centre = round.centre - round.axis * (along.signum() * round.half_height);
    let middle = centre.truncate();
    // Tilted by ϑ the disc is an ellipse: places are off by ϑ² of the radius, heights by ϑ³.
    let height = |at: DVec2| at.extend(centre.z - round.axis.truncate().dot(at - middle) / round.axis.z);
    for circle in 0..ring.radii.len() {
        let (r, s) = (ring.radii[circle], round.radius);
        let distance = middle.length();
        let over = |at: DVec2| (at.distance(middle) <= s).then(|| height(at));
        if distance >= r + s || distance <= (r - s).abs() {
            ring.four(circle, &over, found);
            continue;
        }
        let along = 0.5 * (distance + (r - s) * (r + s) / distance);
        let across = (r * r - along * along).max(0.0).sqrt();
        let unit = middle / distance;
        let mut crossings = Vec::new();
        for (which, side) in [-1.0, 1.0].into_iter().enumerate() {
            let name = [CROSSING, 1 + (2 * circle + which) as u32, 0];
            let place = unit * along + unit.perp() * (side * across);
            crossings.push((place.to_angle(), name));
            found.extend(ring.contact(height(place), name));
        }
        if circle == OUTER {
            ring.arcs(&mut crossings, &over, found);
        }
    }
}

//! Signed distance of a point from a convex core, in closed form.
//!
//! Outside, the nearest point of the core. Inside, the way out through a face: the shortest of those that lead against the
//! surface the point belongs to, since a node that enters a box through its floor next to a wall has to leave by the floor.
//! At the rim of a block the surface looks several ways, and the shortest way out against any of them counts: against their
//! mean alone, the front could be left out for a side far away.

use super::sheet::FLUSH;
use crate::narrow::direction;
use crate::narrow::general::convex::{Core, Polyhedron, Round};
use glam::{DVec2, DVec3};

/// A face is a way out against a surface if its normal and that of the surface are more than 120° apart.
pub(super) const AGAINST: f64 = -0.5;
/// Closer than this, relative to the core, the direction from an edge is rounding.
const ONE_PLACE: f64 = 1e-12;

/// Distance, and its gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    pub(super) value: f64,
    pub(super) normal: DVec3,
}

/// The best way out among faces (height, negative inside, and normal).
struct WayOut {
    shortest: Distance,
}

impl WayOut {
    fn new() -> Self {
        Self { shortest: Distance { value: f64::NEG_INFINITY, normal: DVec3::Z } }
    }
    fn offer(&mut self, value: f64, normal: DVec3) {
        if value > self.shortest.value {
            self.shortest = Distance { value, normal };
        }
    }
    /// Inside, or outside by what may be rounding where sides are flush: the shortest of all that lead against the surface
    /// or, if none does, the shortest if it is inside.
    fn settle(
        &self,
        size: f64,
        all: impl Iterator<Item = Distance>,
        facing: impl Fn(DVec3) -> f64,
    ) -> Option<Distance> {
        if self.shortest.value > FLUSH * size {
            return None;
        }
        let against = all.filter(|way| facing(way.normal) < AGAINST).max_by(|a, b| a.value.total_cmp(&b.value));
        against.or((self.shortest.value <= 0.0).then_some(self.shortest))
    }
}

/// Signed distance of a point from a core whatever surface it is of, if it is below `limit`.
pub(super) fn shortest_distance(core: &Core, size: f64, point: DVec3, limit: f64) -> Option<Distance> {
    distance(core, size, point, |_| 0.0, limit)
}

/// Signed distance of a point from a core, if it is below `limit`. `facing`: the least cosine of a direction and the normals
/// of the surface the point is of.
pub(super) fn distance(
    core: &Core,
    size: f64,
    point: DVec3,
    facing: impl Fn(DVec3) -> f64,
    limit: f64,
) -> Option<Distance> {
    let found = match core {
        Core::Round(round) => from_round(round, point, facing),
        Core::Polyhedron(polyhedron) => match polyhedron.vertices[..] {
            [centre] => from_point(point - centre, DVec3::Z),
            [low, high] => {
                let half = 0.5 * (high.z - low.z);
                let z = point.z.clamp(-half, half);
                from_point(DVec3::new(point.x, point.y, point.z - z), DVec3::X)
            }
            _ => from_polyhedron(polyhedron, size, point, facing, limit)?,
        },
    };
    (found.value < limit).then_some(found)
}

fn from_point(away: DVec3, otherwise: DVec3) -> Distance {
    let value = away.length();
    Distance { value, normal: direction(away, value).unwrap_or(otherwise) }
}

fn from_polyhedron(
    core: &Polyhedron,
    size: f64,
    point: DVec3,
    facing: impl Fn(DVec3) -> f64,
    limit: f64,
) -> Option<Distance> {
    let topology = &core.topology;
    let corner = |place: usize| core.vertices[topology.corners[place] as usize];
    let mut way_out = WayOut::new();
    let heights = core.normals.iter().enumerate().map(|(face, &normal)| {
        let value = normal.dot(point - corner(topology.face(face).start));
        Distance { value, normal }
    });
    for Distance { value: height, normal } in heights.clone() {
        // The distance is not smaller than any of the heights.
        if height >= limit {
            return None;
        }
        way_out.offer(height, normal);
    }
    if let Some(way) = way_out.settle(size, heights, facing) {
        return Some(way);
    }
    let mut best: Option<(f64, DVec3)> = None;
    for (face, &normal) in core.normals.iter().enumerate() {
        let places = topology.face(face);
        let height = normal.dot(point - corner(places.start));
        if height <= 0.0 {
            continue;
        }
        let mut over = true;
        for place in places.clone() {
            let next = if place + 1 == places.end { places.start } else { place + 1 };
            let (p, q) = (corner(place), corner(next));
            let along = q - p;
            over &= normal.dot(along.cross(point - p)) >= 0.0;
            let t = (along.dot(point - p) / along.length_squared()).clamp(0.0, 1.0);
            let away = point - (p + along * t);
            if best.is_none_or(|(square, _)| away.length_squared() < square) {
                best = Some((away.length_squared(), away));
            }
        }
        if over {
            return Some(Distance { value: height, normal });
        }
    }
    let (_, away) = best?;
    let value = away.length();
    let normal = if value > ONE_PLACE * size { away / value } else { way_out.shortest.normal };
    Some(Distance { value, normal })
}

/// In the half plane of the axis (z) and the point: a rectangle, or a triangle with its tip up.
fn from_round(round: &Round, point: DVec3, facing: impl Fn(DVec3) -> f64) -> Distance {
    let (radius, half) = (round.radius, round.half_height);
    let across = point.truncate();
    let radial = across.try_normalize().unwrap_or(DVec2::X);
    let place = DVec2::new(across.length(), point.z);
    let lift = |v: DVec2| (radial * v.x).extend(v.y);
    let base = DVec2::new(radius, -half);
    let top = if round.cone { DVec2::new(0.0, half) } else { DVec2::new(radius, half) };
    let along = (top - base).normalize_or(DVec2::Y);
    // Outward of the side: the direction turned clockwise.
    let side = DVec2::new(along.y, -along.x);
    let (from_side, t) = (side.dot(place - base), along.dot(place - base));
    let length = (top - base).length();
    let mut way_out = WayOut::new();
    let base_cap = Distance { value: -half - place.y, normal: DVec3::NEG_Z };
    let top_cap = Distance { value: place.y - half, normal: DVec3::Z };
    let all = [Distance { value: from_side, normal: lift(side) }, base_cap, top_cap];
    let ways = all.into_iter().take(if round.cone { 2 } else { 3 });
    ways.clone().for_each(|way| way_out.offer(way.value, way.normal));
    if let Some(way) = way_out.settle(radius + half, ways, facing) {
        return way;
    }
    if place.y <= -half && place.x <= radius {
        return Distance { value: -half - place.y, normal: DVec3::NEG_Z };
    }
    if !round.cone && place.y >= half && place.x <= radius {
        return Distance { value: place.y - half, normal: DVec3::Z };
    }
    if from_side > 0.0 && (0.0..=length).contains(&t) {
        return Distance { value: from_side, normal: lift(side) };
    }
    let [low, high] = [place - base, place - top];
    let away = if low.length_squared() <= high.length_squared() { low } else { high };
    let value = away.length();
    let normal = if value > ONE_PLACE * (radius + half) { lift(away / value) } else { way_out.shortest.normal };
    Distance { value, normal }
}

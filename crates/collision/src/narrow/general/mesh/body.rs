//! A convex core in the frame of a mesh: its corners, a point well inside of it, its signed distance and the ways out.

use crate::narrow::general::convex::{Round, View};
use glam::{DVec2, DVec3};

/// Shorter than this, relative to the size, a direction is rounding.
const ONE_PLACE: f64 = 1e-12;
/// Corners of a round core: four fixed points of each rim, the tip of a cone.
const MOST_ROUND_CORNERS: usize = 8;

/// Buffers of a body.
#[derive(Default)]
pub(super) struct BodyBuffer {
    offsets: Vec<f64>,
    corners: Vec<DVec3>,
}

/// A convex core in the frame of a mesh.
pub(super) struct Body<'a> {
    pub(super) view: &'a View<'a>,
    /// The planes of the faces are normal·x = offset.
    offsets: &'a [f64],
    /// All vertices of a polyhedron; some points of the rims of a round core.
    pub(super) corners: &'a [DVec3],
    /// A point well inside, from which the core sees the surface.
    pub(super) centre: DVec3,
    /// A length of the core with the sphere that sweeps it.
    pub(super) size: f64,
}

/// Signed distance of a point from the core.
#[derive(Clone, Copy)]
pub(super) struct Distance {
    pub(super) value: f64,
    /// Unit gradient, out of the core.
    pub(super) out: DVec3,
}

impl<'a> Body<'a> {
    pub(super) fn new(view: &'a View<'a>, buffer: &'a mut BodyBuffer) -> Self {
        let BodyBuffer { offsets, corners } = buffer;
        offsets.clear();
        offsets.extend(view.normals.iter().enumerate().map(|(face, normal)| {
            let first = view.topology.corners[view.topology.starts[face] as usize];
            normal.dot(view.vertices[first as usize])
        }));
        corners.clear();
        let mut centre = view.centre;
        if let Some(round) = &view.round {
            corners.reserve(MOST_ROUND_CORNERS);
            let up = round.axis * round.half_height;
            let other = round.axis.cross(round.across);
            let spokes = [round.across, other, -round.across, -other];
            corners.extend(spokes.map(|spoke| round.centre - up + spoke * round.radius));
            if round.cone {
                corners.push(round.centre + up);
                centre = round.centre - up * 0.5;
            } else {
                corners.extend(spokes.map(|spoke| round.centre + up + spoke * round.radius));
            }
        } else if !view.vertices.is_empty() {
            // The origin of a hull may be anywhere; the mean of its corners is inside.
            centre = view.vertices.iter().sum::<DVec3>() / view.vertices.len() as f64;
        }
        let corners = if view.round.is_some() { &corners[..] } else { view.vertices };
        Self { view, offsets, corners, centre, size: view.size + view.sweep }
    }

    /// Heights of a point over the faces, with their normals; of a round core, over the nearest part of its side and its
    /// caps.
    fn heights(&self, x: DVec3, emit: &mut dyn FnMut(f64, DVec3)) {
        if let Some(round) = &self.view.round {
            let profile = Profile::new(round, x);
            profile.heights().into_iter().take(profile.count()).for_each(|(height, normal)| emit(height, normal));
        }
        for (normal, offset) in self.view.normals.iter().zip(self.offsets) {
            emit(normal.dot(x) - offset, *normal);
        }
    }

    /// Whether a point is outside by at least `limit`, as far as one plane shows it.
    pub(super) fn is_beyond_a_face(&self, [p, q]: [DVec3; 2], limit: f64) -> bool {
        let mut faces = self.view.normals.iter().zip(self.offsets);
        faces.any(|(normal, offset)| normal.dot(p).min(normal.dot(q)) - offset >= limit)
    }

    /// Whether a point is in the core, or outside of its faces by no more than `tolerance`.
    pub(super) fn holds(&self, x: DVec3, tolerance: f64) -> bool {
        let mut inside = self.view.round.is_some() || !self.view.normals.is_empty();
        self.heights(x, &mut |height, _| inside &= height <= tolerance);
        inside
    }

    /// The shortest way of some points out of the core through one of its faces, of those that are allowed: its length, and
    /// the unit normal against it, from the surface to the body. Of a round core, the side next to the first point counts.
    pub(super) fn way_out(&self, points: &[DVec3], allows: impl Fn(DVec3) -> bool) -> Option<(f64, DVec3)> {
        let (&first, rest) = points.split_first()?;
        let mut best: Option<(f64, DVec3)> = None;
        self.heights(first, &mut |height, normal| {
            let deepest = rest.iter().map(|x| height + normal.dot(*x - first)).fold(height, f64::min);
            if best.is_none_or(|(depth, _)| -deepest < depth) && allows(-normal) {
                best = Some((-deepest, -normal));
            }
        });
        best
    }

    /// The ends of the part of a segment p + s d, s from 0 to 1, that is in a polyhedron.
    pub(super) fn clip(&self, p: DVec3, d: DVec3) -> [DVec3; 2] {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for (normal, offset) in self.view.normals.iter().zip(self.offsets) {
            let (height, slope) = (normal.dot(p) - offset, normal.dot(d));
            if slope > 0.0 {
                high = high.min(-height / slope);
            } else if slope < 0.0 {
                low = low.max(-height / slope);
            }
        }
        [p + d * low, p + d * high]
    }

    /// Signed distance of a point, if below `limit`: outside to the nearest point, inside to the nearest face.
    pub(super) fn distance(&self, x: DVec3, limit: f64) -> Option<Distance> {
        let found = match &self.view.round {
            Some(round) => Profile::new(round, x).distance(),
            None => self.polyhedron_distance(x, limit)?,
        };
        (found.value < limit).then_some(found)
    }

    fn polyhedron_distance(&self, x: DVec3, limit: f64) -> Option<Distance> {
        let View { topology, vertices, normals, .. } = self.view;
        let mut highest = Distance { value: f64::NEG_INFINITY, out: DVec3::ZERO };
        for (normal, offset) in normals.iter().zip(self.offsets) {
            let value = normal.dot(x) - offset;
            if value > highest.value {
                highest = Distance { value, out: *normal };
            }
        }
        if !normals.is_empty() && (highest.value >= limit || highest.value <= 0.0) {
            return (highest.value < limit).then_some(highest);
        }
        let corner = |place: usize| vertices[topology.corners[place] as usize];
        for (face, normal) in normals.iter().enumerate() {
            let height = normal.dot(x) - self.offsets[face];
            if height <= 0.0 {
                continue;
            }
            let places = topology.face(face);
            let over = places.clone().all(|place| {
                let next = if place + 1 == places.end { places.start } else { place + 1 };
                let (p, q) = (corner(place), corner(next));
                normal.dot((q - p).cross(x - p)) >= 0.0
            });
            if over {
                return Some(Distance { value: height, out: *normal });
            }
        }
        let mut best = vertices.first().map(|vertex| x - *vertex)?;
        for ends in &topology.edges {
            let [p, q] = ends.map(|end| vertices[end as usize]);
            let along = q - p;
            let share = (along.dot(x - p) / along.length_squared()).clamp(0.0, 1.0);
            let away = x - (p + along * share);
            if away.length_squared() < best.length_squared() {
                best = away;
            }
        }
        let value = best.length();
        let out = if value > ONE_PLACE * self.size { best / value } else { highest.out };
        Some(Distance { value, out })
    }
}

/// A round core in the half plane of its axis and a point: a rectangle, or a triangle with its tip up.
struct Profile<'a> {
    round: &'a Round,
    radial: DVec3,
    place: DVec2,
}

impl<'a> Profile<'a> {
    fn new(round: &'a Round, x: DVec3) -> Self {
        let from = x - round.centre;
        let up = from.dot(round.axis);
        let across = from - round.axis * up;
        let far = across.length();
        let radial = if far > ONE_PLACE * round.radius { across / far } else { round.across };
        Self { round, radial, place: DVec2::new(far, up) }
    }

    fn lift(&self, v: DVec2) -> DVec3 {
        self.radial * v.x + self.round.axis * v.y
    }

    /// How many of the heights there are.
    fn count(&self) -> usize {
        if self.round.cone { 2 } else { 3 }
    }

    /// Lower and upper end of the side, and its unit normal.
    fn side(&self) -> (DVec2, DVec2, DVec2) {
        let Round { radius, half_height, cone, .. } = *self.round;
        let (base, top) = (DVec2::new(radius, -half_height), DVec2::new(if cone { 0.0 } else { radius }, half_height));
        let along = (top - base).normalize_or(DVec2::Y);
        (base, top, DVec2::new(along.y, -along.x))
    }

    /// Over the side, below the base and over the upper cap.
    fn heights(&self) -> [(f64, DVec3); 3] {
        let (base, _, side) = self.side();
        let (half, axis) = (self.round.half_height, self.round.axis);
        [(side.dot(self.place - base), self.lift(side)), (-half - self.place.y, -axis), (self.place.y - half, axis)]
    }

    fn distance(&self) -> Distance {
        let heights = self.heights();
        let mut highest = Distance { value: f64::NEG_INFINITY, out: self.round.axis };
        for &(value, out) in &heights[..self.count()] {
            if value > highest.value {
                highest = Distance { value, out };
            }
        }
        let (base, top, _) = self.side();
        let length = (top - base).length();
        let along = (top - base).dot(self.place - base) / length;
        let beside = (0.0..=length).contains(&along);
        let over = if heights[0].0 == highest.value { beside } else { self.place.x <= self.round.radius };
        if highest.value <= 0.0 || over {
            return highest;
        }
        // Beyond a rim or the tip; below a cone also over its base where its side is the higher plane.
        if self.place.x <= self.round.radius && heights[1].0 > 0.0 {
            return Distance { value: heights[1].0, out: heights[1].1 };
        }
        if beside && heights[0].0 > 0.0 {
            return Distance { value: heights[0].0, out: heights[0].1 };
        }
        let [low, high] = [self.place - base, self.place - top];
        let away = if low.length_squared() <= high.length_squared() { low } else { high };
        let value = away.length();
        let rounding = ONE_PLACE * (self.round.radius + self.round.half_height);
        let out = if value > rounding { self.lift(away / value) } else { highest.out };
        Distance { value, out }
    }
}

//! The wall of a cylinder or a truncated cone, of inner radius R(z) = R₀ + k z for |z| ≤ h and of a thickness.
//!
//! Inside, the distance of a point (ρ, z) from the wall is d = (R(z) − ρ) cos α with cos α = 1/√(1+k²); it is a concave
//! function of the point, so the part of a shape closest to the wall is one of its corners, or on a rim. The normal, from
//! the wall inwards, is cos α (−radial + k z). Bodies on other sides, and what reaches over an end, are in [`wall`].

mod circle;
mod flat;
mod least;
mod solid;
mod wall;

pub(super) use wall::point;

use super::convex::{Round, View};
use super::overlap::{CORNER_OF_B, Touch};
use crate::narrow::section::{Place, Section, Side};
use glam::{DVec2, DVec3};

/// Where the least distance of a rim is looked for first.
const SAMPLES: usize = 24;
/// Halvings of an interval of the angle: 2⁻⁵⁰ of a sample.
const HALVINGS: usize = 50;
/// A rim along which the distance changes by less than this part of the radius touches everywhere.
const COAXIAL: f64 = 1e-9;
/// Names of points of rims.
const RIM: u32 = 16;

/// The wall of a container about the z axis of its frame.
#[derive(Clone, Copy)]
pub(crate) struct Container {
    middle_radius: f64,
    slope: f64,
    half_height: f64,
    section: Section,
    pub(crate) margin: f64,
}

impl Container {
    pub(super) fn new([bottom, top]: [f64; 2], half_height: f64, thickness: f64, margin: f64) -> Self {
        let section = Section::new([bottom, top], half_height, thickness);
        let (middle_radius, slope) = (0.5 * (bottom + top), (top - bottom) / (2.0 * half_height));
        Self { middle_radius, slope, half_height, section, margin }
    }

    fn cosine(&self) -> f64 {
        1.0 / self.slope.hypot(1.0)
    }

    fn distance(&self, point: DVec3) -> f64 {
        (self.middle_radius + self.slope * point.z - point.truncate().length()) * self.cosine()
    }

    /// Contact of a point with the inner side.
    fn corner(&self, point: DVec3, name: u32, core_reach: f64) -> Option<Touch> {
        let gap = self.distance(point);
        if gap.is_nan() || gap >= core_reach {
            return None;
        }
        let radial = point.truncate().try_normalize().unwrap_or(DVec2::X).extend(0.0);
        let normal = (DVec3::Z * self.slope - radial) * self.cosine();
        let foot = point - normal * gap;
        let name = [CORNER_OF_B, 0, name];
        (foot.z.abs() <= self.half_height).then_some(Touch { a: foot, b: point, normal, gap, name })
    }

    /// Signed distance of a point from the wall and the normal there. A point has no body that tells its side: within the
    /// wall it leaves by the nearest way.
    pub(crate) fn foot(&self, point: DVec3) -> (f64, DVec3) {
        let near = self.section.nearest(half_plane(point));
        let inner = if near.place == Place::Inner { self.corner(point, 0, f64::INFINITY) } else { None };
        match inner {
            Some(touch) => (touch.gap, touch.normal),
            None => (near.distance, turned(point, near.normal)),
        }
    }

    /// The side of the wall a body about this point is on.
    pub(super) fn side(&self, core: DVec3) -> Side {
        self.section.side(half_plane(core))
    }

    /// Contacts of a core in the frame of the container.
    pub(super) fn touch(&self, view: &View, core_reach: f64, found: &mut Vec<Touch>) {
        found.clear();
        let core = core_of(view);
        if self.section.nearest(half_plane(core)).distance - 2.0 * view.size >= core_reach {
            return;
        }
        let [low, high] = self.heights(view, core, core_reach);
        if self.side(core) != Side::Inner || low < -self.half_height || high > self.half_height {
            return wall::touch(self, view, core, core_reach, found);
        }
        let Some(round) = &view.round else {
            let corners = view.vertices.iter().enumerate();
            found.extend(corners.filter_map(|(index, &vertex)| point(self, core, vertex, index as u32, core_reach)));
            return;
        };
        let up = round.axis * round.half_height;
        self.rim(round, (core, round.centre - up), RIM, core_reach, found);
        if round.cone {
            found.extend(point(self, core, round.centre + up, 0, core_reach));
        } else {
            self.rim(round, (core, round.centre + up), 2 * RIM, core_reach, found);
        }
    }

    /// Heights between which a core inside has its feet on the inner side: those of the core, moved along the normal by
    /// the largest distance that matters.
    fn heights(&self, view: &View, core: DVec3, core_reach: f64) -> [f64; 2] {
        let (low, high) = view.interval(DVec3::Z);
        let farthest = core_reach.min(self.distance(core) + 2.0 * view.size).max(0.0);
        let shift = self.slope * self.cosine() * farthest;
        [low - shift.max(0.0), high - shift.min(0.0)]
    }

    /// Points of a rim where the distance is least: at most two, or four fixed ones where it is the same all around.
    fn rim(&self, round: &Round, (core, centre): (DVec3, DVec3), name: u32, core_reach: f64, found: &mut Vec<Touch>) {
        let (x, y) = (round.across * round.radius, round.axis.cross(round.across) * round.radius);
        let at = |angle: f64| centre + x * angle.cos() + y * angle.sin();
        let step = std::f64::consts::TAU / SAMPLES as f64;
        let mut sampled = [0.0; SAMPLES];
        for (index, value) in sampled.iter_mut().enumerate() {
            *value = self.distance(at(step * index as f64));
        }
        let least = sampled.iter().copied().fold(f64::INFINITY, f64::min);
        let most = sampled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most - least <= COAXIAL * round.radius {
            for quarter in 0..4 {
                let place = at(step * (quarter * SAMPLES / 4) as f64);
                found.extend(point(self, core, place, name + 2 + quarter as u32, core_reach));
            }
            return;
        }
        // d' = (k z' − (x x' + y y')/ρ) cos α changes from falling to rising at a least distance.
        let rises = |angle: f64| {
            let (p, rate) = (at(angle), y * angle.cos() - x * angle.sin());
            self.slope * rate.z * p.truncate().length() - p.truncate().dot(rate.truncate()) > 0.0
        };
        let mut minima = 0;
        for index in 0..SAMPLES {
            let (before, after) = (sampled[(index + SAMPLES - 1) % SAMPLES], sampled[(index + 1) % SAMPLES]);
            if sampled[index] > before || sampled[index] >= after || minima == 2 {
                continue;
            }
            let (mut low, mut high) = (step * (index as f64 - 1.0), step * (index as f64 + 1.0));
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if rises(middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            found.extend(point(self, core, at(0.5 * (low + high)), name + minima, core_reach));
            minima += 1;
        }
    }
}

/// A point within a core: the mean of its corners or the middle of its axis.
fn core_of(view: &View) -> DVec3 {
    if view.round.is_some() || view.vertices.is_empty() {
        return view.centre;
    }
    view.vertices.iter().sum::<DVec3>() / view.vertices.len() as f64
}

/// Distance from the axis, and height.
fn half_plane(point: DVec3) -> DVec2 {
    DVec2::new(point.truncate().length(), point.z)
}

/// A vector of the half plane of a point, in space; on the axis all half planes are alike: that of x.
fn turned(point: DVec3, vector: DVec2) -> DVec3 {
    (point.truncate().try_normalize().unwrap_or(DVec2::X) * vector.x).extend(vector.y)
}

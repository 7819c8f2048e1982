//! The inside of a cylinder or a truncated cone, of radius R(z) = R₀ + k z for |z| ≤ h.
//!
//! The distance of a point (ρ, z) from the wall, positive inside, is d = (R(z) − ρ) cos α with cos α = 1/√(1+k²); it is a
//! concave function of the point, so the part of a shape closest to the wall is one of its corners, or on a rim. The
//! normal, from the wall inwards, is cos α (−radial + k z). Beyond the open ends there is no wall.

use super::convex::{Round, View};
use super::overlap::{CORNER_OF_B, Touch};
use glam::DVec3;

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
    pub(crate) margin: f64,
}

impl Container {
    pub(super) fn new(bottom: f64, top: f64, half_height: f64, margin: f64) -> Self {
        Self { middle_radius: 0.5 * (bottom + top), slope: (top - bottom) / (2.0 * half_height), half_height, margin }
    }

    fn cosine(&self) -> f64 {
        1.0 / self.slope.hypot(1.0)
    }

    fn distance(&self, point: DVec3) -> f64 {
        (self.middle_radius + self.slope * point.z - point.truncate().length()) * self.cosine()
    }

    /// Contact of a point with the wall.
    pub(super) fn corner(&self, point: DVec3, name: u32, core_reach: f64) -> Option<Touch> {
        let gap = self.distance(point);
        if gap.is_nan() || gap >= core_reach {
            return None;
        }
        let radial = point.truncate().try_normalize().unwrap_or(glam::DVec2::X).extend(0.0);
        let normal = (DVec3::Z * self.slope - radial) * self.cosine();
        let foot = point - normal * gap;
        let name = [CORNER_OF_B, 0, name];
        (foot.z.abs() <= self.half_height).then_some(Touch { a: foot, b: point, normal, gap, name })
    }

    /// Signed distance of a point from the wall and the normal there; `None` beyond the open ends.
    pub(crate) fn foot(&self, point: DVec3) -> Option<(f64, DVec3)> {
        self.corner(point, 0, f64::INFINITY).map(|touch| (touch.gap, touch.normal))
    }

    /// Contacts of a core in the frame of the container.
    pub(super) fn touch(&self, view: &View, core_reach: f64, found: &mut Vec<Touch>) {
        found.clear();
        let Some(round) = &view.round else {
            let corners = view.vertices.iter().enumerate();
            found.extend(corners.filter_map(|(index, &vertex)| self.corner(vertex, index as u32, core_reach)));
            return;
        };
        let up = round.axis * round.half_height;
        self.rim(round, round.centre - up, RIM, core_reach, found);
        if round.cone {
            found.extend(self.corner(round.centre + up, 0, core_reach));
        } else {
            self.rim(round, round.centre + up, 2 * RIM, core_reach, found);
        }
    }

    /// Points of a rim where the distance is least: at most two, or four fixed ones where it is the same all around.
    fn rim(&self, round: &Round, centre: DVec3, name: u32, core_reach: f64, found: &mut Vec<Touch>) {
        let (x, y) = (round.across * round.radius, round.axis.cross(round.across) * round.radius);
        let point = |angle: f64| centre + x * angle.cos() + y * angle.sin();
        let step = std::f64::consts::TAU / SAMPLES as f64;
        let mut sampled = [0.0; SAMPLES];
        for (index, value) in sampled.iter_mut().enumerate() {
            *value = self.distance(point(step * index as f64));
        }
        let least = sampled.iter().copied().fold(f64::INFINITY, f64::min);
        let most = sampled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most - least <= COAXIAL * round.radius {
            for quarter in 0..4 {
                let place = point(step * (quarter * SAMPLES / 4) as f64);
                found.extend(self.corner(place, name + 2 + quarter as u32, core_reach));
            }
            return;
        }
        // d' = (k z' − (x x' + y y')/ρ) cos α changes from falling to rising at a least distance.
        let rises = |angle: f64| {
            let (p, rate) = (point(angle), y * angle.cos() - x * angle.sin());
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
            found.extend(self.corner(point(0.5 * (low + high)), name + minima, core_reach));
            minima += 1;
        }
    }
}

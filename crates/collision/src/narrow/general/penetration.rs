//! Overlap of round cores, by the expanding polytopes of `parry3d`.

use super::convex::View;
use glam::DVec3;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// Buffers of the expansion.
pub(super) struct Expansion {
    simplex: VoronoiSimplex,
    polytope: EPA,
}

impl Default for Expansion {
    fn default() -> Self {
        Self { simplex: VoronoiSimplex::new(), polytope: EPA::new() }
    }
}

/// A core in units of its size: the tolerances inside are absolute.
struct Scaled<'a> {
    view: &'a View<'a>,
    origin: DVec3,
    unit: f64,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        (self.view.support(direction).0 - self.origin) / self.unit
    }
}

impl Expansion {
    /// The direction from A to B along which two overlapping cores are parted soonest, and the points that then part.
    pub(super) fn direction(&mut self, a: &View, b: &View) -> Option<(DVec3, (DVec3, DVec3))> {
        let (origin, unit) = (a.centre, a.size.max(b.size));
        if unit.is_nan() || unit <= 0.0 || !b.centre.is_finite() {
            return None;
        }
        let towards = (b.centre - a.centre).try_normalize().unwrap_or(DVec3::X);
        let [a, b] = [a, b].map(|view| Scaled { view, origin, unit });
        let same_frame = ParryPose::IDENTITY;
        // A new start: the answer depends on the poses only, not on earlier queries.
        self.simplex.reset(CsoPoint::from_shapes(&same_frame, &a, &b, towards));
        let (p, q, normal) = match gjk::closest_points(&same_frame, &a, &b, f64::MAX, true, &mut self.simplex) {
            GJKResult::Intersection => self.polytope.closest_points(&same_frame, &a, &b, &self.simplex)?,
            GJKResult::ClosestPoints(p, q, normal) => (p, q, normal),
            _ => return None,
        };
        let usable = p.is_finite() && q.is_finite();
        normal.try_normalize().filter(|_| usable).map(|n| (n, (p * unit + origin, q * unit + origin)))
    }
}

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
    /// The direction (up to its sign) along which two overlapping cores are parted soonest.
    pub(super) fn direction(&mut self, a: &View, b: &View) -> Option<DVec3> {
        let (origin, unit) = (a.centre, a.size.min(b.size));
        if unit.is_nan() || unit <= 0.0 || !b.centre.is_finite() {
            return None;
        }
        let [a, b] = [a, b].map(|view| Scaled { view, origin, unit });
        let same_frame = ParryPose::IDENTITY;
        // A new start: the answer depends on the poses only, not on earlier queries.
        let towards = (b.view.centre - a.view.centre).try_normalize().unwrap_or(DVec3::X);
        self.simplex.reset(CsoPoint::from_shapes(&same_frame, &a, &b, towards));
        match gjk::closest_points(&same_frame, &a, &b, f64::MAX, true, &mut self.simplex) {
            GJKResult::Intersection => {
                let (_, _, normal) = self.polytope.closest_points(&same_frame, &a, &b, &self.simplex)?;
                normal.try_normalize()
            }
            GJKResult::ClosestPoints(_, _, normal) => normal.try_normalize(),
            _ => None,
        }
    }
}

//! A point of B on a smooth curve of A.

use super::Site;
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::joint::{Curve, CurveError, Joint, PointOnCurve};

/// A curve and a point on it, without the bodies.
pub(super) struct Wire {
    point: DVec3,
    points: Vec<DVec3>,
    is_closed: bool,
}

impl Wire {
    pub(super) fn read(table: &Table<'_>) -> Option<Self> {
        let point = table.require("point")?.vector(Range::COORDINATE)?;
        let is_closed = table.boolean("closed").unwrap_or(false);
        let value = table.require("curve")?;
        let points: Vec<_> = value.list()?.iter().map(|point| point.vector(Range::COORDINATE)).collect();
        let points: Vec<DVec3> = points.into_iter().collect::<Option<_>>()?;
        // Wherever it is put, the curve has the same shape.
        match through(&points, is_closed) {
            Ok(_) => Some(Self { point, points, is_closed }),
            Err(error @ CurveError::TooFew { .. }) => {
                value.error(format_args!("has {error}"));
                None
            }
            Err(error) => {
                value.error(format_args!("gives no curve: {error}"));
                None
            }
        }
    }

    pub(super) fn joint(&self, site: &Site) -> Result<Box<dyn Joint>, CurveError> {
        let points: Vec<DVec3> = self.points.iter().map(|point| site.on_body(0, *point)).collect();
        let curve = through(&points, self.is_closed)?;
        Ok(Box::new(PointOnCurve::new(site.bodies, curve, site.on_body(1, self.point))))
    }
}

fn through(points: &[DVec3], is_closed: bool) -> Result<Curve, CurveError> {
    if is_closed { Curve::closed(points) } else { Curve::open(points) }
}

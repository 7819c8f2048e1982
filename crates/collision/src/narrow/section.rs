//! The wall of a container cut by a half plane through its axis: a parallelogram, exact for every distance of a point.
//!
//! With x the distance from the axis, the inner side goes from P₀ = (R₀, −H) to P₁ = (R₁, H); g is its direction and
//! n = (−g_z, g_x) its normal towards the axis. The outer side is parallel to it at the thickness t, and the ends are
//! flat, so that the corners outside are Qᵢ = Pᵢ + (t/g_z, 0). A point p has the distances
//!
//! ```text
//! inner side:  d = (p − P₀)·n        outer side:  e = −d − t        rings:  z − H and −H − z
//! ```
//!
//! from the four lines. Within the wall all are negative and the largest counts. Outside, the nearest point of a convex
//! polygon is the foot on a side that faces the point, if it is on that side, and else a corner.

use glam::DVec2;

/// What of the cross-section is nearest; `true` is the upper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inner,
    InnerEdge(bool),
    Ring(bool),
    OuterEdge(bool),
    Outer,
}

/// The side of the wall a body is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Inner,
    Outer,
    /// Beyond an open end; `true` is the upper one.
    Beyond(bool),
}

/// The nearest piece of the wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Signed distance \[m\], negative within the wall.
    pub(crate) distance: f64,
    /// Unit normal out of the wall, in the half plane.
    pub(crate) normal: DVec2,
    pub(crate) place: Place,
}

/// The cross-section of a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// P₀ and P₁.
    pub(crate) ends: [DVec2; 2],
    /// g.
    pub(crate) along: DVec2,
    /// L = |P₁ − P₀|.
    pub(crate) length: f64,
    /// t.
    pub(crate) thickness: f64,
    /// t/g_z, the thickness along the radius.
    pub(crate) width: f64,
}

impl Section {
    pub(crate) fn new(radii: [f64; 2], half_height: f64, thickness: f64) -> Self {
        let ends = [DVec2::new(radii[0], -half_height), DVec2::new(radii[1], half_height)];
        let length = ends[0].distance(ends[1]);
        let slope = (radii[1] - radii[0]) / (2.0 * half_height);
        let along = (ends[1] - ends[0]).normalize_or(DVec2::Y);
        Self { ends, along, length, thickness, width: thickness * slope.hypot(1.0) }
    }

    /// n.
    pub(crate) fn inwards(&self) -> DVec2 {
        self.along.perp()
    }

    /// H.
    pub(crate) fn half_height(&self) -> f64 {
        self.ends[1].y
    }

    /// dR/dz.
    pub(crate) fn slope(&self) -> f64 {
        self.along.x / self.along.y
    }

    /// Radius of the edge of an end: the inner or the outer one.
    pub(crate) fn edge(&self, upper: bool, outer: bool) -> DVec2 {
        let inner = self.ends[usize::from(upper)];
        if outer { inner + DVec2::new(self.width, 0.0) } else { inner }
    }

    /// d of a point.
    pub(crate) fn inner(&self, point: DVec2) -> f64 {
        (point - self.ends[0]).dot(self.inwards())
    }

    /// The side a body with this core is on: between the ends that of the surface in the middle of the wall.
    pub(crate) fn side(&self, core: DVec2) -> Side {
        if core.y.abs() > self.half_height() {
            Side::Beyond(core.y > 0.0)
        } else if self.inner(core) > -0.5 * self.thickness {
            Side::Inner
        } else {
            Side::Outer
        }
    }

    /// Signed distances from the four lines, and their normals.
    fn lines(&self, point: DVec2) -> [Near; 4] {
        let d = self.inner(point);
        let h = self.half_height();
        let near = |distance, normal, place| Near { distance, normal, place };
        [
            near(d, self.inwards(), Place::Inner),
            near(-d - self.thickness, -self.inwards(), Place::Outer),
            near(point.y - h, DVec2::Y, Place::Ring(true)),
            near(-h - point.y, DVec2::NEG_Y, Place::Ring(false)),
        ]
    }

    /// The nearest piece seen from a point; within the wall the line it is least deep behind, the inner one of equal ones.
    pub(crate) fn nearest(&self, point: DVec2) -> Near {
        let lines = self.lines(point);
        self.outside(point, &lines).unwrap_or_else(|| {
            lines
                .into_iter()
                .reduce(|best, line| if line.distance > best.distance { line } else { best })
                .unwrap_or(lines[0])
        })
    }

    /// The same, where a point within the wall leaves it by the side of its body.
    pub(crate) fn nearest_of(&self, point: DVec2, side: Side) -> Near {
        let lines = self.lines(point);
        self.outside(point, &lines).unwrap_or_else(|| lines[line_of(side)])
    }

    /// The line of a side, whatever the point.
    pub(crate) fn line(&self, point: DVec2, side: Side) -> Near {
        self.lines(point)[line_of(side)]
    }

    /// The nearest piece of a point outside of the wall.
    fn outside(&self, point: DVec2, lines: &[Near; 4]) -> Option<Near> {
        if lines.iter().all(|line| line.distance <= 0.0) {
            return None;
        }
        let a = (point - self.ends[0]).dot(self.along);
        for line in lines.iter().filter(|line| line.distance > 0.0) {
            let on_it = match line.place {
                Place::Inner => (0.0..=self.length).contains(&a),
                Place::Outer => (0.0..=self.length).contains(&(a - self.width * self.along.x)),
                Place::Ring(upper) => {
                    let inner = self.edge(upper, false).x;
                    (inner..=inner + self.width).contains(&point.x)
                }
                _ => false,
            };
            if on_it {
                return Some(*line);
            }
        }
        let mut best: Option<Near> = None;
        for (upper, outer) in [(false, false), (true, false), (false, true), (true, true)] {
            let away = point - self.edge(upper, outer);
            let distance = away.length();
            if best.is_none_or(|known| distance < known.distance) {
                let fallback = if outer { -self.inwards() } else { self.inwards() };
                let place = if outer { Place::OuterEdge(upper) } else { Place::InnerEdge(upper) };
                best = Some(Near { distance, normal: away.try_normalize().unwrap_or(fallback), place });
            }
        }
        best
    }
}

/// Which of the four lines is that of a side.
fn line_of(side: Side) -> usize {
    match side {
        Side::Inner => 0,
        Side::Outer => 1,
        Side::Beyond(true) => 2,
        Side::Beyond(false) => 3,
    }
}

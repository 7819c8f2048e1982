//! The nearest point of a triangle, and where a segment meets it.

use glam::DVec3;

/// Triangles are met a little beyond their sides, by this part of the side, so that nothing slips through a seam.
const BESIDE: f64 = 1e-9;

/// The part of a triangle that a point is nearest to. Side k runs from corner k to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Face,
    Side(usize),
    Corner(usize),
}

/// The point of a triangle nearest to x: the regions of Voronoi one after the other (Ericson, Real-Time Collision
/// Detection, 5.1.5).
pub(super) fn nearest(x: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Region) {
    let (ab, ac, ap) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Region::Corner(0));
    }
    let bp = x - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Region::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Region::Side(0));
    }
    let cp = x - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Region::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Region::Side(2));
    }
    let va = d3 * d6 - d5 * d4;
    let (from_b, from_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && from_b >= 0.0 && from_c >= 0.0 {
        return (b + (c - b) * (from_b / (from_b + from_c)), Region::Side(1));
    }
    let scale = 1.0 / (va + vb + vc);
    (a + ab * (vb * scale) + ac * (vc * scale), Region::Face)
}

/// Where the segment from p to q meets the triangle with the unit normal n, as a share of the segment. A point of the
/// plane counts as behind it.
pub(super) fn pierce(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3], n: DVec3) -> Option<f64> {
    let (from, to) = (n.dot(p - a), n.dot(q - a));
    if (from > 0.0) == (to > 0.0) {
        return None;
    }
    let share = from / (from - to);
    let x = p + (q - p) * share;
    let within = |u: DVec3, v: DVec3| {
        let side = v - u;
        n.cross(side).dot(x - u) >= -BESIDE * side.length_squared()
    };
    (within(a, b) && within(b, c) && within(c, a)).then_some(share)
}

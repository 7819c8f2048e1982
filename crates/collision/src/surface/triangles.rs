//! Two triangles of two surfaces: corners of each over the other, and edges across edges.

use super::convex::FACING;
use super::distance::AGAINST;
use super::found::{Kind, Meeting};
use super::sheet::{FLUSH, Foot, Region, Sheet, crossing, nearest};
use super::shorter::leaves_surface;
use super::topology::{Edge, NO_TRIANGLE};
use glam::DVec3;

/// One triangle of a pair.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) sheet: Sheet<'a>,
    pub(super) face: u32,
    /// How contacts name the face.
    pub(super) named: u32,
    pub(super) margin: f64,
    /// How far each node and the triangle as a whole reach.
    pub(super) node_reach: [f64; 3],
    pub(super) reach: f64,
    /// How far behind it is solid.
    pub(super) depth: f64,
    /// A length of the triangle.
    pub(super) size: f64,
}

/// Every contact of two triangles with a gap below envelope + reaches, and what competes with them.
pub(super) fn touch(part: u32, first: &Side, second: &Side, envelope: f64, emit: &mut dyn FnMut(Meeting)) {
    corners(part, first, second, envelope, true, emit);
    corners(part, second, first, envelope, false, emit);
    edges(part, first, second, envelope, emit);
}

/// Corners of one triangle over the other. `forward`: they are those of the first one.
fn corners(part: u32, own: &Side, other: &Side, envelope: f64, forward: bool, emit: &mut dyn FnMut(Meeting)) {
    for k in (0..3).filter(|&k| own.sheet.topology.owns_corner(own.face, k)) {
        let node = own.sheet.topology.triangles[own.face as usize][k];
        let corner = own.sheet.node(node);
        // A node above a node is one contact: that of the first surface's.
        let Some(foot) = other.sheet.foot(other.face, corner, true, forward) else { continue };
        let Foot { point, region, outward, height, shown } = foot;
        // A side of the triangle that is not the nearest competes through the triangle that is nearer.
        if !shown && matches!(region, Region::Side(_)) {
            continue;
        }
        if height.is_nan() || height < -other.depth {
            continue;
        }
        // A way the node cannot have come is none to leave by, and does not compete. But in front of a triangle, even too
        // far to touch it, is not behind another one that is farther away.
        let gap = height - own.margin - other.margin;
        let facing = own.sheet.node_normal(node).dot(outward);
        let touches = facing <= FACING && gap < envelope + own.node_reach[k] + other.reach;
        if !touches && (height <= FLUSH * other.size || height > other.size) {
            continue;
        }
        let (on_face, on_edge) =
            if forward { (Kind::CornerFace, Kind::CornerEdge) } else { (Kind::FaceNode, Kind::EdgeNode) };
        let (kind, what) = match region {
            Region::Face => (on_face, other.named),
            Region::Side(k) => (on_edge, other.sheet.side(other.face, k)),
            Region::Corner(k) => (Kind::CornerNode, other.sheet.topology.triangles[other.face as usize][k]),
        };
        let source = if forward { Kind::FirstCorner } else { Kind::SecondCorner };
        let mut meeting = Meeting {
            kind,
            part,
            what: [node, what],
            source: (source, node),
            faces: [own.named, other.named],
            points: [corner, point],
            normal: -outward,
            gap,
            height,
            shown: shown && touches,
            sideways: height <= FLUSH * other.size && own.sheet.facing(node, outward) > AGAINST,
            last_resort: false,
            size: other.size,
        };
        if !forward {
            meeting.what.reverse();
            meeting.faces.reverse();
            meeting.points.reverse();
            meeting.normal = outward;
        }
        emit(meeting);
    }
}

fn edges(part: u32, first: &Side, second: &Side, envelope: f64, emit: &mut dyn FnMut(Meeting)) {
    let (a, b) = (&first.sheet, &second.sheet);
    for i in (0..3).filter(|&i| a.topology.owns_side(first.face, i)) {
        let side_a = a.side(first.face, i);
        let edge_a = a.edge(side_a);
        let ends_a = edge_a.ends.map(|end| a.node(end));
        for j in (0..3).filter(|&j| b.topology.owns_side(second.face, j)) {
            let side_b = b.side(second.face, j);
            let edge_b = b.edge(side_b);
            let ends_b = edge_b.ends.map(|end| b.node(end));
            let Some((on_a, on_b, across)) = crossing(ends_a, ends_b) else { continue };
            // Out of A, into B.
            let mean = a.edge_normal(edge_a) - b.edge_normal(edge_b);
            let out = if across.dot(mean) < 0.0 { -across } else { across };
            let height = out.dot(on_b - on_a);
            let gap = height - first.margin - second.margin;
            let depth = first.depth.min(second.depth);
            if gap >= envelope + first.reach + second.reach || height < -depth {
                continue;
            }
            let outside = out.dot(a.edge_normal(edge_a)) > 0.0 && out.dot(b.edge_normal(edge_b)) < 0.0;
            let shown = outside
                && a.edge_allows(edge_a, out)
                && b.edge_allows(edge_b, -out)
                && (height >= -FLUSH * first.size.min(second.size)
                    || (cuts(a, edge_a, ends_b) || cuts(b, edge_b, ends_a))
                        && !leaves_surface(a, edge_a, b, edge_b, -height)
                        && !leaves_surface(b, edge_b, a, edge_a, -height));
            if shown {
                emit(Meeting {
                    kind: Kind::Edges,
                    part,
                    what: [side_a, side_b],
                    // Two edges meet once: nothing competes.
                    source: (Kind::Edges, side_a ^ side_b.rotate_left(16)),
                    faces: [first.named, second.named],
                    points: [on_a, on_b],
                    normal: out,
                    gap,
                    height: 0.0,
                    shown,
                    sideways: false,
                    last_resort: false,
                    size: first.size.min(second.size),
                });
            }
        }
    }
}

/// Whether a segment passes through one of the triangles beside an edge.
fn cuts(sheet: &Sheet, edge: &Edge, [p, q]: [DVec3; 2]) -> bool {
    edge.faces.iter().filter(|&&face| face != NO_TRIANGLE).any(|&face| {
        let (normal, corners) = (sheet.normal(face), sheet.corners(face));
        let [s, t] = [p, q].map(|end| normal.dot(end - corners[0]));
        if s * t >= 0.0 {
            return false;
        }
        let point = p + (q - p) * (s / (s - t));
        nearest(point, &corners, normal).1 == Region::Face
    })
}

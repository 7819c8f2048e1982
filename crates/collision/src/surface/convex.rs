//! A triangle of a surface against a convex body, in the frame of the body.
//!
//! | of the body | of the surface | normal |
//! |---|---|---|
//! | whatever is nearest | node | gradient of the distance |
//! | corner, lowest point of a rim | inside of a triangle | of the triangle |
//! | corner | edge | between them |
//! | edge | edge | across both |
//! | side of a cylinder or cone | edge | gradient of the distance, where it is least ([`lowest`]) |

use super::distance::{Distance, distance, shortest_distance};
use super::found::{Kind, Meeting};
use super::lowest;
use super::sheet::{Foot, Region, Sheet, crossing};
use super::shorter::leaves_body;
use crate::contact::NO_FACE;
use crate::narrow::general::convex::{Core, NONE, Polyhedron, Round};
use glam::DVec3;

/// Nodes are not pushed the way their surface looks: the cosine beyond which a normal does.
pub(super) const FACING: f64 = 0.1;
/// Lowest points closer than this to a fixed one of the rim are that one, relative to the radius.
const SAME: f64 = 1e-3;
/// A rim flatter on a triangle than this (sine) has no lowest point.
const FLAT: f64 = 1e-6;
/// Corners whose edges lead this much (cosine) farther into the surface are left out: others of the body are deeper.
const DEEPER: f64 = 0.5;
/// A body's edge allows a direction that leans this much (sine) into one of its faces.
const LEAN: f64 = 1e-6;

/// A convex body: a core swept by a sphere.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) core: &'a Core,
    pub(super) sweep: f64,
    pub(super) size: f64,
    pub(super) part: u32,
}

/// A triangle in the frame of the body.
#[derive(Clone, Copy)]
pub(super) struct Triangle<'a> {
    pub(super) sheet: Sheet<'a>,
    pub(super) face: u32,
    /// What its surface is grown by.
    pub(super) margin: f64,
    /// Gaps below this are contacts.
    pub(super) limit: f64,
    /// The same for its three nodes.
    pub(super) node_limits: [f64; 3],
    /// How far behind it is solid.
    pub(super) depth: f64,
}

impl Triangle<'_> {
    pub(super) fn corners(&self) -> [DVec3; 3] {
        self.sheet.corners(self.face)
    }
}

/// Every contact of a convex body and a triangle, and what competes with them.
pub(super) fn touch(body: &Body, triangle: &Triangle, emit: &mut dyn FnMut(Meeting)) {
    nodes(body, triangle, emit);
    let normal = triangle.sheet.normal(triangle.face);
    if normal == DVec3::ZERO {
        return;
    }
    lowest::deep_edges(body, triangle, emit);
    match body.core {
        Core::Polyhedron(core) => {
            let corners = triangle.corners();
            let grow = triangle.limit.max(0.0) + triangle.margin + body.sweep + triangle.depth;
            let low = corners[0].min(corners[1]).min(corners[2]) - grow;
            let high = corners[0].max(corners[1]).max(corners[2]) + grow;
            for (index, &vertex) in (0..).zip(&core.vertices) {
                if vertex.cmpge(low).all() && vertex.cmple(high).all() {
                    corner(body, triangle, index, vertex, true, emit);
                }
            }
            edges(body, core, triangle, [low, high], emit);
        }
        Core::Round(round) => {
            round_corners(body, round, triangle, normal, emit);
            lowest::edges(body, triangle, emit);
        }
    }
}

/// The nodes the triangle answers for, by the distance of the body.
fn nodes(body: &Body, triangle: &Triangle, emit: &mut dyn FnMut(Meeting)) {
    let Triangle { sheet, face, margin, .. } = triangle;
    for k in (0..3).filter(|&k| sheet.topology.owns_corner(*face, k)) {
        let node = sheet.topology.triangles[*face as usize][k];
        let (point, outward) = (sheet.node(node), sheet.node_normal(node));
        let limit = triangle.node_limits[k] + margin + body.sweep;
        let facing = |direction| sheet.facing(node, direction);
        let Some(Distance { value, normal }) = distance(body.core, body.size, point, facing, limit) else { continue };
        if normal.dot(outward) <= FACING {
            let points = [point - normal * (value - body.sweep), point];
            emit(node_contact(body.part, triangle, node, points, normal, value - body.sweep - margin));
        }
    }
}

/// The contact of a node.
pub(super) fn node_contact(
    part: u32,
    triangle: &Triangle,
    node: u32,
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
) -> Meeting {
    Meeting {
        kind: Kind::Node,
        part,
        what: [0, node],
        source: (Kind::Node, node),
        faces: [NO_FACE, triangle.face],
        points,
        normal,
        gap,
        height: 0.0,
        shown: true,
        sideways: false,
        last_resort: false,
        size: 0.0,
    }
}

/// A corner of the body over the triangle.
fn corner(body: &Body, triangle: &Triangle, index: u32, vertex: DVec3, beside: bool, emit: &mut dyn FnMut(Meeting)) {
    let Triangle { sheet, face, margin, limit, depth, .. } = triangle;
    // The centre of a ball and the ends of a capsule have no sides that could be flush.
    let has_sides = !matches!(body.core, Core::Polyhedron(core) if core.vertices.len() < 3);
    let Some(Foot { point, region, outward, height, shown }) = sheet.foot(*face, vertex, has_sides, false) else {
        return;
    };
    let gap = height - body.sweep - margin;
    // A side of the triangle that is not the nearest competes through the triangle that is nearer.
    let elsewhere = !shown && matches!(region, Region::Side(_));
    // In front of a triangle, even too far to touch it, is not behind another one that is farther away.
    let in_front = gap >= *limit;
    if (in_front && height > *depth) || height < -depth || elsewhere {
        return;
    }
    if !in_front && !is_low(body, index, vertex, outward) {
        return;
    }
    if height < 0.0 && leaves_body(body.core, sheet, &sheet.topology.triangles[*face as usize], -height) {
        return;
    }
    let (kind, what) = match region {
        Region::Face => (Kind::CornerFace, *face),
        Region::Side(k) => (Kind::CornerEdge, sheet.side(*face, k)),
        // Left to the node.
        Region::Corner(_) => (Kind::CornerNode, *face),
    };
    emit(Meeting {
        kind,
        part: body.part,
        what: [index, what],
        source: (Kind::FirstCorner, index),
        faces: [NO_FACE, *face],
        points: [vertex - outward * body.sweep, point],
        normal: -outward,
        gap,
        height,
        shown: shown && !in_front && (beside || region == Region::Face),
        sideways: false,
        last_resort: false,
        size: *depth,
    });
}

/// Whether no edge leads from a corner of the body, or no line of its cap or side from a point of its rim, steeply into the
/// surface. Otherwise this is a side the corner has not come by, and no rival of the others.
fn is_low(body: &Body, corner: u32, vertex: DVec3, outward: DVec3) -> bool {
    let core = match body.core {
        Core::Polyhedron(core) => core,
        Core::Round(round) => {
            return lines_from_rim(round, vertex).iter().all(|line| -outward.dot(*line) <= DEEPER);
        }
    };
    core.topology.edges.iter().filter(|ends| ends.contains(&corner)).all(|&[p, q]| {
        let other = if p == corner { q } else { p };
        let edge = core.vertices[other as usize] - core.vertices[corner as usize];
        -outward.dot(edge) <= DEEPER * edge.length()
    })
}

/// Unit vectors from a point of a rim towards the middle of its disc and along the side; from the tip of a cone, its axis.
fn lines_from_rim(round: &Round, point: DVec3) -> [DVec3; 2] {
    let from_centre = point - round.centre;
    let up = from_centre.dot(round.axis);
    if round.cone && up > 0.0 {
        return [-round.axis; 2];
    }
    let towards_axis = (round.axis * up - from_centre).normalize_or_zero();
    let other_end = if round.cone { DVec3::ZERO } else { from_centre - round.axis * up };
    let along = other_end - round.axis * up - from_centre;
    [towards_axis, along.normalize_or_zero()]
}

/// Edges of a polyhedron (or the axis of a capsule) across the sides the triangle answers for.
fn edges(body: &Body, core: &Polyhedron, triangle: &Triangle, [low, high]: [DVec3; 2], emit: &mut dyn FnMut(Meeting)) {
    let Triangle { sheet, face, margin, limit, depth, .. } = triangle;
    if !(0..3).any(|k| sheet.topology.owns_side(*face, k)) {
        return;
    }
    for (index, ends) in (0..).zip(&core.topology.edges) {
        let ends = ends.map(|end| core.vertices[end as usize]);
        if ends[0].min(ends[1]).cmpgt(high).any() || ends[0].max(ends[1]).cmplt(low).any() {
            continue;
        }
        for k in (0..3).filter(|&k| sheet.topology.owns_side(*face, k)) {
            let side = sheet.side(*face, k);
            let edge = sheet.edge(side);
            let nodes = edge.ends.map(|end| sheet.node(end));
            let Some((on_edge, on_body, across)) = crossing(nodes, ends) else { continue };
            let out = if across.dot(sheet.edge_normal(edge)) < 0.0 { -across } else { across };
            let height = out.dot(on_body - on_edge);
            let gap = height - body.sweep - margin;
            if gap >= *limit || height < -depth {
                continue;
            }
            // Behind the edge only while the body still holds its nearest point.
            let held = || shortest_distance(body.core, body.size, on_edge, body.sweep + LEAN * body.size).is_some();
            let shown = sheet.edge_allows(edge, out)
                && body_edge_allows(core, index as usize, ends, -out)
                && (height >= 0.0 || held() && !leaves_body(body.core, sheet, &edge.ends, -height));
            if !shown {
                continue;
            }
            emit(Meeting {
                kind: Kind::Edges,
                part: body.part,
                what: [index, side],
                source: (Kind::FirstEdge, index),
                faces: [NO_FACE, *face],
                points: [on_body - out * body.sweep, on_edge],
                normal: -out,
                gap,
                height,
                shown,
                sideways: false,
                last_resort: false,
                size: *depth,
            });
        }
    }
}

/// Whether a unit direction out of an edge of a polyhedron is between the normals of its faces.
fn body_edge_allows(core: &Polyhedron, edge: usize, [p, q]: [DVec3; 2], out: DVec3) -> bool {
    let faces = core.topology.edge_faces[edge];
    if faces.contains(&NONE) {
        return true;
    }
    let along = (q - p).normalize_or_zero();
    let [first, second] = faces.map(|face| core.normals[face as usize]);
    let behind = |own: DVec3, other: DVec3| {
        // Into the own face: away from the other face's outer side.
        let inward = own.cross(along);
        let inward = if inward.dot(other) > 0.0 { -inward } else { inward };
        out.dot(inward) <= LEAN
    };
    behind(first, second) && behind(second, first)
}

/// Four fixed points of each rim and the lowest one, and the tip of a cone, as corners.
fn round_corners(body: &Body, round: &Round, triangle: &Triangle, normal: DVec3, emit: &mut dyn FnMut(Meeting)) {
    /// Points of a rim.
    const RIM: u32 = 8;
    let lowest = round.radial(-normal) * round.radius;
    let tilted = (normal - round.axis * normal.dot(round.axis)).length() > FLAT;
    let other = round.axis.cross(round.across);
    let quarters = [round.across, other, -round.across, -other].map(|unit| unit * round.radius);
    let mut rim = |centre: DVec3, first: u32| {
        for (quarter, &offset) in (1..).zip(&quarters) {
            if !tilted || (offset - lowest).length() > SAME * round.radius {
                corner(body, triangle, first + quarter, centre + offset, false, emit);
            }
        }
        if tilted {
            corner(body, triangle, first, centre + lowest, false, emit);
        }
    };
    let up = round.axis * round.half_height;
    rim(round.centre - up, 0);
    if round.cone {
        corner(body, triangle, RIM, round.centre + up, true, emit);
    } else {
        rim(round.centre + up, RIM);
    }
}

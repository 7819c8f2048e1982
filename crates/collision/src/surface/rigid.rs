//! A triangle of a surface against a rigid collider.

use super::convex::{self, Body, FACING, Triangle, node_contact};
use super::found::Meeting;
use super::sheet::Sheet;
use super::triangles::{self, Side};
use crate::Pose;
use crate::contact::NO_FACE;
use crate::narrow::general::convex::Core;
use crate::narrow::general::surface::Surface;
use crate::narrow::general::{Body as PartBody, Prepared};
use glam::{DMat3, DVec3};

/// A triangle in the world.
pub(super) struct WorldTriangle<'a> {
    pub(super) side: Side<'a>,
    /// Gaps below this are contacts, whatever the nodes reach.
    pub(super) envelope: f64,
}

impl<'a> WorldTriangle<'a> {
    /// The triangle in the frame of a pose.
    fn seen_from(&self, pose: &Pose) -> Triangle<'a> {
        let Side { sheet, face, margin, node_reach, reach, depth, .. } = self.side;
        let rotation = DMat3::from_quat(pose.rotation.conjugate());
        Triangle {
            sheet: Sheet { rotation, from: pose.position, to: DVec3::ZERO, ..sheet },
            face,
            margin,
            limit: self.envelope + reach,
            node_limits: node_reach.map(|node| self.envelope + node),
            depth,
        }
    }
}

/// Contacts with a ball about a point; `core` is a point.
pub(super) fn ball(core: &Core, centre: DVec3, radius: f64, triangle: &WorldTriangle, emit: &mut dyn FnMut(Meeting)) {
    let body = Body { core, sweep: radius, size: radius, part: 0 };
    let local =
        Triangle { sheet: Sheet { from: centre, ..triangle.side.sheet }, ..triangle.seen_from(&Pose::IDENTITY) };
    convex::touch(&body, &local, &mut |meeting| {
        emit(Meeting { points: meeting.points.map(|point| point + centre), ..meeting });
    });
}

/// Contacts with all parts of a prepared shape at a pose.
pub(super) fn shape(
    prepared: &Prepared,
    pose: &Pose,
    triangle: &WorldTriangle,
    candidates: &mut Vec<u32>,
    emit: &mut dyn FnMut(Meeting),
) {
    for (index, part) in (0..).zip(&prepared.parts) {
        let at = *pose * part.pose;
        let local = triangle.seen_from(&at);
        let corners = local.corners();
        let grow = local.limit.max(0.0) + local.margin + local.depth;
        let low = corners[0].min(corners[1]).min(corners[2]) - grow;
        let high = corners[0].max(corners[1]).max(corners[2]) + grow;
        let (part_low, part_high) = part.aabb(&Pose::IDENTITY);
        if low.cmpgt(part_high).any() || high.cmplt(part_low).any() {
            continue;
        }
        let world = &mut |meeting: Meeting| {
            let points = meeting.points.map(|point| at * point);
            emit(Meeting { points, normal: at.rotation * meeting.normal, ..meeting });
        };
        match &part.body {
            PartBody::Convex(convex) => {
                let body = Body { core: &convex.core, sweep: convex.sweep, size: convex.size, part: index };
                convex::touch(&body, &local, world);
            }
            PartBody::Surface(mesh) => surface(index, (mesh, &at), triangle, [low, high], candidates, emit),
            PartBody::HalfSpace { normal, margin } => {
                nodes(index, *margin, &local, &|point| (normal.dot(point), *normal), world);
            }
            PartBody::Container(container) => {
                nodes(index, container.margin, &local, &|point| container.foot(point), world);
            }
        }
    }
}

/// Nodes against a half-space or the wall of a container. The distance from a plane and from the inner side of a wall is
/// least at a node; on the outer side a coarse surface may touch between its nodes.
fn nodes(
    part: u32,
    growth: f64,
    triangle: &Triangle,
    foot: &dyn Fn(DVec3) -> (f64, DVec3),
    emit: &mut dyn FnMut(Meeting),
) {
    let Triangle { sheet, face, margin, .. } = triangle;
    for k in (0..3).filter(|&k| sheet.topology.owns_corner(*face, k)) {
        let node = sheet.topology.triangles[*face as usize][k];
        let point = sheet.node(node);
        let (distance, normal) = foot(point);
        let gap = distance - growth - margin;
        if gap < triangle.node_limits[k] && (gap <= 0.0 || normal.dot(sheet.node_normal(node)) <= FACING) {
            let points = [point - normal * (distance - growth), point];
            emit(node_contact(part, triangle, node, points, normal, gap));
        }
    }
}

/// Triangles of a mesh or a height field near the one of the deformable surface, within a box in the frame of the mesh.
fn surface(
    part: u32,
    (mesh, at): (&Surface, &Pose),
    triangle: &WorldTriangle,
    [low, high]: [DVec3; 2],
    candidates: &mut Vec<u32>,
    emit: &mut dyn FnMut(Meeting),
) {
    let own = mesh.sheet();
    let sheet = Sheet {
        topology: &own.topology,
        nodes: &mesh.mesh.vertices,
        normals: &mesh.normals,
        node_normals: &own.node_normals,
        rotation: DMat3::from_quat(at.rotation),
        from: DVec3::ZERO,
        to: at.position,
    };
    mesh.triangles_in(low - mesh.margin, high + mesh.margin, candidates);
    for &face in candidates.iter() {
        let corners = mesh.mesh.corners(face as usize);
        let size = super::depth(&corners);
        let depth = if mesh.solid_below { f64::INFINITY } else { size };
        let (margin, named) = (mesh.margin, NO_FACE);
        let side = Side { sheet, face, named, margin, node_reach: [0.0; 3], reach: 0.0, depth, size };
        triangles::touch(part, &side, &triangle.side, triangle.envelope, &mut |mut meeting| {
            // The face of the mesh is its name, not that of a deformable surface.
            if matches!(meeting.kind, super::found::Kind::FaceNode) {
                meeting.what[0] = face;
            }
            // Both points lie on the triangles; that of the rigid side moves out by its margin.
            meeting.points[0] += meeting.normal * mesh.margin;
            emit(meeting);
        });
    }
}

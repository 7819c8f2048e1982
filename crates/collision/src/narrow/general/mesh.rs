//! Contacts of a convex body with a surface of triangles.
//!
//! A triangle and a body alone cannot tell whether the body is a little before the triangle or far behind it, beside an
//! edge or across it. Two things can: the inside of the body and the neighbours of the triangle.
//!
//! | file | what |
//! |---|---|
//! | [`side`] | the free side is that of the body's centre: a corner is behind if the way to it from there is cut |
//! | [`corner`] | corners of the body in front of and behind the surface |
//! | [`vertex`] | vertices of the surface |
//! | [`edge`] | edges of the surface across edges of the body |
//! | [`rim`] | rims and sides of cylinders and cones |
//! | [`reduce`] | contacts that others imply are left out |
//!
//! Normals are those of triangles, or lie in the cone of a convex edge or vertex ([`topology`]). All of it is in the frame
//! of the surface, with cores that are not yet swept: gaps are those of cores until the collector takes the spheres off.

mod body;
mod corner;
mod edge;
mod reduce;
mod rim;
mod side;
pub(super) mod topology;
mod triangle;
mod vertex;

use super::convex::{NONE, View};
use super::overlap::Touch;
use super::surface::Surface;
use body::{Body, BodyBuffer};
use glam::DVec3;
use topology::MeshTopology;

/// A normal may leave the cone of the surface by this (sine): rounding only, or inner edges are felt.
const CONE: f64 = 1e-6;
/// Ways out of a body lead along the normals of its faces; the cone of the surface must allow them within this (sine).
const EXIT: f64 = 0.02;

/// A centre is in front of a plane from this share of the body's size below it on: rounding only.
const SEEN: f64 = 1e-9;

/// What meets, in the names of contacts. The features of body and surface follow.
#[derive(Clone, Copy)]
enum Kind {
    CornerFace = 16,
    CornerEdge,
    CornerVertex,
    Vertex,
    Edges,
    RoundEdge,
}

/// A contact of the core, in the frame of the surface. Its normal points from the surface to the body.
#[derive(Clone, Copy)]
pub(super) struct Met {
    pub(super) touch: Touch,
    /// The triangle for which the lowest point of a rim was looked for, plus one; 0 for other contacts.
    pub(super) via: u32,
}

/// Buffers of a query.
#[derive(Default)]
pub(super) struct MeshBuffers {
    body: BodyBuffer,
    /// Triangles near the body.
    triangles: Vec<u32>,
    /// Those that it may cross or stand on.
    active: Vec<u32>,
    /// Triangles farther away that may be nearer to its centre.
    wider: Vec<u32>,
    edges: Vec<u32>,
    vertices: Vec<u32>,
    flood: corner::Flood,
    reduce: reduce::Buffers,
    /// Contacts of edges that are not the shortest way out, if the shortest one is found.
    doubted: Vec<edge::Doubted>,
    pub(super) found: Vec<Met>,
}

/// A body and a part of a surface.
struct Query<'a> {
    surface: &'a Surface,
    topology: &'a MeshTopology,
    body: &'a Body<'a>,
    /// Triangles the body may cross or stand on, in ascending order.
    active: &'a [u32],
    /// Gaps of cores below this are contacts.
    limit: f64,
    /// By how much body and surface are swept together.
    sweep: f64,
    /// A point on the free side: the centre of the body, or if that has gone through the surface, the place before.
    origin: DVec3,
    /// The centre is behind a surface that has no inside, and there was no place before.
    hidden: bool,
}

impl Query<'_> {
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.surface.mesh.corners(triangle as usize)
    }

    fn normal(&self, triangle: u32) -> DVec3 {
        self.surface.normals[triangle as usize]
    }

    fn place(&self, vertex: u32) -> DVec3 {
        self.surface.mesh.vertices[vertex as usize]
    }

    /// Height of a point over the plane of a triangle.
    fn height(&self, triangle: u32, x: DVec3) -> f64 {
        self.normal(triangle).dot(x - self.place(self.surface.mesh.triangles[triangle as usize][0]))
    }

    fn vertex_allows(&self, vertex: u32, n: DVec3, sine: f64) -> bool {
        self.topology.vertex_allows(&self.surface.mesh, &self.surface.normals, vertex, n, sine)
    }

    /// Adds the contact of a point of the body.
    fn add_body(&self, found: &mut Vec<Met>, name: (Kind, u32, u32), via: u32, b: DVec3, normal: DVec3, gap: f64) {
        if gap < self.limit {
            let name = [name.0 as u32, name.1, name.2];
            found.push(Met { touch: Touch { a: b - normal * gap, b, normal, gap, name }, via });
        }
    }

    /// Adds the contact of a point of the surface.
    fn add_surface(&self, found: &mut Vec<Met>, name: (Kind, u32, u32), a: DVec3, normal: DVec3, gap: f64) {
        if gap < self.limit {
            let name = [name.0 as u32, name.1, name.2];
            found.push(Met { touch: Touch { a, b: a + normal * gap, normal, gap, name }, via: 0 });
        }
    }
}

/// Fills `buffers.found` with the contacts of a surface and a core whose gap is below `reach` when both are swept. `free`:
/// a place of the body's centre known to be on the free side, if there is one.
pub(super) fn touch(surface: &Surface, view: &View, reach: f64, free: Option<DVec3>, buffers: &mut MeshBuffers) {
    let MeshBuffers { body, triangles, active, wider, edges, vertices, flood, reduce, doubted, found } = buffers;
    found.clear();
    doubted.clear();
    let sweep = surface.margin + view.sweep;
    let limit = reach + sweep;
    let (mut low, mut high) = super::box_of(view, limit);
    if let Some(free) = free {
        (low, high) = (low.min(free), high.max(free));
    }
    surface.triangles_in(low, high, triangles);
    let topology = surface.topology();
    let body = Body::new(view, body);
    active.clear();
    triangles.retain(|&t| {
        let normal = surface.normals[t as usize];
        let corner = surface.mesh.triangles[t as usize][0];
        let offset = normal.dot(surface.mesh.vertices[corner as usize]);
        let (lowest, highest) = view.interval(normal);
        let near = lowest - offset < limit;
        if near && highest - offset > -sweep {
            active.push(t);
        }
        near
    });
    if triangles.is_empty() {
        return;
    }
    let start = side::Start { surface, topology, body: &body, triangles, region: (low, high), free };
    let (origin, hidden) = start.find(wider);
    if origin != body.centre {
        // Seen from outside of the body, it may be wholly behind triangles that it has gone through.
        active.clone_from(triangles);
    }
    edges.clear();
    vertices.clear();
    for &t in triangles.iter() {
        let [sides, corners] = [topology.sides[t as usize], surface.mesh.triangles[t as usize]];
        edges.extend(sides.into_iter().filter(|&edge| topology.edges[edge as usize].sharp));
        vertices.extend(corners.into_iter().filter(|&vertex| topology.sharp[vertex as usize]));
    }
    for list in [&mut *edges, &mut *vertices] {
        list.sort_unstable();
        list.dedup();
    }
    let query = Query { surface, topology, body: &body, active, limit, sweep, origin, hidden };
    for (index, &corner) in (0..).zip(body.corners) {
        query.corner(index, corner, NONE, found, flood);
    }
    match &view.round {
        Some(round) => {
            query.rims(round, found, flood);
            edges.iter().for_each(|&edge| query.round_edge(edge, round, found));
        }
        None => edges.iter().for_each(|&edge| query.edge(edge, found, doubted)),
    }
    // The corners of a ball are all of it.
    if body.corners.len() > 1 {
        vertices.iter().for_each(|&vertex| query.vertex(vertex, found));
    }
    let known = found.len();
    for contact in doubted.iter() {
        let kept = contact.unless_led(&found[..known]);
        found.extend(kept);
    }
    if origin == body.centre {
        // A free centre is in front of all that its body is behind: a contact deeper than the centre is high belongs to the extension of a triangle, not to it.
        let low = -SEEN * body.size;
        found.retain(|met| met.touch.gap >= 0.0 || met.touch.normal.dot(origin - met.touch.a) >= low);
    }
    reduce::reduce(found, body.size, view.round.map(|round| round.radius), reduce);
}

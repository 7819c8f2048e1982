//! Which triangles of a surface meet at its edges and vertices, and which normals these allow.
//!
//! A contact normal n from an edge or a vertex belongs to the surface if the surface lies behind the plane across n
//! there: n·d ≤ 0 for every direction d along the surface. These directions form the cone of the feature. The cone of a
//! flat or concave edge has no inside, so only convex edges and rims touch by themselves, and a floor of many triangles
//! is felt as a floor.

use crate::Mesh;
use crate::narrow::general::convex::NONE;
use glam::DVec3;

/// Edges bent by less than this (sine) are flat.
const FLAT: f64 = 1e-6;
/// Triangles whose normals are more opposed than this (cosine) are folded onto each other: their edge is convex.
const FOLDED: f64 = -0.999_999;

/// An edge and the triangles beside it.
pub(in crate::narrow::general) struct Edge {
    pub(super) ends: [u32; 2],
    /// The second is `NONE` at a rim. Of more than two triangles the first two count.
    pub(super) faces: [u32; 2],
    /// Unit vectors in the triangles, across the edge, away from it; the second is zero at a rim.
    inward: [DVec3; 2],
    /// Sum of the normals.
    pub(super) normal: DVec3,
    /// Convex or a rim: the edges that touch by themselves.
    pub(super) sharp: bool,
}

/// Lists of what is around each vertex.
#[derive(Default)]
struct Around {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Around {
    fn new(mut pairs: Vec<(u32, u32)>, vertices: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; vertices + 1];
        for &(vertex, _) in &pairs {
            starts[vertex as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        Self { starts, members: pairs.into_iter().map(|pair| pair.1).collect() }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.members[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// Edges and vertices of a surface with their cones.
pub(in crate::narrow::general) struct MeshTopology {
    pub(super) edges: Vec<Edge>,
    /// Edge k of a triangle runs from its corner k to the next.
    pub(super) sides: Vec<[u32; 3]>,
    faces_around: Around,
    edges_around: Around,
    /// Sums of the normals of the triangles around a vertex, each with the angle it has there: what lies outside a closed
    /// surface is in front of them wherever they are nearest.
    pub(super) vertex_normals: Vec<DVec3>,
    /// Vertices with a sharp edge.
    pub(super) sharp: Vec<bool>,
    /// Every edge has two triangles that run along it in opposite directions: the surface has an inside.
    pub(super) closed: bool,
}

impl MeshTopology {
    pub(in crate::narrow::general) fn new(mesh: &Mesh, normals: &[DVec3]) -> Self {
        let place = |v: u32| mesh.vertices[v as usize];
        let mut found: Vec<([u32; 2], u32, u32, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (t, corners) in mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                found.push(([p.min(q), p.max(q)], t as u32, k as u32, p < q));
            }
        }
        found.sort_unstable();
        let mut edges = Vec::with_capacity(found.len() / 2);
        let mut sides = vec![[NONE; 3]; mesh.triangles.len()];
        let mut closed = true;
        for group in found.chunk_by(|s, t| s.0 == t.0) {
            for side in group {
                sides[side.1 as usize][side.2 as usize] = edges.len() as u32;
            }
            closed &= matches!(group, [s, t] if s.3 != t.3);
            let (ends, faces) = (group[0].0, [group[0].1, group.get(1).map_or(NONE, |side| side.1)]);
            let start = place(ends[0]);
            let along = (place(ends[1]) - start).normalize_or_zero();
            let inward = faces.map(|face| {
                let corners = mesh.triangles.get(face as usize);
                let third = corners.and_then(|corners| corners.iter().find(|corner| !ends.contains(corner)));
                let across = third.map_or(DVec3::ZERO, |&third| place(third) - start);
                (across - along * across.dot(along)).normalize_or_zero()
            });
            let own = normals[faces[0] as usize];
            let other = normals.get(faces[1] as usize).copied();
            let sharp = other.is_none_or(|other| own.dot(inward[1]) < -FLAT || own.dot(other) < FOLDED);
            let normal = own + other.unwrap_or(DVec3::ZERO);
            edges.push(Edge { ends, faces, inward, normal, sharp });
        }
        let faces = mesh.triangles.iter().zip(0..).flat_map(|(corners, t)| corners.map(|corner| (corner, t)));
        let faces_around = Around::new(faces.collect(), mesh.vertices.len());
        let ends = edges.iter().zip(0..).flat_map(|(edge, e)| edge.ends.map(|end| (end, e)));
        let edges_around = Around::new(ends.collect(), mesh.vertices.len());
        let mut vertex_normals = vec![DVec3::ZERO; mesh.vertices.len()];
        for (corners, &normal) in mesh.triangles.iter().zip(normals) {
            for k in 0..3 {
                let [a, b, c] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]].map(place);
                vertex_normals[corners[k] as usize] += normal * (b - a).angle_between(c - a);
            }
        }
        let mut sharp = vec![false; mesh.vertices.len()];
        for edge in edges.iter().filter(|edge| edge.sharp) {
            edge.ends.iter().for_each(|&end| sharp[end as usize] = true);
        }
        Self { edges, sides, faces_around, edges_around, vertex_normals, sharp, closed }
    }

    /// Triangles around a vertex, in ascending order.
    pub(super) fn faces_of(&self, vertex: u32) -> &[u32] {
        self.faces_around.of(vertex)
    }

    /// Whether a vertex is at the end of a rim.
    pub(super) fn is_on_rim(&self, vertex: u32) -> bool {
        self.edges_around.of(vertex).iter().any(|&edge| self.edges[edge as usize].is_rim())
    }

    /// Whether a unit vector is in the cone of a vertex, up to a sine.
    pub(super) fn vertex_allows(&self, mesh: &Mesh, normals: &[DVec3], vertex: u32, n: DVec3, sine: f64) -> bool {
        let place = mesh.vertices[vertex as usize];
        n.dot(self.vertex_normals[vertex as usize]) > 0.0
            && self.edges_around.of(vertex).iter().all(|&edge| {
                let edge = &self.edges[edge as usize];
                let other = if edge.ends[0] == vertex { edge.ends[1] } else { edge.ends[0] };
                let along = mesh.vertices[other as usize] - place;
                n.dot(along) <= sine * along.length()
                    && (!edge.is_rim() || n.dot(normals[edge.faces[0] as usize]) >= -sine)
            })
    }
}

impl Edge {
    pub(super) fn is_rim(&self) -> bool {
        self.faces[1] == NONE
    }

    /// Whether a unit vector across the edge is in its cone, up to a sine. Of a rim it must also be in front.
    pub(super) fn allows(&self, n: DVec3, sine: f64) -> bool {
        let front = if self.is_rim() { -sine } else { 0.0 };
        n.dot(self.inward[0]) <= sine && n.dot(self.inward[1]) <= sine && n.dot(self.normal) >= front
    }
}

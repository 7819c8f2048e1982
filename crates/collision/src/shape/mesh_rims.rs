//! Rims of a mesh: where it is open, where it looks as if it should have been closed, and seams that are not sewn.

use super::Mesh;
use super::mesh_pieces::{Piece, Pieces};
use super::mesh_topology::{Sides, find};
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// A rim that spans less than this share of the area of its piece is the rim of a hole, if the piece has no larger one.
const SMALL_HOLE: f64 = 0.02;
/// A rim that spans less than this share and has few edges is the rim of a hole, whatever the other rims are.
const TINY_HOLE: f64 = 1e-3;
/// Edges of a hole left by one or two triangles.
const FEW_EDGES: usize = 4;
/// A piece with fewer triangles may be open by design, such as a pyramid without its base.
const PYRAMID: u32 = 8;
/// A vertex is on an edge if it is as near as this share of the coordinates: about eight rounding errors of the 32-bit
/// numbers that STL files have.
const TOUCHING: f64 = 1e-6;
/// It must also be nearer than this share of the edge.
const SHORT: f64 = 0.01;

/// A small rim that looks like a hole in what should be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// One of its edges.
    pub edge: [u32; 2],
    /// How many it has.
    pub edges: usize,
}

/// A vertex that lies on an open edge without being one of its ends: the triangles beside it meet, but are not connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    /// The vertex.
    pub vertex: u32,
    /// The edge.
    pub edge: [u32; 2],
}

/// An edge with one triangle, in the direction in which that runs along it.
struct OpenEdge {
    ends: [u32; 2],
    triangle: u32,
}

/// Edges with one triangle.
pub(super) struct Rims(Vec<OpenEdge>);

/// The edges of one rim.
struct Rim<'a> {
    edges: Vec<&'a OpenEdge>,
    piece: &'a Piece,
    /// Area of the triangles between its edges and the middle of its corners.
    area: f64,
}

impl Rims {
    pub(super) fn new(sides: &Sides) -> Self {
        let open = sides.edges().filter_map(|edge| match edge {
            [side] => {
                let [low, high] = side.edge;
                let ends = if side.forwards { [low, high] } else { [high, low] };
                Some(OpenEdge { ends, triangle: side.triangle })
            }
            _ => None,
        });
        Self(open.collect())
    }

    /// Rims that look like holes, in the order of their first edges.
    pub(super) fn holes(&self, mesh: &Mesh, pieces: &Pieces) -> Vec<Hole> {
        let rims = self.rims(mesh, pieces);
        let is_small = |rim: &Rim<'_>| {
            let is_missing_triangle = rim.edges.len() == 3 && rim.piece.triangles >= PYRAMID;
            is_missing_triangle || rim.area < SMALL_HOLE * rim.piece.area
        };
        // A piece with a larger rim is a sheet.
        let mut sheets: Vec<u32> = rims.iter().filter(|rim| !is_small(rim)).map(|rim| rim.piece.first).collect();
        sheets.sort_unstable();
        let is_hole = |rim: &&Rim<'_>| {
            let is_tiny = rim.edges.len() <= FEW_EDGES && rim.area < TINY_HOLE * rim.piece.area;
            is_small(rim) && (is_tiny || sheets.binary_search(&rim.piece.first).is_err())
        };
        let hole = |rim: &Rim<'_>| Hole { edge: rim.edges[0].ends, edges: rim.edges.len() };
        rims.iter().filter(is_hole).map(hole).collect()
    }

    fn rims<'a>(&'a self, mesh: &Mesh, pieces: &'a Pieces) -> Vec<Rim<'a>> {
        let mut parent: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
        for edge in &self.0 {
            let [a, b] = edge.ends.map(|end| find(&mut parent, end));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut order: Vec<(u32, usize)> = Vec::with_capacity(self.0.len());
        for (index, edge) in self.0.iter().enumerate() {
            order.push((find(&mut parent, edge.ends[0]), index));
        }
        order.sort_unstable();
        let rims = order.chunk_by(|s, t| s.0 == t.0).map(|group| {
            let edges: Vec<&OpenEdge> = group.iter().map(|&(_, index)| &self.0[index]).collect();
            let place = |edge: &OpenEdge| edge.ends.map(|end| mesh.vertices[end as usize]);
            let middle = edges.iter().map(|edge| place(edge)[0]).sum::<DVec3>() / edges.len() as f64;
            let fan = edges.iter().map(|edge| {
                let [p, q] = place(edge);
                0.5 * (p - middle).cross(q - middle).length()
            });
            let area = fan.sum();
            let piece = &pieces.list[pieces.of[edges[0].triangle as usize] as usize];
            Rim { edges, piece, area }
        });
        rims.collect()
    }

    /// Vertices of rims that lie on other open edges, in the order of the vertices; each with one edge.
    pub(super) fn seams(&self, mesh: &Mesh) -> Vec<Seam> {
        let place = |vertex: u32| mesh.vertices[vertex as usize];
        let near = |edge: &OpenEdge| {
            let [p, q] = edge.ends.map(place);
            (TOUCHING * p.abs().max(q.abs()).max_element()).min(SHORT * p.distance(q))
        };
        let boxes = self.0.iter().map(|edge| {
            let ([p, q], near) = (edge.ends.map(place), near(edge));
            Aabb::new(p.min(q) - near, p.max(q) + near)
        });
        let boxes: Vec<Aabb> = boxes.collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let mut vertices: Vec<u32> = self.0.iter().flat_map(|edge| edge.ends).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let seam = |vertex: u32| {
            let x = place(vertex);
            let lies_on = |leaf: &u32| {
                let edge = &self.0[*leaf as usize];
                let [p, q] = edge.ends.map(place);
                let share = ((x - p).dot(q - p) / p.distance_squared(q)).clamp(0.0, 1.0);
                !edge.ends.contains(&vertex) && x.distance(p.lerp(q, share)) <= near(edge)
            };
            let at = Aabb::new(x, x);
            let first = tree.intersect_aabb(&at).filter(lies_on).min()?;
            Some(Seam { vertex, edge: self.0[first as usize].ends })
        };
        vertices.into_iter().filter_map(seam).collect()
    }
}

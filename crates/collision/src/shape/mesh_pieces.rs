//! Pieces of a mesh that hang together by their edges, and which of them are inside out.
//!
//! Let w be how often the other closed pieces wind around a closed piece. A piece of positive volume bounds matter; one of
//! negative volume is right as a cavity, where w ≥ 1, and inside out elsewhere. The winding number along the ray from p in
//! the direction x is Σ ±1 over the triangles it meets, +1 where it leaves (normal along x).

use super::Mesh;
use super::mesh_topology::{Sides, find};
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// Volumes below this share of area times size are those of rounding: the piece is flat and has no inside.
const FLAT: f64 = 1e-12;
/// Triangles of a piece from which the winding number of the others is taken. Most of them decide, since a piece may touch
/// another one at some of them.
const SAMPLES: u32 = 5;

/// A closed piece of a mesh whose triangles are clockwise seen from outside, and which is no cavity of another piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsideOut {
    /// One of its triangles.
    pub triangle: u32,
    /// Its volume, which is negative \[m³\].
    pub volume: f64,
}

/// A part of a mesh whose triangles hang together by edges of two triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) first: u32,
    pub(super) triangles: u32,
    /// Along every edge as many of its triangles run one way as the other.
    pub(super) is_closed: bool,
    /// Of a closed piece \[m³\].
    pub(super) volume: f64,
    pub(super) area: f64,
    low: DVec3,
    high: DVec3,
}

/// All pieces of a mesh, in the order of their first triangles.
pub(super) struct Pieces {
    /// The piece of every triangle.
    pub(super) of: Vec<u32>,
    pub(super) list: Vec<Piece>,
}

impl Pieces {
    pub(super) fn new(mesh: &Mesh, sides: &Sides) -> Self {
        let mut parent: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
        for edge in sides.edges() {
            if let [s, t] = edge {
                let (a, b) = (find(&mut parent, s.triangle), find(&mut parent, t.triangle));
                // The lower one is the root, so that a piece is numbered where its first triangle is.
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut of = vec![0; mesh.triangles.len()];
        let mut list: Vec<Piece> = Vec::new();
        for t in 0..mesh.triangles.len() {
            let root = find(&mut parent, t as u32) as usize;
            if root == t {
                of[t] = list.len() as u32;
                list.push(Piece {
                    first: t as u32,
                    triangles: 0,
                    is_closed: true,
                    volume: 0.0,
                    area: 0.0,
                    low: DVec3::INFINITY,
                    high: DVec3::NEG_INFINITY,
                });
            } else {
                of[t] = of[root];
            }
            let piece = &mut list[of[t] as usize];
            let [a, b, c] = mesh.corners(t);
            // Volumes are measured from a corner of the piece: far from the origin they would be lost in rounding.
            let from = mesh.corners(piece.first as usize)[0];
            piece.triangles += 1;
            piece.volume += (a - from).dot((b - from).cross(c - from)) / 6.0;
            piece.area += 0.5 * (b - a).cross(c - a).length();
            piece.low = piece.low.min(a).min(b).min(c);
            piece.high = piece.high.max(a).max(b).max(c);
        }
        let mut ways: Vec<(u32, i64)> = Vec::new();
        for edge in sides.edges() {
            ways.clear();
            ways.extend(edge.iter().map(|side| (of[side.triangle as usize], if side.forwards { 1 } else { -1 })));
            ways.sort_unstable();
            for group in ways.chunk_by(|s, t| s.0 == t.0) {
                let balance: i64 = group.iter().map(|way| way.1).sum();
                list[group[0].0 as usize].is_closed &= balance == 0;
            }
        }
        Self { of, list }
    }

    pub(super) fn closed(&self) -> usize {
        self.list.iter().filter(|piece| piece.is_closed).count()
    }

    /// Closed pieces of negative volume that are no cavities, in the order of their first triangles.
    pub(super) fn inside_out(&self, mesh: &Mesh) -> Vec<InsideOut> {
        let is_negative =
            |piece: &Piece| piece.is_closed && piece.volume < -FLAT * piece.area * (piece.high - piece.low).length();
        let mut samples = Vec::new();
        let mut rank = vec![0_u32; self.list.len()];
        for (t, &piece) in self.of.iter().enumerate() {
            let Piece { triangles, .. } = self.list[piece as usize];
            if is_negative(&self.list[piece as usize]) {
                if rank[piece as usize].is_multiple_of(triangles.div_ceil(SAMPLES)) {
                    samples.push((piece, t));
                }
                rank[piece as usize] += 1;
            }
        }
        if samples.is_empty() {
            return Vec::new();
        }
        let others = Closed::new(mesh, self);
        // Votes for a cavity less those against it.
        let mut votes = vec![0; self.list.len()];
        for (piece, t) in samples {
            let [a, b, c] = mesh.corners(t);
            let is_within = others.winding((a + b + c) / 3.0, piece) >= 1;
            votes[piece as usize] += if is_within { 1 } else { -1 };
        }
        let all = self.list.iter().zip(votes);
        let wrong = all.filter(|(piece, votes)| is_negative(piece) && *votes <= 0);
        wrong.map(|(piece, _)| InsideOut { triangle: piece.first, volume: piece.volume }).collect()
    }
}

/// The triangles of all closed pieces.
struct Closed<'a> {
    mesh: &'a Mesh,
    of: &'a [u32],
    triangles: Vec<u32>,
    tree: Bvh,
    /// Beyond all of them along x.
    far: f64,
}

impl<'a> Closed<'a> {
    fn new(mesh: &'a Mesh, pieces: &'a Pieces) -> Self {
        let is_closed = |t: &u32| pieces.list[pieces.of[*t as usize] as usize].is_closed;
        let triangles: Vec<u32> = (0..mesh.triangles.len() as u32).filter(is_closed).collect();
        let boxes: Vec<Aabb> = triangles.iter().map(|&t| mesh.box_of(t as usize)).collect();
        let far = boxes.iter().fold(f64::NEG_INFINITY, |far, leaf| far.max(leaf.maxs.x));
        Self { mesh, of: &pieces.of, triangles, tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes), far }
    }

    /// How often all pieces but one wind around a point.
    fn winding(&self, p: DVec3, except: u32) -> i32 {
        let ray = Aabb::new(p, p.with_x(self.far.max(p.x)));
        let met = self.tree.intersect_aabb(&ray).map(|leaf| self.triangles[leaf as usize]);
        met.filter(|&t| self.of[t as usize] != except).map(|t| crossing(p, self.mesh.corners(t as usize))).sum()
    }
}

/// +1 where the ray from p along x leaves through a triangle, −1 where it enters, else 0. Seen along x, the triangles around
/// an edge agree on the side of it that p is on, because they compute it from the same numbers in the same order: none or
/// both of two neighbours are never met by rounding.
fn crossing(p: DVec3, corners: [DVec3; 3]) -> i32 {
    let [a, b, c] = corners;
    let mut turns = 0;
    for (u, v) in [(a, b), (b, c), (c, a)] {
        let (up, down) = (u.z <= p.z && v.z > p.z, v.z <= p.z && u.z > p.z);
        if up || down {
            let (low, high) = if up { (u, v) } else { (v, u) };
            let left = (high.y - low.y) * (p.z - low.z) - (p.y - low.y) * (high.z - low.z) > 0.0;
            turns += i32::from(left) * if up { 1 } else { -1 };
        }
    }
    let normal = (b - a).cross(c - a);
    let is_ahead = normal.dot(a - p) * f64::from(turns) > 0.0;
    if is_ahead { turns } else { 0 }
}

impl Mesh {
    /// The box around a triangle.
    pub(super) fn box_of(&self, triangle: usize) -> Aabb {
        let [a, b, c] = self.corners(triangle);
        Aabb::new(a.min(b).min(c), a.max(b).max(c))
    }

    /// Closed pieces that are inside out, in the order of their first triangles. A piece hangs together by its edges; one
    /// of negative volume within another piece is a cavity of it, and right.
    #[must_use]
    pub fn inside_out(&self) -> Vec<InsideOut> {
        Pieces::new(self, &self.sides()).inside_out(self)
    }
}

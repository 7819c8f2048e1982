//! Triangles of a mesh that cross each other.
//!
//! Two triangles cross if the corners of either lie on both sides of the plane of the other, and the pieces that they cut out
//! of the common line of their planes overlap (Möller 1997). Every comparison leaves room for rounding, so that triangles
//! that touch, lie in one plane or are neighbours along an unsewn seam never count.

use super::Mesh;
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use rayon::prelude::*;

/// Depths and lengths below this share of the coordinates of two triangles do not count: about four rounding errors of the
/// 32-bit numbers that STL files have.
const ROUNDING: f64 = 5e-7;
/// The same for the largest coordinate of the mesh, which may have been moved after it was rounded.
const MOVED_ROUNDING: f64 = 1e-7;
/// The search ends once so many have been found: the mesh is a tangle.
const MOST: usize = 1000;
/// Pairs of triangles whose boxes meet that are compared at most: about ten seconds of work.
const MOST_COMPARED: usize = 100_000_000;
/// Large meshes may have so many per triangle; good ones have about 20.
const MOST_PER_TRIANGLE: usize = 32;
/// Triangles between two looks at these limits. Each may have to be compared with all others.
const BLOCK: usize = 256;

/// Pairs of triangles that cross without a common vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// The pairs, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// The search ended early: there may be more.
    pub may_be_more: bool,
}

impl Mesh {
    /// Pairs of triangles that cross without a common vertex. The search ends once a thousand are found, or where too many triangles
    /// are side by side to compare them all within seconds.
    #[must_use]
    pub fn crossings(&self) -> Crossings {
        let count = self.triangles.len();
        let boxes: Vec<Aabb> = (0..count).map(|t| self.box_of(t)).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let size = self.vertices.iter().fold(0.0, |size: f64, vertex| size.max(vertex.abs().max_element()));
        let search = Search { mesh: self, tree: &tree, boxes: &boxes, rounding: MOVED_ROUNDING * size };
        let most_compared = MOST_COMPARED.max(MOST_PER_TRIANGLE * count);
        let mut found = Crossings::default();
        let mut compared = 0;
        for start in (0..count).step_by(BLOCK) {
            let block: Vec<(usize, Vec<u32>)> =
                (start..count.min(start + BLOCK)).into_par_iter().map(|t| search.crossed_by(t)).collect();
            for (t, (pairs, crossed)) in (start as u32..).zip(block) {
                compared += pairs;
                found.pairs.extend(crossed.into_iter().map(|other| [t, other]));
            }
            if found.pairs.len() >= MOST || compared >= most_compared {
                found.may_be_more = true;
                break;
            }
        }
        found
    }
}

/// What all triangles are compared with.
struct Search<'a> {
    mesh: &'a Mesh,
    tree: &'a Bvh,
    boxes: &'a [Aabb],
    rounding: f64,
}

impl Search<'_> {
    /// How many triangles were compared with one, and which later ones cross it, in ascending order.
    fn crossed_by(&self, t: usize) -> (usize, Vec<u32>) {
        let (own, corners) = (self.mesh.triangles[t], self.mesh.corners(t));
        let mut compared = 0;
        let mut crossed = Vec::new();
        for other in self.tree.intersect_aabb(&self.boxes[t]) {
            compared += 1;
            let is_later = other as usize > t;
            if is_later && !self.mesh.triangles[other as usize].iter().any(|corner| own.contains(corner)) {
                let is_crossed = cross(corners, self.mesh.corners(other as usize), self.rounding);
                crossed.extend(is_crossed.then_some(other));
            }
            // A tangle: its pairs would fill the memory.
            if crossed.len() >= MOST {
                break;
            }
        }
        crossed.sort_unstable();
        (compared, crossed)
    }
}

/// Whether two triangles cross by more than rounding, which is that of their own coordinates or `least`.
fn cross(one: [DVec3; 3], other: [DVec3; 3], least: f64) -> bool {
    let size = one.iter().chain(&other).fold(DVec3::ZERO, |size, corner| size.max(corner.abs())).max_element();
    let rounding = (ROUNDING * size).max(least);
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
    let (n, m) = (normal(one), normal(other));
    let heights = one.map(|corner| m.dot(corner - other[0]));
    if !on_both_sides(heights, rounding) {
        return false;
    }
    let other_heights = other.map(|corner| n.dot(corner - one[0]));
    if !on_both_sides(other_heights, rounding) {
        return false;
    }
    let along = n.cross(m).normalize_or_zero();
    let [p, q] = [cut(one, heights, one[0], along), cut(other, other_heights, one[0], along)];
    p[1].min(q[1]) - p[0].max(q[0]) > rounding
}

fn on_both_sides(heights: [f64; 3], rounding: f64) -> bool {
    let [a, b, c] = heights;
    a.min(b).min(c) < -rounding && a.max(b).max(c) > rounding
}

/// From where to where along a direction a triangle is cut by a plane over which its corners have these heights.
fn cut(corners: [DVec3; 3], heights: [f64; 3], origin: DVec3, along: DVec3) -> [f64; 2] {
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    for (k, l) in [(0, 1), (1, 2), (2, 0)] {
        if (heights[k] > 0.0) != (heights[l] > 0.0) {
            let x = corners[k].lerp(corners[l], heights[k] / (heights[k] - heights[l]));
            let at = along.dot(x - origin);
            ends = [ends[0].min(at), ends[1].max(at)];
        }
    }
    ends
}

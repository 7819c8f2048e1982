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

/// Depths and lengths below this share of the coordinates do not count: about four rounding errors of the 32-bit numbers
/// that STL files have.
const ROUNDING: f64 = 5e-7;
/// Crossings beyond this are not counted: the mesh is a tangle.
const MOST: usize = 1000;
/// Pairs of triangles that are compared at most, about ten seconds of work. A million triangles of a good mesh make a tenth
/// of it.
const MOST_COMPARED: usize = 200_000_000;
/// Triangles between two looks at these limits.
const BLOCK: usize = 4096;

/// Pairs of triangles that cross without a common vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// The pairs, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// The search ended early: there may be more.
    pub may_be_more: bool,
}

impl Mesh {
    /// Pairs of triangles that cross without a common vertex. The search ends after a thousand.
    #[must_use]
    pub fn crossings(&self) -> Crossings {
        let count = self.triangles.len();
        let boxes: Vec<Aabb> = (0..count).map(|t| self.box_of(t)).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let mut found = Crossings::default();
        let mut compared = 0;
        for start in (0..count).step_by(BLOCK) {
            let block: Vec<(usize, Vec<u32>)> = (start..count.min(start + BLOCK))
                .into_par_iter()
                .map(|t| self.crossed_by(t, &boxes[t], &tree))
                .collect();
            for (t, (pairs, crossed)) in (start as u32..).zip(block) {
                compared += pairs;
                found.pairs.extend(crossed.into_iter().map(|other| [t, other]));
            }
            if found.pairs.len() >= MOST || compared >= MOST_COMPARED {
                found.may_be_more = start + BLOCK < count;
                break;
            }
        }
        found
    }

    /// How many later triangles were compared with one, and which of them cross it, in ascending order.
    fn crossed_by(&self, t: usize, around: &Aabb, tree: &Bvh) -> (usize, Vec<u32>) {
        let (own, corners) = (self.triangles[t], self.corners(t));
        let mut compared = 0;
        let mut crossed = Vec::new();
        for other in tree.intersect_aabb(around) {
            compared += 1;
            let is_later = other as usize > t;
            if is_later && !self.triangles[other as usize].iter().any(|corner| own.contains(corner)) {
                let is_crossed = cross(corners, self.corners(other as usize));
                crossed.extend(is_crossed.then_some(other));
            }
        }
        crossed.sort_unstable();
        (compared, crossed)
    }
}

/// Whether two triangles cross by more than rounding.
fn cross(one: [DVec3; 3], other: [DVec3; 3]) -> bool {
    let size = one.iter().chain(&other).fold(DVec3::ZERO, |size, corner| size.max(corner.abs())).max_element();
    let rounding = ROUNDING * size;
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

//! Surfaces of triangles: meshes and height fields.
//!
//! How convex bodies touch them is in [`super::mesh`]. Two surfaces touch triangle by triangle: a triangle pushes to its
//! outer side only. A contact normal is kept if the surface allows it where it touches, that is if all neighbouring corners
//! of the touched corner or edge lie behind; otherwise (inside of a flat floor, in a concave edge) it is replaced by the
//! triangle's own. So meshes slide over the inner edges of a floor without catching.

use super::mesh::topology::MeshTopology;
use crate::shape::height_field_point;
use crate::surface::MeshSheet;
use crate::{Mesh, Pose, Shape, ShapeError};
use glam::{DMat3, DVec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use std::sync::OnceLock;

/// Neighbouring corners less than this in front, relative to the length of the edge to them, count as behind: a flat floor
/// stays flat in spite of rounding.
const BEHIND: f64 = 1e-9;

/// A mesh prepared for queries.
pub(crate) struct Surface {
    pub(crate) mesh: std::sync::Arc<Mesh>,
    pub(crate) normals: Vec<DVec3>,
    /// Neighbours of each vertex: those of vertex v are `neighbours[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    tree: Bvh,
    /// What contacts with deformable surfaces need, made when first asked for.
    sheet: OnceLock<Box<MeshSheet>>,
    /// What contacts with convex parts need, made when first asked for.
    topology: OnceLock<Box<MeshTopology>>,
    /// A height field: solid however deep below.
    pub(crate) solid_below: bool,
    pub(crate) margin: f64,
    /// Half of the diagonal of the box around it.
    pub(super) size: f64,
    low: DVec3,
    high: DVec3,
}

impl Surface {
    /// Middle of the box around it.
    pub(super) fn centre(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }

    /// None for shapes that are no surface.
    pub(super) fn new(shape: &Shape, margin: f64) -> Result<Option<Self>, ShapeError> {
        let (mesh, solid_below) = match shape {
            // Equal corners are one: contacts on inner edges need the neighbours.
            Shape::TriangleMesh(mesh) => (std::sync::Arc::new(mesh.welded()), false),
            Shape::HeightField { heights, columns, size } => (height_field(heights, *columns, *size).into(), true),
            _ => return Ok(None),
        };
        mesh.check()?;
        let count = mesh.triangles.len();
        let normals = (0..count).map(|t| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a).normalize_or_zero()
        });
        let normals = normals.collect();
        let boxes: Vec<Aabb> = (0..count)
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                Aabb::new(a.min(b).min(c), a.max(b).max(c))
            })
            .collect();
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(6 * count);
        for &[a, b, c] in &mesh.triangles {
            pairs.extend([[a, b], [b, a], [b, c], [c, b], [c, a], [a, c]]);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=mesh.vertices.len()).map(|v| pairs.partition_point(|pair| (pair[0] as usize) < v) as u32);
        let starts = starts.collect();
        let neighbours = pairs.iter().map(|pair| pair[1]).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let low = boxes.iter().fold(DVec3::INFINITY, |low, leaf| low.min(leaf.mins));
        let high = boxes.iter().fold(DVec3::NEG_INFINITY, |high, leaf| high.max(leaf.maxs));
        let size = 0.5 * (high - low).length();
        Ok(Some(Self {
            mesh,
            normals,
            starts,
            neighbours,
            tree,
            sheet: OnceLock::new(),
            topology: OnceLock::new(),
            solid_below,
            margin,
            size,
            low,
            high,
        }))
    }

    /// Its edges and the normals of its corners.
    pub(crate) fn sheet(&self) -> &MeshSheet {
        self.sheet.get_or_init(|| Box::new(MeshSheet::new(&self.mesh)))
    }

    /// Its edges and vertices with the normals they allow.
    pub(super) fn topology(&self) -> &MeshTopology {
        self.topology.get_or_init(|| Box::new(MeshTopology::new(&self.mesh, &self.normals)))
    }

    /// Whether a point is in the box around the surface.
    pub(super) fn is_around(&self, x: DVec3) -> bool {
        x.cmpge(self.low).all() && x.cmple(self.high).all()
    }

    /// Triangles near another surface, whose frame is at `pose` in this one's.
    pub(super) fn triangles_near(&self, other: &Self, pose: &Pose, grow: f64, found: &mut Vec<u32>) {
        let (centre, half) = (*pose * (0.5 * (other.low + other.high)), 0.5 * (other.high - other.low));
        let rotation = DMat3::from_quat(pose.rotation);
        let reach = rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
        self.triangles_in(centre - reach - grow, centre + reach + grow, found);
    }

    /// Triangles whose boxes meet a box, in ascending order.
    pub(crate) fn triangles_in(&self, low: DVec3, mut high: DVec3, found: &mut Vec<u32>) {
        found.clear();
        if self.solid_below {
            // What is below the surface is inside: look for the surface above it.
            high.z = high.z.max(self.high.z);
        }
        found.extend(self.tree.intersect_aabb(&Aabb::new(low, high)));
        found.sort_unstable();
    }

    /// Whether the surface at the part of a triangle farthest along n allows a contact with the normal n.
    pub(super) fn allows(&self, triangle: usize, n: DVec3) -> bool {
        let corners = self.mesh.triangles[triangle];
        let heights = corners.map(|corner| n.dot(self.mesh.vertices[corner as usize]));
        let top = heights[0].max(heights[1]).max(heights[2]);
        let size = heights.iter().map(|height| top - height).fold(0.0, f64::max);
        let touches = |k: usize| top - heights[k] <= BEHIND * size;
        let around = |k: usize| {
            let corner = corners[k] as usize;
            &self.neighbours[self.starts[corner] as usize..self.starts[corner + 1] as usize]
        };
        let behind = |k: usize, other: u32| {
            let edge = self.mesh.vertices[other as usize] - self.mesh.vertices[corners[k] as usize];
            n.dot(edge) <= BEHIND * edge.length()
        };
        match [0, 1, 2].map(touches) {
            [true, true, true] => n.dot(self.normals[triangle]) > 0.0,
            [true, false, false] => around(0).iter().all(|&other| behind(0, other)),
            [false, true, false] => around(1).iter().all(|&other| behind(1, other)),
            [false, false, true] => around(2).iter().all(|&other| behind(2, other)),
            // An edge: the third corners of its triangles are neighbours of both its ends.
            [first, second, _] => {
                let (k, l) = if !first {
                    (1, 2)
                } else if second {
                    (0, 1)
                } else {
                    (0, 2)
                };
                around(k).iter().filter(|other| around(l).binary_search(other).is_ok()).all(|&other| behind(k, other))
            }
        }
    }
}

fn height_field(heights: &[f64], columns: usize, size: [f64; 2]) -> Mesh {
    let vertices = (0..heights.len()).map(|sample| height_field_point(heights, columns, size, sample)).collect();
    let rows = heights.len() / columns;
    let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    for iy in 0..rows - 1 {
        for ix in 0..columns - 1 {
            let corner = (iy * columns + ix) as u32;
            let (right, above) = (corner + 1, corner + columns as u32);
            triangles.extend([[corner, right, above + 1], [corner, above + 1, above]]);
        }
    }
    Mesh { vertices, triangles }
}

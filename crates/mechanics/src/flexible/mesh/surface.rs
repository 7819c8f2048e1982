//! Triangles of the surface.

use super::{ElementKind, MeshError, VolumeMesh};
use crate::Vec3;
use std::collections::BTreeMap;

/// A triangle of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceTriangle {
    /// Nodes of the mesh, counter-clockwise seen from outside.
    pub nodes: [u32; 3],
    /// The element it belongs to.
    pub element: u32,
    /// Which face of the element.
    pub face: u8,
}

/// Triangles with the positions of the mesh they were taken from.
///
/// A face of a Tet4 is one triangle; one of a Hex8 two, split at the diagonal from its lowest node; one of a Tet10 four,
/// through the middles of its edges.
///
/// ```
/// use signorini_mechanics::Vec3;
/// use signorini_mechanics::flexible::mesh::{ElementKind, Surface, box_mesh};
/// let mesh = box_mesh(ElementKind::Hex8, Vec3::new(1.0, 2.0, 3.0), [2, 2, 2])?;
/// let surface = Surface::of(&mesh)?;
/// assert_eq!(surface.triangles.len(), 2 * 24);
/// assert!((surface.area() - 22.0).abs() < 1e-14);
/// assert!((surface.enclosed_volume() - 6.0).abs() < 1e-14);
/// assert!(surface.boundary().is_empty());
/// // The rim of one side.
/// assert_eq!(Surface::of_set(&mesh, "z-max")?.boundary().len(), 8);
/// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The triangles, in the order of elements and local faces.
    pub triangles: Vec<SurfaceTriangle>,
    /// Their corners, in the same order \[m\].
    corners: Vec<[Vec3; 3]>,
}

impl Surface {
    /// The outside of a mesh: all faces that belong to one element only.
    ///
    /// # Errors
    /// Elements or sets that name what does not exist.
    pub fn of(mesh: &VolumeMesh) -> Result<Self, MeshError> {
        mesh.check_references()?;
        Ok(Self::of_faces(mesh, &Self::outer_faces(mesh)))
    }
    /// The triangles of a face set.
    ///
    /// # Errors
    /// No such face set; elements or sets that name what does not exist.
    pub fn of_set(mesh: &VolumeMesh, face_set: &str) -> Result<Self, MeshError> {
        mesh.check_references()?;
        Ok(Self::of_faces(mesh, mesh.face_set(face_set)?))
    }
    /// Faces that belong to one element only, in the order of elements.
    pub(super) fn outer_faces(mesh: &VolumeMesh) -> Vec<(u32, u8)> {
        // All faces by their sorted corners: those met once are outside.
        let mut faces: Vec<([u32; 4], u32, u8)> = Vec::with_capacity(mesh.element_count() * mesh.kind.faces().len());
        let corners = mesh.kind.face_corners();
        for (element, nodes) in mesh.element_nodes().enumerate() {
            for (face, local) in mesh.kind.faces().iter().enumerate() {
                let mut key = [u32::MAX; 4];
                for (key, &local) in key.iter_mut().zip(&local[..corners]) {
                    *key = nodes[local as usize];
                }
                key.sort_unstable();
                faces.push((key, element as u32, face as u8));
            }
        }
        faces.sort_unstable();
        let alike = faces.chunk_by(|a, b| a.0 == b.0);
        let mut outer: Vec<(u32, u8)> = alike.filter(|faces| faces.len() == 1).map(|f| (f[0].1, f[0].2)).collect();
        outer.sort_unstable();
        outer
    }
    fn of_faces(mesh: &VolumeMesh, faces: &[(u32, u8)]) -> Self {
        let mut triangles = Vec::with_capacity(faces.len());
        for &(element, face) in faces {
            let mut nodes = [0; 6];
            for (place, node) in nodes.iter_mut().zip(mesh.face(element, face)) {
                *place = node;
            }
            let mut add = |corners: [usize; 3]| {
                triangles.push(SurfaceTriangle { nodes: corners.map(|k| nodes[k]), element, face });
            };
            match mesh.kind {
                ElementKind::Tet4 => add([0, 1, 2]),
                ElementKind::Tet10 => [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]].into_iter().for_each(add),
                ElementKind::Hex8 => {
                    let start = (0..4).min_by_key(|&k| nodes[k]).unwrap_or(0);
                    add([start, (start + 1) % 4, (start + 2) % 4]);
                    add([start, (start + 2) % 4, (start + 3) % 4]);
                }
            }
        }
        let corners = triangles.iter().map(|triangle| triangle.nodes.map(|node| mesh.nodes[node as usize])).collect();
        Self { triangles, corners }
    }
    /// Corners of all triangles \[m\].
    #[must_use]
    pub fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }
    /// Sum of the areas \[m²\].
    #[must_use]
    pub fn area(&self) -> f64 {
        self.corners.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length()).sum()
    }
    /// ∮ x·n/3 dA \[m³\]: the volume inside a closed surface, by the divergence theorem.
    #[must_use]
    pub fn enclosed_volume(&self) -> f64 {
        // From a corner of the surface, so that a surface far from the origin loses no digits.
        let Some(&[origin, ..]) = self.corners.first() else { return 0.0 };
        self.corners.iter().map(|c| (c[0] - origin).dot((c[1] - origin).cross(c[2] - origin)) / 6.0).sum()
    }
    /// The nodes, in ascending order.
    #[must_use]
    pub fn nodes(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.triangles.iter().flat_map(|triangle| triangle.nodes).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
    /// Edges of one triangle only, in its direction: the rim of a set, nothing for a closed surface.
    #[must_use]
    pub fn boundary(&self) -> Vec<[u32; 2]> {
        let mut uses: BTreeMap<[u32; 2], (usize, [u32; 2])> = BTreeMap::new();
        for triangle in &self.triangles {
            let [a, b, c] = triangle.nodes;
            for [from, to] in [[a, b], [b, c], [c, a]] {
                uses.entry([from.min(to), from.max(to)]).or_insert((0, [from, to])).0 += 1;
            }
        }
        uses.into_values().filter(|(count, _)| *count == 1).map(|(_, edge)| edge).collect()
    }
}

//! Volumes, Jacobians and lengths of edges.

use super::{ElementKind, VolumeMesh};
use crate::{Mat3, Vec3};

/// Nodes of the reference hexahedron \[0, 1\]³.
const HEX_CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];
/// Nodes of the reference tetrahedron in the order of a Tet10.
const TET_NODES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];
/// Gradients of the barycentric coordinates with respect to (ξ, η, ζ).
const TET_GRADIENTS: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// det ∂x/∂ξ of a tetrahedron of four nodes: six times its volume.
fn tet4_jacobian(x: &[Vec3]) -> f64 {
    (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])
}

/// det ∂x/∂ξ of a tetrahedron of ten nodes: N_i = λ_i (2 λ_i − 1) at corners, 4 λ_a λ_b on edges.
fn tet10_jacobian(x: &[Vec3], at: [f64; 3]) -> f64 {
    let lambda = [1.0 - at[0] - at[1] - at[2], at[0], at[1], at[2]];
    let mut columns = [Vec3::ZERO; 3];
    for (k, column) in columns.iter_mut().enumerate() {
        for i in 0..4 {
            *column += x[i] * ((4.0 * lambda[i] - 1.0) * TET_GRADIENTS[i][k]);
        }
        for (edge, ends) in ElementKind::Tet10.edges().iter().enumerate() {
            let [a, b] = ends.map(usize::from);
            *column += x[4 + edge] * (4.0 * (lambda[a] * TET_GRADIENTS[b][k] + lambda[b] * TET_GRADIENTS[a][k]));
        }
    }
    Mat3::from_cols(columns[0], columns[1], columns[2]).determinant()
}

/// det ∂x/∂ξ of the trilinear hexahedron over \[0, 1\]³.
fn hex8_jacobian(x: &[Vec3], at: [f64; 3]) -> f64 {
    let mut columns = [Vec3::ZERO; 3];
    for (corner, place) in HEX_CORNERS.iter().enumerate() {
        let value = |k: usize| if place[k] > 0.5 { at[k] } else { 1.0 - at[k] };
        let slope = |k: usize| if place[k] > 0.5 { 1.0 } else { -1.0 };
        columns[0] += x[corner] * (slope(0) * value(1) * value(2));
        columns[1] += x[corner] * (value(0) * slope(1) * value(2));
        columns[2] += x[corner] * (value(0) * value(1) * slope(2));
    }
    Mat3::from_cols(columns[0], columns[1], columns[2]).determinant()
}

/// ∫ det ∂x/∂ξ. The determinant has degree 3 in a Tet10 and degree 2 in every coordinate of a Hex8: the rules are exact.
pub(super) fn element_volume(kind: ElementKind, x: &[Vec3]) -> f64 {
    match kind {
        ElementKind::Tet4 => tet4_jacobian(x) / 6.0,
        ElementKind::Tet10 => {
            // Five points, degree 3.
            let (far, near) = (0.5, 1.0 / 6.0);
            let points = [[near; 3], [far, near, near], [near, far, near], [near, near, far]];
            let outer: f64 = points.iter().map(|&at| tet10_jacobian(x, at)).sum();
            (0.45 * outer - 0.8 * tet10_jacobian(x, [0.25; 3])) / 6.0
        }
        ElementKind::Hex8 => {
            // Gauss' two points in every direction, degree 3.
            let half = 0.5 / 3f64.sqrt();
            let points = HEX_CORNERS.map(|corner| corner.map(|c| if c > 0.5 { 0.5 + half } else { 0.5 - half }));
            points.iter().map(|&at| hex8_jacobian(x, at)).sum::<f64>() / 8.0
        }
    }
}

/// The least det ∂x/∂ξ at the nodes of an element.
pub(super) fn least_jacobian(kind: ElementKind, x: &[Vec3]) -> f64 {
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    match kind {
        ElementKind::Tet4 => tet4_jacobian(x),
        ElementKind::Tet10 => least(&mut TET_NODES.iter().map(|&at| tet10_jacobian(x, at))),
        ElementKind::Hex8 => least(&mut HEX_CORNERS.iter().map(|&at| hex8_jacobian(x, at))),
    }
}

/// The longest straight line between corners that share an edge.
pub(super) fn longest_edge(kind: ElementKind, x: &[Vec3]) -> f64 {
    kind.edges().iter().map(|&[a, b]| x[a as usize].distance(x[b as usize])).fold(0.0, f64::max)
}

impl VolumeMesh {
    /// Writes the positions of an element's nodes to the front of `x`.
    pub(super) fn gather<'a>(&self, nodes: &[u32], x: &'a mut [Vec3; 10]) -> &'a [Vec3] {
        for (place, &node) in x.iter_mut().zip(nodes) {
            *place = self.nodes[node as usize];
        }
        &x[..nodes.len()]
    }
    /// Volume of every element \[m³\], exact for all kinds; negative for inverted ones.
    ///
    /// # Panics
    /// If an element names a node that does not exist.
    #[must_use]
    pub fn element_volumes(&self) -> Vec<f64> {
        let mut x = [Vec3::ZERO; 10];
        self.element_nodes().map(|nodes| element_volume(self.kind, self.gather(nodes, &mut x))).collect()
    }
    /// Volume of all elements \[m³\].
    ///
    /// # Panics
    /// If an element names a node that does not exist.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.element_volumes().iter().sum()
    }
    /// Shortest and longest edge \[m\], along straight lines between corners.
    ///
    /// ```
    /// use signorini_mechanics::Vec3;
    /// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
    /// let mesh = box_mesh(ElementKind::Hex8, Vec3::new(1.0, 2.0, 3.0), [2, 2, 2])?;
    /// assert_eq!(mesh.edge_lengths(), (0.5, 1.5));
    /// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
    /// ```
    ///
    /// # Panics
    /// If an element names a node that does not exist.
    #[must_use]
    pub fn edge_lengths(&self) -> (f64, f64) {
        let mut lengths = (f64::INFINITY, 0.0_f64);
        for nodes in self.element_nodes() {
            for &[a, b] in self.kind.edges() {
                let ends = [a, b].map(|local| self.nodes[nodes[local as usize] as usize]);
                let length = ends[0].distance(ends[1]);
                lengths = (lengths.0.min(length), lengths.1.max(length));
            }
        }
        lengths
    }
}

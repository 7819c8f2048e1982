//! Mass of solid elements, Mᵢⱼ = ρ ∫ Nᵢ Nⱼ dV (the same for the three axes), integrated exactly, curved sides included.

use super::quadrature::{self, Point};
use super::reference::outer_sum;
use super::{ElementError, shape};
use crate::Vec3;
use crate::flexible::mesh::ElementKind;

/// The consistent mass matrix \[kg\] of an element with these nodes \[m\] and density \[kg/m³\]: `N` × `N`, for each axis.
///
/// # Errors
/// The volume is not positive.
///
/// # Panics
/// If `N` is not the number of nodes of `kind`.
pub fn consistent<const N: usize>(
    kind: ElementKind,
    nodes: &[Vec3; N],
    density: f64,
) -> Result<[[f64; N]; N], ElementError> {
    match kind {
        ElementKind::Hex8 => integrate(kind, &quadrature::gauss_3(), nodes, density),
        ElementKind::Tet4 | ElementKind::Tet10 => integrate(kind, &quadrature::tetrahedron_mass(), nodes, density),
    }
}

/// The masses \[kg\] of the nodes. TET4 and HEX8: sums of rows, ρ ∫ Nᵢ dV, which keep total mass and centre exactly.
/// TET10: sums of rows are negative at corners (−V/20), so the diagonal is scaled to the total (Hinton, Rock and
/// Zienkiewicz): total mass always exact, centre exact for straight sides.
///
/// # Errors
/// The volume is not positive.
///
/// # Panics
/// If `N` is not the number of nodes of `kind`.
pub fn lumped<const N: usize>(kind: ElementKind, nodes: &[Vec3; N], density: f64) -> Result<[f64; N], ElementError> {
    let matrix = consistent(kind, nodes, density)?;
    let rows = matrix.map(|row| row.iter().sum::<f64>());
    match kind {
        ElementKind::Tet4 | ElementKind::Hex8 => Ok(rows),
        ElementKind::Tet10 => {
            let (total, trace): (f64, f64) = (rows.iter().sum(), (0..N).map(|i| matrix[i][i]).sum());
            Ok(std::array::from_fn(|i| matrix[i][i] * total / trace))
        }
    }
}

fn integrate<const N: usize>(
    kind: ElementKind,
    points: &[Point],
    nodes: &[Vec3; N],
    density: f64,
) -> Result<[[f64; N]; N], ElementError> {
    assert_eq!(N, kind.nodes(), "nodes of a {kind:?}");
    let mut mass = [[0.0; N]; N];
    let (mut n, mut gradients) = ([0.0; N], [Vec3::ZERO; N]);
    for (point, &Point { xi, weight }) in points.iter().enumerate() {
        shape::values(kind, xi, &mut n);
        shape::gradients(kind, xi, &mut gradients);
        let volume = weight * outer_sum(nodes, &gradients).determinant();
        let solid = volume > 0.0 && volume.is_finite();
        if !solid {
            return Err(ElementError::RestVolume { point, volume });
        }
        for i in 0..N {
            for j in 0..N {
                mass[i][j] += density * volume * n[i] * n[j];
            }
        }
    }
    Ok(mass)
}

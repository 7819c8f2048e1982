//! Boxes.

use super::hexahedra::{Hexahedra, check_cells, check_divisions, check_length};
use super::{ElementKind, MeshError, VolumeMesh};
use crate::Vec3;
use std::collections::BTreeMap;

/// A box about the origin with sides `size` \[m\], cut into `divisions` cells along x, y and z.
///
/// Cells are one hexahedron or five tetrahedra, whose diagonals alternate. Node and face sets `x-min`, `x-max`, `y-min`,
/// `y-max`, `z-min`, `z-max`.
///
/// ```
/// use signorini_mechanics::Vec3;
/// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
/// let mesh = box_mesh(ElementKind::Tet4, Vec3::new(2.0, 1.0, 1.0), [4, 2, 2])?;
/// assert_eq!(mesh.element_count(), 5 * 16);
/// assert_eq!(mesh.nodes.len(), 5 * 3 * 3);
/// assert_eq!(mesh.face_sets["x-max"].len(), 2 * 4);
/// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
/// ```
///
/// # Errors
/// Sizes that are not positive and finite, no divisions, too many cells.
pub fn box_mesh(kind: ElementKind, size: Vec3, divisions: [usize; 3]) -> Result<VolumeMesh, MeshError> {
    for (axis, what) in ["x", "y", "z"].into_iter().enumerate() {
        check_length(["size x", "size y", "size z"][axis], size[axis])?;
        check_divisions(what, divisions[axis], 1)?;
    }
    check_cells(&divisions)?;
    let [nx, ny, nz] = divisions;
    let number = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut nodes = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    let mut colours = Vec::with_capacity(nodes.capacity());
    let mut sides: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let at = [i, j, k];
                for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                    for (end, place) in [("min", 0), ("max", divisions[axis])] {
                        if at[axis] == place {
                            sides.entry(format!("{name}-{end}")).or_default().push(number(i, j, k));
                        }
                    }
                }
                let part = |axis: usize| at[axis] as f64 / divisions[axis] as f64 - 0.5;
                nodes.push(size * Vec3::new(part(0), part(1), part(2)));
                colours.push(((i + j + k) % 2) as u8);
            }
        }
    }
    let mut cells = Vec::with_capacity(8 * nx * ny * nz);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for k in [k, k + 1] {
                    cells.extend([number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)]);
                }
            }
        }
    }
    Hexahedra { nodes, cells, colours, sides }.into_mesh(kind)
}

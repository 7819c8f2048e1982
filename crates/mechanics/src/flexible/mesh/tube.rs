//! Tubes and rings.

use super::hexahedra::{Section, Sides, check_cells, check_divisions, check_length};
use super::{ElementKind, MeshError, VolumeMesh};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Into how many cells a tube is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TubeDivisions {
    /// Cells around the axis, at least three.
    pub around: usize,
    /// Cells through the wall.
    pub through: usize,
    /// Layers along the axis.
    pub along: usize,
}

/// A tube about the z axis, from z = −height/2 to height/2 \[m\], between an inner and an outer radius.
///
/// Cells are one hexahedron or five tetrahedra (five or six where `around` is odd). Node and face sets `bottom`, `top`,
/// `inner`, `outer`.
///
/// ```
/// use signorini_mechanics::flexible::mesh::{ElementKind, Sides, TubeDivisions, tube_mesh};
/// let divisions = TubeDivisions { around: 24, through: 1, along: 2 };
/// let tyre = tube_mesh(ElementKind::Hex8, [0.25, 0.3], 0.2, divisions, Sides::Straight)?;
/// assert_eq!((tyre.element_count(), tyre.nodes.len()), (48, 144));
/// assert_eq!(tyre.face_sets["outer"].len(), 48);
/// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
/// ```
///
/// # Errors
/// Sizes that are not positive and finite, an outer radius that is not larger than the inner one, too few divisions, too
/// many cells, curved sides of other elements than Tet10.
pub fn tube_mesh(
    kind: ElementKind,
    radii: [f64; 2],
    height: f64,
    divisions: TubeDivisions,
    sides: Sides,
) -> Result<VolumeMesh, MeshError> {
    let [inner, outer] = radii;
    check_length("inner radius", inner)?;
    check_length("outer radius", outer)?;
    check_length("height", height)?;
    if outer <= inner {
        return Err(MeshError::Size { what: "outer radius", found: outer, expected: "more than the inner radius" });
    }
    check_divisions("around", divisions.around, 3)?;
    check_divisions("through", divisions.through, 1)?;
    check_divisions("along", divisions.along, 1)?;
    check_cells(&[divisions.around, divisions.through, divisions.along])?;
    let mut mesh = ring(radii, divisions.around, divisions.through).extrude(height, divisions.along).into_mesh(kind)?;
    if sides == Sides::Curved {
        mesh.round_about_z("inner", inner)?;
        mesh.round_about_z("outer", outer)?;
        mesh.check_shapes()?;
    }
    Ok(mesh)
}

fn ring([inner, outer]: [f64; 2], around: usize, through: usize) -> Section {
    let number = |i: usize, j: usize| ((i % around) + around * j) as u32;
    let mut points = Vec::with_capacity(around * (through + 1));
    let mut colours = Vec::with_capacity(points.capacity());
    for j in 0..=through {
        let part = j as f64 / through as f64;
        let radius = inner * (1.0 - part) + outer * part;
        for i in 0..around {
            let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
            points.push([radius * cos, radius * sin]);
            colours.push(((i + j) % 2) as u8);
        }
    }
    let mut quadrilaterals = Vec::with_capacity(around * through);
    for j in 0..through {
        for i in 0..around {
            quadrilaterals.push([number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)]);
        }
    }
    let side = |j: usize| (0..around).map(|i| number(i, j)).collect();
    let sides = BTreeMap::from([("inner".into(), side(0)), ("outer".into(), side(through))]);
    Section { points, quadrilaterals, colours, sides }
}

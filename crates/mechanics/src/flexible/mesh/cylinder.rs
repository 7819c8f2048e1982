//! Solid cylinders.

use super::hexahedra::{Section, Sides, check_cells, check_divisions, check_length};
use super::{ElementKind, MeshError, VolumeMesh};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_4;

/// Radius of the corners of the core, in radii of the cylinder.
const CORE: f64 = 0.55;
/// How much the core is rounded: 0 is a square, 1 a disc, whose corners would be flat.
const ROUNDING: f64 = 0.5;

/// Into how many cells a cylinder is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CylinderDivisions {
    /// Cells across the core, in both directions; the circumference has four times as many.
    pub across: usize,
    /// Rings of cells around the core.
    pub rings: usize,
    /// Layers along the axis.
    pub along: usize,
}

/// A cylinder about the z axis, from z = −height/2 to height/2 \[m\].
///
/// The disc is a rounded square of `across`² cells inside `rings` rings of 4 `across` cells. Cells are one hexahedron or
/// five tetrahedra. Node and face sets `bottom`, `top`, `side`.
///
/// ```
/// use signorini_mechanics::flexible::mesh::{CylinderDivisions, ElementKind, Sides, cylinder_mesh};
/// let divisions = CylinderDivisions { across: 4, rings: 2, along: 3 };
/// let exact = std::f64::consts::PI * 0.1 * 0.1 * 0.3;
/// let straight = cylinder_mesh(ElementKind::Tet10, 0.1, 0.3, divisions, Sides::Straight)?;
/// let curved = cylinder_mesh(ElementKind::Tet10, 0.1, 0.3, divisions, Sides::Curved)?;
/// assert!((straight.volume() / exact - 1.0).abs() < 3e-2);
/// assert!((curved.volume() / exact - 1.0).abs() < 1e-3);
/// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
/// ```
///
/// # Errors
/// Sizes that are not positive and finite, no divisions, too many cells, curved sides of other elements than Tet10.
pub fn cylinder_mesh(
    kind: ElementKind,
    radius: f64,
    height: f64,
    divisions: CylinderDivisions,
    sides: Sides,
) -> Result<VolumeMesh, MeshError> {
    check_length("radius", radius)?;
    check_length("height", height)?;
    check_divisions("across", divisions.across, 1)?;
    check_divisions("rings", divisions.rings, 1)?;
    check_divisions("along", divisions.along, 1)?;
    let CylinderDivisions { across, rings, along } = divisions;
    check_cells(&[across, across, along])?;
    check_cells(&[4, across, rings, along])?;
    let mut mesh = disc(radius, across, rings).extrude(height, along).into_mesh(kind)?;
    if sides == Sides::Curved {
        mesh.round_about_z("side", radius)?;
        mesh.check_shapes()?;
    }
    Ok(mesh)
}

/// The point of the unit disc for a point of the square \[−1, 1\]²: squares become circles, rays stay straight.
fn concentric(u: f64, v: f64) -> [f64; 2] {
    if u == 0.0 && v == 0.0 {
        return [0.0, 0.0];
    }
    if u.abs() >= v.abs() {
        let angle = FRAC_PI_4 * v / u;
        [u * angle.cos(), u * angle.sin()]
    } else {
        let angle = FRAC_PI_4 * u / v;
        [v * angle.sin(), v * angle.cos()]
    }
}

fn disc(radius: f64, across: usize, rings: usize) -> Section {
    let n = across;
    let number = |i: usize, j: usize| (i + (n + 1) * j) as u32;
    let place = |i: usize| 2.0 * i as f64 / n as f64 - 1.0;
    let mut points = Vec::new();
    let mut colours = Vec::new();
    let mut quadrilaterals = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (u, v) = (place(i), place(j));
            let round = concentric(u, v);
            let square = [u * 0.5_f64.sqrt(), v * 0.5_f64.sqrt()];
            let blend = |k: usize| CORE * radius * (ROUNDING * round[k] + (1.0 - ROUNDING) * square[k]);
            points.push([blend(0), blend(1)]);
            colours.push(((i + j) % 2) as u8);
        }
    }
    for j in 0..n {
        for i in 0..n {
            quadrilaterals.push([number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)]);
        }
    }
    // Around the core, counter-clockwise, from its corner (0, 0).
    let rim: Vec<(usize, usize)> = (0..n)
        .map(|k| (k, 0))
        .chain((0..n).map(|k| (n, k)))
        .chain((0..n).map(|k| (n - k, n)))
        .chain((0..n).map(|k| (0, n - k)))
        .collect();
    let mut inner: Vec<u32> = rim.iter().map(|&(i, j)| number(i, j)).collect();
    for ring in 1..=rings {
        let part = ring as f64 / rings as f64;
        let first = points.len() as u32;
        for &(i, j) in &rim {
            let start = points[number(i, j) as usize];
            let end = concentric(place(i), place(j)).map(|x| x * radius);
            let blend = |k: usize| if ring == rings { end[k] } else { start[k] + part * (end[k] - start[k]) };
            points.push([blend(0), blend(1)]);
            colours.push(((i + j + ring) % 2) as u8);
        }
        let outer: Vec<u32> = (0..rim.len() as u32).map(|k| first + k).collect();
        for k in 0..rim.len() {
            let next = (k + 1) % rim.len();
            quadrilaterals.push([inner[k], outer[k], outer[next], inner[next]]);
        }
        inner = outer;
    }
    Section { points, quadrilaterals, colours, sides: BTreeMap::from([("side".into(), inner)]) }
}

//! Faces of all bodies as cells, in the frame of their body.

use super::vtu::cell;
use crate::run::shapes::{BodyRecord, ShapeRecord};
use crate::run::surface::{Fineness, Surface};

/// Rings of a ball from pole to pole, by how many balls there are: many balls get few faces each.
const RINGS: [(usize, usize); 3] = [(100, 12), (1000, 6), (usize::MAX, 4)];

/// Faces of all bodies; points are in the frame of the body that owns them.
#[derive(Default)]
pub(super) struct Surfaces {
    pub(super) points: Vec<signorini_mechanics::Vec3>,
    /// Body of every point.
    pub(super) owners: Vec<usize>,
    pub(super) connectivity: Vec<i32>,
    /// End of every cell in `connectivity`.
    pub(super) offsets: Vec<i32>,
    pub(super) types: Vec<u8>,
    /// Body of every cell.
    pub(super) cell_owners: Vec<i32>,
}

impl Surfaces {
    /// Faces of all shapes. Planes are drawn `extent` far from their origin.
    pub(super) fn new(bodies: &[BodyRecord], shapes: &[ShapeRecord], extent: f64) -> Self {
        let balls = bodies.iter().flat_map(|body| &body.shapes);
        let balls = balls.filter(|placed| matches!(shapes[placed.shape], ShapeRecord::Sphere { .. })).count();
        let rings = RINGS.iter().find(|(most, _)| balls <= *most).map_or(4, |(_, rings)| *rings);
        let fineness = Fineness { rings, extent, ..Fineness::default() };
        let mut this = Self::default();
        for (index, body) in bodies.iter().enumerate() {
            let mut surface = Surface::default();
            for placed in &body.shapes {
                surface.add(&shapes[placed.shape], &placed.pose(), &fineness);
            }
            this.append(index, surface);
        }
        this
    }

    fn append(&mut self, body: usize, surface: Surface) {
        let first = self.points.len() as i32;
        for face in surface.faces() {
            self.connectivity.extend(face.iter().map(|corner| first + *corner as i32));
            self.offsets.push(self.connectivity.len() as i32);
            self.types.push(match face.len() {
                3 => cell::TRIANGLE,
                4 => cell::QUAD,
                _ => cell::POLYGON,
            });
            self.cell_owners.push(body as i32);
        }
        self.points.extend(surface.points);
        self.owners.resize(self.points.len(), body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::shapes::PlacedShape;

    #[test]
    fn cells_of_every_body_name_points_of_that_body() {
        let placed =
            |shape| PlacedShape { shape, position: [0.3, -0.2, 0.1], rotation: [0.0, 0.6, 0.0, 0.8], margin: 0.0 };
        let body = |name: &str, shapes: &[usize]| BodyRecord {
            name: name.into(),
            mass: 1.0,
            fixed: false,
            inertia: None,
            centre_of_mass: None,
            shapes: shapes.iter().map(|shape| placed(*shape)).collect(),
        };
        let bodies = [body("a", &[0, 1]), body("b", &[1]), body("c", &[]), body("d", &[0])];
        let shapes =
            [ShapeRecord::Cuboid { half: [0.1, 0.2, 0.3] }, ShapeRecord::Cylinder { half_height: 0.1, radius: 1.0 }];
        let surfaces = Surfaces::new(&bodies, &shapes, 1.0);
        // A cylinder has 24 sides and 2 · 24 triangles.
        let cells = |owner: i32| surfaces.cell_owners.iter().filter(|found| **found == owner).count();
        assert_eq!([0, 1, 2, 3].map(cells), [6 + 72, 72, 0, 6]);
        let mut start = 0;
        for (cell, &end) in surfaces.offsets.iter().enumerate() {
            for &corner in &surfaces.connectivity[start..end as usize] {
                assert_eq!(surfaces.owners[corner as usize] as i32, surfaces.cell_owners[cell]);
            }
            start = end as usize;
        }
    }
}

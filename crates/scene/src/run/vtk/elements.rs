//! Elements of flexible bodies with what they carry.

use super::vtu::{Grid, Section, cell};
use crate::run::{Frame, flexible};
use signorini_mechanics::flexible::element::von_mises;
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{Stresses, Structure};
use signorini_mechanics::{Mat3, Model, Vec3};

/// The elements of all flexible bodies.
pub(super) struct Cells {
    connectivity: Vec<i32>,
    offsets: Vec<i32>,
    types: Vec<u8>,
    /// Body of every cell, by the number contacts give.
    owners: Vec<i32>,
    /// Body of every node.
    node_owners: Vec<i32>,
    /// Where nodes start \[m\].
    start: Vec<Vec3>,
    has_cables: bool,
}

impl Cells {
    /// Those of a model, counted after `rigid` bodies; `None` without any.
    pub(super) fn of(model: &Model, rigid: usize) -> Option<Self> {
        if model.flexible().is_empty() {
            return None;
        }
        let mut this = Self {
            connectivity: Vec::new(),
            offsets: Vec::new(),
            types: Vec::new(),
            owners: Vec::new(),
            node_owners: Vec::new(),
            start: Vec::new(),
            has_cables: false,
        };
        for (index, body) in model.flexible().iter().enumerate() {
            let kind = match &body.structure {
                Structure::Solid { mesh, .. } => match mesh.kind {
                    ElementKind::Tet4 => cell::TETRAHEDRON,
                    ElementKind::Tet10 => cell::QUADRATIC_TETRAHEDRON,
                    ElementKind::Hex8 => cell::HEXAHEDRON,
                },
                Structure::Cables { .. } => cell::LINE,
            };
            this.has_cables |= kind == cell::LINE;
            let (first, owner) = (this.start.len(), (rigid + index) as i32);
            let (nodes, width) = flexible::elements(&body.structure);
            for element in nodes.chunks_exact(width) {
                this.connectivity.extend(element.iter().map(|node| (first + *node as usize) as i32));
                this.offsets.push(this.connectivity.len() as i32);
                this.types.push(kind);
                this.owners.push(owner);
            }
            this.start.extend_from_slice(body.nodes());
            this.node_owners.resize(this.start.len(), owner);
        }
        Some(this)
    }

    /// The file of a frame.
    pub(super) fn grid(&self, model: &Model, frame: &Frame) -> Vec<u8> {
        let (mut strain, mut stress, mut tension) = (Vec::new(), Vec::new(), Vec::new());
        let mut at_nodes: Vec<Mat3> = Vec::with_capacity(self.start.len());
        for (id, _) in flexible::bodies(model) {
            let found = Stresses::of(model, id, &frame.nodes, &frame.node_velocities);
            strain.extend(found.elements.iter().map(|element| element.strain));
            stress.extend(found.elements.iter().map(|element| element.stress));
            tension.extend(found.elements.iter().map(|element| element.tension.unwrap_or(0.0)));
            at_nodes.extend(found.nodes);
        }
        let mut grid = Grid::new(self.start.len(), self.types.len());
        let vectors = |of: &[Vec3]| of.iter().flat_map(|v| v.to_array()).collect::<Vec<_>>().into_iter();
        let moved: Vec<Vec3> = frame.nodes.iter().zip(&self.start).map(|(now, start)| *now - *start).collect();
        grid.reals(Section::Points, "Points", 3, vectors(&frame.nodes));
        grid.whole(Section::Cells, "connectivity", 1, self.connectivity.iter().copied());
        grid.whole(Section::Cells, "offsets", 1, self.offsets.iter().copied());
        grid.bytes(Section::Cells, "types", self.types.iter().copied());
        grid.whole(Section::PointData, "body", 1, self.node_owners.iter().copied());
        grid.reals(Section::PointData, "displacement", 3, vectors(&moved));
        grid.reals(Section::PointData, "velocity", 3, vectors(&frame.node_velocities));
        grid.tensors(Section::PointData, "stress", at_nodes.iter().copied());
        grid.reals(Section::PointData, "von_mises", 1, at_nodes.iter().map(|stress| von_mises(*stress)));
        grid.whole(Section::CellData, "body", 1, self.owners.iter().copied());
        grid.tensors(Section::CellData, "strain", strain.into_iter());
        grid.tensors(Section::CellData, "stress", stress.iter().copied());
        grid.reals(Section::CellData, "von_mises", 1, stress.iter().map(|stress| von_mises(*stress)));
        if self.has_cables {
            grid.reals(Section::CellData, "tension", 1, tension.into_iter());
        }
        grid.finish()
    }
}

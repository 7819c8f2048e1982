//! What looks wrong with a mesh.

use super::mesh_pieces::Pieces;
use super::mesh_rims::Rims;
use super::{Crossings, Hole, InsideOut, Mesh, MeshTopology, Seam};

/// What looks wrong with a mesh. Nothing of it keeps a mesh from being used as a fixed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshDefects {
    /// Its edges, those that are open, crowded or between triangles of different orientation among them.
    pub topology: MeshTopology,
    /// Closed pieces: those whose triangles hang together by their edges and run along each edge both ways.
    pub closed_pieces: usize,
    /// Closed pieces that are inside out.
    pub inside_out: Vec<InsideOut>,
    /// Small rims that look like holes in what should be closed. The rim of a sheet, such as a terrain, a cup or a funnel,
    /// is none.
    pub holes: Vec<Hole>,
    /// Vertices on open edges that do not end there.
    pub seams: Vec<Seam>,
    /// Triangles that cross each other.
    pub crossings: Crossings,
}

impl MeshDefects {
    /// Nothing looks wrong: every piece is closed, or a sheet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.topology.inconsistent_edges == 0
            && self.topology.crowded_edges == 0
            && self.inside_out.is_empty()
            && self.holes.is_empty()
            && self.seams.is_empty()
            && self.crossings.pairs.is_empty()
    }
}

impl Mesh {
    /// What looks wrong with a mesh that has passed [`Mesh::check`]. Equal vertices with different indices are different:
    /// see [`Mesh::welded`].
    ///
    /// ```
    /// use glam::DVec3;
    /// use signorini_collision::Mesh;
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let tetrahedron = Mesh::new(corners.clone(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
    /// assert!(tetrahedron.defects().is_empty());
    /// let reversed = Mesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]])?;
    /// assert!((reversed.defects().inside_out[0].volume + 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), signorini_collision::ShapeError>(())
    /// ```
    #[must_use]
    pub fn defects(&self) -> MeshDefects {
        let sides = self.sides();
        let pieces = Pieces::new(self, &sides);
        let rims = Rims::new(&sides);
        MeshDefects {
            topology: self.topology_of(&sides),
            closed_pieces: pieces.closed(),
            inside_out: pieces.inside_out(self),
            holes: rims.holes(self, &pieces),
            seams: rims.seams(self),
            crossings: self.crossings(),
        }
    }
}

#[cfg(test)]
#[path = "mesh_defects_tests.rs"]
mod tests;

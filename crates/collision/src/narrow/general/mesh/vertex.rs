//! Vertices of a surface and a body.

use super::{CONE, EXIT, Kind, Met, Query};

/// A vertex this far outside of the core is outside, relative to the size.
const OUTSIDE: f64 = 1e-9;

impl Query<'_> {
    /// A sharp vertex. Outside of the core the nearest point of the body must be in its cone. Inside, the shortest way out
    /// through a face of the body that its cone allows counts, if the body sees the vertex.
    pub(super) fn vertex(&self, vertex: u32, found: &mut Vec<Met>) {
        let x = self.place(vertex);
        let Some(distance) = self.body.distance(x, self.limit) else { return };
        let around = self.topology.faces_of(vertex);
        let name = (Kind::Vertex, 0, vertex);
        if distance.value > OUTSIDE * self.body.size {
            let n = -distance.out;
            let apart = distance.value >= self.sweep;
            if self.vertex_allows(vertex, n, CONE) && (apart || self.sees(x, around, n, distance.value)) {
                self.add_surface(found, name, x, n, distance.value);
            }
            return;
        }
        let Some((depth, n)) = self.body.way_out(&[x], |n| self.vertex_allows(vertex, n, EXIT)) else { return };
        if self.sees(x, around, n, -depth) {
            self.add_surface(found, name, x, n, -depth);
        }
    }
}

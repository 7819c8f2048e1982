//! Where the triangles are in this step.

use super::DeformableSurface;
use super::topology::Topology;
use crate::broad::Ball;
use glam::DVec3;

/// A triangle is flat when twice its area is below this times the square of its longest edge: the normal is rounding.
const FLAT: f64 = 16.0 * f64::EPSILON;
/// Relative room for rounding in tests that come before the exact one.
const ROUNDING: f64 = 1e-12;

/// Normals of triangles and nodes, and balls about triangles.
#[derive(Default)]
pub(super) struct Motion {
    /// Unit normals; zero for triangles without area or with nodes that are no numbers.
    pub(super) normals: Vec<DVec3>,
    pub(super) node_normals: Vec<DVec3>,
    /// Each holds the triangle, what is solid behind it, its margin, its reach and half of the envelope. Its radius is no
    /// number if a node is none.
    pub(super) balls: Vec<Ball>,
    /// How far behind each triangle its surface is solid.
    pub(super) depths: Vec<f64>,
    /// Margin, reach and half of the envelope of each triangle.
    pub(super) growths: Vec<f64>,
    /// The farthest reach of the nodes of each triangle.
    pub(super) reaches: Vec<f64>,
    /// A box around all balls.
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Motion {
    pub(super) fn update(
        &mut self,
        topology: &Topology,
        surface_of: &[u32],
        surfaces: &[DeformableSurface],
        nodes: &[DVec3],
        node_reach: &[f64],
        envelope: f64,
    ) {
        self.normals.clear();
        self.balls.clear();
        self.depths.clear();
        self.reaches.clear();
        self.growths.clear();
        self.node_normals.clear();
        self.node_normals.resize(nodes.len(), DVec3::ZERO);
        (self.low, self.high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (face, corners) in topology.triangles.iter().enumerate() {
            let triangle = corners.map(|node| nodes[node as usize]);
            let [a, b, c] = triangle;
            let twice_area = (b - a).cross(c - a);
            let length = twice_area.length();
            let depth = super::depth(&triangle);
            let has_area = length.is_finite() && length > FLAT * 4.0 * depth * depth;
            let reach = corners.iter().map(|&node| node_reach[node as usize]).fold(f64::NEG_INFINITY, f64::max);
            self.normals.push(if has_area { twice_area / length } else { DVec3::ZERO });
            if has_area {
                corners.iter().for_each(|&node| self.node_normals[node as usize] += twice_area);
            }
            let centre = (a + b + c) / 3.0;
            let square = triangle.iter().map(|corner| (*corner - centre).length_squared()).fold(0.0, f64::max);
            let margin = surfaces[surface_of[face] as usize].margin;
            let solid = (square + depth * depth).sqrt();
            let rounding = ROUNDING * (solid + margin + reach.abs() + envelope.abs());
            let growth = margin + reach + 0.5 * envelope + rounding;
            self.growths.push(growth);
            let finite = triangle.iter().all(|corner| corner.is_finite());
            let ball = Ball { centre, radius: if finite { solid + growth } else { f64::NAN } };
            if ball.is_finite() {
                self.low = self.low.min(centre - ball.radius);
                self.high = self.high.max(centre + ball.radius);
            }
            self.balls.push(ball);
            self.depths.push(depth);
            self.reaches.push(reach);
        }
        self.node_normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    }
}

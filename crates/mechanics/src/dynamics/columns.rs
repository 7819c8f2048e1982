//! Where the velocities of bodies and nodes stand in the problem: six of every body that moves, then three of every node that does.

use crate::{Model, State, Vec3};

/// Has no velocities in the problem.
const NO_COLUMN: usize = usize::MAX;

/// First velocity of every body and every node; what is fixed has none.
pub(crate) struct Columns {
    bodies: Vec<usize>,
    nodes: Vec<usize>,
    /// Number of velocities of bodies: those of nodes follow.
    of_bodies: usize,
    dimension: usize,
}

impl Columns {
    pub(crate) fn new(model: &Model) -> Self {
        let mut next = 0;
        let mut place = |is_fixed: bool, width: usize| {
            if is_fixed {
                return NO_COLUMN;
            }
            next += width;
            next - width
        };
        let bodies: Vec<usize> = model.bodies().iter().map(|body| place(body.is_fixed, 6)).collect();
        let nodes: Vec<usize> = model.field().is_fixed.iter().map(|&is_fixed| place(is_fixed, 3)).collect();
        let of_bodies = 6 * bodies.iter().filter(|column| **column != NO_COLUMN).count();
        Self { bodies, nodes, of_bodies, dimension: next }
    }
    /// Number of velocities.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }
    /// Number of velocities of bodies.
    pub(crate) fn of_bodies(&self) -> usize {
        self.of_bodies
    }
    /// The velocities of a body that moves.
    pub(crate) fn of(&self, body: usize) -> Option<usize> {
        (self.bodies[body] != NO_COLUMN).then_some(self.bodies[body])
    }
    /// The body a velocity belongs to; `None` for those of nodes.
    pub(crate) fn body_of(&self, column: usize) -> Option<usize> {
        self.bodies.iter().position(|&first| first != NO_COLUMN && (first..first + 6).contains(&column))
    }
    /// The velocities of a node that moves.
    pub(crate) fn of_node(&self, node: usize) -> Option<usize> {
        (self.nodes[node] != NO_COLUMN).then_some(self.nodes[node])
    }
    /// All velocities of the state, as the problem orders them.
    pub(crate) fn gather(&self, state: &State) -> Vec<f64> {
        let mut v = Vec::with_capacity(self.dimension);
        for body in (0..self.bodies.len()).filter(|&body| self.of(body).is_some()) {
            v.extend(state.velocities[body].to_array());
            v.extend(state.angular_velocities[body].to_array());
        }
        self.gather_nodes(&state.node_velocities, &mut v);
        v
    }
    /// Appends the values of all nodes that move.
    pub(crate) fn gather_nodes(&self, values: &[Vec3], out: &mut Vec<f64>) {
        let moving = values.iter().zip(&self.nodes).filter(|(_, column)| **column != NO_COLUMN);
        out.extend(moving.flat_map(|(value, _)| value.to_array()));
    }
    /// The velocity of every node that moves.
    pub(crate) fn scatter_nodes(&self, velocity: &[f64], out: &mut [Vec3]) {
        for (value, &column) in out.iter_mut().zip(&self.nodes).filter(|(_, column)| **column != NO_COLUMN) {
            *value = Vec3::from_slice(&velocity[column..column + 3]);
        }
    }
}

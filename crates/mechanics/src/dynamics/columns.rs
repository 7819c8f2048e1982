//! Where the velocities of bodies and nodes stand in the problem: six of every body that moves, then three of every node that does.

use crate::{Model, State, Vec3};
use signorini_linalg::{Halves, Threads};

/// Bodies one task works on.
const BODIES: usize = 1024;

/// Has no velocities in the problem.
const NO_COLUMN: usize = usize::MAX;

/// First velocity of every body and every node; what is fixed has none.
#[derive(Clone)]
pub(crate) struct Columns {
    bodies: Vec<usize>,
    /// Where the velocities of every body begin, fixed ones having none, and where the last ones end.
    body_start: Vec<usize>,
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
        let mut body_start = Vec::with_capacity(bodies.len() + 1);
        body_start.push(0);
        let mut of_bodies = 0;
        for column in &bodies {
            of_bodies += if *column == NO_COLUMN { 0 } else { 6 };
            body_start.push(of_bodies);
        }
        Self { bodies, body_start, nodes, of_bodies, dimension: next }
    }
    /// Number of bodies, fixed ones included.
    pub(crate) fn bodies(&self) -> usize {
        self.bodies.len()
    }
    /// Number of velocities.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }
    /// Number of velocities of bodies.
    pub(crate) fn of_bodies(&self) -> usize {
        self.of_bodies
    }
    /// Where the velocities of everything that moves begin, one body or node after the other, and where the last ones end.
    pub(crate) fn starts(&self) -> Vec<usize> {
        let moving = self.bodies.iter().chain(&self.nodes).copied().filter(|first| *first != NO_COLUMN);
        moving.chain([self.dimension]).collect()
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
    /// Six numbers of every body that moves, `number(body)`, as the problem orders them; room for those of nodes.
    pub(crate) fn of_moving_bodies(&self, threads: Threads, numbers: &(impl Fn(usize) -> [f64; 6] + Sync)) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.dimension);
        all.resize(self.of_bodies, 0.0);
        Halves::new(BODIES, threads).parts(&self.body_start, &mut all, &|body, own| {
            if !own.is_empty() {
                own.copy_from_slice(&numbers(body));
            }
        });
        all
    }
    /// All velocities of the state, as the problem orders them.
    pub(crate) fn gather(&self, state: &State, threads: Threads) -> Vec<f64> {
        let mut all = self.of_moving_bodies(threads, &|body| {
            let (v, omega) = (state.velocities[body], state.angular_velocities[body]);
            [v.x, v.y, v.z, omega.x, omega.y, omega.z]
        });
        self.gather_nodes(&state.node_velocities, &mut all);
        all
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

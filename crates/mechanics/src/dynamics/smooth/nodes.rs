//! Nodes of flexible bodies in the smooth equations: their mass, forces and tangents.
//!
//! ```text
//! f = gravity + loads + elements − α M v,      M lumped or consistent
//! A = M + κ [ s (α M + R) + K ],               s the velocity that goes with a unit of position
//! ```
//!
//! K is the exact tangent of the elements, R = β K. Damping itself is β times the positive tangent, and pressures turn with their faces:
//! Newton's method goes without those differences.

use crate::dynamics::columns::Columns;
use crate::dynamics::flexible_motion::{loads, mass_values, push_node_columns};
use crate::flexible::assembly::{Ask, Assembly, Sums};
use crate::flexible::element::Tangent;
use crate::flexible::field::{Failure, Field};
use crate::{Model, Vec3};
use signorini_linalg::{CscMatrix, SolveSpace, SparseAnalysis, SparseFactor, Threads};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What couples nodes in M, and its factor.
struct Coupled {
    /// Places among the nodes that move, first < second, and the mass.
    pairs: Vec<(usize, usize, f64)>,
    /// Of the matrix with one row a node; none if it is not positive definite.
    factor: Option<SparseFactor>,
}

/// Room for one evaluation at a time.
struct Work {
    assembly: Assembly,
    velocity: Vec<Vec3>,
    force: Vec<Vec3>,
    resistance: Vec<Vec3>,
    momentum: Vec<Vec3>,
    /// The last element that had no force.
    failure: Option<Failure>,
    /// For solves with M.
    space: Option<SolveSpace>,
    column: Vec<f64>,
}

/// The nodes of a model that has some.
pub(crate) struct Nodes {
    /// Their first velocity.
    first: usize,
    /// Nodes that move, in the order of their velocities.
    moving: Vec<usize>,
    /// The body of each, flexible ones counted after rigid ones.
    pub(crate) body_of: Vec<usize>,
    /// Diagonal of M, of nodes that move.
    mass: Vec<f64>,
    coupled: Option<Coupled>,
    /// The pattern of A, and M and α M in it.
    pub(crate) pattern: CscMatrix,
    tangent_mass: [Vec<f64>; 2],
    /// M alone.
    pub(crate) mass_matrix: CscMatrix,
    /// Largest radius of gyration \[m\].
    pub(crate) length: f64,
    work: Mutex<Work>,
}

impl Nodes {
    /// `None` for a model of rigid bodies.
    pub(crate) fn new(model: &Model, columns: &Columns, parallel: bool) -> Option<Self> {
        let field = model.field();
        if field.is_empty() {
            return None;
        }
        let first = columns.of_bodies();
        let place = |node: usize| columns.of_node(node).map(|at| at - first);
        let moving: Vec<usize> = (0..field.nodes()).filter(|&node| place(node).is_some()).collect();
        let size = 3 * moving.len();
        let (mut col_ptr, mut rows) = (vec![0], Vec::new());
        push_node_columns(field, place, &mut col_ptr, &mut rows);
        let values = vec![0.0; rows.len()];
        let pattern = match CscMatrix::from_compressed_columns(size, size, &col_ptr, &rows, &values) {
            Ok(pattern) => pattern,
            Err(error) => unreachable!("every column of {size} is closed once, rows are places of nodes: {error}"),
        };
        let tangent_mass = mass_values(field, &pattern, place);
        let mass: Vec<f64> = moving.iter().map(|&node| field.mass_diagonal[node]).collect();
        let coupled = Coupled::new(field, &mass, place);
        let pairs = coupled.iter().flat_map(|coupled| &coupled.pairs);
        let both = pairs.flat_map(|&(a, b, m)| [(a, b, m), (b, a, m)]);
        let blocks = mass.iter().enumerate().map(|(k, m)| (k, k, *m)).chain(both);
        let entries = blocks.flat_map(|(a, b, m)| (0..3).map(move |axis| (3 * a + axis, 3 * b + axis, m)));
        let mass_matrix = match CscMatrix::from_triplets(size, size, entries) {
            Ok(matrix) => matrix,
            Err(error) => {
                unreachable!("places are below {size}, and the model has checked that masses are finite: {error}")
            }
        };
        let zero = vec![Vec3::ZERO; field.nodes()];
        let work = Work {
            assembly: Assembly::new(field, &pattern, place, parallel),
            velocity: zero.clone(),
            force: zero.clone(),
            resistance: zero.clone(),
            momentum: zero,
            failure: None,
            space: coupled.as_ref().and_then(|coupled| coupled.factor.as_ref()).map(SparseFactor::space_for_all),
            column: vec![0.0; moving.len()],
        };
        let bodies = model.bodies().len();
        Some(Self {
            first,
            body_of: moving.iter().map(|&node| bodies + field.body_of(node)).collect(),
            mass,
            coupled,
            pattern,
            tangent_mass,
            mass_matrix,
            length: gyration(model),
            work: Mutex::new(work),
            moving,
        })
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        // Nothing is left half done that the next evaluation would read.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The element that had no force since the last call, if any.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        self.work().failure.take()
    }

    /// `to` = `from` + increment, of nodes that move.
    pub(crate) fn displace(&self, from: &[Vec3], increment: &[f64], to: &mut [Vec3]) {
        for (&node, part) in self.moving.iter().zip(increment[self.first..].chunks_exact(3)) {
            to[node] = from[node] + Vec3::from_slice(part);
        }
    }

    /// Writes forces on nodes that move; none is a number where an element has none.
    pub(crate) fn forces(&self, model: &Model, nodes: &[Vec3], velocity: &[f64], time: f64, out: &mut [f64]) {
        let field = model.field();
        let mut work = self.work();
        let Work { assembly, velocity: v, force, momentum, failure, .. } = &mut *work;
        self.scatter(velocity, v);
        loads(model, nodes, time, force);
        let found = assembly.forces(field, nodes, v, force);
        if field.mass_damping.iter().any(|alpha| *alpha > 0.0) {
            momentum.fill(Vec3::ZERO);
            field.add_mass_times(v, 1.0, momentum);
            let lost = momentum.iter().zip(&field.mass_damping);
            force.iter_mut().zip(lost).for_each(|(f, (p, alpha))| *f -= *alpha * *p);
        }
        if let Err(found) = found {
            force.fill(Vec3::NAN);
            *failure = Some(found);
        }
        for (&node, out) in self.moving.iter().zip(out[self.first..].chunks_exact_mut(3)) {
            out.copy_from_slice(&force[node].to_array());
        }
    }

    /// A of nodes, as values of [`Nodes::pattern`], with κ and s.
    pub(crate) fn tangent(
        &self,
        model: &Model,
        nodes: &[Vec3],
        velocity: &[f64],
        [kappa, speed]: [f64; 2],
        values: &mut Vec<f64>,
    ) -> Result<(), ()> {
        let mut work = self.work();
        let Work { assembly, velocity: v, force, resistance, failure, .. } = &mut *work;
        self.scatter(velocity, v);
        let [mass, damping] = &self.tangent_mass;
        values.clear();
        values.extend(mass.iter().zip(damping).map(|(mass, damping)| mass + kappa * speed * damping));
        let ask = Ask { tangent: Tangent::Exact, scales: [kappa, kappa * speed], ahead: None };
        let sums = Sums { force, resistance, values };
        assembly.run(model.field(), nodes, v, ask, sums).map_err(|found| *failure = Some(found))
    }

    fn scatter(&self, velocity: &[f64], out: &mut [Vec3]) {
        for (&node, part) in self.moving.iter().zip(velocity[self.first..].chunks_exact(3)) {
            out[node] = Vec3::from_slice(part);
        }
    }

    /// out += factor · M a.
    pub(crate) fn add_inertia(&self, acceleration: &[f64], factor: f64, out: &mut [f64]) {
        let (acceleration, out) = (&acceleration[self.first..], &mut out[self.first..]);
        for (k, mass) in self.mass.iter().enumerate() {
            (3 * k..3 * k + 3).for_each(|i| out[i] += factor * mass * acceleration[i]);
        }
        for &(a, b, mass) in self.coupled.iter().flat_map(|coupled| &coupled.pairs) {
            for axis in 0..3 {
                out[3 * a + axis] += factor * mass * acceleration[3 * b + axis];
                out[3 * b + axis] += factor * mass * acceleration[3 * a + axis];
            }
        }
    }

    /// Replaces forces by accelerations M⁻¹f.
    pub(crate) fn divide_by_mass(&self, force: &mut [f64]) {
        let force = &mut force[self.first..];
        let Some(coupled) = &self.coupled else {
            let each = force.chunks_exact_mut(3).zip(&self.mass);
            each.for_each(|(part, mass)| part.iter_mut().for_each(|f| *f /= mass));
            return;
        };
        let mut work = self.work();
        let Work { space, column, .. } = &mut *work;
        let (Some(factor), Some(space)) = (&coupled.factor, space) else {
            force.fill(f64::NAN);
            return;
        };
        for axis in 0..3 {
            let from = force.iter().skip(axis).step_by(3);
            column.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            factor.solve_in_place(column, space);
            let to = force.iter_mut().skip(axis).step_by(3);
            to.zip(&*column).for_each(|(to, from)| *to = *from);
        }
    }

    /// 1/m of the node a velocity belongs to, its neighbours left out.
    pub(crate) fn mobility(&self, column: usize) -> f64 {
        1.0 / self.mass[(column - self.first) / 3]
    }
}

impl Coupled {
    fn new(field: &Field, mass: &[f64], place: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let index = |node: u32| place(node as usize).map(|at| at / 3);
        let pairs: Vec<(usize, usize, f64)> =
            field.mass_pairs.iter().filter_map(|&(a, b, mass)| Some((index(a)?, index(b)?, mass))).collect();
        if pairs.is_empty() {
            return None;
        }
        let diagonal = mass.iter().enumerate().map(|(k, mass)| (k, k, *mass));
        let entries = diagonal.chain(pairs.iter().flat_map(|&(a, b, mass)| [(a, b, mass), (b, a, mass)]));
        let matrix = match CscMatrix::from_triplets(mass.len(), mass.len(), entries) {
            Ok(matrix) => matrix,
            Err(error) => unreachable!("nodes that move are counted from 0, and their masses are finite: {error}"),
        };
        // A mass matrix that is not positive definite has no factor: accelerations are then not finite, which stops the step.
        let factor =
            SparseAnalysis::of(&matrix).and_then(|of| SparseFactor::new(Arc::new(of), &matrix, Threads::One)).ok();
        Some(Self { pairs, factor })
    }
}

/// The largest radius of gyration of a flexible body where it starts \[m\].
fn gyration(model: &Model) -> f64 {
    let field = model.field();
    let radius = |index: usize| {
        let nodes = field.nodes_of(crate::flexible::FlexibleId(index as u32));
        let mass: f64 = nodes.clone().map(|node| field.mass[node]).sum();
        let centre: Vec3 = nodes.clone().map(|node| field.start[node] * (field.mass[node] / mass)).sum();
        let square: f64 = nodes.map(|node| field.mass[node] * (field.start[node] - centre).length_squared()).sum();
        (square / mass).sqrt()
    };
    (0..model.flexible().len()).map(radius).fold(0.0, f64::max)
}

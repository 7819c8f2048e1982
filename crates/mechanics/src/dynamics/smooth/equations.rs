//! The smooth equations of motion of a model:
//!
//! ```text
//! M a = f(q, v, z, t) + C(q, t)ᵀλ,   Ψ(q, t) = 0,   ż = g(q, v, z, t)
//! ```
//!
//! M is constant, as rotations are in body axes; f holds gravity, −ω × Iω and all forces. z are the numbers forces remember.

use super::nodes::Nodes;
use super::rows::{Pattern, RowPlace, Rows};
use crate::dynamics::columns::Columns;
use crate::flexible::field::Failure;
use crate::force::Motion;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::motion::moved;
use crate::{Mat3, Model, Pose, Quat, State, Vec3};

/// Mobilities are at least this share of the largest.
const LEAST_MOBILITY: f64 = 1e-6;

/// Positions and velocities on their way through a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Phase {
    /// t \[s\].
    pub(crate) time: f64,
    /// q.
    pub(crate) poses: Vec<Pose>,
    /// Of flexible bodies.
    pub(crate) nodes: Vec<Vec3>,
    /// v, of the bodies and nodes that move.
    pub(crate) velocity: Vec<f64>,
    /// z.
    pub(crate) memory: Vec<f64>,
}

impl Phase {
    /// How many numbers it is.
    pub(crate) fn count(&self) -> usize {
        1 + 7 * self.poses.len() + 3 * self.nodes.len() + self.velocity.len() + self.memory.len()
    }

    /// All its numbers.
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        out.push(self.time);
        for pose in &self.poses {
            out.extend(pose.position.to_array());
            out.extend(pose.rotation.to_array());
        }
        out.extend(self.nodes.iter().flat_map(|node| node.to_array()));
        out.extend(self.velocity.iter().chain(&self.memory));
    }

    /// Takes up [`Phase::count`] numbers.
    pub(crate) fn import(&mut self, numbers: &[f64]) {
        let (head, rest) = numbers.split_at(1);
        let (poses, rest) = rest.split_at(7 * self.poses.len());
        let (nodes, rest) = rest.split_at(3 * self.nodes.len());
        let (velocity, memory) = rest.split_at(self.velocity.len());
        self.time = head[0];
        for (pose, numbers) in self.poses.iter_mut().zip(poses.chunks_exact(7)) {
            (pose.position, pose.rotation) = (Vec3::from_slice(numbers), Quat::from_slice(&numbers[3..]));
        }
        self.nodes.iter_mut().zip(nodes.chunks_exact(3)).for_each(|(node, numbers)| *node = Vec3::from_slice(numbers));
        self.velocity.copy_from_slice(velocity);
        self.memory.copy_from_slice(memory);
    }
}

/// What the equations of a model are made of.
pub(crate) struct Equations {
    pub(crate) columns: Columns,
    /// Number of velocities.
    pub(crate) dimension: usize,
    /// Places of all bilateral rows, in the order of the joints and then of the links.
    pub(crate) rows: Vec<RowPlace>,
    /// The velocities their entries belong to.
    pub(crate) row_columns: Vec<usize>,
    /// First bilateral row of every joint, and the end.
    pub(crate) first_row: Vec<usize>,
    /// Mass, inertia and its inverse of every body that moves.
    masses: Vec<(f64, Mat3, Mat3)>,
    /// Bodies that move, by index.
    pub(crate) moving: Vec<usize>,
    /// Of flexible bodies.
    pub(crate) nodes: Option<Nodes>,
    /// What lengths are compared with \[m\].
    pub(crate) length: f64,
    /// How far a unit impulse along each row moves it, where the bodies start: the diagonal of C M⁻¹ Cᵀ. A measure that does not
    /// change with the motion makes the multipliers of redundant rows smooth functions of it.
    pub(crate) mobility: Vec<f64>,
    /// Whether joints form closed loops: only then can their rows be redundant.
    pub(crate) has_loops: bool,
}

impl Equations {
    /// By one thread.
    pub(crate) fn new(model: &Model) -> Self {
        Self::by(model, false)
    }

    /// By the threads of the present pool, or by one; the numbers are the same.
    pub(crate) fn by(model: &Model, parallel: bool) -> Self {
        let columns = Columns::new(model);
        let moving: Vec<usize> = (0..model.bodies().len()).filter(|&body| columns.of(body).is_some()).collect();
        let masses: Vec<_> = moving
            .iter()
            .map(|&body| {
                let body = &model.bodies()[body];
                (body.mass, body.inertia, body.inertia.inverse())
            })
            .collect();
        let start = Phase {
            time: 0.0,
            poses: model.bodies().iter().map(|body| body.start).collect(),
            nodes: model.field().start.clone(),
            velocity: Vec::new(),
            memory: Vec::new(),
        };
        let Pattern { rows, columns: row_columns, first_row } = Pattern::new(model, &columns, &start);
        let mut this = Self {
            nodes: Nodes::new(model, &columns, parallel),
            dimension: columns.dimension(),
            columns,
            rows,
            row_columns,
            first_row,
            masses,
            moving,
            length: 0.0,
            mobility: Vec::new(),
            has_loops: has_loops(model),
        };
        let mut at_start = Rows::default();
        this.evaluate_rows(model, &start, &mut at_start);
        this.length = this.length_of(model);
        this.mobility = (0..this.rows.len()).map(|row| this.row_mobility(&at_start, row)).collect();
        // A row that acts on nothing where the bodies start may act elsewhere.
        let largest = this.mobility.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        this.mobility.iter_mut().for_each(|mobility| *mobility = mobility.max(LEAST_MOBILITY * largest));
        this
    }

    /// The largest lever of a joint, radius of gyration or length of a force.
    fn length_of(&self, model: &Model) -> f64 {
        let mut length = self.nodes.as_ref().map_or(0.0, |nodes| nodes.length);
        // A lever is the angular part of a row whose linear part is a unit vector. Those of fixed bodies count as well.
        let mut buffer = [Row::ZERO; MAX_ROWS];
        for (_, joint) in model.joints() {
            let poses = joint.bodies().map(|body| &model.bodies()[body.index()].start);
            joint.evaluate(poses, 0.0, &mut buffer[..joint.rows()]);
            let lengths = buffer[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal && !row.is_angle);
            for row in lengths {
                let lever = |part: &[f64; 6]| Vec3::new(part[3], part[4], part[5]).length();
                length = row.jacobian.iter().map(lever).fold(length, f64::max);
            }
        }
        for (mass, inertia, _) in &self.masses {
            let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            length = length.max((trace / mass).sqrt());
        }
        model.forces().map(|(_, force)| force.length()).fold(length, f64::max)
    }

    /// Where everything is in a state.
    pub(crate) fn phase(&self, state: &State) -> Phase {
        Phase {
            time: state.time,
            poses: state.poses.clone(),
            nodes: state.nodes.clone(),
            velocity: self.columns.gather(state, signorini_linalg::Threads::One),
            memory: state.memory.clone(),
        }
    }

    /// How a body moves.
    pub(crate) fn motion(&self, phase: &Phase, body: usize) -> Motion {
        let (velocity, angular_velocity) = match self.columns.of(body) {
            Some(at) => (Vec3::from_slice(&phase.velocity[at..]), Vec3::from_slice(&phase.velocity[at + 3..])),
            None => (Vec3::ZERO, Vec3::ZERO),
        };
        Motion { pose: phase.poses[body], velocity, angular_velocity }
    }

    /// `to` = `from` ⊕ increment, positions only.
    pub(crate) fn displace(&self, from: &Phase, increment: &[f64], to: &mut Phase) {
        to.poses.clone_from(&from.poses);
        for (k, &body) in self.moving.iter().enumerate() {
            let part = &increment[6 * k..6 * k + 6];
            to.poses[body] = moved(&from.poses[body], Vec3::from_slice(part), Vec3::from_slice(&part[3..]), 1.0);
        }
        if let Some(nodes) = &self.nodes {
            to.nodes.clone_from(&from.nodes);
            nodes.displace(&from.nodes, increment, &mut to.nodes);
        }
    }

    /// An element that had no force since the last call, if any.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        self.nodes.as_ref()?.take_failure()
    }

    /// f(q, v, z, t).
    pub(crate) fn forces(&self, model: &Model, phase: &Phase, out: &mut [f64]) {
        self.add_up_forces(model, phase, |entry| entry, out);
    }

    /// The entries of f one by one, without their signs: what forces amount to where they cancel.
    pub(crate) fn force_sizes(&self, model: &Model, phase: &Phase, out: &mut [f64]) {
        self.add_up_forces(model, phase, f64::abs, out);
    }

    fn add_up_forces(&self, model: &Model, phase: &Phase, counted: impl Fn(f64) -> f64, out: &mut [f64]) {
        for (k, (mass, inertia, _)) in self.masses.iter().enumerate() {
            let omega = Vec3::from_slice(&phase.velocity[6 * k + 3..]);
            let (force, torque) = (*mass * model.gravity(), -omega.cross(*inertia * omega));
            out[6 * k..6 * k + 3].copy_from_slice(&force.to_array().map(&counted));
            out[6 * k + 3..6 * k + 6].copy_from_slice(&torque.to_array().map(&counted));
        }
        for (index, (_, force)) in model.forces().enumerate() {
            let bodies = force.bodies().map(|body| body.index());
            let motions = bodies.map(|body| self.motion(phase, body));
            let memory = &phase.memory[model.memory_layout().range(index)];
            let wrenches = force.wrench([&motions[0], &motions[1]], phase.time, memory);
            for (&body, wrench) in bodies.iter().zip(wrenches) {
                let Some(at) = self.columns.of(body) else { continue };
                let parts = [wrench.force, wrench.torque].map(|part| part.to_array());
                out[at..at + 6].iter_mut().zip(parts.as_flattened()).for_each(|(sum, part)| *sum += counted(*part));
            }
        }
        if let Some(nodes) = &self.nodes {
            nodes.forces(model, &phase.nodes, &phase.velocity, phase.time, out);
            out[self.columns.of_bodies()..].iter_mut().for_each(|force| *force = counted(*force));
        }
    }

    /// ż of all forces.
    pub(crate) fn memory_rates(&self, model: &Model, phase: &Phase, rates: &mut [f64]) {
        rates.fill(0.0);
        for (index, (_, force)) in model.forces().enumerate().filter(|(_, (_, force))| force.memory() > 0) {
            let range = model.memory_layout().range(index);
            let motions = force.bodies().map(|body| self.motion(phase, body.index()));
            let pair = [&motions[0], &motions[1]];
            force.memory_rate(pair, phase.time, &phase.memory[range.clone()], &mut rates[range]);
        }
    }

    /// Diagonal of C M⁻¹ Cᵀ, what couples nodes in M left out.
    fn row_mobility(&self, rows: &Rows, row: usize) -> f64 {
        let entries = self.rows[row].entries.clone();
        let (columns, values) = (&self.row_columns[entries.clone()], &rows.jacobian[entries]);
        let (mut sum, mut at) = (0.0, 0);
        while at < columns.len() {
            let column = columns[at];
            if column < self.columns.of_bodies() {
                let part = &values[at..at + 6];
                let (mass, _, inverse) = &self.masses[column / 6];
                let (linear, angular) = (Vec3::from_slice(part), Vec3::from_slice(&part[3..]));
                sum += linear.length_squared() / mass + angular.dot(*inverse * angular);
                at += 6;
            } else {
                let mobility = self.nodes.as_ref().map_or(0.0, |nodes| nodes.mobility(column));
                sum += values[at] * values[at] * mobility;
                at += 1;
            }
        }
        sum
    }

    /// out += factor · M a.
    pub(crate) fn add_inertia(&self, acceleration: &[f64], factor: f64, out: &mut [f64]) {
        for (k, (mass, inertia, _)) in self.masses.iter().enumerate() {
            let part = &acceleration[6 * k..6 * k + 6];
            let linear = factor * *mass * Vec3::from_slice(part);
            let angular = factor * (*inertia * Vec3::from_slice(&part[3..]));
            let both = [linear.to_array(), angular.to_array()];
            out[6 * k..6 * k + 6].iter_mut().zip(both.as_flattened()).for_each(|(sum, part)| *sum += part);
        }
        if let Some(nodes) = &self.nodes {
            nodes.add_inertia(acceleration, factor, out);
        }
    }

    /// Replaces forces by accelerations M⁻¹f.
    pub(crate) fn divide_by_mass(&self, force: &mut [f64]) {
        for (k, (mass, _, inverse)) in self.masses.iter().enumerate() {
            let part = &mut force[6 * k..6 * k + 6];
            let (linear, angular) = (Vec3::from_slice(part) / *mass, *inverse * Vec3::from_slice(&part[3..]));
            part[..3].copy_from_slice(&linear.to_array());
            part[3..].copy_from_slice(&angular.to_array());
        }
        if let Some(nodes) = &self.nodes {
            nodes.divide_by_mass(force);
        }
    }

    /// The 6 × 6 mass block of a body that moves, row-major.
    pub(crate) fn mass_block(&self, k: usize) -> [f64; 36] {
        let (mass, inertia, _) = &self.masses[k];
        let mut block = [0.0; 36];
        for i in 0..3 {
            block[7 * i] = *mass;
            (0..3).for_each(|j| block[6 * (3 + i) + 3 + j] = inertia.col(j)[i]);
        }
        block
    }

    /// The inertia of a body that moves.
    pub(crate) fn inertia(&self, k: usize) -> &Mat3 {
        &self.masses[k].1
    }

    /// The size of every part of an increment, bodies first, then nodes: metres / length or radians.
    fn sizes(&self, increment: &[f64]) -> impl Iterator<Item = f64> {
        let (bodies, nodes) = increment.split_at(self.columns.of_bodies());
        let of_bodies = bodies.chunks_exact(6).map(|part| {
            let (linear, angular) = (Vec3::from_slice(part).length(), Vec3::from_slice(&part[3..]).length());
            // `max` would lose what is not a number.
            if linear.is_nan() || angular.is_nan() { f64::NAN } else { (linear / self.length).max(angular) }
        });
        of_bodies.chain(nodes.chunks_exact(3).map(|part| Vec3::from_slice(part).length() / self.length))
    }

    /// The largest of metres / length and radians.
    pub(crate) fn size(&self, increment: &[f64]) -> f64 {
        self.sizes(increment).fold(0.0, |largest, size| if size.is_nan() { f64::NAN } else { largest.max(size) })
    }

    /// The body with the largest increment, flexible ones counted after rigid ones.
    pub(crate) fn worst_body(&self, increment: &[f64]) -> usize {
        let worst = self.sizes(increment).enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k);
        let flexible = || self.nodes.as_ref()?.body_of.get(worst - self.moving.len()).copied();
        self.moving.get(worst).copied().or_else(flexible).unwrap_or(0)
    }
}

/// Whether two joints lead from one body to another on different ways; all fixed bodies are one.
fn has_loops(model: &Model) -> bool {
    let ground = model.bodies().len();
    let mut group: Vec<usize> = (0..=ground).collect();
    let root = |group: &mut Vec<usize>, mut at: usize| {
        while group[at] != at {
            group[at] = group[group[at]];
            at = group[at];
        }
        at
    };
    model.joints().any(|(_, joint)| {
        let [a, b] = joint.bodies().map(|body| {
            let index = if model.bodies()[body.index()].is_fixed { ground } else { body.index() };
            root(&mut group, index)
        });
        let is_loop = a == b;
        group[a] = b;
        is_loop
    })
}

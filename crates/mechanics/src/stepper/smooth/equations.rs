//! The smooth equations of motion of a model:
//!
//! ```text
//! M a = f(q, v, z, t) + C(q, t)ᵀλ,   Ψ(q, t) = 0,   ż = g(q, v, z, t)
//! ```
//!
//! M is constant, as rotations are in body axes; f holds gravity, −ω × Iω and all forces. z are the numbers forces remember.

use crate::force::Motion;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::motion::moved;
use crate::stepper::columns::Columns;
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
    /// v, of the bodies that move.
    pub(crate) velocity: Vec<f64>,
    /// z.
    pub(crate) memory: Vec<f64>,
}

impl Phase {
    /// How many numbers it is.
    pub(crate) fn count(&self) -> usize {
        1 + 7 * self.poses.len() + self.velocity.len() + self.memory.len()
    }

    /// All its numbers.
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        out.push(self.time);
        for pose in &self.poses {
            out.extend(pose.position.to_array());
            out.extend(pose.rotation.to_array());
        }
        out.extend(self.velocity.iter().chain(&self.memory));
    }

    /// Takes up [`Phase::count`] numbers.
    pub(crate) fn import(&mut self, numbers: &[f64]) {
        let (head, rest) = numbers.split_at(1);
        let (poses, rest) = rest.split_at(7 * self.poses.len());
        let (velocity, memory) = rest.split_at(self.velocity.len());
        self.time = head[0];
        for (pose, numbers) in self.poses.iter_mut().zip(poses.chunks_exact(7)) {
            (pose.position, pose.rotation) = (Vec3::from_slice(numbers), Quat::from_slice(&numbers[3..]));
        }
        self.velocity.copy_from_slice(velocity);
        self.memory.copy_from_slice(memory);
    }
}

/// Which joint a row belongs to and the bodies it acts on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPlace {
    pub(crate) joint: usize,
    /// First velocity of both bodies; `None` where fixed.
    pub(crate) columns: [Option<usize>; 2],
}

/// All bilateral rows at one configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Ψ.
    pub(crate) value: Vec<f64>,
    /// Ψ_t.
    pub(crate) rate: Vec<f64>,
    /// C.
    pub(crate) jacobian: Vec<[[f64; 6]; 2]>,
    /// Whether Ψ is an angle.
    pub(crate) is_angle: Vec<bool>,
}

/// What the equations of a model are made of.
pub(crate) struct Equations {
    pub(crate) columns: Columns,
    /// Number of velocities.
    pub(crate) dimension: usize,
    /// Places of all bilateral rows, in the order of the joints.
    pub(crate) rows: Vec<RowPlace>,
    /// First bilateral row of every joint, and the end.
    pub(crate) first_row: Vec<usize>,
    /// Mass, inertia and its inverse of every body that moves.
    masses: Vec<(f64, Mat3, Mat3)>,
    /// Bodies that move, by index.
    pub(crate) moving: Vec<usize>,
    /// What lengths are compared with \[m\].
    pub(crate) length: f64,
    /// How far a unit impulse along each row moves it, where the bodies start: the diagonal of C M⁻¹ Cᵀ. A measure that does not
    /// change with the motion makes the multipliers of redundant rows smooth functions of it.
    pub(crate) mobility: Vec<f64>,
    /// Whether joints form closed loops: only then can their rows be redundant.
    pub(crate) has_loops: bool,
}

impl Equations {
    pub(crate) fn new(model: &Model) -> Self {
        let columns = Columns::new(model);
        let moving: Vec<usize> = (0..model.bodies().len()).filter(|&body| columns.of(body).is_some()).collect();
        let masses: Vec<_> = moving
            .iter()
            .map(|&body| {
                let body = &model.bodies()[body];
                (body.mass, body.inertia, body.inertia.inverse())
            })
            .collect();
        let mut buffer = [Row::ZERO; MAX_ROWS];
        let (mut rows, mut first_row) = (Vec::new(), vec![0]);
        // A lever is the angular part of a row whose linear part is a unit vector.
        let mut length = 0.0_f64;
        for (index, (_, joint)) in model.joints().enumerate() {
            let bodies = joint.bodies().map(|body| body.index());
            joint.evaluate(bodies.map(|body| &model.bodies()[body].start), 0.0, &mut buffer[..joint.rows()]);
            for row in buffer[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal) {
                rows.push(RowPlace { joint: index, columns: bodies.map(|body| columns.of(body)) });
                if !row.is_angle {
                    let lever = |part: &[f64; 6]| Vec3::new(part[3], part[4], part[5]).length();
                    length = row.jacobian.iter().map(lever).fold(length, f64::max);
                }
            }
            first_row.push(rows.len());
        }
        for (mass, inertia, _) in &masses {
            let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            length = length.max((trace / mass).sqrt());
        }
        length = model.forces().map(|(_, force)| force.length()).fold(length, f64::max);
        let dimension = 6 * moving.len();
        let mut this = Self {
            columns,
            dimension,
            rows,
            first_row,
            masses,
            moving,
            length,
            mobility: Vec::new(),
            has_loops: has_loops(model),
        };
        let poses: Vec<Pose> = model.bodies().iter().map(|body| body.start).collect();
        let mut start = Rows::default();
        this.evaluate_rows(model, &poses, 0.0, &mut start);
        this.mobility = (0..this.rows.len()).map(|row| this.row_mobility(&start, row)).collect();
        // A row that acts on nothing where the bodies start may act elsewhere.
        let largest = this.mobility.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        this.mobility.iter_mut().for_each(|mobility| *mobility = mobility.max(LEAST_MOBILITY * largest));
        this
    }

    /// Where everything is in a state.
    pub(crate) fn phase(&self, state: &State) -> Phase {
        Phase {
            time: state.time,
            poses: state.poses.clone(),
            velocity: self.columns.gather(state),
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

    /// `to` = `from` ⊕ increment.
    pub(crate) fn displace(&self, from: &[Pose], increment: &[f64], to: &mut [Pose]) {
        for (k, &body) in self.moving.iter().enumerate() {
            let part = &increment[6 * k..6 * k + 6];
            to[body] = moved(&from[body], Vec3::from_slice(part), Vec3::from_slice(&part[3..]), 1.0);
        }
    }

    /// Ψ, Ψ_t and C at a configuration.
    pub(crate) fn evaluate_rows(&self, model: &Model, poses: &[Pose], time: f64, rows: &mut Rows) {
        let mut buffer = [Row::ZERO; MAX_ROWS];
        let count = self.rows.len();
        rows.value.resize(count, 0.0);
        rows.rate.resize(count, 0.0);
        rows.jacobian.resize(count, [[0.0; 6]; 2]);
        rows.is_angle.resize(count, false);
        let mut at = 0;
        for (_, joint) in model.joints() {
            let pair = joint.bodies().map(|body| &poses[body.index()]);
            joint.evaluate(pair, time, &mut buffer[..joint.rows()]);
            for row in buffer[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal) {
                (rows.value[at], rows.rate[at]) = (row.value, row.rate);
                (rows.jacobian[at], rows.is_angle[at]) = (row.jacobian, row.is_angle);
                at += 1;
            }
        }
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

    /// out += factor · Cᵀλ.
    pub(crate) fn add_reactions(&self, rows: &Rows, multipliers: &[f64], factor: f64, out: &mut [f64]) {
        for ((place, jacobian), multiplier) in self.rows.iter().zip(&rows.jacobian).zip(multipliers) {
            for (column, part) in place.columns.iter().zip(jacobian) {
                let Some(at) = *column else { continue };
                out[at..at + 6].iter_mut().zip(part).for_each(|(sum, entry)| *sum += factor * multiplier * entry);
            }
        }
    }

    /// C v of one row.
    pub(crate) fn row_speed(&self, rows: &Rows, row: usize, velocity: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (column, part) in self.rows[row].columns.iter().zip(&rows.jacobian[row]) {
            let Some(at) = *column else { continue };
            sum += velocity[at..at + 6].iter().zip(part).map(|(v, entry)| v * entry).sum::<f64>();
        }
        sum
    }

    /// The size of the terms C v of one row is the sum of.
    pub(crate) fn row_terms(&self, rows: &Rows, row: usize, velocity: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (column, part) in self.rows[row].columns.iter().zip(&rows.jacobian[row]) {
            let Some(at) = *column else { continue };
            sum += velocity[at..at + 6].iter().zip(part).map(|(v, entry)| (v * entry).abs()).sum::<f64>();
        }
        sum
    }

    /// Diagonal of C M⁻¹ Cᵀ.
    fn row_mobility(&self, rows: &Rows, row: usize) -> f64 {
        let mut sum = 0.0;
        for (column, part) in self.rows[row].columns.iter().zip(&rows.jacobian[row]) {
            let Some(at) = *column else { continue };
            let (mass, _, inverse) = &self.masses[at / 6];
            let (linear, angular) = (Vec3::from_slice(part), Vec3::from_slice(&part[3..]));
            sum += linear.length_squared() / mass + angular.dot(*inverse * angular);
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
    }

    /// Replaces forces by accelerations M⁻¹f.
    pub(crate) fn divide_by_mass(&self, force: &mut [f64]) {
        for (k, (mass, _, inverse)) in self.masses.iter().enumerate() {
            let part = &mut force[6 * k..6 * k + 6];
            let (linear, angular) = (Vec3::from_slice(part) / *mass, *inverse * Vec3::from_slice(&part[3..]));
            part[..3].copy_from_slice(&linear.to_array());
            part[3..].copy_from_slice(&angular.to_array());
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

    /// The largest of metres / length and radians.
    pub(crate) fn size(&self, increment: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for part in increment.chunks_exact(6) {
            let (linear, angular) = (Vec3::from_slice(part).length(), Vec3::from_slice(&part[3..]).length());
            let size = (linear / self.length).max(angular);
            // `max` would lose what is not a number.
            largest = if size.is_nan() { f64::NAN } else { largest.max(size) };
        }
        largest
    }

    /// The largest |Ψ|, lengths as shares of the model's length, and the joint it belongs to.
    pub(crate) fn worst_row(&self, rows: &Rows) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for (k, value) in rows.value.iter().enumerate() {
            let size = value.abs() / if rows.is_angle[k] { 1.0 } else { self.length };
            if size > worst.0 || size.is_nan() {
                worst = (size, self.rows[k].joint);
            }
        }
        worst
    }

    /// The body with the largest increment.
    pub(crate) fn worst_body(&self, increment: &[f64]) -> usize {
        let sizes = increment.chunks_exact(6).map(|part| self.size(part));
        let worst = sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k);
        self.moving.get(worst).copied().unwrap_or(0)
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

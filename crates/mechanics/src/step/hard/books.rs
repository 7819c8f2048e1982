//! Where the energy of a step with hard contacts went: the work of every joint, contact and force ([`Work`]).
//!
//! ```text
//! joint rows      γ·C(v + v⁺)/2           rows of the problem
//!                 γ·(Ψ⁺ − Ψ)/h            rows of islands, whose reactions act along the displacement
//!                 γ·(u + u⁺)/2            one-sided rows of islands, u = C v and u⁺ = C⁺v⁺: they catch what they hold by an impact
//!   of which drives take γ·s              s = −(Ψ(q, t + h) − Ψ(q, t))/h: how fast the row is driven
//! contacts        λ·D[(v + v⁺)/2 + (τ − h/2)g]        τ: time of a rebound within the step, or the middle of the time that a soft contact
//!                                                     touches; h/2 for what acts all along it
//! forces          p·w,  p = h[f − R(w − v) − hϑK w]   with the stored energy where they are no springs: drives
//! dampers         p_d·w,  p_d = h[f(q, v) − f(q, 0) − R(w − v)]
//!                 p = h f(q_m, w), p_d = h[f(q_m, w) − f(q_m, 0)] where forces are taken in the middle of the way
//! flexible        −h v⁺ᵀR v⁺ of damping, f·Δx of loads on nodes
//! ```

use super::scheme::{FirstStage, HardScheme, StepStart};
use crate::diagnostics::motion;
use crate::dynamics::flexible_motion::loads;
use crate::flexible::element::Tangent;
use crate::flexible::elements::{Elements, MOST_COLUMNS, MOST_NODES, Response};
use crate::flexible::field::gather;
use crate::force::{Force, Motion, Wrench, memory};
use crate::joint::{MAX_ROWS, Row, RowKind, wrapped};
use crate::motion::{moved, turn_between};
use crate::promise::work::driven_rows;
use crate::step::report::Work;
use crate::{Joint, State, Vec3};
use signorini_collision::NO_FACE;
use signorini_linalg::Halves;
use std::ops::Range;

/// Contacts one task looks at.
const CONTACTS: usize = 2048;
/// Elements one task looks at.
const ELEMENTS: usize = 256;

/// The work of a step, part by part.
pub(crate) struct Books {
    /// All together, without the numerical part.
    pub(crate) work: Work,
    /// Of reactions of every joint and link, links after joints \[J\].
    pub(crate) joints: Vec<f64>,
    /// The contact that put in most, and how much \[J\]; `None` where none put energy in.
    pub(crate) liveliest_contact: Option<(usize, f64)>,
    /// What every force gave beyond what it stored, what drives it and what it damps \[J\].
    pub(crate) forces: Vec<f64>,
}

/// A step that was taken by a scheme.
pub(crate) struct TakenStep<'a, S> {
    pub(crate) scheme: &'a S,
    pub(crate) start: StepStart<'a>,
    pub(crate) first: &'a FirstStage<'a>,
    pub(crate) next: &'a State,
}

impl<S: HardScheme> TakenStep<'_, S> {
    /// The books of the step.
    pub(crate) fn books(&self) -> Books {
        let mut mean = self.start.columns.gather(self.start.state, self.start.threads);
        mean.iter_mut().zip(self.first.solution.velocity()).for_each(|(v, after)| *v = 0.5 * (*v + after));
        let (contacts, liveliest_contact) = self.contacts(&mean);
        let mut work = Work { contacts, ..Work::default() };
        let joints = self.joints(&mean, &mut work);
        let forces = self.forces(&mut work);
        self.flexible(&mut work);
        Books { work, joints, liveliest_contact, forces }
    }

    /// The work of reactions of every joint and link; enters it and that of imposed motions.
    fn joints(&self, mean: &[f64], work: &mut Work) -> Vec<f64> {
        let (model, layout) = (self.start.model, self.first.layout);
        let all = layout.joints_of_model();
        if all == 0 {
            return Vec::new();
        }
        let mut impulses = vec![0.0; all];
        let mut of_rows = vec![0.0; all];
        let (rows, solution) = (self.first.problem.rows(), self.first.solution);
        for k in 0..rows.len() {
            let (block, range) = (rows.block(k), rows.rows_of(k));
            if range.start >= layout.joints() {
                break;
            }
            for (r, row) in range.enumerate() {
                let entries = block.row(r).iter().zip(block.columns);
                let rate: f64 = entries.map(|(entry, column)| entry * mean[*column]).sum();
                let (impulse, of_model) = (solution.impulse()[row], layout.row_of_model(row));
                (impulses[of_model], of_rows[of_model]) = (impulse, impulse * rate);
            }
        }
        self.scheme.remember(&mut impulses);
        self.along_displacement(&impulses, &mut of_rows);
        for (row, speed) in driven_rows(model, self.start.state, self.start.parameters.step) {
            work.drives += impulses[row] * speed;
            of_rows[row] -= impulses[row] * speed;
        }
        let counts = model.joints().map(|(_, joint)| joint.rows());
        let counts = counts.chain(model.links().iter().map(|(_, link)| link.rows()));
        let mut first = 0;
        let own = counts.map(|count| {
            first += count;
            of_rows[first - count..first].iter().sum::<f64>()
        });
        let own: Vec<f64> = own.collect();
        work.joints += own.iter().sum::<f64>();
        own
    }

    /// The work of joint rows whose reactions act along the displacement.
    fn along_displacement(&self, impulses: &[f64], of_rows: &mut [f64]) {
        let StepStart { model, state, parameters, .. } = self.start;
        let h = parameters.step;
        let (mut from, mut to) = ([Row::ZERO; MAX_ROWS], [Row::ZERO; MAX_ROWS]);
        let mut first = 0;
        for (_, joint) in model.joints() {
            let count = joint.rows();
            if (first..first + count).any(|row| self.scheme.acts_along_displacement(row)) {
                evaluate(joint, state, state.time + h, &mut from[..count]);
                evaluate(joint, self.next, state.time + h, &mut to[..count]);
                for k in 0..count {
                    let (from, to, gamma) = (&from[k], &to[k], impulses[first + k]);
                    let change = to.value - from.value;
                    let rate = match from.kind {
                        RowKind::Equal if from.is_angle => wrapped(change) / h,
                        RowKind::Equal => change / h,
                        RowKind::AtLeastZero => 0.5 * (rate(joint, state, from) + rate(joint, self.next, to)),
                    };
                    of_rows[first + k] = gamma * rate;
                }
            }
            first += count;
        }
    }

    /// The work of all contacts, and the one that put in most.
    fn contacts(&self, mean: &[f64]) -> (f64, Option<(usize, f64)>) {
        let (rows, impulse) = (self.first.problem.rows(), self.first.solution.impulse());
        let contacts = self.first.contacts;
        let blocks_before = rows.len() - contacts.len();
        let of_contact = |k: usize| -> f64 {
            let (block, range) = (rows.block(blocks_before + k), rows.rows_of(blocks_before + k));
            let g = &impulse[range];
            if g.iter().all(|part| *part == 0.0) {
                return 0.0;
            }
            let of_rows = g.iter().enumerate().filter(|(_, g)| **g != 0.0).map(|(r, g)| {
                let entries = block.row(r).iter().zip(block.columns);
                g * entries.map(|(entry, column)| entry * mean[*column]).sum::<f64>()
            });
            let work: f64 = of_rows.sum();
            work + self.gravity_until_contact(k, g)
        };
        let of_range = |range: Range<usize>| {
            range
                .map(|k| (k, of_contact(k)))
                .fold((0.0, None), |(sum, most), (k, own)| (sum + own, larger(most, k, own)))
        };
        let join = |a: (f64, Option<(usize, f64)>), b: (f64, Option<(usize, f64)>)| {
            (a.0 + b.0, b.1.map_or(a.1, |(k, own)| larger(a.1, k, own)))
        };
        Halves::new(CONTACTS, self.start.threads).total(contacts.len(), &of_range, &join)
    }

    /// λ·D(τ − h/2)g of a contact that acts at the time τ, on bodies that fly: what they fall until then, and not in the middle of the step.
    fn gravity_until_contact(&self, k: usize, impulse: &[f64]) -> f64 {
        let contact = &self.first.contacts[k];
        let Some(time) = self.scheme.time_of_contact(&self.start, contact) else { return 0.0 };
        let fallen = (time - 0.5 * self.start.parameters.step) * self.start.model.gravity();
        let flies = |side: usize| contact.faces[side] == NO_FACE && self.scheme.flies(contact.bodies[side] as usize);
        // Rows of B are those of its point, of A the opposite.
        let sign = f64::from(u8::from(flies(1))) - f64::from(u8::from(flies(0)));
        let frame = crate::Frame::about(contact.normal);
        let axes = [frame.normal, frame.tangents[0], frame.tangents[1]];
        sign * impulse.iter().zip(axes).map(|(g, axis)| g * axis.dot(fallen)).sum::<f64>()
    }

    /// Enters the work of forces and dampers; returns what each gave beyond that.
    fn forces(&self, work: &mut Work) -> Vec<f64> {
        let StepStart { model, columns, state, parameters, .. } = self.start;
        let mut left = Vec::with_capacity(model.forces().len());
        // What forces remember in the middle of the step.
        let in_the_middle = (model.forces().len() > 0).then(|| memory::advanced(model, state, 0.5 * parameters.step));
        for (index, (_, force)) in model.forces().enumerate() {
            let bodies = force.bodies().map(|body| body.index());
            let memory = model.memory_layout().range(index);
            let moving = bodies.iter().find(|body| columns.of(**body).is_some());
            let is_in_the_middle = moving.is_some_and(|body| self.scheme.takes_forces_in_the_middle(*body));
            let expanded = ForceWork {
                force,
                motions: bodies.map(|body| motion(state, body)),
                after: bodies.map(|body| motion(self.next, body)),
                is_alone: bodies[0] == bodies[1],
                time: state.time + parameters.step,
                step: parameters.step,
                theta: moving.map_or(1.0, |body| self.scheme.theta(*body)),
                memory: &self.next.memory[memory.clone()],
            };
            let (done, damped) = match &in_the_middle {
                Some(middle) if is_in_the_middle => expanded.in_the_middle(&middle[memory.clone()]),
                _ => expanded.along_displacement(),
            };
            let stored = expanded.stored(&state.memory[memory], state.time);
            if force.is_passive() {
                work.damping += damped;
                left.push(done + stored - damped);
            } else {
                work.drives += done + stored;
                left.push(0.0);
            }
        }
        left
    }

    /// Enters the work of damping and of loads of flexible bodies.
    fn flexible(&self, work: &mut Work) {
        let StepStart { model, state, parameters, threads, .. } = self.start;
        let (h, field) = (parameters.step, model.field());
        if field.is_empty() {
            return;
        }
        if !model.flexible_loads().is_empty() {
            let mut forces = vec![Vec3::ZERO; field.nodes()];
            loads(model, &state.nodes, state.time + h, &mut forces);
            let ways = self.next.nodes.iter().zip(&state.nodes);
            let of_nodes = forces.iter().zip(&field.mass).zip(ways);
            work.drives +=
                of_nodes.map(|((f, m), (to, from))| (*f - *m * model.gravity()).dot(*to - *from)).sum::<f64>();
        }
        let after = &self.next.node_velocities;
        if field.mass_damping.iter().any(|alpha| *alpha != 0.0) {
            let mut resistance = vec![Vec3::ZERO; field.nodes()];
            let damped: Vec<Vec3> = after.iter().zip(&field.mass_damping).map(|(v, alpha)| *alpha * *v).collect();
            field.add_mass_times(&damped, h, &mut resistance);
            work.damping -= resistance.iter().zip(after).map(|(r, v)| r.dot(*v)).sum::<f64>();
        }
        for elements in field.elements().iter().filter(|elements| elements.is_damped()) {
            let of_range = |range: Range<usize>| range.map(|k| damping_power(elements, k, &state.nodes, after)).sum();
            let power: f64 = Halves::new(ELEMENTS, threads).total(elements.count(), &of_range, &|a, b| a + b);
            work.damping -= h * power;
        }
    }
}

/// The larger of two, if it is above 0.
fn larger(most: Option<(usize, f64)>, k: usize, own: f64) -> Option<(usize, f64)> {
    if own > most.map_or(0.0, |(_, most)| most) { Some((k, own)) } else { most }
}

fn evaluate(joint: &dyn Joint, state: &State, time: f64, rows: &mut [Row]) {
    joint.evaluate(joint.bodies().map(|body| &state.poses[body.index()]), time, rows);
}

/// C v of a row \[m/s, rad/s\].
fn rate(joint: &dyn Joint, state: &State, row: &Row) -> f64 {
    let of = |side: usize| {
        let body = joint.bodies()[side].index();
        let part = &row.jacobian[side];
        Vec3::from_slice(part).dot(state.velocities[body])
            + Vec3::from_slice(&part[3..]).dot(state.angular_velocities[body])
    };
    of(0) + of(1)
}

/// v⁺ᵀR v⁺ of an element where the step began \[W\]; 0 for one that has no force there, with which no step ends.
fn damping_power(elements: &Elements, element: usize, nodes: &[Vec3], velocities: &[Vec3]) -> f64 {
    let width = elements.width();
    let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
    let (mut force, mut resistance) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
    let mut matrix = [0.0; MOST_COLUMNS * MOST_COLUMNS];
    let own = elements.nodes(element);
    let (x, v) = (gather(own, nodes, &mut x), gather(own, velocities, &mut v));
    let response = Response {
        force: &mut force[..width],
        resistance: &mut resistance[..width],
        matrix: &mut matrix[..9 * width * width],
        ahead: None,
    };
    match elements.respond(element, x, v, Tangent::Positive, [0.0, 1.0], response) {
        Ok(()) => resistance.iter().zip(v).map(|(r, v)| r.dot(*v)).sum(),
        Err(_) => 0.0,
    }
}

/// A force in a step.
struct ForceWork<'a> {
    force: &'a dyn Force,
    /// Its bodies at the start and at the end of the step.
    motions: [Motion; 2],
    after: [Motion; 2],
    /// Whether it acts on one body only.
    is_alone: bool,
    /// The time its forces are those of \[s\].
    time: f64,
    step: f64,
    theta: f64,
    /// What it remembers at the end of the step.
    memory: &'a [f64],
}

impl ForceWork<'_> {
    /// p·hw and p_d·hw divided by h: the work of the force along the displacement, and of its damping \[J\].
    fn along_displacement(&self) -> (f64, f64) {
        let Self { force, motions, time, step: h, theta, memory, .. } = *self;
        let pair = [&motions[0], &motions[1]];
        let way = self.way();
        let (mut done, mut damped) = self.along(&way, &motions, time, memory);
        let way: Vec<f64> = way.iter().flat_map(|part| part.to_array()).collect();
        if let Some(tangent) = force.tangent(pair, time, memory) {
            let velocity: Vec<f64> =
                motions.iter().flat_map(|m| [m.velocity, m.angular_velocity]).flat_map(|v| v.to_array()).collect();
            for row in 0..12 {
                let mut resisted = 0.0;
                for column in 0..12 {
                    let w = way[column] / h;
                    let of_damping = tangent.damping[row][column] * (w - velocity[column]);
                    resisted += of_damping * way[row];
                    done -= way[row] * (of_damping + h * theta * tangent.stiffness[row][column] * w);
                }
                damped -= resisted;
            }
        }
        (done, damped)
    }

    /// The same for a force that is taken in the middle of the way, where it remembers `memory`.
    fn in_the_middle(&self, memory: &[f64]) -> (f64, f64) {
        let (way, h) = (self.way(), self.step);
        let motions = [0, 1].map(|side| {
            let (from, turn) = (&self.motions[side].pose, way[2 * side + 1]);
            let pose = moved(from, 0.5 * way[2 * side], 0.5 * turn, 1.0);
            Motion { pose, velocity: way[2 * side] / h, angular_velocity: turn / h }
        });
        let motions = if self.is_alone { [motions[0], motions[0]] } else { motions };
        self.along(&way, &motions, self.time - 0.5 * h, memory)
    }

    /// Displacements and turns of both bodies; of one that it acts on alone only once.
    fn way(&self) -> [Vec3; 4] {
        let of = |side: usize| {
            let (from, to) = (&self.motions[side].pose, &self.after[side].pose);
            [to.position - from.position, turn_between(from, to)]
        };
        let [[a, turn_a], [b, turn_b]] = [of(0), if self.is_alone { [Vec3::ZERO; 2] } else { of(1) }];
        [a, turn_a, b, turn_b]
    }

    /// The work of the force of some motions along a way, and of what it loses without their velocities.
    fn along(&self, way: &[Vec3; 4], motions: &[Motion; 2], time: f64, memory: &[f64]) -> (f64, f64) {
        let dot = |motions: &[Motion; 2]| -> f64 {
            let wrenches = self.force.wrench([&motions[0], &motions[1]], time, memory);
            wrenches
                .iter()
                .flat_map(|wrench: &Wrench| [wrench.force, wrench.torque])
                .zip(way)
                .map(|(f, x)| f.dot(*x))
                .sum()
        };
        let still = motions.map(|motion| Motion { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..motion });
        let done = dot(motions);
        (done, done - dot(&still))
    }

    /// How much more it stores at the end than at the start, where it remembered `memory` at `time` \[J\].
    fn stored(&self, memory: &[f64], time: f64) -> f64 {
        let [before, after] = [&self.motions, &self.after].map(|pair| [&pair[0], &pair[1]]);
        self.force.energy(after, self.time, self.memory) - self.force.energy(before, time, memory)
    }
}

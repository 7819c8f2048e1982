//! The work done on a system in one step: what may raise its energy.
//!
//! ```text
//! forces          W = ∫ f·dx + ΔU          f that store nothing, U = 0: loads, motors, controllers, forces of one's own
//! imposed motion  W = g·s                  g: impulse of a row, s = −(Ψ(q, t + h) − Ψ(q, t))/h: how fast the row is driven
//! one-sided rows  W = g·s                  s = min(−Ψ/h, η_s) for one that is violated: the speed it is undone at
//! overlaps        W = g_n·s                s = min(−Φ/h, η_s) for one of hard bodies
//! ```
//!
//! Springs, dampers and elastic bodies give back what they store, which is part of the energy, or less: they do no work here. Neither
//! does closing a bilateral joint that has drifted open: that is an error of the step, not something done on the system.
//!
//! ∫ f·dx is measured with the force at the start and with that at the end, along the way that bodies went, and the larger one counts:
//! an explicit force does the first, an implicit one the second, and the truth lies between them but for an error of second order.

use crate::diagnostics::motion;
use crate::flexible::{Link, LinkRow};
use crate::force::{Force, Wrench};
use crate::joint::{MAX_ROWS, Row, RowKind, wrapped};
use crate::motion::turn_between;
use crate::{Model, Pose, State, Vec3};
use signorini_collision::Contact;

/// Speeds at which violated rows are undone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Recovery {
    /// h \[s\].
    pub(crate) step: f64,
    /// η_s \[m/s\].
    pub(crate) speed: f64,
    /// Radius that turns η_s into an angular speed \[m\].
    pub(crate) radius: f64,
}

impl Recovery {
    fn of_row(&self, row: &Row) -> f64 {
        let limit = if row.is_angle { self.speed / self.radius } else { self.speed };
        (-row.value / self.step).min(limit)
    }
}

/// What can do work, as it is at the start of a step.
#[derive(Debug)]
pub(crate) struct WorkMeter {
    /// Forces that may put energy in: index, and what they did at the start.
    forces: Vec<(usize, Acting)>,
    /// Energy that they store at the start \[J\].
    stored: f64,
    /// Forces of loads on nodes \[N\] and places of nodes \[m\]; empty without such loads.
    nodes: Vec<(Vec3, Vec3)>,
    /// Joint and link rows that are driven or undone, and how fast.
    rows: Vec<(usize, f64)>,
}

/// Wrenches of a force on its two bodies and where they are.
#[derive(Clone, Copy, Debug)]
struct Acting {
    wrenches: [Wrench; 2],
    poses: [Pose; 2],
}

/// The work of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WorkDone {
    /// What was put in at most \[J\].
    pub(crate) at_most: f64,
    /// How much forces that are no springs did, put in or taken out \[J\].
    pub(crate) of_forces: f64,
    /// Whether anything but gravity and springs could do work.
    pub(crate) is_driven: bool,
}

impl WorkMeter {
    /// Looks at what can do work before a step is taken.
    pub(crate) fn start(model: &Model, state: &State, recovery: Recovery) -> Self {
        let mut this = Self { forces: Vec::new(), stored: 0.0, nodes: Vec::new(), rows: Vec::new() };
        for (index, (_, force)) in model.forces().enumerate().filter(|(_, (_, force))| !force.is_passive()) {
            let (acting, stored) = acting(model, state, index, force);
            this.forces.push((index, acting));
            this.stored += stored;
        }
        this.nodes = node_loads(model, state);
        this.add_violated_rows(model, state, recovery);
        this.rows.extend(driven_rows(model, state, recovery.step));
        this
    }

    /// One-sided rows that are violated are undone at their recovery speed.
    fn add_violated_rows(&mut self, model: &Model, state: &State, recovery: Recovery) {
        let mut rows = [Row::ZERO; MAX_ROWS];
        let mut first = 0;
        for (_, joint) in model.joints() {
            let count = joint.rows();
            let poses = joint.bodies().map(|body| &state.poses[body.index()]);
            joint.evaluate(poses, state.time + recovery.step, &mut rows[..count]);
            let violated = rows[..count].iter().enumerate();
            let violated = violated.filter(|(_, row)| row.kind == RowKind::AtLeastZero && row.value < 0.0);
            self.rows.extend(violated.map(|(k, row)| (first + k, recovery.of_row(row))));
            first += count;
        }
    }

    /// The work of forces and rows in the step that led to `state`; `impulses` are those of all joint and link rows.
    /// Smooth steppers know forces at the ends of a step only: `impulses_before` are those of the end of the step before.
    pub(crate) fn finish(
        &self,
        model: &Model,
        state: &State,
        impulses: &[f64],
        impulses_before: Option<&[f64]>,
    ) -> WorkDone {
        let (mut put_in, mut stored) = (0.0, 0.0);
        for (index, before) in &self.forces {
            let Some((_, force)) = model.force(*index) else { continue };
            let (after, energy) = acting(model, state, *index, force);
            put_in += along_the_way(before, &after);
            stored += energy;
        }
        for ((f0, x0), (f1, x1)) in self.nodes.iter().zip(node_loads(model, state)) {
            put_in += f0.dot(x1 - *x0).max(f1.dot(x1 - *x0));
        }
        let of_forces = put_in + stored - self.stored;
        let mut at_most = of_forces;
        let before = impulses_before.filter(|before| before.len() == impulses.len()).unwrap_or(impulses);
        for &(row, speed) in &self.rows {
            let (Some(now), Some(earlier)) = (impulses.get(row), before.get(row)) else { continue };
            // Two estimates here: the force at the end and that at the start.
            let (one, two) = (now * speed, earlier * speed);
            at_most += one.max(two) + (one - two).abs();
        }
        let is_driven = !(self.forces.is_empty() && self.nodes.is_empty() && self.rows.is_empty());
        WorkDone { at_most, of_forces: of_forces.abs(), is_driven }
    }
}

/// Rows of joints and links that a motion is imposed on, links after joints, and how fast each is driven in a step of h seconds:
/// −(Ψ(q, t + h) − Ψ(q, t))/h \[m/s, rad/s\].
pub(crate) fn driven_rows(model: &Model, state: &State, step: f64) -> Vec<(usize, f64)> {
    let (mut now, mut soon) = ([Row::ZERO; MAX_ROWS], [Row::ZERO; MAX_ROWS]);
    let (mut driven, mut first) = (Vec::new(), 0);
    for (_, joint) in model.joints() {
        let poses = joint.bodies().map(|body| &state.poses[body.index()]);
        let count = joint.rows();
        joint.evaluate(poses, state.time + step, &mut soon[..count]);
        if joint.motion(state.time).is_some() || soon[..count].iter().any(|row| row.rate != 0.0) {
            joint.evaluate(poses, state.time, &mut now[..count]);
            for (k, (soon, now)) in soon[..count].iter().zip(&now).enumerate() {
                let change = soon.value - now.value;
                let change = if soon.is_angle { wrapped(change) } else { change };
                if soon.kind == RowKind::Equal && change != 0.0 {
                    driven.push((first + k, -change / step));
                }
            }
        }
        first += count;
    }
    let mut room = LinkRow::default();
    for (_, link) in model.links() {
        if matches!(link, Link::Imposed { .. }) {
            let mut values = Vec::with_capacity(link.rows());
            let State { poses, nodes, time, .. } = state;
            link.evaluate(model, poses, nodes, *time, &mut room, |row| values.push(row.value));
            let mut at = 0;
            link.evaluate(model, poses, nodes, time + step, &mut room, |row| {
                driven.push((first + at, -(row.value - values[at]) / step));
                at += 1;
            });
        }
        first += link.rows();
    }
    driven
}

/// A force in a state, and what it stores \[J\].
fn acting(model: &Model, state: &State, index: usize, force: &dyn Force) -> (Acting, f64) {
    let motions = force.bodies().map(|body| motion(state, body.index()));
    let memory = &state.memory[model.memory_layout().range(index)];
    let pair = [&motions[0], &motions[1]];
    let wrenches = force.wrench(pair, state.time, memory);
    (Acting { wrenches, poses: motions.map(|motion| motion.pose) }, force.energy(pair, state.time, memory))
}

/// Forces of loads on nodes and the places of these; nothing without loads.
fn node_loads(model: &Model, state: &State) -> Vec<(Vec3, Vec3)> {
    if model.flexible_loads().is_empty() {
        return Vec::new();
    }
    let mut forces = vec![Vec3::ZERO; state.nodes.len()];
    for (_, load) in model.flexible_loads() {
        load.add_to(model.field(), &state.nodes, state.time, &mut forces);
    }
    forces.into_iter().zip(state.nodes.iter().copied()).collect()
}

/// The work of a force on the way of its bodies from one place to another, by the force at the start or at the end: the larger \[J\].
fn along_the_way(before: &Acting, after: &Acting) -> f64 {
    let work = |wrenches: &[Wrench; 2]| -> f64 {
        let side = |k: usize| {
            let (from, to) = (&before.poses[k], &after.poses[k]);
            wrenches[k].force.dot(to.position - from.position) + wrenches[k].torque.dot(turn_between(from, to))
        };
        side(0) + side(1)
    };
    work(&before.wrenches).max(work(&after.wrenches))
}

/// What undoing overlaps of hard bodies puts in \[J\]: `overlaps` are contacts where the step began, each with its normal impulse \[N s\].
pub(crate) fn of_overlaps<'a>(overlaps: impl Iterator<Item = (&'a Contact, f64)>, recovery: Recovery) -> f64 {
    let undone = overlaps.filter(|(contact, _)| contact.gap < 0.0);
    undone.map(|(contact, impulse)| impulse * (-contact.gap / recovery.step).min(recovery.speed)).sum()
}

/// What springs of soft contacts store \[J\]: ½ k Φ² of all that overlap. 0 where no material is soft.
pub(crate) fn soft_energy(model: &Model, contacts: &[Contact]) -> f64 {
    let is_soft = |a, b| model.contact(a, b).softness;
    let energy = |contact: &Contact| {
        let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
        is_soft(a, b).map_or(0.0, |soft| 0.5 * soft.stiffness * contact.gap * contact.gap)
    };
    contacts.iter().filter(|contact| contact.gap < 0.0).map(energy).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::{Load, Spring};
    use crate::joint::{Anchors, Law, Revolute};
    use crate::{Body, BodyId, Mat3};

    const RECOVERY: Recovery = Recovery { step: 0.1, speed: 2.0, radius: 0.5 };

    fn two_bodies() -> (crate::ModelBuilder, [BodyId; 2]) {
        let mut model = Model::builder();
        let bodies = [model.body(Body::fixed("ground")), model.body(Body::new("cart", 2.0, Mat3::IDENTITY))];
        (model, bodies)
    }

    #[test]
    fn a_load_does_the_work_of_its_force_along_the_way() {
        let (mut model, [_, cart]) = two_bodies();
        model.force("push", Load::new(cart).force(Vec3::X * 10.0, None));
        let model = model.build().expect("a model");
        let mut state = State::start_of(&model);
        let meter = WorkMeter::start(&model, &state, RECOVERY);
        state.poses[cart.index()].position += Vec3::new(0.125, 7.0, 0.0);
        let work = meter.finish(&model, &state, &[], None);
        // 10 N · 0.125 m.
        assert!((work.at_most - 1.25).abs() < 1e-12 && work.is_driven, "{work:?}");
        assert_eq!(work.at_most, work.of_forces);
    }

    #[test]
    fn of_a_growing_torque_the_larger_work_counts() {
        let (mut model, [_, cart]) = two_bodies();
        // 0 N m at the start and 4 N m after 0.1 s.
        model.force("turn", Load::new(cart).torque(Vec3::Z, Some(Law::linear(0.0, 40.0))));
        let model = model.build().expect("a model");
        let mut state = State::start_of(&model);
        let meter = WorkMeter::start(&model, &state, RECOVERY);
        state.poses[cart.index()].rotation = crate::Quat::from_rotation_z(0.5);
        state.time = 0.1;
        let forth = meter.finish(&model, &state, &[], None);
        assert!((forth.at_most - 2.0).abs() < 1e-12, "{forth:?}");
        state.poses[cart.index()].rotation = crate::Quat::from_rotation_z(-0.5);
        assert_eq!(meter.finish(&model, &state, &[], None).at_most, 0.0);
    }

    #[test]
    fn a_spring_does_no_work() {
        let (mut model, bodies) = two_bodies();
        model.force("spring", Spring::new(bodies, [Vec3::ZERO, Vec3::X], 1e3, 1.0, 0.1));
        let model = model.build().expect("a model");
        let state = State::start_of(&model);
        let meter = WorkMeter::start(&model, &state, RECOVERY);
        assert_eq!(meter.finish(&model, &state, &[], None), WorkDone::default());
    }

    #[test]
    fn a_drive_does_the_work_of_its_impulse_along_the_imposed_motion() {
        let (mut model, bodies) = two_bodies();
        let anchors = Anchors::from_world(bodies, [&Pose::IDENTITY; 2], Pose::IDENTITY);
        model.joint("motor", Revolute::new(anchors).driven(Law::linear(0.0, 3.0)));
        let model = model.build().expect("a model");
        let state = State::start_of(&model);
        let meter = WorkMeter::start(&model, &state, RECOVERY);
        // Rows 0 to 4 hold the hinge and are not driven; 7 N m s at 3 rad/s.
        let work = meter.finish(&model, &state, &[9.0, 9.0, 9.0, 9.0, 9.0, 7.0], None);
        assert!((work.at_most.abs() - 21.0).abs() < 1e-9, "{work:?}");
    }

    #[test]
    fn overlaps_are_undone_at_the_recovery_speed_at_most() {
        let contact = |gap| Contact {
            colliders: [0, 1],
            bodies: [0, 1],
            feature: 0,
            faces: [signorini_collision::NO_FACE; 2],
            points: [Vec3::ZERO; 2],
            normal: Vec3::Z,
            gap,
        };
        let [open, shallow, deep] = [contact(0.3), contact(-0.1), contact(-5.0)];
        let work = of_overlaps([(&open, 4.0), (&shallow, 4.0), (&deep, 4.0)].into_iter(), RECOVERY);
        // Nothing, 4 N s · 1 m/s, and 4 N s · 2 m/s.
        assert!((work - 12.0).abs() < 1e-12, "{work}");
    }
}

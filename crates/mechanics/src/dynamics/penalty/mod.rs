//! Contacts by penalty: what overlaps is pushed apart by a spring and a damper at every contact point ([`law`]), with friction through
//! a spring along the surface ([`stick`]); one-sided joint rows are springs of the same law ([`limits`]).
//!
//! Forces are a function of where bodies are, how they move, and where they were when the step began; only what is kept between steps
//! ([`Held`]) makes them depend on the past. A step that is tried again with another length therefore starts from the same numbers.

mod geometry;
mod history;
mod law;
mod limits;
pub(crate) mod settings;
mod stick;
mod tangent;

use crate::dynamics::contact::Frame;
use crate::dynamics::contact::support::Support;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::{ContactId, Mat3, Penalty, Pose, Vec3};
use geometry::Geometry;
use law::Law;
use limits::Limits;
use signorini_collision::{Contact, Detector, SurfaceDetector};
pub(crate) use tangent::Linearised;

/// What is kept of a contact point between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Held {
    id: ContactId,
    /// ξ, in the world \[m\].
    stretch: Vec3,
    /// Where the point was, in the world \[m\].
    point: Vec3,
}

/// A contact point and the force on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) id: ContactId,
    supports: [Support; 2],
    /// Where it acts, in the world \[m\].
    at: Vec3,
    frame: Frame,
    /// Force on B, in the world \[N\].
    pub(crate) force: Vec3,
    /// N > 0.
    pub(crate) is_active: bool,
    is_overlap: bool,
    slides: bool,
    stretch: Vec3,
    /// −∂F/∂x and −∂F/∂u in the frame.
    stiffness: Mat3,
    damping: Mat3,
    energy: f64,
}

/// All penalty forces of a model.
pub(crate) struct PenaltyForces {
    penalty: Penalty,
    law: Law,
    geometry: Geometry,
    /// Where bodies were when the step began.
    base: Vec<Pose>,
    base_nodes: Vec<Vec3>,
    /// Contact points that overlapped then, in ascending order.
    held: Vec<Held>,
    points: Vec<Point>,
    limits: Limits,
}

impl PenaltyForces {
    /// Forces on a model whose smallest body has this radius; contacts are those of the detectors.
    pub(crate) fn new(
        system: System<'_>,
        penalty: &Penalty,
        (detector, skins): (Detector, Option<SurfaceDetector>),
        radius: f64,
        envelope: f64,
    ) -> Self {
        let law = Law::new(penalty, radius);
        let model = system.model;
        Self {
            penalty: *penalty,
            law,
            geometry: Geometry::new(model, detector, skins, envelope),
            base: model.bodies().iter().map(|body| body.start).collect(),
            base_nodes: model.field().start.clone(),
            held: Vec::new(),
            points: Vec::new(),
            limits: Limits::new(system.model, law, radius),
        }
    }

    /// Contacts at the phase evaluated last, in ascending order.
    pub(crate) fn contacts(&self) -> &[Contact] {
        self.geometry.contacts()
    }

    /// Their forces.
    pub(crate) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Forces of all one-sided joint rows, in the order of the joints and their rows \[N, N m\].
    pub(crate) fn limit_forces(&self) -> impl Iterator<Item = f64> {
        self.limits.forces()
    }

    /// Elastic energy at the phase evaluated last \[J\].
    pub(crate) fn energy(&self) -> f64 {
        self.points.iter().map(|point| point.energy).sum::<f64>() + self.limits.energy()
    }

    /// Starts without a past.
    pub(crate) fn begin(&mut self, system: System<'_>, phase: &Phase) {
        self.held.clear();
        self.base.clone_from(&phase.poses);
        self.base_nodes.clone_from(&phase.nodes);
        self.limits.begin(system, phase);
    }

    /// Carries the contacts at the phase evaluated last along until the step ends or is tried again.
    pub(crate) fn keep_contacts(&mut self, phase: &Phase) {
        self.geometry.keep(phase);
    }

    /// Finds contacts anew at every evaluation.
    pub(crate) fn release_contacts(&mut self) {
        self.geometry.release();
    }

    /// Ends a step at a phase: the next one begins there.
    pub(crate) fn commit(&mut self, system: System<'_>, phase: &Phase) {
        self.geometry.release();
        self.evaluate(system, phase);
        self.held.clear();
        let overlaps = self.points.iter().zip(self.geometry.contacts()).filter(|(point, _)| point.is_overlap);
        self.held.extend(overlaps.map(|(point, contact)| Held {
            id: point.id,
            stretch: point.stretch,
            point: middle(contact),
        }));
        self.base.clone_from(&phase.poses);
        self.base_nodes.clone_from(&phase.nodes);
        self.limits.begin(system, phase);
    }

    /// Finds contacts and their forces at a phase.
    pub(crate) fn evaluate(&mut self, system: System<'_>, phase: &Phase) {
        self.geometry.find(system.model, phase);
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        let mut held = self.held.iter().peekable();
        for contact in self.geometry.contacts() {
            let id = ContactId { colliders: contact.colliders, feature: contact.feature };
            while held.next_if(|held| held.id < id).is_some() {}
            let past = held.next_if(|held| held.id == id);
            points.push(self.point(system, phase, contact, id, past));
        }
        self.points = points;
        self.limits.evaluate(system, phase);
    }

    fn point(&self, system: System<'_>, phase: &Phase, contact: &Contact, id: ContactId, past: Option<&Held>) -> Point {
        let System { model, equations } = system;
        let supports = Support::both(model, &phase.nodes, contact);
        let at = middle(contact);
        let frame = Frame::about(contact.normal);
        let overlap = -contact.gap;
        let mut point = Point {
            id,
            supports,
            at,
            frame,
            force: Vec3::ZERO,
            is_active: false,
            is_overlap: overlap > 0.0,
            slides: false,
            stretch: Vec3::ZERO,
            stiffness: Mat3::ZERO,
            damping: Mat3::ZERO,
            energy: 0.0,
        };
        if !point.is_overlap {
            return point;
        }
        // What the points of both bodies that meet have moved since the step began, and how the bodies have turned.
        let since: [[Vec3; 2]; 2] = supports.map(|support| match support {
            Support::Body(body) => {
                let (from, to) = (&self.base[body], &phase.poses[body]);
                let turn = rotation_vector(from, to);
                let arm = at - to.position;
                let arm_before = past.map_or(arm, |past| past.point - from.position);
                [to.position - from.position + turn.cross(0.5 * (arm_before + arm)), turn]
            }
            // What a triangle spins by about the normal within a step is left out: springs are carried into the tangent plane.
            Support::Face { nodes, weights } => {
                let moved = |k: usize| (phase.nodes[nodes[k]] - self.base_nodes[nodes[k]]) * weights[k];
                [moved(0) + moved(1) + moved(2), Vec3::ZERO]
            }
        });
        let moved = since[1][0] - since[0][0];
        let n = frame.normal;
        let spin = 0.5 * n.dot(since[0][1] + since[1][1]);
        let [u_a, u_b] = supports.map(|support| match support {
            Support::Body(body) => {
                let motion = equations.motion(phase, body);
                let arm = at - motion.pose.position;
                motion.velocity + (motion.pose.rotation * motion.angular_velocity).cross(arm)
            }
            Support::Face { nodes, weights } => {
                let velocity = |node: usize| {
                    equations.columns.of_node(node).map_or(Vec3::ZERO, |at| Vec3::from_slice(&phase.velocity[at..]))
                };
                (0..3).map(|k| velocity(nodes[k]) * weights[k]).sum()
            }
        });
        let velocity = u_b - u_a;
        let materials = contact.colliders.map(|collider| model.material_of(collider));
        let surface = model.contact(materials[0], materials[1]);
        let law = self.law.of_pair(&self.penalty, surface);
        // The gap grows by what the points move apart: δ₀ = δ + n·Δ.
        let before = if past.is_some() { overlap } else { overlap + n.dot(moved) };
        let normal = law.normal(before, overlap, -n.dot(velocity));
        let trial = past.map_or(Vec3::ZERO, |past| stick::carried(past.stretch, n, spin))
            + Law::onset(before, overlap) * (moved - n * n.dot(moved));
        let friction = stick::friction(&frame, trial, velocity, surface.friction, &normal, law.stick);
        point.is_active = normal.force > 0.0;
        point.force = n * normal.force + friction.force;
        (point.slides, point.stretch) = (friction.slides, friction.stretch);
        (point.stiffness, point.damping) = (friction.stiffness, friction.damping);
        point.energy = normal.energy + friction.energy;
        point
    }

    /// out += the forces found last.
    pub(crate) fn add_to(&self, equations: &Equations, phase: &Phase, out: &mut [f64]) {
        for point in self.points.iter().filter(|point| point.is_active) {
            for (side, force) in [-point.force, point.force].into_iter().enumerate() {
                match point.supports[side] {
                    Support::Body(body) => {
                        let Some(at) = equations.columns.of(body) else { continue };
                        let pose = &phase.poses[body];
                        let torque = pose.rotation.conjugate() * (point.at - pose.position).cross(force);
                        let parts = [force.to_array(), torque.to_array()];
                        out[at..at + 6].iter_mut().zip(parts.as_flattened()).for_each(|(sum, part)| *sum += part);
                    }
                    Support::Face { nodes, weights } => {
                        for (node, weight) in nodes.into_iter().zip(weights) {
                            let Some(at) = equations.columns.of_node(node) else { continue };
                            let share = (weight * force).to_array();
                            out[at..at + 3].iter_mut().zip(share).for_each(|(sum, part)| *sum += part);
                        }
                    }
                }
            }
        }
        self.limits.add_to(equations, out);
    }
}

/// Where a contact acts: halfway between its two points.
fn middle(contact: &Contact) -> Vec3 {
    0.5 * (contact.points[0] + contact.points[1])
}

/// The rotation vector from one pose to another, in the world \[rad\].
fn rotation_vector(from: &Pose, to: &Pose) -> Vec3 {
    let turn = to.rotation * from.rotation.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = Vec3::new(turn.x, turn.y, turn.z);
    let length = sine.length();
    // 2 atan(s/w)/s by its limit where the quotient loses digits.
    let ratio = if length < 1e-8 { 2.0 } else { 2.0 * length.atan2(turn.w) / length };
    ratio * sine
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::moved;

    #[test]
    fn the_rotation_vector_undoes_the_exponential() {
        let from = Pose::new(Vec3::X, crate::Quat::from_rotation_y(0.7));
        for omega in [Vec3::ZERO, Vec3::new(1e-10, 2e-9, 0.0), Vec3::new(0.3, -0.2, 1.1), Vec3::new(0.0, 3.1, 0.0)] {
            let found = rotation_vector(&from, &moved(&from, Vec3::ZERO, omega, 1.0));
            assert!((found - from.rotation * omega).length() < 1e-15 + 1e-15 * omega.length() * 4.0, "{found}");
        }
    }
}

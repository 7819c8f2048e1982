//! What holds flexible bodies: their fixed nodes, links, contacts.
//!
//! Fixed nodes take what the step left over in their rows, so that momentum is balanced to rounding over every step:
//!
//! ```text
//! h f = M (v⁺ − v) + h α M v⁺ + (h R + h² K) v⁺ − h (f_e + R v) − h f_load − contact impulses
//! ```
//!
//! with forces and matrices of elements at the start of the step, as the step has them. Of smooth steppers, at the end of the step:
//!
//! ```text
//! f = M a + α M v − f_e − f_load − contact forces
//! ```
//!
//! Links: f = Σ λ_k d_k over rows and nodes.

use super::Simulation;
use crate::contact::support::Support;
use crate::flexible::element::Tangent;
use crate::flexible::elements::{MOST_COLUMNS, MOST_NODES, Response};
use crate::flexible::field::gather;
use crate::flexible::{FlexibleId, LinkRow};
use crate::stepper::flexible::loads;
use crate::{BodyId, Model, State, Vec3};
use std::collections::BTreeMap;

/// A force and its torque on a flexible body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resultant {
    /// Force, world axes \[N\].
    pub force: Vec3,
    /// Torque about the body's centre of mass, world axes \[N m\].
    pub torque: Vec3,
}

/// What a link does.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoad {
    /// Multipliers of its rows: \[N\] for lengths, \[N m\] for angles.
    pub rows: Vec<f64>,
    /// On the flexible body; the opposite acts on the rigid one.
    pub on_flexible: Resultant,
}

/// The sum of all contact forces between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairForce {
    /// The two bodies A and B; flexible bodies are counted after rigid ones.
    pub bodies: [BodyId; 2],
    /// Contacts between them.
    pub contacts: usize,
    /// Sum of their forces on B, world axes \[N\].
    pub force: Vec3,
}

/// What held bodies in the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct Reactions {
    /// On the fixed nodes of every flexible body, in the order of the model: what keeps them where they are.
    pub held: Vec<Resultant>,
    /// Of every link, in the order of the model.
    pub links: Vec<LinkLoad>,
    /// Of contacts by pair of bodies, in ascending order.
    pub contacts: Vec<PairForce>,
}

impl Simulation {
    /// What fixed nodes, links and contacts carried in the last step: averages over it, those at its end of smooth steppers. `None`
    /// before the first step, also of a simulation that was resumed, and without flexible bodies.
    #[must_use]
    pub fn reactions(&self) -> Option<Reactions> {
        let nodes = self.state.nodes.len();
        let is_known = match self.smooth {
            Some(_) => !self.warm.smooth.is_empty(),
            None => self.node_velocities_before.len() == nodes,
        };
        if nodes == 0 || !is_known {
            return None;
        }
        let centres: Vec<Vec3> = (0..self.model.flexible().len())
            .map(|body| centre_of_mass(&self.model, FlexibleId(body as u32), &self.state.nodes))
            .collect();
        Some(Reactions {
            held: self.held_nodes(&centres),
            links: self.link_loads(&centres),
            contacts: self.contact_sums(),
        })
    }

    /// What a load does to its flexible body where everything is now; `None` for a load that does not exist.
    #[must_use]
    pub fn flexible_load(&self, index: usize) -> Option<Resultant> {
        let (_, load) = self.model.flexible_loads().get(index)?;
        let State { nodes, time, .. } = &self.state;
        let mut forces = vec![Vec3::ZERO; nodes.len()];
        load.add_to(self.model.field(), nodes, *time, &mut forces);
        let centre = centre_of_mass(&self.model, load.flexible(), nodes);
        let mut sum = Resultant::default();
        for node in self.model.nodes_of(load.flexible()) {
            sum.force += forces[node];
            sum.torque += (nodes[node] - centre).cross(forces[node]);
        }
        Some(sum)
    }

    /// Sums of the contact forces of the last step by pair of bodies, in ascending order.
    #[must_use]
    pub fn contact_sums(&self) -> Vec<PairForce> {
        let mut sums: BTreeMap<[BodyId; 2], (usize, Vec3)> = BTreeMap::new();
        for contact in self.contact_forces() {
            // The same pair whichever of the two is A.
            let [a, b] = contact.bodies;
            let (pair, force) = if a <= b { ([a, b], contact.force) } else { ([b, a], -contact.force) };
            let (count, sum) = sums.entry(pair).or_default();
            *count += 1;
            *sum += force;
        }
        sums.into_iter().map(|(bodies, (contacts, force))| PairForce { bodies, contacts, force }).collect()
    }

    fn link_loads(&self, centres: &[Vec3]) -> Vec<LinkLoad> {
        let h = self.parameters.step;
        let of_joints: usize = self.model.joints().map(|(_, joint)| joint.rows()).sum();
        let mut impulses = self.warm.joints.get(of_joints..).unwrap_or_default().iter();
        let mut room = LinkRow::default();
        let State { poses, nodes, time, .. } = &self.state;
        let mut loads = Vec::with_capacity(self.model.links().len());
        for (_, link) in self.model.links() {
            let centre = centres[link.flexible().index()];
            let (mut rows, mut on_flexible) = (Vec::with_capacity(link.rows()), Resultant::default());
            link.evaluate(&self.model, poses, nodes, *time, &mut room, |row| {
                let lambda = impulses.next().map_or(0.0, |impulse| impulse / h);
                rows.push(lambda);
                for (node, direction) in &row.nodes {
                    let force = lambda * *direction;
                    on_flexible.force += force;
                    on_flexible.torque += (nodes[*node as usize] - centre).cross(force);
                }
            });
            loads.push(LinkLoad { rows, on_flexible });
        }
        loads
    }

    fn held_nodes(&self, centres: &[Vec3]) -> Vec<Resultant> {
        let mut held = vec![Resultant::default(); centres.len()];
        let field = self.model.field();
        if !field.is_fixed.iter().any(|is_fixed| *is_fixed) {
            return held;
        }
        let impulses = match &self.smooth {
            Some(stepper) => self.impulses_at_end(stepper.finest().accelerations()),
            None => self.impulses_left_over(),
        };
        for node in (0..field.nodes()).filter(|node| field.is_fixed[*node]) {
            let body = field.body_of(node);
            let force = impulses[node] / self.parameters.step;
            held[body].force += force;
            held[body].torque += (self.state.nodes[node] - centres[body]).cross(force);
        }
        held
    }

    /// Left side of the equation above, of all nodes that are fixed; of others it has no meaning.
    fn impulses_left_over(&self) -> Vec<Vec3> {
        let (field, h) = (self.model.field(), self.parameters.step);
        let (after, before) = (&self.state.node_velocities, &self.node_velocities_before);
        // q⁺ = q + h v⁺.
        let start: Vec<Vec3> = self.state.nodes.iter().zip(after).map(|(x, v)| *x - h * *v).collect();
        let mut impulses = vec![Vec3::ZERO; field.nodes()];
        loads(&self.model, &start, self.state.time, &mut impulses);
        impulses.iter_mut().for_each(|impulse| *impulse *= -h);
        let change: Vec<Vec3> = after.iter().zip(before).map(|(after, before)| *after - *before).collect();
        field.add_mass_times(&change, 1.0, &mut impulses);
        let damped: Vec<Vec3> = after.iter().zip(&field.mass_damping).map(|(v, alpha)| *alpha * *v).collect();
        field.add_mass_times(&damped, h, &mut impulses);
        self.add_elements(&start, &mut impulses);
        self.add_contacts(&start, &mut impulses);
        impulses
    }

    /// The same of smooth steppers: forces at the end of the step, times h.
    fn impulses_at_end(&self, accelerations: &[f64]) -> Vec<Vec3> {
        let (field, h) = (self.model.field(), self.parameters.step);
        let State { nodes, node_velocities, time, .. } = &self.state;
        let mut impulses = vec![Vec3::ZERO; field.nodes()];
        loads(&self.model, nodes, *time, &mut impulses);
        impulses.iter_mut().for_each(|impulse| *impulse *= -h);
        // a + α v, of nodes that are fixed 0.
        let mut moved = vec![Vec3::ZERO; field.nodes()];
        self.columns.scatter_nodes(accelerations, &mut moved);
        for ((moved, v), alpha) in moved.iter_mut().zip(node_velocities).zip(&field.mass_damping) {
            *moved += *alpha * *v;
        }
        field.add_mass_times(&moved, h, &mut impulses);
        let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let mut force = [Vec3::ZERO; MOST_NODES];
        for elements in field.elements() {
            let force = &mut force[..elements.width()];
            for element in 0..elements.count() {
                let own = elements.nodes(element);
                if !own.iter().any(|node| field.is_fixed[*node as usize]) {
                    continue;
                }
                let (x, v) = (gather(own, nodes, &mut x), gather(own, node_velocities, &mut v));
                if elements.force(element, x, v, force).is_ok() {
                    own.iter().zip(&*force).for_each(|(node, force)| impulses[*node as usize] -= h * *force);
                }
            }
        }
        self.add_contacts(nodes, &mut impulses);
        impulses
    }

    /// Takes off what contacts of skins do to nodes.
    fn add_contacts(&self, nodes: &[Vec3], impulses: &mut [Vec3]) {
        let h = self.parameters.step;
        for (contact, force) in self.contacts_before.iter().zip(self.contact_forces()) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                if let Support::Face { nodes, weights } = Support::of(&self.model, nodes, contact, side) {
                    for (node, weight) in nodes.iter().zip(weights) {
                        impulses[*node] += h * sign * weight * force.force;
                    }
                }
            }
        }
    }

    /// Adds (h R + h² K) v⁺ − h (f + R v) of all elements with fixed nodes.
    fn add_elements(&self, start: &[Vec3], impulses: &mut [Vec3]) {
        let (field, h) = (self.model.field(), self.parameters.step);
        let (mut force, mut resistance) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let (mut x, mut v, mut next) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let mut matrix = vec![0.0; MOST_COLUMNS * MOST_COLUMNS];
        for elements in field.elements() {
            let width = elements.width();
            let (force, resistance) = (&mut force[..width], &mut resistance[..width]);
            let matrix = &mut matrix[..9 * width * width];
            for element in 0..elements.count() {
                let own = elements.nodes(element);
                if !own.iter().any(|node| field.is_fixed[*node as usize]) {
                    continue;
                }
                let (x, v) = (gather(own, start, &mut x), gather(own, &self.node_velocities_before, &mut v));
                let next = gather(own, &self.state.node_velocities, &mut next);
                // Where the step has linearised the element last.
                let (mut room, mut ahead) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
                let guess = self.flexible.as_ref().map_or(&[][..], |flexible| &flexible.guess);
                let x_at = if guess.is_empty() { x } else { gather(own, guess, &mut room) };
                ahead.iter_mut().zip(x_at.iter().zip(x)).for_each(|(d, (at, start))| *d = *at - *start);
                let ahead = (!guess.is_empty()).then_some(&ahead[..width]);
                let response =
                    Response { force: &mut *force, resistance: &mut *resistance, matrix: &mut *matrix, ahead };
                // The step has used the same element at the same place: it has a force there.
                if elements.respond(element, x_at, v, Tangent::Positive, [h * h, h], response).is_err() {
                    continue;
                }
                for (i, &node) in own.iter().enumerate() {
                    let mut impulse = -h * (force[i] + resistance[i]);
                    for axis in 0..3 {
                        let row = &matrix[(3 * i + axis) * 3 * width..][..3 * width];
                        impulse[axis] +=
                            row.chunks_exact(3).zip(next).map(|(a, v)| Vec3::from_slice(a).dot(*v)).sum::<f64>();
                    }
                    impulses[node as usize] += impulse;
                }
            }
        }
    }
}

/// The centre of mass of a flexible body.
fn centre_of_mass(model: &Model, body: FlexibleId, nodes: &[Vec3]) -> Vec3 {
    let (mut moment, mut mass) = (Vec3::ZERO, 0.0);
    for node in model.nodes_of(body) {
        moment += model.node_masses()[node] * nodes[node];
        mass += model.node_masses()[node];
    }
    moment / mass
}

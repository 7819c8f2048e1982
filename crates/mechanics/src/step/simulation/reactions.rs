//! What holds flexible bodies: their fixed nodes, links, contacts.
//!
//! Fixed nodes: see [`held_nodes`](crate::dynamics::held_nodes).
//!
//! Links: f = Σ λ_k d_k over rows and nodes.

use super::Simulation;
use crate::flexible::{FlexibleId, LinkRow};
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
        if self.state.nodes.is_empty() {
            return None;
        }
        let impulses = self.method.node_impulses(&self.model, &self.state, &self.settings)?;
        let centres: Vec<Vec3> = (0..self.model.flexible().len())
            .map(|body| centre_of_mass(&self.model, FlexibleId(body as u32), &self.state.nodes))
            .collect();
        Some(Reactions {
            held: self.held_nodes(&impulses, &centres),
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
        let h = self.settings.parameters.step;
        let of_joints: usize = self.model.joints().map(|(_, joint)| joint.rows()).sum();
        let mut impulses = self.warm_start().joints.get(of_joints..).unwrap_or_default().iter();
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

    /// Sums of the impulses that keep fixed nodes where they are, as forces.
    fn held_nodes(&self, impulses: &[Vec3], centres: &[Vec3]) -> Vec<Resultant> {
        let mut held = vec![Resultant::default(); centres.len()];
        let field = self.model.field();
        for node in (0..field.nodes()).filter(|node| field.is_fixed[*node]) {
            let body = field.body_of(node);
            let force = impulses[node] / self.settings.parameters.step;
            held[body].force += force;
            held[body].torque += (self.state.nodes[node] - centres[body]).cross(force);
        }
        held
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

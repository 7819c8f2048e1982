//! All flexible bodies of a model together: one array of nodes, their masses, elements and skins.

use super::body::{FlexibleBody, FlexibleId, Structure};
use super::element::{ElementError, PointState};
use super::elements::{Elements, MOST_NODES};
use super::mesh::{MeshError, Surface};
use crate::{Mat3, ModelError, Vec3};
use rayon::prelude::*;
use signorini_collision::DeformableSurface;
use std::ops::Range;

/// Elements whose energies are added up before they are added to the others: sums do not depend on threads.
const PART: usize = 1024;

/// An element that stopped a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) body: usize,
    pub(crate) element: usize,
    pub(crate) error: ElementError,
}

/// The flexible bodies of a model, ready for use.
#[derive(Default)]
pub(crate) struct Field {
    /// First node of every flexible body, and the end.
    first_node: Vec<usize>,
    /// Where nodes start \[m\].
    pub(crate) start: Vec<Vec3>,
    /// Velocities at the start \[m/s\].
    pub(crate) velocity: Vec<Vec3>,
    pub(crate) is_fixed: Vec<bool>,
    elements: Vec<Elements>,
    /// ρ ∫ Nᵢ dV of every node \[kg\]: what gravity pulls at.
    pub(crate) mass: Vec<f64>,
    /// Diagonal of M.
    pub(crate) mass_diagonal: Vec<f64>,
    /// What couples nodes in M, first < second; ascending. Empty where mass is lumped.
    pub(crate) mass_pairs: Vec<(u32, u32, f64)>,
    /// α of Rayleigh's damping of every node \[1/s\].
    pub(crate) mass_damping: Vec<f64>,
    /// Skins, in the order of the bodies that have one.
    pub(crate) surfaces: Vec<DeformableSurface>,
    /// The body of every skin.
    pub(crate) skin_of: Vec<usize>,
    /// Triangles of all skins.
    triangles: Vec<[u32; 3]>,
    /// Mean length of the edges of the finest mesh \[m\]; infinite without any.
    pub(crate) element_size: f64,
}

impl std::fmt::Debug for Field {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Field").field("nodes", &self.start.len()).field("skins", &self.skin_of.len()).finish()
    }
}

impl Field {
    /// Puts flexible bodies together; skins are numbered after `bodies` rigid bodies and `colliders` rigid colliders.
    pub(crate) fn new(flexible: &[FlexibleBody], bodies: usize, colliders: usize) -> Result<Self, ModelError> {
        let mut field = Self { first_node: vec![0], element_size: f64::INFINITY, ..Self::default() };
        for (index, body) in flexible.iter().enumerate() {
            field.add(index, body, bodies, colliders)?;
        }
        field.mass_pairs.sort_by_key(|&(a, b, _)| (a, b));
        field.mass_pairs.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        Ok(field)
    }

    fn add(&mut self, index: usize, body: &FlexibleBody, bodies: usize, colliders: usize) -> Result<(), ModelError> {
        let name = || body.name.clone();
        let mesh_error = |error: MeshError| ModelError::Mesh { body: name(), error };
        let element_error = |(element, error)| ModelError::Element { body: name(), element, error };
        let parameter = |error| ModelError::Parameter { place: format!("flexible body `{}`", body.name), error };
        body.material.validate().map_err(parameter)?;
        match &body.structure {
            Structure::Solid { mesh, .. } => {
                mesh.check().map_err(mesh_error)?;
                let (_, mean) = mesh.edge_lengths();
                self.element_size = self.element_size.min(mean);
            }
            Structure::Cables { .. } => self.check_cables(body)?,
        }
        let first = self.start.len();
        let elements = Elements::of(body, first).map_err(element_error)?;
        let nodes = body.nodes();
        let end = first + nodes.len();
        for &node in &body.fixed {
            if node as usize >= nodes.len() {
                let place = format!("`fixed` of flexible body `{}`", body.name);
                return Err(ModelError::Unknown { place, what: "node", index: node as usize });
            }
        }
        self.start.extend_from_slice(nodes);
        self.is_fixed.resize(end, false);
        body.fixed.iter().for_each(|&node| self.is_fixed[first + node as usize] = true);
        self.mass.resize(end, 0.0);
        self.mass_diagonal.resize(end, 0.0);
        self.mass_damping.resize(end, body.material.damping.mass);
        for (element, mass) in elements.masses(body).map_err(element_error)?.iter().enumerate() {
            let nodes = elements.nodes(element);
            for (i, &a) in nodes.iter().enumerate() {
                self.mass[a as usize] += mass.nodes[i];
                if mass.pairs.is_empty() {
                    self.mass_diagonal[a as usize] += mass.nodes[i];
                    continue;
                }
                for (j, &b) in nodes.iter().enumerate() {
                    let entry = mass.pairs[i * nodes.len() + j];
                    match a.cmp(&b) {
                        std::cmp::Ordering::Less => self.mass_pairs.push((a, b, entry)),
                        std::cmp::Ordering::Equal => self.mass_diagonal[a as usize] += entry,
                        std::cmp::Ordering::Greater => {}
                    }
                }
            }
        }
        self.start_moving(first..end, body);
        if let Some(skin) = &body.skin {
            let own: Vec<[u32; 3]> = match &body.structure {
                Structure::Solid { mesh, .. } => {
                    let surface = match &skin.face_set {
                        Some(set) => Surface::of_set(mesh, set),
                        None => Surface::of(mesh),
                    };
                    surface.map_err(mesh_error)?.triangles.iter().map(|triangle| triangle.nodes).collect()
                }
                Structure::Cables { skin, .. } => skin.clone(),
            };
            let triangles: Vec<[u32; 3]> = own.iter().map(|nodes| nodes.map(|node| node + first as u32)).collect();
            self.triangles.extend_from_slice(&triangles);
            self.surfaces.push(DeformableSurface {
                body: (bodies + index) as u32,
                collider: (colliders + self.skin_of.len()) as u32,
                triangles,
                groups: skin.groups,
                margin: skin.margin,
                touches_itself: skin.touches_itself,
            });
            self.skin_of.push(index);
        }
        self.elements.push(elements);
        self.first_node.push(end);
        Ok(())
    }

    /// Velocities of a rigid motion about the centre of mass; 0 of nodes that are fixed.
    fn start_moving(&mut self, nodes: Range<usize>, body: &FlexibleBody) {
        let mut moment = Vec3::ZERO;
        let mut mass = 0.0;
        for node in nodes.clone() {
            moment += self.mass[node] * self.start[node];
            mass += self.mass[node];
        }
        let centre = moment / mass;
        for node in nodes {
            let velocity = body.velocity + body.angular_velocity.cross(self.start[node] - centre);
            self.velocity.push(if self.is_fixed[node] { Vec3::ZERO } else { velocity });
        }
    }

    fn check_cables(&mut self, body: &FlexibleBody) -> Result<(), ModelError> {
        let Structure::Cables { nodes, cables, area, slack, skin } = &body.structure else { return Ok(()) };
        let place = || format!("cables of flexible body `{}`", body.name);
        let number = |what, value, allowed| Err(ModelError::Number { place: place(), what, value, allowed });
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        if !is_positive(*area) {
            return number("area of the cross-section", *area, "a finite number of m² > 0");
        }
        if !is_positive(*slack) {
            return number("slack", *slack, "a finite number > 0");
        }
        if let Some(node) = nodes.iter().find(|node| !node.is_finite()) {
            return number("a coordinate of a node", node.length(), "finite numbers");
        }
        let mentioned = cables.as_flattened().iter().chain(skin.as_flattened());
        if let Some(&node) = mentioned.clone().find(|node| **node as usize >= nodes.len()) {
            return Err(ModelError::Unknown { place: place(), what: "node", index: node as usize });
        }
        let mut is_used = vec![false; nodes.len()];
        cables.as_flattened().iter().for_each(|&node| is_used[node as usize] = true);
        if let Some(node) = is_used.iter().position(|used| !used) {
            let error = MeshError::UnusedNode { node, count: is_used.iter().filter(|used| !**used).count() };
            return Err(ModelError::Mesh { body: body.name.clone(), error });
        }
        let lengths = cables.iter().map(|ends| {
            let [a, b] = ends.map(|node| nodes[node as usize]);
            (b - a).length()
        });
        let mean = lengths.sum::<f64>() / cables.len().max(1) as f64;
        self.element_size = self.element_size.min(mean);
        Ok(())
    }

    /// Whether there are flexible bodies.
    pub(crate) fn is_empty(&self) -> bool {
        self.start.is_empty()
    }
    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.start.len()
    }
    /// Nodes of a flexible body.
    pub(crate) fn nodes_of(&self, body: FlexibleId) -> Range<usize> {
        self.first_node[body.index()]..self.first_node[body.index() + 1]
    }
    /// The flexible body of a node.
    pub(crate) fn body_of(&self, node: usize) -> usize {
        self.first_node.partition_point(|&first| first <= node) - 1
    }
    /// Elements, body by body.
    pub(crate) fn elements(&self) -> &[Elements] {
        &self.elements
    }
    /// Nodes of a triangle of a skin.
    pub(crate) fn triangle(&self, face: u32) -> [u32; 3] {
        self.triangles[face as usize]
    }

    /// Elastic energy \[J\]; NaN where an element has none.
    pub(crate) fn energy(&self, nodes: &[Vec3], parallel: bool) -> f64 {
        let of_body = |elements: &Elements| -> f64 {
            let part = |part: usize| -> f64 {
                let mut now = [Vec3::ZERO; MOST_NODES];
                let range = part * PART..((part + 1) * PART).min(elements.count());
                range.map(|e| elements.energy(e, gather(elements.nodes(e), nodes, &mut now)).unwrap_or(f64::NAN)).sum()
            };
            let parts = 0..elements.count().div_ceil(PART);
            let sums: Vec<f64> =
                if parallel { parts.into_par_iter().map(part).collect() } else { parts.map(part).collect() };
            sums.iter().sum()
        };
        self.elements.iter().map(of_body).sum()
    }

    /// The first element that has no energy with its nodes there; only laws that can fail are looked at.
    pub(crate) fn first_without_energy(&self, nodes: &[Vec3]) -> Option<Failure> {
        let mut now = [Vec3::ZERO; MOST_NODES];
        for (body, elements) in self.elements.iter().enumerate().filter(|(_, elements)| elements.can_fail()) {
            for element in 0..elements.count() {
                let now = gather(elements.nodes(element), nodes, &mut now);
                if let Err(error) = elements.energy(element, now) {
                    return Some(Failure { body, element, error });
                }
            }
        }
        None
    }

    /// out += factor · M v.
    pub(crate) fn add_mass_times(&self, velocity: &[Vec3], factor: f64, out: &mut [Vec3]) {
        for ((out, v), mass) in out.iter_mut().zip(velocity).zip(&self.mass_diagonal) {
            *out += factor * *mass * *v;
        }
        for &(a, b, mass) in &self.mass_pairs {
            let (a, b) = (a as usize, b as usize);
            out[a] += factor * mass * velocity[b];
            out[b] += factor * mass * velocity[a];
        }
    }

    /// Strain and stress of every element of a body at its quadrature points, and the stress at its nodes: `give` is called with
    /// the element's nodes, those states and stresses. Elements that have none give nothing.
    pub(crate) fn states(
        &self,
        body: FlexibleId,
        nodes: &[Vec3],
        mut give: impl FnMut(usize, &[u32], &[PointState], &[Mat3]),
    ) {
        let elements = &self.elements[body.index()];
        let mut now = [Vec3::ZERO; MOST_NODES];
        for element in 0..elements.count() {
            let own = elements.nodes(element);
            let now = gather(own, nodes, &mut now);
            // An element turned inside out has no stress; the step that did it has said so.
            let _ = elements.states(element, now, &mut |states, at_nodes| give(element, own, states, at_nodes));
        }
    }
}

/// The values of some nodes.
pub(crate) fn gather<'a>(nodes: &[u32], all: &[Vec3], room: &'a mut [Vec3; MOST_NODES]) -> &'a [Vec3] {
    for (to, &node) in room.iter_mut().zip(nodes) {
        *to = all[node as usize];
    }
    &room[..nodes.len()]
}

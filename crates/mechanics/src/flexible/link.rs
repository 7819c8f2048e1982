//! What holds nodes: to rigid bodies, one by one or as a whole, or to a motion imposed on them.
//!
//! ```text
//! rigid        xᵢ = x_b + A s̄ᵢ                                    three rows a node
//! distributed  Σ wᵢ xᵢ = x_b + A s̄,  Σ wᵢ rᵢ × (xᵢ − x_b − A s̄ᵢ) = 0,  rᵢ = A (s̄ᵢ − s̄)      six rows, Σ wᵢ = 1
//! imposed      d·(xᵢ − Xᵢ) = u(t)                                 one row a node
//! ```
//!
//! s̄ are the places on the body where nodes start. The nodes of a distributed link move freely about their mean: the body follows
//! the face without stiffening it. Its last three rows are divided by Σ wᵢ|rᵢ|² and so are angles.

use super::body::FlexibleId;
use super::field::Field;
use crate::joint::Law;
use crate::motion::point_row;
use crate::{BodyId, Model, ModelError, ParameterError, Pose, Vec3};

/// What holds nodes of a flexible body. Nodes are counted within the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// Every node stays where it is on a body.
    Rigid {
        /// The flexible body.
        flexible: FlexibleId,
        /// Its nodes.
        nodes: Vec<u32>,
        /// The rigid body.
        body: BodyId,
    },
    /// The nodes as a whole, their weighted mean and its turn, stay where they are on a body.
    Distributed {
        /// The flexible body.
        flexible: FlexibleId,
        /// Its nodes and their weights, of any sum > 0.
        nodes: Vec<(u32, f64)>,
        /// The rigid body.
        body: BodyId,
    },
    /// The displacement of nodes along a direction is imposed.
    Imposed {
        /// The flexible body.
        flexible: FlexibleId,
        /// Its nodes.
        nodes: Vec<u32>,
        /// Unit vector, in the world.
        direction: Vec3,
        /// Displacement \[m\] as a function of time.
        displacement: Law,
    },
}

/// One row C v of a link: Ψ, Ψ_t and what it acts on.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkRow {
    /// Ψ \[m or rad\].
    pub(crate) value: f64,
    /// Ψ_t.
    pub(crate) rate: f64,
    pub(crate) is_angle: bool,
    /// Nodes, counted over all flexible bodies, and the direction their velocities count along.
    pub(crate) nodes: Vec<(u32, Vec3)>,
    /// The body and its part.
    pub(crate) body: Option<(usize, [f64; 6])>,
}

impl Link {
    /// What kind of link it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rigid { .. } => "rigid",
            Self::Distributed { .. } => "distributed",
            Self::Imposed { .. } => "imposed",
        }
    }

    /// The flexible body.
    #[must_use]
    pub fn flexible(&self) -> FlexibleId {
        match self {
            Self::Rigid { flexible, .. } | Self::Distributed { flexible, .. } | Self::Imposed { flexible, .. } => {
                *flexible
            }
        }
    }

    /// The rigid body, if there is one.
    #[must_use]
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Self::Rigid { body, .. } | Self::Distributed { body, .. } => Some(*body),
            Self::Imposed { .. } => None,
        }
    }

    /// Its nodes, within the body.
    pub(crate) fn nodes(&self) -> Vec<u32> {
        match self {
            Self::Rigid { nodes, .. } | Self::Imposed { nodes, .. } => nodes.clone(),
            Self::Distributed { nodes, .. } => nodes.iter().map(|(node, _)| *node).collect(),
        }
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Rigid { nodes, .. } => 3 * nodes.len(),
            Self::Distributed { .. } => 6,
            Self::Imposed { nodes, .. } => nodes.len(),
        }
    }

    /// Whether its numbers can be used with a field.
    pub(crate) fn check(&self, name: &str, field: &Field, bodies: usize) -> Result<(), ModelError> {
        let place = || format!("{} link `{name}`", self.kind());
        let unknown = |what, index| Err(ModelError::Unknown { place: place(), what, index });
        let own = field.nodes_of(self.flexible());
        if let Some(body) = self.body().filter(|body| body.index() >= bodies) {
            return unknown("body", body.index());
        }
        let mut nodes = self.nodes();
        if nodes.is_empty() {
            return Err(ModelError::Nothing { place: place(), what: "nodes" });
        }
        for &node in &nodes {
            if node as usize >= own.len() {
                return unknown("node", node as usize);
            }
            if field.is_fixed[own.start + node as usize] {
                return Err(ModelError::HeldTwice { place: place(), node: node as usize });
            }
        }
        nodes.sort_unstable();
        if let Some(pair) = nodes.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ModelError::HeldTwice { place: place(), node: pair[0] as usize });
        }
        let parameter = |error| Err(ModelError::Parameter { place: place(), error });
        match self {
            Self::Rigid { .. } => Ok(()),
            Self::Distributed { nodes, .. } => {
                let is_weight = |weight: f64| weight >= 0.0 && weight.is_finite();
                if let Some((_, weight)) = nodes.iter().find(|(_, weight)| !is_weight(*weight)) {
                    return parameter(ParameterError::number("a weight", *weight, "finite numbers ≥ 0"));
                }
                let sum: f64 = nodes.iter().map(|(_, weight)| weight).sum();
                if sum <= 0.0 {
                    return parameter(ParameterError::number("the sum of weights", sum, "a number > 0"));
                }
                let (spread, across) = self.spread(field);
                // A line of nodes does not know how it turns about itself.
                if across <= 1e-6 * spread {
                    return Err(ModelError::Nothing { place: place(), what: "nodes off one line" });
                }
                Ok(())
            }
            Self::Imposed { direction, displacement, .. } => {
                if (direction.length() - 1.0).abs() > 1e-9 || !direction.is_finite() {
                    return parameter(ParameterError::number("length of the direction", direction.length(), "1"));
                }
                match displacement.check() {
                    Ok(()) => Ok(()),
                    Err(error) => parameter(ParameterError::Law { what: "displacement", error }),
                }
            }
        }
    }

    /// Extent of nodes about their weighted mean, and across their longest direction \[m\].
    fn spread(&self, field: &Field) -> (f64, f64) {
        let Self::Distributed { flexible, nodes, .. } = self else { return (0.0, 0.0) };
        let first = field.nodes_of(*flexible).start;
        let place = |node: u32| field.start[first + node as usize];
        let sum: f64 = nodes.iter().map(|(_, weight)| weight).sum();
        let centre = nodes.iter().map(|(node, weight)| place(*node) * (weight / sum)).fold(Vec3::ZERO, |a, b| a + b);
        let arms = || nodes.iter().filter(|(_, weight)| *weight > 0.0).map(|(node, _)| place(*node) - centre);
        let longest = arms().max_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or(Vec3::ZERO);
        let axis = longest.normalize_or_zero();
        (longest.length(), arms().map(|arm| arm.cross(axis).length()).fold(0.0, f64::max))
    }

    /// Gives every row, with bodies at `poses` and nodes at `nodes`; `row` is room for one.
    pub(crate) fn evaluate(
        &self,
        model: &Model,
        poses: &[Pose],
        nodes: &[Vec3],
        time: f64,
        row: &mut LinkRow,
        mut give: impl FnMut(&LinkRow),
    ) {
        let field = model.field();
        let first = field.nodes_of(self.flexible()).start;
        let global = |node: u32| first + node as usize;
        row.rate = 0.0;
        row.is_angle = false;
        match self {
            Self::Rigid { nodes: own, body, .. } => {
                let (start, pose) = (model.bodies()[body.index()].start, &poses[body.index()]);
                let from_start = start.inverse();
                for &node in own {
                    let node = global(node);
                    let point = *pose * (from_start * field.start[node]);
                    for axis in Vec3::AXES {
                        row.value = axis.dot(nodes[node] - point);
                        row.nodes.clear();
                        row.nodes.push((node as u32, axis));
                        row.body = Some((body.index(), point_row(pose, point, axis).map(|x| -x)));
                        give(row);
                    }
                }
            }
            Self::Distributed { nodes: own, body, .. } => {
                let (start, pose) = (model.bodies()[body.index()].start, &poses[body.index()]);
                let from_start = start.inverse();
                let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
                let local = |node: u32| from_start * field.start[global(node)];
                let mean = |of: &dyn Fn(u32) -> Vec3| {
                    own.iter().map(|(node, weight)| of(*node) * (weight / sum)).fold(Vec3::ZERO, |a, b| a + b)
                };
                let centre = *pose * mean(&local);
                let now = mean(&|node| nodes[global(node)]);
                for axis in Vec3::AXES {
                    row.value = axis.dot(now - centre);
                    row.nodes.clear();
                    row.nodes.extend(own.iter().map(|(node, w)| (global(*node) as u32, axis * (w / sum))));
                    row.body = Some((body.index(), point_row(pose, centre, axis).map(|x| -x)));
                    give(row);
                }
                row.is_angle = true;
                let places: Vec<(usize, f64, Vec3)> =
                    own.iter().map(|(node, w)| (global(*node), w / sum, *pose * local(*node))).collect();
                let square: f64 = places.iter().map(|(_, w, place)| w * (*place - centre).length_squared()).sum();
                for axis in Vec3::AXES {
                    row.value = 0.0;
                    row.nodes.clear();
                    let mut turn = Vec3::ZERO;
                    for &(node, weight, place) in &places {
                        let (arm, lever) = (place - centre, place - pose.position);
                        let off = nodes[node] - place;
                        let direction = axis.cross(arm) * (weight / square);
                        row.value += direction.dot(off);
                        row.nodes.push((node as u32, direction));
                        // δ place = δθ × lever, δ arm = δθ × arm.
                        turn += arm.cross(off.cross(axis)) * (weight / square) - lever.cross(direction);
                    }
                    let turn = pose.rotation.conjugate() * turn;
                    row.body = Some((body.index(), [0.0, 0.0, 0.0, turn.x, turn.y, turn.z]));
                    give(row);
                }
            }
            Self::Imposed { nodes: own, direction, displacement, .. } => {
                row.rate = -displacement.rate(time);
                for &node in own {
                    let node = global(node);
                    row.value = direction.dot(nodes[node] - field.start[node]) - displacement.value(time);
                    row.nodes.clear();
                    row.nodes.push((node as u32, *direction));
                    row.body = None;
                    give(row);
                }
            }
        }
    }
}

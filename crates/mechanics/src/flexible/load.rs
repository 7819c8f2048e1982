//! Loads on nodes and faces of flexible bodies. They are explicit: taken where the step begins, at the time where it ends.

use super::body::FlexibleId;
use super::field::Field;
use super::mesh::FaceNodes;
use crate::joint::Law;
use crate::{ModelError, ParameterError, Vec3};

/// A load on a flexible body. Nodes are counted within the body.
#[derive(Clone, Debug, PartialEq)]
pub enum FlexibleLoad {
    /// A force divided between nodes.
    Nodes {
        /// The flexible body.
        flexible: FlexibleId,
        /// Its nodes and their shares of the force, of any sum > 0.
        nodes: Vec<(u32, f64)>,
        /// The whole force, in the world \[N\].
        force: Vec3,
        /// A factor of time.
        factor: Option<Law>,
    },
    /// A pressure on faces, against their outer normal wherever they turn.
    Pressure {
        /// The flexible body.
        flexible: FlexibleId,
        /// Its faces.
        faces: Vec<FaceNodes>,
        /// \[Pa\].
        pressure: f64,
        /// A factor of time.
        factor: Option<Law>,
    },
}

impl FlexibleLoad {
    /// What kind of load it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nodes { .. } => "load",
            Self::Pressure { .. } => "pressure",
        }
    }

    /// The flexible body.
    #[must_use]
    pub fn flexible(&self) -> FlexibleId {
        match self {
            Self::Nodes { flexible, .. } | Self::Pressure { flexible, .. } => *flexible,
        }
    }

    /// Whether its numbers can be used with a field.
    pub(crate) fn check(&self, name: &str, field: &Field) -> Result<(), ModelError> {
        let place = || format!("{} `{name}`", self.kind());
        let parameter = |error| Err(ModelError::Parameter { place: place(), error });
        let count = field.nodes_of(self.flexible()).len();
        let (nodes, factor): (Vec<u32>, _) = match self {
            Self::Nodes { nodes, factor, force, .. } => {
                if !force.is_finite() {
                    return parameter(ParameterError::number("the force", force.length(), "finite numbers"));
                }
                let sum: f64 = nodes.iter().map(|(_, share)| share).sum();
                if !(sum > 0.0 && sum.is_finite()) {
                    return Err(ModelError::Nothing { place: place(), what: "nodes with shares > 0" });
                }
                (nodes.iter().map(|(node, _)| *node).collect(), factor)
            }
            Self::Pressure { faces, factor, pressure, .. } => {
                if !pressure.is_finite() {
                    return parameter(ParameterError::number("the pressure", *pressure, "a finite number of Pa"));
                }
                if faces.is_empty() {
                    return Err(ModelError::Nothing { place: place(), what: "faces" });
                }
                (faces.iter().flat_map(|face| face.nodes().iter().copied()).collect(), factor)
            }
        };
        if let Some(&node) = nodes.iter().find(|node| **node as usize >= count) {
            return Err(ModelError::Unknown { place: place(), what: "node", index: node as usize });
        }
        match factor.as_ref().map(Law::check) {
            Some(Err(error)) => parameter(ParameterError::Law { what: "load", error }),
            _ => Ok(()),
        }
    }

    /// Adds its forces \[N\] to those of all nodes.
    pub(crate) fn add_to(&self, field: &Field, nodes: &[Vec3], time: f64, out: &mut [Vec3]) {
        let first = field.nodes_of(self.flexible()).start;
        match self {
            Self::Nodes { nodes: own, force, factor, .. } => {
                let sum: f64 = own.iter().map(|(_, share)| share).sum();
                let force = *force * factor.as_ref().map_or(1.0, |law| law.value(time));
                own.iter().for_each(|(node, share)| out[first + *node as usize] += force * (share / sum));
            }
            Self::Pressure { faces, pressure, factor, .. } => {
                let pressure = pressure * factor.as_ref().map_or(1.0, |law| law.value(time));
                for face in faces {
                    let place = |node: u32| nodes[first + node as usize];
                    face.area_vectors(place, |node, area| out[first + node as usize] -= pressure * area);
                }
            }
        }
    }
}

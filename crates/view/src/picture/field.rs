//! Colours by what bodies do.

use super::cast::Cast;
use super::theme;
use signorini_mechanics::flexible::Stresses;
use signorini_mechanics::flexible::element::von_mises;
use signorini_scene::run::Frame;

/// What colours show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Which body it is.
    #[default]
    Body,
    /// Speed: of the centre of mass, or of a node.
    Speed,
    /// Distance from where it started: of the centre of mass, or of a node.
    Displacement,
    /// Von Mises' equivalent stress of flexible bodies.
    Stress,
}

impl ColourBy {
    /// All, as users name them.
    pub const ALL: [(&str, Self); 4] =
        [("body", Self::Body), ("speed", Self::Speed), ("displacement", Self::Displacement), ("stress", Self::Stress)];

    /// Title of the colour bar.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Body => "",
            Self::Speed => "Speed [m/s]",
            Self::Displacement => "Displacement [m]",
            Self::Stress => "Von Mises stress [Pa]",
        }
    }
}

/// A value of every body and every node; none for those without.
pub(super) struct Values {
    pub(super) bodies: Vec<Option<f64>>,
    pub(super) nodes: Vec<Vec<f64>>,
}

impl Values {
    pub(super) fn of(cast: &Cast, by: ColourBy, start: &Frame, frame: &Frame) -> Self {
        let rigid = cast.rigid.iter().enumerate();
        let bodies = rigid.map(|(k, body)| {
            let (was, is) = start.bodies.get(k).zip(frame.bodies.get(k))?;
            match by {
                _ if body.fixed => None,
                ColourBy::Body | ColourBy::Stress => None,
                ColourBy::Speed => Some(is.velocity.length()),
                ColourBy::Displacement => Some(is.pose.position.distance(was.pose.position)),
            }
        });
        let nodes = cast.soft.iter().enumerate().map(|(index, body)| match by {
            ColourBy::Body => Vec::new(),
            ColourBy::Speed => frame.node_velocities[body.nodes.clone()].iter().map(|v| v.length()).collect(),
            ColourBy::Displacement => {
                body.nodes.clone().map(|node| frame.nodes[node].distance(start.nodes[node])).collect()
            }
            ColourBy::Stress => {
                let found = cast.model.as_ref().and_then(|model| {
                    let id = model.flexible_named(&model.flexible().get(index)?.name)?;
                    Some(Stresses::of(model, id, &frame.nodes, &frame.node_velocities))
                });
                found.map_or_else(Vec::new, |found| found.nodes.iter().map(|stress| von_mises(*stress)).collect())
            }
        });
        Self { bodies: bodies.collect(), nodes: nodes.collect() }
    }

    /// The largest finite value.
    pub(super) fn most(&self) -> f64 {
        let all = self.bodies.iter().flatten().chain(self.nodes.iter().flatten()).copied();
        all.filter(|value| value.is_finite()).fold(0.0, f64::max)
    }
}

/// Values as colours between 0 and the largest of a film.
pub(super) struct Field {
    values: Values,
    most: f64,
}

impl Field {
    pub(super) fn new(values: Values, most: f64) -> Self {
        Self { values, most: if most > 0.0 { most } else { 1.0 } }
    }
    /// Linear colour of a body; `None` for its own.
    pub(super) fn of_body(&self, body: usize) -> Option<glam::Vec3> {
        Some(theme::scale((self.values.bodies.get(body).copied().flatten()? / self.most) as f32))
    }
    /// Linear colour of a node of a flexible body; `None` for its own.
    pub(super) fn of_node(&self, body: usize, node: u32) -> Option<glam::Vec3> {
        Some(theme::scale((self.values.nodes.get(body)?.get(node as usize)? / self.most) as f32))
    }
}

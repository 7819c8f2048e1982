//! Strain and stress of a flexible body for output: means over elements, means at nodes.
//!
//! | elements | strain | stress |
//! |---|---|---|
//! | corotational solids | sym(RᵀF) − I, small, in the axes of the element, which turn with it (R) | Cauchy, world axes |
//! | neo-Hookean solids | ½(FᵀF − I), Green's, in the axes at rest | Cauchy, world axes |
//! | cables | (l − L)/L e eᵀ along the cable, world axes; below zero where it is slack | T/A e eᵀ, world axes |
//!
//! Damping is no part of the stress of solids; the tension T of a cable has that of its damper in it.

use super::body::{FlexibleId, Structure};
use super::element::{NodalMean, von_mises};
use super::elements::MOST_NODES;
use super::field::gather;
use crate::{Mat3, Model, Vec3};

/// Strain and stress of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementStress {
    /// Mean over its quadrature points by volume; measure and axes are those of its kind.
    pub strain: Mat3,
    /// Mean Cauchy stress \[Pa\], world axes.
    pub stress: Mat3,
    /// Pull \[N\] of a cable; `None` for solids.
    pub tension: Option<f64>,
}

impl ElementStress {
    /// Von Mises' equivalent of the mean stress \[Pa\].
    #[must_use]
    pub fn von_mises(&self) -> f64 {
        von_mises(self.stress)
    }
}

/// Strain and stress of all elements of a flexible body. Elements that have none, turned inside out, have NaN.
///
/// ```
/// use signorini_mechanics::flexible::material::Elastic;
/// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
/// use signorini_mechanics::flexible::{FlexibleBody, Stresses};
/// use signorini_mechanics::{Model, State, Vec3};
/// let mut model = Model::builder();
/// let mesh = box_mesh(ElementKind::Tet4, Vec3::ONE, [2, 2, 2])?;
/// let block = model.flexible(FlexibleBody::solid("block", mesh, Elastic::new(1e6, 0.0, 1000.0)?));
/// let model = model.build()?;
/// // Stretched by 1 % along x: σ = E ε.
/// let mut state = State::start_of(&model);
/// state.nodes.iter_mut().for_each(|node| node.x *= 1.01);
/// let stresses = Stresses::of(&model, block, &state.nodes, &state.node_velocities);
/// assert!((stresses.elements[0].von_mises() - 1e4).abs() < 1e-6);
/// assert!((stresses.nodes[0].x_axis.x - 1e4).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stresses {
    /// Of every element, in the order of the mesh.
    pub elements: Vec<ElementStress>,
    /// Cauchy stress \[Pa\] at every node of the body, world axes: what its elements say there (extrapolated from their
    /// quadrature points), the mean by volume.
    pub nodes: Vec<Mat3>,
}

impl Stresses {
    /// Strain and stress of a body, with all nodes of the model at `nodes` \[m\] and moving with `velocities` \[m/s\].
    ///
    /// # Panics
    /// If there is no such body, or too few nodes.
    #[must_use]
    pub fn of(model: &Model, body: FlexibleId, nodes: &[Vec3], velocities: &[Vec3]) -> Self {
        let field = model.field();
        let own = field.nodes_of(body);
        let elements = &field.elements()[body.index()];
        let nan = Mat3::NAN;
        let nothing = ElementStress { strain: nan, stress: nan, tension: None };
        let mut of_elements = vec![nothing; elements.count()];
        let mut at_nodes = NodalMean::new(own.len());
        let mut local = Vec::with_capacity(MOST_NODES);
        field.states(body, nodes, |element, element_nodes, points, stresses| {
            let volume: f64 = points.iter().map(|point| point.volume).sum();
            let mean = |of: fn(&super::element::PointState) -> Mat3| {
                points.iter().fold(Mat3::ZERO, |sum, point| sum + of(point) * (point.volume / volume))
            };
            let (strain, stress) = (mean(|point| point.strain), mean(|point| point.stress));
            of_elements[element] = ElementStress { strain, stress, tension: None };
            local.clear();
            local.extend(element_nodes.iter().map(|node| node - own.start as u32));
            at_nodes.add(&local, volume, stresses);
        });
        if let Structure::Cables { area, .. } = &model.flexible()[body.index()].structure {
            let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
            for (element, of) in of_elements.iter_mut().enumerate() {
                let ends = elements.nodes(element);
                let (now, velocity) = (gather(ends, nodes, &mut x), gather(ends, velocities, &mut v));
                let Some(cable) = elements.cable(element) else { continue };
                let tension = cable.tension(&[now[0], now[1]], &[velocity[0], velocity[1]]);
                let chord = now[1] - now[0];
                let along = chord.normalize_or_zero();
                let direction = Mat3::from_cols(along * along.x, along * along.y, along * along.z);
                let strain = direction * ((chord.length() - cable.rest_length()) / cable.rest_length());
                *of = ElementStress { strain, stress: direction * (tension / area), tension: Some(tension) };
                let local = [ends[0] - own.start as u32, ends[1] - own.start as u32];
                at_nodes.add(&local, area * cable.rest_length(), &[of.stress; 2]);
            }
        }
        Self { elements: of_elements, nodes: at_nodes.means() }
    }
}

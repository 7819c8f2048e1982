//! Finding contacts: who may meet whom within a step, and the sizes that decide it.

use super::Simulation;
use crate::{Model, Vec3};
use signorini_collision::{Detector, Mobility};
use std::time::Instant;

impl Simulation {
    /// How far the points of a body go in one step at its present velocity \[m\].
    pub(super) fn travel(&self, body: usize) -> f64 {
        let (v, omega) = (self.state.velocities[body], self.state.angular_velocities[body]);
        self.parameters.step * (v.length() + omega.length() * self.reach_radius[body])
    }

    /// Finds the contacts of the present state. A contact may close within a step if its gap is below what both bodies can move:
    /// h(|v| + h|g|) and what their turning adds.
    pub(super) fn detect(&mut self) {
        self.detect_beyond(&[]);
    }

    /// The same, with every body reaching at least `least` far.
    pub(super) fn detect_beyond(&mut self, least: &[f64]) {
        let started = Instant::now();
        let (h, g) = (self.parameters.step, self.model.gravity().length());
        for body in 0..self.reach.len() {
            let reach = match self.columns.of(body) {
                None => 0.0,
                Some(_) => self.travel(body) + h * h * g,
            };
            self.reach[body] = least.get(body).map_or(reach, |least| reach.max(*least));
        }
        self.detector.detect(&self.state.poses, &self.reach, self.envelope, &mut self.contacts);
        self.detect_skins();
        self.collision_seconds = started.elapsed().as_secs_f64();
    }
}

/// A detector of all contacts of a model. `unusable` makes an error of a body and what is wrong with its shape.
pub(crate) fn detector_of<E>(
    model: &Model,
    parallel: bool,
    unusable: impl FnOnce(String, crate::ShapeError) -> E,
) -> Result<Detector, E> {
    let colliders = model.colliders().iter().map(|(body, collider)| signorini_collision::Collider {
        body: body.0,
        pose: collider.pose,
        shape: collider.shape.clone(),
        material: collider.material.0,
        groups: collider.groups,
        margin: collider.margin,
    });
    let mobility = model.bodies().iter().map(|body| if body.is_fixed { Mobility::Fixed } else { Mobility::Moving });
    let mut detector =
        Detector::new(colliders.collect(), mobility.collect(), model.excluded()).map_err(|(at, error)| {
            let body = model.bodies()[model.colliders()[at].0.index()].name.clone();
            unusable(body, error)
        })?;
    detector.set_parallel(parallel);
    Ok(detector)
}

/// How far the points of each body are carried by a turn: its radius about the centre of mass, but 0 for a ball about it, which is
/// the same however it turns, and for half-spaces and containers, whose radius is infinite: a step that misses a contact with them is
/// taken again.
pub(super) fn turning_radii(model: &Model, detector: &Detector) -> Vec<f64> {
    let mut radii = vec![0.0; model.bodies().len()];
    for (body, collider) in model.colliders() {
        let is_ball = matches!(collider.shape, signorini_collision::Shape::Sphere { .. });
        if !(is_ball && collider.pose.position == Vec3::ZERO) {
            let radius = detector.bounding_radius(body.0);
            radii[body.index()] = if radius.is_finite() { radius } else { 0.0 };
        }
    }
    radii
}

/// Radius about the centre of mass of the smallest body that moves; 1 m without any.
pub(super) fn smallest_radius(model: &Model, detector: &Detector) -> f64 {
    let moving = (0..model.bodies().len()).filter(|&body| !model.bodies()[body].is_fixed);
    let radii = moving.map(|body| detector.bounding_radius(body as u32)).filter(|radius| *radius > 0.0);
    let least = radii.fold(f64::INFINITY, f64::min);
    // Half of an element is to a flexible body what the radius is to a ball.
    let least = least.min(0.5 * model.field().element_size);
    if least.is_finite() { least } else { 1.0 }
}

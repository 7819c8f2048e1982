//! Where the bodies that move are, frame by frame.

use super::body::Body;
use super::quantise::{Range, Steps, signed};
use serde_json::{Value, json};
use signorini_mechanics::Quat;
use signorini_scene::run::{Frame, Manifest};

/// Numbers of the bodies that are not fixed.
pub(super) fn moving(manifest: &Manifest) -> Vec<usize> {
    (0..manifest.bodies.len()).filter(|index| !manifest.bodies[*index].fixed).collect()
}

/// Bytes of a frame.
pub(super) fn bytes(bodies: usize) -> u64 {
    26 * bodies as u64
}

/// The motion of all bodies.
pub(super) struct Motion {
    bodies: Vec<usize>,
    position: [Range; 3],
    velocity: f64,
    angular: f64,
    turned: Vec<Quat>,
    arrays: Option<(Value, [Steps; 4])>,
}

impl Motion {
    pub(super) fn new(bodies: Vec<usize>) -> Self {
        let turned = vec![Quat::IDENTITY; bodies.len()];
        Self { bodies, position: [Range::EMPTY; 3], velocity: 0.0, angular: 0.0, turned, arrays: None }
    }

    /// Widens the ranges to those of a frame.
    pub(super) fn measure(&mut self, frame: &Frame) {
        for body in self.bodies.iter().filter_map(|index| frame.bodies.get(*index)) {
            (0..3).for_each(|axis| self.position[axis].add(body.pose.position[axis]));
            self.velocity = self.velocity.max(body.velocity.abs().max_element());
            self.angular = self.angular.max(body.angular_velocity.abs().max_element());
        }
    }

    pub(super) fn begin(&mut self, body: &mut Body, frames: usize) {
        self.position = self.position.map(Range::or_zero);
        let bodies = body.u32s(self.bodies.iter().map(|index| *index as u32));
        let steps = [3, 4, 3, 3].map(|width| Steps::new(body, frames, width * self.bodies.len()));
        let header = json!({
            "bodies": bodies,
            "low": self.position.map(|range| range.low),
            "high": self.position.map(|range| range.high),
            "position": steps[0].array,
            "rotation": steps[1].array,
            "velocity": steps[2].array,
            "velocity_scale": self.velocity,
            "angular": steps[3].array,
            "angular_scale": self.angular,
        });
        self.arrays = Some((header, steps));
    }

    pub(super) fn put(&mut self, body: &mut Body, frame: &Frame) {
        let Some((_, [position, rotation, velocity, angular])) = &mut self.arrays else { return };
        for (index, turned) in self.bodies.iter().zip(&mut self.turned) {
            let q = frame.bodies[*index].pose.rotation.normalize();
            // Of the two quaternions of a rotation that which is nearer to the frame before: differences stay small.
            *turned = if q.dot(*turned) < 0.0 { -q } else { q };
        }
        let bodies = || self.bodies.iter().map(|index| &frame.bodies[*index]);
        let ranges = self.position;
        let quantised = |x: [f64; 3]| [0, 1, 2].map(|axis| ranges[axis].quantise(x[axis]));
        position.put(body, bodies().flat_map(|b| quantised(b.pose.position.to_array())));
        rotation.put(body, self.turned.iter().flat_map(|q| q.to_array().map(|x| signed(x, 1.0))));
        velocity.put(body, bodies().flat_map(|b| b.velocity.to_array().map(|x| signed(x, self.velocity))));
        angular.put(body, bodies().flat_map(|b| b.angular_velocity.to_array().map(|x| signed(x, self.angular))));
    }

    pub(super) fn header(&self) -> Value {
        self.arrays.as_ref().map_or(Value::Null, |(header, _)| header.clone())
    }
}

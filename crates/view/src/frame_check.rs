//! Whether the numbers of a frame can be those of a run.

use signorini_mechanics::Vec3;
use signorini_scene::run::{Frame, Manifest};

/// Largest length \[m\], speed \[m/s\] and angular velocity \[rad/s\] that is taken for a result: light takes eleven days for the first.
const ABSURD: f64 = 3e14;

/// A rotation's quaternion is this near to length 1: steppers normalise to rounding.
const UNIT: f64 = 1e-3;

/// Looks at frame after frame.
pub(crate) struct FrameCheck {
    time: f64,
}

impl Default for FrameCheck {
    fn default() -> Self {
        Self { time: f64::NEG_INFINITY }
    }
}

impl FrameCheck {
    /// What is wrong with the next frame.
    pub(crate) fn problem(&mut self, frame: &Frame, manifest: &Manifest) -> Option<String> {
        if !frame.time.is_finite() || frame.time <= self.time {
            return Some(format!("the time is {} s, expected more than {} s", frame.time, self.time));
        }
        self.time = frame.time;
        let of_body = |index: usize| {
            let name = manifest.bodies.get(index).map_or("", |body| body.name.as_str());
            format!("body `{name}`")
        };
        for (index, body) in frame.bodies.iter().enumerate() {
            for (what, vector) in [
                ("position", body.pose.position),
                ("velocity", body.velocity),
                ("angular velocity", body.angular_velocity),
            ] {
                if let Some(x) = absurd(vector) {
                    return Some(format!("{what} of {} has the component {x:e}", of_body(index)));
                }
            }
            let length = body.pose.rotation.length();
            if (length - 1.0).abs() > UNIT || length.is_nan() {
                return Some(format!("the quaternion of {} has length {length:.4}, expected 1", of_body(index)));
            }
        }
        for (what, vectors) in [("position", &frame.nodes), ("velocity", &frame.node_velocities)] {
            for (node, vector) in vectors.iter().enumerate() {
                if let Some(x) = absurd(*vector) {
                    return Some(format!("{what} of node {node} of the flexible bodies has the component {x:e}"));
                }
            }
        }
        None
    }
}

/// The first component that is no number of a run.
fn absurd(vector: Vec3) -> Option<f64> {
    vector.to_array().into_iter().find(|x| x.is_nan() || x.abs() > ABSURD)
}

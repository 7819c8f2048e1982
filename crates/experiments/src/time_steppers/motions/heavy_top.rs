//! An asymmetric body on a ball joint under gravity, and its motion by Euler's equations about the joint.

use signorini_mechanics::joint::{Anchors, Spherical};
use signorini_mechanics::{Body, Mat3, Model, Pose, Quat, Vec3};

const MASS: f64 = 1.3;
const CENTRE: Vec3 = Vec3::new(0.8, 0.0, -0.6);
const INERTIA: Vec3 = Vec3::new(0.02, 0.03, 0.04);
const OMEGA: Vec3 = Vec3::new(0.75, 0.4, 1.0);
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// The body at its start.
pub(crate) fn model() -> Model {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let body = Body::new("top", MASS, Mat3::from_diagonal(INERTIA)).at(CENTRE).moving(OMEGA.cross(CENTRE), OMEGA);
    let top = model.body(body);
    let poses = [Pose::IDENTITY, Pose::new(CENTRE, Quat::IDENTITY)];
    let anchors = Anchors::from_world([ground, top], [&poses[0], &poses[1]], Pose::IDENTITY);
    model.joint("ball", Spherical::new(anchors));
    model.build().expect("a model")
}

/// ω̇ of I_O ω̇ + ω × I_O ω = c × m Rᵀg, in body axes about the joint.
fn rate(rotation: Quat, omega: Vec3) -> Vec3 {
    let c = CENTRE;
    let steiner = Mat3::from_diagonal(Vec3::splat(c.length_squared())) - Mat3::from_cols(c * c.x, c * c.y, c * c.z);
    let inertia = Mat3::from_diagonal(INERTIA) + MASS * steiner;
    let torque = c.cross(MASS * (rotation.conjugate() * GRAVITY));
    inertia.inverse() * (torque - omega.cross(inertia * omega))
}

/// Position and velocity of the centre, and the force of the joint, by RK4 on the quaternion with a thousand steps a second.
pub(crate) fn exact(end: f64) -> [Vec<f64>; 3] {
    let steps = (end * 20_000.0).ceil();
    let h = end / steps;
    let (mut q, mut w) = (Quat::IDENTITY, OMEGA);
    let slope = |q: Quat, w: Vec3| (q * Quat::from_xyzw(w.x, w.y, w.z, 0.0) * 0.5, rate(q, w));
    for _ in 0..steps as u64 {
        let a = slope(q, w);
        let b = slope(q + a.0 * (0.5 * h), w + 0.5 * h * a.1);
        let c = slope(q + b.0 * (0.5 * h), w + 0.5 * h * b.1);
        let d = slope(q + c.0 * h, w + h * c.1);
        q = (q + (a.0 + b.0 * 2.0 + c.0 * 2.0 + d.0) * (h / 6.0)).normalize();
        w += h / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
    }
    let acceleration = q * (rate(q, w).cross(CENTRE) + w.cross(w.cross(CENTRE)));
    let force = MASS * (acceleration - GRAVITY);
    [q * CENTRE, q * w.cross(CENTRE), force].map(|vector| vector.to_array().to_vec())
}

//! Static equilibria, eigenmodes and inverse dynamics against closed forms and solutions of their own.
#![allow(clippy::unwrap_used, reason = "helpers of tests, outside the test functions")]

mod contacts;
mod equilibrium;
mod inverse;
mod modes;
#[path = "../support/mod.rs"]
mod support;

use signorini_mechanics::joint::{Anchors, Prismatic, Revolute};
use signorini_mechanics::{Body, BodyId, Mat3, Model, ModelBuilder, Pose, Quat, Vec3};
use support::hinge_about_y;

pub(crate) const G: f64 = 9.81;

/// A model with its fixed body.
pub(crate) fn grounded() -> (ModelBuilder, BodyId) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    (model, ground)
}

/// A slender bar between two points of the x-z plane, its x along it.
pub(crate) fn bar(model: &mut ModelBuilder, name: &str, mass: f64, ends: [Vec3; 2]) -> (BodyId, Pose) {
    let along = ends[1] - ends[0];
    let angle = -along.z.atan2(along.x);
    let pose = Pose::new(0.5 * (ends[0] + ends[1]), Quat::from_rotation_y(angle));
    let slender = mass * along.length_squared() / 12.0;
    let inertia = Mat3::from_diagonal(Vec3::new(0.01 * slender, slender, slender));
    (model.body(Body::new(name, mass, inertia).posed(pose)), pose)
}

/// A hinge about y in a point, for bodies at their start.
pub(crate) fn hinge(bodies: [BodyId; 2], poses: [&Pose; 2], point: Vec3) -> Anchors {
    Anchors::from_world(bodies, poses, hinge_about_y(point))
}

/// A mass that slides along an axis.
pub(crate) fn slider(model: &mut ModelBuilder, ground: BodyId, name: &str, mass: f64, at: Vec3, axis: Vec3) -> BodyId {
    let pose = Pose::new(at, Quat::IDENTITY);
    let body = model.body(Body::new(name, mass, support::isotropic(mass)).posed(pose));
    let frame = Pose::new(at, Quat::from_rotation_arc(Vec3::Z, axis));
    let anchors = Anchors::from_world([ground, body], [&Pose::IDENTITY, &pose], frame);
    model.joint(format!("guide of {name}"), Prismatic::new(anchors));
    body
}

/// A bar hinged in the origin, hanging at an angle from straight down; `hinges` of them in the same place.
pub(crate) fn pendulum(mass: f64, length: f64, angle: f64, hinges: usize) -> (Model, BodyId) {
    let (mut model, ground) = grounded();
    let end = length * Vec3::new(angle.sin(), 0.0, -angle.cos());
    let (arm, pose) = bar(&mut model, "arm", mass, [Vec3::ZERO, end]);
    for k in 0..hinges {
        model.joint(format!("hinge {k}"), Revolute::new(hinge([ground, arm], [&Pose::IDENTITY, &pose], Vec3::ZERO)));
    }
    (model.build().unwrap(), arm)
}

/// Where a function crosses zero.
pub(crate) fn bisect(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let sign = function(low).signum();
    assert!(sign != function(high).signum(), "no change of sign");
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if function(middle).signum() == sign { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

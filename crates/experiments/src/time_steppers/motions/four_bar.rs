//! A crank-rocker in a plane that leans in space, and its motion by the one equation of its crank angle.

use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, Vec3};

/// Crank, coupler, rocker, ground \[m\].
const LENGTHS: [f64; 4] = [0.4, 1.0, 0.8, 1.1];
const MASSES: [f64; 3] = [1.0, 2.0, 1.5];
/// Crank angle and speed at the start.
const START: [f64; 2] = [0.5, 6.0];
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// The plane of the mechanism in the world: its hinges are along z of this rotation.
fn plane() -> Quat {
    Quat::from_rotation_x(1.1) * Quat::from_rotation_y(0.4)
}

/// Angles of crank, coupler and rocker for a crank angle: the loop closed by the law of cosines.
fn angles(phi: f64) -> [f64; 3] {
    let [a, b, c, d] = LENGTHS;
    let (x, y) = (d - a * phi.cos(), -a * phi.sin());
    let diagonal = x.hypot(y);
    let lean = y.atan2(x);
    let coupler = lean + ((diagonal * diagonal + b * b - c * c) / (2.0 * diagonal * b)).acos();
    let end = [a * phi.cos() + b * coupler.cos(), a * phi.sin() + b * coupler.sin()];
    [phi, coupler, end[1].atan2(end[0] - d)]
}

/// Centres of the three rods in the plane, and their angles.
fn centres(phi: f64) -> [(Vec3, f64); 3] {
    let [a, b, c, d] = LENGTHS;
    let [crank, coupler, rocker] = angles(phi);
    let along = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0);
    [
        (0.5 * a * along(crank), crank),
        (a * along(crank) + 0.5 * b * along(coupler), coupler),
        (Vec3::new(d, 0.0, 0.0) + 0.5 * c * along(rocker), rocker),
    ]
}

/// Derivatives of centres and angles with respect to the crank angle, by a difference of sixth order (error 1e-13).
fn slopes(phi: f64) -> [(Vec3, f64); 3] {
    let by = 3e-3;
    let mut sum = [(Vec3::ZERO, 0.0); 3];
    for (k, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
        let (ahead, behind) = (centres(phi + k * by), centres(phi - k * by));
        for rod in 0..3 {
            sum[rod].0 += weight / (60.0 * by) * (ahead[rod].0 - behind[rod].0);
            sum[rod].1 += weight / (60.0 * by) * (ahead[rod].1 - behind[rod].1);
        }
    }
    sum
}

fn inertia(rod: usize) -> f64 {
    MASSES[rod] * LENGTHS[rod] * LENGTHS[rod] / 12.0
}

/// J(φ) with kinetic energy ½Jφ̇².
fn effective_inertia(phi: f64) -> f64 {
    slopes(phi)
        .iter()
        .enumerate()
        .map(|(rod, (x, angle))| MASSES[rod] * x.length_squared() + inertia(rod) * angle * angle)
        .sum()
}

/// φ̈ of J φ̈ + ½J'φ̇² = Σ m g·x'.
fn acceleration(phi: f64, speed: f64) -> f64 {
    let by = 3e-3;
    let mut slope = 0.0;
    for (k, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
        slope += weight / (60.0 * by) * (effective_inertia(phi + k * by) - effective_inertia(phi - k * by));
    }
    let gravity = plane().conjugate() * GRAVITY;
    let push: f64 = slopes(phi).iter().enumerate().map(|(rod, (x, _))| MASSES[rod] * gravity.dot(*x)).sum();
    (push - 0.5 * slope * speed * speed) / effective_inertia(phi)
}

/// The mechanism at its start.
pub(crate) fn model() -> Model {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let [phi, speed] = START;
    let plane = plane();
    let (places, rates) = (centres(phi), slopes(phi));
    let poses = places.map(|(x, angle)| Pose::new(plane * x, plane * Quat::from_rotation_z(angle)));
    let rods: Vec<BodyId> = (0..3)
        .map(|rod| {
            // Thin rods along x, with some thickness so that the inertia is that of a body.
            let across = inertia(rod);
            let body = Body::new(
                ["crank", "coupler", "rocker"][rod],
                MASSES[rod],
                Mat3::from_diagonal(Vec3::new(0.02 * across, across, across)),
            );
            let velocity = plane * (speed * rates[rod].0);
            model.body(body.posed(poses[rod]).moving(velocity, Vec3::new(0.0, 0.0, speed * rates[rod].1)))
        })
        .collect();
    let [a, _, c, d] = LENGTHS;
    let along = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0);
    let points = [Vec3::ZERO, a * along(phi), Vec3::new(d, 0.0, 0.0) + c * along(places[2].1), Vec3::new(d, 0.0, 0.0)];
    let pairs = [(None, Some(0)), (Some(0), Some(1)), (Some(1), Some(2)), (Some(2), None)];
    for (k, (first, second)) in pairs.into_iter().enumerate() {
        let id = |rod: Option<usize>| rod.map_or(ground, |rod| rods[rod]);
        let pose = |rod: Option<usize>| rod.map_or(Pose::IDENTITY, |rod| poses[rod]);
        let pair = [pose(first), pose(second)];
        let frame = Pose::new(plane * points[k], plane);
        let anchors = Anchors::from_world([id(first), id(second)], [&pair[0], &pair[1]], frame);
        model.joint(format!("hinge-{k}"), Revolute::new(anchors));
    }
    model.build().expect("a model")
}

/// Positions and velocities of the three rods in the world by RK4 on the crank angle; no multipliers.
pub(crate) fn exact(end: f64) -> [Vec<f64>; 3] {
    let steps = 4000;
    let h = end / f64::from(steps);
    let [mut phi, mut speed] = START;
    for _ in 0..steps {
        let a = (speed, acceleration(phi, speed));
        let b = (speed + 0.5 * h * a.1, acceleration(phi + 0.5 * h * a.0, speed + 0.5 * h * a.1));
        let c = (speed + 0.5 * h * b.1, acceleration(phi + 0.5 * h * b.0, speed + 0.5 * h * b.1));
        let d = (speed + h * c.1, acceleration(phi + h * c.0, speed + h * c.1));
        phi += h / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * c.0 + d.0);
        speed += h / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
    }
    let plane = plane();
    let positions = centres(phi).iter().flat_map(|(x, _)| (plane * *x).to_array()).collect();
    let velocities = slopes(phi).iter().flat_map(|(x, _)| (plane * (speed * *x)).to_array()).collect();
    [positions, velocities, vec![]]
}

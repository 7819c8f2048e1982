//! Helpers of the tests of joints and forces: random poses, q ⊕ h v, derivatives by central differences.
#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod orders;

use signorini_mechanics::force::{Motion, RotationalSpring, Wrench};
use signorini_mechanics::joint::{Anchors, MAX_ROWS, Revolute, Row};
use signorini_mechanics::{
    Body, BodyId, Broken, Joint, Mat3, Model, Pose, Promise, Quat, Settings, Simulation, StepReport, Stepper, Vec3,
};
use signorini_solver::Tolerance;

/// Step of the differences: their error is about h² + ε/h.
const H: f64 = 1e-5;

/// A reproducible sequence of numbers in [−1, 1].
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }
    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
    /// Any rotation, up to three radians about any axis.
    pub(crate) fn pose(&mut self) -> Pose {
        Pose::new(self.vector(), Quat::from_scaled_axis(3.0 * self.vector().normalize() * self.number()))
    }
    pub(crate) fn velocity(&mut self) -> [f64; 12] {
        std::array::from_fn(|_| self.number())
    }
    pub(crate) fn motion(&mut self) -> Motion {
        Motion { pose: self.pose(), velocity: self.vector(), angular_velocity: self.vector() }
    }
}

/// q ⊕ h v of both bodies, for v = (v_A, ω_A, v_B, ω_B).
pub(crate) fn moved(poses: [&Pose; 2], v: &[f64; 12], h: f64) -> [Pose; 2] {
    [0, 1].map(|side| {
        let part = &v[6 * side..6 * side + 6];
        let turn = Quat::from_scaled_axis(h * Vec3::from_slice(&part[3..]));
        Pose::new(poses[side].position + h * Vec3::from_slice(&part[..3]), poses[side].rotation * turn)
    })
}

/// The twelve generalised forces on (v_A, ω_A, v_B, ω_B).
pub(crate) fn generalised(wrenches: [Wrench; 2]) -> [f64; 12] {
    let parts = wrenches.map(|w| [w.force.to_array(), w.torque.to_array()]);
    std::array::from_fn(|k| parts[k / 6][k / 3 % 2][k % 3])
}

pub(crate) fn velocity(motions: &[Motion; 2]) -> [f64; 12] {
    let parts = motions.map(|m| [m.velocity.to_array(), m.angular_velocity.to_array()]);
    std::array::from_fn(|k| parts[k / 6][k / 3 % 2][k % 3])
}

/// Both bodies moved by h v, as fast as before.
pub(crate) fn posed(motions: &[Motion; 2], v: &[f64; 12], h: f64) -> [Motion; 2] {
    let poses = moved([&motions[0].pose, &motions[1].pose], v, h);
    [0, 1].map(|side| Motion { pose: poses[side], ..motions[side] })
}

pub(crate) fn unit(column: usize) -> [f64; 12] {
    std::array::from_fn(|k| f64::from(u8::from(k == column)))
}

pub(crate) fn rows_of(joint: &dyn Joint, poses: [&Pose; 2], time: f64) -> Vec<Row> {
    let mut rows = [Row::ZERO; MAX_ROWS];
    joint.evaluate(poses, time, &mut rows[..joint.rows()]);
    rows[..joint.rows()].to_vec()
}

/// Every row's Jacobian against central differences of Ψ along q ⊕ h v, column by column, and ∂Ψ/∂t likewise.
pub(crate) fn check_jacobian(joint: &dyn Joint, poses: [&Pose; 2], time: f64) {
    let rows = rows_of(joint, poses, time);
    for column in 0..12 {
        let v: [f64; 12] = std::array::from_fn(|k| f64::from(u8::from(k == column)));
        let [ahead, behind] = [H, -H].map(|h| {
            let poses = moved(poses, &v, h);
            rows_of(joint, [&poses[0], &poses[1]], time)
        });
        for (k, row) in rows.iter().enumerate() {
            let difference = (ahead[k].value - behind[k].value) / (2.0 * H);
            let entry = row.jacobian[column / 6][column % 6];
            let scale = 1.0 + row.jacobian.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(
                (difference - entry).abs() < 1e-8 * scale.powi(3),
                "{} row {k} column {column}: {entry} by formula, {difference} by differences",
                joint.kind()
            );
        }
    }
    let [ahead, behind] = [H, -H].map(|h| rows_of(joint, poses, time + h));
    for (k, row) in rows.iter().enumerate() {
        let difference = (ahead[k].value - behind[k].value) / (2.0 * H);
        assert!((difference - row.rate).abs() < 1e-8, "{} row {k}: rate {} {difference}", joint.kind(), row.rate);
    }
}

/// Two bodies of a model.
pub(crate) fn two_bodies() -> [BodyId; 2] {
    let mut model = Model::builder();
    [model.body(Body::fixed("a")), model.body(Body::new("b", 1.0, Mat3::IDENTITY))]
}

pub(crate) fn random_anchors(random: &mut Random) -> Anchors {
    Anchors { bodies: two_bodies(), frames: [random.pose(), random.pose()] }
}

/// Poses of A and B for which B's frame is displaced and turned from A's by a small or large random amount.
pub(crate) fn near(random: &mut Random, anchors: &Anchors, amount: f64) -> [Pose; 2] {
    let a = random.pose();
    let error = Pose::new(amount * random.vector(), Quat::from_scaled_axis(amount * random.vector()));
    [a, a * anchors.frames[0] * error * anchors.frames[1].inverse()]
}

/// Steps of the linearly implicit Euler method of a length, solved far more accurately than they are wide.
pub(crate) fn settings(step: f64) -> Settings {
    let stepper = Stepper::DviEuler;
    Settings { step, stepper, tolerance: Some(Tolerance::Velocity(1e-12)), ..Settings::default() }
}

/// Takes steps, all of which must converge; the report of the last.
pub(crate) fn run(simulation: &mut Simulation, steps: usize) -> StepReport {
    let mut last = None;
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        assert!(report.converged(), "step {}: {:?}", report.step, report.broken);
        last = Some(report);
    }
    last.expect("at least one step")
}

/// Takes steps of first order, which may leave joints open and bodies overlapping by what their order leaves, and keep every other
/// promise; the report of the last.
pub(crate) fn run_to_first_order(simulation: &mut Simulation, steps: usize) -> StepReport {
    run_but_for(&[Promise::Joints, Promise::Overlap], simulation, steps)
}

/// Takes steps that keep every promise but these; the report of the last.
pub(crate) fn run_but_for(may_break: &[Promise], simulation: &mut Simulation, steps: usize) -> StepReport {
    let mut last = None;
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        let is_allowed = |broken: &Broken| may_break.contains(&broken.promise);
        assert!(report.broken.iter().all(is_allowed), "step {}: {:?}", report.step, report.broken);
        last = Some(report);
    }
    last.expect("at least one step")
}

/// A frame at a point whose z is the world's y: swings in the x-z plane.
pub(crate) fn hinge_about_y(point: Vec3) -> Pose {
    Pose::new(point, Quat::from_rotation_arc(Vec3::Z, Vec3::Y))
}

/// Three bars hinged to each other and to the ground at 0 and 2 m, in the x-z plane; dampers in the hinges to the ground.
pub(crate) fn four_bar(settings: Settings, damping: f64) -> Simulation {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let corners =
        [Vec3::ZERO, Vec3::new(-0.4, 0.0, 0.9), Vec3::new(1.6, 0.0, 1.5), Vec3::new(2.0, 0.0, 0.0), Vec3::ZERO];
    let (mut bars, mut poses) = (vec![ground], vec![Pose::IDENTITY]);
    for k in 0..3 {
        let (middle, along) = (0.5 * (corners[k] + corners[k + 1]), corners[k + 1] - corners[k]);
        poses.push(Pose::new(middle, Quat::from_rotation_arc(Vec3::X, along.normalize())));
        let slender = along.length_squared() / 12.0;
        let inertia = Mat3::from_diagonal(Vec3::new(1e-3, slender, slender));
        bars.push(model.body(Body::new(format!("bar {k}"), 1.0, inertia).posed(poses[k + 1])));
    }
    bars.push(ground);
    poses.push(Pose::IDENTITY);
    for k in 0..4 {
        let pair = [bars[k], bars[k + 1]];
        let anchors = Anchors::from_world(pair, [&poses[k], &poses[k + 1]], hinge_about_y(corners[k]));
        model.joint(format!("hinge {k}"), Revolute::new(anchors));
        model.force(format!("damper {k}"), RotationalSpring::new(anchors, 0.0, damping, 0.0));
    }
    Simulation::new(model.build().expect("valid"), settings).expect("valid")
}

pub(crate) fn isotropic(moment: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(moment))
}

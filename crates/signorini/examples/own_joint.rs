//! A joint of one's own: a point of B stays on a paraboloid of A. A bead on a smooth bowl z = k r²/2 goes round at ω = √(g k),
//! however far from the middle.
#![allow(clippy::print_stdout)]

use signorini::mechanics::joint::Row;
use signorini::mechanics::{ParameterError, Stepper};
use signorini::prelude::*;

// ANCHOR: type
/// The centre of mass of B stays on p_z = k (p_x² + p_y²)/2, with p in the axes of A.
///
/// ```text
/// p = R_Aᵀ(x_B − x_A),   Ψ = p_z − k (p_x² + p_y²)/2,   n = ∂Ψ/∂p = (−k p_x, −k p_y, 1)
/// Ψ̇ = n·ṗ,  ṗ = R_Aᵀ(ẋ_B − ẋ_A) − ω_A × p
/// C = [−R_A n, −p × n; R_A n, 0]
/// ```
#[derive(Debug)]
struct OnParaboloid {
    bodies: [BodyId; 2],
    /// k [1/m].
    curvature: f64,
}
// ANCHOR_END: type

// ANCHOR: joint
impl Joint for OnParaboloid {
    fn kind(&self) -> &'static str {
        "on-paraboloid"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let [a, b] = poses;
        let p = a.rotation.conjugate() * (b.position - a.position);
        let normal = Vec3::new(-self.curvature * p.x, -self.curvature * p.y, 1.0);
        let along = a.rotation * normal;
        let lever = p.cross(normal);
        rows[0] = Row {
            value: p.z - 0.5 * self.curvature * (p.x * p.x + p.y * p.y),
            jacobian: [
                [-along.x, -along.y, -along.z, -lever.x, -lever.y, -lever.z],
                [along.x, along.y, along.z, 0.0, 0.0, 0.0],
            ],
            ..Row::ZERO
        };
    }
    fn check(&self) -> Result<(), ParameterError> {
        match self.curvature.is_finite() {
            true => Ok(()),
            false => {
                let (what, allowed) = ("curvature", "a finite number of 1/m");
                Err(ParameterError::Number { what, value: self.curvature, allowed })
            }
        }
    }
}
// ANCHOR_END: joint

// ANCHOR: jacobian
/// Largest difference of the row's Jacobian from central differences of Ψ, over all twelve velocities.
fn jacobian_error(joint: &OnParaboloid, poses: [Pose; 2]) -> f64 {
    let row = |poses: &[Pose; 2]| {
        let mut rows = [Row::ZERO];
        joint.evaluate([&poses[0], &poses[1]], 0.0, &mut rows);
        rows[0]
    };
    let step = 1e-6;
    let mut worst = 0.0_f64;
    for column in 0..12 {
        let moved = |by: f64| {
            let mut poses = poses;
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][column % 3] * by;
            let pose = &mut poses[column / 6];
            match column % 6 < 3 {
                true => pose.position += axis,
                // Angular velocity is in body axes: the turn comes first.
                false => pose.rotation *= Quat::from_scaled_axis(axis),
            }
            row(&poses).value
        };
        let slope = (moved(step) - moved(-step)) / (2.0 * step);
        worst = worst.max((slope - row(&poses).jacobian[column / 6][column % 6]).abs());
    }
    worst
}
// ANCHOR_END: jacobian

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: use
    let (curvature, radius) = (2.0, 0.3);
    let mut model = Model::builder();
    let bowl = model.body(Body::fixed("bowl"));
    let speed = (9.81_f64 * curvature).sqrt(); // rad/s
    let inertia = Mat3::from_diagonal(Vec3::splat(1e-4));
    let start = Vec3::new(radius, 0.0, 0.5 * curvature * radius * radius);
    let bead = Body::new("bead", 0.1, inertia).at(start).moving(Vec3::Y * speed * radius, Vec3::ZERO);
    let bead = model.body(bead);
    model.joint("bowl", OnParaboloid { bodies: [bowl, bead], curvature });
    // ANCHOR_END: use

    let turned =
        Pose { position: Vec3::new(0.1, -0.2, 0.3), rotation: Quat::from_euler(Default::default(), 0.3, -0.4, 0.5) };
    let other = Pose { position: Vec3::new(0.5, 0.2, 0.1), rotation: Quat::from_rotation_x(0.7) };
    let error = jacobian_error(&OnParaboloid { bodies: [bowl, bead], curvature }, [turned, other]);
    assert!(error < 1e-8, "the Jacobian is wrong by {error}");

    // ANCHOR: run
    // One turn, in a thousand steps of a stepper of second order.
    let step = std::f64::consts::TAU / speed / 1000.0;
    let settings = Settings { step, stepper: Stepper::DviRattle, ..Settings::default() };
    let mut simulation = Simulation::new(model.build()?, settings)?;
    for _ in 0..1000 {
        let report = simulation.step()?;
        assert!(report.converged() && report.joint_violation < 1e-9, "{report:?}");
    }
    let end = simulation.state().poses[bead.index()].position;
    assert!((end - start).length() < 1e-4, "{end}");
    println!(
        "after one turn at ω = √(g k) = {speed:.4} rad/s the bead is {:.1e} m from its start",
        (end - start).length()
    );
    // ANCHOR_END: run
    Ok(())
}

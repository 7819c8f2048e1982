//! What joints transmit.
//!
//! ```text
//! f_B = Σ λ_k J_k,B        the wrench of a joint on body B: λ_k of the last step, J_k = dΨ_k/dv where the bodies are now
//! ```

use super::{Joint, MAX_ROWS, Row};
use crate::{Pose, Vec3};

/// What a joint transmits.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLoad {
    /// Forces of its rows, as [`Simulation::joint_forces`](crate::Simulation::joint_forces) has them.
    pub rows: Vec<f64>,
    /// Force on body B, world axes \[N\].
    pub force: Vec3,
    /// Torque on body B about its centre of mass, world axes \[N m\].
    pub torque: Vec3,
    /// What its drive does, for a driven joint.
    pub drive: Option<DriveLoad>,
}

/// What the drive of a joint does, positive where it drives the imposed angle, shift or length up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveLoad {
    /// Along a displacement \[N\].
    Force(f64),
    /// About an axis \[N m\].
    Torque(f64),
}

impl JointLoad {
    /// What a joint transmits whose rows carry these forces, where its bodies are.
    pub(crate) fn of(joint: &dyn Joint, poses: &[Pose], time: f64, forces: Vec<f64>) -> Self {
        let mut rows = [Row::ZERO; MAX_ROWS];
        let poses = joint.bodies().map(|body| &poses[body.index()]);
        joint.evaluate(poses, time, &mut rows[..joint.rows()]);
        let (mut force, mut torque_in_body) = (Vec3::ZERO, Vec3::ZERO);
        for (row, lambda) in rows.iter().zip(&forces) {
            let [_, on_b] = &row.jacobian;
            force += *lambda * Vec3::from_slice(&on_b[..3]);
            torque_in_body += *lambda * Vec3::from_slice(&on_b[3..]);
        }
        let drive = joint.motion(time).and_then(|(row, _)| {
            let load = if rows.get(row)?.is_angle { DriveLoad::Torque } else { DriveLoad::Force };
            forces.get(row).copied().map(load)
        });
        Self { rows: forces, force, torque: poses[1].rotation * torque_in_body, drive }
    }
}

//! What joints transmit.
//!
//! ```text
//! f_B = Σ λ_k J_k,B        the wrench of a joint on body B: λ_k of the last step, J_k = dΨ_k/dv where the bodies are now
//! ```

use super::{Joint, MAX_ROWS, Row};
use crate::{Simulation, Vec3};

/// What a joint transmits.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLoad {
    /// Forces of its rows, as [`Simulation::joint_forces`] has them.
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

impl Simulation {
    /// Forces of every row of a joint in the last step, in the order of its rows: \[N\] for lengths, \[N m\] for angles; positive
    /// where they drive Ψ up. None before the first step, and for a joint that does not exist.
    ///
    /// The rows are those the joint's file opens with: a driven hinge or slider has its motor in row 5.
    #[must_use]
    pub fn joint_forces(&self, joint: usize) -> Option<Vec<f64>> {
        let mut joints = self.model().joints().map(|(_, joint)| joint.rows());
        let first: usize = joints.by_ref().take(joint).sum();
        let rows = joints.next()?;
        let impulses = self.warm_start().joints.get(first..first + rows)?;
        Some(impulses.iter().map(|impulse| impulse / self.settings().step).collect())
    }

    /// What every joint transmits, in the order of the model; `None` for all of them before the first step.
    pub fn joint_loads(&self) -> impl Iterator<Item = Option<JointLoad>> {
        let mut first = 0;
        self.model().joints().map(move |(_, joint)| {
            let range = first..first + joint.rows();
            first = range.end;
            self.warm_start().joints.get(range).map(|impulses| self.joint_load(joint, impulses))
        })
    }

    fn joint_load(&self, joint: &dyn Joint, impulses: &[f64]) -> JointLoad {
        let (state, h) = (self.state(), self.settings().step);
        let mut rows = [Row::ZERO; MAX_ROWS];
        let poses = joint.bodies().map(|body| &state.poses[body.index()]);
        joint.evaluate(poses, state.time, &mut rows[..joint.rows()]);
        let forces: Vec<f64> = impulses.iter().map(|impulse| impulse / h).collect();
        let (mut force, mut torque_in_body) = (Vec3::ZERO, Vec3::ZERO);
        for (row, lambda) in rows.iter().zip(&forces) {
            let [_, on_b] = &row.jacobian;
            force += *lambda * Vec3::from_slice(&on_b[..3]);
            torque_in_body += *lambda * Vec3::from_slice(&on_b[3..]);
        }
        let drive = joint.motion(state.time).and_then(|(row, _)| {
            let load = if rows.get(row)?.is_angle { DriveLoad::Torque } else { DriveLoad::Force };
            forces.get(row).copied().map(load)
        });
        JointLoad { rows: forces, force, torque: poses[1].rotation * torque_in_body, drive }
    }
}

//! What joints transmit.

use crate::Simulation;

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
}

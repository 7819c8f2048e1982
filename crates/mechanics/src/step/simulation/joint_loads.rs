//! What joints and forces do to their bodies.

use super::Simulation;
use crate::diagnostics::motion;
use crate::force::Wrench;
use crate::joint::JointLoad;

impl Simulation {
    /// Forces of every row of a joint in the last step, in the order of its rows: \[N\] for lengths, \[N m\] for angles; positive
    /// where they drive Ψ up. None before the first step, and for a joint that does not exist.
    ///
    /// The rows are those the joint's file opens with: a driven hinge or slider has its motor in row 5.
    #[must_use]
    pub fn joint_forces(&self, joint: usize) -> Option<Vec<f64>> {
        let mut joints = self.model.joints().map(|(_, joint)| joint.rows());
        let first: usize = joints.by_ref().take(joint).sum();
        let rows = joints.next()?;
        let impulses = self.warm_start().joints.get(first..first + rows)?;
        Some(impulses.iter().map(|impulse| impulse / self.settings.parameters.step).collect())
    }

    /// What every joint transmits, in the order of the model; `None` for all of them before the first step.
    pub fn joint_loads(&self) -> impl Iterator<Item = Option<JointLoad>> {
        let mut first = 0;
        self.model.joints().map(move |(_, joint)| {
            let range = first..first + joint.rows();
            first = range.end;
            let impulses = self.warm_start().joints.get(range)?;
            let forces = impulses.iter().map(|impulse| impulse / self.settings.parameters.step).collect();
            Some(JointLoad::of(joint, &self.state.poses, self.state.time, forces))
        })
    }

    /// The wrenches of a force on both of its bodies, where they are now and with what it remembers; of a force on one body the
    /// second is zero. None for a force that does not exist.
    #[must_use]
    pub fn force_wrenches(&self, force: usize) -> Option<[Wrench; 2]> {
        let (_, acting) = self.model.force(force)?;
        let memory = self.state.memory.get(self.model.memory_layout().range(force))?;
        let motions = acting.bodies().map(|body| motion(&self.state, body.index()));
        Some(acting.wrench([&motions[0], &motions[1]], self.state.time, memory))
    }
}

#[cfg(test)]
mod tests {
    use crate::force::{Load, Spring, Wrench};
    use crate::{Body, Mat3, Model, Settings, Simulation, Vec3};

    #[test]
    fn the_wrenches_are_those_of_the_force_where_its_bodies_are() {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let mass = model.body(Body::new("mass", 2.0, Mat3::IDENTITY).at(Vec3::new(0.0, 0.0, -1.5)));
        model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], 40.0, 0.0, 1.0));
        model.force("load", Load::new(mass).force(Vec3::X * 3.0, None));
        let simulation = Simulation::new(model.build().unwrap(), Settings::default()).unwrap();
        // Longer by 0.5 m: 20 N pull the mass up and the ground down.
        let spring = simulation.force_wrenches(0).unwrap();
        assert!((spring[1].force - Vec3::Z * 20.0).length() < 1e-12, "{spring:?}");
        assert!((spring[0].force + Vec3::Z * 20.0).length() < 1e-12, "{spring:?}");
        let on_one = [Wrench { force: Vec3::X * 3.0, torque: Vec3::ZERO }, Wrench::default()];
        assert_eq!(simulation.force_wrenches(1), Some(on_one));
        assert_eq!(simulation.force_wrenches(2), None);
    }
}

//! What changes: positions, velocities and what forces remember.

use crate::{Model, Pose, Vec3};

/// Positions and velocities of all bodies at one time, in the order of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Steps taken since the start.
    pub step: u64,
    /// world_from_body, the origin being the centre of mass.
    pub poses: Vec<Pose>,
    /// Velocity of the centre of mass, in the world \[m/s\].
    pub velocities: Vec<Vec3>,
    /// Angular velocity, in body axes \[rad/s\].
    pub angular_velocities: Vec<Vec3>,
    /// Positions of all nodes of flexible bodies, body after body \[m\].
    pub nodes: Vec<Vec3>,
    /// Their velocities \[m/s\].
    pub node_velocities: Vec<Vec3>,
    /// Numbers that forces keep, one force after the other ([`Model::memory_layout`]).
    pub memory: Vec<f64>,
}

impl State {
    /// Where a model starts.
    #[must_use]
    pub fn start_of(model: &Model) -> Self {
        let bodies = model.bodies();
        Self {
            time: 0.0,
            step: 0,
            poses: bodies.iter().map(|body| body.start).collect(),
            velocities: bodies.iter().map(|body| body.velocity).collect(),
            angular_velocities: bodies.iter().map(|body| body.angular_velocity).collect(),
            nodes: model.field().start.clone(),
            node_velocities: model.field().velocity.clone(),
            memory: vec![0.0; model.memory_layout().len()],
        }
    }

    /// A number that two states share only if all their bits agree (FNV-1a over every number).
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |value: f64| {
            for byte in value.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        add(self.time);
        for pose in &self.poses {
            pose.position.to_array().into_iter().chain(pose.rotation.to_array()).for_each(&mut add);
        }
        for vector in
            self.velocities.iter().chain(&self.angular_velocities).chain(&self.nodes).chain(&self.node_velocities)
        {
            vector.to_array().into_iter().for_each(&mut add);
        }
        self.memory.iter().copied().for_each(&mut add);
        hash
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.poses.iter().all(|pose| pose.position.is_finite() && pose.rotation.is_finite())
            && self.velocities.iter().chain(&self.angular_velocities).all(|v| v.is_finite())
            && self.nodes.iter().chain(&self.node_velocities).all(|v| v.is_finite())
            && self.memory.iter().all(|z| z.is_finite())
    }
}

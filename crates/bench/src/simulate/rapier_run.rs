//! The same balls in Rapier (f64, its defaults, one thread).

use super::balls::{BallDrop, DENSITY, RADIUS};
use rapier3d_f64::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape, Vector};
use signorini_mechanics::Vec3;

pub(crate) struct RapierRun {
    world: PhysicsWorld,
    balls: Vec<RigidBodyHandle>,
}

impl RapierRun {
    pub(crate) fn new(drop: &BallDrop, step: f64) -> Self {
        let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
        world.integration_parameters.dt = step;
        let vector = |v: Vec3| Vector::new(v.x, v.y, v.z);
        for (normal, at) in drop.planes() {
            let plane =
                ColliderBuilder::new(SharedShape::halfspace(vector(normal))).friction(drop.friction).restitution(0.0);
            world.insert(RigidBodyBuilder::fixed().translation(vector(at)), plane);
        }
        let balls = drop.positions().into_iter().map(|at| {
            let ball = ColliderBuilder::ball(RADIUS).density(DENSITY).friction(drop.friction).restitution(0.0);
            // Kept awake, as all bodies of ours are.
            let body = RigidBodyBuilder::dynamic().translation(vector(at)).can_sleep(false);
            world.insert(body, ball).0
        });
        let balls = balls.collect();
        Self { world, balls }
    }
    pub(crate) fn step(&mut self) {
        self.world.step();
    }
    pub(crate) fn centres(&self) -> Vec<Vec3> {
        let centre = |ball: &RigidBodyHandle| {
            let at = self.world.bodies[*ball].translation();
            Vec3::new(at.x, at.y, at.z)
        };
        self.balls.iter().map(centre).collect()
    }
}

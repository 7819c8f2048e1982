//! A scene of the gallery in motion, and what the tests ask of it.

use signorini_mechanics::{Quat, Settings, Simulation, State, Vec3};
use signorini_scene::{Overrides, Scene, load};
use std::f64::consts::{PI, TAU};

pub(crate) fn scene(name: &str, set: &[(&str, &str)]) -> Scene {
    let set = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    load(name, &Overrides { set, ..Overrides::default() }).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A mechanism in motion.
pub(crate) struct Run {
    pub(crate) simulation: Simulation,
    names: Vec<String>,
}

impl Run {
    pub(crate) fn new(name: &str, set: &[(&str, &str)], step: f64) -> Self {
        Self::with(name, set, |settings| Settings { step, ..settings })
    }
    /// With other settings than the scene's.
    pub(crate) fn with(name: &str, set: &[(&str, &str)], change: impl Fn(Settings) -> Settings) -> Self {
        let scene = scene(name, set);
        let names = scene.model.bodies().iter().map(|body| body.name.clone()).collect();
        let settings = change(scene.settings);
        Self { simulation: Simulation::new(scene.model, settings).expect("a simulation"), names }
    }
    pub(crate) fn step(&mut self) {
        let report = self.simulation.step().expect("a step");
        assert!(report.converged(), "{report:?}");
    }
    pub(crate) fn state(&self) -> &State {
        self.simulation.state()
    }
    pub(crate) fn body(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).expect("the body")
    }
    pub(crate) fn position(&self, name: &str) -> Vec3 {
        self.state().poses[self.body(name)].position
    }
    /// Angle about z, from −π to π.
    pub(crate) fn turn(&self, name: &str) -> f64 {
        about_z(self.state().poses[self.body(name)].rotation)
    }
    /// Velocity of a point of a body given in its own axes from its centre of mass.
    pub(crate) fn velocity(&self, name: &str, point: Vec3) -> Vec3 {
        let (state, at) = (self.state(), self.body(name));
        state.velocities[at] + state.poses[at].rotation * state.angular_velocities[at].cross(point)
    }
}

pub(crate) fn about_z(rotation: Quat) -> f64 {
    wrapped(2.0 * rotation.z.atan2(rotation.w))
}
pub(crate) fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

//! Energy and momentum of a state.

use crate::force::Motion;
use crate::{Model, State, Vec3};
use signorini_linalg::{Halves, Threads};
use std::ops::Range;

/// Bodies one task looks at.
const BODIES: usize = 1024;

/// Energy of a state \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Energy {
    /// ½ m v² + ½ ωᵀIω of all bodies that move.
    pub kinetic: f64,
    /// −m g·x of all bodies that move, and what springs store.
    pub potential: f64,
    /// What flexible bodies store.
    pub elastic: f64,
}

impl Energy {
    /// All together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }

    /// The energy of a state.
    #[must_use]
    pub fn of(model: &Model, state: &State) -> Self {
        Self::with(model, state, Threads::One)
    }

    /// The same on several threads; the bits are the same.
    pub(crate) fn with(model: &Model, state: &State, threads: Threads) -> Self {
        let of_bodies = |range: Range<usize>| {
            let mut energy = Self::default();
            for i in range.filter(|&i| !model.bodies()[i].is_fixed) {
                let (body, v, omega) = (&model.bodies()[i], state.velocities[i], state.angular_velocities[i]);
                energy.kinetic += 0.5 * (body.mass * v.length_squared() + omega.dot(body.inertia * omega));
                energy.potential -= body.mass * model.gravity().dot(state.poses[i].position);
            }
            energy
        };
        let join = |a: Self, b: Self| Self {
            kinetic: a.kinetic + b.kinetic,
            potential: a.potential + b.potential,
            elastic: a.elastic + b.elastic,
        };
        let mut energy = Halves::new(BODIES, threads).total(model.bodies().len(), &of_bodies, &join);
        for (index, (_, force)) in model.forces().enumerate() {
            let motions = force.bodies().map(|body| motion(state, body.index()));
            let memory = &state.memory[model.memory_layout().range(index)];
            energy.potential += force.energy([&motions[0], &motions[1]], state.time, memory);
        }
        let field = model.field();
        if !field.is_empty() {
            let mut momentum = vec![Vec3::ZERO; field.nodes()];
            field.add_mass_times(&state.node_velocities, 1.0, &mut momentum);
            energy.kinetic += 0.5 * momentum.iter().zip(&state.node_velocities).map(|(p, v)| p.dot(*v)).sum::<f64>();
            energy.potential -=
                field.mass.iter().zip(&state.nodes).map(|(m, x)| m * model.gravity().dot(*x)).sum::<f64>();
            energy.elastic = field.energy(&state.nodes, rayon::current_num_threads() > 1);
        }
        energy
    }
}

/// Momentum of all bodies that move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Σ m v \[kg m/s\].
    pub linear: Vec3,
    /// Σ x × m v + A I ω about the origin of the world \[kg m²/s\].
    pub angular: Vec3,
}

impl Momentum {
    /// The momentum of a state.
    #[must_use]
    pub fn of(model: &Model, state: &State) -> Self {
        Self::with(model, state, Threads::One)
    }

    /// The same on several threads; the bits are the same.
    pub(crate) fn with(model: &Model, state: &State, threads: Threads) -> Self {
        let of_bodies = |range: Range<usize>| {
            let mut momentum = Self::default();
            for i in range.filter(|&i| !model.bodies()[i].is_fixed) {
                let (body, pose) = (&model.bodies()[i], &state.poses[i]);
                let (p, spin) = (body.mass * state.velocities[i], body.inertia * state.angular_velocities[i]);
                momentum.linear += p;
                momentum.angular += pose.position.cross(p) + pose.rotation * spin;
            }
            momentum
        };
        let join = |a: Self, b: Self| Self { linear: a.linear + b.linear, angular: a.angular + b.angular };
        let mut momentum = Halves::new(BODIES, threads).total(model.bodies().len(), &of_bodies, &join);
        let field = model.field();
        if !field.is_empty() {
            let mut of_nodes = vec![Vec3::ZERO; field.nodes()];
            field.add_mass_times(&state.node_velocities, 1.0, &mut of_nodes);
            for (p, x) in of_nodes.iter().zip(&state.nodes) {
                momentum.linear += *p;
                momentum.angular += x.cross(*p);
            }
        }
        momentum
    }
}

pub(crate) fn motion(state: &State, body: usize) -> Motion {
    Motion {
        pose: state.poses[body],
        velocity: state.velocities[body],
        angular_velocity: state.angular_velocities[body],
    }
}

/// The largest speed of a body's points, as far from its centre of mass as its radius of gyration, and of nodes \[m/s\].
pub(crate) fn fastest(model: &Model, state: &State, threads: Threads) -> f64 {
    let of_bodies = |range: Range<usize>| {
        let speeds = range.filter(|&i| !model.bodies()[i].is_fixed).map(|i| {
            let (body, omega) = (&model.bodies()[i], state.angular_velocities[i]);
            state.velocities[i].length() + (omega.dot(body.inertia * omega) / body.mass).sqrt()
        });
        speeds.fold(0.0, f64::max)
    };
    let bodies = Halves::new(BODIES, threads).total(model.bodies().len(), &of_bodies, &f64::max);
    state.node_velocities.iter().map(|v| v.length()).fold(bodies, f64::max)
}

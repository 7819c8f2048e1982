//! Numbers that forces keep: ż = memory_rate(q, v, z, t).
//!
//! [`State::memory`] holds the numbers of all forces one after the other, in the order of the model; a [`MemoryLayout`] says
//! which of them belong to which force. The linearly implicit step takes them along by
//!
//! ```text
//! z⁺ = z + h ż(q, v, z, t + h)
//! ```
//!
//! and evaluates forces with z⁺: all of the new memory is known before the velocities are.

use super::Force;
use crate::diagnostics::motion;
use crate::{Model, State};
use std::ops::Range;

/// Which numbers of [`State::memory`] belong to which force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Where the numbers of every force end.
    ends: Vec<usize>,
}

impl MemoryLayout {
    /// The layout of forces in this order.
    pub(crate) fn new<'a>(forces: impl Iterator<Item = &'a dyn Force>) -> Self {
        let ends = forces.scan(0, |end, force| {
            *end += force.memory();
            Some(*end)
        });
        Self { ends: ends.collect() }
    }

    /// How many numbers all forces keep together.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether no force keeps any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the numbers of a force are, by its place in the model; empty where there is no such force.
    #[must_use]
    pub fn range(&self, force: usize) -> Range<usize> {
        let end = |force: usize| self.ends.get(force).copied().unwrap_or(self.len());
        let start = force.checked_sub(1).map_or(0, end);
        start..end(force)
    }
}

/// z + h ż(q, v, z, t + h) of all forces.
pub(crate) fn advanced(model: &Model, state: &State, h: f64) -> Vec<f64> {
    let mut memory = state.memory.clone();
    if memory.is_empty() {
        return memory;
    }
    let mut rates = vec![0.0; memory.len()];
    rates_of(model, state, state.time + h, &mut rates);
    memory.iter_mut().zip(&rates).for_each(|(z, rate)| *z += h * rate);
    memory
}

/// ż of all forces in a state, at a time of its own.
pub(crate) fn rates_of(model: &Model, state: &State, time: f64, rates: &mut [f64]) {
    for (index, (_, force)) in model.forces().enumerate().filter(|(_, (_, force))| force.memory() > 0) {
        let range = model.memory_layout().range(index);
        let motions = force.bodies().map(|body| motion(state, body.index()));
        force.memory_rate([&motions[0], &motions[1]], time, &state.memory[range.clone()], &mut rates[range]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::{Motion, Tangent, Wrench};
    use crate::{BodyId, Vec3};

    #[derive(Debug)]
    struct Keeps(usize);

    impl Force for Keeps {
        fn kind(&self) -> &'static str {
            "test"
        }
        fn bodies(&self) -> [BodyId; 2] {
            [BodyId(0); 2]
        }
        fn wrench(&self, _: [&Motion; 2], _: f64, memory: &[f64]) -> [Wrench; 2] {
            [Wrench { force: Vec3::X * memory.iter().sum::<f64>(), torque: Vec3::ZERO }, Wrench::default()]
        }
        fn tangent(&self, _: [&Motion; 2], _: f64, _: &[f64]) -> Option<Tangent> {
            None
        }
        fn energy(&self, _: [&Motion; 2], _: f64, _: &[f64]) -> f64 {
            0.0
        }
        fn memory(&self) -> usize {
            self.0
        }
        fn memory_rate(&self, _: [&Motion; 2], time: f64, memory: &[f64], rate: &mut [f64]) {
            rate.iter_mut().zip(memory).enumerate().for_each(|(k, (rate, z))| *rate = time + z + k as f64);
        }
    }

    #[test]
    fn every_force_has_numbers_of_its_own_one_after_the_other() {
        let forces = [Keeps(0), Keeps(2), Keeps(0), Keeps(3)];
        let layout = MemoryLayout::new(forces.iter().map(|force| force as &dyn Force));
        assert_eq!((layout.len(), layout.is_empty()), (5, false));
        assert_eq!([0, 1, 2, 3, 4].map(|force| layout.range(force)), [0..0, 0..2, 2..2, 2..5, 5..5]);
        assert!(MemoryLayout::default().is_empty() && MemoryLayout::default().range(0) == (0..0));
    }

    #[test]
    fn a_step_takes_the_memory_along_and_evaluates_forces_with_it() {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        model.body(crate::Body::new("a", 1.0, crate::Mat3::IDENTITY));
        model.force("first", Keeps(1)).force("none", Keeps(0)).force("last", Keeps(2));
        let settings = crate::Settings { step: 0.5, ..crate::Settings::default() };
        let mut simulation = crate::Simulation::new(model.build().unwrap(), settings).unwrap();
        simulation.step().unwrap();
        // ż = t + h + z + k = 0.5, 0.5, 1.5; the force is the sum of z⁺ = hż: v = h · 1.25.
        assert_eq!(simulation.state().memory, [0.25, 0.25, 0.75]);
        assert!((simulation.state().velocities[0].x - 0.625).abs() < 1e-9);
        simulation.step().unwrap();
        // ż = 1 + z + k.
        assert_eq!(simulation.state().memory, [0.875, 0.875, 2.125]);
    }
}

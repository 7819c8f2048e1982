//! The iterate with the least residual, for methods whose residual goes up and down.

use crate::driver::Estimate;

/// Which of a few buffers holds the best iterate, and for how long.
///
/// Iterates are kept in more buffers than the method needs, and the next one is written where none of those needed is:
/// the best one stays where it is and nothing is copied.
pub(super) struct Best {
    /// The buffer.
    pub(super) slot: usize,
    /// Its natural map; `None` before the first was estimated.
    pub(super) estimate: Option<Estimate>,
    age: u32,
    iterations: u32,
}

/// A method that has not improved its best iterate for this many iterations, and for half of all, is at its end.
const PATIENCE: u32 = 5000;

impl Best {
    pub(super) fn new(slot: usize) -> Self {
        Self { slot, estimate: None, age: 0, iterations: 0 }
    }
    /// Takes note of the iterate in a buffer.
    pub(super) fn offer(&mut self, slot: usize, estimate: Estimate) {
        self.iterations += 1;
        self.age += 1;
        let least = self.estimate.map_or(f64::INFINITY, |best| best.natural_map_relative);
        if estimate.natural_map_relative < least {
            *self = Self { slot, estimate: Some(estimate), age: 0, iterations: self.iterations };
        }
    }
    /// Whether there has been no progress for long.
    pub(super) fn is_stale(&self) -> bool {
        self.age > PATIENCE && self.age > self.iterations / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_least_and_loses_patience() {
        let at = |x| Estimate { natural_map: x, natural_map_relative: x };
        let mut best = Best::new(3);
        best.offer(0, at(2.0));
        best.offer(1, at(1.0));
        best.offer(2, at(1.5));
        best.offer(2, at(f64::NAN));
        assert_eq!((best.slot, best.estimate.unwrap().natural_map), (1, 1.0));
        (0..PATIENCE).for_each(|_| best.offer(2, at(1.5)));
        assert!(best.is_stale());
    }
}

//! Numbers that are read and written through shared references: what a method needs that changes one block at a time.
//!
//! Threads that share the blocks of a colour touch no number of each other, so that relaxed loads and stores (plain ones on
//! common machines) give the same values in any schedule.

use std::sync::atomic::{AtomicU64, Ordering};

/// A vector read by index.
pub(crate) trait Numbers {
    /// The numbers `first..first + count`.
    fn part(&self, first: usize, count: usize) -> &Self;
    fn get(&self, at: usize) -> f64;
}

impl Numbers for [f64] {
    #[inline]
    fn part(&self, first: usize, count: usize) -> &Self {
        &self[first..first + count]
    }
    #[inline]
    fn get(&self, at: usize) -> f64 {
        self[at]
    }
}

/// A number that threads share.
pub(crate) struct Shared(AtomicU64);

impl From<f64> for Shared {
    fn from(value: f64) -> Self {
        Self(AtomicU64::new(value.to_bits()))
    }
}

impl Shared {
    #[inline]
    pub(crate) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
    #[inline]
    pub(crate) fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Numbers for [Shared] {
    #[inline]
    fn part(&self, first: usize, count: usize) -> &Self {
        &self[first..first + count]
    }
    #[inline]
    fn get(&self, at: usize) -> f64 {
        self[at].get()
    }
}

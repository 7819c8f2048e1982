//! A name for the pattern of a problem, so that a solver sees at a glance whether what it keeps still fits.

use std::sync::atomic::{AtomicU64, Ordering};

/// Two problems with the same name have the same bodies, blocks of rows, columns and kinds of cones, the same soft rows and the
/// same pattern of a sparse H or N. The numbers may differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternName(u64);

impl PatternName {
    /// A name no other pattern has.
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
    /// Whether two problems are known to share their pattern.
    pub(crate) fn is(self, other: Self) -> bool {
        self.0 == other.0
    }
}

/// The same for the numbers of H: two problems with the same name have the same H, to the bit.
pub(crate) type InertiaName = PatternName;

/// A name is derived from the problem: problems that are equal in all numbers are equal, whatever their patterns are called.
impl PartialEq for PatternName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

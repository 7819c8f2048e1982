//! What is new about a problem that is solved again.

/// How much of what was prepared for the problem before is still good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: another pattern.
    Everything,
    /// The pattern (order, layout, symbolic analysis, sizes of buffers): the numbers are others.
    SamePattern,
    /// All but b.
    OffsetOnly,
    /// Everything: the same problem once more.
    Nothing,
}

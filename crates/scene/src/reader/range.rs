//! Which numbers are allowed.

/// An interval of allowed numbers and its name in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    least: f64,
    is_open: bool,
    most: f64,
    text: &'static str,
}

impl Range {
    /// Any number a computation survives.
    pub(crate) const ANY: Self = Self::closed(-1e60, 1e60, "a number between -1e60 and 1e60");
    pub(crate) const POSITIVE: Self = Self::above_zero(1e60, "a number > 0, at most 1e60");
    pub(crate) const NOT_NEGATIVE: Self = Self::closed(0.0, 1e60, "a number from 0 to 1e60");
    /// A coordinate \[m\].
    pub(crate) const COORDINATE: Self = Self::closed(-1e9, 1e9, "a number of metres between -1e9 and 1e9");
    /// A size \[m\].
    pub(crate) const LENGTH: Self = Self::above_zero(1e9, "a number of metres > 0, at most 1e9");
    /// A length that may be zero \[m\].
    pub(crate) const LENGTH_OR_ZERO: Self = Self::closed(0.0, 1e9, "a number of metres from 0 to 1e9");
    /// A speed \[m/s, rad/s\].
    pub(crate) const SPEED: Self = Self::closed(-1e9, 1e9, "a number between -1e9 and 1e9");
    /// A time \[s\].
    pub(crate) const TIME: Self = Self::above_zero(1e9, "a number of seconds > 0, at most 1e9");
    /// From nothing to all.
    pub(crate) const SHARE: Self = Self::closed(0.0, 1.0, "a number from 0 to 1");

    pub(crate) const fn closed(least: f64, most: f64, text: &'static str) -> Self {
        Self { least, is_open: false, most, text }
    }
    const fn above_zero(most: f64, text: &'static str) -> Self {
        Self { least: 0.0, is_open: true, most, text }
    }
    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.least..=self.most).contains(&value) && (!self.is_open || value != self.least)
    }
    pub(crate) fn text(&self) -> &'static str {
        self.text
    }
}

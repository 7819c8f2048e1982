//! Reals as 16-bit numbers: value = low + (high − low) q / 65535, or scale q / 32767. Half a unit is lost at most.

use super::body::{Array, Body};

/// The least and the largest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    pub(super) const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Numbers that are not finite do not count.
    pub(super) fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    /// 0 to 0 if there were no numbers.
    pub(super) fn or_zero(self) -> Self {
        if self.low <= self.high { self } else { Self { low: 0.0, high: 0.0 } }
    }

    /// The nearest 16-bit number; what is not a number counts as the largest.
    pub(super) fn quantise(&self, value: f64) -> u16 {
        let size = self.high - self.low;
        if value.is_nan() {
            return u16::MAX;
        }
        // A cast saturates.
        if size > 0.0 { ((value - self.low) / size * 65535.0).round() as u16 } else { 0 }
    }
}

/// The nearest signed 16-bit number, as its bits.
pub(super) fn signed(value: f64, scale: f64) -> u16 {
    let q = if scale > 0.0 { (value / scale * 32767.0).round().clamp(-32767.0, 32767.0) as i16 } else { 0 };
    q.cast_unsigned()
}

/// An array of which every frame holds the differences to the one before, modulo 65536.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) array: Array,
    previous: Vec<u16>,
    next: usize,
}

impl Steps {
    pub(super) fn new(body: &mut Body, frames: usize, width: usize) -> Self {
        Self { array: body.reserve(frames * width, 2), previous: vec![0; width], next: 0 }
    }

    /// The numbers of the next frame.
    pub(super) fn put(&mut self, body: &mut Body, values: impl Iterator<Item = u16>) {
        for (value, previous) in values.zip(&mut self.previous) {
            body.put_u16(self.array, self.next, value.wrapping_sub(*previous));
            *previous = value;
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_a_range_are_exact_and_half_a_unit_is_lost_at_most() {
        let range = Range { low: -1.5, high: 2.5 };
        assert_eq!((range.quantise(-1.5), range.quantise(2.5)), (0, 65535));
        for k in 0..1000 {
            let x = -1.5 + 4.0 * f64::from(k) / 999.0;
            let back = -1.5 + 4.0 * f64::from(range.quantise(x)) / 65535.0;
            assert!((back - x).abs() <= 4.0 / 65535.0 * 0.5 * (1.0 + 1e-9));
        }
        assert_eq!(Range::EMPTY.or_zero().quantise(3.0), 0);
        assert_eq!((signed(-2.0, 2.0) as i16, signed(2.0, 2.0) as i16, signed(1.0, 0.0)), (-32767, 32767, 0));
    }
}

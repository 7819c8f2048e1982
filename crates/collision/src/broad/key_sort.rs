//! Sorting cell numbers: radix sort from the lowest digit on, as many passes as the largest number has digits.

use super::Member;

/// Bits of a digit: 2048 counters fit the nearest cache.
const DIGIT: u32 = 11;

/// Cell numbers with the ball in the cell, sorted in place with a second buffer.
#[derive(Default)]
pub(super) struct KeySort {
    pub(super) keyed: Vec<(u64, Member)>,
    other: Vec<(u64, Member)>,
}

impl KeySort {
    /// Sorts `keyed` by keys below 2^bits; equal keys keep their order.
    pub(super) fn sort(&mut self, bits: u32) {
        self.other.clear();
        self.other.resize(self.keyed.len(), (0, Member::default()));
        for shift in (0..bits).step_by(DIGIT as usize) {
            let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
            let mut starts = [0u32; 1 << DIGIT];
            self.keyed.iter().for_each(|(key, _)| starts[digit(*key)] += 1);
            let mut sum = 0;
            for start in &mut starts {
                sum += std::mem::replace(start, sum);
            }
            for entry in &self.keyed {
                let place = &mut starts[digit(entry.0)];
                self.other[*place as usize] = *entry;
                *place += 1;
            }
            std::mem::swap(&mut self.keyed, &mut self.other);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.keyed.capacity() + self.other.capacity()) * size_of::<(u64, Member)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_length_are_sorted_and_equal_ones_keep_their_order() {
        for bits in [1, 11, 12, 40, 63] {
            let mut state = 1u64;
            let keyed: Vec<(u64, Member)> = (0..3000)
                .map(|index| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 1) & ((1 << bits) - 1) & !6, Member::new(index, false))
                })
                .collect();
            let mut sort = KeySort { keyed: keyed.clone(), other: Vec::new() };
            sort.sort(bits);
            let mut expected = keyed;
            expected.sort_by_key(|(key, _)| *key);
            assert_eq!(sort.keyed, expected, "{bits} bits");
        }
    }
}

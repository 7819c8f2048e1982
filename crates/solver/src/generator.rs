//! Pseudo-random numbers that are the same on every machine and in every version.

/// SplitMix64: one 64-bit word of state, equidistributed output; ample for making test problems.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
}

impl Generator {
    /// A stream of numbers that depends on the seed only.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        // Increment and multipliers of SplitMix64 (Steele, Lea, Flood 2014; Vigna's public-domain code).
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        // The top 53 bits, as a multiple of 2⁻⁵³ in [0, 1).
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A whole number in `0..limit`; `limit` > 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// A vector with entries in `[-size, size)`.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.uniform(-size, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_are_those_of_the_reference_implementation() {
        let mut generator = Generator::new(1234567);
        assert_eq!(generator.bits(), 6457827717110365317);
        assert_eq!(generator.bits(), 3203168211198807973);
    }

    #[test]
    fn uniform_numbers_fill_their_interval() {
        let mut generator = Generator::new(7);
        let numbers: Vec<f64> = (0..1000).map(|_| generator.uniform(-2.0, 3.0)).collect();
        let mean = numbers.iter().sum::<f64>() / 1000.0;
        assert!(numbers.iter().all(|x| (-2.0..3.0).contains(x)));
        // Standard error 5/√12/√1000 = 0.046; four of them.
        assert!((mean - 0.5).abs() < 0.19, "mean {mean}");
    }
}

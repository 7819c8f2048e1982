//! From the steps a method takes to the residual they would be measured as.

use crate::driver::{Estimate, Measured};

/// Learns from every measurement how large the natural map is compared with the steps of the last sweep, which are taken at
/// other impulses and with other lengths. Without it a method would be measured after every sweep once its steps are small.
pub(super) struct Calibration {
    known: Option<[f64; 2]>,
    ratio: [f64; 2],
}

impl Default for Calibration {
    fn default() -> Self {
        Self { known: None, ratio: [1.0; 2] }
    }
}

impl Calibration {
    /// Measured over estimated is kept within this factor and its inverse.
    const MOST: f64 = 100.0;

    /// Takes note of a measurement of the iterate that `raw` estimates.
    pub(super) fn learn(&mut self, measured: &Measured, raw: Option<Estimate>) {
        let found = [measured.residuals.natural_map, measured.residuals.natural_map_relative];
        // The driver repeats the last measurement until it makes another.
        if let (Some(raw), true) = (raw, self.known != Some(found)) {
            let raw = [raw.natural_map, raw.natural_map_relative];
            for i in 0..2 {
                if raw[i] > 0.0 {
                    self.ratio[i] = (found[i] / raw[i]).clamp(1.0 / Self::MOST, Self::MOST);
                }
            }
        }
        self.known = Some(found);
    }
    /// What the estimate would be measured as.
    pub(super) fn apply(&self, raw: Estimate) -> Estimate {
        Estimate {
            natural_map: self.ratio[0] * raw.natural_map,
            natural_map_relative: self.ratio[1] * raw.natural_map_relative,
        }
    }
}

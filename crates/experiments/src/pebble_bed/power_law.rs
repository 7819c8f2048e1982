//! A power law through measurements, and beyond them.

use crate::fit::slope;

/// y = factor · x^exponent
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PowerLaw {
    pub(super) factor: f64,
    pub(super) exponent: f64,
}

impl PowerLaw {
    /// The line of least squares through the logarithms; `None` for fewer than two different places.
    pub(super) fn through(points: &[[f64; 2]]) -> Option<Self> {
        let logarithms: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
        let count = logarithms.len() as f64;
        let mean = |k: usize| logarithms.iter().map(|point| point[k]).sum::<f64>() / count;
        let (x, y) = (mean(0), mean(1));
        let exponent = slope(&logarithms);
        let law = Self { factor: (y - exponent * x).exp(), exponent };
        (points.iter().any(|point| point[0] != points[0][0]) && law.factor.is_finite() && exponent.is_finite())
            .then_some(law)
    }

    /// What goes on from the two largest places: through the last one, with the growth between the two, or in proportion where that
    /// is less: what a program needs at any size makes small sizes look dear, and nothing is had for nothing at large ones.
    pub(super) fn beyond(points: &[[f64; 2]]) -> Option<Self> {
        let [.., before, last] = points else { return None };
        let growth = Self::through(&[*before, *last])?;
        let exponent = growth.exponent.max(1.0);
        Some(Self { factor: last[1] / last[0].powf(exponent), exponent })
    }

    pub(super) fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }

    /// Where it has this value.
    pub(super) fn reaching(&self, y: f64) -> f64 {
        (y / self.factor).powf(1.0 / self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_at_any_size_does_not_make_large_sizes_cheap() {
        let law = PowerLaw::beyond(&[[1e3, 8e6], [1e4, 61e6], [2e4, 121e6]]).unwrap();
        assert!((law.exponent - 1.0).abs() < 1e-12 && (law.at(2e5) / 1.21e9 - 1.0).abs() < 1e-12, "{law:?}");
        let steep = PowerLaw::beyond(&[[1e3, 1.0], [1e4, 100.0], [2e4, 400.0]]).unwrap();
        assert!((steep.exponent - 2.0).abs() < 1e-12 && (steep.at(4e4) - 1600.0).abs() < 1e-6, "{steep:?}");
    }

    #[test]
    fn a_power_law_is_found_again() {
        let law = PowerLaw { factor: 3.0, exponent: 1.5 };
        let found = PowerLaw::through(&[1.0, 10.0, 500.0].map(|x| [x, law.at(x)])).unwrap();
        assert!((found.factor - 3.0).abs() < 1e-12 && (found.exponent - 1.5).abs() < 1e-12, "{found:?}");
        assert!((found.reaching(law.at(77.0)) - 77.0).abs() < 1e-9);
        assert_eq!(PowerLaw::through(&[[1.0, 2.0]]), None);
        assert_eq!(PowerLaw::through(&[]), None);
    }
}

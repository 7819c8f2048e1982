//! Where a value is drawn, and which values are written beside the axis.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm. Zero and below are drawn at an end of their own, marked 0.
    Logarithmic,
}

/// One axis of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is drawn along it, with the unit.
    pub label: String,
    /// How.
    pub scale: Scale,
    /// From where to where; without it, as far as there are values.
    pub limits: Option<[f64; 2]>,
}

/// A logarithmic axis shows so many decades below its largest value; what is smaller is drawn at its end.
const MOST_DECADES: f64 = 20.0;
/// Room of the end for zeros, as a share of the axis.
const ZERO_ROOM: f64 = 0.08;

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: &str) -> Self {
        Self { label: label.into(), scale: Scale::Linear, limits: None }
    }
    /// A logarithmic axis.
    #[must_use]
    pub fn logarithmic(label: &str) -> Self {
        Self { label: label.into(), scale: Scale::Logarithmic, limits: None }
    }
    /// The same from one value to another.
    #[must_use]
    pub fn within(mut self, limits: [f64; 2]) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Places values between two positions on the sheet.
    pub(crate) fn fit(&self, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Mapping {
        let mut zeros = false;
        let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
        for value in values.filter(|value| value.is_finite()) {
            match self.scale {
                Scale::Logarithmic if value <= 0.0 => zeros = true,
                Scale::Logarithmic => (low, high) = (low.min(value.log10()), high.max(value.log10())),
                Scale::Linear => (low, high) = (low.min(value), high.max(value)),
            }
        }
        if let Some([from, to]) = self.limits {
            [low, high] = match self.scale {
                Scale::Logarithmic => [from.log10(), to.log10()],
                Scale::Linear => [from, to],
            };
        }
        if low > high {
            [low, high] = [0.0, 1.0];
        }
        if self.limits.is_none() {
            [low, high] = match self.scale {
                // Whole decades, so that the ends have names.
                Scale::Logarithmic => [low.max(high - MOST_DECADES).floor(), high.ceil()],
                Scale::Linear => [low, high],
            };
        }
        if high - low < 1e-12 * high.abs().max(1e-300) {
            [low, high] = [low, low + if low == 0.0 || self.scale == Scale::Logarithmic { 1.0 } else { low.abs() }];
        }
        let zero = zeros.then(|| low - ZERO_ROOM / (1.0 - ZERO_ROOM) * (high - low));
        Mapping { scale: self.scale, low, high, zero, pixels }
    }
}

/// An axis that knows its values and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mapping {
    scale: Scale,
    /// First and last value, or their logarithms.
    low: f64,
    high: f64,
    /// Where zeros are drawn on a logarithmic axis, in decades.
    zero: Option<f64>,
    pixels: [f64; 2],
}

impl Mapping {
    /// Position of a value; values outside are drawn at the end. `None` for what is no number.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let at = match self.scale {
            _ if value.is_nan() => return None,
            Scale::Linear => value.clamp(self.low, self.high),
            Scale::Logarithmic if value <= 0.0 => self.zero.unwrap_or(self.low),
            Scale::Logarithmic => value.log10().clamp(self.low, self.high),
        };
        Some(self.position(at))
    }

    fn position(&self, at: f64) -> f64 {
        let first = self.zero.unwrap_or(self.low);
        let [from, to] = self.pixels;
        from + (to - from) * (at - first) / (self.high - first)
    }

    /// Positions with their names, at most about `most` of them.
    pub(crate) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let mut ticks = match self.scale {
            Scale::Linear => self.linear_ticks(most),
            Scale::Logarithmic => self.decades(most),
        };
        if let Some(zero) = self.zero {
            ticks.insert(0, (self.position(zero), "0".into()));
        }
        ticks
    }

    fn linear_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / most.max(1) as f64;
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * magnitude).into_iter().find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        let named = |k: f64| (self.position(k * step), format!("{:.decimals$}", k * step + 0.0));
        (0..=(last - first).clamp(0.0, 100.0) as usize).map(|k| named(first + k as f64)).collect()
    }

    fn decades(&self, most: usize) -> Vec<(f64, String)> {
        let (first, last) = ((self.low - 1e-9).ceil() as i32, (self.high + 1e-9).floor() as i32);
        let every = ((last - first).max(0) as usize).div_ceil(most.max(1)).max(1);
        let mut ticks: Vec<(f64, String)> = (first..=last)
            .step_by(every)
            .map(|decade| (self.position(f64::from(decade)), power_of_ten(decade)))
            .collect();
        if last - first <= 1 && most >= 5 {
            // One decade has too few names of its own.
            for decade in first - 1..=last {
                for digit in [2, 5] {
                    let at = f64::from(decade) + f64::from(digit).log10();
                    if at > self.low && at < self.high {
                        ticks.push((self.position(at), multiple_of_power(digit, decade)));
                    }
                }
            }
            ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        ticks
    }
}

fn power_of_ten(decade: i32) -> String {
    multiple_of_power(1, decade)
}

fn multiple_of_power(digit: i32, decade: i32) -> String {
    match decade {
        0..=4 => (digit * 10i32.pow(decade.unsigned_abs())).to_string(),
        _ => format!("{digit}e{decade}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mapping: &Mapping, most: usize) -> Vec<String> {
        mapping.ticks(most).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn a_logarithmic_axis_ends_at_whole_decades_and_is_even_in_the_logarithm() {
        let mapping = Axis::logarithmic("").fit([2e-6, 30.0].into_iter(), [0.0, 80.0]);
        assert_eq!(mapping.place(1e-6), Some(0.0));
        assert_eq!(mapping.place(100.0), Some(80.0));
        assert!((mapping.place(1e-2).unwrap() - 40.0).abs() < 1e-12);
        assert_eq!(names(&mapping, 4), ["1e-6", "1e-4", "1e-2", "1", "100"]);
    }

    #[test]
    fn zero_has_an_end_of_its_own_and_nothing_is_lost() {
        let mapping = Axis::logarithmic("").fit([0.0, 1.0, 10.0].into_iter(), [0.0, 100.0]);
        assert_eq!(mapping.place(0.0), Some(0.0));
        assert!((mapping.place(1.0).unwrap() - 8.0).abs() < 1e-9);
        assert_eq!(mapping.place(10.0), Some(100.0));
        assert_eq!(names(&mapping, 3), ["0", "1", "10"]);
        assert_eq!((mapping.place(f64::NAN), mapping.place(f64::INFINITY)), (None, Some(100.0)));
    }

    #[test]
    fn very_small_values_do_not_squeeze_the_others() {
        let mapping = Axis::logarithmic("").fit([1e-300, 1.0].into_iter(), [0.0, 1.0]);
        assert_eq!(mapping.place(1e-300), Some(0.0));
        assert!((mapping.place(1e-10).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn ticks_of_a_linear_axis_are_round() {
        let mapping = Axis::linear("").fit([0.0, 37.0].into_iter(), [0.0, 37.0]);
        assert_eq!(names(&mapping, 5), ["0", "10", "20", "30"]);
        let share = Axis::linear("").within([0.0, 1.0]).fit([0.3].into_iter(), [100.0, 0.0]);
        assert_eq!(names(&share, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(share.place(0.25), Some(75.0));
    }

    #[test]
    fn an_axis_without_values_or_with_one_value_has_a_width() {
        for axis in [Axis::linear(""), Axis::logarithmic("")] {
            for values in [vec![], vec![f64::NAN], vec![7.0], vec![0.0], vec![1.0], vec![-3.0, -3.0]] {
                let mapping = axis.fit(values.iter().copied(), [0.0, 10.0]);
                assert!(
                    mapping.position(mapping.high).is_finite() && mapping.high > mapping.low,
                    "{values:?} {mapping:?}"
                );
                assert!(mapping.ticks(5).iter().all(|(at, _)| at.is_finite()), "{values:?}");
                assert!(values.iter().all(|v| v.is_nan() || mapping.place(*v).is_some_and(f64::is_finite)));
            }
        }
    }

    #[test]
    fn one_decade_is_divided() {
        let mapping = Axis::logarithmic("").fit([1.2, 8.0].into_iter(), [0.0, 1.0]);
        assert_eq!(names(&mapping, 5), ["1", "2", "5", "10"]);
    }
}

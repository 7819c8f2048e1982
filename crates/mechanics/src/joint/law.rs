//! Functions of time: imposed angles, displacements and lengths, factors of loads.

use std::f64::consts::TAU;

/// A function of time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Law {
    /// c₀ + c₁t + c₂t² + …, lowest first: constant speed is `[offset, speed]`.
    Polynomial(Vec<f64>),
    /// offset + amplitude · sin(2π · frequency · t + phase).
    Sine {
        /// Largest departure from the offset.
        amplitude: f64,
        /// \[Hz\].
        frequency: f64,
        /// \[rad\].
        phase: f64,
        /// The mean.
        offset: f64,
    },
    /// Linear between the points of a table, constant before the first and after the last.
    Table {
        /// \[s\], each later than the one before.
        times: Vec<f64>,
        /// As many as times.
        values: Vec<f64>,
    },
}

/// A law that is no function of time, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// Nothing to evaluate.
    #[error("{what} is empty, expected at least one number")]
    Empty {
        /// The list.
        what: &'static str,
    },
    /// A number that is not finite.
    #[error("{what} {index} is {value}, expected a finite number")]
    NotFinite {
        /// The list or parameter.
        what: &'static str,
        /// Which of them, counted from 0.
        index: usize,
        /// What was found.
        value: f64,
    },
    /// Lists that do not belong together.
    #[error("the table has {times} times and {values} values, expected as many of both")]
    Lengths {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// Times that do not grow.
    #[error("time {index} is {time} s after {before} s, expected each later than the one before")]
    Unsorted {
        /// Which of them, counted from 0.
        index: usize,
        /// Its time \[s\].
        time: f64,
        /// The time before it \[s\].
        before: f64,
    },
}

impl Law {
    /// The same value at all times.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self::Polynomial(vec![value])
    }

    /// offset + speed · t.
    #[must_use]
    pub fn linear(offset: f64, speed: f64) -> Self {
        Self::Polynomial(vec![offset, speed])
    }

    /// Its value at a time.
    #[must_use]
    pub fn value(&self, time: f64) -> f64 {
        match self {
            Self::Polynomial(coefficients) => coefficients.iter().rev().fold(0.0, |sum, c| sum * time + c),
            Self::Sine { amplitude, frequency, phase, offset } => {
                offset + amplitude * (TAU * frequency * time + phase).sin()
            }
            Self::Table { times, values } => match segment(times, values, time) {
                Segment::Constant(value) => value,
                Segment::Linear { start, value, slope } => value + slope * (time - start),
            },
        }
    }

    /// Its derivative at a time; at a corner of a table, the slope after it.
    #[must_use]
    pub fn rate(&self, time: f64) -> f64 {
        match self {
            Self::Polynomial(coefficients) => {
                coefficients.iter().enumerate().skip(1).rev().fold(0.0, |sum, (k, c)| sum * time + k as f64 * c)
            }
            Self::Sine { amplitude, frequency, phase, .. } => {
                amplitude * TAU * frequency * (TAU * frequency * time + phase).cos()
            }
            Self::Table { times, values } => match segment(times, values, time) {
                Segment::Constant(_) => 0.0,
                Segment::Linear { slope, .. } => slope,
            },
        }
    }

    /// ∫₀ᵗ of it, in closed form; negative times integrate backwards.
    ///
    /// ```text
    /// Σ c_k t^(k+1)/(k+1)
    /// offset t + amplitude t sin(φ + ½x) sin(½x)/(½x),   x = 2π frequency t     (cos φ − cos(φ + x) loses digits)
    /// the areas under the straight lines of a table
    /// ```
    #[must_use]
    pub fn integral(&self, time: f64) -> f64 {
        match self {
            Self::Polynomial(coefficients) => {
                coefficients.iter().enumerate().rev().fold(0.0, |sum, (k, c)| sum * time + c / (k + 1) as f64) * time
            }
            Self::Sine { amplitude, frequency, phase, offset } => {
                let half = 0.5 * TAU * frequency * time;
                let mean = if half == 0.0 { 1.0 } else { half.sin() / half };
                time * (offset + amplitude * (phase + half).sin() * mean)
            }
            Self::Table { times, values } => area(times, values, time) - area(times, values, 0.0),
        }
    }

    /// Whether it is a function of time.
    ///
    /// # Errors
    /// Empty lists, numbers that are not finite, times that do not grow.
    pub fn check(&self) -> Result<(), LawError> {
        match self {
            Self::Polynomial(coefficients) => finite("coefficient", coefficients),
            Self::Sine { amplitude, frequency, phase, offset } => {
                let parts = [("amplitude", amplitude), ("frequency", frequency), ("phase", phase), ("offset", offset)];
                parts.into_iter().try_for_each(|(what, value)| finite(what, &[*value]))
            }
            Self::Table { times, values } => {
                finite("time", times)?;
                finite("value", values)?;
                if times.len() != values.len() {
                    return Err(LawError::Lengths { times: times.len(), values: values.len() });
                }
                match (1..times.len()).find(|&k| times[k] <= times[k - 1]) {
                    Some(index) => Err(LawError::Unsorted { index, time: times[index], before: times[index - 1] }),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The part of a table a time lies in.
enum Segment {
    Constant(f64),
    Linear { start: f64, value: f64, slope: f64 },
}

/// Never out of bounds, whatever the table: lists of different length count as far as the shorter.
fn segment(times: &[f64], values: &[f64], time: f64) -> Segment {
    let n = times.len().min(values.len());
    let after = times[..n].partition_point(|&t| t <= time);
    match after {
        0 => Segment::Constant(values.first().copied().unwrap_or(0.0)),
        after if after == n => Segment::Constant(values[n - 1]),
        after => {
            let (start, value) = (times[after - 1], values[after - 1]);
            Segment::Linear { start, value, slope: (values[after] - value) / (times[after] - start) }
        }
    }
}

/// The area under a table from its first time to `time`, negative before it. Never out of bounds, whatever the table.
fn area(times: &[f64], values: &[f64], time: f64) -> f64 {
    let n = times.len().min(values.len());
    let after = times[..n].partition_point(|&t| t <= time);
    let whole: f64 = (1..after).map(|k| 0.5 * (values[k - 1] + values[k]) * (times[k] - times[k - 1])).sum();
    let start = times[..n].get(after.saturating_sub(1)).copied().unwrap_or(0.0);
    let rest = match segment(times, values, time) {
        Segment::Constant(value) => value * (time - start),
        Segment::Linear { value, slope, .. } => (value + 0.5 * slope * (time - start)) * (time - start),
    };
    whole + rest
}

fn finite(what: &'static str, numbers: &[f64]) -> Result<(), LawError> {
    if numbers.is_empty() {
        return Err(LawError::Empty { what });
    }
    match numbers.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(LawError::NotFinite { what, index, value: numbers[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> [Law; 5] {
        [
            Law::linear(0.3, -2.0),
            Law::Polynomial(vec![1.0, 0.5, -0.25, 2.0]),
            Law::Sine { amplitude: 0.7, frequency: 1.5, phase: 0.4, offset: -0.1 },
            Law::Table { times: vec![0.0, 0.5, 2.0], values: vec![1.0, -1.0, 3.0] },
            Law::constant(4.0),
        ]
    }

    #[test]
    fn the_rate_is_the_slope_of_the_value() {
        for law in laws() {
            for time in [-0.3, 0.1, 0.77, 1.9, 2.3] {
                let h = 1e-5;
                let slope = (law.value(time + h) - law.value(time - h)) / (2.0 * h);
                assert!((slope - law.rate(time)).abs() < 1e-7, "{law:?} at {time}: {slope} {}", law.rate(time));
            }
        }
    }

    #[test]
    fn the_integral_is_that_of_quadrature_and_its_slope_is_the_value() {
        let more = [
            Law::Sine { amplitude: 0.7, frequency: 0.0, phase: 0.4, offset: -0.1 },
            Law::Sine { amplitude: 0.7, frequency: 1e-12, phase: 0.4, offset: -0.1 },
            Law::Table { times: vec![0.4, 0.5, 2.0], values: vec![1.0, -1.0, 3.0] },
            Law::Table { times: vec![-3.0, -0.25, -0.1], values: vec![1.0, -1.0, 3.0] },
            Law::Table { times: vec![0.25], values: vec![2.0] },
        ];
        for law in laws().into_iter().chain(more) {
            assert!(law.integral(0.0).abs() < 1e-300, "{law:?}");
            for time in [-4.0, -0.3, 0.1, 0.45, 0.77, 1.9, 2.3] {
                // Simpson on pieces that end where tables have corners.
                let corners = [-3.0, -0.25, -0.1, 0.0, 0.25, 0.4, 0.5, 2.0];
                let (from, to) = (f64::min(0.0, time), f64::max(0.0, time));
                let inner = corners.into_iter().filter(|&corner| corner > from && corner < to);
                let ends: Vec<f64> = [from].into_iter().chain(inner).chain([to]).collect();
                let mut sum = 0.0;
                for piece in ends.windows(2) {
                    let n = 1000;
                    let h = (piece[1] - piece[0]) / f64::from(n);
                    for k in 0..n {
                        let t = piece[0] + h * f64::from(k);
                        sum += h / 6.0 * (law.value(t) + 4.0 * law.value(t + 0.5 * h) + law.value(t + h));
                    }
                }
                let expected = if time < 0.0 { -sum } else { sum };
                assert!((law.integral(time) - expected).abs() < 1e-10, "{law:?} at {time}: {expected}");
                let h = 1e-5;
                let slope = (law.integral(time + h) - law.integral(time - h)) / (2.0 * h);
                assert!((slope - law.value(time)).abs() < 1e-7, "{law:?} at {time}: {slope}");
            }
        }
    }

    #[test]
    fn a_table_is_linear_between_its_points_and_constant_beyond() {
        let law = Law::Table { times: vec![0.0, 0.5, 2.0], values: vec![1.0, -1.0, 3.0] };
        let expected = [(-1.0, 1.0), (0.0, 1.0), (0.25, 0.0), (0.5, -1.0), (1.25, 1.0), (2.0, 3.0), (9.0, 3.0)];
        for (time, value) in expected {
            assert!((law.value(time) - value).abs() < 1e-15, "{time}");
        }
    }

    #[test]
    fn a_law_that_is_none_is_refused_and_still_does_not_panic() {
        let cases = [
            (Law::Polynomial(vec![]), "coefficient is empty, expected at least one number"),
            (Law::Polynomial(vec![0.0, f64::NAN]), "coefficient 1 is NaN, expected a finite number"),
            (
                Law::Sine { amplitude: 1.0, frequency: f64::INFINITY, phase: 0.0, offset: 0.0 },
                "frequency 0 is inf, expected a finite number",
            ),
            (Law::Table { times: vec![], values: vec![] }, "time is empty, expected at least one number"),
            (
                Law::Table { times: vec![0.0, 1.0], values: vec![2.0] },
                "the table has 2 times and 1 values, expected as many of both",
            ),
            (
                Law::Table { times: vec![0.0, 1.0, 1.0], values: vec![2.0; 3] },
                "time 2 is 1 s after 1 s, expected each later than the one before",
            ),
        ];
        for (law, message) in cases {
            assert_eq!(law.check().map_err(|error| error.to_string()), Err(message.to_owned()));
            for time in [-1.0, 0.0, 0.5, 1.0, 2.0, f64::NAN] {
                _ = (law.value(time), law.rate(time), law.integral(time));
            }
        }
        assert!(laws().iter().all(|law| law.check().is_ok()));
    }
}

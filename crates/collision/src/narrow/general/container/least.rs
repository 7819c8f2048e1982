//! Where a function of one number is least.

/// (√5 − 1)/2: the share of the interval that is kept.
const GOLDEN: f64 = 0.618_033_988_749_894_8;
/// The interval shrinks to 1e-10 of itself. Where the function is smooth its least value is exact within rounding long
/// before; at a kink the value is off by the width.
const STEPS: usize = 48;

/// The place of the least value within an interval where the function first falls, then rises.
pub(super) fn least(mut low: f64, mut high: f64, value: &dyn Fn(f64) -> f64) -> f64 {
    let mut inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    let mut values = inner.map(value);
    for _ in 0..STEPS {
        if values[0] <= values[1] {
            high = inner[1];
            (inner[1], values[1]) = (inner[0], values[0]);
            inner[0] = high - GOLDEN * (high - low);
            values[0] = value(inner[0]);
        } else {
            low = inner[0];
            (inner[0], values[0]) = (inner[1], values[1]);
            inner[1] = low + GOLDEN * (high - low);
            values[1] = value(inner[1]);
        }
    }
    if values[0] <= values[1] { inner[0] } else { inner[1] }
}

/// Samples of a circle, from which its least values are looked for.
pub(super) const SAMPLES: usize = 36;

/// Calls `visit` with the angle of every local minimum of a function of the angle, in the order of the angles.
pub(super) fn minima_around(value: &dyn Fn(f64) -> f64, visit: &mut dyn FnMut(f64)) {
    let step = std::f64::consts::TAU / SAMPLES as f64;
    let mut sampled = [0.0; SAMPLES];
    for (index, sample) in sampled.iter_mut().enumerate() {
        *sample = value(step * index as f64);
    }
    for index in 0..SAMPLES {
        let (before, after) = (sampled[(index + SAMPLES - 1) % SAMPLES], sampled[(index + 1) % SAMPLES]);
        if sampled[index] <= before && sampled[index] < after {
            visit(least(step * (index as f64 - 1.0), step * (index as f64 + 1.0), value));
        }
    }
}

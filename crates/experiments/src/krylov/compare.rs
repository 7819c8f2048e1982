//! Leads, bests and growths of samples: what the verdicts of KS-2 and KS-3 are computed from.

use super::pile::{FLOOR, Sample};

/// A measure in which methods are compared; less is better, below the floor all are equal.
pub(super) type Measure = (&'static str, fn(&Sample) -> f64);

/// Objective above the least, and residual.
pub(super) const MEASURES: [Measure; 2] = [
    ("objective", |sample| sample.gap.max(FLOOR)),
    ("residual", |sample| sample.entry.residuals.natural_map_relative.max(FLOOR)),
];

/// By how much `method` is ahead of Jacobi on the problem where it is so least; `None` without samples.
pub(super) fn lead(samples: &[Sample], method: &str, iterations: u32, value: fn(&Sample) -> f64) -> Option<f64> {
    let here = || samples.iter().filter(|sample| sample.iterations == iterations);
    let jacobi = here().filter(|sample| sample.method == "jacobi");
    let factors = jacobi.filter_map(|jacobi| {
        let own = here().find(|sample| sample.problem == jacobi.problem && sample.method == method)?;
        Some(value(jacobi) / value(own))
    });
    factors.reduce(f64::min)
}

/// By how much `method` is behind the best one, on the problem where it is so most: 1 where it is the best itself.
pub(super) fn behind(samples: &[Sample], method: &str, iterations: u32, value: fn(&Sample) -> f64) -> Option<f64> {
    let here = || samples.iter().filter(|sample| sample.iterations == iterations);
    let factors = here().filter(|sample| sample.method == method).map(|own| {
        let on_same = here().filter(|sample| sample.problem == own.problem);
        value(own) / on_same.map(value).fold(f64::INFINITY, f64::min)
    });
    factors.reduce(f64::max)
}

/// Value on the last problem over that on the first, for each method in the order of the samples.
pub(super) fn growth(samples: &[Sample], iterations: u32, value: fn(&Sample) -> f64) -> Vec<(&'static str, f64)> {
    let here: Vec<&Sample> = samples.iter().filter(|sample| sample.iterations == iterations).collect();
    let (Some(first), Some(last)) = (here.first(), here.last()) else { return Vec::new() };
    let on = |problem: &str| here.iter().filter(|sample| sample.problem == problem).copied().collect::<Vec<_>>();
    let pairs = on(&first.problem).into_iter().zip(on(&last.problem));
    pairs.map(|(light, heavy)| (light.method, value(heavy) / value(light))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_solver::{HistoryEntry, Residuals};

    fn sample(problem: &str, method: &'static str, gap: f64) -> Sample {
        let residuals = Residuals { natural_map_relative: gap, ..Residuals::default() };
        let entry = HistoryEntry { iteration: 100, phase: "", seconds: 1.0, residuals, objective: 0.0, active: 0 };
        Sample { problem: problem.into(), method, iterations: 100, entry, gap }
    }

    #[test]
    fn leads_distances_and_growths_are_those_of_the_samples() {
        let samples = [
            sample("a", "jacobi", 1.0),
            sample("a", "spg", 0.1),
            sample("a", "gpminres", 0.25),
            sample("b", "jacobi", 8.0),
            sample("b", "spg", 0.5),
            sample("b", "gpminres", 0.5),
        ];
        let gap = MEASURES[0].1;
        assert_eq!(lead(&samples, "gpminres", 100, gap), Some(4.0));
        assert_eq!(lead(&samples, "gpminres", 50, gap), None);
        assert_eq!(behind(&samples, "spg", 100, gap), Some(1.0));
        assert_eq!(behind(&samples, "gpminres", 100, gap), Some(2.5));
        assert_eq!(growth(&samples, 100, gap), [("jacobi", 8.0), ("spg", 5.0), ("gpminres", 2.0)]);
    }

    #[test]
    fn below_the_floor_all_are_equal() {
        let samples = [sample("a", "jacobi", 1e-3), sample("a", "spg", 1e-14), sample("a", "gpminres", 1e-12)];
        assert_eq!(behind(&samples, "gpminres", 100, MEASURES[0].1), Some(1.0));
    }
}

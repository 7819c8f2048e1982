//! The residual of the solve: at most the tolerance asked for.

use super::{Broken, Promise};
use signorini_solver::{Residuals, Tolerance};

/// What is broken if the residuals miss the tolerance; `who` finds the row with the largest residual and is asked only then.
pub(crate) fn judge(residuals: &Residuals, tolerance: Tolerance, who: impl FnOnce() -> String) -> Option<Broken> {
    if tolerance.met(residuals) {
        return None;
    }
    let (value, bound, unit) = match tolerance {
        Tolerance::Velocity(limit) => (residuals.natural_map, limit, "m/s"),
        // Shares of the free velocity have no unit.
        Tolerance::Relative(limit) => (residuals.natural_map_relative, limit, ""),
    };
    Some(Broken { promise: Promise::Residual, who: who(), value, bound, unit: unit.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residual_above_the_tolerance_is_named_and_one_below_is_not() {
        let residuals = Residuals { natural_map: 2e-3, natural_map_relative: 0.4, ..Residuals::default() };
        let judge = |tolerance| judge(&residuals, tolerance, || "joint `a`".into());
        assert_eq!(judge(Tolerance::Velocity(2e-3)), None);
        let broken = judge(Tolerance::Velocity(1e-3)).expect("missed");
        assert_eq!((broken.value, broken.bound, &*broken.unit), (2e-3, 1e-3, "m/s"));
        let broken = judge(Tolerance::Relative(0.1)).expect("missed");
        assert_eq!((broken.value, broken.bound, &*broken.unit, &*broken.who), (0.4, 0.1, "", "joint `a`"));
    }

    #[test]
    fn a_residual_that_is_not_a_number_is_broken() {
        let residuals = Residuals { natural_map: f64::NAN, ..Residuals::default() };
        assert!(judge(&residuals, Tolerance::Velocity(1.0), String::new).is_some());
    }
}

//! The residual of the solve: at most the tolerance asked for, or at the rounding of the problem's numbers where that is coarser.

use super::{Broken, Culprit, Promise};
use signorini_solver::{Residuals, Status, Tolerance};

/// What is broken if the residuals miss the tolerance and the solver has not said that nothing is left to gain; `who` finds the row with
/// the largest residual and is asked only then.
pub(crate) fn judge(
    status: Status,
    residuals: &Residuals,
    tolerance: Tolerance,
    who: impl FnOnce() -> Vec<Culprit>,
) -> Option<Broken> {
    if status == Status::Converged || tolerance.met(residuals) {
        return None;
    }
    let (value, bound, unit) = match tolerance {
        Tolerance::Velocity(limit) => (residuals.natural_map, limit, "m/s"),
        // Shares of the free velocity have no unit.
        Tolerance::Relative(limit) => (residuals.natural_map_relative, limit, ""),
    };
    Some(Broken::by(who(), Promise::Residual, value, bound, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residual_above_the_tolerance_is_named_and_one_below_is_not() {
        let residuals = Residuals { natural_map: 2e-3, natural_map_relative: 0.4, ..Residuals::default() };
        let stalled = Status::Stalled("for a test");
        let judge = |tolerance| judge(stalled, &residuals, tolerance, || vec![Culprit::joint("a")]);
        assert_eq!(judge(Tolerance::Velocity(2e-3)), None);
        let broken = judge(Tolerance::Velocity(1e-3)).expect("missed");
        assert_eq!((broken.value, broken.bound, &*broken.unit), (2e-3, 1e-3, "m/s"));
        let broken = judge(Tolerance::Relative(0.1)).expect("missed");
        assert_eq!((broken.value, broken.bound, &*broken.unit, &*broken.who), (0.4, 0.1, "", "joint `a`"));
    }

    #[test]
    fn a_solver_that_reached_the_rounding_of_its_numbers_has_done_what_can_be_done() {
        let residuals = Residuals { natural_map: 1.06e-12, ..Residuals::default() };
        assert_eq!(judge(Status::Converged, &residuals, Tolerance::Velocity(1e-12), Vec::new), None);
    }

    #[test]
    fn a_residual_that_is_not_a_number_is_broken() {
        let residuals = Residuals { natural_map: f64::NAN, ..Residuals::default() };
        assert!(judge(Status::IterationLimit, &residuals, Tolerance::Velocity(1.0), Vec::new).is_some());
    }
}

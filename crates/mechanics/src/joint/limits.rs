//! A range an angle or displacement must stay in: two unilateral rows x − min ≥ 0 and max − x ≥ 0.

use super::{JointParameter, Row, RowKind};
use crate::ParameterError;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Limits {
    pub(crate) fn middle(&self) -> f64 {
        0.5 * (self.min + self.max)
    }

    /// Fills two rows from the bilateral row of x, whose value is `x`.
    pub(crate) fn fill(&self, row: &Row, x: f64, rows: &mut [Row]) {
        rows[0] = Row { kind: RowKind::AtLeastZero, value: x - self.min, rate: 0.0, ..*row };
        let jacobian = row.jacobian.map(|part| part.map(|entry| -entry));
        rows[1] = Row { kind: RowKind::AtLeastZero, value: self.max - x, rate: 0.0, jacobian, ..*row };
    }

    /// Both limits, for the list of a joint's numbers.
    pub(crate) fn parameter(&self) -> (&'static str, JointParameter) {
        ("limits", [self.min, self.max].into())
    }

    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        for (what, value) in [("lower limit", self.min), ("upper limit", self.max)] {
            if !value.is_finite() {
                return Err(ParameterError::number(what, value, "a finite number"));
            }
        }
        if self.min > self.max {
            return Err(ParameterError::number("lower limit", self.min, "at most the upper limit"));
        }
        Ok(())
    }
}

/// A joint's imposed motion and limits: each must be usable, and an imposed motion leaves limits nothing to do but contradict it.
pub(crate) fn check_motion(
    what: &'static str,
    drive: Option<&super::drive::Drive>,
    limits: Option<&Limits>,
) -> Result<(), ParameterError> {
    match (drive, limits) {
        (Some(_), Some(_)) => Err(ParameterError::DrivenAndLimited { what }),
        (Some(drive), None) => drive.check(what),
        (None, Some(limits)) => limits.check(),
        (None, None) => Ok(()),
    }
}

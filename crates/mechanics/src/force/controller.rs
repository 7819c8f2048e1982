//! Controllers: what a motor does about a deviation from where it should be, or from how fast.
//!
//! ```text
//! position   e = target(t) − x       T = clamp(k_p e + k_i z + k_d ė),  ė = target'(t) − ẋ,  ż = e
//! speed      e = target(t) − ẋ       T = clamp(k_p e + k_i z),                              ż = e
//! ```
//!
//! clamp keeps |T| at most at the limit. While it does and the error would wind z up further (T has the sign of e), ż = 0: the
//! integral does not grow on an effort that is not there, and the way back starts at once.

use super::check_at_least_zero;
use crate::ParameterError;
use crate::joint::Law;

/// Proportional, integral and derivative control of an angle or a displacement.
#[derive(Clone, Debug, PartialEq)]
pub struct Pid {
    /// k_p \[N m/rad or N/m\].
    pub proportional: f64,
    /// k_i \[N m/(rad s) or N/(m s)\].
    pub integral: f64,
    /// k_d \[N m s/rad or N s/m\].
    pub derivative: f64,
    /// The position that is wanted \[rad or m\].
    pub target: Law,
    /// Largest torque or force either way \[N m or N\].
    pub limit: Option<f64>,
}

/// Proportional and integral control of a speed.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedControl {
    /// k_p \[N m s/rad or N s/m\].
    pub proportional: f64,
    /// k_i \[N m/rad or N/m\].
    pub integral: f64,
    /// The speed that is wanted \[rad/s or m/s\].
    pub target: Law,
    /// Largest torque or force either way \[N m or N\].
    pub limit: Option<f64>,
}

/// What a controller answers to a deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    /// T.
    pub(super) effort: f64,
    /// −∂T/∂x and −∂T/∂ẋ: none at the limit.
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// ż.
    pub(super) memory_rate: f64,
}

impl Answer {
    /// The answer with nothing beyond the limit.
    fn limited(self, limit: Option<f64>) -> Self {
        match limit {
            Some(limit) if self.effort.abs() > limit => {
                let winds_up = self.effort * self.memory_rate > 0.0;
                Self {
                    effort: self.effort.clamp(-limit, limit),
                    stiffness: 0.0,
                    damping: 0.0,
                    memory_rate: if winds_up { 0.0 } else { self.memory_rate },
                }
            }
            _ => self,
        }
    }
}

impl Pid {
    /// The answer to a position error, a speed and the integral z so far.
    pub(super) fn answer(&self, error: f64, speed: f64, z: f64, time: f64) -> Answer {
        let error_rate = self.target.rate(time) - speed;
        let Self { proportional, integral, derivative, .. } = self;
        let effort = proportional * error + integral * z + derivative * error_rate;
        Answer { effort, stiffness: *proportional, damping: *derivative, memory_rate: error }.limited(self.limit)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        check_at_least_zero("proportional gain", self.proportional, "a finite number ≥ 0")?;
        check_at_least_zero("integral gain", self.integral, "a finite number ≥ 0")?;
        check_at_least_zero("derivative gain", self.derivative, "a finite number ≥ 0")?;
        check_target("target position", &self.target, self.limit)
    }
}

impl SpeedControl {
    /// The answer to a speed and the integral z so far.
    pub(super) fn answer(&self, speed: f64, z: f64, time: f64) -> Answer {
        let error = self.target.value(time) - speed;
        let effort = self.proportional * error + self.integral * z;
        Answer { effort, stiffness: 0.0, damping: self.proportional, memory_rate: error }.limited(self.limit)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        check_at_least_zero("proportional gain", self.proportional, "a finite number ≥ 0")?;
        check_at_least_zero("integral gain", self.integral, "a finite number ≥ 0")?;
        check_target("target speed", &self.target, self.limit)
    }
}

fn check_target(what: &'static str, target: &Law, limit: Option<f64>) -> Result<(), ParameterError> {
    target.check().map_err(|error| ParameterError::Law { what, error })?;
    match limit {
        Some(limit) if limit <= 0.0 || !limit.is_finite() => {
            Err(ParameterError::number("limit", limit, "a finite number > 0, or none"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(limit: Option<f64>) -> Pid {
        Pid { proportional: 2.0, integral: 3.0, derivative: 0.5, target: Law::linear(0.0, 4.0), limit }
    }

    #[test]
    fn the_three_parts_add_up() {
        let answer = pid(None).answer(0.1, 3.0, 0.2, 1.0);
        assert_eq!(answer.effort, 2.0 * 0.1 + 3.0 * 0.2 + 0.5 * (4.0 - 3.0));
        assert_eq!((answer.stiffness, answer.damping, answer.memory_rate), (2.0, 0.5, 0.1));
        let control = SpeedControl { proportional: 2.0, integral: 3.0, target: Law::constant(5.0), limit: None };
        let answer = control.answer(4.5, 0.2, 0.0);
        assert_eq!(answer, Answer { effort: 1.6, stiffness: 0.0, damping: 2.0, memory_rate: 0.5 });
    }

    #[test]
    fn at_the_limit_the_integral_grows_no_further_but_may_shrink() {
        let up = pid(Some(1.0)).answer(10.0, 4.0, 0.0, 0.0);
        assert_eq!(up, Answer { effort: 1.0, stiffness: 0.0, damping: 0.0, memory_rate: 0.0 });
        // Held at the limit by what was gathered before, with the error already on the other side.
        let back = pid(Some(1.0)).answer(-0.1, 4.0, 5.0, 0.0);
        assert_eq!(back, Answer { effort: 1.0, stiffness: 0.0, damping: 0.0, memory_rate: -0.1 });
        let down = pid(Some(1.0)).answer(-10.0, 4.0, 0.0, 0.0);
        assert_eq!((down.effort, down.memory_rate), (-1.0, 0.0));
    }
}

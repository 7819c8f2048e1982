//! A smooth motion: by one stepper, or by two of steps h and h/2 that run side by side.
//!
//! A method of order p leaves errors c h^p + …, so that the two motions x_h and x_{h/2} tell the error and remove it:
//!
//! ```text
//! e = (x_{h/2} − x_h)/(2^p − 1),     x = x_{h/2} + e
//! ```
//!
//! Neither of the two is changed by the other (passive extrapolation): what is stable stays stable, and multipliers of joints are
//! improved as well. Rotations differ by the rotation vector of ρ_h⁻¹ρ_{h/2}.

use super::{Advance, Contradiction, SmoothFailure, SmoothStepper};
use crate::flexible::field::Failure;
use crate::motion::exponential;
use crate::{Model, Quat, Settings, State, Vec3};
use std::sync::atomic::AtomicBool;

/// One stepper, or two whose difference is their error.
pub(crate) struct SmoothMotion {
    whole: SmoothStepper,
    half: Option<SmoothStepper>,
    /// 1/(2^p − 1).
    share: f64,
}

impl SmoothMotion {
    pub(crate) fn new(model: &Model, settings: &Settings, state: &State) -> Self {
        let half = settings.extrapolate.then(|| {
            let settings = Settings { step: 0.5 * settings.step, ..settings.clone() };
            SmoothStepper::new(model, &settings, state)
        });
        let share = 1.0 / (2.0_f64.powi(settings.stepper.order()) - 1.0);
        Self { whole: SmoothStepper::new(model, settings, state), half, share }
    }

    /// All steppers.
    pub(crate) fn steppers(&mut self) -> impl Iterator<Item = &mut SmoothStepper> {
        std::iter::once(&mut self.whole).chain(&mut self.half)
    }

    /// The stepper with the shortest steps.
    pub(crate) fn finest(&self) -> &SmoothStepper {
        self.half.as_ref().unwrap_or(&self.whole)
    }

    /// Whether accelerations oscillate from step to step.
    pub(crate) fn oscillates(&self) -> bool {
        self.whole.oscillates()
    }

    /// Makes the start consistent; returns how far bodies had to be moved.
    pub(crate) fn start(&mut self, model: &Model, h: f64) -> Result<f64, Contradiction> {
        let moved = self.whole.start(model, h)?;
        if let Some(half) = &mut self.half {
            half.start(model, 0.5 * h)?;
        }
        Ok(moved)
    }

    /// An element that had no force since the last call, if any.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        std::iter::once(&self.whole).chain(&self.half).find_map(|stepper| stepper.equations.take_failure())
    }

    /// Goes from `end − h` to `end`.
    pub(crate) fn advance(
        &mut self,
        model: &Model,
        end: f64,
        h: f64,
        cancel: Option<&AtomicBool>,
    ) -> Result<Advance, SmoothFailure> {
        let mut advance = self.whole.advance(model, end, h, cancel)?;
        if let Some(half) = &mut self.half {
            for end in [end - 0.5 * h, end] {
                advance.add(&half.advance(model, end, 0.5 * h, cancel)?);
            }
        }
        Ok(advance)
    }

    /// Positions and velocities now. Returns the error that was estimated and removed: metres and radians, the largest.
    pub(crate) fn write(&self, state: &mut State) -> Option<[f64; 2]> {
        self.whole.write(state);
        let half = self.half.as_ref()?;
        let coarse = state.clone();
        half.write(state);
        let mut error = [0.0_f64; 2];
        for body in 0..state.poses.len() {
            let shift = self.share * (state.poses[body].position - coarse.poses[body].position);
            let turn =
                self.share * rotation_vector(coarse.poses[body].rotation.conjugate() * state.poses[body].rotation);
            error = [error[0].max(shift.length()), error[1].max(turn.length())];
            state.poses[body].position += shift;
            state.poses[body].rotation = (state.poses[body].rotation * exponential(turn)).normalize();
            let improve = |fine: &mut Vec3, coarse: Vec3| *fine += self.share * (*fine - coarse);
            improve(&mut state.velocities[body], coarse.velocities[body]);
            improve(&mut state.angular_velocities[body], coarse.angular_velocities[body]);
        }
        let improve = |(fine, coarse): (&mut Vec3, &Vec3)| {
            let shift = self.share * (*fine - *coarse);
            *fine += shift;
            shift.length()
        };
        let shifts = state.nodes.iter_mut().zip(&coarse.nodes).map(improve);
        error[0] = shifts.fold(error[0], f64::max);
        state.node_velocities.iter_mut().zip(&coarse.node_velocities).for_each(|pair| {
            improve(pair);
        });
        let improve = |(fine, coarse): (&mut f64, &f64)| *fine += self.share * (*fine - coarse);
        state.memory.iter_mut().zip(&coarse.memory).for_each(improve);
        Some(error)
    }

    /// Multipliers λ of all bilateral rows \[N, N m\].
    pub(crate) fn multipliers(&self) -> Vec<f64> {
        let whole = self.whole.multipliers();
        match &self.half {
            None => whole.to_vec(),
            Some(half) => {
                let improved = |(fine, coarse): (&f64, &f64)| fine + self.share * (fine - coarse);
                half.multipliers().iter().zip(whole).map(improved).collect()
            }
        }
    }

    /// All that is kept between steps, as numbers.
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        out.clear();
        self.whole.export(out);
        if let Some(half) = &self.half {
            let first = out.len();
            half.export(out);
            out.push(first as f64);
        }
    }

    /// Takes it up again; false if it does not fit.
    pub(crate) fn import(&mut self, model: &Model, numbers: &[f64]) -> bool {
        let Some(half) = &mut self.half else { return self.whole.import(model, numbers) };
        let Some((first, rest)) = numbers.split_last() else { return false };
        let Some((whole, other)) = rest.split_at_checked(*first as usize) else { return false };
        self.whole.import(model, whole) && half.import(model, other)
    }
}

/// The rotation vector of a unit quaternion, the shorter way round.
fn rotation_vector(rotation: Quat) -> Vec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let imaginary = Vec3::new(rotation.x, rotation.y, rotation.z);
    let sine = imaginary.length();
    // θ/sin(θ/2) → 2 where the quotient has no digits.
    let ratio = if sine < 1e-8 { 2.0 } else { 2.0 * sine.atan2(rotation.w) / sine };
    imaginary * ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_vector_inverts_the_exponential() {
        for theta in [Vec3::new(1e-10, 0.0, 2e-10), Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.0, 2.0, -1.5)] {
            assert!((rotation_vector(exponential(theta)) - theta).length() < 1e-15 + 1e-15 * theta.length());
            assert!((rotation_vector(-exponential(theta)) - theta).length() < 1e-15 + 1e-15 * theta.length());
        }
    }
}

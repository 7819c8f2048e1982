//! A cable between two nodes that pulls and never pushes.
//!
//! ```text
//! l = |x₂ − x₁|, e = (x₂ − x₁)/l, l̇ = e·(v₂ − v₁)
//! T = max(0, EA (l − L)/L + c l̇) where l > L, else 0;   force₁ = T e = −force₂;   energy = ½ EA (l − L)²/L
//! ```
//!
//! Stiffness on x₂ − x₁: EA/L e eᵀ + T/l (I − e eᵀ), positive semi-definite as T ≥ 0; damping c e eᵀ.

use super::ElementError;
use super::reference::outer;
use super::solid::{Tangent, add_block};
use crate::{Mat3, ParameterError, Vec3};

/// A cable of two nodes. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    rest_length: f64,
    axial_stiffness: f64,
    damping: f64,
    linear_density: f64,
}

/// What force and tangent have in common while the cable pulls.
struct Taut {
    direction: Vec3,
    length: f64,
    tension: f64,
    /// v₂ − v₁.
    parting: Vec3,
}

impl Cable {
    /// A cable of rest length L \[m\], axial stiffness EA \[N\], damping c \[N s/m\] and mass by length \[kg/m\].
    ///
    /// # Errors
    /// A number is not finite, damping is negative or another not > 0.
    pub fn new(
        rest_length: f64,
        axial_stiffness: f64,
        damping: f64,
        linear_density: f64,
    ) -> Result<Self, ElementError> {
        let positive = [
            ("rest length of the cable", rest_length),
            ("axial stiffness of the cable", axial_stiffness),
            ("linear density of the cable", linear_density),
        ];
        for (what, value) in positive {
            let fine = value > 0.0 && value.is_finite();
            if !fine {
                return Err(ParameterError::number(what, value, "a finite value > 0").into());
            }
        }
        let fine = damping >= 0.0 && damping.is_finite();
        if !fine {
            return Err(ParameterError::number("damping of the cable", damping, "a finite value ≥ 0").into());
        }
        Ok(Self { rest_length, axial_stiffness, damping, linear_density })
    }

    /// Rest length \[m\].
    #[must_use]
    pub fn rest_length(&self) -> f64 {
        self.rest_length
    }

    /// The mass of each node \[kg\], half of the cable's.
    #[must_use]
    pub fn lumped_mass(&self) -> f64 {
        0.5 * self.linear_density * self.rest_length
    }

    /// Elastic energy \[J\].
    #[must_use]
    pub fn energy(&self, now: &[Vec3; 2]) -> f64 {
        let stretch = ((now[1] - now[0]).length() - self.rest_length).max(0.0);
        0.5 * self.axial_stiffness * stretch * stretch / self.rest_length
    }

    /// T \[N\], ≥ 0.
    #[must_use]
    pub fn tension(&self, now: &[Vec3; 2], velocity: &[Vec3; 2]) -> f64 {
        self.taut(now, velocity).map_or(0.0, |taut| taut.tension)
    }

    /// Writes the forces \[N\] on both nodes.
    pub fn force(&self, now: &[Vec3; 2], velocity: &[Vec3; 2], force: &mut [Vec3; 2]) {
        let pull = self.taut(now, velocity).map_or(Vec3::ZERO, |taut| taut.direction * taut.tension);
        *force = [pull, -pull];
    }

    /// Writes −∂force/∂x \[N/m\] and −∂force/∂v \[N s/m\], 6 × 6 by rows. `Exact` adds what the change of direction does to
    /// the damper, c e ((I − e eᵀ)(v₂ − v₁))ᵀ/l, which is not symmetric.
    pub fn tangent(
        &self,
        now: &[Vec3; 2],
        velocity: &[Vec3; 2],
        which: Tangent,
        stiffness: &mut [f64; 36],
        damping: &mut [f64; 36],
    ) {
        stiffness.fill(0.0);
        damping.fill(0.0);
        let Some(Taut { direction, length, tension, parting }) = self.taut(now, velocity) else { return };
        let along = outer(direction, direction);
        let across = Mat3::IDENTITY - along;
        let mut by_position = along * (self.axial_stiffness / self.rest_length) + across * (tension / length);
        if which == Tangent::Exact {
            by_position += outer(direction, across * parting) * (self.damping / length);
        }
        for i in 0..2 {
            for j in 0..2 {
                let sign = if i == j { 1.0 } else { -1.0 };
                add_block(stiffness, 2, i, j, by_position * sign);
                add_block(damping, 2, i, j, along * (self.damping * sign));
            }
        }
    }

    fn taut(&self, now: &[Vec3; 2], velocity: &[Vec3; 2]) -> Option<Taut> {
        let chord = now[1] - now[0];
        let length = chord.length();
        // Slack; L > 0 keeps the division below from zero.
        if length <= self.rest_length {
            return None;
        }
        let direction = chord / length;
        let parting = velocity[1] - velocity[0];
        let stretch = (length - self.rest_length) / self.rest_length;
        let tension = self.axial_stiffness * stretch + self.damping * direction.dot(parting);
        (tension > 0.0).then_some(Taut { direction, length, tension, parting })
    }
}

//! Explicit steps: Euler, Heun, Runge-Kutta 4, leapfrog.
//!
//! Within a step the configuration is q ⊕ u with u in local coordinates, so that the methods keep their order on rotations:
//!
//! ```text
//! u̇ = (ẋ, dexp⁻¹(θ) ω),   v̇ = a(q ⊕ u, v, t),      dexp⁻¹(θ) ω = ω + ½ θ × ω + κ θ × (θ × ω),  κ = [1 − (θ/2) cot(θ/2)]/θ²
//! ```

use super::Accelerated;
use crate::Vec3;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::dynamics::smooth::{Contradiction, System};
use crate::step::stepper::{About, Family};

/// Which explicit method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Euler,
    Heun,
    Rk4,
    Leapfrog,
}

pub(crate) fn euler() -> About {
    About::smooth("euler", "gains energy; for comparison", 1, Family::Explicit(Rule::Euler))
}

pub(crate) fn heun() -> About {
    About::smooth("heun", "trapezoidal rule with Euler's predictor", 2, Family::Explicit(Rule::Heun))
}

pub(crate) fn rk4() -> About {
    About::smooth("rk4", "the classical method; accurate where nothing is stiff", 4, Family::Explicit(Rule::Rk4))
}

pub(crate) fn leapfrog() -> About {
    About::smooth("leapfrog", "kick, drift, kick; keeps energy for long", 2, Family::Explicit(Rule::Leapfrog))
}

/// Stages: what they start from and the slopes they found.
pub(crate) struct Explicit {
    rule: Rule,
    phase: Phase,
    /// Slopes of u, v and z at each stage.
    slopes: Vec<[Vec<f64>; 3]>,
    increment: Vec<f64>,
}

impl Explicit {
    pub(crate) fn new(rule: Rule, start: &Phase) -> Self {
        let zero = vec![0.0; start.velocity.len()];
        let slopes = (0..4).map(|_| [zero.clone(), zero.clone(), vec![0.0; start.memory.len()]]).collect();
        Self { rule, phase: start.clone(), slopes, increment: zero }
    }

    /// Order of its local error of positions, plus one.
    pub(crate) fn error_order(&self) -> f64 {
        if self.rule == Rule::Euler { 2.0 } else { 3.0 }
    }

    /// Takes a step of length h; returns the estimated local error of positions, relative to the model's length or in radians.
    ///
    /// # Errors
    /// Imposed motions that contradict each other.
    pub(crate) fn step(
        &mut self,
        system: System<'_>,
        consistent: &mut Consistent,
        from: &Accelerated,
        to: &mut Accelerated,
        h: f64,
    ) -> Result<f64, Contradiction> {
        let System { model, equations } = system;
        // The slope at the start is known from the end of the step before.
        self.slopes[0][0].copy_from_slice(&from.phase.velocity);
        self.slopes[0][1].copy_from_slice(&from.acceleration);
        equations.memory_rates(model, &from.phase, &mut self.slopes[0][2]);
        let mut stage =
            |this: &mut Self, stage: usize, weight: f64| this.stage(system, consistent, from, stage, weight, h);
        let weights: &[f64] = match self.rule {
            Rule::Heun => {
                stage(self, 1, 1.0)?;
                &[0.5, 0.5]
            }
            Rule::Rk4 => {
                stage(self, 1, 0.5)?;
                stage(self, 2, 0.5)?;
                stage(self, 3, 1.0)?;
                &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]
            }
            Rule::Leapfrog => return self.leapfrog(system, consistent, from, to, h),
            Rule::Euler => &[1.0],
        };
        self.combine(from, weights, h);
        to.phase.time = from.phase.time + h;
        to.phase.velocity.copy_from_slice(&self.phase.velocity);
        to.phase.memory.copy_from_slice(&self.phase.memory);
        equations.displace(&from.phase, &self.increment, &mut to.phase);
        let Accelerated { phase, acceleration, multipliers, .. } = to;
        consistent.accelerations(system, phase, h, acceleration, multipliers)?;
        Ok(self.error(equations, from, to, h))
    }

    /// The slopes of a stage reached with those of the stage before.
    fn stage(
        &mut self,
        system: System<'_>,
        consistent: &mut Consistent,
        from: &Accelerated,
        stage: usize,
        weight: f64,
        h: f64,
    ) -> Result<(), Contradiction> {
        let System { model, equations } = system;
        let [u, v, z] = &self.slopes[stage - 1];
        for i in 0..equations.dimension {
            self.increment[i] = weight * h * u[i];
            self.phase.velocity[i] = from.phase.velocity[i] + weight * h * v[i];
        }
        for (i, memory) in self.phase.memory.iter_mut().enumerate() {
            *memory = from.phase.memory[i] + weight * h * z[i];
        }
        self.phase.time = from.phase.time + weight * h;
        equations.displace(&from.phase, &self.increment, &mut self.phase);
        let [u, v, z] = &mut self.slopes[stage];
        equations.memory_rates(model, &self.phase, z);
        let mut unused = vec![0.0; equations.rows.len()];
        consistent.accelerations(system, &self.phase, h, v, &mut unused)?;
        u.copy_from_slice(&self.phase.velocity);
        let turning = u[..equations.columns.of_bodies()].chunks_exact_mut(6);
        for (part, increment) in turning.zip(self.increment.chunks_exact(6)) {
            let rate = local_rate(Vec3::from_slice(&increment[3..]), Vec3::from_slice(&part[3..]));
            part[3..].copy_from_slice(&rate.to_array());
        }
        Ok(())
    }

    /// u and v⁺ as weighted sums of the slopes.
    fn combine(&mut self, from: &Accelerated, weights: &[f64], h: f64) {
        for i in 0..self.increment.len() {
            let sum = |part: usize| weights.iter().zip(&self.slopes).map(|(w, slope)| w * slope[part][i]).sum::<f64>();
            self.increment[i] = h * sum(0);
            self.phase.velocity[i] = from.phase.velocity[i] + h * sum(1);
        }
        for (i, memory) in self.phase.memory.iter_mut().enumerate() {
            let rate = weights.iter().zip(&self.slopes).map(|(w, slope)| w * slope[2][i]).sum::<f64>();
            *memory = from.phase.memory[i] + h * rate;
        }
    }

    /// v½ = v + ½h a, q⁺ = q ⊕ h v½, v⁺ = v½ + ½h a(q⁺, v½ + ½h a): velocities that forces depend on are those of the end.
    fn leapfrog(
        &mut self,
        system: System<'_>,
        consistent: &mut Consistent,
        from: &Accelerated,
        to: &mut Accelerated,
        h: f64,
    ) -> Result<f64, Contradiction> {
        let System { model, equations } = system;
        for i in 0..equations.dimension {
            let half = from.phase.velocity[i] + 0.5 * h * from.acceleration[i];
            self.increment[i] = h * half;
            to.phase.velocity[i] = half + 0.5 * h * from.acceleration[i];
        }
        // Trapezoidal rule, the rate at the end with the memory of Euler's method.
        for (i, memory) in to.phase.memory.iter_mut().enumerate() {
            *memory = from.phase.memory[i] + h * self.slopes[0][2][i];
        }
        to.phase.time = from.phase.time + h;
        equations.displace(&from.phase, &self.increment, &mut to.phase);
        equations.memory_rates(model, &to.phase, &mut self.slopes[1][2]);
        for (i, memory) in to.phase.memory.iter_mut().enumerate() {
            *memory += 0.5 * h * (self.slopes[1][2][i] - self.slopes[0][2][i]);
        }
        let Accelerated { phase, acceleration, multipliers, .. } = to;
        consistent.accelerations(system, phase, h, acceleration, multipliers)?;
        for i in 0..equations.dimension {
            phase.velocity[i] += 0.5 * h * (acceleration[i] - from.acceleration[i]);
        }
        Ok(self.error(equations, from, to, h))
    }

    /// Local error of positions by the difference to a method of the order below.
    fn error(&mut self, equations: &Equations, from: &Accelerated, to: &Accelerated, h: f64) -> f64 {
        for i in 0..equations.dimension {
            let change = to.acceleration[i] - from.acceleration[i];
            self.increment[i] = h * match self.rule {
                Rule::Euler => 0.5 * h * from.acceleration[i],
                Rule::Rk4 => (self.slopes[1][0][i] - self.slopes[2][0][i]) / 3.0,
                Rule::Heun | Rule::Leapfrog => h * change / 12.0,
            };
        }
        equations.size(&self.increment)
    }
}

/// dexp⁻¹(θ) ω: the rate of a rotation vector θ in body axes.
fn local_rate(theta: Vec3, omega: Vec3) -> Vec3 {
    let angle = theta.length();
    let kappa = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle)
    };
    omega + 0.5 * theta.cross(omega) + kappa * theta.cross(theta.cross(omega))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::smooth::tangents::right_jacobian;

    #[test]
    fn the_rate_of_a_rotation_vector_inverts_the_right_jacobian() {
        for theta in [Vec3::new(2e-4, -1e-4, 3e-5), Vec3::new(0.4, -0.3, 1.1), Vec3::new(-2.0, 0.5, 1.0)] {
            let omega = Vec3::new(0.3, 0.7, -1.2);
            let back = right_jacobian(theta) * local_rate(theta, omega);
            assert!((back - omega).length() < 1e-12, "{theta}: {back}");
        }
    }
}

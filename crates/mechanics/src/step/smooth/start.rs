//! The start of a smooth motion: a state that joints allow, with its accelerations.

use super::{Contradiction, Family, SmoothStepper, System};
use crate::Model;

/// The slope of accelerations is measured over this share of a step to both sides.
const SLOPE_SHARE: f64 = 0.25;

impl SmoothStepper {
    /// Makes positions, velocities and accelerations consistent. Returns how far bodies had to be moved (relative to the model's
    /// length, or radians).
    pub(crate) fn start(&mut self, model: &Model, h: f64) -> Result<f64, Contradiction> {
        let Self { equations, consistent, from, .. } = self;
        let system = System { model, equations };
        let moved = consistent.positions(system, &mut from.phase)?;
        consistent.velocities(system, &mut from.phase)?;
        if let Some(penalty) = &mut consistent.penalty {
            penalty.begin(system, &from.phase);
        }
        self.accelerate(model, h)?;
        let Self { equations, from, method, .. } = self;
        if let Family::Implicit(coefficients, implicit) = method {
            let acceleration = (equations.length * equations.size(&from.acceleration)).max(model.gravity().length());
            // Without loops nothing is redundant, and without damping what joints give way by is never forgotten.
            let may_give = equations.has_loops && coefficients.is_damped();
            let kappa = if may_give { coefficients.kappa(h) } else { f64::INFINITY };
            implicit.set_compliance(equations, kappa, acceleration);
        }
        self.shift_algorithmic(model, h)?;
        Ok(moved)
    }

    /// a and λ of the present state; â = a.
    pub(super) fn accelerate(&mut self, model: &Model, h: f64) -> Result<(), Contradiction> {
        let Self { equations, consistent, from, .. } = self;
        let system = System { model, equations };
        consistent.accelerations(system, &from.phase, h, &mut from.acceleration, &mut from.multipliers)?;
        from.algorithmic.copy_from_slice(&from.acceleration);
        Ok(())
    }

    /// â = a(t + Δh), Δ = α_m − α_f: with â = a the first steps would be of first order, and multipliers would show it.
    fn shift_algorithmic(&mut self, model: &Model, h: f64) -> Result<(), Contradiction> {
        let Self { equations, consistent, from, to, method, .. } = self;
        let system = System { model, equations };
        let shift = match method {
            Family::Implicit(coefficients, _) => coefficients.shift(),
            Family::Explicit(_) => 0.0,
        };
        if shift == 0.0 {
            return Ok(());
        }
        let by = SLOPE_SHARE * h;
        for sign in [-1.0, 1.0] {
            let s = sign * by;
            let n = equations.dimension;
            let mut increment = vec![0.0; n];
            for i in 0..n {
                increment[i] = s * (from.phase.velocity[i] + 0.5 * s * from.acceleration[i]);
                to.phase.velocity[i] = from.phase.velocity[i] + s * from.acceleration[i];
            }
            to.phase.time = from.phase.time + s;
            to.phase.memory.clone_from(&from.phase.memory);
            equations.displace(&from.phase, &increment, &mut to.phase);
            // The slope is that of smooth forces: contacts may close or open within it.
            let (acceleration, multipliers) = (&mut to.acceleration, &mut to.multipliers);
            consistent.accelerations_without_contacts(system, &to.phase, by, acceleration, multipliers)?;
            for i in 0..n {
                from.algorithmic[i] += shift * h * sign * to.acceleration[i] / (2.0 * by);
            }
        }
        Ok(())
    }
}

//! One interval in sub-steps: a single one, unless Newton's method fails or an error bound is asked for.

use super::{Accelerated, Advance, Family, SmoothFailure, SmoothStepper, System};
use crate::Model;
use crate::step::settings::Projection;
use std::sync::atomic::{AtomicBool, Ordering};

/// Without error control a step is halved at most so often where Newton's method fails.
const HALVINGS: i32 = 12;
/// Sub-steps aim at this share of the error allowed, and change by no more than these factors.
const SAFETY: f64 = 0.8;
const SHRINK: f64 = 0.2;
const GROW: f64 = 3.0;
/// Growth by less than this is left alone.
const KEEP: f64 = 1.6;

/// One accepted or refused trial.
struct Trial {
    iterations: u32,
    factorisations: u32,
    /// Estimated local error relative to what is allowed; 0 without error control.
    error: f64,
    order: f64,
    residual: f64,
}

impl SmoothStepper {
    /// Goes from the present state to the time `end`.
    pub(crate) fn advance(
        &mut self,
        model: &Model,
        end: f64,
        interval: f64,
        cancel: Option<&AtomicBool>,
    ) -> Result<Advance, SmoothFailure> {
        let mut advance = Advance { shortest: f64::INFINITY, ..Advance::default() };
        let least = match &self.adaptive {
            Some(adaptive) => adaptive.min_step.unwrap_or(1e-9 * interval),
            None => interval * 0.5_f64.powi(HALVINGS),
        };
        let most = self.adaptive.and_then(|adaptive| adaptive.max_step).unwrap_or(interval).min(interval);
        let mut h = if self.adaptive.is_some() { self.next.min(most) } else { interval };
        // An element that had no force in one of the sub-steps tried from here: shorter ones may end for other reasons short of it.
        let mut broken = None;
        loop {
            let time = self.from.phase.time;
            let left = end - time;
            // Rounding of times must not leave a sliver.
            if left <= 1e-9 * interval {
                break;
            }
            if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                return Err(SmoothFailure::Interrupted { time });
            }
            let is_last = left <= h * (1.0 + 1e-6);
            // Two equal sub-steps rather than a long and a tiny one.
            let step = match left {
                // Times are rounded: the same step is the same to the last bit, and so is its factor.
                _ if (left - h).abs() <= 1e-9 * h => h,
                _ if is_last => left,
                left if left < 2.0 * h => 0.5 * left,
                _ => h,
            };
            let trial = match self.trial(model, step) {
                Err(failure) => {
                    advance.rejected += 1;
                    h = 0.5 * step;
                    broken = failure.element().cloned().map(Box::new).or(broken);
                    if h < least {
                        return Err(match broken {
                            Some(failure) => SmoothFailure::Element { time, failure },
                            None => failure,
                        });
                    }
                    continue;
                }
                Ok(trial) => trial,
            };
            advance.iterations += trial.iterations;
            advance.factorisations += trial.factorisations;
            let factor = (SAFETY * trial.error.max(1e-12).powf(-1.0 / trial.order)).clamp(SHRINK, GROW);
            if trial.error > 1.0 {
                advance.rejected += 1;
                h = step * factor.min(0.9);
                if h < least {
                    return Err(SmoothFailure::Error { time, step, error: trial.error });
                }
                continue;
            }
            std::mem::swap(&mut self.from, &mut self.to);
            if is_last {
                self.from.phase.time = end;
            }
            if self.projection != Projection::None
                && let Err(contradiction) = self.project(model, step)
            {
                // Too far off the joints to find back: not so far in a shorter step.
                std::mem::swap(&mut self.from, &mut self.to);
                advance.rejected += 1;
                h = 0.5 * step;
                if h < least {
                    return Err(SmoothFailure::Joints { time, contradiction });
                }
                continue;
            }
            self.last = step;
            broken = None;
            advance.substeps += 1;
            advance.shortest = advance.shortest.min(step);
            advance.residual = advance.residual.max(trial.residual);
            // Small changes are not worth a new factor, and every change disturbs the method.
            let factor = if (1.0..KEEP).contains(&factor) { 1.0 } else { factor };
            let Self { equations, consistent, from, .. } = self;
            if let Some(penalty) = &mut consistent.penalty {
                penalty.commit(System { model, equations }, &from.phase);
            }
            if self.adaptive.is_some() {
                // A sub-step cut to end the interval says nothing against longer ones.
                let grown = (step * factor).min(most);
                h = if is_last { grown.max(h.min(most)) } else { grown };
            }
        }
        self.from.phase.time = end;
        if self.adaptive.is_some() {
            self.next = h;
        }
        Ok(advance)
    }

    /// Tries one sub-step.
    fn trial(&mut self, model: &Model, h: f64) -> Result<Trial, SmoothFailure> {
        self.rescale(h);
        let Self { equations, consistent, method, from, to, adaptive, .. } = self;
        let system = System { model, equations };
        let time = from.phase.time;
        let allowed = adaptive.map_or(f64::INFINITY, |adaptive| adaptive.tolerance);
        match method {
            Family::Implicit(coefficients, implicit) => {
                let report = implicit
                    .step(system, coefficients, consistent.penalty.as_deref_mut(), from, to, h)
                    .map_err(|failure| SmoothFailure::Newton { time, failure })?;
                let error = if adaptive.is_some() {
                    position_error(equations, coefficients, from, to, h) / allowed
                } else {
                    0.0
                };
                Ok(Trial {
                    iterations: report.iterations,
                    factorisations: report.factorisations,
                    error,
                    order: coefficients.error_order(),
                    residual: report.increment * equations.length * coefficients.speed(h),
                })
            }
            Family::Explicit(explicit) => {
                let error = explicit.step(system, consistent, from, to, h);
                if let Some(failure) = equations.take_failure() {
                    return Err(SmoothFailure::Element { time, failure: failure.into() });
                }
                let error = error.map_err(|contradiction| SmoothFailure::Joints { time, contradiction })?;
                to.algorithmic.copy_from_slice(&to.acceleration);
                let order = explicit.error_order();
                Ok(Trial { iterations: 1, factorisations: 0, error: error / allowed, order, residual: 0.0 })
            }
        }
    }

    /// â is that of t + Δh: with another h it moves along the slope it shows.
    fn rescale(&mut self, h: f64) {
        let shift = match &self.method {
            Family::Implicit(coefficients, _) => coefficients.shift(),
            Family::Explicit(_) => 0.0,
        };
        if self.last == 0.0 || self.last == h || shift == 0.0 {
            return;
        }
        let ratio = h / self.last;
        let Accelerated { acceleration, algorithmic, .. } = &mut self.from;
        algorithmic.iter_mut().zip(acceleration).for_each(|(hat, a)| *hat = *a + ratio * (*hat - *a));
        self.last = h;
    }

    /// Puts positions and velocities back onto the joints.
    fn project(&mut self, model: &Model, h: f64) -> Result<(), super::Contradiction> {
        let Self { equations, consistent, from, .. } = self;
        if equations.rows.is_empty() {
            return Ok(());
        }
        let system = System { model, equations };
        consistent.positions(system, &mut from.phase)?;
        if self.projection == Projection::Both {
            consistent.velocities(system, &mut from.phase)?;
        }
        if let Family::Explicit(_) = self.method {
            self.accelerate(model, h)?;
        }
        Ok(())
    }
}

/// Local error of positions: h³(p₁ − 1/6 …)ȧ by the change of â, h²/2 a for implicit Euler.
fn position_error(
    equations: &super::Equations,
    c: &super::Coefficients,
    from: &Accelerated,
    to: &Accelerated,
    h: f64,
) -> f64 {
    let error: Vec<f64> = (0..equations.dimension)
        .map(|i| match c.error_order() {
            2.0 => 0.5 * h * h * to.acceleration[i],
            _ => (c.position[1] - 1.0 / 6.0) * h * h * (to.algorithmic[i] - from.algorithmic[i]),
        })
        .collect();
    equations.size(&error)
}

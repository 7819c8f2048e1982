//! The force of one contact point across the surface, never pulling:
//!
//! ```text
//! linear   N = max(0, k δ + σ d δ̇)          Hertz   N = max(0, k δ^{3/2} (1 + d δ̇))          δ > 0
//! ```
//!
//! The linear damper would set in with a jump, and an implicit step that ends between "touches" and "does not" would have no solution.
//! σ is the share of the step that was spent in overlap, δ/(δ − δ₀) for one that started with a gap −δ₀ and 1 otherwise: the force is
//! continuous in the end of the step, and tends to that of the law as steps get shorter.

use crate::dynamics::penalty::settings::{Penalty, PenaltyLaw};
use crate::{Contact, Softness};

/// Hertz's law has no stiffness of its own: that at this share of the smallest body's radius is compared with.
const REFERENCE_OVERLAP: f64 = 0.01;
/// Stiffness along the surface relative to that across: with it both periods of a ball's contact agree.
const STICK_SHARE: f64 = 2.0 / 7.0;

/// N and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Response {
    /// N \[N\].
    pub(super) force: f64,
    /// ∂N/∂δ \[N/m\].
    pub(super) stiffness: f64,
    /// ∂N/∂δ̇ \[N s/m\].
    pub(super) damping: f64,
    /// Elastic energy \[J\].
    pub(super) energy: f64,
}

/// The numbers of one contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    kind: PenaltyLaw,
    stiffness: f64,
    damping: f64,
    /// k_t \[N/m\] and c_t \[N s/m\] along the surface.
    pub(super) stick: [f64; 2],
}

impl Law {
    /// The law of the settings, for a model whose smallest body has this radius.
    pub(super) fn new(penalty: &Penalty, radius: f64) -> Self {
        let Penalty { law: kind, stiffness, damping, stick_stiffness, stick_damping } = *penalty;
        // Normal stiffness, and damping over stiffness, where they are compared with.
        let (reference, relaxation) = match kind {
            PenaltyLaw::Linear => (stiffness, damping / stiffness),
            PenaltyLaw::Hertz => {
                let overlap = REFERENCE_OVERLAP * radius;
                (1.5 * stiffness * overlap.sqrt(), damping * overlap / 1.5)
            }
        };
        let along = stick_stiffness.unwrap_or(STICK_SHARE * reference);
        Self { kind, stiffness, damping, stick: [along, stick_damping.unwrap_or(along * relaxation)] }
    }

    /// The law of two surfaces that meet: that of the settings, or the softness they have of their own.
    pub(super) fn of_pair(&self, penalty: &Penalty, contact: &Contact) -> Self {
        match contact.softness {
            Some(Softness { stiffness, damping }) if stiffness > 0.0 => {
                Self::new(&Penalty { law: PenaltyLaw::Linear, stiffness, damping, ..*penalty }, 1.0)
            }
            _ => *self,
        }
    }

    /// The share σ of the step spent in overlap, from the overlaps at its start and end.
    pub(super) fn onset(before: f64, now: f64) -> f64 {
        if before < 0.0 && now > 0.0 { now / (now - before) } else { 1.0 }
    }

    /// N at an overlap δ now and δ₀ before, changing at the rate δ̇.
    pub(super) fn normal(&self, before: f64, now: f64, rate: f64) -> Response {
        let Self { stiffness: k, damping: d, .. } = *self;
        if now <= 0.0 {
            return Response::default();
        }
        let response = match self.kind {
            PenaltyLaw::Linear => {
                let share = Self::onset(before, now);
                let slope = if share < 1.0 { -before / ((now - before) * (now - before)) } else { 0.0 };
                Response {
                    force: k * now + share * d * rate,
                    stiffness: k + slope * d * rate,
                    damping: share * d,
                    energy: 0.5 * k * now * now,
                }
            }
            PenaltyLaw::Hertz => {
                let root = now.sqrt();
                Response {
                    force: k * now * root * (1.0 + d * rate),
                    stiffness: 1.5 * k * root * (1.0 + d * rate),
                    damping: k * now * root * d,
                    energy: 0.4 * k * now * now * root,
                }
            }
        };
        if response.force > 0.0 { response } else { Response { energy: response.energy, ..Response::default() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_force() {
        for penalty in [Penalty::linear(3e3, 20.0), Penalty::hertz(1e5, 0.4)] {
            let law = Law::new(&penalty, 0.1);
            for (before, now, rate) in [(0.01, 0.02, 0.3), (-0.01, 0.002, 0.5), (-0.03, 0.004, 0.2)] {
                let by = 1e-7;
                let at = |now: f64, rate: f64| law.normal(before, now, rate).force;
                let response = law.normal(before, now, rate);
                let stiffness = (at(now + by, rate) - at(now - by, rate)) / (2.0 * by);
                let damping = (at(now, rate + by) - at(now, rate - by)) / (2.0 * by);
                assert!((stiffness - response.stiffness).abs() < 1e-5 * response.stiffness.abs(), "{stiffness}");
                assert!((damping - response.damping).abs() < 1e-5 * response.damping, "{damping}");
            }
        }
    }

    #[test]
    fn no_contact_pulls_and_the_force_sets_in_without_a_jump() {
        for penalty in [Penalty::linear(3e3, 20.0), Penalty::hertz(1e5, 0.4)] {
            let law = Law::new(&penalty, 0.1);
            assert_eq!(law.normal(0.01, 0.01, -50.0).force, 0.0);
            assert_eq!(law.normal(-0.01, -1e-9, 5.0).force, 0.0);
            assert!(law.normal(-0.01, 1e-12, 5.0).force < 1e-7);
        }
    }

    #[test]
    fn the_stick_spring_has_two_sevenths_of_the_normal_stiffness() {
        let linear = Law::new(&Penalty::linear(7e3, 14.0), 0.1);
        assert!((linear.stick[0] - 2e3).abs() < 1e-9 && (linear.stick[1] - 4.0).abs() < 1e-12, "{:?}", linear.stick);
        // dN/dδ = 3/2 k √δ at δ = 1e-4 m, by a difference.
        let hertz = Law::new(&Penalty::hertz(7e5, 0.0), 0.01);
        let slope = (hertz.normal(1.0, 1e-4 + 1e-9, 0.0).force - hertz.normal(1.0, 1e-4 - 1e-9, 0.0).force) / 2e-9;
        assert!((hertz.stick[0] - 2.0 / 7.0 * slope).abs() < 1e-6 * slope, "{:?} {slope}", hertz.stick);
    }
}

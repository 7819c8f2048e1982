//! Soft contacts of bodies that fly, by the middle of the time they touch: a spring without damping gives back what it takes.
//!
//! A contact with stiffness k and damping d acts from τ, when the gap closes, to σ, when it opens again or the step ends. With
//! s = σ − τ, the gap Φ_s and its speed u_s at τ, u_e at σ, and the acceleration a of the gap by gravity alone:
//!
//! ```text
//! λ = −s[k(Φ_s + ½ s ū) + d ū],   ū = ½(u_s + u_e),   u_s = u + aτ,   u_e = u⁺ − a(h − σ)
//! ⇒ u⁺ + E λ = b,   E = 4/(s(sk + 2d)),   b = −u_s − 4kΦ_s/(sk + 2d) + a(h − σ)
//! ```
//!
//! The gap changes by s ū while it is closed, so that −λū = ½k(Φ_s + sū)² − ½kΦ_s² + s d ū²: what the spring takes is what it stores. The
//! impulse acts in the middle of its time, ½(τ + σ), which moves bodies by as much less as [`super::impacts`] says of rebounds.
//!
//! A gap that opens has Φ_s + s ū = 0 at σ, so that nothing stays behind in the spring: with the mass m of the contact and the impulse −½skΦ
//! that this takes, Φ + uσ + ½(a − ½kΦ/m)σ² = 0.
//!
//! Where the spring or the damper would turn or end the motion within one step, h(d + hk) > m, the middle is no mean of the motion any more;
//! these contacts are those of implicit Euler, which dies away.

use crate::Softness;
use crate::dynamics::rebound::time_of_touch;

/// A contact that touches for less than this share of the step does not touch in it.
const SHORTEST: f64 = 1e-6;

/// When a soft contact acts within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoftTouch {
    /// τ and σ \[s\].
    from: f64,
    to: f64,
    /// Φ_s \[m\] and u_s \[m/s\].
    gap: f64,
    speed: f64,
    /// a(h − σ) \[m/s\].
    fall_after: f64,
}

/// A gap where a step begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoftGap {
    /// h \[s\].
    pub(super) step: f64,
    /// Φ \[m\] and u \[m/s\].
    pub(super) gap: f64,
    pub(super) speed: f64,
    /// a \[m/s²\].
    pub(super) acceleration: f64,
    /// The mass that the contact moves, 1/(D M⁻¹Dᵀ) \[kg\].
    pub(super) mass: f64,
}

impl SoftGap {
    /// Whether the contact is too stiff for the step.
    pub(super) fn is_stiff(&self, soft: &Softness) -> bool {
        self.step * (soft.damping + self.step * soft.stiffness) > self.mass
    }

    /// When it touches; `None` where it does not, or hardly.
    pub(super) fn touch(&self, soft: &Softness) -> Option<SoftTouch> {
        let Self { step: h, gap, speed, acceleration: a, mass } = *self;
        let (from, to) = if gap > 0.0 {
            let meets = (speed < 0.0).then(|| time_of_touch(gap, speed, a)).flatten();
            (meets.filter(|time| *time <= h)?, h)
        } else {
            let driven = a - 0.5 * soft.stiffness * gap / mass;
            let square = speed * speed - 2.0 * driven * gap;
            // The positive root of gap + speed σ + ½ driven σ² = 0, in the form that loses no digits.
            let below = if square >= 0.0 { speed + square.sqrt() } else { 0.0 };
            (0.0, if below > 0.0 { (-2.0 * gap / below).min(h) } else { h })
        };
        let gap = gap.min(0.0);
        let touch = SoftTouch { from, to, gap, speed: speed + a * from, fall_after: a * (h - to) };
        (to - from > SHORTEST * h).then_some(touch)
    }
}

impl SoftTouch {
    /// b and E of its normal row.
    pub(super) fn row(&self, soft: &Softness) -> (f64, f64) {
        let s = self.to - self.from;
        let both = s * soft.stiffness + 2.0 * soft.damping;
        (-self.speed - 4.0 * soft.stiffness * self.gap / both + self.fall_after, 4.0 / (s * both))
    }

    /// The middle of the time it acts \[s\].
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of 1 kg that falls onto a spring, step by step: u⁺ = u + ah + λ, x⁺ = x + h(u⁺ − ½ah) − ½(τ + σ)λ. Its energy never grows and is
    /// kept to rounding without damping.
    #[test]
    fn a_spring_gives_back_what_it_takes_and_a_damper_takes() {
        let (h, a) = (1e-3, -9.81);
        for damping in [0.0, 5.0] {
            let soft = Softness { stiffness: 1e4, damping };
            let (mut gap, mut speed) = (0.1, 0.0);
            let energy = |gap: f64, speed: f64| 0.5 * speed * speed - a * gap + 0.5 * 1e4 * gap.min(0.0).powi(2);
            let start = energy(gap, speed);
            let (mut before, mut has_touched) = (start, false);
            for _ in 0..2000 {
                let touch = SoftGap { step: h, gap, speed, acceleration: a, mass: 1.0 }.touch(&soft);
                let free = speed + a * h;
                let (impulse, middle) = touch.map_or((0.0, 0.0), |touch| {
                    let (b, compliance) = touch.row(&soft);
                    (((b - free) / (1.0 + compliance)).max(0.0), touch.middle())
                });
                has_touched |= impulse > 0.0;
                speed = free + impulse;
                gap += h * (speed - 0.5 * a * h) - middle * impulse;
                let now = energy(gap, speed);
                assert!(now <= before + 1e-12, "{now} after {before}");
                before = now;
            }
            assert!(has_touched);
            assert!(if damping == 0.0 { start - before < 1e-9 } else { start - before > 0.1 }, "{damping}: {before}");
        }
    }
}

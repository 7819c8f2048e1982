//! Impacts at their time within a step.
//!
//! A gap Φ that closes at u < 0 and is accelerated by a is closed after τ, and rebounds with the share ε of the speed it then has:
//!
//! ```text
//! Φ + uτ + ½aτ² = 0,    u_c = u + aτ = −√(u² − 2aΦ),    u⁺ = −εu_c + a(h − τ)
//! ```
//!
//! With ε = 1 and a constant a, ½u² − aΦ is the same before and after: the height of a bouncing ball does not depend on where in a step it
//! meets the floor.

/// The law of restitution of `dvi-passive`; other steppers with hard contacts have Newton's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestitutionLaw {
    /// Newton's law as far as it gains no energy: bodies that would gain some, where friction reverses the slip, rebound with the largest share
    /// of it that does not.
    #[default]
    Dissipative,
    /// Newton's law, u⁺ = −εu⁻ at every contact, whatever the energy.
    Newton,
}

impl RestitutionLaw {
    /// Every law.
    pub const ALL: [Self; 2] = [Self::Dissipative, Self::Newton];

    /// Its name in scene files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dissipative => "dissipative",
            Self::Newton => "newton",
        }
    }
}

/// How a gap rebounds within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rebound {
    /// τ \[s\].
    pub(crate) time: f64,
    /// u⁺ \[m/s\].
    pub(crate) after: f64,
}

impl Rebound {
    /// How a gap \[m\] that changes at `approach` < 0 \[m/s\] and is accelerated \[m/s²\] rebounds within h seconds; `None` where it does not
    /// close. One that overlaps rebounds at once.
    pub(crate) fn within(h: f64, gap: f64, approach: f64, acceleration: f64, restitution: f64) -> Option<Self> {
        let gap = gap.max(0.0);
        let speed = closing_speed(gap, approach, acceleration)?;
        let time = time_at(gap, approach, speed);
        let after = restitution * speed + acceleration * (h - time);
        (time <= h).then_some(Self { time, after })
    }
}

/// When a gap ≥ 0 \[m\] that changes at `approach` < 0 \[m/s\] and is accelerated \[m/s²\] is closed \[s\]; `None` where it never is.
pub(crate) fn time_of_touch(gap: f64, approach: f64, acceleration: f64) -> Option<f64> {
    closing_speed(gap, approach, acceleration).map(|speed| time_at(gap, approach, speed))
}

/// −u_c, the speed at which it closes \[m/s\].
fn closing_speed(gap: f64, approach: f64, acceleration: f64) -> Option<f64> {
    let square = approach * approach - 2.0 * acceleration * gap;
    (square >= 0.0).then(|| square.sqrt())
}

/// τ: the smaller root, in the form that loses no digits.
fn time_at(gap: f64, approach: f64, speed: f64) -> f64 {
    2.0 * gap / (speed - approach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_keeps_its_energy_wherever_in_a_step_it_meets_the_floor() {
        let (h, g) = (0.01, 9.81);
        for k in 0..100 {
            let (gap, u) = (0.0004 * f64::from(k), -4.0);
            let Some(Rebound { time, after }) = Rebound::within(h, gap, u, -g, 1.0) else {
                // It would be closed later than h.
                assert!(gap + u * h - 0.5 * g * h * h > 0.0);
                continue;
            };
            let meets = -(u - g * time);
            let height = meets * (h - time) - 0.5 * g * (h - time).powi(2);
            let energy = |z: f64, v: f64| 0.5 * v * v + g * z;
            assert!((energy(height, after) - energy(gap, u)).abs() < 1e-13, "{gap}");
        }
    }

    #[test]
    fn what_is_slowed_down_before_it_meets_does_not() {
        assert_eq!(Rebound::within(1.0, 1.0, -1.0, 1.0, 0.5), None);
        let now = Rebound::within(0.1, -0.2, -3.0, 0.0, 0.5);
        assert_eq!(now, Some(Rebound { time: 0.0, after: 1.5 }));
    }
}

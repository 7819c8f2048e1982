//! Contacts as springs and dampers, for steppers without hard contacts.

use crate::StepError;

/// How the force of a contact point grows with its overlap δ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyLaw {
    /// N = k δ + d δ̇.
    #[default]
    Linear,
    /// N = k δ^{3/2} (1 + d δ̇): Hertz's law of balls with the damping of Hunt and Crossley.
    Hertz,
}

impl PenaltyLaw {
    /// Both laws.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Hertz];

    /// Its name in scene files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Hertz => "hertz",
        }
    }
}

/// Contacts by penalty: every contact point is a spring and a damper that never pull, with Coulomb friction through a spring along the
/// surface that sticks until it carries μN. Limits and ropes of joints are springs of the same law, angles times the radius of the
/// smallest body being their overlap.
///
/// Friction is that of the materials. Their restitution is not used: it follows from the damping. A material's own stiffness and damping
/// replace this law by a linear one for its contacts. A body that rests on several points has a spring at each.
///
/// Steps have to be short enough for bodies to be found while they overlap: one that passes through another within a step is not seen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Penalty {
    /// The law.
    #[serde(default)]
    pub law: PenaltyLaw,
    /// k of one contact point: \[N/m\], or \[N/m^{3/2}\] for Hertz.
    pub stiffness: f64,
    /// d: \[N s/m\], or \[s/m\] for Hertz.
    #[serde(default)]
    pub damping: f64,
    /// Stiffness along the surface \[N/m\]; without it, 2/7 of the normal stiffness (for Hertz, of dN/dδ at an overlap of 1 % of the
    /// smallest body's radius): a ball then swings along the surface as fast as it does across.
    #[serde(default)]
    pub stick_stiffness: Option<f64>,
    /// Damping along the surface while sticking \[N s/m\]; without it, in the ratio to the stiffness along the surface that the normal
    /// damping has to the normal stiffness (for Hertz, at the same overlap).
    #[serde(default)]
    pub stick_damping: Option<f64>,
}

impl Penalty {
    /// N = k δ + d δ̇ with k in N/m and d in N s/m.
    #[must_use]
    pub fn linear(stiffness: f64, damping: f64) -> Self {
        Self { law: PenaltyLaw::Linear, stiffness, damping, stick_stiffness: None, stick_damping: None }
    }

    /// N = k δ^{3/2} (1 + d δ̇) with k in N/m^{3/2} and d in s/m.
    #[must_use]
    pub fn hertz(stiffness: f64, damping: f64) -> Self {
        Self { law: PenaltyLaw::Hertz, ..Self::linear(stiffness, damping) }
    }

    /// Whether its numbers can be used.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), StepError> {
        let positive = [("penalty stiffness", Some(self.stiffness)), ("penalty stick-stiffness", self.stick_stiffness)];
        let at_least_zero = [("penalty damping", Some(self.damping)), ("penalty stick-damping", self.stick_damping)];
        for (name, value) in positive {
            match value {
                Some(value) if value <= 0.0 || !value.is_finite() => {
                    return Err(StepError::Setting { name, value, allowed: "a finite number > 0" });
                }
                _ => {}
            }
        }
        for (name, value) in at_least_zero {
            match value {
                Some(value) if value < 0.0 || !value.is_finite() => {
                    return Err(StepError::Setting { name, value, allowed: "a finite number ≥ 0" });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

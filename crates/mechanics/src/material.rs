//! What surfaces are made of, and what two of them do together.

/// Which material of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialId(pub(crate) u32);

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name, unique in a model.
    pub name: String,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Coefficient of restitution, 0 (plastic) to 1 (elastic).
    pub restitution: f64,
    /// Rolling resistance: the lever arm \[m\] of the largest rolling moment.
    pub rolling: f64,
    /// A soft surface; hard without it.
    pub softness: Option<Softness>,
}

/// A contact that gives way like a spring and a damper.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Softness {
    /// Stiffness of one contact point \[N/m\].
    pub stiffness: f64,
    /// Damping of one contact point \[N s/m\].
    pub damping: f64,
}

impl Material {
    /// A frictionless, plastic, hard surface.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), friction: 0.0, restitution: 0.0, rolling: 0.0, softness: None }
    }
}

/// What two surfaces do together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Rolling resistance \[m\].
    pub rolling: f64,
    /// Softness; hard without it.
    pub softness: Option<Softness>,
}

impl Contact {
    /// The rule for two materials without an entry of their own: friction, restitution and rolling resistance are the smaller
    /// of the two values; springs and dampers of soft materials act in series.
    #[must_use]
    pub fn between(a: &Material, b: &Material) -> Self {
        let softness = match (a.softness, b.softness) {
            (Some(a), Some(b)) => Some(Softness {
                stiffness: in_series(a.stiffness, b.stiffness),
                damping: in_series(a.damping, b.damping),
            }),
            (one, other) => one.or(other),
        };
        Self {
            friction: a.friction.min(b.friction),
            restitution: a.restitution.min(b.restitution),
            rolling: a.rolling.min(b.rolling),
            softness,
        }
    }
}

fn in_series(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a * b / (a + b) } else { 0.0 }
}

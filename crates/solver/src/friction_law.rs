//! The friction laws an answer may obey (THEORY §3, §8).

/// Which friction law an answer obeys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLaw {
    /// The convex law of the papers: sliding opens a gap at the speed μ‖u_t‖.
    #[default]
    Relaxed,
    /// Convex as well, with the term of the previous step (of the warm start, or of the relaxed answer without one).
    Lagged,
    /// Coulomb's law.
    Exact,
}

impl FrictionLaw {
    /// All laws a user can name.
    pub const ALL: [Self; 3] = [Self::Relaxed, Self::Lagged, Self::Exact];
    /// The name used in settings and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Lagged => "lagged",
            Self::Exact => "exact",
        }
    }
}

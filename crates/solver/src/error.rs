//! Why there is no answer at all. Stopping early is not an error: see [`crate::Status`].

use crate::ProblemError;

/// What friction is called where a method cannot take it.
pub(crate) const ROUND_CONES: &str = "round friction cones";

/// A problem or setting that no answer can be given for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem is malformed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A setting has a value that is not allowed.
    #[error("setting `{name}` is {value}, expected {allowed}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// A stopping rule of the interior point was asked of another method.
    #[error(
        "{method} stops by the residual only; the stopping rules of the papers belong to interior-point, relaxed law"
    )]
    StoppingRule {
        /// The method asked.
        method: &'static str,
    },
    /// Pyramids were asked for together with another law than the relaxed one.
    #[error("friction pyramids obey the relaxed law only; the {law} law was asked for")]
    PyramidLaw {
        /// The law asked for.
        law: &'static str,
    },
    /// The method cannot solve problems of this kind.
    #[error("{method} cannot take {what}; methods that can: {}", able.join(", "))]
    NotAccepted {
        /// The method asked.
        method: &'static str,
        /// What it cannot take.
        what: &'static str,
        /// Whether it takes bounds, so that friction pyramids would do.
        takes_bounds: bool,
        /// Methods that can solve the problem.
        able: Vec<&'static str>,
    },
    /// The warm start does not fit the problem.
    #[error("the warm start has {found} {what}, the problem has {expected}")]
    WarmStart {
        /// Velocities or impulses.
        what: &'static str,
        /// How many the warm start has.
        found: usize,
        /// How many the problem has.
        expected: usize,
    },
    /// A matrix could not be factorised.
    #[error("the system matrix could not be factorised{}", at_pivot(*pivot))]
    Factorisation {
        /// Where it broke down, in elimination order, if that is known.
        pivot: Option<usize>,
    },
    /// The factor does not fit in memory.
    #[error("not enough memory to factorise the system")]
    Memory,
    /// The method needs N = J H⁻¹ Jᵀ written out, which is too much.
    #[error(
        "N would have {rows} × {rows} rows and columns with up to {entries} entries ({:.1} GB) and take about {gigaflops:.0} Gflop to write out; at most {most_entries} entries and {most_gigaflops:.0} Gflop are",
        8e-9 * *entries as f64
    )]
    WrittenOut {
        /// Rows of N.
        rows: usize,
        /// Entries it may have.
        entries: usize,
        /// Operations of the solves with H.
        gigaflops: f64,
        /// Entries allowed.
        most_entries: usize,
        /// Operations allowed.
        most_gigaflops: f64,
    },
}

impl SolveError {
    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Factorisation { .. } => Some("check that every mass is positive; try `--kkt augmented`"),
            Self::PyramidLaw { .. } => Some("leave out `--facets`, or use `--friction relaxed`"),
            Self::StoppingRule { .. } => Some("leave out `--stopping`, or use `--solver interior-point`"),
            Self::NotAccepted { what: ROUND_CONES, takes_bounds: true, .. } => {
                Some("`--facets 8` (setting `facets`) replaces round cones by pyramids, which this method can take")
            }
            Self::Memory => Some("try `--solver apgd`, which factorises nothing"),
            Self::WrittenOut { .. } => Some("try `--solver spg` or `--solver apgd`, which only multiply by N"),
            _ => None,
        }
    }
}

fn at_pivot(pivot: Option<usize>) -> String {
    pivot.map_or(String::new(), |pivot| format!(": it broke down at pivot {pivot} of the elimination"))
}

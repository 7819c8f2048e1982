//! The settings of the automatic choice of a method; [`crate::plan`] makes the choice.

use crate::SolveError;
use crate::method::interior_point::InteriorPoint;
use crate::method::{Accepts, Description, MethodSettings};

/// Picks a method by size, friction, H, law and tolerance; falls back to another if it fails.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auto {
    /// Settings of the interior point where that is chosen.
    pub interior_point: InteriorPoint,
}

impl MethodSettings for Auto {
    fn describe(&self) -> Description {
        Description {
            name: "auto",
            summary: "chooses by size, friction, H, law and tolerance, and falls back if that fails",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        self.interior_point.check()
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
}

//! The choice of a method by the problem and by what is asked, and the way out when the chosen one fails.

use crate::cone::Cone;
use crate::friction::FrictionLaw;
use crate::method::apgd::Apgd;
use crate::method::interior_point::{InteriorPoint, Stopping};
use crate::method::proximal_newton::ProximalNewton;
use crate::method::spg::Spg;
use crate::method::{Accepts, Description, Method, MethodSettings};
use crate::problem::Inertia;
use crate::settings::{SolverSettings, Tolerance};
use crate::{ConeProblem, SolveError};

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

/// From so many contacts on, accelerated projected gradients reach a tolerance this loose sooner than the interior point.
///
/// Measured by `signorini-bench crossover` (times in bench/results/crossover.csv) on packings with friction 0.3. To 1e-2
/// they were the fastest at every size measured, 960 to 31,898 contacts; to 1e-3 at all but one (9,620 contacts), where they
/// stall and the attempt is lost: so that tolerance is left to the interior point where its time is short. Spectral
/// gradients took longer in every run that both finished.
const FIRST_ORDER: [Crossover; 2] =
    [Crossover { tolerance: 1e-2, contacts: 950 }, Crossover { tolerance: 1e-3, contacts: 30_000 }];
/// Above this many contacts the factor of the interior point no longer fits in common memory.
const INTERIOR_POINT_CONTACTS: usize = 400_000;
/// Newton on impulses factorises N: up to so many rows it takes less time in the mean than the fixed point around the interior
/// point (same benchmark, packings and files to 1e-4; best limit found between 1334 and 1710 rows).
const PROXIMAL_NEWTON_ROWS: usize = 1_500;

struct Crossover {
    tolerance: f64,
    contacts: usize,
}

impl Auto {
    /// Methods to be tried in turn, with the reason for the first.
    pub(crate) fn plan(&self, problem: &ConeProblem, settings: &SolverSettings) -> (Vec<Method>, &'static str) {
        let interior_point = || Method::from(self.interior_point.clone());
        if self.interior_point.stopping != Stopping::Residual {
            return (vec![interior_point()], "the stopping rule asked for is the interior point's");
        }
        if problem.cones().iter().all(|cone| matches!(cone, Cone::Free)) {
            return (vec![crate::Direct::default().into(), interior_point()], "the problem is linear");
        }
        if settings.friction == FrictionLaw::Exact {
            let newton = Method::from(ProximalNewton::default());
            return match problem.row_count() <= PROXIMAL_NEWTON_ROWS {
                true => (vec![newton, interior_point(), crate::Nsgs::default().into()], "exact law, small problem"),
                false => (vec![interior_point(), newton], "exact law, large problem"),
            };
        }
        let loose = match settings.tolerance {
            Tolerance::Relative(tolerance) => tolerance,
            // A speed says nothing about the free velocity before that is known: be careful.
            Tolerance::Velocity(_) => 0.0,
        };
        let (apgd, spg) = (|| Method::from(Apgd::default()), || Method::from(Spg::default()));
        let contacts = problem.contacts();
        let local = matches!(problem.inertia(), Inertia::BlockDiagonal(_));
        let crossed = |at: &Crossover| loose >= at.tolerance && contacts >= at.contacts;
        if local && FIRST_ORDER.iter().any(crossed) {
            return (vec![apgd(), interior_point()], "many contacts and a loose tolerance");
        }
        if local && contacts > INTERIOR_POINT_CONTACTS {
            return (vec![apgd(), spg(), interior_point()], "too many contacts to factorise");
        }
        (vec![interior_point(), spg()], "few enough contacts to factorise")
    }
}

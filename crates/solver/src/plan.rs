//! The choice of a method by the problem and by what is asked, and the way out when the chosen one fails.

use crate::ConeProblem;
use crate::cone::Cone;
use crate::friction_law::FrictionLaw;
use crate::limits::Tolerance;
use crate::method::Method;
use crate::method::accelerated_sor::AcceleratedSor;
use crate::method::auto::Auto;
use crate::method::direct::Direct;
use crate::method::interior_point::Stopping;
use crate::method::nsgs::Nsgs;
use crate::method::proximal_newton::ProximalNewton;
use crate::method::spg::Spg;
use crate::problem::Inertia;

/// From so many contacts on, a tolerance this loose is left to sweeps with momentum, which factorise nothing.
///
/// Chosen on the falling balls of `signorini-bench peers` (1024 and 4096), where no step misses its tolerance; not by
/// `signorini-bench crossover`, which does not run this method. An attempt that fails costs [`FIRST_ATTEMPT`] sweeps.
const SWEEPS: [Crossover; 3] = [
    Crossover { tolerance: 1e-2, contacts: 300 },
    Crossover { tolerance: 1e-3, contacts: 1_000 },
    Crossover { tolerance: 1e-4, contacts: 5_000 },
];
/// The same under the exact law: a sweep renews the slip of every contact at no cost, where the interior point solves one convex problem after the other for it.
/// Chosen on 300 balls in a tray, the falling bodies of the gallery and 200 mixed bodies in a cone, where Newton on impulses takes four times as long (`signorini-bench menu`, `drops`).
const SWEEPS_OF_EXACT_LAW: [Crossover; 1] = [Crossover { tolerance: 1e-4, contacts: 60 }];
/// Sweeps after which another method is tried: those of a solve that goes well are fewer.
const FIRST_ATTEMPT: u32 = 1_000;
/// Above this many contacts the factor of the interior point no longer fits in common memory.
const INTERIOR_POINT_CONTACTS: usize = 400_000;
/// Newton on impulses factorises N: up to so many rows it takes less time in the mean than the fixed point around the interior
/// point (`signorini-bench crossover`, packings and files to 1e-4; best limit found between 1334 and 1710 rows).
const PROXIMAL_NEWTON_ROWS: usize = 1_500;

/// With a sparse H of at least so many velocities, a tolerance at least this loose is left to the spectral gradient: a step of
/// it is one pair of triangular solves with the factor that the problem has anyway, where the interior point factorises a
/// matrix of that size at every iteration (`signorini-bench flexible-solve`).
const SPARSE_GRADIENT: SparseCrossover = SparseCrossover { tolerance: 1e-3, velocities: 3_000 };
/// Iterations of that attempt: about as long as the interior point would take on large problems.
const SPARSE_ATTEMPT: u32 = 200;

struct SparseCrossover {
    tolerance: f64,
    velocities: usize,
}

struct Crossover {
    tolerance: f64,
    contacts: usize,
}

/// A method to be tried, and after how many iterations it is given up.
#[derive(Clone)]
pub(crate) struct Choice {
    pub(crate) method: Method,
    pub(crate) limit: Option<u32>,
}

impl<M: Into<Method>> From<M> for Choice {
    fn from(method: M) -> Self {
        Self { method: method.into(), limit: None }
    }
}

/// Methods to be tried in turn, with the reason for the first.
pub(crate) struct Plan {
    pub(crate) choices: [Option<Choice>; 3],
    pub(crate) reason: &'static str,
}

fn plan_of<const N: usize>(choices: [Choice; N], reason: &'static str) -> Plan {
    let mut list = choices.into_iter();
    Plan { choices: std::array::from_fn(|_| list.next()), reason }
}

/// What is asked of a problem, as far as it decides the method.
pub(crate) struct Asked {
    pub(crate) law: FrictionLaw,
    pub(crate) tolerance: Tolerance,
    /// Root mean square of the free relative velocity, over blocks \[m/s\].
    pub(crate) free_speed: f64,
}

/// The methods `auto` tries.
pub(crate) fn plan(auto: &Auto, problem: &ConeProblem, asked: &Asked) -> Plan {
    let interior_point = || Choice::from(auto.interior_point.clone());
    let newton = || Choice::from(ProximalNewton::default());
    let sweeps = || Choice::from(AcceleratedSor::default());
    if auto.interior_point.stopping != Stopping::Residual {
        return plan_of([interior_point()], "the stopping rule asked for is the interior point's");
    }
    if problem.cones().iter().all(|cone| matches!(cone, Cone::Free)) {
        return plan_of([Direct::default().into(), interior_point()], "the problem is linear");
    }
    let loose = match asked.tolerance {
        Tolerance::Relative(tolerance) => tolerance,
        Tolerance::Velocity(speed) => speed / asked.free_speed.max(f64::MIN_POSITIVE),
    };
    let exact = asked.law == FrictionLaw::Exact;
    let contacts = problem.contacts();
    let local = matches!(problem.inertia(), Inertia::BlockDiagonal(_)) && !problem.is_condensed();
    let crossed = |at: &Crossover| loose >= at.tolerance && contacts >= at.contacts;
    if local && contacts > INTERIOR_POINT_CONTACTS {
        let gradient = if exact { newton() } else { Choice::from(Spg::default()) };
        return plan_of([sweeps(), gradient, interior_point()], "too many contacts to factorise");
    }
    let sweeps_win: &[Crossover] = if exact { &SWEEPS_OF_EXACT_LAW } else { &SWEEPS };
    if local && sweeps_win.iter().any(crossed) {
        let first = Choice { limit: Some(FIRST_ATTEMPT), ..sweeps() };
        let reason = "many contacts and a loose tolerance";
        return if exact {
            plan_of([first, interior_point(), newton()], reason)
        } else {
            plan_of([first, interior_point()], reason)
        };
    }
    let sparse = matches!(problem.inertia(), Inertia::Sparse(_)) && !problem.is_condensed();
    let is_small_and_exact = exact && problem.row_count() <= PROXIMAL_NEWTON_ROWS;
    if sparse
        && !is_small_and_exact
        && loose >= SPARSE_GRADIENT.tolerance
        && problem.velocities() >= SPARSE_GRADIENT.velocities
    {
        let gradient = Choice { limit: Some(SPARSE_ATTEMPT), ..Spg::default().into() };
        return plan_of([gradient, interior_point()], "a large sparse H and a loose tolerance");
    }
    if exact {
        return if is_small_and_exact {
            plan_of([newton(), interior_point(), Nsgs::default().into()], "exact law, small problem")
        } else {
            plan_of([interior_point(), newton()], "exact law, large problem")
        };
    }
    plan_of([interior_point(), Spg::default().into()], "few enough contacts to factorise")
}

//! The cone-constrained problem of non-smooth dynamics and the methods that solve it; no bodies, no time.
//!
//! ```
//! use signorini_solver::{Cone, ConeProblem, InteriorPoint, solve};
//! // A unit mass falling at 1 m/s meets a frictionless floor: the impulse must stop it.
//! let problem = ConeProblem::builder()
//!     .diagonal_body(&[1.0]).linear(&[1.0])
//!     .row(Cone::NonNegative, &[(0, 1.0)], 0.0)
//!     .build()?;
//! let solution = solve(&problem, &InteriorPoint::default().into())?;
//! assert!(solution.velocity()[0].abs() < 1e-9 && (solution.impulse()[0] - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod colouring;
pub mod cone;
mod delassus;
mod driver;
mod dual;
mod dual_engine;
mod engine;
mod error;
pub mod family;
pub mod fclib;
mod first_order;
mod friction;
mod friction_law;
mod generator;
mod incidence;
mod limits;
mod method;
mod plan;
pub mod problem;
mod pyramid;
mod repair;
mod report;
mod residual;
mod second_order;
mod settings;
mod solve;
mod solver;
mod standard_form;
mod velocity_newton;

pub use cone::Cone;
pub use delassus::Delassus;
pub use error::SolveError;
pub use friction_law::FrictionLaw;
pub use limits::{Limits, Tolerance};
pub use method::accelerated_sor::AcceleratedSor;
pub use method::apgd::Apgd;
pub use method::auto::Auto;
pub use method::blmvm::Blmvm;
pub use method::direct::Direct;
pub use method::gpminres::{FacePreconditioner, Gpminres, GpminresP};
pub use method::interior_point::{InteriorPoint, Start, Steps, Stopping, WarmStart};
pub use method::jacobi::Jacobi;
pub use method::kkt::KktForm;
pub use method::kucera::Kucera;
pub use method::minres_linear::Minres;
pub use method::nsgs::Nsgs;
pub use method::proximal_newton::ProximalNewton;
pub use method::semismooth_newton::SemismoothNewton;
pub use method::sor::{BlockStep, Order, ParallelSor, Sor, SymmetricSor};
pub use method::spg::Spg;
pub use method::tron::Tron;
pub use method::{Accepts, Description, Method};
pub use problem::{ConeProblem, ProblemBuilder, ProblemError};
pub use pyramid::{FEWEST_FACETS, MOST_FACETS, Pyramids};
pub use repair::MovedByRepair;
pub use report::{Attempt, HistoryEntry, Iterate, Report, Solution, Status, Timings};
pub use residual::{ResidualMeter, Residuals};
pub use settings::{Control, SolverSettings};
pub use solve::{solve, solve_with};
pub use solver::Solver;

//! Contact problems in FCLIB files (HDF5): reading, writing and checking.
//!
//! FCLIB is the exchange format of the contact-friction community. A file holds one problem,
//! optionally with a solution and starting points. Contact `i` owns entries `d·i .. d·i+d−1` of every
//! contact-space vector, normal component first.
//!
//! ```text
//! local    u = W r + V λ + q           0 = Vᵀ r + R λ + s
//! global   M v = H r + G λ + f         u = Hᵀ v + w           0 = Gᵀ v + b
//! ```
//!
//! | group | problem | d |
//! |---|---|---|
//! | `/fclib_local` | matrices `W` (`V`, `R`), vectors `q`, `mu` (`s`) | 2, 3 |
//! | `/fclib_global` | matrices `M`, `H` (`G`), vectors `f`, `w`, `mu` (`b`) | 2, 3 |
//! | `/fclib_local_rolling`, `/fclib_global_rolling` | the same, with `mu_r` | 5 |
//! | `/solution`, `/guesses/1`, … | `u`, `r` (`v`, `l`) | |
//! | `/solution_ccp` | as `/solution`, for the convex relaxation; other readers ignore it | |
//!
//! A matrix is stored as compressed columns (`nz = -1`), compressed rows (`nz = -2`) or triplets
//! (`nz ≥ 0` of them). In triplets `p` holds the **column** and `i` the **row**: the header of the C
//! library says the opposite, its files have it this way. We read all three and write compressed columns.
//!
//! The parts: `problem` holds the data, `validate` the rules they obey, `read` and `write` the layout,
//! `matrix` the storages, `dataset` typed access to one data set, `metered` and `fence` the protection
//! against damaged or hostile files, `save` the replacement of a file as a whole.
//!
//! ```
//! use signorini_linalg::CscMatrix;
//! use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, LocalProblem};
//! let problem = LocalProblem {
//!     dimension: 3,
//!     w: CscMatrix::diagonal(&[1.0, 2.0, 2.0]),
//!     v: None,
//!     r: None,
//!     q: vec![-1.0, 0.5, 0.0],
//!     s: None,
//!     mu: vec![0.3],
//!     mu_r: None,
//! };
//! let file = FclibFile::new(FclibProblem::Local(problem), Info::default());
//! let bytes = fclib::to_bytes(&file)?;
//! assert_eq!(fclib::read_bytes("one contact", bytes)?, file);
//! # Ok::<(), fclib::FclibError>(())
//! ```

mod dataset;
mod error;
mod fence;
mod matrix;
mod metered;
mod problem;
mod read;
mod save;
mod validate;
mod write;

pub use error::FclibError;
pub use problem::{FclibFile, FclibProblem, GlobalProblem, Info, LocalProblem, StoredSolution};
pub use read::{read, read_bytes};
pub use write::{to_bytes, write};

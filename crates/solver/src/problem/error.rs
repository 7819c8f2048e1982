//! What can be wrong with the numbers of a problem.

/// Why a problem could not be built. Messages name the body, contact or row.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A number is NaN, infinite or too large to square twice.
    #[error("{place} is {value}, expected a finite number (magnitude at most 1e75)")]
    NotFinite {
        /// Body, contact or row.
        place: String,
        /// What was found.
        value: f64,
    },
    /// A number is negative that must not be.
    #[error("{place}: {quantity} is {value}, expected a finite value ≥ 0")]
    Negative {
        /// Contact or row.
        place: String,
        /// Friction coefficient or compliance.
        quantity: &'static str,
        /// What was found.
        value: f64,
    },
    /// Sizes do not fit together.
    #[error("{what}: found {found}, expected {expected}")]
    Size {
        /// The thing whose size is wrong.
        what: String,
        /// Its size.
        found: usize,
        /// What the rest of the problem asks for.
        expected: String,
    },
    /// A row refers to a velocity that does not exist.
    #[error("{place}: velocity index {found} is out of range 0..{limit}")]
    VelocityIndex {
        /// Contact and row.
        place: String,
        /// The index found.
        found: usize,
        /// Number of velocities.
        limit: usize,
    },
    /// The normal row of a contact, or a bilateral row, moves nothing.
    #[error("{place}: every entry of the row is zero and it has no compliance, so no force can act through it")]
    ZeroRow {
        /// Contact and row.
        place: String,
    },
    /// H is far from symmetric.
    #[error(
        "{matrix} is not symmetric: its skew part is {relative:.1e} of its largest entry, at most {limit:.0e} is mended"
    )]
    Asymmetric {
        /// The matrix, as named in the input.
        matrix: &'static str,
        /// Relative size of the skew part.
        relative: f64,
        /// What is accepted.
        limit: f64,
    },
    /// H is not positive definite.
    #[error("{place}: the mass matrix is not positive definite")]
    Indefinite {
        /// Body or velocity.
        place: String,
    },
    /// The matrix of a condensed problem is clearly indefinite.
    #[error(
        "{matrix} is not positive semi-definite: its smallest eigenvalue is {eigenvalue:.3e}, down to {limit:.1e} is mended"
    )]
    IndefiniteDelassus {
        /// The matrix, as named in the input.
        matrix: &'static str,
        /// Smallest eigenvalue (an estimate).
        eigenvalue: f64,
        /// What is accepted.
        limit: f64,
    },
    /// A matrix that does not fit into memory when it is factorised.
    #[error("{matrix} does not fit into memory when it is factorised")]
    Memory {
        /// The matrix, as named in the input.
        matrix: &'static str,
    },
    /// H as it was given, without symmetry, has no inverse.
    #[error("{matrix} as it was given is singular")]
    Singular {
        /// The matrix, as named in the input.
        matrix: &'static str,
    },
    /// A friction pyramid cannot have this many facets.
    #[error(
        "{found} facets to a friction pyramid, expected 3 (fewer leave a direction without friction) to 256 (more gain nothing)"
    )]
    Facets {
        /// How many were asked for.
        found: u32,
    },
    /// Something valid that this version cannot solve.
    #[error("{what} is not supported yet")]
    Unsupported {
        /// What was found.
        what: String,
    },
}

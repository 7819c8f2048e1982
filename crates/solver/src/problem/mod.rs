//! The one problem every time-stepper builds and every method solves.
//!
//! Find velocities v and forces g = (one block a constraint, g_k ∈ K_k) with
//!
//! ```text
//! H v + c − Jᵀ g = 0
//! y := J v − b + E g,    y_k ∈ K_k*,  g_k ∈ K_k,  g_k · y_k = 0
//! ```
//!
//! (THEORY §3; bilateral rows are blocks with the cone `Free`, whose dual {0} makes y = 0.) Its dual is
//! min ½ gᵀN g + rᵀg over the cones, N = J H⁻¹ Jᵀ + E (the Delassus matrix), r = −J H⁻¹ c − b.
//!
//! A **condensed** problem has no velocities: N = E is given as a sparse matrix and −b = q, the free relative
//! velocity. This is the local form (W, q) of contact problem collections; every definition above holds as is.

mod block_order;
mod body_partition;
mod builder;
mod components;
mod error;
mod from_fclib;
mod inertia;
mod pattern;
mod repair;
mod rewrite;
mod row_facts;
mod row_pass;
mod rows;
mod shift;
mod sparse_inertia;
mod streams;

pub(crate) use block_order::{Atom, BlockOrder};
pub use builder::ProblemBuilder;
pub(crate) use builder::check_zero_rows;
pub use components::{Components, Partition};
pub use error::ProblemError;
pub use from_fclib::{from_fclib, solution_to_fclib, to_fclib};
pub(crate) use inertia::inverse_cholesky;
pub use inertia::{BlockDiagonal, Inertia, InertiaInverse, NotPositiveDefinite};
pub(crate) use pattern::{InertiaName, PatternName};
pub(crate) use repair::factorised;
pub(crate) use rewrite::GivenInertia;
#[cfg(test)]
pub(crate) use rewrite::in_place;
pub use rewrite::{BlockColumns, BlockShape, BlockSlot, MOST_RUNS};
pub(crate) use row_facts::{Gram, RowFacts};
pub(crate) use row_pass::{RowPass, RowSums};
pub(crate) use rows::RIGID;
pub use rows::{RowBlock, RowBlocks};
pub use sparse_inertia::{SpareFactor, SparseInertia};

use crate::cone::Cone;
use signorini_linalg::CscMatrix;

/// A cone-constrained problem, checked when it was built. See the [module documentation](self).
#[derive(Clone, Debug, PartialEq)]
pub struct ConeProblem {
    pub(crate) inertia: Inertia,
    pub(crate) linear: Vec<f64>,
    pub(crate) rows: RowBlocks,
    pub(crate) cones: Vec<Cone>,
    pub(crate) offset: Vec<f64>,
    pub(crate) compliance: Compliance,
    pub(crate) body_start: Vec<usize>,
    pub(crate) names: Names,
    pub(crate) remarks: Vec<Remark>,
    /// N of a condensed problem, or H, before it was made symmetric and semi-definite; where that changed it.
    pub(crate) as_given: Option<CscMatrix>,
    /// What the pattern is called; every change of it calls for another name.
    pub(crate) pattern: PatternName,
    /// What the numbers of H are called; every change of them calls for another name.
    pub(crate) inertia_name: InertiaName,
    /// The H that was last written in place: as long as it is given again, nothing has to be done.
    pub(crate) given_inertia: GivenInertia,
    /// Which blocks are soft, where the rows were written in place.
    pub(crate) soft_blocks: Vec<bool>,
    /// Bodies and colours of the blocks, where the rows were written in place.
    pub(crate) order: BlockOrder,
    /// What was computed while the rows were written.
    pub(crate) facts: RowFacts,
    /// c before it was changed so that the free motion is that of H as given; where H was changed.
    pub(crate) linear_as_given: Option<Vec<f64>>,
}

/// The matrix E ≥ 0: softness of the constraints, in velocity per impulse.
#[derive(Clone, Debug, PartialEq)]
pub enum Compliance {
    /// Hard constraints.
    Zero,
    /// One entry a row. Tangential rows of a friction block share one value, and so do rolling rows.
    Diagonal(Vec<f64>),
    /// The whole Delassus matrix of a condensed problem (both triangles).
    Matrix(CscMatrix),
}

/// Names given to bodies and constraints, used in messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    pub(crate) bodies: Vec<String>,
    pub(crate) blocks: Vec<String>,
}

/// Something about the input that was mended, worth telling.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// The matrix was not symmetric; its symmetric part is used.
    Symmetrised {
        /// The matrix, as named in the input.
        matrix: &'static str,
        /// Largest entry of the skew part relative to the largest entry.
        relative: f64,
    },
    /// A matrix that must be positive semi-definite has slightly negative eigenvalues; the diagonal was shifted.
    Shifted {
        /// The matrix, as named in the input.
        matrix: &'static str,
        /// Smallest eigenvalue found.
        eigenvalue: f64,
        /// What was added to the diagonal.
        shift: f64,
    },
}

impl Remark {
    /// The matrix that was mended, as named in the input.
    #[must_use]
    pub fn matrix(&self) -> &'static str {
        match self {
            Self::Symmetrised { matrix, .. } | Self::Shifted { matrix, .. } => matrix,
        }
    }
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Symmetrised { matrix, relative } => {
                write!(
                    f,
                    "{matrix} is not symmetric (skew part {relative:.1e} of the largest entry); its symmetric part is used"
                )
            }
            Self::Shifted { matrix, eigenvalue, shift } => {
                write!(f, "{matrix} has a negative eigenvalue {eigenvalue:.3e}; {shift:.3e} was added to its diagonal")
            }
        }
    }
}

impl ConeProblem {
    /// Starts a problem in velocity form.
    ///
    /// ```
    /// use signorini_solver::{Cone, ConeProblem};
    /// // A unit mass with momentum −1 (falling) above a frictionless floor.
    /// let problem = ConeProblem::builder()
    ///     .diagonal_body(&[1.0]).linear(&[1.0])
    ///     .row(Cone::NonNegative, &[(0, 1.0)], 0.0)
    ///     .build()?;
    /// assert_eq!((problem.velocities(), problem.blocks()), (1, 1));
    /// # Ok::<(), signorini_solver::ProblemError>(())
    /// ```
    #[must_use]
    pub fn builder() -> ProblemBuilder {
        ProblemBuilder::new()
    }

    /// A problem of no bodies and no rows.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            inertia: Inertia::default(),
            linear: Vec::new(),
            rows: RowBlocks::new(),
            cones: Vec::new(),
            offset: Vec::new(),
            compliance: Compliance::Zero,
            body_start: vec![0],
            names: Names::default(),
            remarks: Vec::new(),
            as_given: None,
            linear_as_given: None,
            pattern: PatternName::fresh(),
            inertia_name: InertiaName::fresh(),
            given_inertia: GivenInertia::default(),
            soft_blocks: Vec::new(),
            order: BlockOrder::default(),
            facts: RowFacts::default(),
        }
    }

    /// Replaces b.
    ///
    /// # Errors
    /// As many numbers as there are rows, and none that overflows.
    pub fn set_offset(&mut self, offset: &[f64]) -> Result<(), ProblemError> {
        builder::check_replacement("b", offset, self.offset.len())?;
        self.offset.copy_from_slice(offset);
        self.facts.forget();
        Ok(())
    }

    /// Replaces c.
    ///
    /// # Errors
    /// As many numbers as there are velocities, and none that overflows.
    pub fn set_linear(&mut self, linear: &[f64]) -> Result<(), ProblemError> {
        builder::check_replacement("c", linear, self.linear.len())?;
        self.linear.copy_from_slice(linear);
        self.facts.forget();
        Ok(())
    }

    /// Bodies and colours of the blocks, where they are known.
    pub(crate) fn order(&self) -> Option<&BlockOrder> {
        self.order.if_of(self.pattern)
    }
    /// What is known of the rows since they were written, where that is.
    pub(crate) fn facts(&self) -> Option<&RowFacts> {
        self.facts.if_of(self.pattern)
    }

    /// N_kk of every block, where all are contacts of rigid bodies with three rows, none of them soft, and are known.
    pub(crate) fn all_grams(&self) -> Option<&[Gram]> {
        let (facts, order) = (self.facts()?, self.order()?);
        order.are_contacts.then_some(&facts.grams)
    }

    /// Number of velocities (columns of J).
    #[must_use]
    pub fn velocities(&self) -> usize {
        self.linear.len()
    }
    /// Number of scalar constraint rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.offset.len()
    }
    /// Number of constraint blocks (contacts, joints).
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.cones.len()
    }
    /// Number of blocks that are not bilateral.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.cones.iter().filter(|cone| !matches!(cone, Cone::Free)).count()
    }
    /// Number of bodies (blocks of velocities).
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.body_start.len() - 1
    }
    /// The matrix H.
    #[must_use]
    pub fn inertia(&self) -> &Inertia {
        &self.inertia
    }
    /// The vector c.
    #[must_use]
    pub fn linear(&self) -> &[f64] {
        &self.linear
    }
    /// The Jacobian J.
    #[must_use]
    pub fn rows(&self) -> &RowBlocks {
        &self.rows
    }
    /// The cone of every block.
    #[must_use]
    pub fn cones(&self) -> &[Cone] {
        &self.cones
    }
    /// The vector b.
    #[must_use]
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }
    /// The matrix E.
    #[must_use]
    pub fn compliance(&self) -> &Compliance {
        &self.compliance
    }
    /// First velocity of every body, and the number of velocities at the end.
    #[must_use]
    pub fn body_start(&self) -> &[usize] {
        &self.body_start
    }
    /// What was mended in the input.
    #[must_use]
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }
    /// N of a condensed problem, or else H, as it was given, where it was mended (see [`ConeProblem::remarks`]). The exact
    /// friction law needs no symmetry and is solved with this one.
    #[must_use]
    pub fn as_given(&self) -> Option<&CscMatrix> {
        self.as_given.as_ref()
    }
    /// c that belongs to H as given: [`ConeProblem::linear`] itself where H was not mended.
    pub(crate) fn linear_as_given(&self) -> &[f64] {
        self.linear_as_given.as_deref().unwrap_or(&self.linear)
    }
    /// N as given less N as used, for a condensed problem that was mended.
    pub(crate) fn defect(&self) -> Option<CscMatrix> {
        let (Compliance::Matrix(used), Some(given)) = (&self.compliance, &self.as_given) else { return None };
        let entries = given.triplets().chain(used.triplets().map(|(row, column, value)| (row, column, -value)));
        let difference = CscMatrix::from_triplets(used.nrows(), used.ncols(), entries);
        Some(difference.unwrap_or_else(|error| unreachable!("entries of two checked matrices of one size: {error}")))
    }
    /// Whether N is given as a matrix and there are no velocities.
    #[must_use]
    pub fn is_condensed(&self) -> bool {
        matches!(self.compliance, Compliance::Matrix(_))
    }
    /// How a message calls a block.
    #[must_use]
    pub fn block_name(&self, block: usize) -> String {
        self.names.block(block)
    }

    /// The error of an H that is not positive definite.
    pub(crate) fn indefinite(&self, broken: NotPositiveDefinite) -> ProblemError {
        let place = match broken {
            NotPositiveDefinite::Block(body) => self.names.body(body),
            NotPositiveDefinite::Row(row) => format!("velocity {row}"),
        };
        ProblemError::Indefinite { place }
    }

    /// The same problem with compliance added to every row.
    pub(crate) fn softened(&self, added: impl Iterator<Item = f64>) -> Self {
        let mut soft = self.clone();
        soft.pattern = PatternName::fresh();
        let mut added: Vec<f64> = added.collect();
        for (rows, cone) in self.each_block() {
            // Tangential rows share one value.
            let pairs = match cone {
                Cone::Free | Cone::NonNegative => &[][..],
                Cone::Friction { .. } if rows.len() < 3 => &[],
                Cone::Friction { .. } => &[1],
                Cone::Rolling { .. } => &[1, 3],
            };
            for at in pairs.iter().map(|pair| rows.start + pair) {
                let mean = 0.5 * (added[at] + added[at + 1]);
                added[at..at + 2].fill(mean);
            }
        }
        soft.compliance = match &self.compliance {
            Compliance::Zero => Compliance::Diagonal(added),
            Compliance::Diagonal(e) => Compliance::Diagonal(e.iter().zip(added).map(|(e, a)| e + a).collect()),
            Compliance::Matrix(w) => {
                let diagonal = added.iter().enumerate().map(|(row, a)| (row, row, *a));
                let sum = CscMatrix::from_triplets(w.nrows(), w.ncols(), w.triplets().chain(diagonal));
                Compliance::Matrix(sum.unwrap_or_else(|error| {
                    unreachable!("entries of a checked matrix and shares of its diagonal, all finite: {error}")
                }))
            }
        };
        soft
    }

    /// Blocks with their rows and cones, in order.
    pub fn each_block(&self) -> impl Iterator<Item = (std::ops::Range<usize>, Cone)> + '_ {
        self.cones.iter().enumerate().map(|(k, &cone)| (self.rows.rows_of(k), cone))
    }

    /// Bytes held by the matrices and vectors of the problem.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let inertia = match &self.inertia {
            Inertia::BlockDiagonal(blocks) => (0..blocks.len()).map(|k| blocks.block(k).len()).sum::<usize>(),
            Inertia::Sparse(matrix) => 2 * matrix.nnz(),
        };
        let compliance = match &self.compliance {
            Compliance::Zero => 0,
            Compliance::Diagonal(entries) => entries.len(),
            Compliance::Matrix(matrix) => 2 * matrix.nnz(),
        };
        8 * (inertia
            + compliance
            + self.rows.entries()
            + self.rows.columns().len()
            + self.linear.len()
            + self.offset.len())
    }
}

impl Names {
    pub(crate) fn body(&self, body: usize) -> String {
        named(&self.bodies, "body", body)
    }
    pub(crate) fn block(&self, block: usize) -> String {
        named(&self.blocks, "contact", block)
    }
}

fn named(names: &[String], kind: &str, index: usize) -> String {
    match names.get(index) {
        Some(name) if !name.is_empty() => format!("{kind} {index} (`{name}`)"),
        _ => format!("{kind} {index}"),
    }
}

//! A sparse H with what its factorisation shares: the analysis of its pattern, and the one factor of a problem.

use super::NotPositiveDefinite;
use signorini_linalg::{CscMatrix, FactorError, FactorRoom, SparseAnalysis, SparseFactor, Threads};
use std::sync::{Arc, OnceLock};

/// A sparse symmetric matrix H, both triangles stored (it dereferences to that), factorised at most once.
///
/// The factor is made when a problem with this H is built, which checks that it is positive definite, and is used by whatever
/// needs H⁻¹ afterwards; clones share it. The symbolic phase depends on the pattern alone: a caller with one pattern for many
/// steps makes a [`SparseAnalysis`] once and hands it in ([`Inertia::sparse_with`](super::Inertia::sparse_with)).
///
/// ```
/// use signorini_linalg::{CscMatrix, SparseAnalysis};
/// use signorini_solver::problem::Inertia;
/// let h = CscMatrix::from_triplets(2, 2, [(0, 0, 2.0), (1, 1, 2.0), (0, 1, -1.0), (1, 0, -1.0)])?;
/// let analysis = std::sync::Arc::new(SparseAnalysis::of(&h)?);
/// let (first, next) = (Inertia::sparse_with(h.clone(), &analysis), Inertia::sparse(h));
/// assert_eq!(first, next); // equal by their entries
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseInertia {
    matrix: CscMatrix,
    /// Handed in; used only if it fits the pattern.
    analysis: Option<Arc<SparseAnalysis>>,
    factor: OnceLock<Arc<SparseFactor>>,
}

/// What is derived from the entries does not count.
impl PartialEq for SparseInertia {
    fn eq(&self, other: &Self) -> bool {
        self.matrix == other.matrix
    }
}

impl std::ops::Deref for SparseInertia {
    type Target = CscMatrix;
    fn deref(&self) -> &CscMatrix {
        &self.matrix
    }
}

impl From<CscMatrix> for SparseInertia {
    fn from(matrix: CscMatrix) -> Self {
        Self::new(matrix)
    }
}

impl SparseInertia {
    /// A matrix whose pattern is analysed when it is factorised.
    #[must_use]
    pub fn new(matrix: CscMatrix) -> Self {
        Self { matrix, analysis: None, factor: OnceLock::new() }
    }
    /// A matrix with the analysis of one with the same pattern. An analysis of another pattern is not used.
    #[must_use]
    pub fn with(matrix: CscMatrix, analysis: &Arc<SparseAnalysis>) -> Self {
        Self { matrix, analysis: Some(analysis.clone()), factor: OnceLock::new() }
    }
    /// The matrix.
    #[must_use]
    pub fn matrix(&self) -> &CscMatrix {
        &self.matrix
    }
    /// The analysis of its pattern, once it was factorised: to be handed in with the next matrix.
    #[must_use]
    pub fn analysis(&self) -> Option<&Arc<SparseAnalysis>> {
        self.factor.get().map(|factor| factor.analysis())
    }
    /// Takes over the values of a matrix with the same pattern; false where it has another. The factor is forgotten.
    pub(crate) fn copy_values(&mut self, from: &CscMatrix) -> bool {
        let same = self.matrix.col_ptr() == from.col_ptr() && self.matrix.row_idx() == from.row_idx();
        if same {
            self.matrix.values_mut().copy_from_slice(from.values());
            self.factor = OnceLock::new();
        }
        same
    }
    /// Whether its factor has been made.
    #[must_use]
    pub fn is_factorised(&self) -> bool {
        self.factor.get().is_some()
    }
    /// The same analysis with another matrix.
    pub(super) fn mapped<E>(self, map: impl FnOnce(CscMatrix) -> Result<CscMatrix, E>) -> Result<Self, E> {
        Ok(Self { matrix: map(self.matrix)?, analysis: self.analysis, factor: OnceLock::new() })
    }

    /// The factor, made by the first call.
    ///
    /// # Errors
    /// The row where the matrix shows not to be positive definite.
    pub fn factor(&self, threads: Threads) -> Result<&Arc<SparseFactor>, NotPositiveDefinite> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor);
        }
        let analysis = match &self.analysis {
            Some(analysis) if analysis.fits(&self.matrix) => analysis.clone(),
            _ => Arc::new(SparseAnalysis::of(&self.matrix).map_err(broken)?),
        };
        self.factor_by(analysis, threads)
    }

    fn factor_by(
        &self,
        analysis: Arc<SparseAnalysis>,
        threads: Threads,
    ) -> Result<&Arc<SparseFactor>, NotPositiveDefinite> {
        let factor = SparseFactor::new(analysis, &self.matrix, threads).map_err(broken)?;
        Ok(self.factor.get_or_init(|| Arc::new(factor)))
    }

    /// The factor, made by the first call: with the analysis of the `last` one where the pattern is the same, which is the one it
    /// would find itself, and in the memory of the one before, where that is no longer used.
    ///
    /// # Errors
    /// Those of [`SparseInertia::factor`].
    pub(super) fn factor_after(
        &self,
        last: &SparseFactor,
        spare: &mut SpareFactor,
        threads: Threads,
    ) -> Result<&Arc<SparseFactor>, NotPositiveDefinite> {
        let analysis = last.analysis();
        let is_handed_in = self.analysis.as_ref().is_some_and(|own| Arc::ptr_eq(own, analysis));
        if self.is_factorised() || !(is_handed_in || analysis.fits(&self.matrix)) {
            return self.factor(threads);
        }
        if let Some(mut factor) = spare.factor.take_if(|spare| Arc::ptr_eq(spare.analysis(), analysis))
            && let Some(own) = Arc::get_mut(&mut factor)
        {
            own.renew(&self.matrix, threads, &mut spare.room).map_err(broken)?;
            return Ok(self.factor.get_or_init(|| factor));
        }
        self.factor_by(analysis.clone(), threads)
    }
}

/// The factor before the last, for its memory: whoever had it has the last one by now.
#[derive(Default)]
pub struct SpareFactor {
    pub(super) factor: Option<Arc<SparseFactor>>,
    room: FactorRoom,
}

fn broken(error: FactorError) -> NotPositiveDefinite {
    match error {
        FactorError::Pivot { pivot: row } | FactorError::Structure { column: row } => NotPositiveDefinite::Row(row),
        _ => NotPositiveDefinite::Row(0),
    }
}

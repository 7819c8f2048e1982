//! Building a problem body by body and row by row, and checking it.

use super::body_partition::infer_bodies;
use super::shift::mend_delassus;
use super::{BlockDiagonal, BlockOrder, Compliance, ConeProblem, Inertia, Names, NotPositiveDefinite};
use super::{GivenInertia, InertiaName, PatternName, ProblemError, Remark, RowBlocks, RowFacts, SparseInertia};
use crate::cone::Cone;
use signorini_linalg::{CscMatrix, SparseAnalysis};
use std::sync::Arc;

/// Skew parts up to this share of the largest entry are taken for noise (collision data, gyroscopic terms,
/// few printed digits) and symmetrised; beyond it the matrix is something else.
const LARGEST_SKEW: f64 = 0.1;

/// Larger numbers overflow when squared twice, as residuals and energies are.
const LARGEST_NUMBER: f64 = 1e75;

/// Collects the parts of a [`ConeProblem`]; [`ProblemBuilder::build`] checks them.
#[derive(Clone, Debug, Default)]
pub struct ProblemBuilder {
    blocks: Option<BlockDiagonal>,
    sparse: Option<SparseInertia>,
    linear: Option<Vec<f64>>,
    rows: Vec<Vec<Vec<(usize, f64)>>>,
    cones: Vec<Cone>,
    offset: Vec<f64>,
    compliance: Vec<f64>,
    names: Names,
    /// The first thing that could not be taken as given; `build` reports it.
    refused: Option<ProblemError>,
}

impl ProblemBuilder {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a rigid body with a diagonal mass matrix (masses and principal inertias).
    pub fn diagonal_body(&mut self, masses: &[f64]) -> &mut Self {
        let n = masses.len();
        let mut block = vec![0.0; n * n];
        for (i, &mass) in masses.iter().enumerate() {
            block[i * n + i] = mass;
        }
        self.dense_body(n, &block)
    }

    /// Adds a body with a dense mass matrix, row-major `n × n`.
    pub fn dense_body(&mut self, n: usize, mass: &[f64]) -> &mut Self {
        if mass.len() != n * n || n == 0 {
            let body = self.blocks.as_ref().map_or(0, BlockDiagonal::len);
            return self.refuse(ProblemError::Size {
                what: format!("entries of the mass matrix of {}", self.names.body(body)),
                found: mass.len(),
                expected: format!("{} × {}, at least one", n, n),
            });
        }
        self.blocks.get_or_insert_with(BlockDiagonal::new).push(n, mass);
        self
    }

    fn refuse(&mut self, error: ProblemError) -> &mut Self {
        self.refused.get_or_insert(error);
        self
    }

    /// Gives H as a sparse matrix instead of bodies (both triangles; finite elements).
    pub fn sparse_inertia(&mut self, matrix: CscMatrix) -> &mut Self {
        self.sparse = Some(SparseInertia::new(matrix));
        self
    }

    /// [`ProblemBuilder::sparse_inertia`] with an analysis made before for a matrix of the same pattern.
    pub fn sparse_inertia_with(&mut self, matrix: CscMatrix, analysis: &Arc<SparseAnalysis>) -> &mut Self {
        self.sparse = Some(SparseInertia::with(matrix, analysis));
        self
    }

    /// Gives c. For a free fall step c = −(M v + h f). Zero when not given.
    pub fn linear(&mut self, c: &[f64]) -> &mut Self {
        self.linear = Some(c.to_vec());
        self
    }

    /// Adds a block of one row.
    pub fn row(&mut self, cone: Cone, entries: &[(usize, f64)], b: f64) -> &mut Self {
        self.rows(cone, &[entries], &[b])
    }

    /// Adds a block of rows (friction: normal, then tangents) with its part of b.
    pub fn rows(&mut self, cone: Cone, rows: &[&[(usize, f64)]], b: &[f64]) -> &mut Self {
        if b.len() != rows.len() {
            let what = format!("entries of b of {}", self.names.block(self.rows.len()));
            return self.refuse(ProblemError::Size { what, found: b.len(), expected: rows.len().to_string() });
        }
        self.rows.push(rows.iter().map(|row| row.to_vec()).collect());
        self.cones.push(cone);
        self.offset.extend_from_slice(b);
        self.compliance.resize(self.offset.len(), 0.0);
        self
    }

    /// Gives every row of the block added last the compliance E (velocity per impulse).
    pub fn compliance(&mut self, e: f64) -> &mut Self {
        let last = self.rows.last().map_or(0, Vec::len);
        let first = self.compliance.len().saturating_sub(last);
        self.compliance[first..].fill(e);
        self
    }

    /// Names the block added last.
    pub fn block_name(&mut self, name: &str) -> &mut Self {
        self.names.blocks.resize(self.rows.len(), String::new());
        if let Some(last) = self.names.blocks.last_mut() {
            *last = name.to_owned();
        }
        self
    }

    /// Names the body added last.
    pub fn body_name(&mut self, name: &str) -> &mut Self {
        self.names.bodies.resize(self.blocks.as_ref().map_or(0, BlockDiagonal::len), String::new());
        if let Some(last) = self.names.bodies.last_mut() {
            *last = name.to_owned();
        }
        self
    }

    /// Checks everything and makes the problem. The builder is left empty.
    ///
    /// # Errors
    /// Whatever is wrong with the numbers, naming the body, contact or row.
    pub fn build(&mut self) -> Result<ConeProblem, ProblemError> {
        let this = std::mem::take(self);
        if let Some(refused) = this.refused {
            return Err(refused);
        }
        let mut remarks = Vec::new();
        let inertia = match (this.blocks, this.sparse) {
            (Some(blocks), None) => Inertia::BlockDiagonal(symmetric_blocks(&blocks, &mut remarks)?),
            (None, Some(matrix)) => Inertia::Sparse(matrix.mapped(|m| symmetric_part("H", m, &mut remarks))?),
            (None, None) => Inertia::BlockDiagonal(BlockDiagonal::new()),
            (Some(blocks), Some(_)) => {
                return Err(ProblemError::Size {
                    what: "bodies besides a sparse H".into(),
                    found: blocks.len(),
                    expected: "either bodies or a sparse H".into(),
                });
            }
        };
        let n = inertia.dimension();
        let mut rows = RowBlocks::new();
        for (k, block) in this.rows.iter().enumerate() {
            for (r, row) in block.iter().enumerate() {
                check_row(&this.names, k, r, row, n)?;
            }
            let views: Vec<&[(usize, f64)]> = block.iter().map(Vec::as_slice).collect();
            rows.push(&views);
        }
        let compliance = match this.compliance.iter().all(|e| *e == 0.0) {
            true => Compliance::Zero,
            false => Compliance::Diagonal(this.compliance),
        };
        let linear = this.linear.unwrap_or_else(|| vec![0.0; n]);
        ConeProblem::from_parts(inertia, linear, rows, this.cones, this.offset, compliance, this.names, remarks)
    }
}

impl ConeProblem {
    /// A problem from its arrays, checked as the builder checks them: H, c, J, one cone a block, b, E. For callers that make a
    /// problem every step and keep the arrays.
    ///
    /// # Errors
    /// Whatever is wrong with the numbers, by index.
    pub fn assembled(
        inertia: Inertia,
        linear: Vec<f64>,
        rows: RowBlocks,
        cones: Vec<Cone>,
        offset: Vec<f64>,
        compliance: Compliance,
    ) -> Result<Self, ProblemError> {
        let (n, names) = (inertia.dimension(), Names::default());
        for k in 0..rows.len() {
            let block = rows.block(k);
            if let Some(&column) = block.columns.last().filter(|&&column| column >= n) {
                let place = names.block(k);
                return Err(ProblemError::VelocityIndex { place, found: column, limit: n });
            }
            check_finite(block.values, |e| format!("{}: entry {e} of its rows", names.block(k)))?;
        }
        let mut remarks = Vec::new();
        let inertia = match inertia {
            Inertia::BlockDiagonal(blocks) => Inertia::BlockDiagonal(symmetric_blocks(&blocks, &mut remarks)?),
            // What has a factor is finite, and symmetric means to the bit.
            Inertia::Sparse(matrix) if matrix.is_factorised() && matrix.is_symmetric() => Inertia::Sparse(matrix),
            Inertia::Sparse(matrix) => Inertia::Sparse(matrix.mapped(|m| symmetric_part("H", m, &mut remarks))?),
        };
        Self::from_parts(inertia, linear, rows, cones, offset, compliance, names, remarks)
    }

    /// A condensed problem: N = `w` (its symmetric part; slightly negative eigenvalues are shifted away),
    /// free relative velocity `q`, one cone and row count a block.
    ///
    /// # Errors
    /// Whatever is wrong with the numbers.
    ///
    /// ```
    /// use signorini_linalg::CscMatrix;
    /// use signorini_solver::{Cone, ConeProblem};
    /// let w = CscMatrix::diagonal(&[1.0, 1.0, 1.0]);
    /// let problem = ConeProblem::condensed(w, vec![-1.0, 0.0, 2.0], &[(Cone::Friction { mu: 0.5 }, 3)])?;
    /// assert!(problem.is_condensed());
    /// # Ok::<(), signorini_solver::ProblemError>(())
    /// ```
    pub fn condensed(w: CscMatrix, q: Vec<f64>, cones: &[(Cone, usize)]) -> Result<Self, ProblemError> {
        let mut remarks = Vec::new();
        let given = w.clone();
        let w = symmetric_part("W", w, &mut remarks)?;
        let mut rows = RowBlocks::new();
        cones.iter().for_each(|&(_, count)| rows.push_dense(&[], count, &[]));
        let w = if w.nrows() == rows.nrows() { mend_delassus("W", w, &mut remarks)? } else { w };
        let offset = q.iter().map(|q| -q).collect();
        let cones = cones.iter().map(|&(cone, _)| cone).collect();
        let inertia = Inertia::BlockDiagonal(BlockDiagonal::new());
        let compliance = Compliance::Matrix(w);
        let mut this =
            Self::from_parts(inertia, Vec::new(), rows, cones, offset, compliance, Names::default(), remarks)?;
        this.as_given = (!this.remarks.is_empty()).then_some(given);
        Ok(this)
    }

    #[allow(clippy::too_many_arguments)] // one argument a symbol of the problem; called by the two doors above
    pub(super) fn from_parts(
        inertia: Inertia,
        linear: Vec<f64>,
        rows: RowBlocks,
        cones: Vec<Cone>,
        offset: Vec<f64>,
        compliance: Compliance,
        names: Names,
        remarks: Vec<Remark>,
    ) -> Result<Self, ProblemError> {
        let size = |what: &str, found: usize, expected: usize| match found == expected {
            true => Ok(()),
            false => Err(ProblemError::Size { what: what.into(), found, expected: expected.to_string() }),
        };
        size("length of c", linear.len(), inertia.dimension())?;
        size("number of cones", cones.len(), rows.len())?;
        size("length of b", offset.len(), rows.nrows())?;
        check_finite(&linear, |i| format!("c[{i}]"))?;
        for k in 0..cones.len() {
            let range = rows.rows_of(k);
            check_finite(&offset[range.clone()], |r| format!("{}: b of row {r}", names.block(k)))?;
            check_cone(&names, k, cones[k], range.len())?;
        }
        match &compliance {
            Compliance::Zero => {}
            Compliance::Diagonal(entries) => {
                size("length of the compliance", entries.len(), rows.nrows())?;
                check_compliance(&names, &rows, &cones, entries)?;
            }
            Compliance::Matrix(w) => {
                size("order of W", w.nrows(), rows.nrows())?;
            }
        }
        check_zero_rows(&names, &rows, &cones, &compliance)?;
        let body_start = match &inertia {
            Inertia::BlockDiagonal(blocks) => {
                for body in 0..blocks.len() {
                    check_finite(blocks.block(body), |e| format!("{}: mass matrix entry {e}", names.body(body)))?;
                }
                blocks.start().to_vec()
            }
            Inertia::Sparse(matrix) => infer_bodies(matrix, &rows),
        };
        inertia.check_definite().map_err(|broken| ProblemError::Indefinite {
            place: match broken {
                NotPositiveDefinite::Block(body) => names.body(body),
                NotPositiveDefinite::Row(row) => format!("velocity {row}"),
            },
        })?;
        Ok(Self {
            inertia,
            linear,
            rows,
            cones,
            offset,
            compliance,
            body_start,
            names,
            remarks,
            as_given: None,
            pattern: PatternName::fresh(),
            inertia_name: InertiaName::fresh(),
            given_inertia: GivenInertia::default(),
            soft_blocks: Vec::new(),
            order: BlockOrder::default(),
            facts: RowFacts::default(),
            linear_as_given: None,
        })
    }
}

/// The symmetric part of every block, with one remark for the worst.
fn symmetric_blocks(blocks: &BlockDiagonal, remarks: &mut Vec<Remark>) -> Result<BlockDiagonal, ProblemError> {
    let mut out = BlockDiagonal::new();
    let mut worst = 0.0_f64;
    for k in 0..blocks.len() {
        let (n, block) = (blocks.rows_of(k).len(), blocks.block(k));
        let largest = block.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mirrored: Vec<f64> = (0..n * n).map(|e| 0.5 * (block[e] + block[(e % n) * n + e / n])).collect();
        let skew = block.iter().zip(&mirrored).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        if skew > 0.0 {
            worst = worst.max(skew / largest);
        }
        out.push(n, &mirrored);
    }
    note_asymmetry("H", worst, remarks)?;
    Ok(out)
}

/// Refuses a matrix that is far from symmetric, remarks on one that is not quite.
fn note_asymmetry(matrix: &'static str, relative: f64, remarks: &mut Vec<Remark>) -> Result<(), ProblemError> {
    if relative > LARGEST_SKEW {
        return Err(ProblemError::Asymmetric { matrix, relative, limit: LARGEST_SKEW });
    }
    // Below this the two triangles differ by the rounding of the tool that wrote them.
    if relative > 1e-12 {
        remarks.push(Remark::Symmetrised { matrix, relative });
    }
    Ok(())
}

/// The symmetric part of a square matrix, with a remark when that changed anything.
pub(super) fn symmetric_part(
    name: &'static str,
    matrix: CscMatrix,
    remarks: &mut Vec<Remark>,
) -> Result<CscMatrix, ProblemError> {
    if matrix.nrows() != matrix.ncols() {
        return Err(ProblemError::Size {
            what: format!("columns of {name}"),
            found: matrix.ncols(),
            expected: format!("{}, the number of its rows", matrix.nrows()),
        });
    }
    check_finite(matrix.values(), |e| format!("{name}, entry {e}"))?;
    if matrix.is_symmetric() {
        return Ok(matrix);
    }
    let (symmetric, skew) = matrix.symmetric_part();
    let relative = if skew == 0.0 { 0.0 } else { skew / matrix.max_abs() };
    note_asymmetry(name, relative, remarks)?;
    Ok(symmetric)
}

/// Neither NaN nor too large.
#[inline]
pub(super) fn check_number(value: f64) -> bool {
    value.abs() <= LARGEST_NUMBER
}

/// The same of many numbers, without a branch for each.
#[inline]
pub(super) fn check_numbers(values: &[f64]) -> bool {
    values.iter().fold(true, |all, value| all & check_number(*value))
}

/// Whether numbers can take the place of others of the problem.
pub(super) fn check_replacement(name: &str, values: &[f64], expected: usize) -> Result<(), ProblemError> {
    if values.len() != expected {
        let (what, expected) = (format!("length of {name}"), expected.to_string());
        return Err(ProblemError::Size { what, found: values.len(), expected });
    }
    check_finite(values, |i| format!("{name}[{i}]"))
}

fn check_finite(values: &[f64], place: impl Fn(usize) -> String) -> Result<(), ProblemError> {
    match values.iter().position(|value| !check_number(*value)) {
        Some(at) => Err(ProblemError::NotFinite { place: place(at), value: values[at] }),
        None => Ok(()),
    }
}

fn check_row(names: &Names, k: usize, r: usize, row: &[(usize, f64)], n: usize) -> Result<(), ProblemError> {
    for &(column, value) in row {
        let place = || format!("{}, row {r}", names.block(k));
        if column >= n {
            return Err(ProblemError::VelocityIndex { place: place(), found: column, limit: n });
        }
        if !check_number(value) {
            return Err(ProblemError::NotFinite { place: format!("{}, velocity {column}", place()), value });
        }
    }
    Ok(())
}

fn check_cone(names: &Names, k: usize, cone: Cone, count: usize) -> Result<(), ProblemError> {
    if count == 0 {
        return Err(ProblemError::Size {
            what: format!("rows of {}", names.block(k)),
            found: 0,
            expected: "at least 1".into(),
        });
    }
    let (coefficients, expected): (&[(f64, &'static str)], _) = match cone {
        Cone::Free | Cone::NonNegative => return Ok(()),
        Cone::Friction { mu } => (&[(mu, "friction coefficient")], 2..=3),
        Cone::Rolling { mu, mu_r } => (&[(mu, "friction coefficient"), (mu_r, "rolling friction coefficient")], 5..=5),
    };
    for &(value, quantity) in coefficients {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(ProblemError::Negative { place: names.block(k), quantity, value });
        }
    }
    if !expected.contains(&count) {
        let (kind, expected) = match cone {
            Cone::Rolling { .. } => ("rolling friction", "5 (normal, two tangents, two rolling axes)"),
            _ => ("friction", "2 (plane) or 3 (space)"),
        };
        let what = format!("rows of the {kind} block {}", names.block(k));
        return Err(ProblemError::Size { what, found: count, expected: expected.into() });
    }
    Ok(())
}

fn check_compliance(names: &Names, rows: &RowBlocks, cones: &[Cone], entries: &[f64]) -> Result<(), ProblemError> {
    for (k, cone) in cones.iter().enumerate() {
        let e = &entries[rows.rows_of(k)];
        if let Some(&value) = e.iter().find(|e| !(**e >= 0.0 && e.is_finite())) {
            return Err(ProblemError::Negative { place: names.block(k), quantity: "compliance", value });
        }
        let isotropic = match (cone, e) {
            (Cone::Friction { .. }, [_, a, b]) => a == b,
            (Cone::Rolling { .. }, [_, a, b, c, d]) => a == b && c == d,
            _ => true,
        };
        if !isotropic {
            return Err(ProblemError::Size {
                what: format!("distinct tangential compliances of {}", names.block(k)),
                found: 2,
                expected: "1: the friction cone is isotropic".into(),
            });
        }
    }
    Ok(())
}

/// A normal or bilateral row without entries makes a contact that no impulse can change. A tangential row may
/// be empty (plane motion written in space): its friction force is zero.
pub(crate) fn check_zero_rows(
    names: &Names,
    rows: &RowBlocks,
    cones: &[Cone],
    compliance: &Compliance,
) -> Result<(), ProblemError> {
    for (k, cone) in cones.iter().enumerate() {
        let block = rows.block(k);
        let checked = if matches!(cone, Cone::Friction { .. } | Cone::Rolling { .. }) { 1 } else { block.rows };
        for r in 0..checked {
            let row = rows.rows_of(k).start + r;
            let soft = match compliance {
                Compliance::Zero => false,
                Compliance::Diagonal(entries) => entries[row] > 0.0,
                Compliance::Matrix(w) => w.get(row, row) != 0.0,
            };
            if !soft && block.row(r).iter().all(|value| *value == 0.0) {
                return Err(ProblemError::ZeroRow { place: format!("{}, row {r}", names.block(k)) });
            }
        }
    }
    Ok(())
}

//! The linear system of one Newton step, in three interchangeable forms.
//!
//! ```text
//! H dv − Cᵀdγ − Dᵀdλ           = a
//! C dv + E_γ dγ                = b_γ
//! D dv        + (Θ + E) dλ     = b          Θ block diagonal, one block a cone
//! ```
//!
//! Θ + E = (RᵀR)⁻¹ block by block, and the forms see the scaled rows D̃ = R D only, with dλ = Rᵀx:
//!
//! ```text
//! H dv − Cᵀdγ − D̃ᵀx = a,   C dv + E_γ dγ = b_γ,   D̃ dv + x = b̃ = R b
//! ```
//!
//! Forming R D instead of DᵀΘ⁻¹D directly keeps twice the digits when Θ is nearly singular (THEORY §7).
//! A row of R may be zero: that direction of dλ is held at zero.

mod augmented;
mod bordered;
mod condensed;
mod condensed_definite;
mod quasi_definite;
mod reduced;

use crate::problem::{Inertia, RowBlocks};
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Graph, OrderingChoice, Threads, expand_to_rows, fill_reducing};
use signorini_linalg::{Multifrontal, MultifrontalStructure};

/// Which form of the linear system to factorise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KktForm {
    /// `Reduced`, the fastest with and without friction (`signorini-bench forms`); `QuasiDefinite` if that stalls.
    #[default]
    Auto,
    /// Unsymmetric LU of the whole system.
    Augmented,
    /// LDLᵀ of the symmetric quasi-definite system.
    QuasiDefinite,
    /// Cholesky of H + D̃ᵀD̃, bordered by the bilateral rows.
    Reduced,
}

impl KktForm {
    /// All forms a user can name.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Augmented, Self::QuasiDefinite, Self::Reduced];

    /// The name used in settings, on the command line and in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Augmented => "augmented",
            Self::QuasiDefinite => "quasi-definite",
            Self::Reduced => "reduced",
        }
    }
}

/// Bilateral rows may be redundant: this share of their own softness N_ii is added to their diagonal, and
/// iterative refinement takes it out again.
const FREE_REGULARISATION: f64 = 1e-12;

/// The block diagonal R and the scaled rows D̃ = R D.
pub(crate) struct Weights {
    r: Vec<f64>,
    start: Vec<usize>,
    scaled: RowBlocks,
}

impl Weights {
    pub(crate) fn new(form: &StandardForm) -> Self {
        let rows = &form.cones.jacobian;
        let mut start = vec![0];
        for k in 0..rows.len() {
            start.push(start[k] + rows.rows_of(k).len().pow(2));
        }
        Self { r: vec![0.0; start[rows.len()]], start, scaled: rows.clone() }
    }

    /// R of cone `k`, row-major.
    pub(crate) fn block(&self, k: usize) -> &[f64] {
        &self.r[self.start[k]..self.start[k + 1]]
    }
    pub(crate) fn block_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.r[self.start[k]..self.start[k + 1]]
    }

    /// Recomputes D̃ after the blocks were changed.
    pub(crate) fn scale_rows(&mut self, form: &StandardForm) {
        let rows = &form.cones.jacobian;
        let source = rows.values();
        for k in 0..rows.len() {
            let block = rows.block(k);
            let (d, width) = (block.rows, block.columns.len());
            let first = rows.value_start()[k];
            let r = &self.r[self.start[k]..self.start[k + 1]];
            let out = &mut self.scaled.values_mut()[first..first + d * width];
            for i in 0..d {
                for column in 0..width {
                    let mut sum = 0.0;
                    for j in 0..d {
                        sum += r[i * d + j] * source[first + j * width + column];
                    }
                    out[i * width + column] = sum;
                }
            }
        }
    }

    /// `out = R x` block by block.
    fn apply(&self, rows: &RowBlocks, x: &[f64], out: &mut [f64]) {
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let d = range.len();
            let (x, out) = (&x[range.clone()], &mut out[range]);
            for (line, out) in self.block(k).chunks_exact(d).zip(out) {
                *out = line.iter().zip(x).map(|(r, x)| r * x).sum();
            }
        }
    }

    /// `out = Rᵀ x` block by block.
    fn apply_transpose(&self, rows: &RowBlocks, x: &[f64], out: &mut [f64]) {
        for k in 0..rows.len() {
            let range = rows.rows_of(k);
            let d = range.len();
            let (x, out) = (&x[range.clone()], &mut out[range]);
            let r = self.block(k);
            for j in 0..d {
                out[j] = (0..d).map(|i| r[i * d + j] * x[i]).sum();
            }
        }
    }
}

/// One form of the system.
trait Backend: Send + Sync {
    fn name(&self) -> &'static str;
    /// Assembles and factorises, every diagonal entry enlarged by its share `boost`.
    fn factorise(&mut self, form: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError>;
    /// Solves the scaled system in place: a → dv, b_γ → dγ, b̃ → x.
    fn solve(&mut self, form: &StandardForm, weights: &Weights, v: &mut [f64], free: &mut [f64], cone: &mut [f64]);
    fn factor_entries(&self) -> usize;
    /// Takes over the numbers of a form with the pattern it was made for; false where it must be made anew.
    fn renew(&mut self, form: &StandardForm) -> bool;
}

/// A right-hand side or a solution of the unscaled system.
#[derive(Clone, Default)]
pub(crate) struct Direction {
    pub(crate) v: Vec<f64>,
    pub(crate) gamma: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
}

impl Direction {
    pub(crate) fn zeros(form: &StandardForm) -> Self {
        let mut zeros = Self::default();
        zeros.clear(form);
        zeros
    }
    /// Zeros of the sizes of a form, in the memory it has.
    pub(crate) fn clear(&mut self, form: &StandardForm) {
        let sizes = [form.velocities(), form.free.len(), form.cones.len()];
        for (part, size) in [&mut self.v, &mut self.gamma, &mut self.lambda].into_iter().zip(sizes) {
            part.clear();
            part.resize(size, 0.0);
        }
    }
    fn parts(&self) -> impl Iterator<Item = &f64> {
        self.v.iter().chain(&self.gamma).chain(&self.lambda)
    }
    fn add(&mut self, other: &Self) {
        self.v.iter_mut().zip(&other.v).for_each(|(a, b)| *a += b);
        self.gamma.iter_mut().zip(&other.gamma).for_each(|(a, b)| *a += b);
        self.lambda.iter_mut().zip(&other.lambda).for_each(|(a, b)| *a += b);
    }
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
        self.gamma.copy_from_slice(&other.gamma);
        self.lambda.copy_from_slice(&other.lambda);
    }
    pub(crate) fn is_finite(&self) -> bool {
        self.parts().all(|x| x.is_finite())
    }
}

/// Factorises and solves with iterative refinement on the unscaled system.
pub(crate) struct KktSolver {
    backend: Box<dyn Backend>,
    pub(crate) weights: Weights,
    residual: Direction,
    correction: Direction,
    trial: Direction,
    scratch: Vec<f64>,
    rates: (Vec<f64>, Vec<f64>),
    boosted: bool,
    /// The R that the factor was made with; empty without a factor.
    factored: Vec<f64>,
}

impl KktSolver {
    pub(crate) fn new(form: &StandardForm, choice: KktForm, threads: Threads) -> Result<Self, FactorError> {
        let choice = if choice == KktForm::Auto { KktForm::Reduced } else { choice };
        // Only the multifrontal factorisation gives the same bits for any number of threads: the others run on one.
        let backend: Box<dyn Backend> = match (choice, &form.delassus) {
            (KktForm::Reduced, Some(matrix)) if form.free.len() == 0 => {
                Box::new(condensed_definite::CondensedDefinite::new(form, matrix, threads)?)
            }
            (_, Some(matrix)) => Box::new(condensed::Condensed::new(form, matrix, choice)?),
            (KktForm::Augmented, None) => Box::new(augmented::Augmented::new(form)?),
            (KktForm::QuasiDefinite, None) => Box::new(quasi_definite::QuasiDefinite::new(form)?),
            (_, None) if form.free.len() == 0 => Box::new(reduced::Reduced::new(form, threads)?),
            (_, None) => Box::new(bordered::Bordered::new(form)?),
        };
        let zeros = Direction::zeros(form);
        Ok(Self {
            backend,
            weights: Weights::new(form),
            residual: zeros.clone(),
            correction: zeros.clone(),
            trial: zeros,
            scratch: vec![0.0; form.cones.len()],
            rates: (vec![0.0; form.cones.len()], vec![0.0; form.free.len()]),
            boosted: false,
            factored: Vec::new(),
        })
    }

    /// Takes over the numbers of a form with the pattern it was made for; false where it must be made anew.
    pub(crate) fn renew(&mut self, form: &StandardForm) -> bool {
        self.factored.clear();
        self.backend.renew(form)
    }
    pub(crate) fn name(&self) -> &'static str {
        self.backend.name()
    }
    pub(crate) fn factor_entries(&self) -> usize {
        self.backend.factor_entries()
    }

    /// Scales the rows with the current `weights` and factorises, unless they are those of the factor there is.
    ///
    /// Rounding may make the matrix indefinite once contacts are as hard as double precision allows. Then each diagonal
    /// entry is enlarged by a small share of itself, which refinement of the solution makes good.
    pub(crate) fn factorise(&mut self, form: &StandardForm) -> Result<(), FactorError> {
        if !self.factored.is_empty() && self.factored == self.weights.r {
            return Ok(());
        }
        self.factored.clear();
        self.weights.scale_rows(form);
        self.boosted = false;
        let mut outcome = self.backend.factorise(form, &self.weights, 0.0);
        for boost in BOOSTS {
            if !matches!(outcome, Err(FactorError::Pivot { .. })) {
                break;
            }
            self.boosted = true;
            outcome = self.backend.factorise(form, &self.weights, boost);
        }
        if outcome.is_ok() {
            self.factored.clone_from(&self.weights.r);
        }
        outcome
    }

    /// Solves for `rhs`; `theta(x, out)` is Θ x. At most `refinements` corrections, each kept only if it helps.
    pub(crate) fn solve(
        &mut self,
        form: &StandardForm,
        theta: impl Fn(&[f64], &mut [f64]),
        rhs: &Direction,
        refinements: u32,
        out: &mut Direction,
    ) {
        self.residual.copy_from(rhs);
        self.apply_inverse(form);
        out.copy_from(&self.correction);
        let refinements = if self.boosted { refinements.max(BOOSTED_REFINEMENTS) } else { refinements };
        if refinements == 0 {
            return;
        }
        let mut error = self.compute_residual(form, &theta, rhs, out);
        for _ in 0..refinements {
            if error <= REFINED_ENOUGH {
                return;
            }
            self.apply_inverse(form);
            self.trial.copy_from(out);
            self.trial.add(&self.correction);
            let trial = std::mem::take(&mut self.trial);
            let improved = self.compute_residual(form, &theta, rhs, &trial);
            self.trial = trial;
            if improved >= error || improved.is_nan() {
                return;
            }
            error = improved;
            out.copy_from(&self.trial);
        }
    }

    /// `correction = K⁻¹ residual` through the scaled factor.
    fn apply_inverse(&mut self, form: &StandardForm) {
        let Self { backend, weights, residual, correction, scratch, .. } = self;
        correction.copy_from(residual);
        weights.apply(&form.cones.jacobian, &residual.lambda, scratch);
        backend.solve(form, weights, &mut correction.v, &mut correction.gamma, scratch);
        weights.apply_transpose(&form.cones.jacobian, scratch, &mut correction.lambda);
    }

    /// `residual = rhs − K x`; returns its size relative to the right-hand side and the terms it is the sum of.
    fn compute_residual(
        &mut self,
        form: &StandardForm,
        theta: &impl Fn(&[f64], &mut [f64]),
        rhs: &Direction,
        x: &Direction,
    ) -> f64 {
        let Self { residual, rates, scratch, weights, .. } = self;
        residual.v.copy_from_slice(&rhs.v);
        form.free.jacobian.mul_transpose_add(1.0, &x.gamma, &mut residual.v);
        form.cones.jacobian.mul_transpose_add(1.0, &x.lambda, &mut residual.v);
        let size_v = largest(&residual.v).max(largest(&rhs.v));
        form.inertia.mul_add(-1.0, &x.v, &mut residual.v);

        form.rates(&x.v, &x.gamma, &x.lambda, &mut rates.0, &mut rates.1);
        theta(&x.lambda, scratch);
        for (row, residual) in residual.lambda.iter_mut().enumerate() {
            *residual = rhs.lambda[row] - rates.0[row] - scratch[row];
        }
        for (row, residual) in residual.gamma.iter_mut().enumerate() {
            *residual = rhs.gamma[row] - rates.1[row];
        }
        // Cone rows are compared in the scaling of the step, where Θ is the identity.
        weights.apply(&form.cones.jacobian, &residual.lambda, scratch);
        let scaled_residual = largest(scratch);
        weights.apply(&form.cones.jacobian, &rhs.lambda, scratch);
        let scaled_rhs = largest(scratch);
        weights.apply(&form.cones.jacobian, &rates.0, scratch);
        let size_cone = scaled_rhs.max(largest(scratch));
        let size_free = largest(&rhs.gamma).max(largest(&rates.1));
        let parts = [
            relative(largest(&residual.v), size_v),
            relative(largest(&residual.gamma), size_free),
            relative(scaled_residual, size_cone),
        ];
        largest(&parts)
    }
}

/// Shares of the diagonal tried in turn when a factorisation breaks down.
const BOOSTS: [f64; 3] = [1e-14, 1e-12, 1e-10];
/// Refinements after a boost.
const BOOSTED_REFINEMENTS: u32 = 3;
/// Refinement stops here: a direction this accurate is as good as exact to the iteration that uses it.
const REFINED_ENOUGH: f64 = 1e-8;

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

fn relative(error: f64, size: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / size }
}

/// `out −= J v`.
fn subtract_product(rows: &RowBlocks, v: &[f64], out: &mut [f64]) {
    for k in 0..rows.len() {
        let block = rows.block(k);
        for (r, row) in rows.rows_of(k).enumerate() {
            out[row] -= block.columns.iter().zip(block.row(r)).map(|(&column, value)| value * v[column]).sum::<f64>();
        }
    }
}

/// The bodies each block of rows touches; with `own`, the block itself is vertex `own + k` of the clique.
fn body_cliques<'a>(
    form: &'a StandardForm,
    rows: &'a RowBlocks,
    own: Option<usize>,
) -> impl Iterator<Item = Vec<usize>> + 'a {
    (0..rows.len()).map(move |k| {
        let mut bodies: Vec<usize> =
            rows.block(k).columns.iter().map(|&c| form.body_start.partition_point(|start| *start <= c) - 1).collect();
        bodies.dedup();
        bodies.extend(own.map(|first| first + k));
        bodies
    })
}

/// Pairs of bodies that H couples.
fn inertia_cliques(form: &StandardForm) -> impl Iterator<Item = Vec<usize>> + '_ {
    let body_of = |column: usize| form.body_start.partition_point(|start| *start <= column) - 1;
    let entries = match &form.inertia {
        Inertia::BlockDiagonal(_) => Vec::new(),
        sparse => sparse.triplets(),
    };
    entries.into_iter().filter_map(move |(row, column, _)| {
        let (a, b) = (body_of(row), body_of(column));
        (a > b).then(|| vec![a, b])
    })
}

/// Elimination order of rows grouped in blocks (block k owns rows `start[k]..start[k + 1]`), computed on the graph
/// whose cliques are given.
fn block_order<'a>(start: &[usize], cliques: impl IntoIterator<Item = &'a [usize]>) -> Result<Vec<usize>, FactorError> {
    let weights: Vec<usize> = start.windows(2).map(|w| w[1] - w[0]).collect();
    // The cliques are made from the same blocks; an index out of range would be a defect of the caller.
    let graph =
        Graph::from_cliques(weights.len(), weights, cliques).map_err(|_| FactorError::Structure { column: 0 })?;
    Ok(expand_to_rows(&fill_reducing(&graph, OrderingChoice::Auto), start))
}

/// A multifrontal factorisation of elements on the given rows; row r belongs to the block k with
/// `start[k] ≤ r < start[k + 1]`.
fn multifrontal(start: &[usize], elements: &[&[usize]], threads: Threads) -> Result<Multifrontal, FactorError> {
    let weights: Vec<usize> = start.windows(2).map(|w| w[1] - w[0]).collect();
    let mut block_of = Vec::with_capacity(start[start.len() - 1]);
    for (block, &weight) in weights.iter().enumerate() {
        block_of.extend(std::iter::repeat_n(block, weight));
    }
    let cliques: Vec<Vec<usize>> = elements
        .iter()
        .map(|rows| {
            let mut blocks: Vec<usize> = rows.iter().map(|&row| block_of[row]).collect();
            blocks.dedup();
            blocks
        })
        .filter(|blocks| blocks.len() > 1)
        .collect();
    let graph = Graph::from_cliques(weights.len(), weights, cliques.iter().map(Vec::as_slice))
        .map_err(|_| FactorError::Structure { column: 0 })?;
    let order = fill_reducing(&graph, OrderingChoice::Auto);
    let structure = MultifrontalStructure::analyse(&graph, &order, elements.iter().copied())?;
    Ok(Multifrontal::new(structure.into(), threads))
}

/// Enlarges every diagonal entry by its share `boost`.
fn boost_diagonal(matrix: &mut CscMatrix, boost: f64) {
    if boost > 0.0 {
        for row in 0..matrix.nrows() {
            if let Some(position) = matrix.position(row, row) {
                matrix.values_mut()[position] *= 1.0 + boost;
            }
        }
    }
}

/// Positions of entries are kept in 32 bits.
fn check_positions(matrix: &CscMatrix) -> Result<(), FactorError> {
    if matrix.nnz() < u32::MAX as usize { Ok(()) } else { Err(FactorError::Memory) }
}

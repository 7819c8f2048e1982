//! The problem as the second-order methods see it: self-dual cones, frictionless tangents and idle bodies gone.
//!
//! ```text
//! H v + c − Cᵀγ − Dᵀλ = 0,   C v − b_γ + E_γ γ = 0,   y = D v − b + E λ,   λ, y ∈ L
//! ```
//!
//! with λ̂ = Tλ, ŷ = T⁻¹y, D̂ = T⁻¹D, T = diag(μ, 1, 1) in each friction block (THEORY §6). Hats are dropped.
//! Changes made here and undone by [`StandardForm::export`]: blocks with μ = 0 keep their normal row only,
//! `NonNegative` blocks become single rows, bodies that no row touches are left out.
//!
//! A rolling block has T = diag(μ, 1, 1, κ, κ), κ = μ/μ_r, which makes its cone {‖λ_t‖ ≤ λ_n, ‖λ_r‖ ≤ λ_n}: two second-order
//! cones that share the normal. With μ = 0 or μ_r = 0 the rows without friction are left out and a friction block is left.

use crate::cone::Cone;
use crate::delassus::Delassus;
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, Inertia, RowBlocks};
use crate::report::Iterate;
use signorini_linalg::CscMatrix;

pub(crate) struct StandardForm {
    pub(crate) inertia: Inertia,
    pub(crate) linear: Vec<f64>,
    pub(crate) body_start: Vec<usize>,
    /// D: one block a cone of dimension 1, 2 or 3, or a rolling one of dimension 5.
    pub(crate) cones: Rows,
    /// C: bilateral blocks.
    pub(crate) free: Rows,
    /// Delassus matrix of a condensed problem, rows in the order cones, free.
    pub(crate) delassus: Option<CscMatrix>,
    /// Mean diagonal of N over each cone block: its velocity per impulse.
    pub(crate) cone_softness: Vec<f64>,
    /// Diagonal of N at each free row.
    pub(crate) free_softness: Vec<f64>,
    /// Problem column of each column kept.
    columns: Vec<usize>,
    /// Velocities with no force acting: the answer of the bodies left out.
    free_motion: Vec<f64>,
}

/// Rows of one kind.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) jacobian: RowBlocks,
    pub(crate) b: Vec<f64>,
    /// Diagonal compliance; empty when zero.
    pub(crate) e: Vec<f64>,
    /// Problem row of each row.
    origin: Vec<usize>,
    /// Diagonal of T: problem force = scaled force / t, problem velocity = t · scaled velocity.
    t: Vec<f64>,
}

impl Rows {
    fn new() -> Self {
        Self { jacobian: RowBlocks::new(), ..Default::default() }
    }
    pub(crate) fn len(&self) -> usize {
        self.b.len()
    }
    /// Whether E is zero on these rows.
    pub(crate) fn is_hard(&self) -> bool {
        self.e.is_empty()
    }
}

impl StandardForm {
    pub(crate) fn new(delassus: &mut Delassus<'_>) -> Self {
        let problem = delassus.problem();
        let touched = Touched::new(problem);
        let mut cones = Rows::new();
        let mut free = Rows::new();
        for (k, (rows, cone)) in problem.each_block().enumerate() {
            let kept = Kept::of(cone, rows.len());
            match cone {
                Cone::Free => push_block(problem, &touched, k, &kept, &mut free),
                Cone::NonNegative => {
                    (0..rows.len()).for_each(|row| push_block(problem, &touched, k, &Kept::one(row), &mut cones));
                }
                Cone::Friction { .. } | Cone::Rolling { .. } => push_block(problem, &touched, k, &kept, &mut cones),
            }
        }
        let mut free_motion = vec![0.0; problem.velocities()];
        let no_force = vec![0.0; problem.row_count()];
        delassus.velocity(&no_force, &mut free_motion);
        let diagonal = delassus.diagonal();
        let scaled = |rows: &Rows, row: usize| diagonal[rows.origin[row]] / (rows.t[row] * rows.t[row]);
        let cone_softness = (0..cones.jacobian.len())
            .map(|k| {
                let range = cones.jacobian.rows_of(k);
                let count = range.len() as f64;
                range.map(|row| scaled(&cones, row)).sum::<f64>() / count
            })
            .collect();
        let free_softness = (0..free.len()).map(|row| scaled(&free, row)).collect();
        Self {
            inertia: touched.restrict_inertia(problem.inertia()),
            linear: touched.columns.iter().map(|&column| problem.linear()[column]).collect(),
            body_start: touched.body_start.clone(),
            delassus: condensed_matrix(problem, &cones, &free),
            cone_softness,
            free_softness,
            columns: touched.columns,
            free_motion,
            cones,
            free,
        }
    }

    pub(crate) fn velocities(&self) -> usize {
        self.linear.len()
    }

    /// Replaces b by the offsets given in the rows of the problem.
    pub(crate) fn set_offset(&mut self, offset: &[f64]) {
        for rows in [&mut self.cones, &mut self.free] {
            for ((b, &origin), t) in rows.b.iter_mut().zip(&rows.origin).zip(&rows.t) {
                *b = offset[origin] / t;
            }
        }
    }

    /// Writes an iterate in the rows and columns of the problem.
    pub(crate) fn export(&self, v: &[f64], gamma: &[f64], lambda: &[f64], out: &mut Iterate) {
        out.velocity.copy_from_slice(&self.free_motion);
        for (&column, v) in self.columns.iter().zip(v) {
            out.velocity[column] = *v;
        }
        out.impulse.fill(0.0);
        for (row, (&origin, t)) in self.cones.origin.iter().zip(&self.cones.t).enumerate() {
            out.impulse[origin] = lambda[row] / t;
        }
        for (row, &origin) in self.free.origin.iter().enumerate() {
            out.impulse[origin] = gamma[row];
        }
    }

    /// Reads velocities and impulses of the problem into this form.
    pub(crate) fn import(&self, from: &Iterate, v: &mut [f64], gamma: &mut [f64], lambda: &mut [f64]) {
        v.iter_mut().zip(&self.columns).for_each(|(v, &column)| *v = from.velocity[column]);
        for (row, (&origin, t)) in self.cones.origin.iter().zip(&self.cones.t).enumerate() {
            lambda[row] = from.impulse[origin] * t;
        }
        gamma.iter_mut().zip(&self.free.origin).for_each(|(gamma, &origin)| *gamma = from.impulse[origin]);
    }

    /// `out = H v + c − Cᵀγ − Dᵀλ`.
    pub(crate) fn dual_residual(&self, v: &[f64], gamma: &[f64], lambda: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.linear);
        self.inertia.mul_add(1.0, v, out);
        self.free.jacobian.mul_transpose_add(-1.0, gamma, out);
        self.cones.jacobian.mul_transpose_add(-1.0, lambda, out);
    }

    /// Relative velocities: `cone = D v − b + E λ`, `free = C v − b_γ + E_γ γ`.
    pub(crate) fn relative_velocity(
        &self,
        v: &[f64],
        gamma: &[f64],
        lambda: &[f64],
        cone: &mut [f64],
        free: &mut [f64],
    ) {
        self.rates(v, gamma, lambda, cone, free);
        cone.iter_mut().zip(&self.cones.b).for_each(|(y, b)| *y -= b);
        free.iter_mut().zip(&self.free.b).for_each(|(y, b)| *y -= b);
    }

    /// The linear part of [`StandardForm::relative_velocity`].
    pub(crate) fn rates(&self, v: &[f64], gamma: &[f64], lambda: &[f64], cone: &mut [f64], free: &mut [f64]) {
        self.cones.jacobian.mul(v, cone);
        self.free.jacobian.mul(v, free);
        cone.iter_mut().zip(&self.cones.e).zip(lambda).for_each(|((y, e), l)| *y += e * l);
        free.iter_mut().zip(&self.free.e).zip(gamma).for_each(|((y, e), l)| *y += e * l);
        if let Some(w) = &self.delassus {
            let split = lambda.len();
            for column in 0..w.ncols() {
                let force = if column < split { lambda[column] } else { gamma[column - split] };
                let (rows, values) = w.col(column);
                for (&row, value) in rows.iter().zip(values) {
                    let out = if row < split { &mut cone[row] } else { &mut free[row - split] };
                    *out += value * force;
                }
            }
        }
    }
}

/// The velocities that rows touch, directly or through H, renumbered. The rotation of a frictionless sphere is not among
/// them, which makes its body three times cheaper to eliminate.
struct Touched {
    columns: Vec<usize>,
    body_start: Vec<usize>,
    /// New column of each problem column; `LEFT_OUT` for those left out.
    renumbered: Vec<usize>,
}

/// Friction below this is lost in the rounding of the normal force.
pub(crate) const NO_FRICTION: f64 = 1e-16;

const LEFT_OUT: usize = usize::MAX;

/// The rows of a block that carry force, counted from its first, each with its entry of T.
struct Kept {
    rows: Vec<(usize, f64)>,
}

impl Kept {
    fn of(cone: Cone, count: usize) -> Self {
        let friction = |mu: f64| mu > NO_FRICTION;
        let rows = match cone {
            Cone::Free | Cone::NonNegative => (0..count).map(|row| (row, 1.0)).collect(),
            Cone::Friction { mu } | Cone::Rolling { mu, mu_r: _ } if !friction(mu) && !rolls(cone) => vec![(0, 1.0)],
            Cone::Friction { mu } => (0..count).map(|row| (row, if row == 0 { mu } else { 1.0 })).collect(),
            Cone::Rolling { mu, .. } if !rolls(cone) => vec![(0, mu), (1, 1.0), (2, 1.0)],
            Cone::Rolling { mu, mu_r } if !friction(mu) => vec![(0, mu_r), (3, 1.0), (4, 1.0)],
            Cone::Rolling { mu, mu_r } => vec![(0, mu), (1, 1.0), (2, 1.0), (3, mu / mu_r), (4, mu / mu_r)],
        };
        Self { rows }
    }
    fn one(row: usize) -> Self {
        Self { rows: vec![(row, 1.0)] }
    }
}

/// Whether the block resists rolling.
fn rolls(cone: Cone) -> bool {
    matches!(cone, Cone::Rolling { mu_r, .. } if mu_r > NO_FRICTION)
}

impl Touched {
    fn new(problem: &ConeProblem) -> Self {
        let n = problem.velocities();
        let mut keep = vec![false; n];
        for (k, (rows, cone)) in problem.each_block().enumerate() {
            let block = problem.rows().block(k);
            let kept = Kept::of(cone, rows.len());
            for (at, &column) in block.columns.iter().enumerate() {
                keep[column] |= kept.rows.iter().any(|&(row, _)| block.row(row)[at] != 0.0);
            }
        }
        spread(problem.inertia(), &mut keep);
        let mut this = Self { columns: Vec::new(), body_start: vec![0], renumbered: vec![LEFT_OUT; n] };
        for body in problem.body_start().windows(2) {
            for column in (body[0]..body[1]).filter(|column| keep[*column]) {
                this.renumbered[column] = this.columns.len();
                this.columns.push(column);
            }
            if this.body_start[this.body_start.len() - 1] < this.columns.len() {
                this.body_start.push(this.columns.len());
            }
        }
        this
    }

    fn restrict_inertia(&self, inertia: &Inertia) -> Inertia {
        match inertia {
            Inertia::BlockDiagonal(blocks) => {
                let mut kept = BlockDiagonal::new();
                let mut entries = Vec::new();
                for body in self.body_start.windows(2) {
                    let columns = &self.columns[body[0]..body[1]];
                    let index = blocks.start().partition_point(|start| *start <= columns[0]) - 1;
                    let (first, width) = (blocks.start()[index], blocks.rows_of(index).len());
                    let block = blocks.block(index);
                    entries.clear();
                    for row in columns {
                        entries.extend(columns.iter().map(|column| block[(row - first) * width + column - first]));
                    }
                    kept.push(columns.len(), &entries);
                }
                Inertia::BlockDiagonal(kept)
            }
            Inertia::Sparse(matrix) => {
                let n = self.columns.len();
                if n == matrix.nrows() {
                    return inertia.clone();
                }
                let triplets = matrix
                    .triplets()
                    .map(|(row, column, value)| (self.renumbered[row], self.renumbered[column], value))
                    .filter(|&(row, column, _)| row != LEFT_OUT && column != LEFT_OUT);
                // Indices were renumbered into 0..n and the values come from a checked matrix.
                Inertia::Sparse(CscMatrix::from_triplets(n, n, triplets).map_or_else(|_| matrix.clone(), Into::into))
            }
        }
    }
}

/// Marks every velocity that H couples, through any chain of entries, to one already marked.
fn spread(inertia: &Inertia, marked: &mut [bool]) {
    match inertia {
        Inertia::BlockDiagonal(blocks) => {
            for body in 0..blocks.len() {
                let (first, n) = (blocks.rows_of(body).start, blocks.rows_of(body).len());
                let block = blocks.block(body);
                let neighbours = |i: usize| (0..n).filter(move |j| block[i * n + j] != 0.0).map(move |j| first + j);
                flood(first..first + n, marked, |i| neighbours(i - first).collect());
            }
        }
        Inertia::Sparse(matrix) => flood(0..matrix.nrows(), marked, |i| {
            let (rows, values) = matrix.col(i);
            rows.iter().zip(values).filter(|(_, value)| **value != 0.0).map(|(row, _)| *row).collect()
        }),
    }
}

fn flood(range: std::ops::Range<usize>, marked: &mut [bool], neighbours: impl Fn(usize) -> Vec<usize>) {
    let mut waiting: Vec<usize> = range.filter(|&i| marked[i]).collect();
    while let Some(i) = waiting.pop() {
        for j in neighbours(i) {
            if !marked[j] {
                marked[j] = true;
                waiting.push(j);
            }
        }
    }
}

/// Appends the rows `kept` of problem block `k`, each scaled by its 1/t.
fn push_block(problem: &ConeProblem, touched: &Touched, k: usize, kept: &Kept, out: &mut Rows) {
    let block = problem.rows().block(k);
    let first = problem.rows().rows_of(k).start;
    // Columns in which these rows are zero are left out: a frictionless row does not turn a sphere.
    let used: Vec<usize> =
        (0..block.columns.len()).filter(|&at| kept.rows.iter().any(|&(row, _)| block.row(row)[at] != 0.0)).collect();
    let columns: Vec<usize> = used.iter().map(|&at| touched.renumbered[block.columns[at]]).collect();
    let mut values = Vec::with_capacity(kept.rows.len() * columns.len());
    for &(row, t) in &kept.rows {
        values.extend(used.iter().map(|&at| block.row(row)[at] / t));
        out.b.push(problem.offset()[first + row] / t);
        out.origin.push(first + row);
        out.t.push(t);
        if let Compliance::Diagonal(e) = problem.compliance() {
            out.e.push(e[first + row] / (t * t));
        }
    }
    out.jacobian.push_dense(&columns, kept.rows.len(), &values);
}

/// T⁻¹ W T⁻¹ on the rows kept, ordered cones first.
fn condensed_matrix(problem: &ConeProblem, cones: &Rows, free: &Rows) -> Option<CscMatrix> {
    let Compliance::Matrix(w) = problem.compliance() else { return None };
    let mut new_row = vec![None; problem.row_count()];
    let placed = cones.origin.iter().zip(&cones.t).chain(free.origin.iter().zip(&free.t));
    for (row, (&origin, &t)) in placed.enumerate() {
        new_row[origin] = Some((row, t));
    }
    let triplets = w.triplets().filter_map(|(row, column, value)| {
        let ((r, tr), (c, tc)) = (new_row[row]?, new_row[column]?);
        Some((r, c, value / (tr * tc)))
    });
    let count = cones.len() + free.len();
    CscMatrix::from_triplets(count, count, triplets).ok()
}

//! Incomplete Cholesky factor of a principal sub-matrix, with the pattern of the matrix: a preconditioner.
//!
//! ```text
//! L Lᵀ ≈ D^−½ A_FF D^−½ + α I,   D = diag A_FF,   l_ij = 0 wherever a_ij is not stored
//! ```
//!
//! Column j of L is column j of A, minus l_jk times column k for each k < j with l_jk ≠ 0, divided by the root of its
//! diagonal. Dropping what falls outside the pattern may leave a diagonal that is not positive, and so does a singular A;
//! then the whole factor is computed again with a larger shift α [Manteuffel1980]: 0, 10⁻³, 2·10⁻³, 4·10⁻³ … It ends,
//! because a matrix with a dominant diagonal has an incomplete factor.

use crate::CscMatrix;

/// First shift after a breakdown, as a share of the diagonal.
const FIRST_SHIFT: f64 = 1e-3;
/// Growth of the shift from one attempt to the next.
const SHIFT_GROWTH: f64 = 4.0;
/// Scaled pivots below this are a breakdown: a smaller one would make the factor worse than none.
const LEAST_PIVOT: f64 = 1e-4;

/// An incomplete factor of A_FF, for one set of indices F after another.
///
/// ```
/// use signorini_linalg::{CscMatrix, IncompleteCholesky};
/// // A tridiagonal matrix has no fill: its incomplete factor is the factor.
/// let a = CscMatrix::from_triplets(3, 3, [(0, 0, 2.0), (1, 1, 2.0), (2, 2, 2.0), (1, 0, -1.0), (2, 1, -1.0)])?;
/// let mut factor = IncompleteCholesky::new(&a, usize::MAX);
/// factor.factorise(&[0, 1, 2]);
/// let mut x = [1.0, 0.0, 1.0];
/// factor.solve_in_place(&mut x);
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14) && factor.shift() == 0.0);
/// # Ok::<(), signorini_linalg::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    /// Entries of A below the diagonal that are kept, by columns.
    below: CscMatrix,
    diagonal: Vec<f64>,
    /// L of A_FF, strictly below its diagonal, by columns, rows ascending.
    col_ptr: Vec<usize>,
    row_idx: Vec<usize>,
    values: Vec<f64>,
    pivots: Vec<f64>,
    /// √d of the rows of A_FF.
    scale: Vec<f64>,
    /// Position in F of each index of A, `ABSENT` for others.
    position: Vec<usize>,
    shift: f64,
    work: Work,
}

/// What one factorisation needs besides its result.
#[derive(Clone, Debug)]
struct Work {
    /// Column j while it is computed, dense.
    column: Vec<f64>,
    /// Whether a row belongs to column j.
    present: Vec<bool>,
    /// Next entry of each column that has not been used, and the columns whose next entry is in row j, as a linked list.
    next: Vec<usize>,
    first_of_row: Vec<usize>,
    link: Vec<usize>,
}

const ABSENT: usize = usize::MAX;

impl IncompleteCholesky {
    /// Prepares for sub-matrices of the symmetric matrix `a`, whose upper triangle is not read. Of each column at most
    /// `most` entries below the diagonal are kept, the largest relative to their diagonals.
    #[must_use]
    pub fn new(a: &CscMatrix, most: usize) -> Self {
        let n = a.ncols();
        let diagonal = a.diagonal_entries();
        let below = strongest_below(a, &diagonal, most);
        let entries = below.nnz();
        Self {
            below,
            diagonal,
            col_ptr: Vec::with_capacity(n + 1),
            row_idx: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
            pivots: Vec::with_capacity(n),
            scale: Vec::with_capacity(n),
            position: vec![ABSENT; n],
            shift: 0.0,
            work: Work {
                column: vec![0.0; n],
                present: vec![false; n],
                next: vec![0; n],
                first_of_row: vec![ABSENT; n],
                link: vec![ABSENT; n],
            },
        }
    }

    /// Factorises A_FF for the indices `kept`, ascending. Allocates nothing.
    pub fn factorise(&mut self, kept: &[usize]) {
        self.gather(kept);
        self.shift = 0.0;
        while !self.attempt() {
            self.shift = if self.shift == 0.0 { FIRST_SHIFT } else { SHIFT_GROWTH * self.shift };
        }
    }

    /// The shift α of the last factor, as a share of the diagonal.
    #[must_use]
    pub fn shift(&self) -> f64 {
        self.shift
    }
    /// Number of entries the factor of the whole matrix has.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.below.nnz() + self.diagonal.len()
    }

    /// `x = D^−½ L⁻ᵀ L⁻¹ D^−½ x` on the indices kept.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        let n = self.pivots.len();
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x /= s);
        for j in 0..n {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            let xj = x[j] / self.pivots[j];
            x[j] = xj;
            self.row_idx[column.clone()].iter().zip(&self.values[column]).for_each(|(&row, l)| x[row] -= l * xj);
        }
        for j in (0..n).rev() {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            let sum: f64 =
                self.row_idx[column.clone()].iter().zip(&self.values[column]).map(|(&row, l)| l * x[row]).sum();
            x[j] = (x[j] - sum) / self.pivots[j];
        }
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x /= s);
    }

    /// The pattern of A_FF.
    fn gather(&mut self, kept: &[usize]) {
        self.position.fill(ABSENT);
        kept.iter().enumerate().for_each(|(at, &index)| self.position[index] = at);
        self.scale.clear();
        // A row that nothing moves has no diagonal; any scale will do.
        self.scale.extend(kept.iter().map(|&i| if self.diagonal[i] > 0.0 { self.diagonal[i].sqrt() } else { 1.0 }));
        self.pivots.clear();
        self.pivots.resize(kept.len(), 1.0);
        self.col_ptr.clear();
        self.col_ptr.push(0);
        self.row_idx.clear();
        for &index in kept {
            let rows = self.below.col(index).0;
            self.row_idx.extend(rows.iter().map(|&row| self.position[row]).filter(|row| *row != ABSENT));
            self.col_ptr.push(self.row_idx.len());
        }
        self.values.clear();
        self.values.resize(self.row_idx.len(), 0.0);
    }

    /// Fills in the scaled values of A_FF.
    fn load(&mut self) {
        let mut at = 0;
        for (index, &column) in self.position.iter().enumerate() {
            if column == ABSENT {
                continue;
            }
            let (rows, values) = self.below.col(index);
            for (&row, value) in rows.iter().zip(values) {
                let row = self.position[row];
                if row != ABSENT {
                    self.values[at] = value / (self.scale[row] * self.scale[column]);
                    at += 1;
                }
            }
        }
        self.pivots.fill(1.0 + self.shift);
    }

    /// One factorisation with the present shift; false where it breaks down.
    fn attempt(&mut self) -> bool {
        self.load();
        let n = self.pivots.len();
        let Self { col_ptr, row_idx, values, pivots, work, .. } = self;
        let Work { column, present, next, first_of_row, link } = work;
        first_of_row[..n].fill(ABSENT);
        for j in 0..n {
            let own = col_ptr[j]..col_ptr[j + 1];
            for at in own.clone() {
                column[row_idx[at]] = values[at];
                present[row_idx[at]] = true;
            }
            let mut pivot = pivots[j];
            let mut k = first_of_row[j];
            while k != ABSENT {
                let following = link[k];
                let at = next[k];
                let ljk = values[at];
                pivot -= ljk * ljk;
                for other in at + 1..col_ptr[k + 1] {
                    let row = row_idx[other];
                    if present[row] {
                        column[row] -= ljk * values[other];
                    }
                }
                enqueue(k, at + 1, col_ptr, row_idx, next, first_of_row, link);
                k = following;
            }
            let sound = pivot > LEAST_PIVOT;
            let root = pivot.sqrt();
            for at in own.clone() {
                values[at] = column[row_idx[at]] / root;
                present[row_idx[at]] = false;
            }
            if !sound {
                return false;
            }
            pivots[j] = root;
            enqueue(j, own.start, col_ptr, row_idx, next, first_of_row, link);
        }
        true
    }
}

/// Puts column k into the list of the row of its entry `at`, if there is one.
fn enqueue(
    k: usize,
    at: usize,
    col_ptr: &[usize],
    row_idx: &[usize],
    next: &mut [usize],
    first_of_row: &mut [usize],
    link: &mut [usize],
) {
    next[k] = at;
    if at < col_ptr[k + 1] {
        let row = row_idx[at];
        link[k] = first_of_row[row];
        first_of_row[row] = k;
    }
}

/// Entries below the diagonal, at most `most` a column: the largest a_ij²/(a_ii a_jj).
fn strongest_below(a: &CscMatrix, diagonal: &[f64], most: usize) -> CscMatrix {
    let mut kept: Vec<(usize, f64)> = Vec::new();
    let (mut col_ptr, mut row_idx, mut values) = (vec![0], Vec::new(), Vec::new());
    for col in 0..a.ncols() {
        let (rows, entries) = a.col(col);
        kept.clear();
        kept.extend(
            rows.iter().copied().zip(entries.iter().copied()).filter(|(row, value)| *row > col && *value != 0.0),
        );
        if kept.len() > most {
            let strength = |(row, value): &(usize, f64)| value * value / diagonal[*row].max(f64::MIN_POSITIVE);
            kept.sort_by(|x, y| strength(y).total_cmp(&strength(x)).then(x.0.cmp(&y.0)));
            kept.truncate(most);
            kept.sort_by_key(|(row, _)| *row);
        }
        row_idx.extend(kept.iter().map(|(row, _)| *row));
        values.extend(kept.iter().map(|(_, value)| *value));
        col_ptr.push(row_idx.len());
    }
    CscMatrix::from_compressed_columns(a.nrows(), a.ncols(), &col_ptr, &row_idx, &values).unwrap_or_else(|error| {
        unreachable!("entries of a checked matrix, each in its column by ascending row: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CgSettings, CgWorkspace, Identity, KrylovStatus, LinearOperator, solve_cg};
    use proptest::prelude::*;

    /// The five-point Laplacian of a square grid.
    fn laplacian(side: usize) -> CscMatrix {
        let at = |x: usize, y: usize| x * side + y;
        let mut entries = Vec::new();
        for x in 0..side {
            for y in 0..side {
                entries.push((at(x, y), at(x, y), 4.0));
                if x + 1 < side {
                    entries.extend([(at(x, y), at(x + 1, y), -1.0), (at(x + 1, y), at(x, y), -1.0)]);
                }
                if y + 1 < side {
                    entries.extend([(at(x, y), at(x, y + 1), -1.0), (at(x, y + 1), at(x, y), -1.0)]);
                }
            }
        }
        CscMatrix::from_triplets(side * side, side * side, entries).unwrap()
    }

    struct Preconditioner<'a>(&'a IncompleteCholesky);
    impl LinearOperator for Preconditioner<'_> {
        fn nrows(&self) -> usize {
            self.0.pivots.len()
        }
        fn ncols(&self) -> usize {
            self.0.pivots.len()
        }
        fn apply(&self, x: &[f64], out: &mut [f64]) {
            out.copy_from_slice(x);
            self.0.solve_in_place(out);
        }
    }

    fn principal(a: &CscMatrix, kept: &[usize]) -> CscMatrix {
        let entries = kept
            .iter()
            .enumerate()
            .flat_map(|(i, &row)| kept.iter().enumerate().map(move |(j, &column)| (i, j, a.get(row, column))));
        CscMatrix::from_triplets(kept.len(), kept.len(), entries).unwrap()
    }

    proptest! {
        /// A dense matrix drops nothing: the factor is complete and solves with any principal sub-matrix.
        #[test]
        fn a_full_pattern_gives_the_exact_inverse(
            n in 1usize..9, seed in prop::collection::vec(-1.0f64..1.0, 81), kept in prop::collection::vec(any::<bool>(), 9),
        ) {
            let entries = (0..n * n).map(|e| {
                let (i, j) = (e / n, e % n);
                let sum: f64 = (0..n).map(|k| seed[i * n + k] * seed[j * n + k]).sum();
                (i, j, sum + if i == j { 0.5 } else { 0.0 })
            });
            let a = CscMatrix::from_triplets(n, n, entries).unwrap();
            let kept: Vec<usize> = (0..n).filter(|&i| kept[i]).collect();
            let mut factor = IncompleteCholesky::new(&a, usize::MAX);
            factor.factorise(&(0..n).collect::<Vec<_>>());
            factor.factorise(&kept);
            let part = principal(&a, &kept);
            let expected: Vec<f64> = (0..kept.len()).map(|i| (1.3 * i as f64).cos()).collect();
            let mut x = vec![0.0; kept.len()];
            part.mul(&expected, &mut x);
            factor.solve_in_place(&mut x);
            prop_assert_eq!(factor.shift(), 0.0);
            // Condition number below 10/0.5.
            prop_assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-11), "{:?} {:?}", x, expected);
        }

        /// Any symmetric matrix with a positive diagonal has a factor after a shift, and M⁻¹ is positive definite.
        #[test]
        fn breakdown_ends_in_a_positive_definite_preconditioner(seed in prop::collection::vec(-1.0f64..1.0, 36), b in prop::collection::vec(-1.0f64..1.0, 8)) {
            let mut entries: Vec<(usize, usize, f64)> = (0..8).map(|i| (i, i, 1.0)).collect();
            let pairs = (0..8).flat_map(|i| (0..i).map(move |j| (i, j)));
            entries.extend(pairs.zip(&seed).filter(|(_, v)| v.abs() > 0.4).flat_map(|((i, j), v)| [(i, j, *v), (j, i, *v)]));
            let a = CscMatrix::from_triplets(8, 8, entries).unwrap();
            let mut factor = IncompleteCholesky::new(&a, 3);
            factor.factorise(&(0..8).collect::<Vec<_>>());
            let mut x = b.clone();
            factor.solve_in_place(&mut x);
            let energy: f64 = x.iter().zip(&b).map(|(x, b)| x * b).sum();
            prop_assert!(energy.is_finite() && (energy > 0.0 || b.iter().all(|b| *b == 0.0)));
        }
    }

    #[test]
    fn the_product_of_the_factor_is_the_matrix_on_its_pattern() {
        let a = laplacian(6);
        let n = a.ncols();
        let mut factor = IncompleteCholesky::new(&a, usize::MAX);
        factor.factorise(&(0..n).collect::<Vec<_>>());
        let mut l = vec![vec![0.0; n]; n];
        for j in 0..n {
            l[j][j] = factor.pivots[j];
            for at in factor.col_ptr[j]..factor.col_ptr[j + 1] {
                l[factor.row_idx[at]][j] = factor.values[at];
            }
        }
        for (row, column, value) in a.triplets() {
            let product: f64 = (0..n).map(|k| l[row][k] * l[column][k]).sum();
            assert!((4.0 * product - value).abs() < 1e-14, "({row}, {column}): {product}");
        }
    }

    #[test]
    fn conjugate_gradients_need_fewer_iterations_with_it() {
        let a = laplacian(30);
        let n = a.ncols();
        let mut factor = IncompleteCholesky::new(&a, usize::MAX);
        factor.factorise(&(0..n).collect::<Vec<_>>());
        // No symmetry of the grid, which would leave plain CG with few eigenvalues to see.
        let b: Vec<f64> = (0..n).map(|i| (0.7 * (i * i) as f64).sin()).collect();
        let settings = CgSettings::default();
        let mut work = CgWorkspace::new(n);
        let plain = solve_cg(&a, Identity(n), &b, &mut vec![0.0; n], &settings, &mut work).unwrap();
        let better = solve_cg(&a, Preconditioner(&factor), &b, &mut vec![0.0; n], &settings, &mut work).unwrap();
        assert_eq!(better.status, KrylovStatus::Converged);
        assert!(2 * better.iterations < plain.iterations, "{} against {}", better.iterations, plain.iterations);
    }

    #[test]
    fn singular_matrices_are_shifted_and_empty_ones_accepted() {
        let ones = CscMatrix::from_triplets(4, 4, (0..16).map(|e| (e / 4, e % 4, 1.0))).unwrap();
        let mut factor = IncompleteCholesky::new(&ones, usize::MAX);
        factor.factorise(&[0, 2, 3]);
        assert!(factor.shift() > 0.0);
        let mut x = [1.0; 3];
        factor.solve_in_place(&mut x);
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 2.0 * factor.shift(), "{x:?}");
        factor.factorise(&[]);
        factor.solve_in_place(&mut []);
        let none = CscMatrix::zeros(2, 2);
        let mut factor = IncompleteCholesky::new(&none, 1);
        factor.factorise(&[0, 1]);
        assert_eq!(factor.entries(), 2);
    }
}

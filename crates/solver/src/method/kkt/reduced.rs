//! Form `reduced` without bilateral rows: Cholesky of S = H + D̃ᵀD̃.
//!
//! ```text
//! S dv = a + D̃ᵀb̃,     x = b̃ − D̃ dv
//! ```
//!
//! S is a sum of elements, one a body (its inertia) and one a contact (D̃_kᵀD̃_k on the velocities it touches), and
//! is factorised front by front without being formed. The elimination order is that of a graph of bodies.

use super::{Backend, Weights};
use crate::problem::Inertia;
use crate::standard_form::StandardForm;
use signorini_linalg::{FactorError, Multifrontal, Threads};

pub(super) struct Reduced {
    /// Elements of H: lower triangles, column-major, concatenated.
    inertia: Vec<f64>,
    inertia_start: Vec<usize>,
    factor: Multifrontal,
}

impl Reduced {
    pub(super) fn new(form: &StandardForm, threads: Threads) -> Result<Self, FactorError> {
        let (rows, inertia) = inertia_elements(form);
        let mut inertia_start = vec![0];
        inertia_start.extend(rows.iter().scan(0, |end, rows| {
            *end += rows.len().pow(2);
            Some(*end)
        }));
        let contacts = (0..form.cones.jacobian.len()).map(|k| form.cones.jacobian.block(k).columns);
        let elements: Vec<&[usize]> = rows.iter().map(Vec::as_slice).chain(contacts).collect();
        let factor = super::multifrontal(&form.body_start, &elements, threads)?;
        Ok(Self { inertia, inertia_start, factor })
    }
}

/// Rows and entries of the elements H is the sum of: bodies, or single couplings of a sparse matrix.
fn inertia_elements(form: &StandardForm) -> (Vec<Vec<usize>>, Vec<f64>) {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    match &form.inertia {
        Inertia::BlockDiagonal(blocks) => {
            for body in 0..blocks.len() {
                rows.push(blocks.rows_of(body).collect());
                // Symmetric: row-major is column-major.
                values.extend_from_slice(blocks.block(body));
            }
        }
        Inertia::Sparse(matrix) => {
            for (row, column, value) in matrix.triplets() {
                if row == column {
                    rows.push(vec![row]);
                    values.push(value);
                } else if row > column {
                    rows.push(vec![column, row]);
                    values.extend([0.0, value, value, 0.0]);
                }
            }
        }
    }
    (rows, values)
}

impl Backend for Reduced {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn factorise(&mut self, _: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let Self { inertia, inertia_start, factor } = self;
        let bodies = inertia_start.len() - 1;
        factor.factorise(&|element, out| {
            let n = match element < bodies {
                true => {
                    let entries = &inertia[inertia_start[element]..inertia_start[element + 1]];
                    out.copy_from_slice(entries);
                    entries.len().isqrt()
                }
                false => {
                    let block = weights.scaled.block(element - bodies);
                    gram(block.rows, block.columns.len(), block.values, out);
                    block.columns.len()
                }
            };
            if boost > 0.0 {
                (0..n).for_each(|i| out[i * n + i] *= 1.0 + boost);
            }
        })
    }

    fn solve(&mut self, _: &StandardForm, weights: &Weights, v: &mut [f64], _: &mut [f64], cone: &mut [f64]) {
        weights.scaled.mul_transpose_add(1.0, cone, v);
        self.factor.solve_in_place(v);
        // x = b̃ − D̃ dv
        super::subtract_product(&weights.scaled, v, cone);
    }

    fn factor_entries(&self) -> usize {
        self.factor.structure().factor_entries()
    }
}

/// Lower triangle of DᵀD, column-major, for D row-major `rows × n`.
fn gram(rows: usize, n: usize, d: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for row in d.chunks_exact(n.max(1)).take(rows) {
        for j in 0..n {
            let factor = row[j];
            for (out, value) in out[j * n + j..(j + 1) * n].iter_mut().zip(&row[j..]) {
                *out += factor * value;
            }
        }
    }
}

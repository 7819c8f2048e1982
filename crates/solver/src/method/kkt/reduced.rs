//! Form `reduced` without bilateral rows: Cholesky of S = H + D̃ᵀD̃.
//!
//! ```text
//! S dv = a + D̃ᵀb̃,     x = b̃ − D̃ dv
//! ```
//!
//! S is a sum of elements, one a body (its inertia) or pair of bodies that H couples, and one a contact (D̃_kᵀD̃_k on the velocities it touches), and
//! is factorised front by front without being formed. The elimination order is that of a graph of bodies.

use super::{Backend, Weights};
use crate::delassus::body_of_velocities;
use crate::problem::Inertia;
use crate::standard_form::StandardForm;
use signorini_linalg::{FactorError, Multifrontal, Threads};

pub(super) struct Reduced {
    /// Pairs of bodies that H couples, every body with itself included.
    pairs: Vec<(u32, u32)>,
    body_start: Vec<usize>,
    factor: Multifrontal,
}

impl Reduced {
    pub(super) fn new(form: &StandardForm, threads: Threads) -> Result<Self, FactorError> {
        let body_start = form.body_start.clone();
        let pairs = coupled_bodies(form);
        let (mut start, mut rows) = (vec![0], Vec::new());
        for &(a, b) in &pairs {
            let of = |body: u32| body_start[body as usize]..body_start[body as usize + 1];
            rows.extend(of(b));
            rows.extend(of(a).filter(|_| a != b));
            start.push(rows.len());
        }
        let inertia = start.windows(2).map(|at| &rows[at[0]..at[1]]);
        let contacts = (0..form.cones.jacobian.len()).map(|k| form.cones.jacobian.block(k).columns);
        let elements: Vec<&[usize]> = inertia.chain(contacts).collect();
        let factor = super::multifrontal(&form.body_start, &elements, threads)?;
        Ok(Self { pairs, body_start, factor })
    }
}

/// Pairs (a, b), a ≥ b, of bodies that H couples.
fn coupled_bodies(form: &StandardForm) -> Vec<(u32, u32)> {
    let bodies = form.body_start.len() - 1;
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(bodies);
    match &form.inertia {
        Inertia::BlockDiagonal(_) => pairs.extend((0..bodies as u32).map(|body| (body, body))),
        Inertia::Sparse(matrix) => {
            let mut body_of = Vec::new();
            body_of_velocities(&form.body_start, &mut body_of);
            for b in 0..bodies as u32 {
                let first = pairs.len();
                pairs.push((b, b));
                for column in form.body_start[b as usize]..form.body_start[b as usize + 1] {
                    let others = matrix.col(column).0.iter().map(|&row| body_of[row]);
                    pairs.extend(others.filter(|a| *a > b).map(|a| (a, b)));
                }
                pairs[first..].sort_unstable();
                let mut kept = first;
                for at in first..pairs.len() {
                    if at == first || pairs[at] != pairs[kept - 1] {
                        pairs[kept] = pairs[at];
                        kept += 1;
                    }
                }
                pairs.truncate(kept);
            }
        }
    }
    pairs
}

/// The element of H on bodies (b, a), or on b alone if they are one, column-major; returns its order.
fn fill_inertia(inertia: &Inertia, start: &[usize], (a, b): (u32, u32), out: &mut [f64]) -> usize {
    let (a, b) = (a as usize, b as usize);
    let width = start[b + 1] - start[b];
    match inertia {
        Inertia::BlockDiagonal(blocks) => {
            // Symmetric: row-major is column-major.
            out.copy_from_slice(blocks.block(b));
            width
        }
        Inertia::Sparse(matrix) => {
            let (n, below) = if a == b { (width, 0) } else { (width + start[a + 1] - start[a], width) };
            out.fill(0.0);
            for (j, column) in (start[b]..start[b + 1]).enumerate() {
                let (rows, values) = matrix.col(column);
                let first = rows.partition_point(|row| *row < start[a]);
                let entries = rows[first..].iter().zip(&values[first..]).take_while(|(row, _)| **row < start[a + 1]);
                entries.for_each(|(row, value)| out[j * n + below + row - start[a]] = *value);
            }
            n
        }
    }
}

impl Backend for Reduced {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn factorise(&mut self, form: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let Self { pairs, body_start, factor } = self;
        factor.factorise(&|element, out| {
            let n = match pairs.get(element) {
                Some(pair) => fill_inertia(&form.inertia, body_start, *pair, out),
                None => {
                    let block = weights.scaled.block(element - pairs.len());
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

    fn renew(&mut self, _: &StandardForm) -> bool {
        // Everything is read from the form when it is factorised.
        true
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

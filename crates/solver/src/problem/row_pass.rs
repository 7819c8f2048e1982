//! What is known of the rows before any impulse acts, in one pass over J: r, the size of its terms, the diagonal of N.

use super::{RIGID, RowBlock};
use crate::cone::MAX_ROWS;

/// What a block of rows meets.
pub(crate) struct RowPass<'a> {
    /// −H⁻¹c.
    pub(crate) motion: &'a [f64],
    /// Diagonal of H⁻¹ where H⁻¹ has nothing else; empty where the diagonal of N is not asked for.
    pub(crate) reciprocal: &'a [f64],
}

/// What the rows of a range come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowSums {
    /// The largest |J||v| + |b|.
    pub(crate) largest: f64,
    /// ‖r‖².
    pub(crate) squares: f64,
}

impl RowSums {
    pub(crate) fn joined(a: Self, b: Self) -> Self {
        Self { largest: a.largest.max(b.largest), squares: a.squares + b.squares }
    }
}

impl RowPass<'_> {
    /// `free = J_k v − b` and, where it is asked for, `diagonal = diag(J_k H⁻¹ J_kᵀ)`.
    #[inline]
    pub(crate) fn block(
        &self,
        block: &RowBlock<'_>,
        b: &[f64],
        free: &mut [f64],
        diagonal: &mut [f64],
        sums: &mut RowSums,
    ) {
        let width = block.columns.len();
        for (part, (b, free)) in b.chunks(MAX_ROWS).zip(free.chunks_mut(MAX_ROWS)).enumerate() {
            let lines = &block.values[part * MAX_ROWS * width..][..free.len() * width];
            let mut sizes = [0.0; MAX_ROWS];
            let diagonal = match self.reciprocal {
                [] => &mut [][..],
                _ => &mut diagonal[part * MAX_ROWS..][..free.len()],
            };
            free.fill(0.0);
            diagonal.fill(0.0);
            for (first, at) in block.runs() {
                let run = first..first + at.len();
                let motion = &self.motion[run.clone()];
                for (i, line) in lines.chunks_exact(width).enumerate() {
                    let line = &line[at.clone()];
                    let [rate, size] = products(line, motion);
                    free[i] += rate;
                    sizes[i] += size;
                }
                if !self.reciprocal.is_empty() {
                    let reciprocal = &self.reciprocal[run];
                    for (line, out) in lines.chunks_exact(width).zip(&mut *diagonal) {
                        *out += energy(&line[at.clone()], reciprocal);
                    }
                }
            }
            for ((u, b), size) in free.iter_mut().zip(b).zip(sizes) {
                *u -= b;
                sums.largest = sums.largest.max(size + b.abs());
                sums.squares += *u * *u;
            }
        }
    }
}

/// Σ aᵢbᵢ and Σ|aᵢbᵢ|.
#[inline(always)]
fn products(a: &[f64], b: &[f64]) -> [f64; 2] {
    let add = |[sum, size]: [f64; 2], (a, b): (&f64, &f64)| [sum + a * b, size + (a * b).abs()];
    match (a.first_chunk::<RIGID>().filter(|_| a.len() == RIGID), b.first_chunk::<RIGID>()) {
        (Some(a), Some(b)) => a.iter().zip(b).fold([0.0; 2], add),
        _ => a.iter().zip(b).fold([0.0; 2], add),
    }
}

/// Σ aᵢ²hᵢ.
#[inline(always)]
fn energy(a: &[f64], h: &[f64]) -> f64 {
    match (a.first_chunk::<RIGID>().filter(|_| a.len() == RIGID), h.first_chunk::<RIGID>()) {
        (Some(a), Some(h)) => (0..RIGID).map(|i| a[i] * a[i] * h[i]).sum(),
        _ => a.iter().zip(h).map(|(a, h)| a * a * h).sum(),
    }
}

//! What follows from the rows while they are written, as long as they are at hand: r, and the blocks of N.
//!
//! r = J(−H⁻¹c) − b and N_kk = J_k H⁻¹ J_kᵀ need the rows of one block and the velocities of its bodies. Computed when the block is
//! filled in they cost arithmetic only; later they would cost one more pass over J each. They are kept where all bodies have masses
//! and principal inertias, so that H⁻¹ is one number per velocity.

use super::row_pass::{RowPass, RowSums};
use super::{BlockDiagonal, PatternName, RIGID, RowBlock};
use signorini_linalg::{Halves, Threads};

/// The symmetric matrix N_kk of a block of three rows: 00, 11, 22, 01, 02, 12.
pub(crate) type Gram = [f64; 6];

/// What is known of the rows. Equal problems are equal whether it is or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowFacts {
    /// The pattern whose rows it is of, as long as nothing has changed since they were written.
    of: Option<PatternName>,
    /// The diagonal of H⁻¹, where H is nothing but a diagonal; else empty.
    reciprocal: Vec<f64>,
    /// −H⁻¹c.
    pub(crate) motion: Vec<f64>,
    pub(crate) free_velocity: Vec<f64>,
    /// Diagonal of J H⁻¹ Jᵀ.
    pub(crate) diagonal: Vec<f64>,
    /// N_kk without compliance, of contacts of rigid bodies with three rows; others are not defined.
    pub(crate) grams: Vec<Gram>,
    pub(crate) sums: RowSums,
}

impl PartialEq for RowFacts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Velocities one task computes.
const VELOCITIES: usize = 8192;

impl RowFacts {
    /// Something has changed.
    pub(super) fn forget(&mut self) {
        self.of = None;
    }
    /// Itself, where it is that of the rows of a pattern as they are.
    pub(super) fn if_of(&self, pattern: PatternName) -> Option<&Self> {
        self.of.is_some_and(|name| name.is(pattern)).then_some(self)
    }

    /// H is another.
    pub(super) fn set_inertia(&mut self, inertia: Option<&BlockDiagonal>) {
        self.of = None;
        self.reciprocal.clear();
        let Some(inertia) = inertia else { return };
        for body in 0..inertia.len() {
            let (block, n) = (inertia.block(body), inertia.rows_of(body).len());
            let is_usable =
                |i: usize, j: usize, h: f64| if i == j { h > 0.0 && h.recip().is_finite() } else { h == 0.0 };
            let mut entries = block.iter().enumerate();
            if !entries.all(|(at, h)| is_usable(at / n, at % n, *h)) {
                return self.reciprocal.clear();
            }
            self.reciprocal.extend(block.iter().step_by(n + 1).map(|h| h.recip()));
        }
    }

    /// Makes room for the facts of so many rows and blocks with this c; what computes them, if they can be, and where they go.
    pub(super) fn begin(
        &mut self,
        linear: &[f64],
        rows: usize,
        blocks: usize,
        threads: Threads,
    ) -> (Option<Facts<'_>>, FactSlots<'_>) {
        let Self { of, reciprocal, motion, free_velocity, diagonal, grams, .. } = self;
        *of = None;
        if reciprocal.len() != linear.len() || reciprocal.is_empty() {
            return (None, FactSlots::default());
        }
        let reciprocal = &*reciprocal;
        motion.resize(linear.len(), 0.0);
        Halves::new(VELOCITIES, threads).each(motion, &|i, motion| *motion = -(reciprocal[i] * linear[i]));
        free_velocity.resize(rows, 0.0);
        diagonal.resize(rows, 0.0);
        grams.resize(blocks, [0.0; 6]);
        (Some(Facts { motion, reciprocal }), FactSlots { free: free_velocity, diagonal, grams })
    }
    /// All rows were filled in.
    pub(super) fn end(&mut self, pattern: PatternName, sums: RowSums) {
        (self.of, self.sums) = (Some(pattern), sums);
    }
}

/// Where the facts of a range of blocks go; empty where there are none.
#[derive(Default)]
pub(super) struct FactSlots<'a> {
    free: &'a mut [f64],
    diagonal: &'a mut [f64],
    grams: &'a mut [Gram],
}

impl<'a> FactSlots<'a> {
    /// Divides them after so many rows and blocks.
    pub(super) fn split(self, rows: usize, blocks: usize) -> (Self, Self) {
        if self.grams.is_empty() {
            return (Self::default(), Self::default());
        }
        let ((a, b), (c, d)) = (self.free.split_at_mut(rows), self.diagonal.split_at_mut(rows));
        let (e, f) = self.grams.split_at_mut(blocks);
        (Self { free: a, diagonal: c, grams: e }, Self { free: b, diagonal: d, grams: f })
    }
    /// Those of the next block.
    #[inline]
    pub(super) fn take(&mut self, rows: usize) -> Self {
        let (own, rest) = std::mem::take(self).split(rows, 1);
        *self = rest;
        own
    }
}

/// What facts are computed from.
pub(super) struct Facts<'a> {
    motion: &'a [f64],
    reciprocal: &'a [f64],
}

impl Facts<'_> {
    /// Those of one block, just filled in. `plain` are the first velocities of its bodies, if it is nothing but a contact of these.
    #[inline]
    pub(super) fn block(
        &self,
        plain: Option<(usize, Option<usize>)>,
        block: &RowBlock<'_>,
        b: &[f64],
        slots: FactSlots<'_>,
        sums: &mut RowSums,
    ) {
        let FactSlots { free, diagonal, grams: [gram] } = slots else { return };
        if let (Some((first, second)), Some(&b)) = (plain, b.first_chunk::<3>().filter(|_| b.len() == 3)) {
            let found = match second {
                Some(second) => three_rows::<12>(block.values).map(|rows| self.contact(rows, [first, second], b)),
                None => three_rows::<6>(block.values).map(|rows| self.contact(rows, [first], b)),
            };
            if let Some(found) = found {
                *gram = found.gram;
                free.copy_from_slice(&found.free);
                diagonal.copy_from_slice(&found.gram[..3]);
                *sums = RowSums::joined(*sums, found.sums);
                return;
            }
        }
        RowPass { motion: self.motion, reciprocal: self.reciprocal }.block(block, b, free, diagonal, sums);
    }

    /// A contact of rigid bodies whose velocities begin at these places.
    #[inline]
    fn contact<const N: usize, const B: usize>(&self, rows: &[[f64; N]; 3], first: [usize; B], b: [f64; 3]) -> Contact {
        let (mut free, mut size, mut gram) = ([0.0; 3], [0.0; 3], [0.0; 6]);
        for (body, first) in first.into_iter().enumerate() {
            let (v, h) = (six(self.motion, first), six(self.reciprocal, first));
            let [x, y, z] = rows.each_ref().map(|row| six(row, RIGID * body));
            // Twelve sums side by side: none waits for another. Those of the first two rows go together, two numbers an instruction.
            let (mut own_free, mut own_size, mut own_gram) = ([0.0; 3], [0.0; 3], [0.0; 6]);
            for c in 0..RIGID {
                let (pair, last) = ([x[c], y[c]], z[c]);
                let (moved, moved_last) = (pair.map(|entry| h[c] * entry), h[c] * last);
                let (rates, rate_last) = (pair.map(|entry| entry * v[c]), last * v[c]);
                for i in 0..2 {
                    own_free[i] += rates[i];
                    own_size[i] += rates[i].abs();
                    own_gram[i] += moved[i] * pair[i];
                    own_gram[4 + i] += moved_last * pair[i];
                }
                own_free[2] += rate_last;
                own_size[2] += rate_last.abs();
                own_gram[2] += moved_last * last;
                own_gram[3] += moved[1] * pair[0];
            }
            for i in 0..3 {
                free[i] += own_free[i];
                size[i] += own_size[i];
            }
            (0..6).for_each(|i| gram[i] += own_gram[i]);
        }
        let mut sums = RowSums::default();
        for i in 0..3 {
            free[i] -= b[i];
            sums.largest = sums.largest.max(size[i] + b[i].abs());
            sums.squares += free[i] * free[i];
        }
        Contact { free, gram, sums }
    }
}

/// What one contact comes to.
struct Contact {
    free: [f64; 3],
    gram: Gram,
    sums: RowSums,
}

/// Three rows of N entries.
#[inline]
fn three_rows<const N: usize>(values: &[f64]) -> Option<&[[f64; N]; 3]> {
    values.as_chunks::<N>().0.first_chunk()
}

/// Six numbers from `at` on.
#[inline(always)]
fn six(of: &[f64], at: usize) -> &[f64; RIGID] {
    match of[at..].first_chunk() {
        Some(six) => six,
        None => unreachable!("a rigid body has six velocities"),
    }
}

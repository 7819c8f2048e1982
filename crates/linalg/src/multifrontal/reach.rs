//! Triangular solves along the part of the elimination tree that a right side touches.
//!
//! Every node has a dense front vector [pivots; border]. Forwards, a node adds the borders of its children, solves its pivots
//! and updates its border; backwards it reads its border from its parent and solves its pivots. Nothing is added to a shared
//! vector, so subtrees can be worked on by several threads with the same bits.
//!
//! A right side with entries in few rows touches the nodes of these rows and their ancestors only; and the solution in the
//! same rows needs no other nodes either [Gilbert and Peierls 1988].

use super::sides::Sides;
use super::sparse::{NONE, SparseAnalysis, SparseFactor};
use super::symbolic::Node;
use crate::Threads;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The nodes that some rows touch, and where their front vectors lie.
#[derive(Debug, Default)]
pub struct Reach {
    /// Nodes of each region, children first; the last region is the top of the tree.
    regions: Vec<Vec<u32>>,
    /// Where the front vector of each node begins in its region; `NONE` if it is not touched.
    start: Vec<u32>,
    /// Length of the front vectors of each region.
    length: Vec<usize>,
    /// Rows that may be read and written.
    rows: Vec<u32>,
    /// Entries of the factor that a sweep reads.
    entries: usize,
}

impl Reach {
    /// All rows.
    #[must_use]
    pub fn everything(analysis: &SparseAnalysis) -> Self {
        Self::of(analysis, 0..analysis.dimension())
    }

    /// The given rows.
    #[must_use]
    pub fn of(analysis: &SparseAnalysis, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut this = Self::default();
        this.update(analysis, rows);
        this
    }

    /// Becomes that of the given rows, in the memory it has.
    fn update(&mut self, analysis: &SparseAnalysis, of: impl IntoIterator<Item = usize>) {
        let nodes = &analysis.structure.nodes;
        let Self { regions, start, length, rows, entries } = self;
        let count = analysis.structure.regions.len();
        regions.resize_with(count, Vec::new);
        regions.iter_mut().for_each(Vec::clear);
        length.clear();
        length.resize(count, 0);
        rows.clear();
        rows.extend(of.into_iter().map(|row| row as u32));
        start.clear();
        start.resize(nodes.len(), NONE);
        *entries = 0;
        // A node that is touched begins somewhere: where is found below.
        rows.iter().for_each(|&row| start[analysis.node_of[row as usize] as usize] = 0);
        // Children come before their parents.
        for (s, node) in nodes.iter().enumerate() {
            if start[s] == NONE {
                continue;
            }
            if analysis.parent[s] != NONE {
                start[analysis.parent[s] as usize] = 0;
            }
            let size = node.pivots + node.border.len();
            regions[node.region].push(s as u32);
            start[s] = length[node.region] as u32;
            length[node.region] += size;
            *entries += size * node.pivots;
        }
    }

    /// Entries of the factor that one sweep reads.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries
    }
}

/// Front vectors for solves with a fixed number of right sides at a time, on a [`Reach`].
#[derive(Debug, Default)]
pub struct SolveSpace {
    reach: Arc<Reach>,
    sides: usize,
    fronts: Vec<Vec<f64>>,
}

impl SolveSpace {
    /// Room for `sides` right sides.
    #[must_use]
    pub fn new(reach: Arc<Reach>, sides: usize) -> Self {
        let mut this = Self { reach, sides, fronts: Vec::new() };
        this.resize(sides);
        this
    }
    /// Becomes room for `sides` right sides on the part of the tree that the given rows touch, in the memory it has.
    pub fn reset(&mut self, analysis: &SparseAnalysis, rows: impl IntoIterator<Item = usize>, sides: usize) {
        if Arc::get_mut(&mut self.reach).is_none() {
            self.reach = Arc::default();
        }
        if let Some(reach) = Arc::get_mut(&mut self.reach) {
            reach.update(analysis, rows);
        }
        self.resize(sides);
    }
    /// Becomes room for another number of right sides, in the memory it has.
    pub fn resize(&mut self, sides: usize) {
        self.sides = sides;
        self.fronts.resize_with(self.reach.length.len(), Vec::new);
        for (front, length) in self.fronts.iter_mut().zip(&self.reach.length) {
            front.resize(length * sides, 0.0);
        }
    }
    /// The part of the tree it has room for.
    #[must_use]
    pub fn reach(&self) -> &Arc<Reach> {
        &self.reach
    }
    fn clear(&mut self) {
        self.fronts.iter_mut().for_each(|front| front.fill(0.0));
    }
    /// Where row `row` of right side `side` is kept: region and position.
    fn position(&self, analysis: &SparseAnalysis, row: usize, side: usize) -> (usize, usize) {
        let s = analysis.node_of[row] as usize;
        let node = &analysis.structure.nodes[s];
        let size = node.pivots + node.border.len();
        let first = self.reach.start[s] as usize * self.sides;
        (node.region, first + side * size + analysis.structure.place[row] - node.first)
    }
}

/// Factors with fewer entries are swept by one thread: waking another takes as long.
const THREADS_FROM: usize = 1 << 19;
/// Panels at the top of the tree with more entries are shared by threads, in slices of this many rows or columns.
const SHARED_FROM: usize = 1 << 17;
const SLICE: usize = 256;

impl SparseFactor {
    /// Replaces `x` by A⁻¹x, read and written in the rows of the reach of `space` only.
    pub fn solve_in_place(&self, x: &mut [f64], space: &mut SolveSpace) {
        self.solve_by(x, space, Threads::One);
    }

    /// [`SparseFactor::solve_in_place`] by several threads; the bits are the same.
    pub fn solve_by(&self, x: &mut [f64], space: &mut SolveSpace, threads: Threads) {
        space.clear();
        for &row in &space.reach.clone().rows {
            let (region, at) = space.position(&self.analysis, row as usize, 0);
            space.fronts[region][at] = x[row as usize];
        }
        let several = threads == Threads::Pool && space.reach.entries >= THREADS_FROM;
        match several {
            true => rayon::scope(|_| {
                self.forward(space, true);
                self.backward(space, true);
            }),
            false => {
                self.forward(space, false);
                self.backward(space, false);
            }
        }
        for &row in &space.reach.rows {
            let (region, at) = space.position(&self.analysis, row as usize, 0);
            x[row as usize] = space.fronts[region][at];
        }
    }

    /// The products aᵢᵀA⁻¹aⱼ = (L⁻¹aᵢ)·(L⁻¹aⱼ) of sparse right sides, row-major, into the memory `out` has. Rows must lie in the
    /// reach of `space`, which has room for all sides.
    pub fn gram(&self, sides: &Sides, space: &mut SolveSpace, out: &mut Vec<f64>) {
        debug_assert!(sides.len() <= space.sides);
        let count = sides.len().min(space.sides);
        self.fill(sides, 0..count, space);
        self.forward(space, false);
        out.clear();
        out.resize(count * count, 0.0);
        for (region, nodes) in space.reach.regions.iter().enumerate() {
            for &s in nodes {
                let node = &self.analysis.structure.nodes[s as usize];
                let size = node.pivots + node.border.len();
                let front = &space.fronts[region][space.reach.start[s as usize] as usize * space.sides..];
                let pivots = |side: usize| &front[side * size..side * size + node.pivots];
                for i in 0..count {
                    for j in 0..=i {
                        out[i * count + j] += pivots(i).iter().zip(pivots(j)).map(|(x, y)| x * y).sum::<f64>();
                    }
                }
            }
        }
        for i in 0..count {
            for j in i + 1..count {
                out[i * count + j] = out[j * count + i];
            }
        }
    }

    fn fill(&self, sides: &Sides, range: Range<usize>, space: &mut SolveSpace) {
        space.clear();
        for (side, entries) in range.map(|side| sides.side(side)).enumerate() {
            for &(row, value) in entries {
                let (region, at) = space.position(&self.analysis, row, side);
                space.fronts[region][at] += value;
            }
        }
    }

    /// A⁻¹a of several sparse right sides at a time: `found(side, value of a row)` is called for each of them. Rows of right sides
    /// and solutions must lie in the reach of `space`.
    pub fn solve_many(
        &self,
        sides: &Sides,
        space: &mut SolveSpace,
        threads: Threads,
        mut found: impl FnMut(usize, &dyn Fn(usize) -> f64),
    ) {
        for first in (0..sides.len()).step_by(space.sides.max(1)) {
            let count = space.sides.min(sides.len() - first);
            self.fill(sides, first..first + count, space);
            self.forward(space, threads == Threads::Pool);
            self.backward(space, threads == Threads::Pool);
            for side in 0..count {
                let value = |row: usize| {
                    let (region, at) = space.position(&self.analysis, row, side);
                    space.fronts[region][at]
                };
                found(first + side, &value);
            }
        }
    }

    /// Front vectors ← L⁻¹ of the right sides in them.
    fn forward(&self, space: &mut SolveSpace, threads: bool) {
        let SolveSpace { reach, sides, fronts } = space;
        let Some((top, subtrees)) = fronts.split_last_mut() else { return };
        let run = |(region, fronts): (usize, &mut Vec<f64>)| {
            self.forward_region(reach, region, *sides, fronts, &[], false);
        };
        match threads {
            true => subtrees.par_iter_mut().enumerate().for_each(run),
            false => subtrees.iter_mut().enumerate().for_each(run),
        }
        self.forward_region(reach, subtrees.len(), *sides, top, subtrees, threads);
    }

    fn forward_region(
        &self,
        reach: &Reach,
        region: usize,
        sides: usize,
        fronts: &mut [f64],
        others: &[Vec<f64>],
        threads: bool,
    ) {
        let nodes = &self.analysis.structure.nodes;
        for &s in &reach.regions[region] {
            let node = &nodes[s as usize];
            let size = node.pivots + node.border.len();
            let (before, rest) = fronts.split_at_mut(reach.start[s as usize] as usize * sides);
            let front = &mut rest[..size * sides];
            for &child in node.children.iter().filter(|child| reach.start[**child] != NONE) {
                let (start, child) = (reach.start[child] as usize * sides, &nodes[child]);
                let source = if child.region == region { &before[start..] } else { &others[child.region][start..] };
                let child_size = child.pivots + child.border.len();
                let columns = source.chunks_exact(child_size.max(1)).zip(front.chunks_exact_mut(size.max(1)));
                for (source, front) in columns.take(sides) {
                    let border = &source[child.pivots..];
                    for &(from, to, length) in &child.in_parent {
                        let from = &border[from as usize..(from + length) as usize];
                        let to = &mut front[to as usize..(to + length) as usize];
                        to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                    }
                }
            }
            let panel = &self.panels[region][node.panel..node.panel + size * node.pivots];
            match sides {
                1 => forward_one(node, panel, front, threads),
                _ => forward_many(node, panel, front, sides),
            }
        }
    }

    /// Front vectors ← L⁻ᵀ of what is in their pivots.
    fn backward(&self, space: &mut SolveSpace, threads: bool) {
        let SolveSpace { reach, sides, fronts } = space;
        let Some((top, subtrees)) = fronts.split_last_mut() else { return };
        self.backward_region(reach, subtrees.len(), *sides, top, &[], threads);
        let top = &top[..];
        let run = |(region, fronts): (usize, &mut Vec<f64>)| {
            self.backward_region(reach, region, *sides, fronts, top, false);
        };
        match threads {
            true => subtrees.par_iter_mut().enumerate().for_each(run),
            false => subtrees.iter_mut().enumerate().for_each(run),
        }
    }

    fn backward_region(
        &self,
        reach: &Reach,
        region: usize,
        sides: usize,
        fronts: &mut [f64],
        top: &[f64],
        threads: bool,
    ) {
        let nodes = &self.analysis.structure.nodes;
        for &s in reach.regions[region].iter().rev() {
            let node = &nodes[s as usize];
            let size = node.pivots + node.border.len();
            let first = reach.start[s as usize] as usize * sides;
            let (before, after) = fronts.split_at_mut(first + size * sides);
            let front = &mut before[first..];
            let parent = self.analysis.parent[s as usize];
            if parent != NONE {
                let (start, parent) = (reach.start[parent as usize] as usize * sides, &nodes[parent as usize]);
                let source = match parent.region == region {
                    true => &after[start - first - size * sides..],
                    false => &top[start..],
                };
                let parent_size = parent.pivots + parent.border.len();
                let columns = source.chunks_exact(parent_size.max(1)).zip(front.chunks_exact_mut(size.max(1)));
                for (source, front) in columns.take(sides) {
                    let border = &mut front[node.pivots..];
                    for &(from, to, length) in &node.in_parent {
                        border[from as usize..(from + length) as usize]
                            .copy_from_slice(&source[to as usize..(to + length) as usize]);
                    }
                }
            }
            let panel = &self.panels[region][node.panel..node.panel + size * node.pivots];
            match sides {
                1 => backward_one(node, panel, front, threads),
                _ => backward_many(node, panel, front, sides),
            }
        }
    }
}

/// Columns worked on together: the front vector is read and written once for all of them.
const COLUMNS: usize = 4;

/// x₁ ← L₁₁⁻¹x₁, x₂ ← x₂ − L₂₁x₁.
fn forward_one(node: &Node, panel: &[f64], front: &mut [f64], threads: bool) {
    let size = front.len();
    let (pivots, border) = front.split_at_mut(node.pivots);
    // The triangle first, then the rectangle below it, so that the latter can be shared.
    let mut first = 0;
    while first < pivots.len() {
        let width = COLUMNS.min(pivots.len() - first);
        let (done, below) = pivots.split_at_mut(first + width);
        let done = &mut done[first..];
        for j in 0..width {
            let column = &panel[(first + j) * size..];
            done[j] /= column[first + j];
            for i in j + 1..width {
                done[i] -= column[first + i] * done[j];
            }
        }
        subtract_columns(panel, size, first, first + width, done, below);
        first += width;
    }
    let pivots = &*pivots;
    let update = |first: usize, border: &mut [f64]| {
        for column in (0..pivots.len()).step_by(COLUMNS) {
            let width = COLUMNS.min(pivots.len() - column);
            subtract_columns(panel, size, column, node.pivots + first, &pivots[column..column + width], border);
        }
    };
    match threads && panel.len() >= SHARED_FROM {
        true => border.par_chunks_mut(SLICE).enumerate().for_each(|(at, border)| update(at * SLICE, border)),
        false => update(0, border),
    }
}

/// `out −= Σ_j L[row.., column + j] x_j` for up to [`COLUMNS`] columns.
#[inline]
fn subtract_columns(panel: &[f64], size: usize, column: usize, row: usize, x: &[f64], out: &mut [f64]) {
    let n = out.len();
    let part = |j: usize| &panel[(column + j) * size + row..][..n];
    if let &[x0, x1, x2, x3] = x {
        let (a, b, c, d) = (part(0), part(1), part(2), part(3));
        for i in 0..n {
            out[i] -= (a[i] * x0 + b[i] * x1) + (c[i] * x2 + d[i] * x3);
        }
    } else {
        for (j, x) in x.iter().enumerate() {
            out.iter_mut().zip(part(j)).for_each(|(out, l)| *out -= l * x);
        }
    }
}

/// x₁ ← L₁₁⁻ᵀ(x₁ − L₂₁ᵀx₂).
fn backward_one(node: &Node, panel: &[f64], front: &mut [f64], threads: bool) {
    let size = front.len();
    let (pivots, border) = front.split_at_mut(node.pivots);
    let border = &*border;
    if !border.is_empty() {
        let update = |first: usize, pivots: &mut [f64]| {
            for (at, pivots) in pivots.chunks_mut(COLUMNS).enumerate() {
                subtract_dots(panel, size, first + at * COLUMNS, node.pivots, border, pivots);
            }
        };
        match threads && panel.len() >= SHARED_FROM {
            true => pivots.par_chunks_mut(SLICE).enumerate().for_each(|(at, pivots)| update(at * SLICE, pivots)),
            false => update(0, pivots),
        }
    }
    // Groups of columns from the last to the first, at the same places as forwards.
    let groups = node.pivots.div_ceil(COLUMNS);
    for group in (0..groups).rev() {
        let first = group * COLUMNS;
        let width = COLUMNS.min(node.pivots - first);
        let (head, solved) = pivots.split_at_mut(first + width);
        let head = &mut head[first..];
        subtract_dots(panel, size, first, first + width, solved, head);
        for j in (0..width).rev() {
            let column = &panel[(first + j) * size..];
            for i in j + 1..width {
                head[j] -= column[first + i] * head[i];
            }
            head[j] /= column[first + j];
        }
    }
}

/// `out_j −= L[row.., column + j] · x` for up to [`COLUMNS`] columns.
#[inline]
fn subtract_dots(panel: &[f64], size: usize, column: usize, row: usize, x: &[f64], out: &mut [f64]) {
    let n = x.len();
    let part = |j: usize| &panel[(column + j) * size + row..][..n];
    if let [y0, y1, y2, y3] = out {
        const LANES: usize = 4;
        let columns = [part(0), part(1), part(2), part(3)];
        let mut sums = [[0.0; LANES]; 4];
        let whole = n - n % LANES;
        for at in (0..whole).step_by(LANES) {
            let x = &x[at..at + LANES];
            for (sums, column) in sums.iter_mut().zip(&columns) {
                let column = &column[at..at + LANES];
                for lane in 0..LANES {
                    sums[lane] += column[lane] * x[lane];
                }
            }
        }
        for ((y, sums), column) in [y0, y1, y2, y3].into_iter().zip(sums).zip(columns) {
            let rest: f64 = column[whole..].iter().zip(&x[whole..]).map(|(l, x)| l * x).sum();
            *y -= (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
        }
    } else {
        for (j, y) in out.iter_mut().enumerate() {
            *y -= part(j).iter().zip(x).map(|(l, x)| l * x).sum::<f64>();
        }
    }
}

fn forward_many(node: &Node, panel: &[f64], front: &mut [f64], sides: usize) {
    let size = node.pivots + node.border.len();
    let (diagonal, below) = MatRef::from_column_major_slice(panel, size, node.pivots).split_at_row(node.pivots);
    let (mut pivots, border) = MatMut::from_column_major_slice_mut(front, size, sides).split_at_row_mut(node.pivots);
    solve_lower_triangular_in_place(diagonal, pivots.as_mut(), Par::Seq);
    matmul(border, Accum::Add, below, pivots.as_ref(), -1.0, Par::Seq);
}

fn backward_many(node: &Node, panel: &[f64], front: &mut [f64], sides: usize) {
    let size = node.pivots + node.border.len();
    let (diagonal, below) = MatRef::from_column_major_slice(panel, size, node.pivots).split_at_row(node.pivots);
    let (mut pivots, border) = MatMut::from_column_major_slice_mut(front, size, sides).split_at_row_mut(node.pivots);
    matmul(pivots.as_mut(), Accum::Add, below.transpose(), border.as_ref(), -1.0, Par::Seq);
    solve_upper_triangular_in_place(diagonal.transpose(), pivots, Par::Seq);
}

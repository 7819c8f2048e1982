//! J in the order of the dual problem, and the passes over it.
//!
//! A block is dense over runs of neighbouring velocities: a contact of two rigid bodies is 3 × 12 numbers and two runs of
//! six. Blocks are cut into parts. A part adds Jᵀg into a window of its own, the range of velocities it touches; windows
//! are then added up in order. Cost: a pass reads 288 bytes of J a contact, and windows overlap only where parts touch.

mod pattern;

use super::cells::{Numbers, Shared};
use super::layout::Layout;
use super::response::Response;
use crate::cone::MAX_ROWS;
use crate::problem::ConeProblem;
use pattern::{Pattern, fill_block};
use rayon::prelude::*;
use signorini_linalg::Halves;
use signorini_linalg::Threads;
use std::ops::Range;
use std::sync::Arc;

/// Blocks a part has at least; fewer are not worth a thread.
const FEWEST_BLOCKS: usize = 512;
/// Parts of this many blocks when there are more than a few: windows of neighbours overlap by a layer of bodies whatever
/// the size of the parts, so that small parts would have more window than blocks.
const USUAL_BLOCKS: usize = 4096;
/// Parts that mid-sized problems are cut into, so that every core gets some.
const FEW_PARTS: usize = 16;
/// Velocities handled by one task when windows are added up.
const CHUNK: usize = 4096;

#[derive(Default)]
pub(super) struct Jacobian {
    blocks: Vec<Block>,
    runs: Vec<Run>,
    /// Where each entry of a row of a block stands in the rows of the problem, or that it is the velocity of a soft row. None where a
    /// block has all entries of the problem's rows, in their order.
    sources: Vec<u32>,
    /// Values of blocks that are not those of the problem, or not where they are to be read.
    own: Vec<f64>,
    /// Values of the problem, which has those of contacts where sweeps by colours read them. Given back before they change.
    shared: Option<Arc<Vec<f64>>>,
    parts: Vec<Part>,
    /// All windows, one after the other; made when they are first used.
    windows: Vec<f64>,
    window_length: usize,
    /// J = I: no runs, no values.
    identity: bool,
}

/// Where a block's data begin; one more at the end.
#[derive(Clone, Copy, Default)]
struct Block {
    row: u32,
    run: u32,
    source: u32,
    /// Entries of a row.
    width: u32,
    /// Where its values begin, in `own` or, with [`SHARED`] added, in `shared`.
    value: usize,
}

impl Block {
    /// Number of its values; `next` is the block after it.
    #[inline(always)]
    fn size(&self, next: &Self) -> usize {
        (next.row - self.row) as usize * self.width as usize
    }
}

/// Marks values that are read where the problem has them.
const SHARED: usize = 1 << (usize::BITS - 1);

/// Neighbouring velocities of one body.
#[derive(Clone, Copy, Default, PartialEq)]
struct Run {
    first: u32,
    count: u32,
    body: u32,
}

/// Consecutive blocks handled together.
#[derive(Clone, Debug)]
pub(super) struct Part {
    blocks: Range<usize>,
    rows: Range<usize>,
    /// Velocities its blocks touch.
    window: Range<usize>,
    /// Where its window begins in `windows`.
    at: usize,
}

/// Blocks whose values one task copies.
const COPIED: usize = 512;

/// Runs and sources of a range of blocks.
type Lists<'a> = (&'a mut [Run], &'a mut [u32]);

/// Divides the lists of the blocks from `first` on at another block.
fn split_lists<'a>((runs, sources): Lists<'a>, first: Block, middle: Block) -> (Lists<'a>, Lists<'a>) {
    let (a, c) = runs.split_at_mut((middle.run - first.run) as usize);
    let (b, d) = sources.split_at_mut((middle.source - first.source) as usize);
    ((a, b), (c, d))
}

impl Jacobian {
    /// Becomes J in another layout, in the memory it has.
    pub(super) fn update(&mut self, problem: &ConeProblem, layout: &Layout, threads: Threads) {
        self.identity = problem.is_condensed();
        let Self { blocks, runs, sources, own, identity, .. } = self;
        let (halves, identity) = (Halves::new(COPIED, threads), *identity);
        // First how much every block has, then where that begins, then what it is.
        let count = layout.blocks();
        blocks.resize(count + 1, Block::default());
        let split = |blocks, range: &Range<usize>, middle: usize| <[Block]>::split_at_mut(blocks, middle - range.start);
        let measure = |range: Range<usize>, blocks: &mut [Block]| {
            let mut entries = Vec::new();
            for (k, block) in range.zip(blocks) {
                let rows = layout.rows_of(k);
                *block = Block { row: rows.start as u32, ..Block::default() };
                if !identity {
                    let (runs, sources, width) = Pattern::of(problem, layout, k, &mut entries).size(layout);
                    let place = if sources == 0 && rows.len() > 1 { layout.place_of(problem, k) } else { None };
                    *block = Block { run: runs, source: sources, width: width as u32, ..*block };
                    block.value = place.map_or(rows.len() * width, |place| SHARED | place);
                }
            }
        };
        halves.run(0..count, &mut blocks[..count], &split, &measure, &|(), ()| ());
        let mut end = Block { row: layout.row_origin.len() as u32, ..Block::default() };
        for block in &mut blocks[..count] {
            let size = *block;
            (block.run, block.source) = (end.run, end.source);
            (end.run, end.source) = (end.run + size.run, end.source + size.source);
            if size.value < SHARED {
                (block.value, end.value) = (end.value, end.value + size.value);
            }
        }
        blocks[count] = end;
        runs.resize(end.run as usize, Run::default());
        sources.resize(end.source as usize, 0);
        let blocks = &blocks[..];
        if !identity {
            let split =
                |lists, range: &Range<usize>, middle: usize| split_lists(lists, blocks[range.start], blocks[middle]);
            let work = |range: Range<usize>, (mut runs, mut sources): Lists<'_>| {
                let mut entries = Vec::new();
                for k in range {
                    let (block, end) = (blocks[k], blocks[k + 1]);
                    let (own_runs, rest_runs) = runs.split_at_mut((end.run - block.run) as usize);
                    let (own_sources, rest_sources) = sources.split_at_mut((end.source - block.source) as usize);
                    Pattern::of(problem, layout, k, &mut entries).write(layout, own_runs, own_sources);
                    (runs, sources) = (rest_runs, rest_sources);
                }
            };
            halves.run(0..count, (&mut runs[..], &mut sources[..]), &split, &work, &|(), ()| ());
        }
        own.resize(end.value, 0.0);
        self.fill(problem, layout, threads);
        self.cut(layout);
    }

    /// Takes over the values of a problem with the pattern that was laid out. False if an entry that was zero, and left out, is
    /// not zero any more.
    pub(super) fn fill(&mut self, problem: &ConeProblem, layout: &Layout, threads: Threads) -> bool {
        if self.identity {
            return true;
        }
        let Self { blocks, sources, own, shared, .. } = self;
        *shared = Some(problem.rows().shared_values().clone());
        if own.is_empty() {
            return true;
        }
        let blocks = &blocks[..];
        let size = |k: usize| if blocks[k].value < SHARED { blocks[k].size(&blocks[k + 1]) } else { 0 };
        let work = |range: Range<usize>, mut values: &mut [f64]| {
            let mut is_complete = true;
            for k in range.filter(|k| blocks[*k].value < SHARED) {
                let (own, rest) = values.split_at_mut(size(k));
                values = rest;
                let sources = &sources[blocks[k].source as usize..blocks[k + 1].source as usize];
                is_complete &= fill_block(problem, layout, k, sources, own);
            }
            is_complete
        };
        let split = |values, range: &Range<usize>, middle: usize| {
            <[f64]>::split_at_mut(values, (range.start..middle).map(size).sum())
        };
        Halves::new(COPIED, threads).run(0..blocks.len() - 1, &mut own[..], &split, &work, &|a, b| a && b)
    }

    /// Gives back the values of the problem, which are about to change.
    pub(super) fn release(&mut self) {
        self.shared = None;
    }

    /// The values of a block, row-major.
    #[inline(always)]
    fn values_of(&self, k: usize) -> &[f64] {
        let block = &self.blocks[k];
        let (all, first) = match (block.value < SHARED, &self.shared) {
            (true, _) => (&self.own[..], block.value),
            (false, Some(shared)) => (&shared[..], block.value - SHARED),
            (false, None) => unreachable!("rows were given back: the dual problem is updated before it is used again"),
        };
        &all[first..first + block.size(&self.blocks[k + 1])]
    }

    /// Cuts the blocks into parts of equal count.
    fn cut(&mut self, layout: &Layout) {
        let blocks = self.blocks.len() - 1;
        self.parts.clear();
        let count = (blocks / FEWEST_BLOCKS).clamp(1, FEW_PARTS).max(blocks / USUAL_BLOCKS);
        let mut at = 0;
        for part in 0..count {
            let range = part * blocks / count..(part + 1) * blocks / count;
            let rows = self.blocks[range.start].row as usize..self.blocks[range.end].row as usize;
            let window = match self.identity {
                true => rows.clone(),
                // The blocks of a colour touch bodies everywhere.
                false if layout.keeps_bodies() => 0..layout.columns(),
                false => {
                    let runs = &self.runs[self.blocks[range.start].run as usize..self.blocks[range.end].run as usize];
                    let first = runs.iter().map(|run| run.first).min().unwrap_or(0);
                    let end = runs.iter().map(|run| run.first + run.count).max().unwrap_or(0);
                    first as usize..end as usize
                }
            };
            let length = window.len();
            self.parts.push(Part { blocks: range, rows, window, at });
            at += length;
        }
        self.window_length = at;
    }

    /// Room for all windows.
    fn take_windows(&mut self) -> Vec<f64> {
        let mut windows = std::mem::take(&mut self.windows);
        windows.resize(self.window_length, 0.0);
        windows
    }

    /// Velocities a block touches, as (first, count).
    pub(super) fn runs_of(&self, k: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
        let own = self.identity.then_some((rows.start, rows.len()));
        let runs = &self.runs[self.blocks[k].run as usize..self.blocks[k + 1].run as usize];
        runs.iter().map(|run| (run.first as usize, run.count as usize)).chain(own)
    }
    /// `p += J_kᵀ force` for one block.
    pub(super) fn push_one(&self, k: usize, force: &[f64], p: &mut [f64]) {
        match self.identity {
            true => {
                let first = self.blocks[k].row as usize;
                p[first..first + force.len()].iter_mut().zip(force).for_each(|(p, f)| *p += f);
            }
            false => self.push(k, force, 0, p),
        }
    }
    /// `out = J_k v` for one block.
    pub(super) fn rates_one(&self, k: usize, v: &(impl Numbers + ?Sized), out: &mut [f64]) {
        match self.identity {
            true => {
                let own = v.part(self.blocks[k].row as usize, out.len());
                out.iter_mut().enumerate().for_each(|(i, out)| *out = own.get(i));
            }
            false => self.rates(k, v, out),
        }
    }
    /// Bodies a block touches; one with gaps between its velocities may come twice.
    pub(super) fn bodies_of(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let runs = &self.runs[self.blocks[k].run as usize..self.blocks[k + 1].run as usize];
        runs.iter().map(|run| run.body as usize)
    }
    /// `v += H⁻¹ J_kᵀ force` for one block, where H⁻¹ is local.
    pub(super) fn kick(&self, k: usize, force: &[f64], response: &Response, v: &[Shared]) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let values = self.values_of(k);
        let width = values.len() / force.len().max(1);
        let mut at = 0;
        for run in &self.runs[block.run as usize..end.run as usize] {
            let (first, count) = (run.first as usize, run.count as usize);
            match (force, values.as_chunks::<12>().0) {
                (&[n, s, t], [a, b, c]) if width == 12 && count == 6 => {
                    let p: [f64; 6] = std::array::from_fn(|i| a[at + i] * n + b[at + i] * s + c[at + i] * t);
                    response.kick(run.body as usize, first, &p, v);
                }
                _ => {
                    for i in 0..count {
                        let p = values[at + i..].iter().step_by(width).zip(force).map(|(j, f)| j * f).sum();
                        response.kick(run.body as usize, first + i, &[p], v);
                    }
                }
            }
            at += count;
        }
    }
    /// One block acts on velocities: `action` sees its gradient J_k v + `free` and says by how much its impulses change, if they
    /// do; then v += H⁻¹ J_kᵀ change, where H⁻¹ is local.
    #[inline(always)]
    pub(super) fn act<const D: usize>(
        &self,
        k: usize,
        free: &[f64; D],
        response: &Response,
        v: &[Shared],
        action: &mut impl Action,
    ) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let runs = &self.runs[block.run as usize..end.run as usize];
        let values = self.values_of(k);
        let gradient = |mut rate: [f64; D]| -> [f64; D] {
            rate.iter_mut().zip(free).for_each(|(rate, free)| *rate += free);
            rate
        };
        // A body against another, a body against the ground: lengths the compiler knows.
        if let ([a, b], Some(lines)) = (runs, values.as_chunks::<12>().0.first_chunk::<D>())
            && a.count == 6
            && b.count == 6
        {
            if let Some(change) = action.act(gradient(rates_12(lines, &six(v, a), &six(v, b)))) {
                response.kick(a.body as usize, a.first as usize, &momentum_6(lines, 0, &change), v);
                response.kick(b.body as usize, b.first as usize, &momentum_6(lines, 6, &change), v);
            }
        } else if let ([a], Some(lines)) = (runs, values.as_chunks::<6>().0.first_chunk::<D>())
            && a.count == 6
        {
            if let Some(change) = action.act(gradient(rates_6(lines, &six(v, a)))) {
                response.kick(a.body as usize, a.first as usize, &momentum_6(lines, 0, &change), v);
            }
        } else {
            let mut rate = [0.0; D];
            self.rates_one(k, v, &mut rate);
            if let Some(change) = action.act(gradient(rate)) {
                self.kick(k, &change, response, v);
            }
        }
    }
    /// J_k H⁻¹ J_kᵀ of one block, row-major, where H⁻¹ is local.
    pub(super) fn gram(&self, k: usize, response: &Response, out: &mut [f64]) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let d = (end.row - block.row) as usize;
        let (runs, values) = (&self.runs[block.run as usize..end.run as usize], self.values_of(k));
        out.fill(0.0);
        // A body against another, a body against the ground: lengths the compiler knows.
        let is_rigid = |run: &Run| run.count == 6 && response.is_rigid(run.body as usize);
        if let (3, [a, b], Some(lines)) = (d, runs, values.as_chunks::<12>().0.first_chunk::<3>())
            && is_rigid(a)
            && is_rigid(b)
        {
            gram_6(lines, 0, a, response, out);
            return gram_6(lines, 6, b, response, out);
        }
        if let (3, [a], Some(lines)) = (d, runs, values.as_chunks::<6>().0.first_chunk::<3>())
            && is_rigid(a)
        {
            return gram_6(lines, 0, a, response, out);
        }
        let width = values.len() / d.max(1);
        let mut at = 0;
        for run in runs {
            let mut other_at = 0;
            // Runs of one body act on each other.
            for other in runs {
                let (own, others) = (at..at + run.count as usize, other_at..other_at + other.count as usize);
                other_at = others.end;
                if other.body != run.body {
                    continue;
                }
                for r in 0..d {
                    for s in 0..d {
                        let (a, b) = (&values[r * width..][own.clone()], &values[s * width..][others.clone()]);
                        let (first, second) = (run.first as usize, other.first as usize);
                        out[r * d + s] += response.energy(run.body as usize, (first, a), (second, b));
                    }
                }
            }
            at += run.count as usize;
        }
    }
    /// Sets p to zero where a block touches it.
    pub(super) fn clear_one(&self, k: usize, p: &mut [f64]) {
        self.runs_of(k).for_each(|(first, count)| p[first..first + count].fill(0.0));
    }

    fn value_count(&self) -> usize {
        (0..self.blocks.len() - 1).map(|k| self.blocks[k].size(&self.blocks[k + 1])).sum()
    }
    /// Bytes of one pass.
    pub(super) fn bytes(&self) -> usize {
        8 * self.value_count() + 12 * self.runs.len() + 16 * self.blocks.len() + 16 * self.window_length
    }

    /// `u = J v`.
    pub(super) fn gather(&self, v: &[f64], u: &mut [f64], threads: Threads) {
        if self.identity {
            u.copy_from_slice(v);
            return;
        }
        let kernel = |part: &Part, [u]: [&mut [f64]; 1], _: &mut [f64]| -> [f64; 0] {
            let mut rest = u;
            for k in part.blocks.clone() {
                let (block, end) = (self.blocks[k], self.blocks[k + 1]);
                let (own, tail) = rest.split_at_mut((end.row - block.row) as usize);
                self.rates(k, v, own);
                rest = tail;
            }
            []
        };
        split(&self.parts, [u], &mut [], threads, &kernel);
    }

    /// `p = Jᵀ g`.
    pub(super) fn scatter(&mut self, g: &[f64], p: &mut [f64], threads: Threads) {
        if self.identity {
            p.copy_from_slice(g);
            return;
        }
        let mut windows = self.take_windows();
        let kernel = |part: &Part, []: [&mut [f64]; 0], window: &mut [f64]| -> [f64; 0] {
            window.fill(0.0);
            for k in part.blocks.clone() {
                let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
                self.push(k, &g[rows], part.window.start, window);
            }
            []
        };
        split(&self.parts, [], &mut windows, threads, &kernel);
        self.windows = windows;
        let add = |chunk: usize, p: &mut [f64]| self.collect(chunk * CHUNK, p);
        match threads == Threads::Pool && self.parts.len() > 1 {
            true => p.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, p)| add(chunk, p)),
            false => p.chunks_mut(CHUNK).enumerate().for_each(|(chunk, p)| add(chunk, p)),
        }
    }

    /// For every block: rates J_k v, the kernel, then J_kᵀ force into the windows, which [`Jacobian::collect`] adds up.
    pub(super) fn sweep<const V: usize, const S: usize>(
        &mut self,
        v: &[f64],
        vectors: [&mut [f64]; V],
        threads: Threads,
        kernel: &impl Kernel<V, S>,
    ) -> [f64; S] {
        let mut windows = self.take_windows();
        let work = |part: &Part, mut vectors: [&mut [f64]; V], window: &mut [f64]| -> [f64; S] {
            let mut sums = [0.0; S];
            window.fill(0.0);
            for k in part.blocks.clone() {
                let d = (self.blocks[k + 1].row - self.blocks[k].row) as usize;
                let mut at = Visit { jacobian: self, part, k, v, window, vectors: &mut vectors, sums: &mut sums };
                match d {
                    3 => at.visit::<3>(kernel),
                    1 => at.visit::<1>(kernel),
                    2 => at.visit::<2>(kernel),
                    4 => at.visit::<4>(kernel),
                    5 => at.visit::<5>(kernel),
                    _ => at.visit::<MAX_ROWS>(kernel),
                }
            }
            sums
        };
        let sums = split(&self.parts, vectors, &mut windows, threads, &work);
        self.windows = windows;
        sums
    }

    /// For every block: rates J_k v, then the kernel; nothing is written but sums.
    pub(super) fn read<const S: usize>(
        &self,
        v: &[f64],
        threads: Threads,
        kernel: &(impl Fn(usize, Range<usize>, &[f64], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let work = |part: &Part, []: [&mut [f64]; 0], _: &mut [f64]| -> [f64; S] {
            let mut sums = [0.0; S];
            let mut rate = [0.0; MAX_ROWS];
            for k in part.blocks.clone() {
                let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
                let rate = &mut rate[..rows.len()];
                self.rates_one(k, v, rate);
                kernel(k, rows, rate, &mut sums);
            }
            sums
        };
        split(&self.parts, [], &mut [], threads, &work)
    }

    /// The momenta of the last sweep at the velocities from `first` on: its windows, part after part.
    pub(super) fn collect(&self, first: usize, p: &mut [f64]) {
        add_windows(&self.parts, &self.windows, first, p);
    }

    /// The kernel for every block, in the parts of a sweep.
    pub(super) fn for_blocks<const V: usize, const S: usize>(
        &self,
        vectors: [&mut [f64]; V],
        threads: Threads,
        kernel: &(impl Fn(usize, Range<usize>, [&mut [f64]; V], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let work = |part: &Part, vectors: [&mut [f64]; V], _: &mut [f64]| -> [f64; S] {
            let mut sums = [0.0; S];
            let mut rest = vectors;
            for k in part.blocks.clone() {
                let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
                let (own, tail) = split_all(rest, rows.len());
                rest = tail;
                kernel(k, rows, own, &mut sums);
            }
            sums
        };
        split(&self.parts, vectors, &mut [], threads, &work)
    }

    /// `out = J_k v`.
    fn rates(&self, k: usize, v: &(impl Numbers + ?Sized), out: &mut [f64]) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let runs = &self.runs[block.run as usize..end.run as usize];
        let values = self.values_of(k);
        match (out, runs, values.as_chunks::<12>().0.first_chunk::<3>()) {
            (out @ [_, _, _], [a, b], Some(lines)) if a.count == 6 && b.count == 6 => {
                out.copy_from_slice(&rates_12(lines, &six(v, a), &six(v, b)));
            }
            (out, _, _) => {
                let width = values.len() / out.len().max(1);
                out.fill(0.0);
                for (line, out) in values.chunks_exact(width.max(1)).zip(out) {
                    *out = row_rate(line, runs, v);
                }
            }
        }
    }

    /// `window += J_kᵀ force`; the window begins at velocity `origin`.
    fn push(&self, k: usize, force: &[f64], origin: usize, window: &mut [f64]) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let runs = &self.runs[block.run as usize..end.run as usize];
        let values = self.values_of(k);
        match (<&[f64; 3]>::try_from(force), runs, values.as_chunks::<12>().0.first_chunk::<3>()) {
            (Ok(force), [a, b], Some(lines)) if a.count == 6 && b.count == 6 => {
                push_6(lines, 0, force, &mut window[a.first as usize - origin..]);
                push_6(lines, 6, force, &mut window[b.first as usize - origin..]);
            }
            _ => {
                let width = values.len() / force.len().max(1);
                for (line, force) in values.chunks_exact(width.max(1)).zip(force) {
                    row_push(line, runs, *force, origin, window);
                }
            }
        }
    }
}

/// `p` = sum of the windows at the velocities from `first` on, part after part.
fn add_windows(parts: &[Part], windows: &[f64], first: usize, p: &mut [f64]) {
    let range = first..first + p.len();
    p.fill(0.0);
    for part in parts {
        let (first, end) = (part.window.start.max(range.start), part.window.end.min(range.end));
        if first < end {
            let source = &windows[part.at + first - part.window.start..][..end - first];
            p[first - range.start..end - range.start].iter_mut().zip(source).for_each(|(p, w)| *p += w);
        }
    }
}

#[inline(always)]
fn six(v: &(impl Numbers + ?Sized), run: &Run) -> [f64; 6] {
    let v = v.part(run.first as usize, 6);
    [v.get(0), v.get(1), v.get(2), v.get(3), v.get(4), v.get(5)]
}

/// One row times v.
fn row_rate(line: &[f64], runs: &[Run], v: &(impl Numbers + ?Sized)) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for run in runs {
        let count = run.count as usize;
        let v = v.part(run.first as usize, count);
        sum += line[at..at + count].iter().enumerate().map(|(i, j)| j * v.get(i)).sum::<f64>();
        at += count;
    }
    sum
}

/// `window += lineᵀ force`.
fn row_push(line: &[f64], runs: &[Run], force: f64, origin: usize, window: &mut [f64]) {
    let mut at = 0;
    for run in runs {
        let count = run.count as usize;
        let window = &mut window[run.first as usize - origin..][..count];
        window.iter_mut().zip(&line[at..at + count]).for_each(|(p, j)| *p += j * force);
        at += count;
    }
}

/// `lines · (a, b)`, in pairs of neighbours: two numbers an instruction.
#[inline(always)]
fn rates_12<const D: usize>(lines: &[[f64; 12]; D], a: &[f64; 6], b: &[f64; 6]) -> [f64; D] {
    let mut out = [0.0; D];
    for (line, out) in lines.iter().zip(&mut out) {
        let mut sums = [0.0; 2];
        for i in [0, 2, 4] {
            for lane in 0..2 {
                sums[lane] += line[i + lane] * a[i + lane] + line[6 + i + lane] * b[i + lane];
            }
        }
        *out = sums[0] + sums[1];
    }
    out
}

/// `lines · a`.
#[inline(always)]
fn rates_6<const D: usize>(lines: &[[f64; 6]; D], a: &[f64; 6]) -> [f64; D] {
    let mut out = [0.0; D];
    for (line, out) in lines.iter().zip(&mut out) {
        let mut sums = [0.0; 2];
        for i in [0, 2, 4] {
            for lane in 0..2 {
                sums[lane] += line[i + lane] * a[i + lane];
            }
        }
        *out = sums[0] + sums[1];
    }
    out
}

/// `linesᵀ force` at the six columns from `at` on.
#[inline(always)]
fn momentum_6<const D: usize, const N: usize>(lines: &[[f64; N]; D], at: usize, force: &[f64; D]) -> [f64; 6] {
    let mut sums = [0.0; 6];
    push_6(lines, at, force, &mut sums);
    sums
}

/// `window += linesᵀ force` at the six columns from `at` on.
#[inline(always)]
fn push_6<const D: usize, const N: usize>(lines: &[[f64; N]; D], at: usize, force: &[f64; D], window: &mut [f64]) {
    let Some(window) = window.first_chunk_mut::<6>() else { return };
    let mut sums = *window;
    for (line, force) in lines.iter().zip(force) {
        for i in 0..6 {
            sums[i] += line[at + i] * force;
        }
    }
    *window = sums;
}

/// Adds the part of J_k H⁻¹ J_kᵀ that one rigid body makes, its six columns being those from `at` on.
#[inline]
fn gram_6<const D: usize, const N: usize>(
    lines: &[[f64; N]; D],
    at: usize,
    run: &Run,
    response: &Response,
    out: &mut [f64],
) {
    for i in 0..D {
        let Some(line) = lines[i][at..].first_chunk::<6>() else { return };
        let moved = response.of_rigid_body(run.body as usize, run.first as usize, line);
        for j in 0..=i {
            let Some(other) = lines[j][at..].first_chunk::<6>() else { return };
            let sum: f64 = (0..6).map(|c| moved[c] * other[c]).sum();
            out[i * D + j] += sum;
            if i != j {
                out[j * D + i] += sum;
            }
        }
    }
}

/// What one block does when it is its turn, compiled for each number of rows. (A closure would not be: it has one number of
/// rows, and is called where this is written out in place.)
pub(crate) trait Action {
    /// Sees the gradient; returns by how much the impulses change, if they do.
    fn act<const D: usize>(&mut self, gradient: [f64; D]) -> Option<[f64; D]>;
}

/// What is done with every block of a sweep, compiled for each number of rows.
pub(super) trait Kernel<const V: usize, const S: usize>: Sync {
    /// Block `k` with its rates, its rows of each vector, and room for its force.
    fn block<const D: usize>(
        &self,
        k: usize,
        row: usize,
        rate: [f64; D],
        vectors: [&mut [f64; D]; V],
        sums: &mut [f64; S],
    ) -> [f64; D];
}

/// A sweep at one block.
struct Visit<'a, 'b, const V: usize, const S: usize> {
    jacobian: &'a Jacobian,
    part: &'a Part,
    k: usize,
    v: &'a [f64],
    window: &'a mut [f64],
    vectors: &'a mut [&'b mut [f64]; V],
    sums: &'a mut [f64; S],
}

impl<const V: usize, const S: usize> Visit<'_, '_, V, S> {
    #[inline]
    fn visit<const D: usize>(&mut self, kernel: &impl Kernel<V, S>) {
        let Self { jacobian, part, k, v, .. } = *self;
        let (block, end, origin) = (jacobian.blocks[k], jacobian.blocks[k + 1], part.window.start);
        let runs = &jacobian.runs[block.run as usize..end.run as usize];
        let values = jacobian.values_of(k);
        // A body against another, a body against the ground: lengths the compiler knows.
        if let ([a, b], Some(lines)) = (runs, values.as_chunks::<12>().0.first_chunk::<D>())
            && a.count == 6
            && b.count == 6
        {
            let force = self.call(kernel, rates_12(lines, &six(v, a), &six(v, b)));
            push_6(lines, 0, &force, &mut self.window[a.first as usize - origin..]);
            push_6(lines, 6, &force, &mut self.window[b.first as usize - origin..]);
        } else if let ([a], Some(lines)) = (runs, values.as_chunks::<6>().0.first_chunk::<D>())
            && a.count == 6
        {
            let force = self.call(kernel, rates_6(lines, &six(v, a)));
            push_6(lines, 0, &force, &mut self.window[a.first as usize - origin..]);
        } else {
            let mut rate = [0.0; D];
            jacobian.rates_one(k, v, &mut rate);
            let force = self.call(kernel, rate);
            match jacobian.identity {
                true => self.window[block.row as usize - origin..][..D].copy_from_slice(&force),
                false => jacobian.push(k, &force, origin, self.window),
            }
        }
    }

    #[inline]
    fn call<const D: usize>(&mut self, kernel: &impl Kernel<V, S>, rate: [f64; D]) -> [f64; D] {
        let row = self.jacobian.blocks[self.k].row as usize;
        let at = row - self.part.rows.start;
        let own = self.vectors.each_mut().map(|vector| &mut vector[at..].as_chunks_mut::<D>().0[0]);
        kernel.block(self.k, row, rate, own, self.sums)
    }
}

/// Runs `work` on every part, in halves that threads may take; each part gets its rows of the vectors and its window
/// (empty when `windows` is). Sums are added in the order of the halves, whoever computed them.
fn split<const V: usize, const S: usize>(
    parts: &[Part],
    vectors: [&mut [f64]; V],
    windows: &mut [f64],
    threads: Threads,
    work: &(impl Fn(&Part, [&mut [f64]; V], &mut [f64]) -> [f64; S] + Sync),
) -> [f64; S] {
    let [part] = parts else {
        let (left, right) = parts.split_at(parts.len() / 2);
        let (Some(first), Some(middle)) = (left.first(), right.first()) else { return [0.0; S] };
        let (own, others) = split_all(vectors, middle.rows.start - first.rows.start);
        let cut = if windows.is_empty() { 0 } else { middle.at - first.at };
        let (near, far) = windows.split_at_mut(cut);
        let (a, b) = match threads {
            Threads::Pool => {
                rayon::join(|| split(left, own, near, threads, work), || split(right, others, far, threads, work))
            }
            Threads::One => (split(left, own, near, threads, work), split(right, others, far, threads, work)),
        };
        return std::array::from_fn(|i| a[i] + b[i]);
    };
    work(part, vectors, windows)
}

pub(super) fn split_all<const V: usize>(vectors: [&mut [f64]; V], at: usize) -> ([&mut [f64]; V], [&mut [f64]; V]) {
    let mut left = [const { None }; V];
    let mut right = [const { None }; V];
    for (i, vector) in vectors.into_iter().enumerate() {
        let (a, b) = vector.split_at_mut(at);
        left[i] = Some(a);
        right[i] = Some(b);
    }
    (left.map(Option::unwrap_or_default), right.map(Option::unwrap_or_default))
}

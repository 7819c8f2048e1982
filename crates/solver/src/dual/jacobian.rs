//! J in the order of the dual problem, and the passes over it.
//!
//! A block is dense over runs of neighbouring velocities: a contact of two rigid bodies is 3 × 12 numbers and two runs of
//! six. Blocks are cut into parts. A part adds Jᵀg into a window of its own, the range of velocities it touches; windows
//! are then added up in order. Cost: a pass reads 288 bytes of J a contact, and windows overlap only where parts touch.

use super::cells::{Numbers, Shared};
use super::layout::Layout;
use super::response::Response;
use crate::problem::ConeProblem;
use rayon::prelude::*;
use signorini_linalg::Threads;
use std::ops::Range;

/// Most rows of a block.
pub(crate) const MAX_ROWS: usize = 6;

/// Blocks a part has at least; fewer are not worth a thread.
const PART_BLOCKS: usize = 512;
/// Most parts.
const MOST_PARTS: usize = 64;
/// Velocities handled by one task when windows are added up.
const CHUNK: usize = 4096;

pub(super) struct Jacobian {
    blocks: Vec<Block>,
    runs: Vec<Run>,
    values: Vec<f64>,
    parts: Vec<Part>,
    /// All windows, one after the other.
    windows: Vec<f64>,
    /// J = I: no runs, no values.
    identity: bool,
}

/// Where a block's data begin; one more at the end.
#[derive(Clone, Copy)]
struct Block {
    row: u32,
    run: u32,
    value: usize,
}

/// Neighbouring velocities of one body.
#[derive(Clone, Copy, PartialEq)]
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

impl Jacobian {
    pub(super) fn new(problem: &ConeProblem, layout: &Layout) -> Self {
        let mut this = Self {
            blocks: Vec::with_capacity(layout.blocks() + 1),
            runs: Vec::new(),
            values: Vec::new(),
            parts: Vec::new(),
            windows: Vec::new(),
            identity: problem.is_condensed(),
        };
        for k in 0..layout.blocks() {
            let rows = layout.rows_of(k);
            this.blocks.push(Block { row: rows.start as u32, run: this.runs.len() as u32, value: this.values.len() });
            if !this.identity {
                this.push_block(problem, layout, k);
            }
        }
        let end = Block { row: layout.row_origin.len() as u32, run: this.runs.len() as u32, value: this.values.len() };
        this.blocks.push(end);
        this.cut();
        this
    }

    fn push_block(&mut self, problem: &ConeProblem, layout: &Layout, k: usize) {
        let origin = layout.block_origin[k];
        let source = problem.rows().block(origin);
        let first = problem.rows().rows_of(origin).start;
        let rows = layout.rows_of(k);
        // Entries (new velocity, where in the source, soft row) of this block, ascending.
        let given =
            source.columns.iter().enumerate().filter_map(|(at, &column)| Some((layout.column[column]?, Some(at))));
        let own = rows.clone().filter_map(|row| Some((layout.soft_column[layout.row_origin[row]]?, None)));
        let mut entries: Vec<(usize, Option<usize>)> = given.chain(own).collect();
        entries.sort_unstable();
        // A frictionless row does not turn a sphere. Blocks of several rows keep their zeros, and with them whole runs.
        let single = rows.len() == 1;
        entries.retain(|&(_, at)| match at {
            Some(at) if single => source.row(layout.row_origin[rows.start] - first)[at] != 0.0,
            _ => true,
        });
        for (i, &(column, _)) in entries.iter().enumerate() {
            match self.runs.last_mut() {
                // A run stays within one body: contacts of neighbours are two runs of six like all others.
                Some(run)
                    if i > 0
                        && (run.first + run.count) as usize == column
                        && layout.body_start.binary_search(&column).is_err() =>
                {
                    run.count += 1;
                }
                _ => {
                    let body = layout.body_start.partition_point(|start| *start <= column) - 1;
                    self.runs.push(Run { first: column as u32, count: 1, body: body as u32 });
                }
            }
        }
        for row in rows {
            let origin = layout.row_origin[row];
            let line = source.row(origin - first);
            self.values.extend(entries.iter().map(|&(column, at)| match at {
                Some(at) => line[at],
                None => f64::from(u8::from(layout.soft_column[origin] == Some(column))),
            }));
        }
    }

    /// Cuts the blocks into parts of equal count.
    fn cut(&mut self) {
        let blocks = self.blocks.len() - 1;
        let count = (blocks / PART_BLOCKS).clamp(1, MOST_PARTS);
        let mut at = 0;
        for part in 0..count {
            let range = part * blocks / count..(part + 1) * blocks / count;
            let rows = self.blocks[range.start].row as usize..self.blocks[range.end].row as usize;
            let window = match self.identity {
                true => rows.clone(),
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
        self.windows = vec![0.0; at];
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
        let values = &self.values[block.value..end.value];
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
    /// Sets p to zero where a block touches it.
    pub(super) fn clear_one(&self, k: usize, p: &mut [f64]) {
        self.runs_of(k).for_each(|(first, count)| p[first..first + count].fill(0.0));
    }

    /// Bytes of one pass.
    pub(super) fn bytes(&self) -> usize {
        8 * self.values.len() + 12 * self.runs.len() + 16 * self.blocks.len() + 16 * self.windows.len()
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
        let mut windows = std::mem::take(&mut self.windows);
        let kernel = |part: &Part, []: [&mut [f64]; 0], window: &mut [f64]| -> [f64; 0] {
            window.fill(0.0);
            for k in part.blocks.clone() {
                let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
                self.push(k, &g[rows], part.window.start, window);
            }
            []
        };
        split(&self.parts, [], &mut windows, threads, &kernel);
        self.add_windows(&windows, p, threads);
        self.windows = windows;
    }

    /// For every block: rates J_k v, the kernel, then p += J_kᵀ force.
    pub(super) fn sweep<const V: usize, const S: usize>(
        &mut self,
        v: &[f64],
        vectors: [&mut [f64]; V],
        p: &mut [f64],
        threads: Threads,
        kernel: &(impl Fn(usize, Range<usize>, &mut [f64], [&mut [f64]; V], &mut [f64], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let mut windows = std::mem::take(&mut self.windows);
        let work = |part: &Part, vectors: [&mut [f64]; V], window: &mut [f64]| -> [f64; S] {
            let mut sums = [0.0; S];
            let mut rest = vectors;
            let (mut rate, mut force) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            window.fill(0.0);
            for k in part.blocks.clone() {
                let rows = self.blocks[k].row as usize..self.blocks[k + 1].row as usize;
                let d = rows.len();
                let (own, tail) = split_all(rest, d);
                rest = tail;
                match self.identity {
                    true => rate[..d].copy_from_slice(&v[rows.clone()]),
                    false => self.rates(k, v, &mut rate[..d]),
                }
                kernel(k, rows.clone(), &mut rate[..d], own, &mut force[..d], &mut sums);
                match self.identity {
                    true => window[rows.start - part.window.start..][..d].copy_from_slice(&force[..d]),
                    false => self.push(k, &force[..d], part.window.start, window),
                }
            }
            sums
        };
        let sums = split(&self.parts, vectors, &mut windows, threads, &work);
        self.add_windows(&windows, p, threads);
        self.windows = windows;
        sums
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
        let values = &self.values[block.value..end.value];
        match (out, runs) {
            (out @ [_, _, _], [a, b]) if a.count == 6 && b.count == 6 => {
                let (a, b) = (six(v, a), six(v, b));
                for (line, out) in values.as_chunks::<12>().0.iter().zip(out) {
                    *out = dot_12(line, &a, &b);
                }
            }
            (out, _) => {
                let width = values.len() / out.len().max(1);
                for (line, out) in values.chunks_exact(width.max(1)).zip(&mut *out) {
                    let mut at = 0;
                    *out = 0.0;
                    for run in runs {
                        let count = run.count as usize;
                        let v = v.part(run.first as usize, count);
                        *out += line[at..at + count].iter().enumerate().map(|(i, j)| j * v.get(i)).sum::<f64>();
                        at += count;
                    }
                }
                if width == 0 {
                    out.fill(0.0);
                }
            }
        }
    }

    /// `window += J_kᵀ force`; the window begins at velocity `origin`.
    fn push(&self, k: usize, force: &[f64], origin: usize, window: &mut [f64]) {
        let (block, end) = (self.blocks[k], self.blocks[k + 1]);
        let runs = &self.runs[block.run as usize..end.run as usize];
        let values = &self.values[block.value..end.value];
        match (force, values) {
            ([n, s, t], values) if runs.len() == 2 && runs.iter().all(|run| run.count == 6) => {
                let ([first, second, third], _) = values.as_chunks::<12>() else { return };
                for (half, run) in runs.iter().enumerate() {
                    let window = &mut window[run.first as usize - origin..][..6];
                    for i in 0..6 {
                        let at = 6 * half + i;
                        window[i] += first[at] * n + second[at] * s + third[at] * t;
                    }
                }
            }
            _ => {
                let width = values.len() / force.len().max(1);
                for (line, force) in values.chunks_exact(width.max(1)).zip(force) {
                    let mut at = 0;
                    for run in runs {
                        let count = run.count as usize;
                        let window = &mut window[run.first as usize - origin..][..count];
                        window.iter_mut().zip(&line[at..at + count]).for_each(|(p, j)| *p += j * force);
                        at += count;
                    }
                }
            }
        }
    }

    /// `p` = sum of the windows, part after part.
    fn add_windows(&self, windows: &[f64], p: &mut [f64], threads: Threads) {
        let add = |chunk: usize, p: &mut [f64]| {
            let range = chunk * CHUNK..chunk * CHUNK + p.len();
            p.fill(0.0);
            for part in &self.parts {
                let (first, end) = (part.window.start.max(range.start), part.window.end.min(range.end));
                if first < end {
                    let source = &windows[part.at + first - part.window.start..][..end - first];
                    p[first - range.start..end - range.start].iter_mut().zip(source).for_each(|(p, w)| *p += w);
                }
            }
        };
        match threads == Threads::Pool && self.parts.len() > 1 {
            true => p.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, p)| add(chunk, p)),
            false => p.chunks_mut(CHUNK).enumerate().for_each(|(chunk, p)| add(chunk, p)),
        }
    }
}

#[inline]
fn six(v: &(impl Numbers + ?Sized), run: &Run) -> [f64; 6] {
    let v = v.part(run.first as usize, 6);
    std::array::from_fn(|i| v.get(i))
}

fn dot_12(line: &[f64; 12], a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let mut sums = [0.0; 2];
    for i in 0..6 {
        sums[0] += line[i] * a[i];
        sums[1] += line[6 + i] * b[i];
    }
    sums[0] + sums[1]
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

fn split_all<const V: usize>(vectors: [&mut [f64]; V], at: usize) -> ([&mut [f64]; V], [&mut [f64]; V]) {
    let mut left = [const { None }; V];
    let mut right = [const { None }; V];
    for (i, vector) in vectors.into_iter().enumerate() {
        let (a, b) = vector.split_at_mut(at);
        left[i] = Some(a);
        right[i] = Some(b);
    }
    (left.map(Option::unwrap_or_default), right.map(Option::unwrap_or_default))
}

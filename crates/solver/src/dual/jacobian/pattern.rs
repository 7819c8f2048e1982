//! What a block of J looks like in the order of the dual problem, and where its entries come from.

use super::Run;
use crate::dual::layout::Layout;
use crate::problem::{ConeProblem, RowBlock};

/// The velocity of the soft row r of a block is its source SOFT + r: there the row has a one, other rows a zero.
const SOFT: u32 = 1 << 31;

/// What a block looks like.
pub(super) enum Pattern<'a> {
    /// One or two whole rigid bodies; `is_swapped` where the layout has them in the other order.
    Rigid { runs: [Run; 2], count: usize, is_swapped: bool },
    /// Anything: its entries (new velocity, where in the source), ascending.
    Entries(&'a [(usize, u32)]),
}

impl<'a> Pattern<'a> {
    /// That of block `k` of a layout, with room for its entries.
    #[inline]
    pub(super) fn of(problem: &ConeProblem, layout: &Layout, k: usize, entries: &'a mut Vec<(usize, u32)>) -> Self {
        let origin = layout.block_origin[k];
        if let Some(plain) = Self::plain(problem, layout, origin) {
            return plain;
        }
        Self::of_any(problem, layout, k, entries)
    }

    /// The same of a block of which nothing is known.
    fn of_any(problem: &ConeProblem, layout: &Layout, k: usize, entries: &'a mut Vec<(usize, u32)>) -> Self {
        let origin = layout.block_origin[k];
        let source = problem.rows().block(origin);
        let rows = layout.rows_of(k);
        let soft = |row: usize| layout.soft_column(layout.row_origin[row]);
        if rows.len() > 1
            && rows.clone().all(|row| soft(row).is_none())
            && let Some(rigid) = Self::rigid(&source, layout)
        {
            return rigid;
        }
        let given = source.columns.iter().enumerate();
        let given = given.filter_map(|(at, &column)| Some((layout.column(column)?, at as u32)));
        let own = rows.clone().enumerate().filter_map(|(r, row)| Some((soft(row)?, SOFT + r as u32)));
        entries.clear();
        entries.extend(given.chain(own));
        entries.sort_unstable();
        // A frictionless row does not turn a sphere. Blocks of several rows keep their zeros, and with them whole runs.
        if rows.len() == 1 {
            let first = problem.rows().rows_of(origin).start;
            let line = source.row(layout.row_origin[rows.start] - first);
            entries.retain(|&(_, at)| at >= SOFT || line[at as usize] != 0.0);
        }
        Self::Entries(entries)
    }

    /// A block that the problem knows to be a contact of rigid bodies without compliance, where bodies keep their order.
    #[inline]
    fn plain(problem: &ConeProblem, layout: &Layout, origin: usize) -> Option<Self> {
        let (first, second) = problem.order().filter(|_| layout.keeps_bodies())?.plain(origin)?;
        let run = |body: usize| Run { first: layout.body_start[body] as u32, count: 6, body: body as u32 };
        let (runs, count) = match second {
            Some(second) => ([run(first), run(second)], 2),
            None => ([run(first), Run::default()], 1),
        };
        Some(Self::Rigid { runs, count, is_swapped: false })
    }

    /// A block on one or two whole rigid bodies.
    fn rigid(source: &RowBlock<'_>, layout: &Layout) -> Option<Self> {
        let run = |columns: &[usize]| -> Option<Run> {
            let (&[first, .., last], 6) = (columns, columns.len()) else { return None };
            let (first, last) = (layout.column(first)?, layout.column(last)?);
            let body = layout.body_of[first];
            let at = body as usize;
            let is_whole = layout.body_start[at] == first && layout.body_start[at + 1] == first + 6;
            (is_whole && last == first + 5).then_some(Run { first: first as u32, count: 6, body })
        };
        match source.columns.len() {
            6 => Some(Self::Rigid { runs: [run(source.columns)?, Run::default()], count: 1, is_swapped: false }),
            12 => {
                let (a, b) = (run(&source.columns[..6])?, run(&source.columns[6..])?);
                let is_swapped = b.first < a.first;
                Some(Self::Rigid { runs: if is_swapped { [b, a] } else { [a, b] }, count: 2, is_swapped })
            }
            _ => None,
        }
    }

    /// Number of runs and of sources, and how many entries a row has.
    #[inline]
    pub(super) fn size(&self, layout: &Layout) -> (u32, u32, usize) {
        match self {
            Self::Rigid { count, is_swapped, .. } => (*count as u32, if *is_swapped { 12 } else { 0 }, 6 * count),
            Self::Entries(entries) => {
                (entries.chunk_by(joined(layout)).count() as u32, entries.len() as u32, entries.len())
            }
        }
    }

    /// Its runs and sources, of which there are as many as [`Pattern::size`] says.
    #[inline]
    pub(super) fn write(&self, layout: &Layout, runs: &mut [Run], sources: &mut [u32]) {
        match self {
            Self::Rigid { runs: own, count, .. } => {
                runs.copy_from_slice(&own[..*count]);
                sources.iter_mut().zip((6..12).chain(0..6)).for_each(|(to, at)| *to = at);
            }
            Self::Entries(entries) => {
                for (run, entries) in runs.iter_mut().zip(entries.chunk_by(joined(layout))) {
                    let first = entries[0].0;
                    *run = Run { first: first as u32, count: entries.len() as u32, body: layout.body_of[first] };
                }
                sources.iter_mut().zip(*entries).for_each(|(to, &(_, at))| *to = at);
            }
        }
    }
}

/// Whether two entries, one after the other, are of one run. A run stays within one body: contacts of neighbours are two runs of six
/// like all others.
fn joined(layout: &Layout) -> impl FnMut(&(usize, u32), &(usize, u32)) -> bool + '_ {
    |a, b| a.0 + 1 == b.0 && layout.body_of[a.0] == layout.body_of[b.0]
}

/// Values of a block in the order of its sources; false if an entry of a single row was left out as zero and is not.
pub(super) fn fill_block(problem: &ConeProblem, layout: &Layout, k: usize, sources: &[u32], out: &mut [f64]) -> bool {
    let origin = layout.block_origin[k];
    let (source, first) = (problem.rows().block(origin), problem.rows().rows_of(origin).start);
    let rows = layout.rows_of(k);
    let line_of = |row: usize| source.row(layout.row_origin[row] - first);
    // Whole bodies in the order of the problem.
    if sources.is_empty() && rows.len() > 1 {
        out.copy_from_slice(source.values);
        return true;
    }
    for (r, (row, out)) in rows.clone().zip(out.chunks_exact_mut(sources.len().max(1))).enumerate() {
        let line = line_of(row);
        for (out, &at) in out.iter_mut().zip(sources) {
            *out = if at < SOFT { line[at as usize] } else { f64::from(u8::from(at - SOFT == r as u32)) };
        }
    }
    // Blocks of several rows have all entries.
    let is_whole = rows.len() > 1 || sources.iter().filter(|at| **at < SOFT).count() == source.columns.len();
    let left_out = || line_of(rows.start).iter().enumerate().filter(|(at, _)| !sources.contains(&(*at as u32)));
    is_whole || left_out().all(|(_, value)| *value == 0.0)
}

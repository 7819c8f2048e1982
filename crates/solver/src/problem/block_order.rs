//! Which bodies the blocks of rows act on, and their colours: what follows from the pattern alone.
//!
//! Most blocks are contacts of two rigid bodies, or of one with the ground: all velocities of the bodies in their order. Of these two
//! numbers say everything.

use super::streams::COLOURS;
use super::{PatternName, RIGID, RowBlocks};
use crate::colouring::{Colouring, Greedy};
use crate::cone::{Cone, MAX_ROWS};
use signorini_linalg::{Halves, Threads};
use std::ops::Range;

/// Rows that K does not separate further.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Atom {
    pub(crate) block: u32,
    pub(crate) row: u32,
    pub(crate) rows: u32,
}

impl Atom {
    /// Those of a block: the rows of bilateral and unilateral ones are independent.
    #[inline]
    pub(crate) fn of_block(block: usize, rows: Range<usize>, cone: Cone) -> impl Iterator<Item = Self> {
        let together = match cone {
            Cone::Free | Cone::NonNegative => 1,
            Cone::Friction { .. } | Cone::Rolling { .. } => rows.len().max(1),
        };
        rows.step_by(together).map(move |row| Self { block: block as u32, row: row as u32, rows: together as u32 })
    }
    pub(crate) fn rows(&self) -> Range<usize> {
        self.row as usize..(self.row + self.rows) as usize
    }
}

/// Bodies of the blocks, and the blocks by colour. Equal problems are equal however much is known of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockOrder {
    /// The pattern it was made for.
    of: Option<PatternName>,
    /// The bodies of a plain block, the second being [`NONE`] where there is one; else [`MANY`] and which of `others` it is.
    pairs: Vec<[u32; 2]>,
    /// First body of every block that is not plain, in `bodies_of_others`, and their number at the end.
    others: Vec<u32>,
    bodies_of_others: Vec<u32>,
    /// Blocks, those of bilateral and unilateral rows taken apart, in the order of the rows.
    pub(crate) atoms: Vec<Atom>,
    /// The atoms by colour: no two of a colour touch the same body.
    pub(crate) colouring: Colouring,
    /// The colour of every plain block, [`COLOURS`] or more where it has none.
    pub(super) colours: Vec<u32>,
    greedy: Greedy,
    /// Whether all blocks are plain and have three rows.
    pub(super) are_contacts: bool,
    /// How long it took to find out, and to give the values their places.
    pub(crate) seconds: f64,
}

/// No second body.
const NONE: u32 = u32::MAX;
/// A block that is not plain.
const MANY: u32 = u32::MAX - 1;
/// Blocks one task looks at.
const BLOCKS: usize = 4096;

impl PartialEq for BlockOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl BlockOrder {
    /// Itself, where it is that of a pattern.
    pub(super) fn if_of(&self, pattern: PatternName) -> Option<&Self> {
        self.of.is_some_and(|name| name.is(pattern)).then_some(self)
    }

    /// Becomes that of a pattern whose H couples no bodies, in the memory it has; `soft(k)` where a row of a block has compliance.
    pub(crate) fn update(
        &mut self,
        pattern: PatternName,
        (rows, cones): (&RowBlocks, &[Cone]),
        soft: &(impl Fn(usize) -> bool + Sync),
        body_start: &[usize],
        threads: Threads,
    ) {
        let Self { of, pairs, atoms, others, bodies_of_others, greedy, colouring, colours, .. } = self;
        pairs.resize(rows.len(), [NONE; 2]);
        Halves::new(BLOCKS, threads).each(pairs, &|k, pair| {
            let is_cone = matches!(cones[k], Cone::Friction { .. } | Cone::Rolling { .. });
            let is_divisible = !is_cone || !(2..=MAX_ROWS).contains(&rows.rows_of(k).len());
            let found = if is_divisible || soft(k) { None } else { rigid_bodies(rows.columns_of(k), body_start) };
            *pair = found.unwrap_or([MANY, NONE]);
        });
        atoms.clear();
        atoms.reserve(rows.len());
        others.clear();
        bodies_of_others.clear();
        for (k, pair) in pairs.iter_mut().enumerate() {
            if pair[0] == MANY {
                pair[1] = others.len() as u32;
                others.push(bodies_of_others.len() as u32);
                list_bodies(rows.columns_of(k), body_start, bodies_of_others);
            }
            atoms.extend(Atom::of_block(k, rows.rows_of(k), cones[k]));
        }
        others.push(bodies_of_others.len() as u32);
        let (pairs, others, bodies_of_others) = (&*pairs, &*others, &*bodies_of_others);
        let bodies_of = |at: usize| {
            let pair = &pairs[atoms[at].block as usize];
            list_of(pair, others, bodies_of_others).iter().map(|body| *body as usize)
        };
        greedy.colour(atoms.len(), body_start.len() - 1, bodies_of, colouring);
        colours.clear();
        colours.resize(pairs.len(), COLOURS as u32);
        for (atom, colour) in atoms.iter().zip(greedy.colours()) {
            if pairs[atom.block as usize][0] != MANY {
                colours[atom.block as usize] = *colour;
            }
        }
        self.are_contacts = others.len() == 1 && atoms.iter().all(|atom| atom.rows == 3);
        *of = Some(pattern);
    }

    /// The one or two rigid bodies of a block that is nothing but a contact of these.
    #[inline]
    pub(crate) fn plain(&self, k: usize) -> Option<(usize, Option<usize>)> {
        let [first, second] = self.pairs[k];
        (first != MANY).then(|| (first as usize, (second != NONE).then_some(second as usize)))
    }
}

/// The bodies of a block.
#[inline]
fn list_of<'a>(pair: &'a [u32; 2], others: &[u32], bodies: &'a [u32]) -> &'a [u32] {
    match *pair {
        [MANY, at] => &bodies[others[at as usize] as usize..others[at as usize + 1] as usize],
        [_, NONE] => &pair[..1],
        _ => pair,
    }
}

/// The one or two bodies of a block that has all of their six velocities, and no others.
fn rigid_bodies(columns: &[usize], body_start: &[usize]) -> Option<[u32; 2]> {
    let body = |columns: &[usize]| {
        let (&[first, .., last], RIGID) = (columns, columns.len()) else { return None };
        let body = body_at(body_start, first);
        let is_whole = body_start[body] == first && body_start[body + 1] == first + RIGID && last + 1 == first + RIGID;
        is_whole.then_some(body as u32)
    };
    match columns.len() {
        RIGID => Some([body(columns)?, NONE]),
        12 => Some([body(&columns[..RIGID])?, body(&columns[RIGID..])?]),
        _ => None,
    }
}

/// The body of a velocity. Most problems have nothing but rigid bodies.
fn body_at(body_start: &[usize], column: usize) -> usize {
    let guess = column / RIGID;
    match body_start.get(guess..guess + 2) {
        Some(&[first, end]) if (first..end).contains(&column) => guess,
        _ => body_start.partition_point(|start| *start <= column) - 1,
    }
}

/// Appends every body that a block touches.
fn list_bodies(columns: &[usize], body_start: &[usize], out: &mut Vec<u32>) {
    let mut last = None;
    for &column in columns {
        let body = body_at(body_start, column) as u32;
        if last != Some(body) {
            out.push(body);
        }
        last = Some(body);
    }
}

//! Which colliders may touch: all pairs of balls that overlap, and few others.
//!
//! Balls of like size go into a grid, the few that are much larger (or reach much farther) into a tree; see [`BroadPhase`].
//! What comes out depends on the balls alone; the order of pairs has no meaning.

mod grid;
mod key_sort;
mod split;
mod tree;

pub use split::BroadPhase;

use glam::DVec3;
use grid::Grid;
use rayon::prelude::*;
pub(crate) use tree::Tree;

/// A ball that holds a collider with everything it reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
}

impl Ball {
    #[inline]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (self.centre - other.centre).length_squared() < reach * reach
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.centre.is_finite() && self.radius.is_finite()
    }
}

/// A collider of the broad phase: its index, and a bit that tells whether pairs with it need to be asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member(u32);

impl Member {
    const ASKS: u32 = 1 << 31;

    /// Indices are below 2³¹: as many colliders fit no memory.
    pub(crate) fn new(index: u32, asks: bool) -> Self {
        debug_assert!(index < Self::ASKS);
        Self(if asks { index | Self::ASKS } else { index })
    }
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & !Self::ASKS
    }
    #[inline]
    fn of(self, balls: &[Ball]) -> &Ball {
        &balls[self.index() as usize]
    }
    #[inline]
    fn either_asks(self, other: Self) -> bool {
        (self.0 | other.0) & Self::ASKS != 0
    }
}

/// Pairs of colliders, the smaller index first.
pub(crate) type Pairs = Vec<[u32; 2]>;

/// The most parts the work is cut into; where it is cut does not depend on the number of threads.
const PARTS: usize = 64;
/// The fewest balls worth a part of their own.
const LEAST_PART: usize = 1024;

/// The broad phase with its buffers.
#[derive(Default)]
pub(crate) struct Broad {
    grid: Grid,
    tree: Tree,
    in_grid: Vec<Member>,
    in_tree: Vec<Member>,
    parts: Vec<Pairs>,
}

impl Broad {
    /// Pairs of `members` (sorted) whose balls overlap and that `keep` accepts, if either of them asks, in parts.
    pub(crate) fn pairs(
        &mut self,
        balls: &[Ball],
        members: &[Member],
        choice: BroadPhase,
        parallel: bool,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> &mut Vec<Pairs> {
        split::split(balls, members, choice, &mut self.in_grid, &mut self.in_tree);
        if !self.grid.fill(balls, &self.in_grid) {
            // Spread out beyond the range of cell numbers: a tree has no such limit.
            self.in_grid.clear();
            self.in_tree.clear();
            self.in_tree.extend_from_slice(members);
        }
        self.tree.fill(balls, &self.in_tree);
        let grid_parts = part_count(self.in_grid.len());
        let tree_parts = if self.in_tree.is_empty() { 0 } else { part_count(members.len()) };
        let count = grid_parts + tree_parts;
        self.parts.iter_mut().for_each(Vec::clear);
        self.parts.resize_with(self.parts.len().max(count), Vec::new);
        let (grid, tree) = (&self.grid, &self.tree);
        let accept = |pairs: &mut Pairs, a: Member, b: Member| {
            let (i, j) = (a.index(), b.index());
            if !a.either_asks(b) || keep(i, j) {
                pairs.push([i.min(j), i.max(j)]);
            }
        };
        let work = |(part, pairs): (usize, &mut Pairs)| {
            if part < grid_parts {
                return grid.pairs(part, grid_parts, |a, b| accept(pairs, a, b));
            }
            let part = part - grid_parts;
            for &a in &members[cut(members.len(), part, tree_parts)..cut(members.len(), part + 1, tree_parts)] {
                tree.overlapping(a.of(balls), |b| {
                    // Two of the tree find each other twice.
                    if b.index() > a.index() || !tree.holds(a) {
                        accept(pairs, a, b);
                    }
                });
            }
        };
        if parallel {
            self.parts[..count].par_iter_mut().enumerate().with_max_len(1).for_each(work);
        } else {
            self.parts[..count].iter_mut().enumerate().for_each(work);
        }
        &mut self.parts
    }

    /// How many balls the grid and the tree hold.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.in_grid.len(), self.in_tree.len()]
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = (self.in_grid.capacity() + self.in_tree.capacity()) * size_of::<Member>();
        let pairs: usize = self.parts.iter().map(|part| part.capacity() * size_of::<[u32; 2]>()).sum();
        lists + pairs + self.grid.bytes() + self.tree.bytes()
    }
}

/// How many parts so many balls are cut into.
pub(crate) fn part_count(balls: usize) -> usize {
    (balls / LEAST_PART).clamp(1, PARTS)
}

/// Where part `part` of `parts` begins.
pub(crate) fn cut(length: usize, part: usize, parts: usize) -> usize {
    length * part / parts
}

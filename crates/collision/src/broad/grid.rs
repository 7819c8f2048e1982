//! A grid of cubic cells as wide as the largest ball: balls that overlap are in the same or in neighbouring cells.
//!
//! Only cells with balls exist: balls are sorted by the number of their cell, x counting fastest, then y, then z. Three
//! neighbours along x are then one stretch of the sorted balls, and the stretch of a neighbouring row moves on with the
//! cell. So memory goes with the balls, however far apart they are, and no pair of cells is looked at twice.

use super::key_sort::KeySort;
use super::{Ball, cut};
use glam::DVec3;

/// Bits of a cell number, all three axes together.
const KEY_BITS: f64 = 63.0;
/// Bits of a cell number along one axis: the place within the cell is then known to 2⁻¹¹ of its width, and …
const AXIS_BITS: f64 = 40.0;
/// … cells this much wider than the largest ball leave room for that rounding.
const CELL_SLACK: f64 = 1.0 / 1024.0;

/// Cells with their balls.
#[derive(Default)]
pub(super) struct Grid {
    sort: KeySort,
    /// The balls in the order of their cells.
    balls: Vec<Ball>,
    /// Bits of the cell number along x and along y.
    bits: [u32; 2],
}

impl Grid {
    /// Sorts the balls of `members` into cells. `false`, and an empty grid, if cells cannot be numbered: too far apart.
    #[must_use]
    pub(super) fn fill(&mut self, balls: &[Ball], members: &[u32]) -> bool {
        self.sort.keyed.clear();
        self.balls.clear();
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        let mut radius = f64::MIN_POSITIVE;
        for &member in members {
            let ball = &balls[member as usize];
            (low, high, radius) = (low.min(ball.centre), high.max(ball.centre), radius.max(ball.radius));
        }
        if members.is_empty() {
            return true;
        }
        let per_metre = 0.5 / (radius * (1.0 + CELL_SLACK));
        let cells = ((high - low) * per_metre).to_array();
        // Cells are numbered from 1, and one number above the last is left free: steps along x never reach another row.
        let bits = cells.map(|count| (count + 3.0).log2().ceil());
        // Numbers that are no numbers do not fit either.
        let fits = bits.iter().sum::<f64>() <= KEY_BITS && bits.iter().all(|bits| *bits <= AXIS_BITS);
        if !fits {
            return false;
        }
        let bits = bits.map(|bits| bits as u32);
        self.bits = [bits[0], bits[1]];
        self.sort.keyed.extend(members.iter().map(|&member| {
            let [x, y, z] = ((balls[member as usize].centre - low) * per_metre).to_array().map(|cell| cell as u64 + 1);
            (x | y << bits[0] | z << (bits[0] + bits[1]), member)
        }));
        self.sort.sort(bits.iter().sum());
        self.balls.extend(self.sort.keyed.iter().map(|(_, member)| balls[*member as usize]));
        true
    }

    /// Overlapping pairs of the cells that begin in one of `parts` equal parts.
    pub(super) fn pairs(&self, part: usize, parts: usize, mut visit: impl FnMut(u32, u32)) {
        let keyed = &self.sort.keyed[..];
        let [mut cell, stop] = [part, part + 1].map(|part| self.cell_start(cut(keyed.len(), part, parts)));
        let (row, layer) = (1u64 << self.bits[0], 1u64 << (self.bits[0] + self.bits[1]));
        // The neighbours that come later: one in the row, and three in each of four other rows.
        let rows = [row, layer - row, layer, layer + row];
        let mut starts = [cell; 4];
        while cell < stop {
            let key = keyed[cell].0;
            let end = advance(keyed, cell, key + 1);
            let mut stretches = [0..0, 0..0, 0..0, 0..0, end..advance(keyed, end, key + 2)];
            for (side, (start, offset)) in starts.iter_mut().zip(rows).enumerate() {
                *start = advance(keyed, *start, key + offset - 1);
                stretches[side] = *start..advance(keyed, *start, key + offset + 2);
            }
            for first in cell..end {
                let (ball, a) = (&self.balls[first], keyed[first].1);
                let mut test = |second: usize| {
                    if ball.overlaps(&self.balls[second]) {
                        visit(a, keyed[second].1);
                    }
                };
                (first + 1..end).for_each(&mut test);
                stretches.iter().for_each(|stretch| stretch.clone().for_each(&mut test));
            }
            cell = end;
        }
    }

    /// The first place from `place` on where a cell begins.
    fn cell_start(&self, mut place: usize) -> usize {
        let keyed = &self.sort.keyed;
        while 0 < place && place < keyed.len() && keyed[place].0 == keyed[place - 1].0 {
            place += 1;
        }
        place
    }

    pub(super) fn bytes(&self) -> usize {
        self.sort.bytes() + self.balls.capacity() * size_of::<Ball>()
    }
}

/// The first place from `place` on with a key not below `key`: near places one by one, far ones by doubling strides.
#[inline]
fn advance(keyed: &[(u64, u32)], mut place: usize, key: u64) -> usize {
    const NEAR: usize = 8;
    for _ in 0..NEAR {
        if place >= keyed.len() || keyed[place].0 >= key {
            return place;
        }
        place += 1;
    }
    let mut stride = NEAR;
    while place + stride < keyed.len() && keyed[place + stride].0 < key {
        place += stride;
        stride *= 2;
    }
    let stop = (place + stride).min(keyed.len());
    place + keyed[place..stop].partition_point(|entry| entry.0 < key)
}

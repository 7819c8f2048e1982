//! A grid of rows along x as wide as the largest ball: balls that overlap are in the same or in neighbouring rows.
//!
//! Only cells with balls exist: balls are sorted by the number of their cell, x counting fastest, then y, then z. Along x
//! cells are [`STEPS`] times shorter, so that the balls of a row near enough along x are one stretch of the sorted balls
//! with little at its ends that is not; both ends move on from ball to ball. Memory goes with the balls, however far apart
//! they are, and no two balls are looked at twice.

use super::key_sort::KeySort;
use super::{Ball, Member, cut};
use glam::DVec3;
use std::ops::Range;

/// Bits of a cell number, all three axes together.
const KEY_BITS: f64 = 63.0;
/// Bits of a cell number along one axis: the place within the cell is then known to 2⁻¹¹ of its width, and …
const AXIS_BITS: f64 = 40.0;
/// … cells this much wider than the largest ball leave room for that rounding.
const CELL_SLACK: f64 = 1.0 / 1024.0;

/// Cells along x in the width of a row.
const STEPS: u64 = 8;
/// Numbers left free before the first and behind the last cell.
const FREE: [u64; 3] = [STEPS, 1, 1];

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
    pub(super) fn fill(&mut self, balls: &[Ball], members: &[Member]) -> bool {
        self.sort.keyed.clear();
        self.balls.clear();
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        let mut radius = f64::MIN_POSITIVE;
        for &member in members {
            let ball = member.of(balls);
            (low, high, radius) = (low.min(ball.centre), high.max(ball.centre), radius.max(ball.radius));
        }
        if members.is_empty() {
            return true;
        }
        let per_metre = DVec3::new(STEPS as f64, 1.0, 1.0) * (0.5 / (radius * (1.0 + CELL_SLACK)));
        // Rows are numbered from 1, and one number above the last is left free, as are so many cells before and behind a
        // row as a ball can reach: the neighbours of a cell are never those of another row.
        let cells = ((high - low) * per_metre + DVec3::from_array(FREE.map(|free| 2.0 * free as f64 + 1.0))).to_array();
        let bits = cells.map(|count| count.log2().ceil());
        // Numbers that are no numbers do not fit either.
        let fits = bits.iter().sum::<f64>() <= KEY_BITS && bits.iter().all(|bits| *bits <= AXIS_BITS);
        if !fits {
            return false;
        }
        let bits = bits.map(|bits| bits as u32);
        self.bits = [bits[0], bits[1]];
        self.sort.keyed.extend(members.iter().map(|&member| {
            let [x, y, z] = ((member.of(balls).centre - low) * per_metre).to_array().map(|cell| cell as u64);
            let [x, y, z] = [x + FREE[0], y + FREE[1], z + FREE[2]];
            (x | y << bits[0] | z << (bits[0] + bits[1]), member)
        }));
        self.sort.sort(bits.iter().sum());
        self.balls.extend(self.sort.keyed.iter().map(|(_, member)| *member.of(balls)));
        true
    }

    /// Overlapping pairs whose first ball is in one of `parts` equal parts.
    pub(super) fn pairs(&self, part: usize, parts: usize, mut visit: impl FnMut(Member, Member)) {
        let keyed = &self.sort.keyed[..];
        let [start, stop] = [part, part + 1].map(|part| cut(keyed.len(), part, parts));
        let (row, layer) = (1u64 << self.bits[0], 1u64 << (self.bits[0] + self.bits[1]));
        // The neighbours that come later: what follows in the row itself, and four other rows.
        let rows = [row, layer - row, layer, layer + row];
        let mut own_end = start;
        let mut stretches = [(start, start); 4];
        for first in start..stop {
            let ((key, a), ball) = (keyed[first], &self.balls[first]);
            let mut visit = |second: usize| visit(a, keyed[second].1);
            own_end = advance(keyed, own_end, key + STEPS + 1);
            overlapping(&self.balls, ball, first + 1..own_end, &mut visit);
            for ((from, to), offset) in stretches.iter_mut().zip(rows) {
                *from = advance(keyed, *from, key + offset - STEPS);
                *to = advance(keyed, (*to).max(*from), key + offset + STEPS + 1);
                overlapping(&self.balls, ball, *from..*to, &mut visit);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.sort.bytes() + self.balls.capacity() * size_of::<Ball>()
    }
}

/// Visits the balls of a stretch that overlap one. Hits are noted first: which tests hit cannot be foretold, and a branch
/// that is guessed wrong costs more than the test.
#[inline]
fn overlapping(balls: &[Ball], ball: &Ball, stretch: Range<usize>, visit: &mut impl FnMut(usize)) {
    const BLOCK: usize = 16;
    let mut hits = [0; BLOCK];
    let mut start = stretch.start;
    while start < stretch.end {
        let stop = stretch.end.min(start + BLOCK);
        let mut count = 0;
        for (place, other) in (start..).zip(&balls[start..stop]) {
            hits[count % BLOCK] = place;
            count += usize::from(ball.overlaps(other));
        }
        hits[..count].iter().for_each(|&place| visit(place));
        start = stop;
    }
}

/// The first place from `place` on with a key not below `key`: near places one by one, far ones by doubling strides.
#[inline]
fn advance(keyed: &[(u64, Member)], mut place: usize, key: u64) -> usize {
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

//! Finding the pairs to be tested.

use super::candidates::Candidates;
use super::filter::PairFilter;
use super::placement::{Placement, SPHERE};
use super::reserve::Reserve;
use crate::broad::{Broad, BroadPhase, Member, Pairs, cut, part_count};
use rayon::prelude::*;

/// The search with its buffers.
#[derive(Default)]
pub(super) struct Search {
    broad: Broad,
    /// Bounded and unbounded colliders whose place is a number.
    bounded: Vec<Member>,
    unbounded: Vec<u32>,
    /// Pairs with an unbounded collider.
    beside: Vec<Pairs>,
}

impl Search {
    /// Replaces `candidates` by all pairs that may touch while `reserve` holds.
    pub(super) fn run(
        &mut self,
        placement: &Placement,
        reserve: &Reserve,
        filter: &PairFilter,
        (choice, parallel): (BroadPhase, bool),
        candidates: &mut Candidates,
    ) {
        self.sort_out(placement, reserve, filter);
        let near = |a: u32, b: u32| filter.admits(a, b) && near(placement, reserve, filter, a, b);
        let found = self.broad.pairs(&reserve.balls, &self.bounded, choice, parallel, near);

        let (bounded, unbounded) = (&self.bounded, &self.unbounded);
        let parts = if unbounded.is_empty() { 0 } else { part_count(bounded.len()) };
        self.beside.iter_mut().for_each(Vec::clear);
        self.beside.resize_with(self.beside.len().max(parts), Vec::new);
        let work = |(part, pairs): (usize, &mut Pairs)| {
            for member in &bounded[cut(bounded.len(), part, parts)..cut(bounded.len(), part + 1, parts)] {
                let a = member.index();
                pairs.extend(unbounded.iter().filter(|&&b| near(a, b)).map(|&b| [a.min(b), a.max(b)]));
            }
        };
        if parallel {
            self.beside[..parts].par_iter_mut().enumerate().with_max_len(1).for_each(work);
        } else {
            self.beside[..parts].iter_mut().enumerate().for_each(work);
        }
        let parts: Vec<&Pairs> = found.iter().chain(&self.beside).collect();
        candidates.fill(placement.places.len(), &parts, parallel);
    }

    /// Colliders whose place is no number touch nothing.
    fn sort_out(&mut self, placement: &Placement, reserve: &Reserve, filter: &PairFilter) {
        self.bounded.clear();
        self.unbounded.clear();
        for (index, ball) in (0..).zip(&reserve.balls) {
            let solid = placement.solid(index);
            if !ball.is_finite() || solid.is_some_and(|solid| !solid.pose.is_finite()) {
                continue;
            }
            if solid.is_some_and(|solid| solid.unbounded) {
                self.unbounded.push(index);
            } else {
                // Two spheres that meet everybody need no further question.
                self.bounded.push(Member::new(index, solid.is_some() || !filter.meets_all(index)));
            }
        }
    }

    /// How many colliders are in the grid, in the tree, and tested against all others.
    pub(super) fn counts(&self) -> [usize; 3] {
        let [grid, tree] = self.broad.counts();
        [grid, tree, self.unbounded.len()]
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.bounded.capacity() * size_of::<Member>() + self.unbounded.capacity() * size_of::<u32>();
        let pairs: usize = self.beside.iter().map(|part| part.capacity() * size_of::<[u32; 2]>()).sum();
        lists + pairs + self.broad.bytes()
    }
}

/// Whether two colliders, one of them bounded, may touch while the reserve holds. Their balls overlap, if they have any.
fn near(placement: &Placement, reserve: &Reserve, filter: &PairFilter, a: u32, b: u32) -> bool {
    let [solid_a, solid_b] = [a, b].map(|index| placement.places[index as usize].solid);
    if solid_a == SPHERE && solid_b == SPHERE {
        return true;
    }
    // An unbounded collider that moves is not watched: anything may come near it.
    let watched = |index: u32| filter.is_fixed(index) || placement.solid(index).is_none_or(|solid| !solid.unbounded);
    if watched(a) && watched(b) && !reserve.boxes_overlap(placement, a, b) {
        return false;
    }
    !apart(placement, reserve, filter, a, b) && !apart(placement, reserve, filter, b, a)
}

/// Whether a bounded collider's ball is farther from a fixed solid than they reach, by its closed form. A solid that moves
/// would have to be watched as a whole, so it is not asked.
fn apart(placement: &Placement, reserve: &Reserve, filter: &PairFilter, ball: u32, solid: u32) -> bool {
    if placement.solid(ball).is_some_and(|solid| solid.unbounded) || !filter.is_fixed(solid) {
        return false;
    }
    let Some(place) = placement.solid(solid) else { return false };
    let Some((closed, growth)) = place.closed else { return false };
    let ball = &reserve.balls[ball as usize];
    closed.least_distance(&place.pose, ball.centre, ball.radius) > growth + reserve.growth(placement, solid)
}

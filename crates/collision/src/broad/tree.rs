//! A tree of boxes over few large balls.
//!
//! Built from above: a box is cut at the middle ball along its longest side. The tree is complete, stored level by level:
//! the node n has the children 2n + 1 and 2n + 2, and the balls of a leaf are a stretch whose ends follow from its place.

use super::{Ball, Member};
use glam::DVec3;

/// Most balls of a leaf.
const LEAF: usize = 4;
/// Deepest tree of 2³² balls, one open box a level and one more.
const STACK: usize = 34;

#[derive(Clone, Copy)]
struct Bounds {
    low: DVec3,
    high: DVec3,
}

/// Boxes over balls.
#[derive(Default)]
pub(crate) struct Tree {
    /// The balls with their members, in the order of the leaves.
    balls: Vec<(Ball, Member)>,
    boxes: Vec<Bounds>,
    depth: u32,
    /// Which members are in the tree, sorted.
    members: Vec<Member>,
}

impl Tree {
    pub(crate) fn fill(&mut self, balls: &[Ball], members: &[Member]) {
        self.balls.clear();
        self.balls.extend(members.iter().map(|&member| (*member.of(balls), member)));
        self.members.clear();
        self.members.extend_from_slice(members);
        debug_assert!(self.members.is_sorted_by_key(|member| member.index()));
        self.depth = 0;
        while members.len() > LEAF << self.depth {
            self.depth += 1;
        }
        self.boxes.clear();
        if !members.is_empty() {
            self.boxes.resize((2 << self.depth) - 1, Bounds { low: DVec3::ZERO, high: DVec3::ZERO });
            build(&mut self.balls, &mut self.boxes, 0, self.depth);
        }
    }

    /// Whether a member is in the tree.
    pub(crate) fn holds(&self, member: Member) -> bool {
        self.members.binary_search_by_key(&member.index(), |other| other.index()).is_ok()
    }

    /// Every ball of the tree that overlaps one.
    pub(crate) fn overlapping(&self, ball: &Ball, mut visit: impl FnMut(Member)) {
        if self.boxes.is_empty() {
            return;
        }
        let square = ball.radius * ball.radius;
        // A node, the first of its balls, and how many it has.
        let mut stack = [(0usize, 0usize, 0usize); STACK];
        stack[0] = (0, 0, self.balls.len());
        let mut open = 1;
        let first_leaf = (1usize << self.depth) - 1;
        while open > 0 {
            open -= 1;
            let (node, start, count) = stack[open];
            let bounds = &self.boxes[node];
            let outside = ball.centre - ball.centre.clamp(bounds.low, bounds.high);
            if outside.length_squared() > square {
                continue;
            }
            if node >= first_leaf {
                for (other, member) in &self.balls[start..start + count] {
                    if ball.overlaps(other) {
                        visit(*member);
                    }
                }
                continue;
            }
            let left = count / 2;
            stack[open] = (2 * node + 2, start + left, count - left);
            stack[open + 1] = (2 * node + 1, start, left);
            open += 2;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.balls.capacity() * size_of::<(Ball, Member)>()
            + self.boxes.capacity() * size_of::<Bounds>()
            + self.members.capacity() * size_of::<Member>()
    }
}

fn build(balls: &mut [(Ball, Member)], boxes: &mut [Bounds], node: usize, levels: u32) {
    let mut bounds = Bounds { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (ball, _) in &*balls {
        bounds.low = bounds.low.min(ball.centre - ball.radius);
        bounds.high = bounds.high.max(ball.centre + ball.radius);
        (low, high) = (low.min(ball.centre), high.max(ball.centre));
    }
    boxes[node] = bounds;
    if levels == 0 {
        return;
    }
    let axis = (high - low).max_position();
    let middle = balls.len() / 2;
    if middle < balls.len() {
        balls.select_nth_unstable_by(middle, |(a, i), (b, j)| {
            a.centre[axis].total_cmp(&b.centre[axis]).then(i.index().cmp(&j.index()))
        });
    }
    let (left, right) = balls.split_at_mut(middle);
    build(left, boxes, 2 * node + 1, levels - 1);
    build(right, boxes, 2 * node + 2, levels - 1);
}

//! Balls and boxes larger than needed, so that the pairs found with them stay good for several steps.
//!
//! A pair that touches now overlaps now; as long as every collider is within the ball (and box) it was given when the pairs
//! were found, that pair is among them. Pairs are tested exactly every step, so nothing depends on when they were found.

use super::placement::{FARTHEST, Place, Placement};
use crate::Pose;
use crate::broad::Ball;
use glam::DVec3;

/// Room left around a collider, as a share of its radius or that of the typical collider, whichever is smaller.
const ROOM: f64 = 0.1;
/// Steps at the present speed a collider that outruns that room gets room for …
const STEPS: f64 = 8.0;
/// … if it is among few: one of so many.
const FAST_SHARE: usize = 50;
/// Relative room for rounding.
const ROUNDING: f64 = 1e-12;
/// After pairs that did not last a single step, so many times none are kept.
const DISCOURAGED: u32 = 8;

/// The pose of a solid when pairs were found, and how much larger than it what it was given is.
#[derive(Clone, Copy)]
struct Reserved {
    pose: Pose,
    growth: f64,
    corners: [DVec3; 2],
}

/// What every collider was given when pairs were found.
#[derive(Default)]
pub(super) struct Reserve {
    pub(super) balls: Vec<Ball>,
    solids: Vec<Reserved>,
    typical_radius: f64,
    /// Steps the present pairs were tried in.
    pub(super) uses: u32,
    without_room: u32,
}

impl Reserve {
    pub(super) fn new(placement: &Placement) -> Self {
        let mut radii: Vec<f64> =
            placement.places.iter().map(|place| place.radius).filter(|radius| radius.is_finite()).collect();
        radii.sort_unstable_by(f64::total_cmp);
        Self { typical_radius: radii.get(radii.len() / 2).copied().unwrap_or(0.0), ..Self::default() }
    }

    /// Whether the ball of a collider is still within the one it was given.
    #[inline]
    pub(super) fn holds(&self, index: usize, now: &Ball) -> bool {
        let Some(ball) = self.balls.get(index) else { return false };
        let room = ball.radius - now.radius;
        room >= 0.0 && (now.centre - ball.centre).length_squared() <= room * room
    }

    /// Whether all solids are within their boxes, and fixed ones where they were.
    pub(super) fn holds_solids(&self, placement: &Placement, half_envelope: f64, fixed: impl Fn(u32) -> bool) -> bool {
        placement.solids.iter().zip(&self.solids).all(|(solid, reserved)| {
            let growth = placement.places[solid.collider as usize].reach + half_envelope;
            if fixed(solid.collider) {
                return solid.pose == reserved.pose && growth <= reserved.growth;
            }
            if solid.unbounded {
                return solid.pose.is_finite() == reserved.pose.is_finite();
            }
            let [low, high] = [solid.corners[0] - growth, solid.corners[1] + growth];
            low.cmpge(reserved.corners[0]).all() && high.cmple(reserved.corners[1]).all()
        })
    }

    /// Gives every collider a ball and a box around where it is.
    pub(super) fn renew(&mut self, placement: &Placement, half_envelope: f64) {
        if self.without_room > 0 {
            self.without_room -= 1;
        } else if self.uses <= 1 && !self.balls.is_empty() {
            self.without_room = DISCOURAGED;
        }
        self.uses = 0;
        let share = if self.without_room > 0 { 0.0 } else { ROOM };
        let room = |place: &Place| share * place.radius.min(self.typical_radius);
        let is_fast = |place: &Place| STEPS * place.reach > 2.0 * ROOM * place.radius.min(self.typical_radius);
        let fast = placement.places.iter().filter(|place| is_fast(place)).count();
        let few = share > 0.0 && fast * FAST_SHARE <= placement.places.len();
        let room = |place: &Place| if few && is_fast(place) { STEPS * place.reach } else { room(place) };
        let rounding = |ball: &Ball| ROUNDING * (ball.centre.abs().max_element() + ball.radius.abs());
        self.balls.clear();
        self.balls.extend(placement.places.iter().zip(&placement.balls).map(|(place, ball)| {
            let radius = ball.radius + room(place) + rounding(ball);
            // Not `min`, which would make a number of what is none.
            Ball { radius: if radius > FARTHEST { FARTHEST } else { radius }, ..*ball }
        }));
        self.solids.clear();
        self.solids.extend(placement.solids.iter().map(|solid| {
            let (place, ball) = (&placement.places[solid.collider as usize], &placement.balls[solid.collider as usize]);
            // Unbounded solids have no use for room of their own: either they move, or they do not.
            let room = if solid.unbounded { 0.0 } else { room(place) + rounding(ball) };
            let growth = place.reach + half_envelope + room;
            Reserved { pose: solid.pose, growth, corners: [solid.corners[0] - growth, solid.corners[1] + growth] }
        }));
    }

    /// How much larger than a solid what it was given is.
    pub(super) fn growth(&self, placement: &Placement, collider: u32) -> f64 {
        self.solids.get(placement.places[collider as usize].solid as usize).map_or(0.0, |solid| solid.growth)
    }

    /// Whether the boxes of two colliders overlap; that of a sphere is the box of its ball.
    pub(super) fn boxes_overlap(&self, placement: &Placement, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|index| {
            let ball = &self.balls[index as usize];
            match self.solids.get(placement.places[index as usize].solid as usize) {
                Some(solid) => solid.corners,
                None => [ball.centre - ball.radius, ball.centre + ball.radius],
            }
        });
        a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
    }

    pub(super) fn bytes(&self) -> usize {
        self.balls.capacity() * size_of::<Ball>() + self.solids.capacity() * size_of::<Reserved>()
    }
}

//! Finding all contacts of a model.
//!
//! Poses → places ([`placement`]) → pairs that may touch ([`search`]), kept while every collider stays within the room it
//! was given ([`reserve`]) → contacts of these pairs ([`touching`]).

mod candidates;
mod filter;
mod pair;
pub(crate) mod placement;
mod reserve;
mod search;
mod touching;

pub use pair::Nearest;

use crate::narrow::general::Workspace;
use crate::{BroadPhase, Collider, Contact, Pose, ShapeError};
use candidates::Candidates;
use filter::PairFilter;
use placement::Placement;
use reserve::Reserve;
use search::Search;
use touching::Touching;

/// Whether a body can move; two bodies that cannot are never tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// Moved by forces.
    Moving,
    /// Never moves.
    Fixed,
}

/// What a [`Detector`] did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of [`Detector::detect`].
    pub detections: u64,
    /// How many of them searched for pairs; the others used those of a step before.
    pub searches: u64,
    /// Pairs tested in the last call.
    pub candidates: usize,
    /// Colliders in the grid at the last search.
    pub in_grid: usize,
    /// Colliders in the tree at the last search.
    pub in_tree: usize,
    /// Colliders without bounds (half-spaces, containers), tested against all others.
    pub unbounded: usize,
}

/// Finds the contacts of a set of colliders.
///
/// ```
/// use signorini_collision::{Collider, Detector, Mobility, Pose, Shape};
/// use glam::DVec3;
/// let floor = Collider::new(0, Shape::HalfSpace { normal: DVec3::Z });
/// let ball = Collider::new(1, Shape::Sphere { radius: 0.5 });
/// let mut detector = Detector::new(vec![floor, ball], vec![Mobility::Fixed, Mobility::Moving], &[]).unwrap();
/// let mut contacts = Vec::new();
/// detector.detect(&[Pose::IDENTITY, Pose::at(DVec3::new(3.0, 0.0, 0.75))], &[0.0; 2], 0.5, &mut contacts);
/// assert_eq!((contacts.len(), contacts[0].gap, contacts[0].normal), (1, 0.25, DVec3::Z));
/// assert_eq!(contacts[0].points, [DVec3::new(3.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.25)]);
/// ```
pub struct Detector {
    colliders: Vec<Collider>,
    bounding_radii: Vec<f64>,
    filter: PairFilter,
    placement: Placement,
    reserve: Reserve,
    search: Search,
    candidates: Candidates,
    touching: Touching,
    /// Room for single pairs.
    probe: Workspace,
    broad_phase: BroadPhase,
    parallel: bool,
    statistics: Statistics,
}

impl Detector {
    /// Prepares colliders for detection. `mobility` has one entry a body; pairs of bodies in `excluded` never touch.
    ///
    /// # Errors
    /// A shape, a pose, a margin or a body index that cannot be used, with the index of its collider.
    pub fn new(
        colliders: Vec<Collider>,
        mobility: Vec<Mobility>,
        excluded: &[(u32, u32)],
    ) -> Result<Self, (usize, ShapeError)> {
        for (index, collider) in colliders.iter().enumerate() {
            check(collider, mobility.len()).map_err(|error| (index, error))?;
        }
        let mut placement = Placement::new(&colliders)?;
        let bounding_radii = bounding_radii(&mut placement, mobility.len());
        Ok(Self {
            bounding_radii,
            filter: PairFilter::new(&colliders, &mobility, excluded),
            reserve: Reserve::new(&placement),
            placement,
            search: Search::default(),
            candidates: Candidates::default(),
            touching: Touching::default(),
            probe: Workspace::default(),
            broad_phase: BroadPhase::default(),
            parallel: true,
            statistics: Statistics::default(),
            colliders,
        })
    }

    /// The colliders, in the order contacts name them by.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Radius \[m\] of the ball about the origin of a body's frame that holds all its colliders: 0 without any, infinite
    /// with a half-space or a container.
    #[must_use]
    pub fn bounding_radius(&self, body: u32) -> f64 {
        self.bounding_radii.get(body as usize).copied().unwrap_or(0.0)
    }

    /// Where the colliders were at the last detection.
    pub(crate) fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether the threads of the present pool are used (the default) or one only. The contacts are the same, bit by bit.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Chooses the data structure that finds pairs. The contacts are the same with each.
    pub fn set_broad_phase(&mut self, broad_phase: BroadPhase) {
        self.broad_phase = broad_phase;
        self.forget();
    }

    /// Makes the next call search for pairs anew. Contacts do not depend on it; times do.
    pub fn forget(&mut self) {
        self.reserve.balls.clear();
    }

    /// Says anew which bodies can move, one entry a body.
    pub fn set_mobility(&mut self, mobility: &[Mobility]) {
        debug_assert_eq!(mobility.len(), self.bounding_radii.len());
        self.filter.set_mobility(mobility);
        self.forget();
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Memory held between calls \[bytes\], the colliders and what they share aside.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.placement.bytes()
            + self.filter.bytes()
            + self.reserve.bytes()
            + self.search.bytes()
            + self.candidates.bytes()
            + self.touching.bytes()
            + self.bounding_radii.capacity() * size_of::<f64>()
    }

    /// Replaces `contacts` by every contact with gap < envelope + reach\[A\] + reach\[B\]. `poses` (world_from_body) and
    /// `reach` \[m\] have one entry a body. The order is that of colliders, then features, whatever the threads. What comes
    /// out depends on these arguments alone, not on earlier calls. Bodies whose pose is no number touch nothing, and two
    /// unbounded colliders never touch.
    pub fn detect(&mut self, poses: &[Pose], reach: &[f64], envelope: f64, contacts: &mut Vec<Contact>) {
        debug_assert!(poses.len() == self.bounding_radii.len() && reach.len() == self.bounding_radii.len());
        let parallel = self.parallel && rayon::current_num_threads() > 1;
        let Self { placement, reserve, filter, .. } = self;
        let half_envelope = envelope / 2.0;
        reserve.uses += 1;
        let held = placement.place(poses, reach, half_envelope, parallel, |index, ball| reserve.holds(index, ball));
        if !held || !reserve.holds_solids(placement, half_envelope, |collider| filter.is_fixed(collider)) {
            reserve.renew(placement, half_envelope);
            self.search.run(placement, reserve, filter, (self.broad_phase, parallel), &mut self.candidates);
            self.statistics.searches += 1;
        }
        self.touching.run(placement, &self.candidates, envelope, parallel, contacts);
        let [in_grid, in_tree, unbounded] = self.search.counts();
        let Statistics { detections, searches, .. } = self.statistics;
        let candidates = self.candidates.count();
        self.statistics = Statistics { detections: detections + 1, searches, candidates, in_grid, in_tree, unbounded };
    }
}

fn check(collider: &Collider, bodies: usize) -> Result<(), ShapeError> {
    let shape = collider.shape.kind();
    collider.shape.check()?;
    if collider.body as usize >= bodies {
        let problem = format!("it is attached to body {}, but there are {bodies} bodies", collider.body);
        return Err(ShapeError::Geometry { shape, problem });
    }
    let number = |what, value, allowed| Err(ShapeError::Number { shape, what, value, allowed });
    if !collider.margin.is_finite() || collider.margin < 0.0 {
        return number("margin", collider.margin, "a finite length ≥ 0");
    }
    let parts = collider.pose.position.to_array().into_iter().chain(collider.pose.rotation.to_array());
    if let Some(value) = parts.into_iter().find(|part| !part.is_finite()) {
        return number("a coordinate of its pose", value, "a finite number");
    }
    let length = collider.pose.rotation.length();
    if (length - 1.0).abs() > 1e-6 {
        return number("length of the quaternion of its pose", length, "1");
    }
    Ok(())
}

/// See [`Detector::bounding_radius`]: the bodies at the origin, every collider's ball from there.
fn bounding_radii(placement: &mut Placement, bodies: usize) -> Vec<f64> {
    placement.place(&vec![Pose::IDENTITY; bodies], &vec![0.0; bodies], 0.0, false, |_, _| true);
    let mut radii = vec![0.0f64; bodies];
    for (place, ball) in placement.places.iter().zip(&placement.balls) {
        let body = &mut radii[place.body as usize];
        *body = body.max(ball.centre.length() + place.radius);
    }
    radii
}

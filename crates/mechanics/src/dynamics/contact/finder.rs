//! Finding contacts: who may meet whom within a step.

use super::skins::Skins;
use crate::{Model, Pose, State, StepError, Vec3};
use signorini_collision::{Contact, Detector, Mobility, Nearest, Shape};

/// Without another envelope, contacts with a gap below this share of the smallest body's radius enter the problem: a hundredth of a body
/// is far more than rounding and far less than what separates bodies that do not touch.
const ENVELOPE_SHARE: f64 = 0.01;

/// How often a way is looked at while it is as long as half of a body's thickness.
const LOOKS_PER_THICKNESS: f64 = 2.0;
/// How often a way is looked at, at most.
const MOST_LOOKS: f64 = 64.0;

/// How far bodies and nodes are looked at, at least.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeastReach {
    /// Of every rigid body \[m\]; empty for no bound.
    pub(crate) bodies: Vec<f64>,
    /// Of all nodes of flexible bodies \[m\].
    pub(crate) nodes: f64,
}

/// Finds the contacts of a state.
pub(crate) struct ContactFinder {
    detector: Detector,
    /// Surfaces of flexible bodies; `None` without any.
    skins: Option<Skins>,
    /// Radius of every body about its centre of mass \[m\]: how far its points are carried by a turn.
    turning_radii: Vec<f64>,
    /// Radius of the smallest body that moves \[m\].
    smallest_radius: f64,
    /// Contacts with a smaller gap are found whatever the speeds \[m\].
    envelope: f64,
    /// How far every body may go in the step at hand \[m\]: room, filled by each search.
    reach: Vec<f64>,
    /// How many contacts were found last: the next list gets room for as many.
    expected: usize,
    /// A list that nobody needs any more: its memory is that of the next one.
    spare: Vec<Contact>,
}

impl ContactFinder {
    /// A finder for a model; without an envelope \[m\], 1 % of the smallest body's radius.
    ///
    /// # Errors
    /// A shape that cannot be used.
    pub(crate) fn new(model: &Model, envelope: Option<f64>, parallel: bool) -> Result<Self, StepError> {
        let detector = detector_of(model, parallel, |body, error| StepError::Shape { body, error })?;
        let smallest_radius = smallest_radius(model, &detector);
        Ok(Self {
            turning_radii: turning_radii(model, &detector),
            smallest_radius,
            envelope: envelope.unwrap_or(ENVELOPE_SHARE * smallest_radius),
            reach: vec![0.0; model.bodies().len()],
            expected: 0,
            spare: Vec::new(),
            skins: Skins::new(model, parallel)?,
            detector,
        })
    }

    /// Says which bodies do not move from now on: two of them never touch.
    pub(crate) fn fix(&mut self, is_fixed: impl Iterator<Item = bool>) {
        self.detector.set_mobility(&is_fixed.map(mobility).collect::<Vec<_>>());
    }

    /// Radius of the smallest body that moves \[m\].
    pub(crate) fn smallest_radius(&self) -> f64 {
        self.smallest_radius
    }

    /// Contacts with a smaller gap are found whatever the speeds \[m\].
    pub(crate) fn envelope(&self) -> f64 {
        self.envelope
    }

    /// How far the points of every body go in h seconds at the velocities of a state \[m\].
    pub(crate) fn travel<'a>(&'a self, state: &'a State, h: f64) -> impl Iterator<Item = f64> + 'a {
        travel(&self.turning_radii, state, h)
    }

    /// The contacts of a state that a step of h seconds has to know: a contact may close within it if its gap is below what both
    /// bodies can move, h(|v| + h|g|) and what their turning adds.
    pub(crate) fn near(&mut self, model: &Model, state: &State, h: f64) -> Vec<Contact> {
        self.near_beyond(model, state, h, &LeastReach::default())
    }

    /// The same, with every body and node reaching at least so far.
    pub(crate) fn near_beyond(&mut self, model: &Model, state: &State, h: f64, least: &LeastReach) -> Vec<Contact> {
        let g = model.gravity().length();
        let Self { detector, skins, turning_radii, envelope, reach, expected, spare, .. } = self;
        reach.clear();
        reach.extend(travel(turning_radii, state, h).zip(model.bodies()).enumerate().map(|(k, (travel, body))| {
            let reach = if body.is_fixed { 0.0 } else { travel + h * h * g };
            least.bodies.get(k).map_or(reach, |least| reach.max(*least))
        }));
        let mut contacts = std::mem::take(spare);
        contacts.reserve(expected.saturating_sub(contacts.len()));
        detector.detect(&state.poses, reach, *envelope, &mut contacts);
        if let Some(skins) = skins {
            skins.add_contacts(model, state, (h, least.nodes), (detector, reach, *envelope), &mut contacts);
        }
        *expected = contacts.len();
        contacts
    }

    /// Where two colliders come nearest to each other along the ways of their bodies, which `at` tells for a share of them from 0 to 1, and that share; the first place found
    /// where they overlap by more than `depth` \[m\], if there is one. Gaps from `limit` on do not count. `travel` is how far they move against each other, at most: ways are
    /// looked at so often that none of them can pass through the other between two looks.
    pub(crate) fn nearest_on_the_way(
        &mut self,
        colliders: [u32; 2],
        (travel, limit, depth): (f64, f64, f64),
        at: impl Fn(f64) -> [Pose; 2],
    ) -> Option<(f64, Nearest)> {
        let looks = (LOOKS_PER_THICKNESS * travel / self.thickness(colliders)).ceil().clamp(1.0, MOST_LOOKS);
        let mut least: Option<(f64, Nearest)> = None;
        // The end first: what meets is mostly still together there.
        for k in (0..looks as u32).rev() {
            let share = f64::from(k + 1) / looks;
            let [a, b] = at(share);
            let below = least.map_or(limit, |(_, least)| least.gap);
            if let Some(nearest) = self.detector.nearest(colliders, [&a, &b], below) {
                least = Some((share, nearest));
                if nearest.gap < -depth {
                    break;
                }
            }
        }
        least
    }

    /// Whether two colliders are convex and bounded.
    pub(crate) fn are_convex(&self, colliders: [u32; 2]) -> bool {
        colliders.iter().all(|collider| self.detector.is_convex(*collider))
    }

    /// Half of the thickness of the thicker of two colliders \[m\].
    pub(crate) fn thickness(&self, colliders: [u32; 2]) -> f64 {
        let halves = colliders.map(|collider| self.detector.half_thickness(collider));
        halves.into_iter().filter(|half| half.is_finite()).fold(0.0, f64::max)
    }

    /// Takes back a list of contacts that nobody needs any more.
    pub(crate) fn recycle(&mut self, contacts: Vec<Contact>) {
        self.spare = contacts;
    }

    /// Overlaps where the model starts.
    pub(crate) fn overlaps_at_start(&mut self, model: &Model) -> Vec<Contact> {
        let poses: Vec<_> = model.bodies().iter().map(|body| body.start).collect();
        let still = vec![0.0; poses.len()];
        let mut contacts = Vec::new();
        self.detector.detect(&poses, &still, 0.0, &mut contacts);
        if let Some(skins) = &mut self.skins {
            skins.add_overlaps_at_start(model, (&self.detector, &still), &mut contacts);
        }
        contacts
    }
}

fn mobility(is_fixed: bool) -> Mobility {
    if is_fixed { Mobility::Fixed } else { Mobility::Moving }
}

/// How far the points of every body go in h seconds at the velocities of a state \[m\].
fn travel<'a>(turning_radii: &'a [f64], state: &'a State, h: f64) -> impl Iterator<Item = f64> + 'a {
    let motions = state.velocities.iter().zip(&state.angular_velocities).zip(turning_radii);
    motions.map(move |((v, omega), radius)| h * (v.length() + omega.length() * radius))
}

/// A detector of all contacts of a model. `unusable` makes an error of a body and what is wrong with its shape.
pub(crate) fn detector_of<E>(
    model: &Model,
    parallel: bool,
    unusable: impl FnOnce(String, crate::ShapeError) -> E,
) -> Result<Detector, E> {
    let colliders = model.colliders().iter().map(|(body, collider)| signorini_collision::Collider {
        body: body.0,
        pose: collider.pose,
        shape: collider.shape.clone(),
        material: collider.material.0,
        groups: collider.groups,
        margin: collider.margin,
    });
    let mobility = model.bodies().iter().map(|body| mobility(body.is_fixed));
    let mut detector =
        Detector::new(colliders.collect(), mobility.collect(), model.excluded()).map_err(|(at, error)| {
            let body = model.bodies()[model.colliders()[at].0.index()].name.clone();
            unusable(body, error)
        })?;
    detector.set_parallel(parallel);
    Ok(detector)
}

/// How far the points of each body are carried by a turn: its radius about the centre of mass, but 0 for a ball about it, which is
/// the same however it turns, and for half-spaces and containers, whose radius is infinite: a step that misses a contact with them is
/// taken again.
fn turning_radii(model: &Model, detector: &Detector) -> Vec<f64> {
    let mut radii = vec![0.0; model.bodies().len()];
    for (body, collider) in model.colliders() {
        let is_ball = matches!(collider.shape, Shape::Sphere { .. });
        if !(is_ball && collider.pose.position == Vec3::ZERO) {
            let radius = detector.bounding_radius(body.0);
            radii[body.index()] = if radius.is_finite() { radius } else { 0.0 };
        }
    }
    radii
}

/// Radius about the centre of mass of the smallest body that moves; 1 m without any.
fn smallest_radius(model: &Model, detector: &Detector) -> f64 {
    let moving = (0..model.bodies().len()).filter(|&body| !model.bodies()[body].is_fixed);
    let radii = moving.map(|body| detector.bounding_radius(body as u32)).filter(|radius| *radius > 0.0);
    let least = radii.fold(f64::INFINITY, f64::min);
    // Half of an element is to a flexible body what the radius is to a ball.
    let least = least.min(0.5 * model.field().element_size);
    if least.is_finite() { least } else { 1.0 }
}

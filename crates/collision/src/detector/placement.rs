//! Where the colliders are in this step.

use crate::broad::Ball;
use crate::narrow::foot::Solid;
use crate::narrow::general::Prepared;
use crate::{Collider, Pose, Shape, ShapeError};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// [`Place::solid`] of spheres.
pub(crate) const SPHERE: u32 = u32::MAX;
/// Colliders moved by one task.
const CHUNK: usize = 4096;

/// Relative room for rounding in tests that come before the exact one.
const ROUNDING: f64 = 1e-12;
/// Balls that reach to infinity end here \[m\]; squares of it are still numbers.
pub(crate) const FARTHEST: f64 = 1e150;

/// What a collider is, and how far it reaches in this step.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Radius of the ball about the collider, margin included: its own, if it is a sphere; infinite if it is unbounded.
    pub(crate) radius: f64,
    /// How far its body reaches \[m\].
    pub(crate) reach: f64,
    pub(crate) body: u32,
    /// Its place among the solids, or [`SPHERE`].
    pub(crate) solid: u32,
}

/// A collider that is no sphere, in this step.
pub(crate) struct SolidPlace {
    pub(crate) collider: u32,
    /// The closed form of its distance, and by how much it is grown to give the collider.
    pub(crate) closed: Option<(Solid, f64)>,
    pub(crate) prepared: Prepared,
    /// Whether it reaches to infinity.
    pub(crate) unbounded: bool,
    body_from_shape: Pose,
    /// Centre of its ball in the frame of the shape.
    centre: DVec3,
    pub(crate) pose: Pose,
    /// Corners of its box, margin included; they may be infinite if it is unbounded.
    pub(crate) corners: [DVec3; 2],
}

/// All colliders in this step.
pub(crate) struct Placement {
    pub(crate) places: Vec<Place>,
    /// Balls about the colliders, grown by their reach and half of the envelope: the gaps of two whose balls are apart are
    /// too large. Spheres have their own centres; unbounded colliders the origin and [`FARTHEST`].
    pub(crate) balls: Vec<Ball>,
    pub(crate) solids: Vec<SolidPlace>,
    /// Centres of the spheres in the frames of their bodies; empty if all are at the origins.
    offsets: Vec<DVec3>,
    /// Spheres as partners of solids without a closed form: every kind once, and the kind of every collider. Both empty
    /// if there are no such solids.
    sphere_kinds: Vec<Prepared>,
    kind_of: Vec<u32>,
}

impl Placement {
    pub(crate) fn new(colliders: &[Collider]) -> Result<Self, (usize, ShapeError)> {
        let (mut places, mut solids) = (Vec::with_capacity(colliders.len()), Vec::new());
        for (index, collider) in colliders.iter().enumerate() {
            let mut place = Place { radius: 0.0, reach: 0.0, body: collider.body, solid: SPHERE };
            if let Shape::Sphere { radius } = collider.shape {
                place.radius = radius + collider.margin;
            } else {
                let (solid, radius) = SolidPlace::new(index, collider).map_err(|error| (index, error))?;
                place.radius = radius;
                place.solid = solids.len() as u32;
                solids.push(solid);
            }
            places.push(place);
        }
        let mut offsets = Vec::new();
        let is_sphere = |collider: &&Collider| matches!(collider.shape, Shape::Sphere { .. });
        if colliders.iter().filter(is_sphere).any(|collider| collider.pose.position != DVec3::ZERO) {
            offsets.extend(colliders.iter().map(|collider| collider.pose.position));
        }
        let balls = vec![Ball { centre: DVec3::ZERO, radius: 0.0 }; colliders.len()];
        let mut placement = Self { places, balls, solids, offsets, sphere_kinds: Vec::new(), kind_of: Vec::new() };
        if placement.solids.iter().any(|solid| solid.closed.is_none()) {
            placement.prepare_spheres(colliders)?;
        }
        Ok(placement)
    }

    fn prepare_spheres(&mut self, colliders: &[Collider]) -> Result<(), (usize, ShapeError)> {
        let mut known = BTreeMap::new();
        self.kind_of.resize(colliders.len(), SPHERE);
        for (index, collider) in colliders.iter().enumerate() {
            let Shape::Sphere { radius } = collider.shape else { continue };
            let next = self.sphere_kinds.len() as u32;
            let kind = *known.entry((radius.to_bits(), collider.margin.to_bits())).or_insert(next);
            if kind == next {
                let prepared = Prepared::new(&collider.shape, collider.margin).map_err(|error| (index, error))?;
                self.sphere_kinds.push(prepared);
            }
            self.kind_of[index] = kind;
        }
        Ok(())
    }

    /// What tests without closed form need of a collider.
    pub(crate) fn prepared(&self, collider: u32) -> Option<(&Prepared, Pose)> {
        match self.solid(collider) {
            Some(solid) => Some((&solid.prepared, solid.pose)),
            None => {
                let kind = *self.kind_of.get(collider as usize)?;
                Some((self.sphere_kinds.get(kind as usize)?, Pose::at(self.balls[collider as usize].centre)))
            }
        }
    }

    /// Moves all colliders to the poses of their bodies; whether `holds` accepts the ball of each.
    pub(crate) fn place(
        &mut self,
        poses: &[Pose],
        reach: &[f64],
        half_envelope: f64,
        parallel: bool,
        holds: impl Fn(usize, &Ball) -> bool + Sync,
    ) -> bool {
        for solid in &mut self.solids {
            let index = solid.collider as usize;
            let pose = poses[self.places[index].body as usize] * solid.body_from_shape;
            if !solid.unbounded {
                self.balls[index].centre = pose * solid.centre;
            }
            // Boxes of large shapes take long, and most of these never move.
            if solid.pose != pose {
                solid.pose = pose;
                solid.corners = solid.prepared.aabb(&pose).into();
            }
        }
        let offsets = &self.offsets[..];
        let move_chunk = |(chunk, (places, balls)): (usize, (&mut [Place], &mut [Ball]))| {
            let mut all = true;
            for (index, (place, ball)) in (chunk * CHUNK..).zip(places.iter_mut().zip(balls)) {
                let body = place.body as usize;
                place.reach = reach[body];
                if place.solid == SPHERE {
                    ball.centre = match offsets.get(index) {
                        Some(offset) => poses[body] * *offset,
                        None => poses[body].position,
                    };
                }
                let rounding = ROUNDING * (place.radius + place.reach.abs() + half_envelope.abs());
                let radius = place.radius + place.reach + half_envelope + rounding;
                // Not `min`, which would make a number of what is none.
                ball.radius = if radius > FARTHEST { FARTHEST } else { radius };
                all &= holds(index, ball);
            }
            all
        };
        // Every chunk is moved, whatever the others found: no short cut.
        if parallel {
            let chunks = self.places.par_chunks_mut(CHUNK).zip(self.balls.par_chunks_mut(CHUNK));
            chunks.enumerate().map(move_chunk).reduce(|| true, |a, b| a & b)
        } else {
            let chunks = self.places.chunks_mut(CHUNK).zip(self.balls.chunks_mut(CHUNK));
            chunks.enumerate().map(move_chunk).fold(true, |a, b| a & b)
        }
    }

    /// The solid a collider is, unless it is a sphere.
    #[inline]
    pub(crate) fn solid(&self, collider: u32) -> Option<&SolidPlace> {
        self.solids.get(self.places[collider as usize].solid as usize)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
            + self.balls.capacity() * size_of::<Ball>()
            + self.solids.capacity() * size_of::<SolidPlace>()
            + self.offsets.capacity() * size_of::<DVec3>()
            + self.sphere_kinds.capacity() * size_of::<Prepared>()
            + self.kind_of.capacity() * size_of::<u32>()
    }
}

impl SolidPlace {
    /// The solid and the radius of its ball.
    fn new(index: usize, collider: &Collider) -> Result<(Self, f64), ShapeError> {
        let prepared = Prepared::new(&collider.shape, collider.margin)?;
        let closed = Solid::of(&collider.shape).map(|(solid, growth)| (solid, growth + collider.margin));
        let corners: [DVec3; 2] = prepared.aabb(&Pose::IDENTITY).into();
        let unbounded = is_unbounded(&collider.shape) || corners.iter().any(|corner| !corner.is_finite());
        let (centre, radius) = if unbounded {
            (DVec3::ZERO, f64::INFINITY)
        } else {
            ((corners[0] + corners[1]) / 2.0, corners[0].distance(corners[1]) / 2.0)
        };
        let solid = Self {
            collider: index as u32,
            closed,
            prepared,
            unbounded,
            body_from_shape: collider.pose,
            centre,
            pose: Pose::IDENTITY,
            corners,
        };
        Ok((solid, radius))
    }
}

fn is_unbounded(shape: &Shape) -> bool {
    match shape {
        Shape::Compound { parts } => parts.iter().any(|(_, part)| is_unbounded(part)),
        other => Solid::of(other).is_some_and(|(solid, _)| solid.is_unbounded()),
    }
}

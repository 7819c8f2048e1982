//! Where the colliders are in this step.

use crate::narrow::foot::Solid;
use crate::narrow::general::Prepared;
use crate::{Collider, Pose, Shape, ShapeError};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// [`Place::solid`] of spheres.
pub(super) const SPHERE: u32 = u32::MAX;
/// Colliders moved by one task.
const CHUNK: usize = 4096;

/// A collider in this step.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Centre of the ball that holds the collider: the sphere itself, if it is one. The origin for unbounded colliders.
    pub(super) centre: DVec3,
    /// Radius of that ball, margin included; 0 for unbounded colliders.
    pub(super) radius: f64,
    /// How far its body reaches \[m\].
    pub(super) reach: f64,
    pub(super) body: u32,
    /// Its place among the solids, or [`SPHERE`].
    pub(super) solid: u32,
}

/// A collider that is no sphere, in this step.
pub(super) struct SolidPlace {
    pub(super) collider: u32,
    /// The closed form of its distance, and by how much it is grown to give the collider.
    pub(super) closed: Option<(Solid, f64)>,
    pub(super) prepared: Prepared,
    /// Whether it reaches to infinity.
    pub(super) unbounded: bool,
    body_from_shape: Pose,
    /// Centre of its ball in the frame of the shape.
    centre: DVec3,
    pub(super) pose: Pose,
    /// Corners of its box, margin included.
    pub(super) corners: [DVec3; 2],
}

/// All colliders in this step.
pub(super) struct Placement {
    pub(super) places: Vec<Place>,
    pub(super) solids: Vec<SolidPlace>,
    /// Centres of the spheres in the frames of their bodies; empty if all are at the origins.
    offsets: Vec<DVec3>,
    /// Spheres as partners of solids without a closed form: every kind once, and the kind of every collider. Both empty
    /// if there are no such solids.
    sphere_kinds: Vec<Prepared>,
    kind_of: Vec<u32>,
}

impl Placement {
    pub(super) fn new(colliders: &[Collider]) -> Result<Self, (usize, ShapeError)> {
        let (mut places, mut solids) = (Vec::with_capacity(colliders.len()), Vec::new());
        for (index, collider) in colliders.iter().enumerate() {
            let mut place = Place { centre: DVec3::ZERO, radius: 0.0, reach: 0.0, body: collider.body, solid: SPHERE };
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
        let mut placement = Self { places, solids, offsets, sphere_kinds: Vec::new(), kind_of: Vec::new() };
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
    pub(super) fn prepared(&self, collider: u32) -> Option<(&Prepared, Pose)> {
        let place = &self.places[collider as usize];
        match self.solids.get(place.solid as usize) {
            Some(solid) => Some((&solid.prepared, solid.pose)),
            None => {
                let kind = *self.kind_of.get(collider as usize)?;
                Some((self.sphere_kinds.get(kind as usize)?, Pose::at(place.centre)))
            }
        }
    }

    /// Moves all colliders to the poses of their bodies; whether `holds` accepts every place.
    pub(super) fn place(
        &mut self,
        poses: &[Pose],
        reach: &[f64],
        parallel: bool,
        holds: impl Fn(usize, &Place) -> bool + Sync,
    ) -> bool {
        for solid in &mut self.solids {
            let place = &mut self.places[solid.collider as usize];
            solid.pose = poses[place.body as usize] * solid.body_from_shape;
            if !solid.unbounded {
                place.centre = solid.pose * solid.centre;
                solid.corners = solid.prepared.aabb(&solid.pose).into();
            }
        }
        let offsets = &self.offsets[..];
        let move_chunk = |(chunk, places): (usize, &mut [Place])| {
            let mut all = true;
            for (index, place) in (chunk * CHUNK..).zip(places) {
                let body = place.body as usize;
                place.reach = reach[body];
                if place.solid == SPHERE {
                    place.centre = match offsets.get(index) {
                        Some(offset) => poses[body] * *offset,
                        None => poses[body].position,
                    };
                }
                all &= holds(index, place);
            }
            all
        };
        if parallel {
            // Every chunk is moved, whatever the others found: no short cut.
            self.places.par_chunks_mut(CHUNK).enumerate().map(move_chunk).reduce(|| true, |a, b| a & b)
        } else {
            self.places.chunks_mut(CHUNK).enumerate().map(move_chunk).fold(true, |a, b| a & b)
        }
    }

    /// The solid a collider is, unless it is a sphere.
    #[inline]
    pub(super) fn solid(&self, collider: u32) -> Option<&SolidPlace> {
        self.solids.get(self.places[collider as usize].solid as usize)
    }

    pub(super) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
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
        let unbounded = is_unbounded(&collider.shape);
        let corners: [DVec3; 2] = prepared.aabb(&Pose::IDENTITY).into();
        let (centre, radius) = if unbounded {
            (DVec3::ZERO, 0.0)
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

//! Testing the candidates: their contacts, sorted by colliders and features.

use super::candidates::Candidates;
use super::placement::{Placement, SPHERE};
use crate::broad::part_count;
use crate::contact::{Contact, NO_FACE};
use crate::narrow::general::{self, Workspace};
use crate::narrow::{Touch, sphere_solid, sphere_sphere};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// A contact that is overwritten before anybody sees it.
const NONE: Contact = Contact {
    colliders: [0; 2],
    bodies: [0; 2],
    feature: 0,
    faces: [NO_FACE; 2],
    points: [DVec3::ZERO; 2],
    normal: DVec3::ZERO,
    gap: 0.0,
};

/// The tests with their buffers.
#[derive(Default)]
pub(super) struct Touching {
    alone: Workspace,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    workspace: Workspace,
    contacts: Vec<Contact>,
}

impl Touching {
    /// Replaces `contacts` by every contact of the candidates with gap < envelope + reaches.
    pub(super) fn run(
        &mut self,
        placement: &Placement,
        candidates: &Candidates,
        envelope: f64,
        parallel: bool,
        contacts: &mut Vec<Contact>,
    ) {
        let parts = part_count(candidates.count());
        if !parallel || parts == 1 {
            contacts.clear();
            return test(&mut self.alone, placement, candidates, 0..candidates.rows(), envelope, contacts);
        }
        self.parts.resize_with(self.parts.len().max(parts), Part::default);
        self.parts[..parts].par_iter_mut().enumerate().with_max_len(1).for_each(|(index, part)| {
            let rows = candidates.cut(index, parts)..candidates.cut(index + 1, parts);
            part.contacts.clear();
            test(&mut part.workspace, placement, candidates, rows, envelope, &mut part.contacts);
        });
        // Of contacts of the step before only those beyond the new number are touched: the rest is overwritten.
        contacts.resize(self.parts[..parts].iter().map(|part| part.contacts.len()).sum(), NONE);
        let mut rest = &mut contacts[..];
        rayon::scope(|scope| {
            for part in &self.parts[..parts] {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(part.contacts.len());
                rest = others;
                scope.spawn(|_| own.copy_from_slice(&part.contacts));
            }
        });
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| size_of::<Part>() + part.contacts.capacity() * size_of::<Contact>()).sum()
    }
}

/// Pairs looked at together.
const BLOCK: usize = 256;

/// Tests the candidates of some rows, a block at a time: first whether their balls overlap, without a branch, so that one
/// need not wait for the place of the other; then their contacts.
fn test(
    workspace: &mut Workspace,
    placement: &Placement,
    candidates: &Candidates,
    rows: Range<usize>,
    envelope: f64,
    contacts: &mut Vec<Contact>,
) {
    let mut hits = [[0u32; 2]; BLOCK];
    let mut count = 0;
    for row in rows {
        let ball = &placement.balls[row];
        let mut rest = candidates.row(row);
        while !rest.is_empty() {
            if count == BLOCK {
                hits.iter().for_each(|&pair| emit(workspace, placement, pair, envelope, contacts));
                count = 0;
            }
            let (now, later) = rest.split_at(rest.len().min(BLOCK - count));
            for &partner in now {
                hits[count % BLOCK] = [row as u32, partner];
                count += usize::from(ball.overlaps(&placement.balls[partner as usize]));
            }
            rest = later;
        }
    }
    hits[..count].iter().for_each(|&pair| emit(workspace, placement, pair, envelope, contacts));
}

/// Writes the contacts of one pair.
#[inline]
fn emit(workspace: &mut Workspace, placement: &Placement, pair: [u32; 2], envelope: f64, contacts: &mut Vec<Contact>) {
    let [a, b] = pair.map(|collider| &placement.places[collider as usize]);
    let [centre_a, centre_b] = pair.map(|collider| placement.balls[collider as usize].centre);
    let limit = envelope + a.reach + b.reach;
    let named = |feature: u64, touch: Touch| Contact {
        colliders: pair,
        bodies: [a.body, b.body],
        feature,
        faces: [NO_FACE; 2],
        points: touch.points,
        normal: touch.normal,
        gap: touch.gap,
    };
    if a.solid == SPHERE && b.solid == SPHERE {
        let touch = sphere_sphere((centre_a, a.radius), (centre_b, b.radius), limit);
        return contacts.extend(touch.map(|touch| named(0, touch)));
    }
    if closed_form(placement, pair, limit, &mut |feature, touch| contacts.push(named(feature, touch))) {
        return;
    }
    let [Some((shape_a, pose_a)), Some((shape_b, pose_b))] = pair.map(|collider| placement.prepared(collider)) else {
        return;
    };
    let first = contacts.len();
    general::contacts(workspace, shape_a, &pose_a, shape_b, &pose_b, limit, &mut |feature, points, normal, gap| {
        if gap < limit {
            contacts.push(named(feature, Touch { points, normal, gap }));
        }
    });
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
}

/// Tests a sphere against a solid with closed form; `false` if the pair is none.
#[inline]
fn closed_form(placement: &Placement, pair: [u32; 2], limit: f64, emit: &mut impl FnMut(u64, Touch)) -> bool {
    let solid = |collider: u32| {
        let solid = placement.solid(collider)?;
        solid.closed.as_ref().map(|(closed, growth)| (closed, &solid.pose, *growth))
    };
    let sphere = |collider: u32| {
        let place = &placement.places[collider as usize];
        (place.solid == SPHERE).then(|| (placement.balls[collider as usize].centre, place.radius))
    };
    let [a, b] = pair;
    if let (Some(solid), Some(sphere)) = (solid(a), sphere(b)) {
        sphere_solid(solid, sphere, limit, emit);
        return true;
    }
    if let (Some(sphere), Some(solid)) = (sphere(a), solid(b)) {
        sphere_solid(solid, sphere, limit, |feature, touch| emit(feature, touch.exchanged()));
        return true;
    }
    false
}

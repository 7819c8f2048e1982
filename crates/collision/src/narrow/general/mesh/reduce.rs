//! Leaving out contacts that others imply.
//!
//! Contacts of one place and normal are one. Those of nearly one normal form a flat patch. A rigid motion that turns by
//! little changes the gaps of a patch as an affine function of the place, so where x = Σ wᵢ xᵢ, with weights wᵢ ≥ 0 of sum
//! 1, the gap changes by Σ wᵢ Δgᵢ: if the gap at x is not below Σ wᵢ gᵢ, it stays positive when the gᵢ do. Such a contact
//! is implied. What is kept supports as well and is as deep as all.

use super::Met;
use glam::DVec2;

/// Contacts closer than this on the body are one place, relative to the size ...
const ONE_PLACE: f64 = 1e-6;
/// ... if they are closer than this on the surface.
const ONE_FOOT: f64 = 1e-3;
/// Of a round body, the lowest points of a rim over several triangles differ a little: those closer than this on the body,
/// relative to its radius, ...
const ROUND_PLACE: f64 = 0.2;
/// ... with normals closer than this (cosine) are one.
const ROUND_NORMAL: f64 = 0.98;
/// Normals closer than this (cosine) belong to one flat patch.
const ONE_NORMAL: f64 = 0.999;
/// So many contacts of a patch are all kept.
const FEW: usize = 4;
/// The most that are kept of a patch.
const MOST: usize = 10;
/// Directions in which the farthest contacts are kept ...
const DIRECTIONS: usize = 8;
/// ... unless one that is kept is as far up to this, relative to the size.
const AS_FAR: f64 = 0.02;
/// Gaps are implied up to this, relative to the size.
const IMPLIED: f64 = 1e-4;
/// Places this far outside a triangle (in its coordinates) are in it.
const OUTSIDE: f64 = 0.05;
/// Triangles with a smaller area than this, relative to the size, are none.
const NO_AREA: f64 = 1e-9;

/// Buffers of the reduction.
#[derive(Default)]
pub(super) struct Buffers {
    unique: Vec<Met>,
    patch: Vec<Met>,
    places: Vec<DVec2>,
    kept: Vec<usize>,
}

/// Reduces the contacts of a body of this size with a surface. `radius`: of a round core.
pub(super) fn reduce(found: &mut Vec<Met>, size: f64, radius: Option<f64>, buffers: &mut Buffers) {
    if found.len() < 2 {
        return;
    }
    let Buffers { unique, patch, places, kept } = buffers;
    let key = |met: &Met| (met.touch.name, met.via);
    found.sort_unstable_by(|p, q| p.touch.gap.total_cmp(&q.touch.gap).then_with(|| key(p).cmp(&key(q))));
    unique.clear();
    for met in found.iter() {
        let same = |known: &Met| {
            let (cosine, apart) = (known.touch.normal.dot(met.touch.normal), (known.touch.b - met.touch.b).length());
            let one_foot = (known.touch.a - met.touch.a).length() <= ONE_FOOT * size;
            (cosine > ONE_NORMAL && apart <= ONE_PLACE * size && one_foot)
                || radius.is_some_and(|radius| cosine > ROUND_NORMAL && apart <= ROUND_PLACE * radius)
        };
        if !unique.iter().any(same) {
            unique.push(*met);
        }
    }
    found.clear();
    while let Some(first) = unique.first() {
        // The deepest is the first, as sorted.
        let n = first.touch.normal;
        patch.clear();
        unique.retain(|met| {
            let member = met.touch.normal.dot(n) > ONE_NORMAL;
            if member {
                patch.push(*met);
            }
            !member
        });
        // A normal that is no number is in no patch, not even its own.
        if patch.is_empty() {
            break;
        }
        if patch.len() <= FEW {
            found.append(patch);
            continue;
        }
        let (u, v) = n.any_orthonormal_pair();
        places.clear();
        places.extend(patch.iter().map(|met| DVec2::new(u.dot(met.touch.a), v.dot(met.touch.a))));
        choose(patch, places, size, kept);
        found.extend(kept.iter().map(|&index| patch[index]));
    }
}

/// The deepest of a patch, the farthest in some directions, and what these do not imply, the worst first.
fn choose(patch: &[Met], places: &[DVec2], size: f64, kept: &mut Vec<usize>) {
    kept.clear();
    kept.push(0);
    for k in 0..DIRECTIONS {
        let direction = DVec2::from_angle(std::f64::consts::TAU * k as f64 / DIRECTIONS as f64);
        let mut far = (f64::NEG_INFINITY, 0);
        for (index, place) in places.iter().enumerate() {
            let along = direction.dot(*place);
            if along > far.0 {
                far = (along, index);
            }
        }
        if kept.iter().all(|&index| direction.dot(places[index]) <= far.0 - AS_FAR * size) {
            kept.push(far.1);
        }
    }
    while kept.len() < MOST {
        let mut worst = (IMPLIED * size, None);
        for (index, met) in patch.iter().enumerate().filter(|(index, _)| !kept.contains(index)) {
            let missing = implied(kept, places, patch, index, size) - met.touch.gap;
            if missing > worst.0 {
                worst = (missing, Some(index));
            }
        }
        let Some(index) = worst.1 else { break };
        kept.push(index);
    }
}

/// The gap that kept contacts imply at the place of another: the least of all triangles of them over it.
fn implied(kept: &[usize], places: &[DVec2], patch: &[Met], index: usize, size: f64) -> f64 {
    let x = places[index];
    let gap = |member: usize| patch[member].touch.gap;
    let mut least = f64::INFINITY;
    for (i, &a) in kept.iter().enumerate() {
        for (j, &b) in kept.iter().enumerate().skip(i + 1) {
            for &c in &kept[j + 1..] {
                let (p, to_q, to_r) = (places[a], places[b] - places[a], places[c] - places[a]);
                let area = to_q.perp_dot(to_r);
                if area.abs() < NO_AREA * size * size {
                    continue;
                }
                let (s, t) = ((x - p).perp_dot(to_r) / area, to_q.perp_dot(x - p) / area);
                if s >= -OUTSIDE && t >= -OUTSIDE && s + t <= 1.0 + OUTSIDE {
                    least = least.min((1.0 - s - t) * gap(a) + s * gap(b) + t * gap(c));
                }
            }
        }
    }
    least
}

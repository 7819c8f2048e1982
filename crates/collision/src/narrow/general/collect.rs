//! Contacts of a pair of colliders, in the world, thinned out.

use super::overlap::Touch;
use crate::Pose;
use glam::DVec3;

/// Contacts of one normal are thinned out beyond this number, to the extremes in as many directions: all corners of a flat
/// contact that has no more, and of a denser one a polygon of at least 80 % of its width in every direction.
const PER_NORMAL: usize = 8;
/// Normals closer than this (cosine) belong to one flat contact.
const ONE_NORMAL: f64 = 0.999;
/// Contacts of several triangles closer than this are one, relative to the size.
const ONE_PLACE: f64 = 1e-6;

/// How much deeper than others a doubtful contact may be.
const DEEPER: f64 = 0.1;

/// A contact in the world.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) points: [DVec3; 2],
    pub(super) normal: DVec3,
    pub(super) gap: f64,
    pub(super) feature: u64,
    /// Its normal is that of a triangle, where the direction of least overlap was another.
    doubtful: bool,
}

/// What makes the names of contacts: parts (and triangles) of both, and whether A and B were exchanged.
#[derive(Clone, Copy, Default)]
pub(super) struct Origin {
    pub(super) parts: [u32; 2],
    pub(super) triangles: [u32; 2],
    pub(super) exchanged: bool,
    /// See [`Found`].
    pub(super) doubtful: bool,
}

/// Gathers contacts.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) found: Vec<Found>,
    kept: Vec<Found>,
    chosen: Vec<bool>,
}

impl Collector {
    /// Adds a contact of cores in the frame of a query: swept, turned into the world and named.
    pub(super) fn add(&mut self, touch: &Touch, sweeps: [f64; 2], world: &Pose, reach: f64, origin: Origin) {
        let gap = touch.gap - sweeps[0] - sweeps[1];
        if gap.is_nan() || gap >= reach {
            return;
        }
        let n = touch.normal;
        let a = *world * (touch.a + n * sweeps[0]);
        let b = *world * (touch.b - n * sweeps[1]);
        let normal = world.rotation * n;
        let (feature, doubtful) = (name(touch.name, &origin), origin.doubtful);
        self.found.push(if origin.exchanged {
            Found { points: [b, a], normal: -normal, gap, feature, doubtful }
        } else {
            Found { points: [a, b], normal, gap, feature, doubtful }
        });
    }

    /// A triangle that a body reaches over, at an inner edge of a floor, is as deep in the body as its neighbours. One much
    /// deeper is at an outer edge, and the body passes beside it: such contacts are dropped.
    pub(super) fn drop_doubtful(&mut self, start: usize, size: f64) {
        let deepest = |doubtful: bool| {
            let contacts = self.found[start..].iter().filter(|contact| contact.doubtful == doubtful);
            contacts.map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
        };
        // With doubtful contacts only, the least deep one is the least doubtful.
        let least = self.found[start..].iter().map(|contact| contact.gap).fold(f64::NEG_INFINITY, f64::max);
        let known = if deepest(false) < f64::INFINITY { deepest(false) } else { least };
        let limit = known.min(0.0) * (1.0 + DEEPER) - ONE_PLACE * size;
        let mut index = 0;
        self.found.retain(|contact| {
            index += 1;
            index <= start || !contact.doubtful || contact.gap >= limit
        });
    }

    /// Contacts of several triangles or many corners: equal ones once (the deepest), and of each flat contact the deepest
    /// and those farthest out in eight directions.
    pub(super) fn thin_out(&mut self, start: usize, size: f64) {
        let Self { found, kept, chosen } = self;
        if found.len() - start <= 1 {
            return;
        }
        found[start..].sort_unstable_by(|p, q| p.gap.total_cmp(&q.gap).then(p.feature.cmp(&q.feature)));
        kept.clear();
        for contact in &found[start..] {
            let same = |known: &Found| {
                known.normal.dot(contact.normal) > ONE_NORMAL
                    && (known.points[0] - contact.points[0]).length() <= ONE_PLACE * size
            };
            if !kept.iter().any(same) {
                kept.push(*contact);
            }
        }
        found.truncate(start);
        while !kept.is_empty() {
            // The deepest is first, as sorted.
            let normal = kept[0].normal;
            let flat = |contact: &Found| contact.normal.dot(normal) > ONE_NORMAL;
            if kept.iter().filter(|contact| flat(contact)).count() <= PER_NORMAL {
                found.extend(kept.iter().filter(|contact| flat(contact)));
            } else {
                extremes(kept, normal, chosen, &flat);
                found.extend(kept.iter().zip(chosen.iter()).filter(|(_, keep)| **keep).map(|(contact, _)| *contact));
            }
            kept.retain(|contact| !flat(contact));
        }
    }
}

/// Marks the deepest contact of a normal and the farthest in eight directions across it.
fn extremes(contacts: &[Found], normal: DVec3, chosen: &mut Vec<bool>, member: &dyn Fn(&Found) -> bool) {
    chosen.clear();
    chosen.resize(contacts.len(), false);
    chosen[0] = true;
    let (u, v) = normal.any_orthonormal_pair();
    for k in 0..PER_NORMAL {
        let angle = std::f64::consts::TAU * k as f64 / PER_NORMAL as f64;
        let direction = u * angle.cos() + v * angle.sin();
        let mut best: Option<(f64, usize)> = None;
        for (index, contact) in contacts.iter().enumerate().filter(|(_, contact)| member(contact)) {
            let far = direction.dot(contact.points[0]);
            if best.is_none_or(|(most, _)| far > most) {
                best = Some((far, index));
            }
        }
        if let Some((_, index)) = best {
            chosen[index] = true;
        }
    }
}

/// One number for all that names a contact. Mixed (SplitMix64's finaliser), because triangles alone may need 64 bits: two
/// contacts of a pair share a name with a probability of 10⁻¹⁷.
fn name(parts: [u32; 3], origin: &Origin) -> u64 {
    let [kind, i, j] = parts;
    let words = [
        u64::from(origin.parts[0]) << 32 | u64::from(origin.parts[1]),
        u64::from(origin.triangles[0]) << 32 | u64::from(origin.triangles[1]),
        u64::from(i) << 32 | u64::from(j),
        u64::from(kind) << 1 | u64::from(origin.exchanged),
    ];
    words.into_iter().fold(0, |hash, word| {
        let z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

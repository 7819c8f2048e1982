//! Contacts as they are found: named, competing, sorted.

use super::sheet::FLUSH;
use crate::Contact;
use glam::DVec3;

/// What meets what: kinds of contacts and of those that compete, in their names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A node of the surface and whatever is nearest on the other side.
    Node = 1,
    /// A corner of the other side over the inside, an edge or a node of the surface.
    CornerFace,
    CornerEdge,
    CornerNode,
    /// A node of the second surface over the first one.
    FaceNode,
    EdgeNode,
    /// Two edges.
    Edges,
    /// An edge of the surface along the side of a round body.
    RoundEdge,
    /// An edge of the surface deep in a body that nothing else has found.
    DeepEdge,
    /// Not a contact: the corner or edge of one side, about which contacts compete.
    FirstCorner,
    SecondCorner,
    FirstEdge,
}

/// Two colliders, in the order contacts are looked for: the second is a deformable surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) colliders: [u32; 2],
    pub(super) bodies: [u32; 2],
}

/// A contact that has been found, or what competes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) kind: Kind,
    /// Part of a compound.
    pub(super) part: u32,
    /// What of the first and of the second side.
    pub(super) what: [u32; 2],
    /// What competes: of all contacts of one corner, those behind the surface count only if they are the nearest.
    pub(super) source: (Kind, u32),
    pub(super) faces: [u32; 2],
    pub(super) points: [DVec3; 2],
    pub(super) normal: DVec3,
    pub(super) gap: f64,
    /// Signed distance of what competes: negative behind the surface.
    pub(super) height: f64,
    pub(super) shown: bool,
    /// A node at or behind something that does not look against its surface: not the way it came, if there is another.
    pub(super) sideways: bool,
    /// Counts only if the two colliders have no other contact that overlaps.
    pub(super) last_resort: bool,
    /// A length of the triangle.
    pub(super) size: f64,
}

#[derive(Clone, Copy)]
pub(super) struct Found {
    contact: Contact,
    source: u64,
    height: f64,
    shown: bool,
    sideways: bool,
    last_resort: bool,
    size: f64,
}

/// Contacts of one source at one place, relative to the triangle, and with one normal (cosine) are one.
const ONE_PLACE: f64 = 1e-6;
const ONE_NORMAL: f64 = 0.999;

impl Found {
    pub(super) fn new(pair: &Pair, meeting: &Meeting) -> Self {
        let Meeting {
            kind,
            part,
            what,
            source,
            faces,
            points,
            normal,
            gap,
            height,
            shown,
            sideways,
            last_resort,
            size,
        } = *meeting;
        let word = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let feature = mix([word(kind as u32, part), word(what[0], what[1])]);
        let source = mix([word(source.0 as u32, part), u64::from(source.1)]);
        let mut contact =
            Contact { colliders: pair.colliders, bodies: pair.bodies, feature, faces, points, normal, gap };
        if pair.colliders[0] > pair.colliders[1] {
            contact.colliders.reverse();
            contact.bodies.reverse();
            contact.faces.reverse();
            contact.points.reverse();
            contact.normal = -normal;
        }
        Self { contact, source, height, shown, sideways, last_resort, size }
    }
}

/// Lets the contacts of every source compete and adds what is left. Sorts `found`; its order before does not matter.
pub(super) fn settle(found: &mut [Found], contacts: &mut Vec<Contact>) {
    found.sort_unstable_by(|a, b| {
        let key = |found: &Found| (found.contact.colliders, found.source);
        let nearer = a.height.abs().total_cmp(&b.height.abs());
        let key = key(a).cmp(&key(b)).then(nearer).then(b.shown.cmp(&a.shown));
        key.then(a.contact.feature.cmp(&b.contact.feature)).then(a.contact.gap.total_cmp(&b.contact.gap))
    });
    for pair in found.chunk_by(|a, b| a.contact.colliders == b.contact.colliders) {
        let start = contacts.len();
        pair.chunk_by(|a, b| a.source == b.source).for_each(|group| compete(group, contacts));
        if !contacts[start..].iter().any(|contact| contact.gap < 0.0) {
            contacts.extend(pair.iter().filter(|found| found.last_resort).map(|found| found.contact));
        }
    }
}

/// Adds what is left of the contacts of one source, the nearest first.
fn compete(group: &[Found], contacts: &mut Vec<Contact>) {
    let has_way_back = group.iter().any(|found| !found.sideways && found.height <= FLUSH * found.size);
    let candidates = || group.iter().filter(|found| !(found.last_resort || found.sideways && has_way_back));
    let nearest = candidates().next().map_or(0.0, |found| found.height.abs());
    let start = contacts.len();
    for candidate in candidates().filter(|candidate| candidate.shown) {
        let is_nearest = -candidate.height <= nearest + ONE_PLACE * candidate.size;
        let known = |other: &Contact| {
            other.feature == candidate.contact.feature
                || (other.normal.dot(candidate.contact.normal) > ONE_NORMAL
                    && (other.points[0] - candidate.contact.points[0]).length() <= ONE_PLACE * candidate.size
                    && (other.points[1] - candidate.contact.points[1]).length() <= ONE_PLACE * candidate.size)
        };
        if is_nearest && !contacts[start..].iter().any(known) {
            contacts.push(candidate.contact);
        }
    }
}

/// Mixes words into one (SplitMix64's finaliser): two contacts of a pair share a name with a probability of 10⁻¹⁷.
fn mix(words: [u64; 2]) -> u64 {
    words.into_iter().fold(0, |hash, word| {
        let z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

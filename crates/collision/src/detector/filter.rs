//! Which pairs of colliders are never tested, wherever they are.

use super::Mobility;
use crate::{Collider, Groups};

/// What a collider's owner said about whom it meets.
#[derive(Clone, Copy)]
struct Rules {
    groups: Groups,
    body: u32,
    fixed: bool,
    /// Whether its body is in an excluded pair.
    excluded: bool,
    /// Whether its body has other colliders.
    shared: bool,
}

/// Pairs that may touch.
pub(super) struct PairFilter {
    rules: Vec<Rules>,
    /// Pairs of bodies, the smaller index first, sorted.
    excluded: Vec<(u32, u32)>,
}

impl PairFilter {
    /// Bodies of the colliders have an entry in `mobility`.
    pub(super) fn new(colliders: &[Collider], mobility: &[Mobility], excluded: &[(u32, u32)]) -> Self {
        let mut pairs: Vec<(u32, u32)> = excluded.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut named = vec![false; mobility.len()];
        for body in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            if let Some(named) = named.get_mut(body as usize) {
                *named = true;
            }
        }
        let mut carried = vec![0u32; mobility.len()];
        colliders.iter().for_each(|collider| carried[collider.body as usize] += 1);
        let rules = colliders.iter().map(|collider| Rules {
            groups: collider.groups,
            body: collider.body,
            fixed: mobility[collider.body as usize] == Mobility::Fixed,
            excluded: named[collider.body as usize],
            shared: carried[collider.body as usize] > 1,
        });
        Self { rules: rules.collect(), excluded: pairs }
    }

    /// Takes over which bodies are fixed.
    pub(super) fn set_mobility(&mut self, mobility: &[Mobility]) {
        for rules in &mut self.rules {
            rules.fixed = mobility[rules.body as usize] == Mobility::Fixed;
        }
    }

    /// Whether two colliders may touch.
    #[inline]
    pub(super) fn admits(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.rules[a as usize], &self.rules[b as usize]);
        a.body != b.body
            && !(a.fixed && b.fixed)
            && a.groups.meet(b.groups)
            && !(a.excluded && b.excluded && self.excludes(a.body, b.body))
    }

    /// Whether nothing is said about a collider: it meets every other one of this kind.
    pub(super) fn meets_all(&self, collider: u32) -> bool {
        let rules = &self.rules[collider as usize];
        rules.groups == Groups::ALL && !rules.fixed && !rules.excluded && !rules.shared
    }

    fn excludes(&self, a: u32, b: u32) -> bool {
        self.excluded.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    pub(super) fn is_fixed(&self, collider: u32) -> bool {
        self.rules[collider as usize].fixed
    }

    pub(super) fn bytes(&self) -> usize {
        self.rules.capacity() * size_of::<Rules>() + self.excluded.capacity() * size_of::<(u32, u32)>()
    }
}

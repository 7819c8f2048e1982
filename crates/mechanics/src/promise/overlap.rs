//! Overlaps of hard bodies: none is made or deepened beyond the bound.
//!
//! An overlap that was there before the step and does not grow is on its way out and breaks nothing: bodies may be given overlapping,
//! and are parted at the recovery speed.

use super::{Broken, Culprit, Promise};
use signorini_collision::Contact;

/// How deep overlaps may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OverlapBounds {
    /// New overlaps up to this are no breach \[m\].
    pub(crate) depth: f64,
    /// An overlap that grows by no more than this in one step is not deepened by it \[m\]: the accuracy of the solve times h.
    pub(crate) growth: f64,
}

/// What is broken if a pair of shapes overlaps deeper after the step than is allowed and than it did before. Contacts are in the order
/// of their colliders; `is_hard` says of a contact that it has no spring of its own.
pub(crate) fn judge(
    before: &[Contact],
    after: &[Contact],
    bounds: OverlapBounds,
    is_hard: impl Fn(&Contact) -> bool,
    names: impl Fn(&Contact) -> Vec<Culprit>,
) -> Option<Broken> {
    let mut worst: Option<(&Contact, f64)> = None;
    for contact in after {
        let depth = -contact.gap;
        if depth <= bounds.depth || worst.is_some_and(|(_, value)| depth <= value) {
            continue;
        }
        let first = before.partition_point(|known| known.colliders < contact.colliders);
        let pair = before[first..].iter().take_while(|known| known.colliders == contact.colliders);
        let known = pair.map(|known| -known.gap).fold(0.0, f64::max);
        if depth > known + bounds.growth && is_hard(contact) {
            worst = Some((contact, depth));
        }
    }
    let (contact, value) = worst?;
    Some(Broken::by(names(contact), Promise::Overlap, value, bounds.depth, "m"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;
    use signorini_collision::NO_FACE;

    fn contact(colliders: [u32; 2], gap: f64) -> Contact {
        Contact {
            bodies: colliders,
            colliders,
            feature: 0,
            points: [Vec3::ZERO; 2],
            normal: Vec3::Z,
            gap,
            faces: [NO_FACE; 2],
        }
    }

    fn judged(before: &[Contact], after: &[Contact]) -> Option<(f64, String)> {
        let bounds = OverlapBounds { depth: 1e-3, growth: 1e-6 };
        let names = |contact: &Contact| contact.colliders.map(|collider| Culprit::body(&collider.to_string())).into();
        judge(before, after, bounds, |_| true, names).map(|broken| (broken.value, broken.who))
    }

    #[test]
    fn new_overlaps_count_beyond_the_bound_and_the_deepest_is_named() {
        let after = [contact([0, 1], -9e-4), contact([0, 2], -3e-3), contact([1, 2], -2e-3)];
        assert_eq!(judged(&[], &after[..1]), None);
        assert_eq!(judged(&[], &after), Some((3e-3, "bodies `0` and `2`".into())));
    }

    #[test]
    fn an_overlap_on_its_way_out_is_no_breach_and_one_that_grows_is() {
        let before = [contact([0, 1], -0.1), contact([0, 2], 0.5)];
        assert_eq!(judged(&before, &[contact([0, 1], -0.09)]), None);
        // A jam that stays where it is, within the accuracy of the solve.
        assert_eq!(judged(&before, &[contact([0, 1], -0.1 - 5e-7)]), None);
        assert!(judged(&before, &[contact([0, 1], -0.101)]).is_some());
        assert!(judged(&before, &[contact([0, 2], -0.002)]).is_some());
    }

    #[test]
    fn a_soft_contact_overlaps_as_its_spring_is_pressed() {
        let bounds = OverlapBounds { depth: 1e-3, growth: 0.0 };
        assert_eq!(judge(&[], &[contact([0, 1], -1.0)], bounds, |_| false, |_| Vec::new()), None);
    }
}

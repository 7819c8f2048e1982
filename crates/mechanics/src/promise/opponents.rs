//! Who stands against a joint that does not close, or holds two bodies in each other.
//!
//! A joint that cannot be closed is held open by another joint, or by a contact, of the bodies that joints hold together with its own. Of these the
//! one that is violated most is named; where none is, the one that carries most. Bodies that overlap and cannot part are driven by a joint.

use super::Culprit;
use super::joints::{culprit, row_violation};
use crate::joint::{MAX_ROWS, Row};
use crate::{Model, State};
use signorini_collision::Contact;

/// A violation below this \[m or rad\] is rounding.
const ROUNDING: f64 = 1e-9;

/// What is known at the end of a step.
pub(crate) struct Scene<'a> {
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
    pub(crate) near: &'a [Contact],
    /// Impulses of the rows of all joints.
    pub(crate) impulses: &'a [f64],
}

/// A joint as far as it may stand against something.
struct Holder {
    index: usize,
    bodies: [usize; 2],
    /// Its largest violation \[m or rad\].
    violation: f64,
    /// The size of what it carries.
    impulse: f64,
}

impl Scene<'_> {
    /// Who stands against a joint; links have nobody.
    pub(crate) fn of_joint(&self, index: usize) -> Vec<Culprit> {
        let holders = self.holders();
        let Some(own) = holders.iter().find(|holder| holder.index == index) else { return Vec::new() };
        let group = self.group(own.bodies, &holders);
        let others = holders.iter().filter(|holder| holder.index != index && self.touches(&group, holder.bodies));
        let joint = strongest(others);
        let overlap = self.deepest_at(&group);
        match (joint, overlap) {
            (Some(joint), Some((depth, _))) if depth <= joint.violation => vec![culprit(self.model, joint.index)],
            (_, Some((_, contact))) => {
                contact.bodies.map(|body| Culprit::body(self.model.name_of(body as usize))).into()
            }
            (Some(joint), None) => vec![culprit(self.model, joint.index)],
            // It is alone: its bodies cannot be where it wants them.
            (None, None) => own.bodies.map(|body| Culprit::body(self.model.name_of(body))).into(),
        }
    }

    /// The joint that holds bodies which cannot part.
    pub(crate) fn of_bodies(&self, bodies: [usize; 2]) -> Vec<Culprit> {
        let holders = self.holders();
        let mut group = self.group(bodies, &holders);
        let of = |group: &[usize]| strongest(holders.iter().filter(|holder| self.touches(group, holder.bodies)));
        // A jam is driven from where one body is pressed into the next.
        let mut known = 0;
        while of(&group).is_none() && known < group.len() {
            let body = group[known];
            known += 1;
            let pressed =
                self.near.iter().filter(|contact| contact.gap < 0.0 && contact.bodies.contains(&(body as u32)));
            for other in pressed.flat_map(|contact| contact.bodies).map(|body| body as usize) {
                if self.model.bodies().get(other).is_some_and(|body| !body.is_fixed) && !group.contains(&other) {
                    group.push(other);
                }
            }
        }
        of(&group).map(|holder| culprit(self.model, holder.index)).into_iter().collect()
    }

    /// The joint of these bodies that is violated most, or carries most.
    pub(crate) fn worst_joint_of(&self, bodies: &[usize]) -> Option<usize> {
        let holders = self.holders();
        strongest(holders.iter().filter(|holder| self.touches(bodies, holder.bodies))).map(|holder| holder.index)
    }

    fn holders(&self) -> Vec<Holder> {
        let (mut rows, mut first) = ([Row::ZERO; MAX_ROWS], 0);
        let holder = |(index, (_, joint)): (usize, (&str, &dyn crate::Joint))| {
            let (rows, bodies) = (&mut rows[..joint.rows()], joint.bodies().map(|body| body.index()));
            joint.evaluate(bodies.map(|body| &self.state.poses[body]), self.state.time, rows);
            let violation = rows.iter().map(|row| row_violation(row.kind, row.value)).fold(0.0, f64::max);
            let impulses = self.impulses.get(first..first + rows.len()).unwrap_or_default();
            first += rows.len();
            Holder { index, bodies, violation, impulse: impulses.iter().map(|g| g.abs()).fold(0.0, f64::max) }
        };
        self.model.joints().enumerate().map(holder).collect()
    }

    /// The moving bodies that joints hold together with two.
    fn group(&self, bodies: [usize; 2], holders: &[Holder]) -> Vec<usize> {
        let moves = |body: &usize| self.model.bodies().get(*body).is_some_and(|body| !body.is_fixed);
        let mut group: Vec<usize> = bodies.into_iter().filter(moves).collect();
        let mut known = 0;
        while known < group.len() {
            let body = group[known];
            known += 1;
            for holder in holders.iter().filter(|holder| holder.bodies.contains(&body)) {
                for other in holder.bodies.into_iter().filter(moves) {
                    if !group.contains(&other) {
                        group.push(other);
                    }
                }
            }
        }
        group
    }

    fn touches(&self, group: &[usize], bodies: [usize; 2]) -> bool {
        bodies.iter().any(|body| group.contains(body))
    }

    /// The deepest overlap of a group's bodies that is no rounding.
    fn deepest_at(&self, group: &[usize]) -> Option<(f64, &Contact)> {
        let own = self.near.iter().filter(|contact| group.iter().any(|body| contact.bodies.contains(&(*body as u32))));
        let deepest = own.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        (deepest.gap < -ROUNDING).then_some((-deepest.gap, deepest))
    }
}

/// The one that is violated most, or, where none is, carries most.
fn strongest<'a>(holders: impl Iterator<Item = &'a Holder>) -> Option<&'a Holder> {
    let key =
        |holder: &Holder| if holder.violation > ROUNDING { [holder.violation, 0.0] } else { [0.0, holder.impulse] };
    holders.max_by(|a, b| {
        let ([a0, a1], [b0, b1]) = (key(a), key(b));
        // The first of equals.
        a0.total_cmp(&b0).then(a1.total_cmp(&b1)).then(b.index.cmp(&a.index))
    })
}

//! Elastic forces: taken where nodes arrive, or so near to it that the difference does not count.

use super::{Broken, Culprit, Promise};
use crate::Model;

/// Nodes that move by more than this share of an element in the last round of Newton's method are not in balance: strains are then
/// wrong by about as much.
const BALANCED: f64 = 1e-4;

/// How far nodes still moved in the last round of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LastMove {
    /// The largest distance \[m\].
    pub(crate) distance: f64,
    /// The node that moved so far, counted over all flexible bodies.
    pub(crate) node: usize,
}

/// What is broken if nodes still moved; `None` for a step whose forces were linearised once, which promises no balance.
pub(crate) fn judge(model: &Model, last: Option<LastMove>) -> Option<Broken> {
    let LastMove { distance, node } = last?;
    let bound = BALANCED * model.field().element_size;
    if distance <= bound {
        return None;
    }
    let who = Culprit::body(&model.flexible()[model.field().body_of(node)].name);
    Some(Broken::by(vec![who], Promise::Elastic, distance, bound, "m"))
}

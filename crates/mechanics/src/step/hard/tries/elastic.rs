//! Elastic forces that balance where nodes arrive: Newton's method of implicit Euler.
//!
//! A step linearises the forces of elements where it starts. With more than one iteration asked for it is solved again, linearised
//! where its nodes arrive, until they stay there.

use super::{Answer, Ask, Judged, Learnt, Trial};
use crate::{Model, Vec3};

/// Nodes that move by no more than this share of an element have arrived.
const STILL: f64 = 1e-10;

/// What was learnt about elastic forces.
pub(super) struct Elastic {
    /// How often elements are linearised, at most; 1 where there is nothing to iterate.
    most: u32,
    /// How often they were linearised for the contacts of this round.
    count: u32,
    /// How far nodes moved from where they were linearised \[m\]; infinite while that is not known.
    left: f64,
}

impl Elastic {
    pub(super) fn new(model: &Model, most: u32) -> Self {
        Self { most: if model.field().is_empty() { 1 } else { most }, count: 1, left: f64::INFINITY }
    }

    pub(super) fn judge(&mut self, ask: &Ask<'_>, trial: &Trial<'_>, answer: Box<Answer>) -> Judged {
        if self.most < 2 {
            return Judged::Settled(answer);
        }
        let (model, arrived) = (trial.start.model, &answer.next.nodes);
        let element = model.field().element_size;
        if self.count < self.most {
            // The first change is that of the whole step and says nothing about balance.
            if !ask.guess.is_empty() {
                self.left = largest_change(arrived, &ask.guess);
            }
            // Not `>`: a change that is not a number goes on as before.
            let has_arrived = self.left <= STILL * element;
            if !has_arrived {
                self.count += 1;
                return Judged::Again(Learnt::Guess(arrived.clone()));
            }
        }
        *self = Self::new(model, self.most);
        Judged::Settled(answer)
    }
}

fn largest_change(to: &[Vec3], from: &[Vec3]) -> f64 {
    to.iter().zip(from).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

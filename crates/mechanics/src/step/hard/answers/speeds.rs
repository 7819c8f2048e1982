//! How fast the bodies of a problem move where a step begins.

use crate::Vec3;

/// The velocities that belong to a problem, or to a part of one.
pub(super) struct Speeds<'a> {
    /// All velocities of the state, as the whole problem orders them.
    pub(super) all: &'a [f64],
    /// How many of them are those of bodies, six each; three of every node follow.
    pub(super) of_bodies: usize,
    /// What an angular velocity is multiplied by to be a speed \[m\].
    pub(super) radius: f64,
    /// The velocities of the part, ascending; `None` for all.
    pub(super) own: Option<&'a [usize]>,
}

impl Speeds<'_> {
    /// Whether nobody moves, nor turns, faster than this \[m/s\].
    pub(super) fn are_at_most(&self, most: f64) -> bool {
        // Velocities stand in triples: of a body's centre, of its turning, of a node.
        let is_slow = |first: usize| {
            let is_angular = first < self.of_bodies && first % 6 == 3;
            let lever = if is_angular { self.radius } else { 1.0 };
            lever * Vec3::from_slice(&self.all[first..first + 3]).length() <= most
        };
        match self.own {
            None => (0..self.all.len()).step_by(3).all(is_slow),
            Some(own) => own.iter().step_by(3).all(|first| is_slow(*first)),
        }
    }
}

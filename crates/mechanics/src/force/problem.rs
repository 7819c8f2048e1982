//! Forces that do not exist where their bodies are.

use super::Motion;
use crate::Model;

/// The first force that says so, by index, and what it says. `motion` is how a body moves.
pub(crate) fn first_problem(model: &Model, motion: impl Fn(usize) -> Motion, time: f64) -> Option<(usize, String)> {
    model.forces().enumerate().find_map(|(index, (_, force))| {
        let motions = force.bodies().map(|body| motion(body.index()));
        force.problem([&motions[0], &motions[1]], time).map(|problem| (index, problem))
    })
}

/// Kind and name of a force, as messages call it.
pub(crate) fn described(model: &Model, force: usize) -> String {
    model.force(force).map(|(name, force)| format!("{} `{name}`", force.kind())).unwrap_or_default()
}

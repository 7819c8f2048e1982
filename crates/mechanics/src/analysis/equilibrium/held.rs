//! Bodies that nothing connects with a fixed one cannot rest.

use crate::analysis::{AnalysisError, body_name};
use crate::dynamics::smooth::System;

/// Looks for groups of bodies, connected by joints and forces, without any fixed body. Forces on one body alone count as holding it,
/// except loads: those are what it must be held against.
pub(super) fn check(system: System<'_>) -> Result<(), AnalysisError> {
    let System { model, .. } = system;
    let ground = model.bodies().len();
    let mut group: Vec<usize> = (0..=ground).collect();
    let place = |body: usize| if model.bodies()[body].is_fixed { ground } else { body };
    let joints = model.joints().map(|(_, joint)| joint.bodies());
    let forces = model.forces().filter(|(_, force)| force.kind() != "load").map(|(_, force)| force.bodies());
    for bodies in joints.chain(forces) {
        let [a, b] = bodies.map(|body| place(body.index()));
        let (a, b) = (root(&mut group, a), root(&mut group, if bodies[0] == bodies[1] { ground } else { b }));
        group[a.min(b)] = a.max(b);
    }
    let held = root(&mut group, ground);
    let roots: Vec<usize> = (0..ground).map(|body| root(&mut group, place(body))).collect();
    match roots.iter().position(|&root| root != held) {
        Some(body) => {
            let others = roots.iter().filter(|&&other| other == roots[body]).count() - 1;
            Err(AnalysisError::Unheld { body: body_name(model, body), others })
        }
        None => Ok(()),
    }
}

/// The largest member of a group; paths are halved on the way.
fn root(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

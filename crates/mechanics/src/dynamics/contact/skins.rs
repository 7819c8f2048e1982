//! Contacts of the surfaces of flexible bodies.

use super::support::Support;
use crate::flexible::{FlexibleId, Link};
use crate::{Model, State, StepError};
use signorini_collision::{Contact, Detector, NO_FACE, SurfaceDetector};

/// Nodes with a smaller weight do not carry a contact.
const HELD: f64 = 1e-6;
/// Stands for no body.
const NOTHING: u32 = u32::MAX;

/// Detection of skins.
pub(super) struct Skins {
    detector: SurfaceDetector,
    /// How far every node may go in the step at hand \[m\]: room, filled by each search.
    reach: Vec<f64>,
    /// The body a rigid link holds each node to, [`NOTHING`] for free ones; empty without such links.
    held_to: Vec<u32>,
}

impl Skins {
    /// `None` without skins.
    pub(super) fn new(model: &Model, parallel: bool) -> Result<Option<Self>, StepError> {
        let reach = vec![0.0; model.field().nodes()];
        Ok(detector_of_skins(model, parallel)?.map(|detector| Self { detector, reach, held_to: held_to(model) }))
    }

    /// Adds the contacts of skins to those of rigid shapes that a detector has found with some reach and envelope. Elastic waves make
    /// any node as fast as the fastest of its body: all of them reach that far in h seconds, and at least as far as `least` \[m\].
    pub(super) fn add_contacts(
        &mut self,
        model: &Model,
        state: &State,
        (h, least): (f64, f64),
        (detector, reach, envelope): (&Detector, &[f64], f64),
        contacts: &mut Vec<Contact>,
    ) {
        let g = model.gravity().length();
        for body in 0..model.flexible().len() {
            let nodes = model.field().nodes_of(FlexibleId(body as u32));
            let fastest = state.node_velocities[nodes.clone()].iter().map(|v| v.length()).fold(0.0, f64::max);
            self.reach[nodes].fill((h * (fastest + h * g)).max(least));
        }
        self.detector.detect(detector, reach, &state.nodes, &self.reach, envelope, contacts);
        self.leave_out_held(model, state, contacts);
    }

    /// Adds overlaps of skins at the model's start to those of rigid shapes, which have just been found there.
    pub(super) fn add_overlaps_at_start(
        &mut self,
        model: &Model,
        (detector, reach): (&Detector, &[f64]),
        contacts: &mut Vec<Contact>,
    ) {
        let field = model.field();
        let still = vec![0.0; field.nodes()];
        self.detector.detect(detector, reach, &field.start, &still, 0.0, contacts);
    }

    /// Leaves out contacts of bodies with nodes that a rigid link holds to them.
    fn leave_out_held(&self, model: &Model, state: &State, contacts: &mut Vec<Contact>) {
        if self.held_to.is_empty() {
            return;
        }
        contacts.retain(|contact| match Support::of(model, &state.nodes, contact, 1) {
            Support::Face { nodes, weights } if contact.faces[0] == NO_FACE => {
                (0..3).any(|k| weights[k] > HELD && self.held_to[nodes[k]] != contact.bodies[0])
            }
            _ => true,
        });
    }
}

/// A detector of the contacts of skins; `None` without skins.
pub(crate) fn detector_of_skins(model: &Model, parallel: bool) -> Result<Option<SurfaceDetector>, StepError> {
    let field = model.field();
    if field.surfaces.is_empty() {
        return Ok(None);
    }
    let unusable = |(skin, error): (usize, _)| {
        let body = model.flexible()[field.skin_of[skin]].name.clone();
        StepError::Shape { body, error }
    };
    let mut detector =
        SurfaceDetector::new(field.surfaces.clone(), field.nodes(), model.excluded()).map_err(unusable)?;
    detector.set_parallel(parallel);
    Ok(Some(detector))
}

/// The body a rigid link holds each node to.
fn held_to(model: &Model) -> Vec<u32> {
    let mut held = Vec::new();
    for (_, link) in model.links() {
        if let Link::Rigid { flexible, nodes, body } = link {
            held.resize(model.field().nodes(), NOTHING);
            let first = model.nodes_of(*flexible).start;
            nodes.iter().for_each(|node| held[first + *node as usize] = body.0);
        }
    }
    held
}

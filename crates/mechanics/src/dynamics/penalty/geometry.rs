//! Where contacts are: found anew at every evaluation, or carried along with their bodies.
//!
//! Points of flat faces and edges come and go with the smallest turn, and forces jump with them: Newton's method may then have no end to
//! arrive at. Its last resort is to keep the contacts it has, each with its normal and the same points of both bodies:
//!
//! ```text
//! g = g₀ + n·(Δp_B − Δp_A)
//! ```

use crate::dynamics::contact::support::{Places, Support};
use crate::dynamics::smooth::equations::Phase;
use crate::{Model, Pose, Vec3};
use signorini_collision::{Contact, Detector, SurfaceDetector};

/// The contacts at a phase.
pub(super) struct Geometry {
    detector: Detector,
    /// Of flexible bodies.
    skins: Option<SurfaceDetector>,
    /// Contacts with smaller gaps are found \[m\].
    envelope: f64,
    reach: Vec<f64>,
    node_reach: Vec<f64>,
    contacts: Vec<Contact>,
    /// Contacts that are carried along, and where they were found; not while they are found anew.
    kept: Vec<Contact>,
    kept_at: Vec<Pose>,
    kept_nodes: Vec<Vec3>,
    is_kept: bool,
}

impl Geometry {
    pub(super) fn new(model: &Model, detector: Detector, skins: Option<SurfaceDetector>, envelope: f64) -> Self {
        Self {
            detector,
            skins,
            envelope,
            reach: vec![0.0; model.bodies().len()],
            node_reach: vec![0.0; model.field().nodes()],
            contacts: Vec::new(),
            kept: Vec::new(),
            kept_at: Vec::new(),
            kept_nodes: Vec::new(),
            is_kept: false,
        }
    }

    /// The contacts of the last call of [`Geometry::find`], in ascending order.
    pub(super) fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Finds contacts anew from now on.
    pub(super) fn release(&mut self) {
        self.is_kept = false;
    }

    /// Carries the contacts found last, those of this phase, along from now on.
    pub(super) fn keep(&mut self, phase: &Phase) {
        if !self.is_kept {
            self.kept.clone_from(&self.contacts);
            self.kept_at.clone_from(&phase.poses);
            self.kept_nodes.clone_from(&phase.nodes);
            self.is_kept = true;
        }
    }

    /// The contacts at a phase.
    pub(super) fn find(&mut self, model: &Model, phase: &Phase) {
        if !self.is_kept {
            let Self { detector, skins, envelope, reach, node_reach, contacts, .. } = self;
            detector.detect(&phase.poses, reach, *envelope, contacts);
            if let Some(skins) = skins {
                skins.detect(detector, reach, &phase.nodes, node_reach, *envelope, contacts);
            }
            return;
        }
        let Self { contacts, kept, kept_at, kept_nodes, .. } = self;
        let (from, to) =
            (Places { poses: kept_at, nodes: kept_nodes }, Places { poses: &phase.poses, nodes: &phase.nodes });
        contacts.clear();
        contacts.extend(kept.iter().map(|contact| {
            let points = [0, 1]
                .map(|side| Support::of(model, from.nodes, contact, side).carried(contact.points[side], from, to));
            let apart = (points[1] - contact.points[1]) - (points[0] - contact.points[0]);
            Contact { points, gap: contact.gap + contact.normal.dot(apart), ..*contact }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Mat3, Quat};
    use signorini_collision::{Collider, Mobility, Shape};

    #[test]
    fn kept_contacts_move_with_their_bodies_and_released_ones_are_found_anew() {
        let floor = Collider::new(0, Shape::HalfSpace { normal: Vec3::Z });
        let block = Collider::new(1, Shape::Cuboid { half: Vec3::new(0.3, 0.2, 0.1) });
        let detector = Detector::new(vec![floor, block], vec![Mobility::Fixed, Mobility::Moving], &[]).unwrap();
        let mut model = Model::builder();
        model.body(Body::fixed("floor"));
        model.body(Body::new("block", 1.0, Mat3::IDENTITY));
        let model = model.build().unwrap();
        let mut geometry = Geometry::new(&model, detector, None, 0.01);
        let phase = |pose: Pose| Phase {
            time: 0.0,
            poses: vec![Pose::IDENTITY, pose],
            nodes: Vec::new(),
            velocity: Vec::new(),
            memory: Vec::new(),
        };
        let start = phase(Pose::at(Vec3::new(0.0, 0.0, 0.099)));
        geometry.find(&model, &start);
        geometry.keep(&start);
        let end = phase(Pose::new(Vec3::new(0.01, 0.0, 0.0985), Quat::from_rotation_y(0.001)));
        geometry.find(&model, &end);
        let kept = geometry.contacts().to_vec();
        geometry.release();
        geometry.find(&model, &end);
        // Corners on a plane: the same points either way.
        assert_eq!((kept.len(), geometry.contacts().len()), (4, 4));
        for (kept, found) in kept.iter().zip(geometry.contacts()) {
            assert_eq!(kept.feature, found.feature);
            assert!((kept.gap - found.gap).abs() < 1e-15 && (kept.points[1] - found.points[1]).length() < 1e-15);
        }
        // Far away nothing is found, but what is kept stays.
        geometry.keep(&end);
        geometry.find(&model, &phase(Pose::at(Vec3::Z)));
        assert!(geometry.contacts().len() == 4 && geometry.contacts().iter().all(|contact| contact.gap > 0.8));
    }
}

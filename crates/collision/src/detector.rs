//! Finding all contacts of a model.

use crate::{Collider, Contact, Pose, Shape, ShapeError};
use glam::DVec3;

/// Whether a body can move; two bodies that cannot are never tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// Moved by forces.
    Moving,
    /// Never moves.
    Fixed,
}

/// Finds the contacts of a set of colliders.
pub struct Detector {
    colliders: Vec<Collider>,
    mobility: Vec<Mobility>,
    excluded: Vec<(u32, u32)>,
}

impl Detector {
    /// Prepares colliders for detection. `mobility` has one entry a body; pairs of bodies in `excluded` never touch.
    ///
    /// # Errors
    /// A shape that cannot be used, with the index of its collider.
    pub fn new(
        colliders: Vec<Collider>,
        mobility: Vec<Mobility>,
        excluded: &[(u32, u32)],
    ) -> Result<Self, (usize, ShapeError)> {
        for (index, collider) in colliders.iter().enumerate() {
            collider.shape.check().map_err(|error| (index, error))?;
        }
        let mut excluded: Vec<(u32, u32)> = excluded.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        excluded.sort_unstable();
        Ok(Self { colliders, mobility, excluded })
    }

    /// The colliders, in the order contacts name them by.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Replaces `contacts` by every contact with gap < envelope + reach[A] + reach[B]. `poses` (world_from_body) and
    /// `reach` \[m\] have one entry a body. The order is that of colliders, then features, whatever the threads.
    pub fn detect(&mut self, poses: &[Pose], reach: &[f64], envelope: f64, contacts: &mut Vec<Contact>) {
        contacts.clear();
        for a in 0..self.colliders.len() {
            for b in a + 1..self.colliders.len() {
                let (ca, cb) = (&self.colliders[a], &self.colliders[b]);
                let bodies = [ca.body, cb.body];
                let [i, j] = bodies.map(|body| body as usize);
                let fixed = self.mobility[i] == Mobility::Fixed && self.mobility[j] == Mobility::Fixed;
                let key = (bodies[0].min(bodies[1]), bodies[0].max(bodies[1]));
                if i == j || fixed || !ca.groups.meet(cb.groups) || self.excluded.binary_search(&key).is_ok() {
                    continue;
                }
                let (pa, pb) = (poses[i] * ca.pose, poses[j] * cb.pose);
                let Some((points, normal, gap)) = closest(&ca.shape, pa, &cb.shape, pb) else { continue };
                if gap < envelope + reach[i] + reach[j] {
                    contacts.push(Contact { colliders: [a as u32, b as u32], bodies, feature: 0, points, normal, gap });
                }
            }
        }
    }
}

fn closest(a: &Shape, pa: Pose, b: &Shape, pb: Pose) -> Option<([DVec3; 2], DVec3, f64)> {
    match (a, b) {
        (Shape::Sphere { radius: ra }, Shape::Sphere { radius: rb }) => {
            let d = pb.position - pa.position;
            let n = d.try_normalize().unwrap_or(DVec3::Z);
            Some(([pa.position + n * *ra, pb.position - n * *rb], n, d.length() - ra - rb))
        }
        (Shape::HalfSpace { normal }, Shape::Sphere { radius }) => {
            let n = pa.rotation * *normal;
            let height = n.dot(pb.position - pa.position);
            Some(([pb.position - n * height, pb.position - n * *radius], n, height - radius))
        }
        (Shape::Sphere { .. }, Shape::HalfSpace { .. }) => {
            closest(b, pb, a, pa).map(|([q, p], n, gap)| ([p, q], -n, gap))
        }
        _ => None,
    }
}

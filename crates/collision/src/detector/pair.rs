//! Two colliders at any poses: where they would be along a way, without moving the others.

use super::Detector;
use super::placement::SPHERE;
use crate::narrow::general;
use crate::narrow::{Touch, sphere_solid, sphere_sphere};
use crate::{Pose, Shape};
use glam::DVec3;

/// Where two colliders are nearest to each other, or overlap most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance \[m\].
    pub gap: f64,
    /// Unit normal from A to B.
    pub normal: DVec3,
    /// The point of A and the point of B.
    pub points: [DVec3; 2],
}

impl Detector {
    /// The least gap of two colliders if their bodies were at these poses; `None` where it is not below `limit` \[m\]. Nothing is moved, and what other calls find does
    /// not depend on it.
    pub fn nearest(&mut self, colliders: [u32; 2], poses: [&Pose; 2], limit: f64) -> Option<Nearest> {
        let Self { placement, colliders: known, probe, .. } = self;
        if colliders.iter().any(|collider| *collider as usize >= known.len()) {
            return None;
        }
        let mut least: Option<Nearest> = None;
        let mut take = |touch: Touch| {
            if touch.gap < least.map_or(limit, |least| least.gap) {
                least = Some(Nearest { gap: touch.gap, normal: touch.normal, points: touch.points });
            }
        };
        let placed = [0, 1].map(|side| *poses[side] * known[colliders[side] as usize].pose);
        let places = colliders.map(|collider| &placement.places[collider as usize]);
        let is_sphere = places.map(|place| place.solid == SPHERE);
        let sphere = |side: usize| (placed[side].position, places[side].radius);
        if is_sphere == [true; 2] {
            sphere_sphere(sphere(0), sphere(1), limit).into_iter().for_each(take);
            return least;
        }
        if let Some(side) = is_sphere.iter().position(|is_sphere| *is_sphere) {
            let other = 1 - side;
            let closed = placement.solid(colliders[other]).and_then(|solid| solid.closed.as_ref());
            if let Some((closed, growth)) = closed {
                let solid = (closed, &placed[other], *growth);
                let ordered = |touch: Touch| if side == 0 { touch.exchanged() } else { touch };
                sphere_solid(solid, sphere(side), limit, |_, touch| take(ordered(touch)));
                return least;
            }
        }
        let [Some((a, _)), Some((b, _))] = colliders.map(|collider| placement.prepared(collider)) else { return None };
        let [at, to] = &placed;
        general::contacts(probe, a, at, b, to, limit, &mut |_, points, normal, gap| {
            take(Touch { points, normal, gap })
        });
        least
    }

    /// Whether a collider is convex and bounded: two of them touch at one place.
    #[must_use]
    pub fn is_convex(&self, collider: u32) -> bool {
        let shape = self.colliders.get(collider as usize).map(|collider| &collider.shape);
        shape.is_some_and(|shape| {
            matches!(
                shape,
                Shape::Sphere { .. }
                    | Shape::Cuboid { .. }
                    | Shape::Capsule { .. }
                    | Shape::Cylinder { .. }
                    | Shape::Cone { .. }
                    | Shape::ConvexHull { .. }
            )
        })
    }

    /// Half of the smallest side of the box around a collider, in its own frame \[m\]: whoever moves by less cannot pass through it unseen. Infinite for one that is
    /// unbounded.
    #[must_use]
    pub fn half_thickness(&self, collider: u32) -> f64 {
        let Some(collider) = self.colliders.get(collider as usize) else { return 0.0 };
        let (low, high) = collider.shape.local_aabb();
        0.5 * (high - low).min_element() + collider.margin
    }
}

#[cfg(test)]
mod tests {
    use super::Nearest;
    use crate::{Collider, Contact, Detector, Mobility, Pose, Shape};
    use glam::{DQuat, DVec3};

    #[test]
    fn pairs_have_the_least_gap_that_detection_finds_there() {
        let shapes = [
            Shape::Sphere { radius: 0.3 },
            Shape::Cuboid { half: DVec3::new(0.2, 0.3, 0.4) },
            Shape::Capsule { half_height: 0.3, radius: 0.1 },
            Shape::Cylinder { half_height: 0.3, radius: 0.2 },
        ];
        for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
            let colliders = vec![Collider::new(0, shapes[a].clone()), Collider::new(1, shapes[b].clone())];
            let mut detector = Detector::new(colliders, vec![Mobility::Moving; 2], &[]).unwrap();
            let turn = |angle: f64| DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
            for k in 0..5 {
                let x = 0.4 + 0.1 * f64::from(k);
                let poses = [Pose::new(DVec3::ZERO, turn(0.3)), Pose::new(DVec3::new(x, 0.1, 0.2), turn(1.0))];
                let mut contacts: Vec<Contact> = Vec::new();
                detector.detect(&poses, &[0.0; 2], 0.5, &mut contacts);
                let least = contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
                match (detector.nearest([0, 1], [&poses[0], &poses[1]], 0.5), least) {
                    (Some(Nearest { gap, normal, .. }), Some(least)) => {
                        assert!(
                            (gap - least.gap).abs() < 1e-14 && normal.dot(least.normal) > 1.0 - 1e-9,
                            "{a} {b} {k}"
                        );
                    }
                    (None, None) => {}
                    (found, least) => panic!("{a} {b} {k}: {found:?} {least:?}"),
                }
                assert_eq!(detector.nearest([0, 1], [&poses[0], &Pose::at(DVec3::X * 9.0)], 0.5), None);
            }
        }
        let half_space = Collider::new(0, Shape::HalfSpace { normal: DVec3::Z });
        let detector = Detector::new(vec![half_space], vec![Mobility::Fixed], &[]).unwrap();
        assert_eq!(detector.half_thickness(0), f64::INFINITY);
    }
}

//! Two colliders in, their contacts out.

pub(crate) mod foot;
pub(crate) mod general;
pub(crate) mod section;
mod sphere_solid;
mod sphere_sphere;

pub(crate) use sphere_solid::sphere_solid;
pub(crate) use sphere_sphere::sphere_sphere;

use glam::DVec3;

/// A contact without the names of what touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// The point of A and the point of B.
    pub(crate) points: [DVec3; 2],
    /// Unit normal from A to B.
    pub(crate) normal: DVec3,
    /// Signed distance.
    pub(crate) gap: f64,
}

impl Touch {
    /// The same contact with A and B exchanged.
    pub(crate) fn exchanged(self) -> Self {
        let [a, b] = self.points;
        Self { points: [b, a], normal: -self.normal, ..self }
    }
}

/// Points nearer than this \[m\] are one: the square of their distance is no longer a normal number.
const ONE_POINT: f64 = 1e-150;

/// The unit vector along a vector of this length; `None` if it has no direction.
#[inline]
pub(crate) fn direction(vector: DVec3, length: f64) -> Option<DVec3> {
    (length > ONE_POINT).then(|| vector / length)
}

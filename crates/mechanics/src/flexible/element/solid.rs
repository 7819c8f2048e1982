//! What every solid element can do, over slices of its nodes.

use super::ElementError;
use crate::{Mat3, Vec3};

/// Which derivative of the force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tangent {
    /// Symmetric positive semi-definite, near the exact one: keeps H of the DVI step positive definite.
    #[default]
    Positive,
    /// The exact second derivative of the energy: Newton's method converges quadratically. Symmetric; may be indefinite.
    Exact,
}

// ANCHOR: solid
/// An element with an elastic energy of the positions of its nodes. Forces are exact gradients of the energy, so they
/// have no resultant and no moment.
///
/// All functions panic if a slice has the wrong length: `now` and `force` one entry a node, `tangent` (3 nodes)².
pub trait Solid {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Volume at rest \[m³\].
    fn volume(&self) -> f64;

    /// Elastic energy \[J\] with nodes at `now` \[m\].
    ///
    /// # Errors
    /// The material has no energy there (neo-Hookean: inverted).
    fn energy(&self, now: &[Vec3]) -> Result<f64, ElementError>;

    /// Writes the forces \[N\] on the nodes, −∂energy/∂x.
    ///
    /// # Errors
    /// As [`Solid::energy`]; the forces are then unspecified.
    fn force(&self, now: &[Vec3], force: &mut [Vec3]) -> Result<(), ElementError>;

    /// Writes the stiffness −∂force/∂x \[N/m\], 3n × 3n by rows; row and column 3 i + a are axis a of node i.
    ///
    /// # Errors
    /// As [`Solid::energy`]; the stiffness is then unspecified.
    fn tangent(&self, now: &[Vec3], which: Tangent, tangent: &mut [f64]) -> Result<(), ElementError>;

    /// Writes forces and stiffness, to the bits of [`Solid::force`] and [`Solid::tangent`]; corotational elements find their
    /// rotation, which is most of the work of a TET4, once for both.
    ///
    /// # Errors
    /// As [`Solid::energy`].
    fn force_and_tangent(
        &self,
        now: &[Vec3],
        which: Tangent,
        force: &mut [Vec3],
        tangent: &mut [f64],
    ) -> Result<(), ElementError> {
        self.force(now, force)?;
        self.tangent(now, which, tangent)
    }
}
// ANCHOR_END: solid

/// The slice as an array of the element's size.
pub(crate) fn sized<const N: usize>(slice: &[Vec3]) -> &[Vec3; N] {
    match slice.try_into() {
        Ok(array) => array,
        Err(_) => panic!("{} nodes for an element of {N}", slice.len()),
    }
}

/// The slice as an array of the element's size.
pub(crate) fn sized_mut<const N: usize>(slice: &mut [Vec3]) -> &mut [Vec3; N] {
    let found = slice.len();
    match slice.try_into() {
        Ok(array) => array,
        Err(_) => panic!("{found} nodes for an element of {N}"),
    }
}

/// Adds a 3 × 3 block to a matrix of `nodes` × `nodes` blocks by rows.
pub(crate) fn add_block(tangent: &mut [f64], nodes: usize, i: usize, j: usize, block: Mat3) {
    for row in 0..3 {
        let start = (3 * i + row) * 3 * nodes + 3 * j;
        let target = &mut tangent[start..start + 3];
        target[0] += block.x_axis[row];
        target[1] += block.y_axis[row];
        target[2] += block.z_axis[row];
    }
}

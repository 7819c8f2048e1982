//! Strain and stress for output: at quadrature points, and averaged to the nodes of a mesh.

use crate::Mat3;

/// Strain and stress at a quadrature point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointState {
    /// Strain; which measure and axes, the element says.
    pub strain: Mat3,
    /// Cauchy stress \[Pa\] in world axes.
    pub stress: Mat3,
    /// The volume at rest the point stands for \[m³\].
    pub volume: f64,
}

/// Von Mises' equivalent stress \[Pa\]: √(3/2 s : s) with the deviator s = σ − tr(σ)/3 I.
#[must_use]
pub fn von_mises(stress: Mat3) -> f64 {
    let pressure = (stress.x_axis.x + stress.y_axis.y + stress.z_axis.z) / 3.0;
    let deviator = stress - Mat3::from_diagonal(glam::DVec3::splat(pressure));
    let [x, y, z] = [deviator.x_axis, deviator.y_axis, deviator.z_axis].map(glam::DVec3::length_squared);
    (1.5 * (x + y + z)).sqrt()
}

/// Means at the nodes of a mesh of what its elements say there, weighted by their volumes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodalMean {
    sums: Vec<Mat3>,
    weights: Vec<f64>,
}

impl NodalMean {
    /// No elements yet, for a mesh of `nodes`.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { sums: vec![Mat3::ZERO; nodes], weights: vec![0.0; nodes] }
    }

    /// Adds an element of a volume \[m³\]: its nodes and the values there, see
    /// [`Reference::extrapolate`](super::Reference::extrapolate).
    ///
    /// # Panics
    /// If a node is out of the mesh.
    pub fn add(&mut self, nodes: &[u32], volume: f64, at_nodes: &[Mat3]) {
        for (&node, &value) in nodes.iter().zip(at_nodes) {
            self.sums[node as usize] += value * volume;
            self.weights[node as usize] += volume;
        }
    }

    /// The means; zero at nodes without elements.
    #[must_use]
    pub fn means(&self) -> Vec<Mat3> {
        let mean = |(sum, weight): (&Mat3, &f64)| if *weight > 0.0 { *sum * weight.recip() } else { Mat3::ZERO };
        self.sums.iter().zip(&self.weights).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;

    #[test]
    fn von_mises_is_the_tension_in_a_bar_and_root_three_times_shear() {
        assert!((von_mises(Mat3::from_diagonal(Vec3::X * -5.0)) - 5.0).abs() < 1e-15);
        let shear = Mat3::from_cols(Vec3::Y, Vec3::X, Vec3::ZERO);
        assert!((von_mises(shear + Mat3::IDENTITY * 7.0) - 3f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn nodes_take_the_mean_of_their_elements_by_volume() {
        let mut mean = NodalMean::new(3);
        mean.add(&[0, 1], 1.0, &[Mat3::IDENTITY; 2]);
        mean.add(&[1], 3.0, &[Mat3::IDENTITY * 5.0]);
        assert_eq!(mean.means(), [Mat3::IDENTITY, Mat3::IDENTITY * 4.0, Mat3::ZERO]);
    }
}

//! A net of masses and springs treated implicitly: H = M + h²K is sparse and not block diagonal.

use super::GRAVITY;
use crate::{Cone, ConeProblem, ProblemError};
use signorini_linalg::CscMatrix;

/// A horizontal grid of point masses, each tied to its neighbours by springs stiff in every direction, resting on
/// frictional supports under its first and last column (x), or under every node.
///
/// K = k L ⊗ I₃ with L the Laplacian of the grid. Supported nodes stay at rest. A row of the net sags alike for every
/// y, so between the supports the vertical velocities solve (m + 2h²k) v_i − h²k (v_{i−1} + v_{i+1}) = −h m g.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Nodes along x and y.
    pub nodes: [usize; 2],
    /// Mass of a node \[kg\].
    pub mass: f64,
    /// Stiffness of a spring k \[N/m\].
    pub stiffness: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Supports under every node instead of two edges.
    pub supported_everywhere: bool,
    /// Time step \[s\].
    pub step: f64,
}

impl Default for Net {
    fn default() -> Self {
        Self { nodes: [12, 6], mass: 0.1, stiffness: 1000.0, friction: 0.4, supported_everywhere: false, step: 0.01 }
    }
}

impl Net {
    fn supported(&self, x: usize) -> bool {
        self.supported_everywhere || x == 0 || x + 1 == self.nodes[0]
    }

    /// Vertical velocity of the nodes along one row of the net \[m/s\], by elimination of the tridiagonal system.
    #[must_use]
    pub fn exact_sag(&self) -> Vec<f64> {
        let k = self.step * self.step * self.stiffness;
        let load = -self.step * self.mass * GRAVITY;
        let mut sag = vec![0.0; self.nodes[0]];
        if self.supported_everywhere || self.nodes[0] < 3 {
            return sag;
        }
        // v_i = p_i + q_i v_{i+1}, forwards; then backwards from the support.
        let (mut p, mut q) = (vec![0.0; self.nodes[0]], vec![0.0; self.nodes[0]]);
        for i in 1..self.nodes[0] - 1 {
            let pivot = self.mass + 2.0 * k - k * q[i - 1];
            q[i] = k / pivot;
            p[i] = (load + k * p[i - 1]) / pivot;
        }
        for i in (1..self.nodes[0] - 1).rev() {
            sag[i] = p[i] + q[i] * sag[i + 1];
        }
        sag
    }

    /// The problem of one step from rest, 3 velocities a node, x fastest.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        let [nx, ny] = self.nodes;
        let k = self.step * self.step * self.stiffness;
        let mut triplets: Vec<(usize, usize, f64)> = (0..3 * nx * ny).map(|i| (i, i, self.mass)).collect();
        let mut tie = |a: usize, b: usize| {
            for axis in 0..3 {
                let (i, j) = (3 * a + axis, 3 * b + axis);
                triplets.extend([(i, i, k), (j, j, k), (i, j, -k), (j, i, -k)]);
            }
        };
        for node in 0..nx * ny {
            if node % nx + 1 < nx {
                tie(node, node + 1);
            }
            if node + nx < nx * ny {
                tie(node, node + nx);
            }
        }
        let n = 3 * nx * ny;
        let h = CscMatrix::from_triplets(n, n, triplets)
            .map_err(|_| ProblemError::Unsupported { what: "a net of this size".into() })?;
        let mut builder = ConeProblem::builder();
        builder.sparse_inertia(h);
        let weight = self.step * GRAVITY * self.mass;
        builder.linear(&(0..n).map(|i| if i % 3 == 2 { weight } else { 0.0 }).collect::<Vec<_>>());
        for node in (0..nx * ny).filter(|node| self.supported(node % nx)) {
            let [x, y, z] = [0, 1, 2].map(|axis| [(3 * node + axis, 1.0)]);
            builder.rows(Cone::Friction { mu: self.friction }, &[&z, &x, &y], &[0.0; 3]);
        }
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, SolverSettings, Tolerance, solve};

    #[test]
    fn a_net_sags_between_its_supports_as_the_tridiagonal_system_says() {
        for (stiffness, supported_everywhere) in [(10.0, false), (1e5, false), (1000.0, true)] {
            let net = Net { stiffness, supported_everywhere, ..Default::default() };
            let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
            let solution = solve(&net.problem().unwrap(), &settings).unwrap();
            let sag = net.exact_sag();
            for (i, v) in solution.velocity().iter().enumerate() {
                let expected = if i % 3 == 2 { sag[i / 3 % net.nodes[0]] } else { 0.0 };
                assert!((v - expected).abs() < 1e-9, "{net:?}, velocity {i}: {v} instead of {expected}");
            }
        }
    }

    #[test]
    fn three_nodes_have_the_sag_of_one_equation() {
        let net = Net { nodes: [3, 1], ..Default::default() };
        let k = net.step * net.step * net.stiffness;
        let expected = -net.step * GRAVITY * net.mass / (net.mass + 2.0 * k);
        assert!((net.exact_sag()[1] - expected).abs() < 1e-16);
    }
}

//! Bushing: an elastic and damping connection of two frames in all six directions.
//!
//! ```text
//! u = (d, ψ): d = (a_x, a_y, a_z)·(p_B − p_A) the displacement in A's axes,
//!             ψ the rotation vector of B's frame relative to A's, |ψ| ≤ π,  ψ̇ = Ω + ½ψ × Ω + κ ψ × (ψ × Ω)
//! G = ∂u/∂q (6 rows),  u̇ = G v
//! f = −Gᵀ(K u + D u̇ + p)                               energy ½ uᵀK u + pᵀu;  p what it pulls back with at u = 0
//! −∂f/∂v = Gᵀ D G                                      exact
//! −∂f/∂q = Gᵀ K G                                      exact without deflection and preload
//! ```
//!
//! K and D are symmetric and positive semi-definite, and so are the tangents. Left out: how G changes with q. Half a turn away the
//! rotation vector goes the other way round, and the moment jumps.

use super::semidefinite::check_semidefinite;
use super::{Force, Motion, Tangent, Wrench, rate};
use crate::joint::Anchors;
use crate::joint::kinematics::Kinematics;
use crate::{BodyId, ParameterError, Vec3};

/// A symmetric matrix over (d, ψ), row by row: \[N/m\], \[N/rad\] and \[N m/rad\] for a stiffness.
pub type Matrix6 = [[f64; 6]; 6];

/// Elastic and damping connection of two frames, treated implicitly: any stiffness is stable.
#[derive(Clone, Debug, PartialEq)]
pub struct Bushing {
    anchors: Anchors,
    stiffness: Matrix6,
    damping: Matrix6,
    preload: [f64; 6],
}

/// u with its gradients.
struct Deflection {
    value: [f64; 6],
    gradients: [[[f64; 6]; 2]; 6],
}

impl Bushing {
    /// A bushing with stiffness K and damping D over the displacement and the rotation vector of B's frame in A's axes.
    #[must_use]
    pub fn new(anchors: Anchors, stiffness: Matrix6, damping: Matrix6) -> Self {
        Self { anchors, stiffness, damping, preload: [0.0; 6] }
    }

    /// A bushing whose directions do not act on each other: the diagonals of K and D.
    #[must_use]
    pub fn diagonal(anchors: Anchors, stiffness: [f64; 6], damping: [f64; 6]) -> Self {
        Self::new(anchors, diagonal(stiffness), diagonal(damping))
    }

    /// The same with a force \[N\] and a moment \[N m\] that pull B back along the axes of A's frame where nothing is deflected.
    #[must_use]
    pub fn preloaded(mut self, preload: [f64; 6]) -> Self {
        self.preload = preload;
        self
    }

    fn deflection(&self, motions: [&Motion; 2]) -> Deflection {
        let kinematics = Kinematics::new(&self.anchors, motions.map(|motion| &motion.pose));
        let [x, y, z] = [0, 1, 2].map(|k| kinematics.separation_along(k));
        let [a, b, c] = kinematics.lock();
        let rows = [x, y, z, a, b, c];
        Deflection { value: rows.map(|row| row.value), gradients: rows.map(|row| row.jacobian) }
    }
}

/// The matrix with this diagonal.
fn diagonal(entries: [f64; 6]) -> Matrix6 {
    let mut matrix = [[0.0; 6]; 6];
    (0..6).for_each(|k| matrix[k][k] = entries[k]);
    matrix
}

fn product(matrix: &Matrix6, vector: &[f64; 6]) -> [f64; 6] {
    matrix.map(|row| dot(&row, vector))
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Deflection {
    fn rate(&self, motions: [&Motion; 2]) -> [f64; 6] {
        std::array::from_fn(|k| rate(&self.gradients[k], motions))
    }

    /// −Gᵀt.
    fn wrenches(&self, tension: &[f64; 6]) -> [Wrench; 2] {
        [0, 1].map(|side| {
            let sum = |first: usize| {
                let part = |k: usize| Vec3::from_slice(&self.gradients[k][side][first..first + 3]) * -tension[k];
                (0..6).map(part).sum::<Vec3>()
            };
            Wrench { force: sum(0), torque: sum(3) }
        })
    }

    /// Gᵀ M G, to the last bit symmetric.
    fn congruence(&self, matrix: &Matrix6) -> [[f64; 12]; 12] {
        // Row k: entry k of all gradients.
        let columns: [[f64; 6]; 12] =
            std::array::from_fn(|column| std::array::from_fn(|k| self.gradients[k][column / 6][column % 6]));
        let mut out = [[0.0; 12]; 12];
        for row in 0..12 {
            let half = product(matrix, &columns[row]);
            for column in 0..=row {
                out[row][column] = dot(&half, &columns[column]);
                out[column][row] = out[row][column];
            }
        }
        out
    }
}

impl Force for Bushing {
    fn kind(&self) -> &'static str {
        "bushing"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn wrench(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let deflection = self.deflection(motions);
        let elastic = product(&self.stiffness, &deflection.value);
        let viscous = product(&self.damping, &deflection.rate(motions));
        deflection.wrenches(&std::array::from_fn(|k| elastic[k] + viscous[k] + self.preload[k]))
    }
    fn tangent(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        let deflection = self.deflection(motions);
        let [stiffness, damping] = [&self.stiffness, &self.damping].map(|matrix| deflection.congruence(matrix));
        Some(Tangent { stiffness, damping })
    }
    fn energy(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        let u = self.deflection(motions).value;
        0.5 * dot(&u, &product(&self.stiffness, &u)) + dot(&self.preload, &u)
    }
    fn is_passive(&self) -> bool {
        true
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        check_semidefinite("stiffness", &self.stiffness)?;
        check_semidefinite("damping", &self.damping)?;
        match self.preload.iter().find(|part| !part.is_finite()) {
            Some(value) => Err(ParameterError::number("preload", *value, "finite numbers of N and N m")),
            None => Ok(()),
        }
    }
}

//! An elastic slab of tetrahedra on a frictional floor: H = M + h²K is sparse and large.

use super::{GRAVITY, Generator};
use crate::problem::{Inertia, RowBlocks};
use crate::{Cone, ConeProblem, ProblemError};
use signorini_linalg::{CscMatrix, SparseAnalysis};
use std::sync::Arc;

/// A slab of cubic cells, six linear tetrahedra each, that lies on a floor, is sheared, and is being tilted off it.
///
/// Isotropic linear elasticity, lumped masses, 3 velocities a node (x fastest). Contacts lie under the bottom on nodes, edges
/// and triangles in turn, so that a row acts on one, two or three nodes; every third has a gap. The slab arrives with a
/// velocity along x that grows with y and with one upwards that grows with x: some contacts slide, some part, and where it is
/// soft some stick.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticSlab {
    /// Cells along x, y, z, at least one each.
    pub cells: [usize; 3],
    /// Edge of a cell \[m\].
    pub spacing: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, below ½.
    pub poisson: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Contacts under the bottom, spread over its nodes.
    pub contacts: usize,
    /// Nodes of the top held by a body that moves upwards at 1 mm/s: three bilateral rows each.
    pub held: usize,
    /// Time step \[s\].
    pub step: f64,
}

impl Default for ElasticSlab {
    fn default() -> Self {
        Self {
            cells: [6, 5, 2],
            spacing: 0.05,
            young: 1e6,
            poisson: 0.3,
            density: 1000.0,
            friction: 0.5,
            contacts: 30,
            held: 0,
            step: 0.01,
        }
    }
}

/// Corners of the six tetrahedra of a cube [Kuhn 1960]: along the axes in every order, from corner 000 to corner 111.
/// Bit i of a corner is its place along axis i.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

impl ElasticSlab {
    /// A slab of about so many tetrahedra, ten nodes thick and square, with so many contacts.
    #[must_use]
    pub fn of_tetrahedra(tetrahedra: usize, contacts: usize) -> Self {
        let thick = 9;
        let side = ((tetrahedra as f64 / (6 * thick) as f64).sqrt().round() as usize).max(1);
        Self { cells: [side, side, thick], contacts, ..Self::default() }
    }

    /// Number of tetrahedra.
    #[must_use]
    pub fn tetrahedra(&self) -> usize {
        6 * self.cells.iter().product::<usize>()
    }
    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.cells.iter().map(|cells| cells + 1).product()
    }

    fn node(&self, [x, y, z]: [usize; 3]) -> usize {
        ((z * (self.cells[1] + 1)) + y) * (self.cells[0] + 1) + x
    }
    fn place(&self, node: usize) -> [usize; 3] {
        let (nx, ny) = (self.cells[0] + 1, self.cells[1] + 1);
        [node % nx, node / nx % ny, node / (nx * ny)]
    }

    /// H = M + h²K, and the mass of every node \[kg\].
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub fn inertia(&self) -> Result<(CscMatrix, Vec<f64>), ProblemError> {
        let nodes = self.nodes();
        let volume = self.spacing.powi(3) / 6.0;
        let share = 0.25 * self.density * volume;
        let stiffness = TETRAHEDRA.map(|corners| self.element_stiffness(corners, volume));
        // Blocks K_ab of every node a, by ascending b.
        let mut blocks: Vec<Vec<(usize, [f64; 9])>> = vec![Vec::new(); nodes];
        let mut mass = vec![0.0; nodes];
        let h2 = self.step * self.step;
        for cell in 0..self.cells.iter().product() {
            let [cx, cy, _] = self.cells;
            let at = [cell % cx, cell / cx % cy, cell / (cx * cy)];
            for (corners, stiffness) in TETRAHEDRA.iter().zip(&stiffness) {
                let node = corners.map(|corner| self.node(std::array::from_fn(|i| at[i] + (corner >> i & 1))));
                for (a, row) in node.iter().zip(stiffness) {
                    mass[*a] += share;
                    for (b, block) in node.iter().zip(row) {
                        add_block(&mut blocks[*a], *b, block.map(|k| h2 * k));
                    }
                }
            }
        }
        let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
        for (a, list) in blocks.iter().enumerate() {
            for axis in 0..3 {
                for (b, block) in list {
                    for other in 0..3 {
                        // Column a of the symmetric matrix is row a.
                        index.push(3 * b + other);
                        let lumped = if *b == a && other == axis { mass[a] } else { 0.0 };
                        values.push(block[3 * axis + other] + lumped);
                    }
                }
                start.push(index.len());
            }
        }
        let n = 3 * nodes;
        let matrix = CscMatrix::from_compressed_columns(n, n, &start, &index, &values)
            .map_err(|error| ProblemError::Unsupported { what: format!("H of the slab: {error}") })?;
        Ok((matrix, mass))
    }

    /// K_ab = V (λ ∇a ∇bᵀ + μ ∇b ∇aᵀ + μ (∇a·∇b) I) of the linear tetrahedron, row-major blocks.
    fn element_stiffness(&self, corners: [usize; 4], volume: f64) -> [[[f64; 9]; 4]; 4] {
        let lambda = self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson));
        let mu = 0.5 * self.young / (1.0 + self.poisson);
        // Corner k + 1 is corner k moved along one axis, so the shape functions fall and rise along these axes alone.
        let mut gradient = [[0.0; 3]; 4];
        for k in 0..3 {
            let axis = (corners[k] ^ corners[k + 1]).trailing_zeros() as usize;
            gradient[k][axis] -= 1.0 / self.spacing;
            gradient[k + 1][axis] += 1.0 / self.spacing;
        }
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                let (p, q) = (gradient[a], gradient[b]);
                let dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
                std::array::from_fn(|e| {
                    let (i, j) = (e / 3, e % 3);
                    let shear = if i == j { mu * dot } else { 0.0 };
                    volume * (lambda * (p[i] * q[j]) + mu * (q[i] * p[j]) + shear)
                })
            })
        })
    }

    /// The problem of one step.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        let (matrix, mass) = self.inertia()?;
        self.problem_of(Inertia::sparse(matrix), &mass)
    }
    /// The same with an analysis of H made before.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem_with(&self, analysis: &Arc<SparseAnalysis>) -> Result<ConeProblem, ProblemError> {
        let (matrix, mass) = self.inertia()?;
        self.problem_of(Inertia::sparse_with(matrix, analysis), &mass)
    }
    /// The same with H and the masses of the nodes at hand.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem_of(&self, inertia: Inertia, mass: &[f64]) -> Result<ConeProblem, ProblemError> {
        let fall = self.step * GRAVITY;
        let share = |place: usize, cells: usize| place as f64 / cells as f64;
        // c = −(M v + h f): forces of the strain are zero, that of gravity is −m g.
        let mut linear = Vec::with_capacity(3 * mass.len());
        for (node, mass) in mass.iter().enumerate() {
            let [x, y, _] = self.place(node);
            let along = 4.0 * fall * share(y, self.cells[1]);
            let up = fall * (4.0 * share(x, self.cells[0]) - 2.0);
            linear.extend([-mass * along, 0.0, -mass * (up - fall)]);
        }
        let (mut rows, mut cones, mut offset) = (RowBlocks::new(), Vec::new(), Vec::new());
        let mut generator = Generator::new(7);
        let bottom = (self.cells[0] + 1) * (self.cells[1] + 1);
        for contact in 0..self.contacts {
            let [x, y, _] = self.place(contact * bottom / self.contacts.max(1) % bottom);
            // The triangle of this node towards the middle of the slab, so that it exists.
            let inwards = |at: usize, cells: usize| if at < cells { at + 1 } else { at.saturating_sub(1) };
            let (other_x, other_y) = (inwards(x, self.cells[0]), inwards(y, self.cells[1]));
            let triangle = [[x, y, 0], [other_x, y, 0], [x, other_y, 0]].map(|place| self.node(place));
            let weights: &[f64] = [&[1.0][..], &[0.5, 0.5], &[0.5, 0.3, 0.2]][contact % 3];
            // Rows n, t₁, t₂ = z, x, y.
            let lines = [2, 0, 1]
                .map(|axis| weights.iter().zip(triangle).map(|(w, node)| (3 * node + axis, *w)).collect::<Vec<_>>());
            rows.push(&lines.each_ref().map(Vec::as_slice));
            cones.push(Cone::Friction { mu: self.friction });
            // b = −Φ/h on the normal row.
            let gap_speed = if contact % 3 == 1 { generator.uniform(0.0, fall) } else { 0.0 };
            offset.extend([-gap_speed, 0.0, 0.0]);
        }
        for held in 0..self.held {
            let node = self.node([0, 0, self.cells[2]]) + held * bottom / self.held.max(1) % bottom;
            let lines = [0, 1, 2].map(|axis| [(3 * node + axis, 1.0)]);
            rows.push(&lines.each_ref().map(|line| &line[..]));
            cones.push(Cone::Free);
            offset.extend([0.0, 0.0, 1e-3]);
        }
        ConeProblem::assembled(inertia, linear, rows, cones, offset, crate::problem::Compliance::Zero)
    }
}

fn add_block(list: &mut Vec<(usize, [f64; 9])>, node: usize, block: [f64; 9]) {
    let at = list.partition_point(|(other, _)| *other < node);
    match list.get_mut(at).filter(|(other, _)| *other == node) {
        Some((_, sum)) => sum.iter_mut().zip(block).for_each(|(sum, k)| *sum += k),
        None => list.insert(at, (node, block)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K u = 0 for rigid motions, and the energy ½uᵀKu of a uniform strain is that of the closed form.
    #[test]
    fn rigid_motions_strain_nothing_and_uniform_strain_has_the_energy_of_the_closed_form() {
        let slab = ElasticSlab { cells: [3, 2, 2], density: 0.0, step: 1.0, ..Default::default() };
        let (k, _) = slab.inertia().unwrap();
        let energy = |motion: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let place = |node: usize| slab.place(node).map(|at| slab.spacing * at as f64);
            let u: Vec<f64> = (0..slab.nodes()).flat_map(|node| motion(place(node))).collect();
            let mut force = vec![0.0; u.len()];
            k.mul(&u, &mut force);
            0.5 * u.iter().zip(&force).map(|(u, f)| u * f).sum::<f64>()
        };
        let volume = 12.0 * slab.spacing.powi(3);
        let scale = volume * slab.young;
        assert!(energy(&|_| [1.0, 2.0, 3.0]).abs() < 1e-9 * scale);
        assert!(energy(&|[x, y, _]| [-y, x, 0.0]).abs() < 1e-9 * scale);
        // ½V(2μ ε:ε + λ tr²): stretch ε_xx = 1, shear ε_xy = ½.
        let (lambda, mu) = (slab.young * 0.3 / (1.3 * 0.4), slab.young / 2.6);
        let found = energy(&|[x, ..]| [x, 0.0, 0.0]);
        assert!((found / (0.5 * volume * (2.0 * mu + lambda)) - 1.0).abs() < 1e-12, "stretch {found}");
        let found = energy(&|[_, y, _]| [y, 0.0, 0.0]);
        assert!((found / (0.5 * volume * mu) - 1.0).abs() < 1e-12, "shear {found}");
    }

    #[test]
    fn the_mass_is_that_of_the_volume_and_the_matrix_symmetric() {
        let slab = ElasticSlab::default();
        let (h, mass) = slab.inertia().unwrap();
        let expected = slab.density * 60.0 * slab.spacing.powi(3);
        assert!((mass.iter().sum::<f64>() / expected - 1.0).abs() < 1e-13);
        assert!(h.is_symmetric());
        assert_eq!((slab.tetrahedra(), slab.nodes()), (360, 7 * 6 * 3));
    }
}

//! The motions joints leave, as a basis, and tangents seen along it.
//!
//! ```text
//! M = L Lᵀ,  (C L⁻ᵀ) N = 0,  Z = L⁻ᵀN      then C Z = 0 and ZᵀM Z = 1
//! K̂ = Zᵀ(K + G)Z,  R̂ = ZᵀR Z               in 1/s² and 1/s: the eigenvalues of K̂ are those of squared frequencies
//! ```
//!
//! Redundant rows do no harm: the rank is found with column pivoting.

use super::AnalysisError;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Phase;
use crate::dynamics::smooth::rows::Rows;
use crate::dynamics::smooth::tangents::{couplings, of_coupling};
use crate::force::Tangent;
use crate::{Mat3, Vec3};
use signorini_linalg::NullSpace;

/// Most velocities (six a body that moves): beyond, the dense factorisation of C takes minutes.
pub const LARGEST_VELOCITIES: usize = 1200;

/// Rows of C (of unit length, masses taken into account) that differ by less than this from a combination of others are redundant.
const REDUNDANT: f64 = 1e-8;

/// A basis of the motions joints leave.
pub(super) struct Freedoms {
    /// Number of motions.
    pub(super) count: usize,
    /// Number of velocities.
    dimension: usize,
    /// Z, motion by motion.
    basis: Vec<f64>,
}

/// K̂ and R̂, column by column.
pub(super) struct Reduced {
    pub(super) stiffness: Vec<f64>,
    pub(super) damping: Vec<f64>,
}

impl Freedoms {
    /// The motions that the rows of a configuration leave.
    ///
    /// # Errors
    /// A model with too many velocities.
    pub(super) fn of(system: System<'_>, rows: &Rows) -> Result<Self, AnalysisError> {
        let equations = system.equations;
        let n = equations.dimension;
        if n > LARGEST_VELOCITIES {
            return Err(AnalysisError::TooLarge { what: "velocities", found: n, allowed: LARGEST_VELOCITIES });
        }
        // L⁻¹ of every body.
        let scales: Vec<(f64, Mat3)> = (0..equations.moving.len())
            .map(|k| (equations.mass_block(k)[0].sqrt().recip(), inverse_factor(equations.inertia(k))))
            .collect();
        let mut scaled = vec![0.0; n * equations.rows.len()];
        for (row, out) in scaled.chunks_exact_mut(n.max(1)).enumerate() {
            // Six entries a body.
            let (columns, entries): (Vec<usize>, Vec<f64>) = equations.row(rows, row).unzip();
            for (columns, part) in columns.chunks_exact(6).zip(entries.chunks_exact(6)) {
                let at = columns[0];
                let (linear, angular) = &scales[at / 6];
                let parts = [*linear * Vec3::from_slice(part), *angular * Vec3::from_slice(&part[3..])];
                out[at..at + 3].copy_from_slice(&parts[0].to_array());
                out[at + 3..at + 6].copy_from_slice(&parts[1].to_array());
            }
            let length = out.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                out.iter_mut().for_each(|x| *x /= length);
            }
        }
        if scaled.iter().any(|entry| !entry.is_finite()) {
            return Err(AnalysisError::NotFinite { what: "a row of a joint" });
        }
        let NullSpace { mut basis, .. } = NullSpace::of(n, &scaled, REDUNDANT);
        for part in basis.chunks_exact_mut(6).enumerate() {
            let (at, part) = part;
            let (linear, angular) = &scales[at % (n / 6)];
            let parts = [*linear * Vec3::from_slice(part), angular.transpose() * Vec3::from_slice(&part[3..])];
            part[..3].copy_from_slice(&parts[0].to_array());
            part[3..].copy_from_slice(&parts[1].to_array());
        }
        Ok(Self { count: basis.len() / n.max(1), dimension: n, basis })
    }

    /// A motion of the basis.
    fn motion(&self, k: usize) -> &[f64] {
        &self.basis[k * self.dimension..(k + 1) * self.dimension]
    }

    /// Zᵀ r.
    pub(super) fn along(&self, force: &[f64]) -> Vec<f64> {
        (0..self.count).map(|k| self.motion(k).iter().zip(force).map(|(z, r)| z * r).sum()).collect()
    }

    /// Z p.
    pub(super) fn combined(&self, amounts: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.dimension];
        for (k, amount) in amounts.iter().enumerate() {
            out.iter_mut().zip(self.motion(k)).for_each(|(sum, z)| *sum += amount * z);
        }
        out
    }

    /// K̂ and R̂ of all forces and reactions.
    pub(super) fn tangents(&self, system: System<'_>, phase: &Phase, multipliers: &[f64]) -> Reduced {
        let size = self.count * self.count;
        let mut reduced = Reduced { stiffness: vec![0.0; size], damping: vec![0.0; size] };
        for (index, pair) in couplings(system).iter().enumerate() {
            let Tangent { stiffness, damping } = of_coupling(system, phase, multipliers, index);
            self.add(pair, &stiffness, &mut reduced.stiffness);
            self.add(pair, &damping, &mut reduced.damping);
        }
        reduced
    }

    /// out += Zᵀ T Z for a matrix T over two bodies, by their first velocities.
    pub(super) fn add(&self, pair: &[Option<usize>; 2], matrix: &[[f64; 12]; 12], out: &mut [f64]) {
        if matrix.as_flattened().iter().all(|entry| *entry == 0.0) {
            return;
        }
        let local = |k: usize| {
            let motion = self.motion(k);
            let mut z = [0.0; 12];
            for (side, column) in pair.iter().enumerate() {
                if let Some(at) = *column {
                    z[6 * side..6 * side + 6].copy_from_slice(&motion[at..at + 6]);
                }
            }
            z
        };
        let locals: Vec<[f64; 12]> = (0..self.count).map(local).collect();
        for (j, column) in locals.iter().enumerate() {
            let image: [f64; 12] = std::array::from_fn(|i| matrix[i].iter().zip(column).map(|(t, z)| t * z).sum());
            for (i, row) in locals.iter().enumerate() {
                out[j * self.count + i] += row.iter().zip(&image).map(|(z, t)| z * t).sum::<f64>();
            }
        }
    }
}

/// What forces and reactions one by one would do to bodies \[1/s²\] (metres as shares of the model's length): differences of them leave a
/// stiffness of about 1e-10 of it where there is none.
pub(super) fn force_rate(system: System<'_>, phase: &Phase, rows: &Rows, multipliers: &[f64]) -> f64 {
    let System { model, equations } = system;
    let mut applied = vec![0.0; equations.dimension];
    equations.force_sizes(model, phase, &mut applied);
    let mut transmitted = vec![0.0; equations.dimension];
    for (row, multiplier) in multipliers.iter().enumerate() {
        // Reactions that cancel count as well.
        equations.row(rows, row).for_each(|(column, entry)| transmitted[column] += (multiplier * entry).abs());
    }
    equations.divide_by_mass(&mut applied);
    equations.divide_by_mass(&mut transmitted);
    equations.size(&applied).max(equations.size(&transmitted))
}

/// The symmetric part of a matrix.
pub(super) fn symmetric_part(n: usize, matrix: &[f64]) -> Vec<f64> {
    (0..n * n).map(|e| 0.5 * (matrix[e] + matrix[(e % n) * n + e / n])).collect()
}

/// L⁻¹ of the Cholesky factor of a symmetric positive definite matrix (models are checked to have no other).
fn inverse_factor(matrix: &Mat3) -> Mat3 {
    let a = |i: usize, j: usize| matrix.col(j)[i];
    let l00 = a(0, 0).sqrt();
    let (l10, l20) = (a(1, 0) / l00, a(2, 0) / l00);
    let l11 = (a(1, 1) - l10 * l10).sqrt();
    let l21 = (a(2, 1) - l20 * l10) / l11;
    let l22 = (a(2, 2) - l20 * l20 - l21 * l21).sqrt();
    Mat3::from_cols(Vec3::new(l00, l10, l20), Vec3::new(0.0, l11, l21), Vec3::new(0.0, 0.0, l22)).inverse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_factor_turns_the_matrix_into_the_identity() {
        let turn = Mat3::from_quat(glam::DQuat::from_rotation_x(0.7) * glam::DQuat::from_rotation_z(-1.2));
        let matrix = turn * Mat3::from_diagonal(Vec3::new(0.01, 2.0, 30.0)) * turn.transpose();
        let inverse = inverse_factor(&matrix);
        let product = inverse * matrix * inverse.transpose();
        assert!(product.abs_diff_eq(Mat3::IDENTITY, 1e-12), "{product}");
    }
}

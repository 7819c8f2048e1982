//! How far an answer is from solving the problem, in physical units: one definition for all methods.

use crate::delassus::{Delassus, add_compliance};
use crate::problem::Inertia;
use crate::{ConeProblem, SolveError};

/// Residuals of an answer (v, g). Speeds in m/s, impulses in N·s when the problem is in SI units.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Residuals {
    /// Natural map ‖g − Π(g − ρ y)‖/ρ, the largest over blocks \[m/s\]; ρ = 1/mean(diag N).
    pub natural_map: f64,
    /// Euclidean norm of the natural map over all blocks, divided by the norm of the free relative velocity.
    pub natural_map_relative: f64,
    /// Largest distance of a relative velocity from K* \[m/s\]: approach speed left, or drift of a joint.
    pub primal: f64,
    /// Largest distance of an impulse from K \[N·s\]: pulling contacts, too much friction.
    pub dual: f64,
    /// Σ|g·y| \[J\]: work of the constraint impulses that should do none.
    pub complementarity: f64,
    /// ‖Hv + c − Jᵀg‖ relative to the momenta it is the sum of.
    pub momentum: f64,
}

/// Measures residuals; keeps its buffers from call to call.
pub struct ResidualMeter<'a> {
    delassus: Delassus<'a>,
    step: f64,
    free_norm: f64,
    /// Velocity that belongs to the impulses last measured.
    velocity: Vec<f64>,
    relative_velocity: Vec<f64>,
    imbalance: Vec<f64>,
    magnitude: Vec<f64>,
    correction: Vec<f64>,
}

/// A momentum imbalance below this multiple of ε times the momenta summed is rounding of the sum itself.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl<'a> ResidualMeter<'a> {
    /// Prepares to measure answers of one problem.
    ///
    /// # Errors
    /// Never for a problem made by its builder.
    pub fn new(problem: &'a ConeProblem) -> Result<Self, SolveError> {
        let delassus = Delassus::new(problem)?;
        let (n, m) = (problem.velocities(), problem.row_count());
        Ok(Self {
            step: delassus.step(),
            free_norm: norm(delassus.free_velocity()),
            delassus,
            velocity: vec![0.0; n],
            relative_velocity: vec![0.0; m],
            imbalance: vec![0.0; n],
            magnitude: vec![0.0; n],
            correction: vec![0.0; n],
        })
    }

    /// The operator the residuals are measured with.
    pub fn delassus(&mut self) -> &mut Delassus<'a> {
        &mut self.delassus
    }
    /// Velocity of the answer last measured, in balance with its impulses.
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }
    /// y = Jv − b + Eg of the answer last measured.
    #[must_use]
    pub fn relative_velocity(&self) -> &[f64] {
        &self.relative_velocity
    }
    /// Norm of the free relative velocity \[m/s\].
    #[must_use]
    pub fn free_norm(&self) -> f64 {
        self.free_norm
    }

    /// Residuals of the velocities `v` with the impulses `g`.
    ///
    /// The natural map is a function of g alone, with y taken at v(g) = H⁻¹(Jᵀg − c). It is computed as
    /// v − H⁻¹(Hv + c − Jᵀg), where an imbalance at rounding level counts as zero: with mass ratios of 10⁵⁰
    /// the rounding of a force on a heavy body would otherwise throw its light neighbour away.
    pub fn measure(&mut self, v: &[f64], g: &[f64]) -> Residuals {
        let problem = self.delassus.problem();
        let momentum = self.settle_velocity(v, g);
        problem.rows().mul(&self.velocity, &mut self.relative_velocity);
        self.relative_velocity.iter_mut().zip(problem.offset()).for_each(|(y, b)| *y -= b);
        add_compliance(problem, g, &mut self.relative_velocity);

        let mut out = Residuals {
            natural_map: 0.0,
            natural_map_relative: 0.0,
            primal: 0.0,
            dual: 0.0,
            complementarity: 0.0,
            momentum,
        };
        let mut squared_sum = 0.0;
        let mut z = Vec::with_capacity(6);
        for (rows, cone) in problem.each_block() {
            let (y, g) = (&self.relative_velocity[rows.clone()], &g[rows]);
            z.clear();
            z.extend(g.iter().zip(y).map(|(g, y)| g - self.step * y));
            // Where Π changes nothing g − Π(g − ρy) = ρy; the difference would lose y wherever g ≫ ρy (heavy bodies).
            let squared: f64 = match cone {
                crate::Cone::NonNegative => g
                    .iter()
                    .zip(y)
                    .zip(&z)
                    .map(|((g, y), z)| if *z > 0.0 { y * y } else { (g / self.step).powi(2) })
                    .sum(),
                cone if cone.distance(&z) == 0.0 => y.iter().map(|y| y * y).sum(),
                _ => {
                    cone.project(&mut z);
                    g.iter().zip(&z).map(|(g, z)| ((g - z) / self.step).powi(2)).sum()
                }
            };
            squared_sum += squared;
            // f64::max drops NaN; an answer that is not a number must not look solved.
            out.natural_map = worst(out.natural_map, squared.sqrt());
            out.primal = worst(out.primal, cone.dual_distance(y));
            out.dual = worst(out.dual, cone.distance(g));
            out.complementarity += g.iter().zip(y).map(|(g, y)| g * y).sum::<f64>().abs();
        }
        let norm = squared_sum.sqrt();
        out.natural_map_relative = if self.free_norm > 0.0 { norm / self.free_norm } else { norm };
        out
    }

    /// The dual objective ½ gᵀN g + rᵀg of the answer last measured.
    #[must_use]
    pub fn objective(&self, g: &[f64]) -> f64 {
        // Ng + r = y, so ½gᵀNg + rᵀg = ½gᵀ(y + r).
        let free = self.delassus.free_velocity();
        0.5 * g.iter().zip(&self.relative_velocity).zip(free).map(|((g, y), r)| g * (y + r)).sum::<f64>()
    }

    /// Puts v(g) into `self.velocity`; returns the relative momentum imbalance of `v`.
    fn settle_velocity(&mut self, v: &[f64], g: &[f64]) -> f64 {
        let problem = self.delassus.problem();
        self.velocity.copy_from_slice(v);
        if v.is_empty() {
            return 0.0;
        }
        self.imbalance.copy_from_slice(problem.linear());
        self.magnitude.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m = c.abs());
        problem.inertia().mul_add(1.0, v, &mut self.imbalance);
        add_inertia_magnitude(problem.inertia(), v, &mut self.magnitude);
        let rows = problem.rows();
        for k in 0..rows.len() {
            let block = rows.block(k);
            for (r, row) in rows.rows_of(k).enumerate() {
                for (&column, value) in block.columns.iter().zip(block.row(r)) {
                    let part = value * g[row];
                    self.imbalance[column] -= part;
                    self.magnitude[column] += part.abs();
                }
            }
        }
        let relative = norm(&self.imbalance) / norm(&self.magnitude).max(f64::MIN_POSITIVE);
        for (imbalance, magnitude) in self.imbalance.iter_mut().zip(&self.magnitude) {
            if imbalance.abs() <= ROUNDING * magnitude {
                *imbalance = 0.0;
            }
        }
        self.delassus.inverse().apply(&self.imbalance, &mut self.correction);
        self.velocity.iter_mut().zip(&self.correction).for_each(|(v, correction)| *v -= correction);
        relative
    }
}

fn worst(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `out += |H| |v|`.
fn add_inertia_magnitude(inertia: &Inertia, v: &[f64], out: &mut [f64]) {
    match inertia {
        Inertia::BlockDiagonal(blocks) => {
            for k in 0..blocks.len() {
                let rows = blocks.rows_of(k);
                let v = &v[rows.clone()];
                for (line, out) in blocks.block(k).chunks_exact(v.len().max(1)).zip(&mut out[rows]) {
                    *out += line.iter().zip(v).map(|(h, v)| (h * v).abs()).sum::<f64>();
                }
            }
        }
        Inertia::Sparse(matrix) => {
            for (row, column, value) in matrix.triplets() {
                out[row] += (value * v[column]).abs();
            }
        }
    }
}

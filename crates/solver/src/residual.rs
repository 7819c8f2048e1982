//! How far an answer is from solving the problem, in physical units: one definition for all methods.

use crate::delassus::{Delassus, add_compliance};
use crate::friction::FrictionLaw;
use crate::problem::{Compliance, Inertia};
use crate::{ConeProblem, SolveError};
use signorini_linalg::CscMatrix;

/// Residuals of an answer (v, g). Speeds in m/s, impulses in N·s when the problem is in SI units.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
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
    free_speed: f64,
    rounding_floor: f64,
    /// Velocity that belongs to the impulses last measured.
    velocity: Vec<f64>,
    relative_velocity: Vec<f64>,
    imbalance: Vec<f64>,
    magnitude: Vec<f64>,
    correction: Vec<f64>,
    active: usize,
    law: FrictionLaw,
    /// N as given less N as used, for the exact law.
    defect: Option<CscMatrix>,
}

/// A momentum imbalance below this multiple of ε times the momenta summed is rounding of the sum itself.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Rounding of a relative velocity, as a share of the terms it is the sum of.
const FLOOR: f64 = 16.0 * f64::EPSILON;

impl<'a> ResidualMeter<'a> {
    /// Prepares to measure answers of one problem.
    ///
    /// # Errors
    /// Never for a problem made by its builder.
    pub fn new(problem: &'a ConeProblem) -> Result<Self, SolveError> {
        let delassus = Delassus::new(problem)?;
        let (n, m) = (problem.velocities(), problem.row_count());
        let free_motion = delassus.free_motion();
        let rows = problem.rows();
        let mut largest = 0.0_f64;
        for k in 0..rows.len() {
            let block = rows.block(k);
            for (r, row) in rows.rows_of(k).enumerate() {
                let line = block.row(r);
                let terms = block.runs().map(|(first, at)| {
                    let motion = &free_motion[first..first + at.len()];
                    line[at].iter().zip(motion).map(|(value, v)| (value * v).abs()).sum::<f64>()
                });
                largest = largest.max(terms.sum::<f64>() + problem.offset()[row].abs());
            }
        }
        Ok(Self {
            step: delassus.step(),
            free_norm: norm(delassus.free_velocity()),
            free_speed: delassus.free_motion().iter().fold(0.0, |m, v| v.abs().max(m)),
            rounding_floor: FLOOR * largest,
            delassus,
            velocity: vec![0.0; n],
            relative_velocity: vec![0.0; m],
            imbalance: vec![0.0; n],
            magnitude: vec![0.0; n],
            correction: vec![0.0; n],
            active: 0,
            law: FrictionLaw::Relaxed,
            defect: None,
        })
    }

    /// Prepares to measure answers by a friction law. For [`FrictionLaw::Exact`] y is that of Coulomb's law, u + s(u) on the
    /// normal row (see [`Cone::dilation`](crate::Cone::dilation)), with N as it was given.
    ///
    /// # Errors
    /// Never for a problem made by its builder.
    pub fn of_law(problem: &'a ConeProblem, law: FrictionLaw) -> Result<Self, SolveError> {
        let mut this = Self::new(problem)?;
        this.set_law(law);
        Ok(this)
    }
    /// Measures by another friction law from now on.
    pub(crate) fn set_law(&mut self, law: FrictionLaw) {
        self.law = law;
        self.defect = match law {
            FrictionLaw::Exact => self.delassus.problem().defect(),
            _ => None,
        };
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
    /// Blocks of the answer last measured that carry force, as the natural map sees them: Π(g − ρy) ≠ 0.
    #[must_use]
    pub fn active(&self) -> usize {
        self.active
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
        self.relative_velocity.iter_mut().zip(self.delassus.offset()).for_each(|(y, b)| *y -= b);
        add_compliance(problem, g, &mut self.relative_velocity);
        if let Some(defect) = &self.defect {
            defect.mul_add(1.0, g, &mut self.relative_velocity);
        }

        let mut out = Residuals {
            natural_map: 0.0,
            natural_map_relative: 0.0,
            primal: 0.0,
            dual: 0.0,
            complementarity: 0.0,
            momentum,
        };
        let mut squared_sum = 0.0;
        self.active = 0;
        let (mut z, mut lifted) = (Vec::with_capacity(6), Vec::with_capacity(6));
        for (rows, cone) in problem.each_block() {
            let g = &g[rows.clone()];
            z.resize(g.len(), 0.0);
            lifted.clear();
            lifted.extend_from_slice(&self.relative_velocity[rows]);
            if self.law == FrictionLaw::Exact {
                lifted[0] += cone.dilation(&lifted);
            }
            let y = &lifted[..];
            cone.natural_map(g, y, self.step, &mut z);
            let squared: f64 = z.iter().map(|z| z * z).sum();
            // Π(g − ρy) = g − ρz.
            self.active += usize::from(z.iter().zip(g).any(|(z, g)| *z != g / self.step));
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

    /// How many times the problem's own speed any admissible velocity must be, by the certificate g (Farkas).
    ///
    /// g ∈ K and y = Jv − b ∈ K* give (Jᵀg)·v ≥ b·g, so Σ|v| ≥ b·g/max|Jᵀg|: impulses that cancel on the bodies
    /// (Jᵀg → 0) while pushing against the prescribed velocities (b·g > 0) leave no room for v. The problem's speed is the
    /// largest of its free motion and of |b|/|J|. In a condensed problem the same holds with N for J, −r for b and impulses
    /// for velocities. Zero when g is no such certificate, or meets compliance.
    #[must_use]
    pub fn required_speed(&self, g: &[f64]) -> f64 {
        let problem = self.delassus.problem();
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let push: f64 = g.iter().zip(self.delassus.offset()).map(|(g, b)| g * b).sum();
        let (moved, speed) = match problem.compliance() {
            Compliance::Matrix(n) => {
                let mut moved = vec![0.0; g.len()];
                n.mul_add(1.0, g, &mut moved);
                let hardest =
                    self.delassus.diagonal().iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
                (moved, g.len() as f64 * largest(self.delassus.offset()) / hardest)
            }
            compliance => {
                let mut moved = vec![0.0; problem.velocities()];
                problem.rows().mul_transpose_add(1.0, g, &mut moved);
                if let Compliance::Diagonal(e) = compliance {
                    // A soft row gives way: its share of the push does not count.
                    if e.iter().zip(g).any(|(e, g)| e * g.abs() > 0.0) {
                        return 0.0;
                    }
                }
                let entry = largest(problem.rows().values());
                (moved, self.free_speed.max(largest(self.delassus.offset()) / entry.max(f64::MIN_POSITIVE)))
            }
        };
        let least = push / largest(&moved).max(f64::MIN_POSITIVE);
        if push > 0.0 && speed > 0.0 { least / speed } else { 0.0 }
    }

    /// Natural maps below this \[m/s\] are rounding of the relative velocities themselves: 16 ε (|J||v| + |b|) at the free
    /// motion. Bodies that fly together have no relative velocity but this.
    #[must_use]
    pub fn rounding_floor(&self) -> f64 {
        self.rounding_floor
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
            let (block, g) = (rows.block(k), &g[rows.rows_of(k)]);
            // An open contact has no force.
            if g.iter().all(|g| *g == 0.0) {
                continue;
            }
            for (first, at) in block.runs() {
                let end = first + at.len();
                let (imbalance, magnitude) = (&mut self.imbalance[first..end], &mut self.magnitude[first..end]);
                for (line, g) in block.values.chunks_exact(block.columns.len()).zip(g) {
                    for ((value, imbalance), magnitude) in
                        line[at.clone()].iter().zip(&mut *imbalance).zip(&mut *magnitude)
                    {
                        let part = value * g;
                        *imbalance -= part;
                        *magnitude += part.abs();
                    }
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

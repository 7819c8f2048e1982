//! Friction pyramids: every round cone replaced by one with p flat facets, so that only bounds are left (THEORY §8).
//!
//! ```text
//! d_s = cos(2πs/p) t₁ + sin(2πs/p) t₂                       s = 0 … p−1; in a plane d = ±t and p = 2
//! rows   (D_n + μ d_s·D_t) v ≥ b_n + μ d_s·b_t              each with a multiplier λ_s ≥ 0
//! g_n = Σ λ_s,   g_t = μ Σ λ_s d_s                          g = Aᵀλ, row s of A is (1, μ d_s)
//! ```
//!
//! The pyramid is inscribed in Coulomb's cone and holds the round cone of friction μ cos(π/p): a pushed block starts to
//! slide at μ r(θ), r(θ) = cos(π/p)/cos(θ − θ_m) with θ_m the middle of the facet, at most ½(π/p)² too early. The value of
//! the objective is off by O(p⁻²). Sliding velocities are off by O(p⁻¹): friction of a sliding contact acts along the
//! nearest d_s, an angle up to π/p away. For p > 3 the multipliers are not unique, the impulses g are where they were.
//!
//! Compliance keeps its energy ½gᵀEg = ½λᵀ(AEAᵀ)λ. The matrix AEAᵀ is not diagonal, so each soft row of a pyramid gets a
//! velocity w of its own with mass 1/e, added to the row: J_i v + w. Then w = e g_i, and ½w²/e is the energy ½e g_i².
//! A condensed problem has N' = A N Aᵀ and q' = A q.

use crate::cone::{Cone, NO_FRICTION};
use crate::delassus::add_compliance;
use crate::problem::{
    Compliance, ConeProblem, Inertia, InertiaName, PatternName, ProblemError, RowBlocks, check_zero_rows,
};
use crate::report::{Iterate, Solution};
use signorini_linalg::CscMatrix;
use std::ops::Range;

/// Fewest facets of a pyramid in space: with two the friction force would have no second direction.
pub const FEWEST_FACETS: u32 = 3;
/// Most facets. The friction limit is then 7.5e-5 of μ too low, far less than any μ is known, and a contact has 256
/// multipliers, which couple to 256 each of its neighbours.
pub const MOST_FACETS: u32 = 256;

/// A component of d_s below this is the rounding of a zero.
const DIRECTION_ROUNDING: f64 = 1e-15;
/// Masses beyond this are refused elsewhere: a row that would need one is hard.
const LARGEST_MASS: f64 = 1e75;

/// A problem with friction pyramids, and the way between its rows and those of the problem it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramids {
    problem: ConeProblem,
    facets: u32,
    /// d_s in the tangent plane.
    directions: Vec<[f64; 2]>,
    faces: Vec<Face>,
    /// First row of every block in the original problem, and their number.
    original_start: Vec<usize>,
    /// Original row and compliance of each velocity that was added.
    soft_rows: Vec<(usize, f64)>,
    original_velocities: usize,
}

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Face {
    /// Bounds and bilateral rows stay.
    Same,
    /// A cone without friction: its normal row.
    Normal,
    /// A cone in a plane: two facets, which are that cone exactly.
    Plane { mu: f64 },
    /// A cone in space.
    Space { mu: f64 },
}

impl ConeProblem {
    /// The same problem with each friction cone replaced by a pyramid: one `NonNegative` block of `facets` rows (of 2 for
    /// friction in a plane, of the normal row without friction). Other blocks stay as they are. See [`Pyramids`].
    ///
    /// ```
    /// use signorini_solver::{Cone, ConeProblem};
    /// // A unit mass on the floor, pushed along t₁.
    /// let problem = ConeProblem::builder()
    ///     .diagonal_body(&[1.0; 3]).linear(&[1.0, -0.2, 0.0])
    ///     .rows(Cone::Friction { mu: 0.5 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3])
    ///     .build()?;
    /// let pyramids = problem.with_pyramids(8)?;
    /// assert_eq!((pyramids.problem().blocks(), pyramids.problem().row_count()), (1, 8));
    /// let impulse = pyramids.impulses(&pyramids.multipliers(&[1.0, -0.2, 0.0]));
    /// assert!((impulse[1] + 0.2).abs() < 1e-15);
    /// # Ok::<(), signorini_solver::ProblemError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than [`FEWEST_FACETS`] or more than [`MOST_FACETS`], or a facet through which no force can act.
    pub fn with_pyramids(&self, facets: u32) -> Result<Pyramids, ProblemError> {
        Pyramids::new(self, facets)
    }
}

impl Pyramids {
    fn new(original: &ConeProblem, facets: u32) -> Result<Self, ProblemError> {
        if !(FEWEST_FACETS..=MOST_FACETS).contains(&facets) {
            return Err(ProblemError::Facets { found: facets });
        }
        let mut this = Self {
            problem: original.clone(),
            facets,
            directions: directions(facets),
            faces: original.each_block().map(|(rows, cone)| face(rows.len(), cone)).collect::<Result<_, _>>()?,
            original_start: (0..original.blocks()).map(|k| original.rows.rows_of(k).start).collect(),
            soft_rows: Vec::new(),
            original_velocities: original.velocities(),
        };
        this.problem.pattern = PatternName::fresh();
        this.problem.inertia_name = InertiaName::fresh();
        this.original_start.push(original.row_count());
        this.problem.cones = original
            .cones
            .iter()
            .zip(&this.faces)
            .map(|(cone, face)| if *face == Face::Same { *cone } else { Cone::NonNegative })
            .collect();
        this.soften(original);
        let mut rows = RowBlocks::new();
        let mut offset = Vec::new();
        for k in 0..original.blocks() {
            this.push_block(original, k, &mut rows, &mut offset);
        }
        this.problem.rows = rows;
        this.problem.offset = offset;
        this.problem.compliance = this.compliance(original)?;
        check_zero_rows(&this.problem.names, &this.problem.rows, &this.problem.cones, &this.problem.compliance)?;
        Ok(this)
    }

    /// The problem with pyramids: bounds and bilateral rows only.
    #[must_use]
    pub fn problem(&self) -> &ConeProblem {
        &self.problem
    }
    /// Facets of a pyramid in space.
    #[must_use]
    pub fn facets(&self) -> u32 {
        self.facets
    }

    /// Impulses of the original rows: g_n = Σλ_s, g_t = μ Σ λ_s d_s.
    #[must_use]
    pub fn impulses(&self, multipliers: &[f64]) -> Vec<f64> {
        let mut impulse = vec![0.0; self.original_start[self.faces.len()]];
        for (k, face) in self.faces.iter().enumerate() {
            let (g, lambda) = (&mut impulse[self.original_rows(k)], &multipliers[self.problem.rows.rows_of(k)]);
            match face {
                Face::Same => g.copy_from_slice(lambda),
                face => {
                    for (s, lambda) in lambda.iter().enumerate() {
                        g.iter_mut().zip(self.facet(*face, s)).for_each(|(g, a)| *g += a * lambda);
                    }
                }
            }
        }
        impulse
    }

    /// Multipliers of impulses given in the original rows, for a warm start. Impulses in the pyramid are met exactly, by
    /// the two facets next to the friction force and an equal share of every facet; friction beyond it is cut back along
    /// its direction, pulling contacts get none.
    #[must_use]
    pub fn multipliers(&self, impulse: &[f64]) -> Vec<f64> {
        let mut multipliers = vec![0.0; self.problem.row_count()];
        for (k, face) in self.faces.iter().enumerate() {
            let (g, lambda) = (&impulse[self.original_rows(k)], &mut multipliers[self.problem.rows.rows_of(k)]);
            match *face {
                Face::Same => lambda.copy_from_slice(g),
                Face::Normal => lambda[0] = g[0].max(0.0),
                Face::Plane { mu } => {
                    let (n, t) = (g[0].max(0.0), g[1] / mu);
                    let t = t.clamp(-n, n);
                    lambda.copy_from_slice(&[0.5 * (n + t), 0.5 * (n - t)]);
                }
                Face::Space { mu } => self.decompose(g[0].max(0.0), [g[1] / mu, g[2] / mu], lambda),
            }
        }
        multipliers
    }

    /// λ ≥ 0 with Σλ = n and Σ λ_s d_s = t where that is possible.
    fn decompose(&self, n: f64, t: [f64; 2], lambda: &mut [f64]) {
        let p = lambda.len();
        let turn = t[1].atan2(t[0]) / std::f64::consts::TAU * p as f64;
        let first = (turn.floor().rem_euclid(p as f64) as usize).min(p - 1);
        let second = (first + 1) % p;
        // t = a d_first + b d_second by Cramer's rule; both are ≥ 0 between the two, but for rounding.
        let cross = |x: [f64; 2], y: [f64; 2]| x[0] * y[1] - x[1] * y[0];
        let (d, e) = (self.directions[first], self.directions[second]);
        let (a, b) = ((cross(t, e) / cross(d, e)).max(0.0), (cross(d, t) / cross(d, e)).max(0.0));
        let shrink = if a + b > n { n / (a + b) } else { 1.0 };
        let (a, b) = (a * shrink, b * shrink);
        // Σ d_s = 0: equal shares carry the rest of the normal force without friction.
        lambda.fill((n - a - b).max(0.0) / p as f64);
        lambda[first] += a;
        lambda[second] += b;
    }

    /// An iterate of the original problem in the rows and velocities of this one.
    #[must_use]
    pub fn import(&self, from: &Iterate) -> Iterate {
        let impulse = self.multipliers(&from.impulse);
        let met = self.impulses(&impulse);
        let own = self.soft_rows.iter().map(|&(row, e)| e * met[row]);
        let velocity = from.velocity.iter().copied().chain(own).collect();
        Iterate { velocity, impulse }
    }

    /// An answer of this problem in the rows and velocities of the original one, which must be the one it was made from.
    /// Residuals stay those of the pyramid law.
    pub fn export(&self, original: &ConeProblem, mut solution: Solution) -> Solution {
        solution.iterate.impulse = self.impulses(&solution.iterate.impulse);
        solution.iterate.velocity.truncate(self.original_velocities);
        let mut y = vec![0.0; original.row_count()];
        original.rows.mul(&solution.iterate.velocity, &mut y);
        y.iter_mut().zip(&original.offset).for_each(|(y, b)| *y -= b);
        add_compliance(original, &solution.iterate.impulse, &mut y);
        solution.relative_velocity = y;
        solution.report.facets = Some(self.facets);
        solution
    }

    fn original_rows(&self, k: usize) -> Range<usize> {
        self.original_start[k]..self.original_start[k + 1]
    }

    /// Number of rows block `k` has now.
    fn count(&self, k: usize) -> usize {
        match self.faces[k] {
            Face::Same => self.original_rows(k).len(),
            Face::Normal => 1,
            Face::Plane { .. } => 2,
            Face::Space { .. } => self.facets as usize,
        }
    }

    /// Row s of A in a block of friction: (1, μ d_s).
    fn facet(&self, face: Face, s: usize) -> [f64; 3] {
        match face {
            Face::Same | Face::Normal => [1.0, 0.0, 0.0],
            Face::Plane { mu } => [1.0, if s == 0 { mu } else { -mu }, 0.0],
            Face::Space { mu } => [1.0, mu * self.directions[s][0], mu * self.directions[s][1]],
        }
    }

    /// Gives each soft row of a pyramid its velocity of mass 1/e.
    fn soften(&mut self, original: &ConeProblem) {
        let Compliance::Diagonal(e) = &original.compliance else { return };
        for (k, face) in self.faces.iter().enumerate() {
            if matches!(face, Face::Plane { .. } | Face::Space { .. }) {
                let soft = self.original_rows(k).filter(|&row| 1.0 / e[row] <= LARGEST_MASS);
                self.soft_rows.extend(soft.map(|row| (row, e[row])));
            }
        }
        let problem = &mut self.problem;
        match &mut problem.inertia {
            Inertia::BlockDiagonal(blocks) => self.soft_rows.iter().for_each(|&(_, e)| blocks.push(1, &[1.0 / e])),
            Inertia::Sparse(matrix) => {
                let n = matrix.nrows();
                let size = n + self.soft_rows.len();
                let own = self.soft_rows.iter().enumerate().map(|(i, &(_, e))| (n + i, n + i, 1.0 / e));
                // Indices and values come from a checked matrix and its own extension.
                let extended = CscMatrix::from_triplets(size, size, matrix.triplets().chain(own));
                *matrix = extended.map_or_else(|_| matrix.clone(), Into::into);
            }
        }
        let first = self.original_velocities;
        problem.linear.resize(first + self.soft_rows.len(), 0.0);
        problem.body_start.extend((1..=self.soft_rows.len()).map(|i| first + i));
    }

    /// Appends the rows A J and A b of block `k`.
    fn push_block(&self, original: &ConeProblem, k: usize, rows: &mut RowBlocks, offset: &mut Vec<f64>) {
        let (block, range) = (original.rows.block(k), self.original_rows(k));
        let b = &original.offset[range.clone()];
        if self.faces[k] == Face::Same {
            rows.push_dense(block.columns, block.rows, block.values);
            offset.extend_from_slice(b);
            return;
        }
        // Velocities of soft rows come after all others.
        let first_soft = self.soft_rows.partition_point(|(row, _)| *row < range.start);
        let soft = || self.soft_rows[first_soft..].iter().take_while(|(row, _)| *row < range.end).enumerate();
        let own = soft().map(|(i, _)| self.original_velocities + first_soft + i);
        let columns: Vec<usize> = block.columns.iter().copied().chain(own).collect();
        let mut values = Vec::with_capacity(self.count(k) * columns.len());
        for s in 0..self.count(k) {
            let a = self.facet(self.faces[k], s);
            let a = &a[..block.rows];
            for at in 0..block.columns.len() {
                values.push(a.iter().enumerate().map(|(r, a)| a * block.row(r)[at]).sum());
            }
            values.extend(soft().map(|(_, (row, _))| a[row - range.start]));
            offset.push(a.iter().zip(b).map(|(a, b)| a * b).sum());
        }
        rows.push_dense(&columns, self.count(k), &values);
    }

    fn compliance(&self, original: &ConeProblem) -> Result<Compliance, ProblemError> {
        match &original.compliance {
            Compliance::Zero => Ok(Compliance::Zero),
            Compliance::Diagonal(e) => {
                let mut out = Vec::with_capacity(self.problem.row_count());
                for (k, face) in self.faces.iter().enumerate() {
                    let e = &e[self.original_rows(k)];
                    match face {
                        Face::Same => out.extend_from_slice(e),
                        Face::Normal => out.push(e[0]),
                        Face::Plane { .. } | Face::Space { .. } => out.resize(out.len() + self.count(k), 0.0),
                    }
                }
                let hard = out.iter().all(|e| *e == 0.0);
                Ok(if hard { Compliance::Zero } else { Compliance::Diagonal(out) })
            }
            Compliance::Matrix(w) => {
                // A W Aᵀ in two products with A: entries merge in between.
                let half = self.times_transposed(w)?;
                let whole = self.times_transposed(&half.transpose())?;
                Ok(Compliance::Matrix(whole.symmetric_part().0))
            }
        }
    }

    /// M Aᵀ.
    fn times_transposed(&self, matrix: &CscMatrix) -> Result<CscMatrix, ProblemError> {
        let mut triplets = Vec::new();
        for (k, face) in self.faces.iter().enumerate() {
            let new = self.problem.rows.rows_of(k);
            for (i, column) in self.original_rows(k).enumerate() {
                let (rows, values) = matrix.col(column);
                let entries = rows.iter().zip(values);
                if *face == Face::Same {
                    triplets.extend(entries.map(|(&row, value)| (row, new.start + i, *value)));
                    continue;
                }
                for s in 0..new.len() {
                    let a = self.facet(*face, s)[i];
                    if a != 0.0 {
                        triplets.extend(entries.clone().map(|(&row, value)| (row, new.start + s, a * value)));
                    }
                }
            }
        }
        let size = [matrix.nrows(), self.problem.rows.nrows()];
        CscMatrix::from_triplets(size[0], size[1], triplets)
            .map_err(|_| ProblemError::Unsupported { what: "a friction coefficient this large in a pyramid".into() })
    }
}

fn face(rows: usize, cone: Cone) -> Result<Face, ProblemError> {
    match cone {
        Cone::Free | Cone::NonNegative => Ok(Face::Same),
        Cone::Friction { mu } if mu <= NO_FRICTION => Ok(Face::Normal),
        Cone::Friction { mu } if rows == 2 => Ok(Face::Plane { mu }),
        Cone::Friction { mu } => Ok(Face::Space { mu }),
        // Its rolling rows would need facets as well: p² multipliers a contact.
        Cone::Rolling { .. } => Err(ProblemError::Unsupported { what: "rolling friction in pyramids".into() }),
    }
}

/// d_s = (cos, sin)(2πs/p), zeros exact: a quarter turn must not touch the other tangent.
fn directions(facets: u32) -> Vec<[f64; 2]> {
    let exact = |x: f64| if x.abs() < DIRECTION_ROUNDING { 0.0 } else { x };
    (0..facets)
        .map(|s| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(s) / f64::from(facets)).sin_cos();
            [exact(cos), exact(sin)]
        })
        .collect()
}

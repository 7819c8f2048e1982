//! Our problem as Clarabel wants it: min ½xᵀPx + qᵀx with Ax + s = b, s in a product of cones.
//!
//! | | x | cone rows | impulses |
//! |---|---|---|---|
//! | velocity form | v | s = T⁻¹(Jv − b) | g = T⁻¹z |
//! | impulse form (condensed) | g | s = T g | g = x |
//!
//! In two systems of units, see [`Units`]: which one Clarabel solves better differs from problem to problem.
//!
//! with T = diag(μ, 1, 1) for a friction block and 1 elsewhere. A friction block with μ = 0 is its normal row. A rolling
//! block is two second-order cones that share the normal force; in velocity form they share the normal velocity, y_n = a + b,
//! with one more unknown a a block.

use anyhow::{Result, anyhow, bail};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use signorini_linalg::CscMatrix as Matrix;
use signorini_solver::problem::Compliance;
use signorini_solver::{Cone, ConeProblem, ResidualMeter};

type Triplets = Vec<(usize, usize, f64)>;

/// A problem in Clarabel's form, and the way back.
pub(crate) struct ClarabelForm {
    pub(crate) p: CscMatrix<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) a: CscMatrix<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) cones: Vec<SupportedConeT<f64>>,
    /// For every x: the velocity (velocity form) or row (impulse form) it is. Shares of rolling blocks come last.
    kept: Vec<usize>,
    /// For every cone row: our row, and what turns z into g (velocity form).
    rows: Vec<(usize, f64)>,
    condensed: bool,
    sizes: (usize, usize),
    pub(crate) units: Units,
}

/// What 1 means in Clarabel's data, whose tolerances and regularisation are absolute.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    pub(crate) name: &'static str,
    /// \[m/s\]
    velocity: f64,
    /// \[kg\]
    mass: f64,
}

impl Units {
    /// The units of the problem as it is.
    pub(crate) const GIVEN: Self = Self { name: "given", velocity: 1.0, mass: 1.0 };

    /// Data near 1: root mean square of the free relative velocity, and 1/mean(diag N).
    pub(crate) fn natural(meter: &mut ResidualMeter, rows: usize) -> Self {
        let velocity = meter.free_norm() / (rows.max(1) as f64).sqrt();
        let usable = |x: f64| if x > 0.0 && x.is_finite() { x } else { 1.0 };
        Self { name: "natural", velocity: usable(velocity), mass: usable(meter.delassus().step()) }
    }
}

impl ClarabelForm {
    /// # Errors
    /// Compliance together with velocities: no problem of the benchmark has both.
    pub(crate) fn new(problem: &ConeProblem, units: Units) -> Result<Self> {
        let mut form = match problem.compliance() {
            Compliance::Zero => Self::of_velocities(problem, units)?,
            Compliance::Matrix(w) => Self::of_impulses(problem, w, units)?,
            Compliance::Diagonal(_) => bail!("compliance is not part of the comparison"),
        };
        let Units { velocity, mass, .. } = units;
        let (p, q) = if form.condensed { (mass, 1.0 / velocity) } else { (1.0 / mass, 1.0 / (mass * velocity)) };
        form.p.nzval.iter_mut().for_each(|x| *x *= p);
        form.q.iter_mut().for_each(|x| *x *= q);
        form.b.iter_mut().for_each(|x| *x /= velocity);
        Ok(form)
    }

    fn of_velocities(problem: &ConeProblem, units: Units) -> Result<Self> {
        let kept = touched_velocities(problem);
        let column_of = inverse(&kept, problem.velocities());
        let mut cones = Vec::new();
        let mut rows = Vec::new();
        let (mut a, mut b): (Triplets, Vec<f64>) = Default::default();
        let mut unknowns = kept.len();
        for (k, (range, cone)) in problem.each_block().enumerate() {
            let block = problem.rows().block(k);
            let parts = parts(cone, range.len());
            // The share of the normal velocity of the first of two cones.
            let shared = (parts.len() == 2).then_some(unknowns);
            unknowns += usize::from(shared.is_some());
            for (position, part) in parts.iter().enumerate() {
                for &(r, scale) in &part.rows {
                    let row = range.start + r;
                    let split = if r == 0 { shared } else { None };
                    rows.push((row, 1.0 / scale));
                    match split {
                        Some(column) if position == 0 => {
                            a.push((b.len(), column, -1.0 / scale));
                            b.push(0.0);
                            continue;
                        }
                        Some(column) => a.push((b.len(), column, 1.0 / scale)),
                        None => {}
                    }
                    for (&column, value) in block.columns.iter().zip(block.row(r)) {
                        if *value != 0.0 {
                            a.push((b.len(), column_of[column], -value / scale));
                        }
                    }
                    b.push(-problem.offset()[row] / scale);
                }
                push_cone(&mut cones, cone, part);
            }
        }
        let p = upper(problem.inertia().triplets(), &column_of);
        let mut q: Vec<f64> = kept.iter().map(|&velocity| problem.linear()[velocity]).collect();
        q.resize(unknowns, 0.0);
        Ok(Self {
            p: matrix(unknowns, unknowns, p)?,
            q,
            a: matrix(b.len(), unknowns, a)?,
            b,
            cones,
            kept,
            rows,
            condensed: false,
            sizes: (problem.velocities(), problem.row_count()),
            units,
        })
    }

    fn of_impulses(problem: &ConeProblem, w: &Matrix, units: Units) -> Result<Self> {
        let mut kept = Vec::new();
        let mut cones = Vec::new();
        let mut rows = Vec::new();
        let mut a = Triplets::new();
        for (range, cone) in problem.each_block() {
            let parts = parts(cone, range.len());
            let first = kept.len();
            for part in &parts {
                for &(r, scale) in &part.rows {
                    let row = range.start + r;
                    let column =
                        kept[first..].iter().position(|&other| other == row).map_or(kept.len(), |at| first + at);
                    if column == kept.len() {
                        kept.push(row);
                    }
                    if cone != Cone::Free {
                        a.push((rows.len(), column, -scale));
                        rows.push((row, scale));
                    }
                }
                if cone != Cone::Free {
                    push_cone(&mut cones, cone, part);
                }
            }
        }
        let column_of = inverse(&kept, problem.row_count());
        Ok(Self {
            p: matrix(kept.len(), kept.len(), upper(w.triplets().collect(), &column_of))?,
            q: kept.iter().map(|&row| -problem.offset()[row]).collect(),
            a: matrix(rows.len(), kept.len(), a)?,
            b: vec![0.0; rows.len()],
            cones,
            kept,
            rows,
            condensed: true,
            sizes: (0, problem.row_count()),
            units,
        })
    }

    /// Velocities and impulses of our problem that an answer (x, z) stands for. A velocity that was left out is zero
    /// here; the residual meter puts it in balance.
    pub(crate) fn answer(&self, x: &[f64], z: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut v, mut g) = (vec![0.0; self.sizes.0], vec![0.0; self.sizes.1]);
        let Units { velocity, mass, .. } = self.units;
        let impulse = mass * velocity;
        let (target, unit) = if self.condensed { (&mut g, impulse) } else { (&mut v, velocity) };
        self.kept.iter().zip(x).for_each(|(&at, x)| target[at] = unit * x);
        if !self.condensed {
            self.rows.iter().zip(z).for_each(|(&(row, scale), z)| g[row] = impulse * scale * z);
        }
        (v, g)
    }
}

/// Rows of a block that make one cone, each with its entry of T.
struct Part {
    rows: Vec<(usize, f64)>,
}

/// The cones of a block: two if it resists rolling. Rows without friction are left out.
fn parts(cone: Cone, count: usize) -> Vec<Part> {
    let with = |mu: f64, tangents: std::ops::Range<usize>| Part {
        rows: std::iter::once((0, mu)).chain(tangents.map(|row| (row, 1.0))).collect(),
    };
    let parts: Vec<Part> = match cone {
        Cone::Free | Cone::NonNegative => return vec![Part { rows: (0..count).map(|row| (row, 1.0)).collect() }],
        Cone::Friction { mu } => (mu > 0.0).then(|| with(mu, 1..count)).into_iter().collect(),
        Cone::Rolling { mu, mu_r } => {
            let both = [(mu, 1..3), (mu_r, 3..5)].into_iter();
            both.filter(|(mu, _)| *mu > 0.0).map(|(mu, tangents)| with(mu, tangents)).collect()
        }
    };
    if parts.is_empty() { vec![with(1.0, 0..0)] } else { parts }
}

/// Appends a cone; neighbouring orthants and neighbouring equalities become one cone.
fn push_cone(cones: &mut Vec<SupportedConeT<f64>>, cone: Cone, part: &Part) {
    let rows = part.rows.len();
    let next = match cone {
        Cone::Free => SupportedConeT::ZeroConeT(rows),
        Cone::NonNegative => SupportedConeT::NonnegativeConeT(rows),
        Cone::Friction { .. } | Cone::Rolling { .. } if rows > 1 => SupportedConeT::SecondOrderConeT(rows),
        Cone::Friction { .. } | Cone::Rolling { .. } => SupportedConeT::NonnegativeConeT(1),
    };
    match (cones.last_mut(), &next) {
        (Some(SupportedConeT::ZeroConeT(n)), SupportedConeT::ZeroConeT(more))
        | (Some(SupportedConeT::NonnegativeConeT(n)), SupportedConeT::NonnegativeConeT(more)) => *n += more,
        _ => cones.push(next),
    }
}

/// Velocities that some row touches, or that H couples to others. The rest is free fall.
fn touched_velocities(problem: &ConeProblem) -> Vec<usize> {
    let mut touched = vec![false; problem.velocities()];
    for k in 0..problem.blocks() {
        let block = problem.rows().block(k);
        for r in 0..block.rows {
            for (&column, value) in block.columns.iter().zip(block.row(r)) {
                touched[column] |= *value != 0.0;
            }
        }
    }
    for (row, column, value) in problem.inertia().triplets() {
        touched[column] |= row != column && value != 0.0;
    }
    (0..touched.len()).filter(|&velocity| touched[velocity]).collect()
}

/// Position of every number in `kept`, `usize::MAX` for those that are not in it.
fn inverse(kept: &[usize], size: usize) -> Vec<usize> {
    let mut position = vec![usize::MAX; size];
    kept.iter().enumerate().for_each(|(at, &number)| position[number] = at);
    position
}

/// The upper triangle of a symmetric matrix, restricted to the columns kept.
fn upper(triplets: Triplets, column_of: &[usize]) -> Triplets {
    let moved = triplets.into_iter().map(|(row, column, x)| (column_of[row], column_of[column], x));
    moved.filter(|&(row, column, x)| row <= column && column != usize::MAX && x != 0.0).collect()
}

fn matrix(nrows: usize, ncols: usize, triplets: Triplets) -> Result<CscMatrix<f64>> {
    let ours = Matrix::from_triplets(nrows, ncols, triplets).map_err(|error| anyhow!("{error:?}"))?;
    Ok(CscMatrix::new(nrows, ncols, ours.col_ptr().to_vec(), ours.row_idx().to_vec(), ours.values().to_vec()))
}

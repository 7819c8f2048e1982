//! Consistent states: positions, velocities and accelerations that joints allow.
//!
//! ```text
//! positions      min ½ zᵀM z   subject to  Ψ + C z = 0, repeated      (Newton's method on Ψ)
//! velocities     min ½ (v⁺−v)ᵀM(v⁺−v)   subject to  C v⁺ + Ψ_t = 0
//! accelerations  M a − Cᵀλ = f,  C a = −(C v + Ψ_t)˙ at fixed v
//! ```
//!
//! Each is one solve with [[M, −Cᵀ], [C, E]], made exact in E by refinement. Redundant rows get the multipliers of least norm; rows
//! that contradict each other are seen by what is left of them.

use super::conjugate;
use super::equations::{Equations, Phase};
use super::rows::Rows;
use super::saddle::{COMPLIANCE, Saddle};
use super::{Contradiction, System};
use crate::State;
use crate::dynamics::penalty::PenaltyForces;
use signorini_linalg::FactorError;

/// Times the solution is refined: each takes E out to six more digits where rows are not redundant and masses are alike …
const REFINEMENTS: usize = 3;
/// … and to fewer where a light body holds a heavy one: at most so many more, while what is left of the rows matters and shrinks
/// by this factor.
const MORE_REFINEMENTS: usize = 50;
const WORTHWHILE: f64 = 0.95;
/// Most steps of Newton's method on Ψ.
const POSITION_STEPS: usize = 50;
/// Positions are consistent when Ψ is below this share of the model's length (and this in radians).
const POSITION_TOLERANCE: f64 = 1e-13;
/// Rows left violated by more than this contradict each other (speeds and accelerations: relative to the largest).
const CONTRADICTION: f64 = 1e-6;
/// Rows are refined to this share of the largest.
const LEFT: f64 = 1e-10;
/// Bodies move by at most this share of the model's length, and turn by this \[rad\], in one step of Newton's method on Ψ.
const LARGEST_MOVE: f64 = 0.3;

/// Whether contacts by penalty are part of the forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Springs {
    Act,
    LeftOut,
}

/// Solves with [[M, −Cᵀ], [C, E]].
pub(crate) struct Consistent {
    saddle: Saddle,
    rows: Rows,
    shifted: Rows,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    /// A phase before or after.
    ahead: Phase,
    increment: Vec<f64>,
    drift: Vec<f64>,
    /// Contacts as springs: they act on accelerations.
    pub(crate) penalty: Option<Box<PenaltyForces>>,
}

impl Consistent {
    pub(crate) fn new(system: System<'_>) -> Self {
        let System { model, equations } = system;
        let (n, m) = (equations.dimension, equations.rows.len());
        let mass = equations.nodes.as_ref().map(|nodes| &nodes.mass_matrix);
        let mut saddle = Saddle::new(equations, Vec::new(), mass, &[]);
        saddle.set_compliance(equations, COMPLIANCE);
        Self {
            saddle,
            rows: Rows::default(),
            shifted: Rows::default(),
            rhs: vec![0.0; n + m],
            solution: vec![0.0; n + m],
            ahead: equations.phase(&State::start_of(model)),
            increment: vec![0.0; n],
            drift: vec![0.0; m],
            penalty: None,
        }
    }

    fn factorise(&mut self, equations: &Equations) -> Result<(), FactorError> {
        let Self { saddle, rows, .. } = self;
        let nodes = equations.nodes.as_ref().map_or(&[][..], |nodes| nodes.mass_matrix.values());
        let block = |k: usize| equations.mass_block(k);
        saddle.factorise(equations, rows, block, |_| [[0.0; 12]; 12], [nodes, &[]], |_, row| *row)
    }

    /// Solves for `rhs`, with E taken out; the answer is in `solution`, what is left of the rows, which are of the size `scale`, in
    /// `rhs`. Returns the right-hand side and what the first solve left of its rows.
    fn solve(&mut self, n: usize, scale: f64) -> (Vec<f64>, f64) {
        self.solution.copy_from_slice(&self.rhs);
        self.saddle.solve(&mut self.solution);
        let right = self.rhs.clone();
        self.saddle.subtract_rigid(&self.solution, &mut self.rhs);
        let first = conjugate::size(&self.rhs[n..]);
        let mut before = f64::INFINITY;
        for round in 0..REFINEMENTS + MORE_REFINEMENTS {
            let left = conjugate::size(&self.rhs[n..]);
            if round >= REFINEMENTS && (left <= LEFT * scale || left > WORTHWHILE * before) {
                break;
            }
            before = left;
            self.saddle.solve(&mut self.rhs);
            self.solution.iter_mut().zip(&self.rhs).for_each(|(x, correction)| *x += correction);
            self.rhs.copy_from_slice(&right);
            self.saddle.subtract_rigid(&self.solution, &mut self.rhs);
        }
        (right, first)
    }

    /// Moves bodies as little as possible until all joints hold. Returns how far: the largest of metres / length and radians.
    ///
    /// # Errors
    /// Joints that contradict each other.
    pub(crate) fn positions(&mut self, system: System<'_>, phase: &mut Phase) -> Result<f64, Contradiction> {
        let System { model, equations } = system;
        let n = equations.dimension;
        if equations.rows.is_empty() {
            return Ok(0.0);
        }
        let (mut moved, mut best) = (0.0, f64::INFINITY);
        let mut stalled = 0;
        for _ in 0..POSITION_STEPS {
            equations.evaluate_rows(model, phase, &mut self.rows);
            let (worst, _) = equations.worst_row(&self.rows);
            if worst <= POSITION_TOLERANCE || (stalled >= 2 && worst <= 1e3 * POSITION_TOLERANCE) {
                return Ok(moved);
            }
            stalled = if worst < 0.5 * best { 0 } else { stalled + 1 };
            best = best.min(worst);
            if stalled > 10 || worst.is_nan() {
                return Err(self.contradiction(equations, "positions"));
            }
            self.factorise(equations).map_err(|_| self.contradiction(equations, "positions"))?;
            self.rhs[..n].fill(0.0);
            self.rhs[n..].iter_mut().zip(&self.rows.value).for_each(|(r, value)| *r = -value);
            self.saddle.solve(&mut self.rhs);
            let size = equations.size(&self.rhs[..n]);
            let shrink = (LARGEST_MOVE / size).min(1.0);
            self.increment.iter_mut().zip(&self.rhs).for_each(|(z, r)| *z = shrink * r);
            moved += shrink * size;
            self.ahead.clone_from(phase);
            equations.displace(&self.ahead, &self.increment, phase);
        }
        equations.evaluate_rows(model, phase, &mut self.rows);
        if equations.worst_row(&self.rows).0 <= CONTRADICTION {
            Ok(moved)
        } else {
            Err(self.contradiction(equations, "positions"))
        }
    }

    /// The row that is violated most, by its own unit.
    fn contradiction(&self, equations: &Equations, of: &'static str) -> Contradiction {
        let (_, joint) = equations.worst_row(&self.rows);
        let rows = (0..equations.rows.len()).filter(|&row| equations.rows[row].joint == joint);
        let worst = rows.max_by(|a, b| self.rows.value[*a].abs().total_cmp(&self.rows.value[*b].abs()));
        let (left, is_angle) = worst.map_or((0.0, false), |row| (self.rows.value[row].abs(), self.rows.is_angle[row]));
        Contradiction { joint, left, is_angle, of }
    }

    /// Changes velocities as little as possible so that joints keep holding.
    ///
    /// # Errors
    /// Imposed motions that contradict each other.
    pub(crate) fn velocities(&mut self, system: System<'_>, phase: &mut Phase) -> Result<(), Contradiction> {
        let System { model, equations } = system;
        let n = equations.dimension;
        if equations.rows.is_empty() {
            return Ok(());
        }
        equations.evaluate_rows(model, phase, &mut self.rows);
        let fail = |joint, left| Contradiction { joint, left, is_angle: false, of: "speeds" };
        self.factorise(equations).map_err(|_| fail(0, f64::NAN))?;
        self.rhs[..n].fill(0.0);
        let mut scale = 0.0_f64;
        for row in 0..equations.rows.len() {
            let speed = equations.row_speed(&self.rows, row, &phase.velocity);
            let terms = equations.row_terms(&self.rows, row, &phase.velocity);
            scale = scale.max(terms).max(self.rows.rate[row].abs());
            self.rhs[n + row] = -speed - self.rows.rate[row];
        }
        self.solve(n, scale);
        self.left_over(equations, scale, "speeds")?;
        phase.velocity.iter_mut().zip(&self.solution).for_each(|(v, change)| *v += change);
        Ok(())
    }

    /// Accelerations and multipliers of a state whose forces are given; `window` is a time over which imposed motions are smooth.
    ///
    /// # Errors
    /// Imposed motions that contradict each other.
    pub(crate) fn accelerations(
        &mut self,
        system: System<'_>,
        phase: &Phase,
        window: f64,
        acceleration: &mut [f64],
        multipliers: &mut [f64],
    ) -> Result<(), Contradiction> {
        if !system.equations.rows.is_empty() {
            self.speed_drift(system, phase, window);
        }
        self.accelerate(system, phase, Springs::Act, acceleration, multipliers)
    }

    /// The same of smooth forces alone, without contacts by penalty.
    ///
    /// # Errors
    /// As [`Consistent::accelerations`].
    pub(crate) fn accelerations_without_contacts(
        &mut self,
        system: System<'_>,
        phase: &Phase,
        window: f64,
        acceleration: &mut [f64],
        multipliers: &mut [f64],
    ) -> Result<(), Contradiction> {
        if !system.equations.rows.is_empty() {
            self.speed_drift(system, phase, window);
        }
        self.accelerate(system, phase, Springs::LeftOut, acceleration, multipliers)
    }

    /// What is left of the forces on bodies at rest when joints have done what they can: M a − Cᵀλ = f, C a = 0.
    ///
    /// # Errors
    /// Forces that are not finite.
    pub(crate) fn balance(
        &mut self,
        system: System<'_>,
        phase: &Phase,
        acceleration: &mut [f64],
        multipliers: &mut [f64],
    ) -> Result<(), Contradiction> {
        self.drift.fill(0.0);
        self.accelerate(system, phase, Springs::Act, acceleration, multipliers)
    }

    /// M a − Cᵀλ = f, C a = −drift.
    fn accelerate(
        &mut self,
        system: System<'_>,
        phase: &Phase,
        springs: Springs,
        acceleration: &mut [f64],
        multipliers: &mut [f64],
    ) -> Result<(), Contradiction> {
        let System { model, equations } = system;
        let n = equations.dimension;
        equations.forces(model, phase, acceleration);
        if let (Springs::Act, Some(penalty)) = (springs, &mut self.penalty) {
            penalty.evaluate(system, phase);
            penalty.add_to(equations, phase, acceleration);
        }
        if equations.rows.is_empty() {
            equations.divide_by_mass(acceleration);
            return Ok(());
        }
        equations.evaluate_rows(model, phase, &mut self.rows);
        let fail = |joint, left| Contradiction { joint, left, is_angle: false, of: "accelerations" };
        self.factorise(equations).map_err(|_| fail(0, f64::NAN))?;
        self.rhs[..n].copy_from_slice(acceleration);
        self.rhs[n..].iter_mut().zip(&self.drift).for_each(|(r, drift)| *r = -drift);
        let free = {
            equations.divide_by_mass(acceleration);
            (0..equations.rows.len()).map(|row| equations.row_terms(&self.rows, row, acceleration))
        };
        let scale = free.chain(self.drift.iter().map(|drift| drift.abs())).fold(0.0, f64::max);
        let (right, first) = self.solve(n, scale);
        // Positions and velocities are at rounding already, or corrected again.
        conjugate::refine(&mut self.saddle, &mut self.solution, &right, first, &mut self.rhs);
        self.left_over(equations, scale, "accelerations")?;
        acceleration.copy_from_slice(&self.solution[..n]);
        multipliers.copy_from_slice(&self.solution[n..]);
        Ok(())
    }

    /// (C v + Ψ_t)˙ at fixed v, by a difference of fourth order along the motion: exact to about 1e-12 of its parts.
    fn speed_drift(&mut self, system: System<'_>, phase: &Phase, window: f64) {
        let System { model, equations } = system;
        // Far enough for rounding not to matter, near enough for the fifth derivative not to.
        let speed = equations.size(&phase.velocity);
        let by = if speed > 0.0 { window.min(1e-3 / speed) } else { window };
        self.drift.fill(0.0);
        for (steps, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            self.increment.iter_mut().zip(&phase.velocity).for_each(|(z, v)| *z = steps * by * v);
            equations.displace(phase, &self.increment, &mut self.ahead);
            self.ahead.time = phase.time + steps * by;
            equations.evaluate_rows(model, &self.ahead, &mut self.shifted);
            for row in 0..equations.rows.len() {
                let speed = equations.row_speed(&self.shifted, row, &phase.velocity) + self.shifted.rate[row];
                self.drift[row] += weight * speed / (12.0 * by);
            }
        }
    }

    /// Whether the rows of the last solve were met.
    fn left_over(&self, equations: &Equations, scale: f64, of: &'static str) -> Result<(), Contradiction> {
        let left = &self.rhs[equations.dimension..];
        let worst = left.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        match worst {
            Some((row, left)) if left.abs() > CONTRADICTION * scale => {
                let (joint, is_angle) = (equations.rows[row].joint, self.rows.is_angle[row]);
                Err(Contradiction { joint, left: left.abs(), is_angle, of })
            }
            _ => Ok(()),
        }
    }
}

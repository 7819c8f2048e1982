//! One step of the implicit family by Newton's method.
//!
//! The unknowns are the accelerations a⁺ and the multipliers λ⁺ at the end of the step. In units of position, z = κ δa and
//! μ = κ λ, the system has the same scale for every h:
//!
//! ```text
//! [ A     −C⁺ᵀ ] [ z  ]     [ κ (M a⁺ − f⁺ − C⁺ᵀλ⁺) ]
//! [ C⁺T    E   ] [ δμ ] = − [ Ψ⁺ + E μ              ]        A = M + κ [ (s₁/p₁h) R + (K + G) T ]
//! ```
//!
//! T turns increments of a rotation vector into increments of the rotation. A factor is kept while it serves: across iterations
//! and across steps. Newton's method ends when the increment that its last residual leads to is below the tolerance.
//!
//! Contacts by penalty are part of f⁺, K and R. Their tangents jump where a contact opens, closes, slips or sticks: a factor then serves
//! only while the same contacts push, and no longer than the step.

mod factor;

use super::coefficients::Coefficients;
use super::{Accelerated, NewtonFailure};
use crate::State;
use crate::dynamics::penalty::{Linearised, PenaltyForces};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::dynamics::smooth::rows::Rows;
use crate::dynamics::smooth::saddle::Saddle;
use crate::force::problem::first_problem;
use crate::step::settings::Newton;
use factor::saddle;

/// A factor made for another point is replaced when increments shrink by less than this.
const STALE_RATE: f64 = 0.1;
/// With a factor made in this step Newton's method has failed when they shrink by less than this …
const FRESH_RATE: f64 = 0.9;
/// … unless they are down to rounding, which singular positions magnify: the increment that is left is reported as a speed.
const ROUNDING: f64 = 1e-8;
/// Increments may change accelerations by this many times the tolerance, as a share …
const ACCELERATION_TOLERANCES: f64 = 1e3;
/// … if that is more than the rounding of positions, which adds up from row to row as a random walk, a unit every so many rows.
const ROWS_PER_UNIT: f64 = 100.0;
/// Joints give way by about this share of the model's length: less would be rounding, which appears in redundant multipliers.
const GIVE: f64 = 1e-12;
/// Where they give way by more, Newton's method goes on with the multipliers found as those that stretch nothing, so often.
const GIVES: f64 = 2e-11;
const TIGHTENINGS: u32 = 2;
/// Bounds of ε that leave the matrix regular, and joints joints.
const LEAST_COMPLIANCE: f64 = 1e-10;
const MOST_COMPLIANCE: f64 = 1e-4;
/// After so many iterations contacts are no longer found anew, but carried along with their bodies.
const KEEP_AFTER: u32 = 6;
/// Rows that Newton's method leaves violated by more than this share of the model's length contradict each other.
const CONTRADICTION: f64 = 1e-7;

/// The state of Newton's method and its factor.
pub(crate) struct Implicit {
    saddle: Saddle,
    /// What the factor was made from.
    made: Made,
    rows: Rows,
    force: Vec<f64>,
    residual: Vec<f64>,
    increment: Vec<f64>,
    /// The μ that stretches no joint: 0, unless multipliers are large.
    carried: Vec<f64>,
    /// ż at both ends of the step.
    rates: [Vec<f64>; 2],
    newton: Newton,
    /// Contacts by penalty as the factor has them, and the pairs of bodies its pattern has room for.
    contacts: Linearised,
    pattern: (Vec<[Option<usize>; 2]>, Vec<[usize; 2]>),
    /// A of nodes, and what contacts of skins add.
    node_values: Vec<f64>,
    contact_values: Vec<f64>,
}

/// Where a factor was made: with these numbers it can be made again, to the same bits.
#[derive(Clone, Debug)]
struct Made {
    /// κ and s₁/(p₁h); NaN without a factor.
    scales: [f64; 2],
    /// ε.
    compliance: f64,
    phase: Phase,
    multipliers: Vec<f64>,
    increment: Vec<f64>,
}

/// What Newton's method did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewtonReport {
    pub(crate) iterations: u32,
    pub(crate) factorisations: u32,
    /// The last increment, relative.
    pub(crate) increment: f64,
}

impl Implicit {
    pub(crate) fn new(system: System<'_>, newton: Newton) -> Self {
        let System { model, equations } = system;
        let size = equations.dimension + equations.rows.len();
        let zero = vec![0.0; equations.dimension];
        let made = Made {
            scales: [f64::NAN; 2],
            compliance: 0.0,
            phase: equations.phase(&State::start_of(model)),
            multipliers: vec![0.0; equations.rows.len()],
            increment: zero,
        };
        Self {
            saddle: saddle(system, &Linearised::default()),
            node_values: Vec::new(),
            contact_values: Vec::new(),
            made,
            rows: Rows::default(),
            force: vec![0.0; equations.dimension],
            residual: vec![0.0; size],
            increment: vec![0.0; equations.dimension],
            carried: vec![0.0; equations.rows.len()],
            rates: [vec![0.0; model.memory_layout().len()], vec![0.0; model.memory_layout().len()]],
            newton,
            contacts: Linearised::default(),
            pattern: Default::default(),
        }
    }

    /// Takes a step of length h from `from` to `to`.
    ///
    /// # Errors
    /// Newton's method fails: `to` is then of no use.
    pub(crate) fn step(
        &mut self,
        system: System<'_>,
        coefficients: &Coefficients,
        mut penalty: Option<&mut PenaltyForces>,
        from: &Accelerated,
        to: &mut Accelerated,
        h: f64,
    ) -> Result<NewtonReport, NewtonFailure> {
        let System { model, equations } = system;
        let (kappa, speed) = (coefficients.kappa(h), coefficients.speed(h));
        let mut report = NewtonReport::default();
        self.predict(system, coefficients, from, to, h);
        let tolerance = self.tolerance(equations, from, kappa);
        let mut is_fresh = false;
        let mut previous = f64::INFINITY;
        // A factor of another step length is of no use.
        let mut is_wrong = self.made.scales != [kappa, speed];
        self.carried.fill(0.0);
        let mut tightenings = 0;
        if let Some(penalty) = &mut penalty {
            penalty.release_contacts();
        }
        loop {
            self.remember(system, coefficients, from, to, h);
            if let Some(penalty) = &mut penalty {
                penalty.evaluate(system, &to.phase);
                if report.iterations >= KEEP_AFTER {
                    penalty.keep_contacts(&to.phase);
                }
                if penalty.differs(&self.contacts) {
                    // Increments of other contacts say nothing about convergence with these.
                    (is_wrong, previous) = (true, f64::INFINITY);
                }
                if is_wrong {
                    penalty.linearise(system, &to.phase, &mut self.contacts);
                }
            }
            if is_wrong {
                report.factorisations += 1;
                if !self.factorise(system, from, to, [kappa, speed]) {
                    let problem = first_problem(model, |body| equations.motion(&to.phase, body), to.phase.time);
                    return Err(NewtonFailure {
                        problem,
                        ..self.failure(equations, h, "the matrix of the step is singular")
                    });
                }
                (is_fresh, is_wrong) = (true, false);
            }
            self.evaluate(system, penalty.as_deref(), to, kappa);
            self.saddle.solve(&mut self.residual);
            report.iterations += 1;
            let (z, mu) = self.residual.split_at(equations.dimension);
            let size = equations.size(z);
            report.increment = size;
            if !size.is_finite() {
                let problem = first_problem(model, |body| equations.motion(&to.phase, body), to.phase.time);
                return Err(NewtonFailure { problem, ..self.failure(equations, h, "an increment is not finite") });
            }
            to.acceleration.iter_mut().zip(z).for_each(|(a, z)| *a += z / kappa);
            to.multipliers.iter_mut().zip(mu).for_each(|(lambda, mu)| *lambda += mu / kappa);
            self.carry(equations, coefficients, from, to, h);
            if coefficients.is_linearised {
                // What a second iteration would change is what the step is in error by.
                if let Some(penalty) = &mut penalty {
                    penalty.evaluate(system, &to.phase);
                }
                self.evaluate(system, penalty.as_deref(), to, kappa);
                self.saddle.solve(&mut self.residual);
                report.increment = equations.size(&self.residual[..equations.dimension]);
                self.made.scales = [f64::NAN; 2];
                return Ok(report);
            }
            let rate = size / previous;
            let is_rounding = is_fresh && rate > 0.5 && size <= ROUNDING;
            if size <= tolerance || is_rounding {
                equations.evaluate_rows(model, &to.phase, &mut self.rows);
                let (worst, _) = equations.worst_row(&self.rows);
                if worst <= GIVES || tightenings == TIGHTENINGS {
                    break;
                }
                // Large multipliers, as near singular positions: what they stretch joints by is taken back.
                tightenings += 1;
                self.carried.iter_mut().zip(&to.multipliers).for_each(|(carried, lambda)| *carried = kappa * lambda);
                previous = f64::INFINITY;
                continue;
            }
            if report.iterations >= self.newton.max_iterations {
                return Err(self.failure(equations, h, "the limit of iterations is reached"));
            }
            let touches = penalty.as_ref().is_some_and(|penalty| penalty.pushes());
            if is_fresh && !touches && rate > FRESH_RATE {
                return Err(self.failure(equations, h, "increments no longer shrink"));
            }
            previous = size;
            if !is_fresh && rate > STALE_RATE {
                if rate > 1.0 {
                    // The old factor has led away from the answer.
                    self.predict(system, coefficients, from, to, h);
                }
                (is_wrong, previous) = (true, f64::INFINITY);
            }
            // Stiffness grows with overlap: every iteration its own, until they converge fast.
            is_wrong |= touches && rate > STALE_RATE;
        }
        if !self.contacts.is_empty() {
            self.made.scales = [f64::NAN; 2];
            self.contacts.clear();
        }
        match equations.worst_row(&self.rows) {
            (worst, _) if worst <= CONTRADICTION => Ok(report),
            _ => Err(self.failure(equations, h, "joints contradict each other")),
        }
    }

    /// What increments have to be below: the tolerance of positions, and what changes accelerations by a thousand times that (a
    /// millionth of a per cent, usually), so that multipliers keep their digits however short the step; but not rounding.
    fn tolerance(&self, equations: &Equations, from: &Accelerated, kappa: f64) -> f64 {
        let places = from.phase.poses.iter().map(|pose| pose.position).chain(from.phase.nodes.iter().copied());
        let reach = places.map(|place| place.abs().max_element()).fold(0.0, f64::max);
        let crowd = (equations.rows.len() as f64 / ROWS_PER_UNIT).sqrt().max(1.0);
        let rounding = f64::EPSILON * (reach / equations.length).max(1.0) * crowd;
        let share = ACCELERATION_TOLERANCES * self.newton.tolerance;
        self.newton.tolerance.min(share * kappa * equations.size(&from.acceleration)).max(rounding)
    }

    /// Where Newton's method starts: acceleration and multipliers go on as they are.
    fn predict(&mut self, system: System<'_>, c: &Coefficients, from: &Accelerated, to: &mut Accelerated, h: f64) {
        let System { model, equations } = system;
        to.acceleration.clone_from(&from.acceleration);
        to.multipliers.clone_from(&from.multipliers);
        to.phase.time = from.phase.time + h;
        to.phase.memory.clone_from(&from.phase.memory);
        equations.memory_rates(model, &from.phase, &mut self.rates[0]);
        self.carry(equations, c, from, to, h);
    }

    /// z⁺ = z + h(s₀ ż + s₁ ż⁺), with the latest q⁺ and v⁺: a fixed point along with Newton's method.
    fn remember(&mut self, system: System<'_>, c: &Coefficients, from: &Accelerated, to: &mut Accelerated, h: f64) {
        let System { model, equations } = system;
        if from.phase.memory.is_empty() {
            return;
        }
        let [old, new] = &mut self.rates;
        equations.memory_rates(model, &to.phase, new);
        for (i, z) in to.phase.memory.iter_mut().enumerate() {
            *z = from.phase.memory[i] + h * (c.velocity[0] * old[i] + c.velocity[1] * new[i]);
        }
    }

    /// â⁺, q⁺ and v⁺ from a⁺.
    fn carry(&mut self, equations: &Equations, c: &Coefficients, from: &Accelerated, to: &mut Accelerated, h: f64) {
        let [p0, p1] = c.position;
        let [s0, s1] = c.velocity;
        for i in 0..equations.dimension {
            let weighted = (1.0 - c.alpha_f) * to.acceleration[i] + c.alpha_f * from.acceleration[i];
            to.algorithmic[i] = (weighted - c.alpha_m * from.algorithmic[i]) / (1.0 - c.alpha_m);
            let (old, new) = (from.algorithmic[i], to.algorithmic[i]);
            self.increment[i] = h * (from.phase.velocity[i] + h * (p0 * old + p1 * new));
            to.phase.velocity[i] = from.phase.velocity[i] + h * (s0 * old + s1 * new);
        }
        equations.displace(&from.phase, &self.increment, &mut to.phase);
    }

    /// Minus the residual, with penalty forces found before.
    fn evaluate(&mut self, system: System<'_>, penalty: Option<&PenaltyForces>, to: &Accelerated, kappa: f64) {
        let System { model, equations } = system;
        equations.evaluate_rows(model, &to.phase, &mut self.rows);
        equations.forces(model, &to.phase, &mut self.force);
        if let Some(penalty) = penalty {
            penalty.add_to(equations, &to.phase, &mut self.force);
        }
        equations.add_reactions(&self.rows, &to.multipliers, 1.0, &mut self.force);
        equations.add_inertia(&to.acceleration, -1.0, &mut self.force);
        let (balance, rows) = self.residual.split_at_mut(equations.dimension);
        balance.iter_mut().zip(&self.force).for_each(|(r, f)| *r = kappa * f);
        for (row, r) in rows.iter_mut().enumerate() {
            let stretch = kappa * to.multipliers[row] - self.carried[row];
            *r = -(self.rows.value[row] + self.saddle.compliance()[row] * stretch);
        }
    }

    /// Makes the factor of this iteration; false for a matrix that is singular.
    fn factorise(&mut self, system: System<'_>, from: &Accelerated, to: &Accelerated, scales: [f64; 2]) -> bool {
        self.made.scales = scales;
        self.made.phase.clone_from(&to.phase);
        self.made.multipliers.clone_from(&from.multipliers);
        self.made.increment.clone_from(&self.increment);
        self.make(system)
    }

    /// Chooses ε for a motion with this largest acceleration \[m/s²\] in steps of h. It stays the same: a change would be a jump of
    /// positions, which methods without damping remember.
    pub(super) fn set_compliance(&mut self, equations: &Equations, kappa: f64, acceleration: f64) {
        let epsilon = GIVE * equations.length / (kappa * acceleration);
        // `clamp` keeps what is not a number, and without acceleration there is nothing to give way to.
        self.made.compliance =
            if epsilon.is_finite() { epsilon.clamp(LEAST_COMPLIANCE, MOST_COMPLIANCE) } else { MOST_COMPLIANCE };
    }

    fn failure(&mut self, equations: &Equations, h: f64, reason: &'static str) -> NewtonFailure {
        self.made.scales = [f64::NAN; 2];
        self.contacts.clear();
        let (violation, joint) = equations.worst_row(&self.rows);
        let z = &self.residual[..equations.dimension];
        let (body, increment) = (equations.worst_body(z), equations.size(z));
        let element = equations.take_failure().map(Box::new);
        NewtonFailure { reason, step: h, body, increment, joint, violation, problem: None, element }
    }
}

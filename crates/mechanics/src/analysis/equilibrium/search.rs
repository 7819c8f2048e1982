//! Downhill to an equilibrium.
//!
//! ```text
//! r = f + Cᵀλ = M a           the forces joints do not take, g = Zᵀr
//! K̂ = V diag(κ) Vᵀ            symmetric part, on the motions joints leave
//! p = V (|κ| + σ)⁻¹ Vᵀ g      downhill along every eigenvector; with κ > 0 and σ = 0 this is Newton's step
//! q ← q ⊕ Z p, then back onto the joints
//! ```
//!
//! A step is taken if the force along it has not turned round by more than it was (it did positive work then, to second order);
//! otherwise σ grows. Work is measured by forces alone: loads and follower forces have no potential.

use super::{EquilibriumSettings, Stability};
use crate::Vec3;
use crate::analysis::freedoms::{Freedoms, force_rate, symmetric_part};
use crate::analysis::{AnalysisError, body_name, contradiction};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::Phase;
use crate::dynamics::smooth::rows::Rows;
use crate::force::problem::{described, first_problem};
use signorini_linalg::{DenseLu, SymmetricEigen};

/// Bodies move by at most this share of the model's length, and turn by this \[rad\], in one step.
const LARGEST_MOVE: f64 = 0.3;
/// An unstable equilibrium is left by such a move.
const PUSH: f64 = 0.02;
/// Most unstable equilibria left.
const MOST_LEFT: u32 = 20;
/// Stiffness below this share of the largest is none: differences cannot tell it from rounding.
const FLAT: f64 = 1e-9;
/// A force along a step may turn round to this share of what it was.
const OVERSHOOT: f64 = 0.9;
/// σ starts at this share of the largest stiffness, where it is needed.
const FIRST_SHIFT: f64 = 1e-3;
/// σ below this share of the largest stiffness is 0.
const LEAST_SHIFT: f64 = 1e-10;
/// Trials of one step, each with a larger σ.
const TRIALS: u32 = 60;
/// After so many steps in a row that follow a force without stiffness, there is nothing that holds the body.
const RUNAWAY: u32 = 40;
/// Steps below the tolerance, while each halves the residual.
const POLISH: u32 = 4;

/// What was found.
pub(super) struct Found {
    pub(super) phase: Phase,
    pub(super) multipliers: Vec<f64>,
    pub(super) stability: Stability,
    pub(super) softest: Option<f64>,
    pub(super) freedoms: usize,
    pub(super) iterations: u32,
    pub(super) left_behind: u32,
    pub(super) residual: f64,
    pub(super) scale: f64,
}

/// Forces at a configuration.
#[derive(Clone)]
struct Balance {
    phase: Phase,
    multipliers: Vec<f64>,
    /// r = M a.
    unbalanced: Vec<f64>,
    residual: f64,
    scale: f64,
}

/// Stiffness at a configuration.
struct Local {
    freedoms: Freedoms,
    /// g.
    slope: Vec<f64>,
    stiffness: Vec<f64>,
    eigen: SymmetricEigen,
    /// The largest stiffness \[1/s²\], or what forces could be mistaken for.
    largest: f64,
}

pub(super) struct Search<'a> {
    system: System<'a>,
    settings: &'a EquilibriumSettings,
    consistent: Consistent,
    at: Balance,
    shift: f64,
    iterations: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        system: System<'a>,
        mut phase: Phase,
        settings: &'a EquilibriumSettings,
    ) -> Result<Self, AnalysisError> {
        let mut consistent = Consistent::new(system);
        let time = phase.time;
        let told = |found| contradiction(system.model, &found, time);
        consistent.positions(system, &mut phase).map_err(told)?;
        if let Some((force, problem)) = problem_at(system, &phase) {
            return Err(AnalysisError::Force { force: described(system.model, force), problem });
        }
        let at = balance(system, &mut consistent, phase)?;
        Ok(Self { system, settings, consistent, at, shift: 0.0, iterations: 0 })
    }

    pub(super) fn run(mut self) -> Result<Found, AnalysisError> {
        let (mut left_behind, mut runaway, mut polished) = (0, 0, 0);
        loop {
            let local = self.local()?;
            if self.is_balanced() {
                if polished < POLISH && self.at.residual > 0.0 && self.polish(&local)? {
                    polished += 1;
                    continue;
                }
                let stability = local.stability();
                if stability != Stability::Unstable || !self.settings.leave_unstable || left_behind >= MOST_LEFT {
                    return Ok(self.found(&local, stability, left_behind));
                }
                left_behind += 1;
                polished = 0;
                self.push(&local)?;
                continue;
            }
            if self.iterations >= self.settings.max_iterations {
                return Err(self.not_converged());
            }
            runaway = if local.flat_share() > 0.5 { runaway + 1 } else { 0 };
            if runaway >= RUNAWAY {
                let motion = local.freedoms.combined(&local.flat_slope());
                let body = body_name(self.system.model, self.system.equations.worst_body(&motion));
                return Err(AnalysisError::Unheld { body, others: 0 });
            }
            self.step(&local)?;
        }
    }

    fn is_balanced(&self) -> bool {
        self.at.residual <= self.settings.tolerance * self.at.scale
    }

    fn local(&mut self) -> Result<Local, AnalysisError> {
        self.iterations += 1;
        let System { model, equations } = self.system;
        let mut rows = Rows::default();
        equations.evaluate_rows(model, &self.at.phase, &mut rows);
        let freedoms = Freedoms::of(self.system, &rows)?;
        let stiffness = freedoms.tangents(self.system, &self.at.phase, &self.at.multipliers).stiffness;
        let eigen = SymmetricEigen::of(freedoms.count, &symmetric_part(freedoms.count, &stiffness))?;
        let rate = force_rate(self.system, &self.at.phase, &rows, &self.at.multipliers);
        let largest = eigen.values.iter().fold(rate, |largest, value| largest.max(value.abs()));
        let slope = freedoms.along(&self.at.unbalanced);
        Ok(Local { freedoms, slope, stiffness, eigen, largest })
    }

    /// One step downhill.
    fn step(&mut self, local: &Local) -> Result<(), AnalysisError> {
        for _ in 0..TRIALS {
            let amounts = local.downhill(self.shift);
            let z = local.freedoms.combined(&amounts);
            let size = self.system.equations.size(&z);
            if size.is_nan() {
                return Err(AnalysisError::NotFinite { what: "a step of the search" });
            }
            if size > LARGEST_MOVE {
                // |z| falls at least as 1/σ does, once σ is what limits it.
                self.shift = (self.shift * (1.1 * size / LARGEST_MOVE).clamp(1.5, 1e3))
                    .max(FIRST_SHIFT * FIRST_SHIFT * local.largest);
                continue;
            }
            let Some(next) = self.moved(&z)? else {
                self.grow(local);
                continue;
            };
            // The work of the step per unit of its length, before and after; a body's own turn does not change its axis.
            let before = dot(&self.at.unbalanced, &z);
            let after = dot(&next.unbalanced, &z);
            let is_near = size < 1e-3 && next.residual <= 0.5 * self.at.residual;
            if after >= -OVERSHOOT * before || is_near {
                // Short of the balance, or not far beyond: a longer step next time.
                if after >= -0.5 * before || is_near {
                    self.shift *= 0.1;
                }
                if self.shift < LEAST_SHIFT * local.largest {
                    self.shift = 0.0;
                }
                self.at = next;
                return Ok(());
            }
            self.grow(local);
        }
        Err(self.not_converged())
    }

    fn grow(&mut self, local: &Local) {
        self.shift = (4.0 * self.shift).max(FIRST_SHIFT * local.largest);
    }

    /// A Newton step below the tolerance; whether it was worth it.
    fn polish(&mut self, local: &Local) -> Result<bool, AnalysisError> {
        let z = local.freedoms.combined(&local.downhill(0.0));
        let size = self.system.equations.size(&z);
        if size.is_nan() || size > 1e-3 {
            return Ok(false);
        }
        match self.moved(&z)? {
            Some(next) if next.residual <= 0.5 * self.at.residual => {
                self.at = next;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Leaves an unstable equilibrium along the motion of least stiffness.
    fn push(&mut self, local: &Local) -> Result<(), AnalysisError> {
        let mut z = local.freedoms.combined(local.eigen.vector(0));
        // An eigenvector has no sign of its own: the first large entry is made positive.
        let largest = z.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let sign = z.iter().find(|x| x.abs() > 0.5 * largest).map_or(1.0, |x| x.signum());
        let size = self.system.equations.size(&z);
        z.iter_mut().for_each(|x| *x *= sign * PUSH / size);
        self.shift = 0.0;
        match self.moved(&z)? {
            Some(next) => {
                self.at = next;
                Ok(())
            }
            None => Err(self.not_converged()),
        }
    }

    /// The forces after a step; None where joints do not come together again or a force does not exist.
    fn moved(&mut self, z: &[f64]) -> Result<Option<Balance>, AnalysisError> {
        let mut phase = self.at.phase.clone();
        self.system.equations.displace(&self.at.phase, z, &mut phase);
        match self.consistent.positions(self.system, &mut phase) {
            // As far as a force exists, and no farther.
            Ok(_) if problem_at(self.system, &phase).is_some() => Ok(None),
            Ok(_) => balance(self.system, &mut self.consistent, phase).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn not_converged(&self) -> AnalysisError {
        let body = self.system.equations.worst_body(&self.at.unbalanced);
        AnalysisError::NotConverged {
            iterations: self.iterations,
            residual: self.at.residual,
            allowed: self.settings.tolerance * self.at.scale,
            body: body_name(self.system.model, body),
        }
    }

    fn found(self, local: &Local, stability: Stability, left_behind: u32) -> Found {
        let Balance { phase, multipliers, residual, scale, .. } = self.at;
        Found {
            phase,
            multipliers,
            stability,
            softest: local.eigen.values.first().copied(),
            freedoms: local.freedoms.count,
            iterations: self.iterations,
            left_behind,
            residual,
            scale,
        }
    }
}

impl Local {
    fn is_flat(&self, k: usize) -> bool {
        self.eigen.values[k].abs() <= FLAT * self.largest
    }

    /// Vᵀg.
    fn slopes(&self) -> Vec<f64> {
        (0..self.freedoms.count).map(|k| dot(self.eigen.vector(k), &self.slope)).collect()
    }

    /// p for a shift σ.
    fn downhill(&self, shift: f64) -> Vec<f64> {
        let n = self.freedoms.count;
        let slopes = self.slopes();
        // Forces need not have a potential: with nothing to go round, Newton's step has the whole matrix.
        if shift == 0.0 && (0..n).all(|k| self.eigen.values[k] > FLAT * self.largest) {
            let mut step = self.slope.clone();
            DenseLu::factorise(n, &self.stiffness).solve_in_place(&mut step);
            if step.iter().all(|x| x.is_finite()) && dot(&step, &self.slope) > 0.0 {
                return step;
            }
        }
        let largest_slope = slopes.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut step = vec![0.0; n];
        for (k, slope) in slopes.iter().enumerate() {
            // Rounding must not send a motion that nothing holds away.
            if self.is_flat(k) && slope.abs() <= FLAT * largest_slope {
                continue;
            }
            let amount = slope / (self.eigen.values[k].abs().max(FLAT * self.largest) + shift);
            step.iter_mut().zip(self.eigen.vector(k)).for_each(|(sum, v)| *sum += amount * v);
        }
        step
    }

    /// The part of g along motions without stiffness.
    fn flat_slope(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.freedoms.count];
        for (k, slope) in self.slopes().iter().enumerate().filter(|(k, _)| self.is_flat(*k)) {
            out.iter_mut().zip(self.eigen.vector(k)).for_each(|(sum, v)| *sum += slope * v);
        }
        out
    }

    /// Its share of g (squared).
    fn flat_share(&self) -> f64 {
        let (flat, all) = (self.flat_slope(), dot(&self.slope, &self.slope));
        if all > 0.0 { dot(&flat, &flat) / all } else { 0.0 }
    }

    fn stability(&self) -> Stability {
        match self.eigen.values.first() {
            Some(least) if *least < -FLAT * self.largest => Stability::Unstable,
            Some(least) if *least <= FLAT * self.largest => Stability::Neutral,
            _ => Stability::Stable,
        }
    }
}

/// The first force that does not exist at a configuration.
fn problem_at(System { model, equations }: System<'_>, phase: &Phase) -> Option<(usize, String)> {
    first_problem(model, |body| equations.motion(phase, body), phase.time)
}

/// The forces at a configuration that joints allow.
fn balance(system: System<'_>, consistent: &mut Consistent, phase: Phase) -> Result<Balance, AnalysisError> {
    let System { model, equations } = system;
    let n = equations.dimension;
    let (mut acceleration, mut multipliers) = (vec![0.0; n], vec![0.0; equations.rows.len()]);
    consistent
        .balance(system, &phase, &mut acceleration, &mut multipliers)
        .map_err(|found| contradiction(model, &found, phase.time))?;
    let mut unbalanced = vec![0.0; n];
    equations.add_inertia(&acceleration, 1.0, &mut unbalanced);
    if unbalanced.iter().chain(&multipliers).any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "a force" });
    }
    let newtons = |force: Vec3, torque: Vec3| force.length().max(torque.length() / equations.length);
    let residual = unbalanced
        .chunks_exact(6)
        .map(|part| newtons(Vec3::from_slice(part), Vec3::from_slice(&part[3..])))
        .fold(0.0, f64::max);
    let weight = equations.moving.iter().map(|&body| model.bodies()[body].mass * model.gravity().length());
    let wrenches = model.forces().enumerate().flat_map(|(index, (_, force))| {
        let motions = force.bodies().map(|body| equations.motion(&phase, body.index()));
        let memory = &phase.memory[model.memory_layout().range(index)];
        force.wrench([&motions[0], &motions[1]], phase.time, memory)
    });
    let applied = wrenches.map(|wrench| newtons(wrench.force, wrench.torque));
    let transmitted = super::super::reactions::reactions(system, &phase, &multipliers)
        .into_iter()
        .map(|reaction| newtons(reaction.force, reaction.torque));
    let scale = weight.chain(applied).chain(transmitted).fold(0.0, f64::max);
    Ok(Balance { phase, multipliers, unbalanced, residual, scale })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

//! Linearly implicit Euler with hard contacts (§4 of the theory).
//!
//! ```text
//! H = M + h R + h² K,   c = −[(M + h R) v + h f],   R = −∂f/∂v,  K = −∂f/∂q
//! bilateral   b = −Ψ(q, t + h)/h          imposed motion is met at the END of the step; §2's −Ψ/h − Ψ_t to first order
//! contact     b = −max(Φ/h, −η_s) on the normal row, 0 on the tangents
//! rebound     b = max(−ε u⁻, the above) for a contact that closes within the step faster than a threshold
//! memory      f is taken at z⁺ = z + h ż(q, v, z, t + h)
//! softness    E = 1/(h(hk + d)), b = −(Φ/h)·hk/(hk + d) where it overlaps; d acts once it touches
//! ```

use super::scheme::{FreeMotionError, HardScheme, StepStart};
use crate::dynamics::columns::Columns;
use crate::dynamics::flexible_motion::FlexibleMotion;
use crate::dynamics::free_motion::{Expansion, FreeMotion, add_forces};
use crate::dynamics::gyroscopic;
use crate::dynamics::inertia::{inertia, mass_matrix};
use crate::force::memory;
use crate::step::stepper::About;
use crate::{Model, Vec3};
use signorini_collision::Contact;
use signorini_linalg::Threads;
use signorini_solver::problem::{BlockDiagonal, Inertia};
use std::sync::Arc;

/// What it is.
pub(crate) fn about() -> About {
    let summary = "linearly implicit Euler with hard contacts, as the papers have it";
    About::hard::<Euler>("dvi-euler", summary, 1)
}

/// Linearly implicit Euler and what it keeps from step to step.
pub(crate) struct Euler {
    /// M of rigid bodies: H itself where no force depends on the motion.
    mass: Arc<Inertia>,
    /// The part of flexible bodies in H; `None` without any.
    flexible: Option<FlexibleMotion>,
    threads: Threads,
}

impl HardScheme for Euler {
    fn new(model: &Model, columns: &Columns, parallel: bool) -> Self {
        let threads = if parallel { Threads::Pool } else { Threads::One };
        let mass = Arc::new(Inertia::BlockDiagonal(mass_matrix(model)));
        Self { mass, flexible: FlexibleMotion::new(model, columns, parallel), threads }
    }

    fn free_motion(
        &mut self,
        start: &StepStart<'_>,
        _: &[Contact],
        guess: &[Vec3],
    ) -> Result<FreeMotion, FreeMotionError> {
        let StepStart { model, columns, state, parameters, threads } = *start;
        let h = parameters.step;
        // Momentum (M v + h f), then c = −momentum.
        let mut linear = columns.of_moving_bodies(threads, &|i| {
            let (body, omega) = (&model.bodies()[i], state.angular_velocities[i]);
            let p = body.mass * (state.velocities[i] + h * model.gravity());
            let l = body.inertia * omega + gyroscopic::impulse(body.inertia, omega, h, parameters.gyroscopic);
            [p.x, p.y, p.z, l.x, l.y, l.z]
        });
        if model.forces().len() == 0 && self.flexible.is_none() {
            linear.iter_mut().for_each(|p| *p = -*p);
            return Ok(FreeMotion { inertia: self.mass.clone(), linear });
        }
        with_forces(start, guess, mass_matrix(model), linear, &mut self.flexible)
    }

    fn keep(&mut self, free: &FreeMotion) {
        keep_analysis(free, &mut self.flexible, self.threads);
    }
}

/// H and c from the inertia of bodies, their momenta, and the forces on bodies and nodes; elements are linearised where nodes are in `guess`.
pub(super) fn with_forces(
    start: &StepStart<'_>,
    guess: &[Vec3],
    mut blocks: BlockDiagonal,
    mut linear: Vec<f64>,
    flexible: &mut Option<FlexibleMotion>,
) -> Result<FreeMotion, FreeMotionError> {
    let StepStart { model, columns, state, parameters, .. } = *start;
    let (h, time) = (parameters.step, state.time + parameters.step);
    let memory = memory::advanced(model, state, h);
    let expansion = Expansion { state, time, memory: &memory, step: h, ahead: 0.0 };
    let coupling = add_forces(model, columns, &expansion, &mut blocks, &mut linear);
    let inertia = match flexible {
        None => inertia(blocks, coupling)?,
        Some(flexible) => {
            let bodies = (&blocks, coupling.as_slice());
            Inertia::Sparse(flexible.assemble((model, columns), state, guess, (h, time), bodies, &mut linear)?)
        }
    };
    linear.iter_mut().for_each(|p| *p = -*p);
    Ok(FreeMotion { inertia: Arc::new(inertia), linear })
}

/// Makes one factor for all problems of the step and keeps its analysis. One that is not positive definite is named when the problem is built.
pub(super) fn keep_analysis(free: &FreeMotion, flexible: &mut Option<FlexibleMotion>, threads: Threads) {
    if let (Inertia::Sparse(inertia), Some(flexible)) = (&*free.inertia, flexible)
        && inertia.factor(threads).is_ok()
    {
        flexible.keep_analysis(inertia);
    }
}

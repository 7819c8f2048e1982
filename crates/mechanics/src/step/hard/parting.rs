//! Deep overlaps undone by moving bodies, not by giving them speed (§12.6 of the theory).
//!
//! A row that parts two bodies at a speed leaves them with that speed. Before a step, bodies that overlap deeply are therefore moved apart, as little as
//! possible in the metric of their masses, without friction, and no velocity is kept:
//!
//! ```text
//! min ½ δᵀMδ     C δ = 0,    D_n δ ≥ min(−Φ, hη_s)  where they overlap deeply,    D_n δ ≥ −max(Φ, 0)  for other near contacts
//! ```
//!
//! The step then begins at q ⊕ δ, with joints put together again to rounding: islands close their joints from there, and contacts have the gaps they
//! have there. Energy changes by the lift alone. Every row of a contact has a little softness, so that what cannot be parted is shared by all that are
//! in the way, at bounded distances.

use super::answers::Answers;
use super::scheme::StepStart;
use super::start::put_together;
use super::tries::{convex_settings, is_hard};
use crate::dynamics::contact::finder::ContactFinder;
use crate::dynamics::contact::support::Support;
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::inertia::mass_matrix;
use crate::dynamics::rows::{ContactRows, Rows, push_joints};
use crate::joint::RowKind;
use crate::motion::moved;
use crate::promise::joints::{CountedRows, violations};
use crate::step::context::{StepContext, timed};
use crate::{Energy, State, StepError, Vec3};
use signorini_collision::Contact;
use signorini_solver::problem::Inertia;
use signorini_solver::{SolverSettings, Tolerance};
use std::sync::Arc;

/// Softness of a contact as a share of how easily its bodies move: what it leaves of an overlap is undone by the next steps. With less of it, bodies that
/// cannot be parted would be moved far for little.
const SOFTNESS: f64 = 1e-2;
/// Nobody is moved further in one step than this share of the radius of the smallest body: rows are those of where bodies are.
const FARTHEST: f64 = 0.25;
/// How accurately bodies are parted, as a share of the fastest.
const ACCURACY: Tolerance = Tolerance::Relative(1e-5);
/// Overlaps that are undone by less than this share of what was asked for are stuck.
const STUCK: f64 = 0.1;
/// Joints that hold to this \[m, rad\] are put together by the step itself.
const CLOSED: f64 = 1e-12;

/// Where a step begins whose bodies overlapped deeply.
pub(crate) struct Parted {
    pub(crate) state: State,
    /// Its contacts.
    pub(crate) near: Vec<Contact>,
    /// Energy of position that it has more than before \[J\].
    pub(crate) lift: f64,
    /// The share of what was asked for that was undone.
    pub(crate) share: f64,
    /// Whether the overlaps are stuck.
    pub(crate) is_stuck: bool,
}

/// Parts the bodies that overlap deeply; `None` where none do, or joints would not let them.
///
/// # Errors
/// The step was interrupted, or numbers have overflowed.
pub(crate) fn part(
    start: &StepStart<'_>,
    near: &[Contact],
    contacts: &mut ContactFinder,
    cx: &mut StepContext<'_>,
) -> Result<Option<Parted>, StepError> {
    let StepStart { model, columns, state, parameters, threads } = *start;
    let deep = |contact: &Contact| contact.gap < -parameters.deep_overlap && is_hard(model, contact);
    if !model.flexible().is_empty() || !near.iter().any(deep) {
        return Ok(None);
    }
    let h = parameters.step;
    let mut rows = Rows::new(columns, near.len());
    push_joints(model, state, state.time, &mut rows, |_, row| match row.kind {
        RowKind::Equal => Some(0.0),
        RowKind::AtLeastZero => Some(-row.value.max(0.0) / h),
    });
    let first = rows.offset.len();
    let mut softness = Vec::with_capacity(near.len());
    for contact in near {
        let speed =
            if deep(contact) { (-contact.gap / h).min(parameters.recovery_speed) } else { -contact.gap.max(0.0) / h };
        let mobility: f64 =
            Support::both(model, &state.nodes, contact).iter().map(|support| support.mobility(model)).sum();
        softness.push(SOFTNESS * mobility);
        ContactRows::new(model, state, contact).push_normal(speed, SOFTNESS * mobility, &mut rows);
    }
    let inertia = Arc::new(Inertia::BlockDiagonal(mass_matrix(model)));
    let free = FreeMotion { inertia, linear: vec![0.0; columns.dimension()] };
    let mut answers = Answers::new(columns);
    timed(&mut cx.timings.assembly, || rows.write(&free, threads, answers.problem_mut()))
        .map_err(|error| StepError::Problem { step: state.step + 1, time: state.time, error })?;
    let settings = SolverSettings { tolerance: ACCURACY, ..convex_settings(cx) };
    let solution = answers.solve(&settings, None, state, cx)?;
    cx.iterations += solution.report.iterations;
    let offset = answers.problem().offset();
    let scale = scale(solution.velocity(), h, parameters.radius);
    let (mut asked, mut undone) = (0.0, 0.0);
    for (k, _) in near.iter().enumerate().filter(|(_, contact)| deep(contact)) {
        let row = first + k;
        // y = D u + E λ − b; what softness gives way by is not undone.
        let speed = solution.relative_velocity[row] + offset[row] - softness[k] * solution.impulse()[row];
        asked += offset[row];
        undone += (scale * speed).clamp(0.0, offset[row]);
    }
    let share = if asked > 0.0 { undone / asked } else { 1.0 };
    let mut parted = state.clone();
    for (body, pose) in parted.poses.iter_mut().enumerate() {
        if let Some(at) = columns.of(body) {
            let part = |k: usize| Vec3::from_slice(&solution.velocity()[at + k..at + k + 3]);
            *pose = moved(pose, part(0), part(3), scale * h);
        }
    }
    let open = |state: &State| violations(model, state, CountedRows::Bilateral).map(|(value, _)| value);
    let (before, after) = (open(state), open(&parted));
    let is_open = after.iter().zip(&before).any(|(after, before)| *after > before.max(CLOSED));
    if is_open && !put_together(model, &mut parted) {
        return Ok(None);
    }
    let near = timed(&mut cx.timings.collision, || contacts.near(model, &parted, h));
    let potential = |state: &State| {
        let energy = Energy::with(model, state, threads);
        energy.potential + energy.elastic
    };
    let lift = potential(&parted) - potential(state);
    Ok(Some(Parted { lift, near, share, is_stuck: share < STUCK, state: parted }))
}

/// The share of a displacement in h seconds by which nobody is moved too far, and nobody turned so far that this moves a point at the radius too far.
fn scale(velocity: &[f64], h: f64, radius: f64) -> f64 {
    let farthest = velocity
        .chunks_exact(6)
        .map(|u| Vec3::from_slice(u).length().max(radius * Vec3::from_slice(&u[3..]).length()))
        .fold(0.0, f64::max);
    (FARTHEST * radius / (h * farthest)).min(1.0)
}

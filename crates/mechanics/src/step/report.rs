//! What a step says about itself, in physical units.

use super::context::StepContext;
use crate::promise::joints::{CountedRows, violations};
use crate::{BodyId, Broken, Energy, Model, Momentum, State};
use signorini_collision::Contact;
use signorini_solver::{Residuals, Status};

/// Seconds spent in the parts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimings {
    /// Finding contacts.
    pub collision: f64,
    /// Forces, rows, the problem.
    pub assembly: f64,
    /// Solving it.
    pub solve: f64,
    /// Of that, what comes before the first iteration: layout, analysis, colours, set-up of the measurement.
    pub setup: f64,
}

impl std::ops::AddAssign for StepTimings {
    fn add_assign(&mut self, other: Self) {
        self.collision += other.collision;
        self.assembly += other.assembly;
        self.solve += other.solve;
        self.setup += other.setup;
    }
}

/// Where the energy of a step went \[J\].
///
/// Impulses g along rows J do the work gᵀJ(v + v⁺)/2: that is exact, as M(v⁺ − v) is the sum of all impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Of contacts, friction included.
    pub contacts: f64,
    /// Of joints and links: what motors and imposed motions put in.
    pub joints: f64,
    /// The rest of the change of energy: loads, dampers, and what the method itself takes (or, with explicit forces, gives).
    pub rest: f64,
}

/// What a step says about itself. Quantities are those after the step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Steps taken, this one included.
    pub step: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// How the solve ended. Whether the step may be trusted is said by [`StepReport::converged`].
    pub status: Status,
    /// The method that gave the answer.
    pub method: &'static str,
    /// Iterations, all phases.
    pub iterations: u32,
    /// Matrices factorised by Newton's method of smooth steppers; 0 for others.
    pub factorisations: u32,
    /// How often the step was taken again with more contacts, because bodies met that had been too far apart; of smooth steppers, how
    /// many sub-steps were taken again because of their error or a failure of Newton's method.
    pub rounds: u32,
    /// Sub-steps the step was taken in: 1, unless errors are bounded or Newton's method failed with longer ones.
    pub substeps: u32,
    /// The shortest of them \[s\].
    pub shortest_step: f64,
    /// With extrapolation, the error of positions since the start that was estimated and removed: \[m\] and \[rad\], the largest.
    pub error_estimate: Option<[f64; 2]>,
    /// Residuals of the answer.
    pub residuals: Residuals,
    /// Residual divided by tolerance: at most 1 when met.
    pub tolerance_ratio: f64,
    /// Contacts in the problem.
    pub contacts: usize,
    /// Contacts that carry force.
    pub active: usize,
    /// Deepest overlap after the step \[m\]; 0 without any.
    pub penetration: f64,
    /// Worst violation of a joint, rope, limit or link after the step \[m\].
    pub joint_violation: f64,
    /// Worst violation of a joint, limit or link after the step \[rad\].
    pub joint_angle_violation: f64,
    /// Energy after the step; with contacts by penalty their springs are part of the potential energy.
    pub energy: Energy,
    /// Momentum after the step.
    pub momentum: Momentum,
    /// Where its energy went; only of `dvi-euler` and `dvi-passive`.
    pub work: Option<Work>,
    /// Share of the recovery speed that was used: 1, unless undoing all overlaps at once has no solution.
    pub recovery: f64,
    /// Whether there is an answer: not where joints or contacts contradict each other, which are then violated as little as possible.
    pub has_answer: bool,
    /// The promises it broke, each by whom most; empty for a step that has converged.
    pub broken: Vec<Broken>,
    /// Where the time went.
    pub timings: StepTimings,
}

impl StepReport {
    /// Whether the step kept every promise.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.broken.is_empty()
    }
}

/// What a way to take steps says about one that it has taken; the rest of a report follows from the state.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) method: &'static str,
    pub(crate) factorisations: u32,
    pub(crate) rounds: u32,
    pub(crate) substeps: u32,
    pub(crate) shortest_step: f64,
    pub(crate) error_estimate: Option<[f64; 2]>,
    pub(crate) residuals: Residuals,
    pub(crate) contacts: usize,
    pub(crate) active: usize,
    /// Energy in the springs of contacts and limits, which the model knows nothing of \[J\].
    pub(crate) stored_in_contacts: f64,
    /// Work of the impulses of joints and of contacts \[J\], where it is known.
    pub(crate) row_work: Option<[f64; 2]>,
    pub(crate) recovery: f64,
}

impl Outcome {
    /// A step of h seconds as a whole, without contacts.
    pub(crate) fn new(status: Status, method: &'static str, residuals: Residuals, h: f64) -> Self {
        Self {
            status,
            method,
            factorisations: 0,
            rounds: 0,
            substeps: 1,
            shortest_step: h,
            error_estimate: None,
            residuals,
            contacts: 0,
            active: 0,
            stored_in_contacts: 0.0,
            row_work: None,
            recovery: 1.0,
        }
    }
}

impl StepReport {
    /// The report of a step from one state to another, whose contacts are `near`: the one place where reports are made. What it broke is
    /// entered once its impulses are kept ([`super::promises`]).
    pub(crate) fn of(
        model: &Model,
        [before, after]: [&State; 2],
        near: &[Contact],
        outcome: Outcome,
        cx: &StepContext<'_>,
    ) -> Self {
        let [(joint_violation, _), (joint_angle_violation, _)] = violations(model, after, CountedRows::All);
        let threads = cx.settings.threads();
        let mut energy = Energy::with(model, after, threads);
        energy.potential += outcome.stored_in_contacts;
        let work = outcome.row_work.map(|[joints, contacts]| {
            let start = cx.previous.map_or_else(|| Energy::with(model, before, threads), |previous| previous.energy);
            let gained = energy.total() - start.total();
            Work { contacts, joints, rest: gained - contacts - joints }
        });
        Self {
            step: after.step,
            time: after.time,
            status: outcome.status,
            method: outcome.method,
            iterations: cx.iterations,
            factorisations: outcome.factorisations,
            rounds: outcome.rounds,
            substeps: outcome.substeps,
            shortest_step: outcome.shortest_step,
            error_estimate: outcome.error_estimate,
            tolerance_ratio: cx.settings.tolerance.ratio(&outcome.residuals),
            residuals: outcome.residuals,
            contacts: outcome.contacts,
            active: outcome.active,
            penetration: deepest_overlap(near).map_or(0.0, |(depth, _)| depth),
            joint_violation,
            joint_angle_violation,
            energy,
            momentum: Momentum::with(model, after, threads),
            work,
            recovery: outcome.recovery,
            has_answer: true,
            broken: Vec::new(),
            timings: cx.timings,
        }
    }
}

/// The deepest overlap among contacts \[m\] and the bodies it is between.
pub(crate) fn deepest_overlap(contacts: &[Contact]) -> Option<(f64, [BodyId; 2])> {
    let deepest = contacts.iter().filter(|contact| contact.gap < 0.0).min_by(|a, b| a.gap.total_cmp(&b.gap))?;
    Some((-deepest.gap, deepest.bodies.map(BodyId)))
}

//! What tells one stepper with hard contacts from another.

use super::layout::RowLayout;
use super::rows::assemble_positions;
use super::tries::{Ask, Trial};
use crate::dynamics::columns::Columns;
use crate::dynamics::contact::impulse::Impulse;
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::inertia::NotFiniteAt;
use crate::dynamics::parameters::Parameters;
use crate::flexible::field::Failure;
use crate::force::memory;
use crate::motion::moved;
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::usable::force_problem;
use crate::{Model, State, StepError, Vec3};
use signorini_collision::Contact;
use signorini_linalg::Halves;
use signorini_linalg::Threads;
use signorini_solver::{ConeProblem, Iterate, ProblemError, Residuals, Solution, Status};

/// Where a step starts.
#[derive(Clone, Copy)]
pub(crate) struct StepStart<'a> {
    pub(crate) model: &'a Model,
    pub(crate) columns: &'a Columns,
    pub(crate) state: &'a State,
    pub(crate) parameters: &'a Parameters,
    /// Threads the assembly may use; the bits are the same.
    pub(crate) threads: Threads,
}

/// Why there is no free motion.
pub(crate) enum FreeMotionError {
    /// An element has no force where it is.
    Element(Failure),
    /// A force has a tangent that is not finite.
    NotFinite(NotFiniteAt),
}

impl From<Failure> for FreeMotionError {
    fn from(failure: Failure) -> Self {
        Self::Element(failure)
    }
}

impl From<NotFiniteAt> for FreeMotionError {
    fn from(at: NotFiniteAt) -> Self {
        Self::NotFinite(at)
    }
}

/// The problem of a step that was solved, its answer and its contacts.
pub(crate) struct FirstStage<'a> {
    pub(crate) problem: &'a ConeProblem,
    pub(crate) layout: &'a RowLayout,
    pub(crate) solution: &'a Solution,
    pub(crate) contacts: &'a [Contact],
}

/// What a second stage says about itself.
pub(crate) struct SecondStage {
    pub(crate) status: Status,
    pub(crate) method: &'static str,
    pub(crate) residuals: Residuals,
    /// Contacts that carry force.
    pub(crate) active: usize,
    /// Impulses of all joint rows over the whole step.
    pub(crate) joints: Vec<f64>,
    /// All contacts of the step in the order of their names, with their impulses over the whole of it.
    pub(crate) contacts: Vec<(Contact, Impulse)>,
}

/// A stepper with hard contacts: what its problems are made of, and where their answers lead.
pub(crate) trait HardScheme: Send + Sync + Sized + 'static {
    /// Whether it closes joints by itself where bodies arrive: there is then nothing to solve again for them.
    const CLOSES_JOINTS: bool = false;
    /// Whether it can carry flexible bodies.
    const CARRIES_FLEXIBLE: bool = true;
    /// Whether deep overlaps of rigid bodies are undone before the step, by moving them.
    const PARTS_OVERLAPS: bool = false;
    /// Whether H and c depend on which bodies may touch.
    const WEIGHS_CONTACTS: bool = false;

    /// Whether what rests is solved to rounding, and falls asleep.
    const RESTS: bool = false;

    /// The scheme of a model, without a past.
    fn new(model: &Model, columns: &Columns, parallel: bool) -> Self;

    /// H and c of a step that meets these contacts; elements of flexible bodies are linearised where nodes are in `guess`, which is empty
    /// for where the step starts.
    fn free_motion(
        &mut self,
        start: &StepStart<'_>,
        near: &[Contact],
        guess: &[Vec3],
    ) -> Result<FreeMotion, FreeMotionError>;

    /// Keeps what later steps can use of an H that will be solved with.
    fn keep(&mut self, _free: &FreeMotion) {}

    /// Writes the rows of a try into a problem that has H and c; without another one, those of a step whose velocities lead to q ⊕ h v.
    fn assemble(
        &self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        assemble_positions(start, ask, problem)
    }

    /// Writes the rows of a problem that is shown to others, with all joints, by a scheme that takes no steps.
    fn show_problem(
        &mut self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        self.assemble(start, ask, problem)
    }

    /// Where the solver starts, from the velocities and impulses of the step before.
    fn starting_point(&self, before: Iterate) -> Iterate {
        before
    }

    /// The state after the step: q ⊕ h v, z + h ż. A scheme that finds the way of jointed bodies by itself puts its own velocities and impulses into
    /// the answer.
    fn arrive(
        &mut self,
        trial: &Trial<'_>,
        _ask: &Ask<'_>,
        _memory: &StepMemory,
        solution: &mut Solution,
        _cx: &mut StepContext<'_>,
    ) -> State {
        let start = &trial.start;
        let mut next = advanced(start, solution.velocity(), solution.velocity());
        next.memory = memory::advanced(start.model, start.state, start.parameters.step);
        next
    }

    /// Whether bodies that joints hold together and contacts push had no way in the last arrival: the step is then taken in parts. They stand still there.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether bodies have gained energy by rebounds in an answer: the step is then solved without them, too.
    fn gains(&self, _trial: &Trial<'_>, _ask: &Ask<'_>, _solution: &Solution) -> bool {
        false
    }

    /// Mixes an answer with rebounds into a calm one without, so that nobody gains energy; returns the share of the former for every row.
    fn mix(&mut self, _trial: &Trial<'_>, _ask: &Ask<'_>, _rebounding: &Solution, calm: &mut Solution) -> Vec<f64> {
        vec![0.0; calm.impulse().len()]
    }

    /// Puts the impulses of joint rows that it has found by itself into the memory of the step.
    fn remember(&self, _joints: &mut [f64]) {}

    /// Puts the velocities of the ways of bodies that joints hold together into the memory of the step: the next one begins its search with them.
    fn remember_ways(&self, _ways: &mut Vec<f64>) {}

    /// Bodies held together by joints that contradict each other in the last step, or that no way was found for: these were left where they are.
    fn unanswered(&self) -> &[usize] {
        &[]
    }

    /// Whether reactions of a joint row of the model do their work along the displacement of the step, γ·ΔΨ/h, and not along rows of the problem.
    fn acts_along_displacement(&self, _row: usize) -> bool {
        false
    }

    /// ϑ of a body: how far ahead of the start, as a share of the displacement, forces on it are expanded.
    fn theta(&self, _body: usize) -> f64 {
        1.0
    }

    /// Whether forces on a body are those in the middle of its way.
    fn takes_forces_in_the_middle(&self, _body: usize) -> bool {
        false
    }

    /// When the impulse of a contact acts within the step \[s\], for rebounds and soft contacts; `None` for one that acts all along the step.
    fn time_of_contact(&self, _start: &StepStart<'_>, _contact: &Contact) -> Option<f64> {
        None
    }

    /// Whether nothing but gravity and contacts act on a body, so that it flies by its parabola within a step.
    fn flies(&self, _body: usize) -> bool {
        false
    }

    /// The error of the first force that does not exist where the scheme evaluates forces; the step's number is `step`.
    fn force_problem(&self, start: &StepStart<'_>, step: u64) -> Option<StepError> {
        force_problem(start.model, start.state, step)
    }

    /// Finds the velocities at the end of the step in a problem of their own, where those of the first stage are not the last word:
    /// `next` has those of the first stage. `near` are the contacts of `next`.
    ///
    /// # Errors
    /// No usable answer.
    fn second_stage(
        &mut self,
        _start: &StepStart<'_>,
        _first: &FirstStage<'_>,
        _near: &[Contact],
        _next: &mut State,
        _cx: &mut StepContext<'_>,
    ) -> Result<Option<SecondStage>, StepError> {
        Ok(None)
    }
}

/// Bodies one task moves.
const BODIES: usize = 1024;

/// The state after a step with these velocities, q ⊕ h w; what forces remember is that of the start. Nodes go by their velocities.
pub(crate) fn advanced(start: &StepStart<'_>, displacement: &[f64], velocity: &[f64]) -> State {
    let StepStart { columns, state, parameters, .. } = *start;
    let h = parameters.step;
    let mut next = state.clone();
    next.step += 1;
    // Not a sum: after any number of steps the time is that number times h, rounded once.
    next.time = next.step as f64 * h;
    let halves = Halves::new(BODIES, start.threads);
    let part = |of: &[f64], at: usize| Vec3::from_slice(&of[at..at + 3]);
    let both = |of: &[f64], body: usize| columns.of(body).map(|at| (part(of, at), part(of, at + 3)));
    let rates = |body: usize| both(velocity, body);
    halves.each(&mut next.poses, &|body, pose| {
        if let Some((v, omega)) = both(displacement, body) {
            *pose = moved(pose, v, omega, h);
        }
    });
    halves.each(&mut next.velocities, &|body, own| *own = rates(body).map_or(*own, |(v, _)| v));
    halves.each(&mut next.angular_velocities, &|body, own| *own = rates(body).map_or(*own, |(_, omega)| omega));
    columns.scatter_nodes(velocity, &mut next.node_velocities);
    for (node, velocity) in next.nodes.iter_mut().zip(&next.node_velocities) {
        *node += h * *velocity;
    }
    next
}

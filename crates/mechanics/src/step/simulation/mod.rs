//! A model that moves.

mod joint_loads;
mod reactions;

pub use reactions::{LinkLoad, PairForce, Reactions, Resultant};

use super::context::StepContext;
use super::memory::StepMemory;
use super::method::{Begin, StepMethod};
use super::report::{StepReport, deepest_overlap};
use super::settings::{Settings, StepSettings};
use crate::dynamics::contact::finder::ContactFinder;
use crate::promise::joints::{CountedRows, violations};
use crate::{BodyId, ContactForce, Energy, Model, State, StepError};
use signorini_collision::Contact;
use signorini_solver::{ConeProblem, Tolerance};
use std::sync::atomic::AtomicBool;

/// A model, its state and the way its steps are taken.
pub struct Simulation {
    model: Model,
    settings: StepSettings,
    state: State,
    method: Box<dyn StepMethod>,
    /// What the last step said about itself; `None` before the first.
    report: Option<StepReport>,
}

impl Simulation {
    /// A model at its start.
    ///
    /// # Errors
    /// A setting out of range, or a shape that cannot be used.
    pub fn new(model: Model, settings: Settings) -> Result<Self, StepError> {
        let state = State::start_of(&model);
        Self::resumed(model, settings, state, StepMemory::default())
    }

    /// A model in a state reached before, with the memory of the step that led there: goes on to the same bits as if it had not been
    /// stopped.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn resumed(model: Model, settings: Settings, state: State, memory: StepMemory) -> Result<Self, StepError> {
        settings.check()?;
        check_state(&model, &state)?;
        let stepper = settings.stepper.about();
        if !stepper.carries_flexible && !model.flexible().is_empty() {
            return Err(StepError::RigidOnly { stepper: stepper.name });
        }
        Self::by(stepper.begin, model, settings, state, memory)
    }

    /// A model in a state reached before, whose steps are taken in this way.
    pub(crate) fn by(
        begin: Begin,
        model: Model,
        settings: Settings,
        mut state: State,
        memory: StepMemory,
    ) -> Result<Self, StepError> {
        let contacts = ContactFinder::new(&model, settings.envelope, settings.parallel)?;
        let settings = StepSettings::of(&model, settings, &contacts);
        let method = begin(&model, &settings, contacts, &mut state, memory)?;
        Ok(Self { model, settings, state, method, report: None })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The model, given back.
    #[must_use]
    pub fn into_model(self) -> Model {
        self.model
    }
    /// How it is stepped.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings.asked
    }
    /// Where everything is now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
    /// The energy of the present state, counted as reports of steps count it: with contacts by penalty their springs are part of the
    /// potential energy. Before the first step it is that of the start.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::with(&self.model, &self.state, self.settings.threads());
        energy.potential += self.method.stored_in_contacts();
        energy
    }
    /// What every step has to meet.
    #[must_use]
    pub fn tolerance(&self) -> Tolerance {
        self.settings.tolerance
    }
    /// What the last step said about itself; `None` before the first, also of a simulation that was resumed.
    #[must_use]
    pub fn report(&self) -> Option<&StepReport> {
        self.report.as_ref()
    }
    /// What the last step leaves to the next: with the state, all that is needed to go on.
    #[must_use]
    pub fn warm_start(&self) -> &StepMemory {
        self.method.memory()
    }
    /// Contacts of the present state.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        self.method.contacts()
    }
    /// Contact forces of the last step (impulses / h), in the order its contacts were found. Empty before the first step.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> {
        let h = self.settings.parameters.step;
        let impulses = &self.method.memory().contacts;
        self.method.loaded_contacts().iter().zip(impulses).map(move |(contact, (_, impulse))| ContactForce {
            bodies: contact.bodies.map(BodyId),
            point: 0.5 * (contact.points[0] + contact.points[1]),
            normal: contact.normal,
            gap: contact.gap,
            force: impulse.linear / h,
        })
    }
    /// Deepest overlap now \[m\] and the bodies it is between.
    #[must_use]
    pub fn deepest_overlap(&self) -> Option<(f64, [BodyId; 2])> {
        deepest_overlap(self.contacts())
    }

    /// The largest violations of joints, ropes, limits and links now: \[m\] and \[rad\], each with the index of the joint; links are
    /// counted after joints. A rope that is 0.5 m too short is violated by 0.5 m, a slack one by nothing.
    #[must_use]
    pub fn joint_violation(&self) -> [(f64, usize); 2] {
        violations(&self.model, &self.state, CountedRows::All)
    }

    /// Whether a body sleeps: it has rested for a while, stays where it is to the bit, and costs nothing until it is touched.
    #[must_use]
    pub fn sleeps(&self, body: BodyId) -> bool {
        self.warm_start().rest.get(body.index()).is_some_and(|rest| rest.group > 0)
    }
    /// Wakes a body that sleeps, and those it fell asleep with; for others nothing changes.
    pub fn wake(&mut self, body: BodyId) {
        self.method.wake(&self.model, &self.state, &self.settings, body.index());
    }

    /// The problem of the next step, as a solver would be given it; that of `dvi-euler` for smooth steppers.
    ///
    /// # Errors
    /// Numbers that overflowed.
    pub fn problem(&self) -> Result<ConeProblem, StepError> {
        self.method.problem(&self.model, &self.state, &self.settings)
    }

    /// Takes one step.
    ///
    /// # Errors
    /// No usable answer; the state is then that before the step. A step that misses its tolerance is not an error: see
    /// [`StepReport::status`].
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_with(None)
    }

    /// Takes one step that can be stopped from outside by setting `cancel`; the state is then that before the step.
    ///
    /// # Errors
    /// As [`Simulation::step`], and [`StepError::Interrupted`].
    pub fn step_with(&mut self, cancel: Option<&AtomicBool>) -> Result<StepReport, StepError> {
        // From a thread outside the pool every parallel loop would wake a worker and wait for it: one of them takes the whole step.
        if self.settings.uses_threads() && rayon::current_thread_index().is_none() {
            rayon::scope(|_| self.take_step(cancel))
        } else {
            self.take_step(cancel)
        }
    }

    fn take_step(&mut self, cancel: Option<&AtomicBool>) -> Result<StepReport, StepError> {
        let Self { model, settings, state, method, report } = self;
        let mut cx = StepContext::new(settings, cancel, report.as_ref());
        let taken = method.step(model, state, &mut cx)?;
        self.report = Some(taken.clone());
        Ok(taken)
    }
}

/// Checks that a state is one of a model.
fn check_state(model: &Model, state: &State) -> Result<(), StepError> {
    let (found, expected) = (state.memory.len(), model.memory_layout().len());
    if found != expected {
        return Err(StepError::Memory { found, expected });
    }
    let expected = model.field().nodes();
    for found in [state.nodes.len(), state.node_velocities.len()] {
        if found != expected {
            return Err(StepError::Nodes { found, expected });
        }
    }
    Ok(())
}

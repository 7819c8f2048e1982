//! The way a step is taken.

use super::context::StepContext;
use super::memory::StepMemory;
use super::report::StepReport;
use super::settings::StepSettings;
use crate::dynamics::contact::finder::ContactFinder;
use crate::{Model, State, StepError, Vec3};
use signorini_collision::Contact;
use signorini_solver::ConeProblem;

/// A way to take steps, with all that it keeps from one to the next.
pub(crate) trait StepMethod: Send + Sync {
    /// Takes one step from a state.
    ///
    /// # Errors
    /// No usable answer: state and method are then as they were before.
    fn step(&mut self, model: &Model, state: &mut State, cx: &mut StepContext<'_>) -> Result<StepReport, StepError>;

    /// What a checkpoint keeps: given to [`Begin`] with the state, steps go on to the same bits.
    fn memory(&self) -> &StepMemory;

    /// Contacts of the present state.
    fn contacts(&self) -> &[Contact];

    /// The contacts that the impulses of the memory belong to, in the same order.
    fn loaded_contacts(&self) -> &[Contact];

    /// Wakes a body, and those it fell asleep with.
    fn wake(&mut self, _model: &Model, _state: &State, _settings: &StepSettings, _body: usize) {}

    /// Energy in the springs of contacts and limits by penalty in the present state, which the model knows nothing of \[J\].
    fn stored_in_contacts(&self) -> f64 {
        0.0
    }

    /// Impulses of the last step that keep fixed nodes where they are \[N s\]; of other nodes they have no meaning. `None` before the
    /// first step.
    fn node_impulses(&self, model: &Model, state: &State, settings: &StepSettings) -> Option<Vec<Vec3>>;

    /// The problem of the next step, as a solver would be given it.
    ///
    /// # Errors
    /// Numbers that overflowed.
    fn problem(&self, model: &Model, state: &State, settings: &StepSettings) -> Result<ConeProblem, StepError>;
}

/// Begins to take steps in a certain way: from a state, which is made one that joints allow, with the memory of the step that led there.
pub(crate) type Begin =
    fn(&Model, &StepSettings, ContactFinder, &mut State, StepMemory) -> Result<Box<dyn StepMethod>, StepError>;

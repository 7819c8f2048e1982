//! What can be wrong with a model, and what can stop a step.

use crate::ShapeError;
use crate::flexible::element::ElementError;
use crate::flexible::mesh::MeshError;
use crate::joint::LawError;
use signorini_solver::{ProblemError, SolveError};

/// A model that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number out of range.
    #[error("{place}: {what} is {value}, expected {allowed}")]
    Number {
        /// The thing, by kind and name.
        place: String,
        /// Which number.
        what: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// An inertia no body has.
    #[error("body `{body}`: inertia has principal moments {moments:?}, expected {allowed}")]
    Inertia {
        /// The body.
        body: String,
        /// Its principal moments \[kg m²\].
        moments: [f64; 3],
        /// What is allowed.
        allowed: &'static str,
    },
    /// Two things of one name.
    #[error("two {kind} are called `{name}`, expected names of their own")]
    DuplicateName {
        /// What they are.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A joint or force between a body and itself.
    #[error("{place} connects body `{body}` with itself, expected two bodies")]
    SameBody {
        /// The joint.
        place: String,
        /// The body.
        body: String,
    },
    /// A joint between bodies that cannot move.
    #[error("{place} connects `{first}` and `{second}`, which are both fixed, expected at least one that moves")]
    BothFixed {
        /// The joint.
        place: String,
        /// A body.
        first: String,
        /// The other.
        second: String,
    },
    /// An index that names nothing.
    #[error("{place} refers to {what} {index}, which does not exist")]
    Unknown {
        /// The thing.
        place: String,
        /// What was referred to.
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// A shape that cannot be used.
    #[error("shape of body `{body}`: {error}")]
    Shape {
        /// The body.
        body: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// A mesh that cannot be used.
    #[error("mesh of flexible body `{body}`: {error}")]
    Mesh {
        /// The flexible body.
        body: String,
        /// What is wrong.
        error: MeshError,
    },
    /// An element that cannot be used.
    #[error("flexible body `{body}`, element {element}: {error}")]
    Element {
        /// The flexible body.
        body: String,
        /// The element, counted from 0.
        element: usize,
        /// What is wrong.
        error: ElementError,
    },
    /// Something that acts on nothing.
    #[error("{place} has no {what}, expected at least one")]
    Nothing {
        /// The thing.
        place: String,
        /// What it lacks.
        what: &'static str,
    },
    /// A node that is held already.
    #[error("{place}: node {node} is held already, expected nodes that are neither fixed nor named twice")]
    HeldTwice {
        /// The link.
        place: String,
        /// The node, counted within its body.
        node: usize,
    },
    /// A joint or force that cannot be used.
    #[error("{place}: {error}")]
    Parameter {
        /// The joint or force, by kind and name.
        place: String,
        /// What is wrong.
        error: ParameterError,
    },
}

/// A joint or force that cannot be used, and why; [`ModelError::Parameter`] says which.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A number out of range.
    #[error("{what} is {value}, expected {allowed}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A function of time that is none.
    #[error("law of the {what}: {error}")]
    Law {
        /// What it gives.
        what: &'static str,
        /// What is wrong.
        error: LawError,
    },
    /// A matrix that is not symmetric.
    #[error(
        "{what} has {} in row {row}, column {column} and {} in row {column}, column {row} (from 0), expected a symmetric matrix",
        .values[0],
        .values[1]
    )]
    Asymmetric {
        /// The matrix.
        what: &'static str,
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The entry and its mirror image.
        values: [f64; 2],
    },
    /// A matrix that is negative in some direction.
    #[error("{what} is negative in some direction, expected a positive semi-definite matrix")]
    Indefinite {
        /// The matrix.
        what: &'static str,
    },
    /// Imposed motion and limits at once.
    #[error("the {what} is imposed and limited, expected one of both")]
    DrivenAndLimited {
        /// The quantity.
        what: &'static str,
    },
}

impl ParameterError {
    /// A number out of range.
    #[must_use]
    pub fn number(what: &'static str, value: f64, allowed: &'static str) -> Self {
        Self::Number { what, value, allowed }
    }
}

/// A step that has no answer. The state is that before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A setting out of range.
    #[error("{name} is {value}, expected {allowed}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A number overflowed.
    #[error("step {step} at t = {time} s: body `{body}` has a position or velocity that is not finite")]
    NotFinite {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The body.
        body: String,
    },
    /// A force that does not exist where its bodies are, or would be.
    #[error("step {step} at t = {time} s: {force}: {problem}")]
    Force {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The force, by kind and name.
        force: String,
        /// What is wrong.
        problem: String,
    },
    /// What a force remembers overflowed.
    #[error("step {step} at t = {time} s: force `{force}` keeps a number that is not finite")]
    MemoryNotFinite {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The force.
        force: String,
    },
    /// A state of other forces.
    #[error("the state holds {found} numbers for forces to keep, expected {expected}")]
    Memory {
        /// Numbers in the state.
        found: usize,
        /// Numbers the forces of the model keep.
        expected: usize,
    },
    /// A state of other flexible bodies.
    #[error("the state holds {found} nodes, expected {expected}")]
    Nodes {
        /// Nodes in the state.
        found: usize,
        /// Nodes of the model.
        expected: usize,
    },
    /// An element that has no force where it is.
    #[error(
        "step {step} at t = {time} s: flexible body `{body}`, element {element}: {error}; take shorter steps, or a law that bears it"
    )]
    Element {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The flexible body.
        body: String,
        /// The element, counted from 0.
        element: usize,
        /// What is wrong.
        error: ElementError,
    },
    /// Flexible bodies with a stepper that has none.
    #[error("`{stepper}` takes rigid bodies only; flexible bodies need `dvi-euler` or a smooth stepper")]
    RigidOnly {
        /// The stepper.
        stepper: &'static str,
    },
    /// A shape that cannot be used.
    #[error("shape of body `{body}`: {error}")]
    Shape {
        /// The body.
        body: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// Newton's method failed with every sub-step tried.
    #[error(
        "step {step}: Newton's method fails with a step of {tried:.3e} s at t = {time} s, the last good time: {reason}; largest \
         increment {increment:.1e} (body `{body}`), largest violation {violation:.1e} (joint `{joint}`)"
    )]
    Newton {
        /// The step.
        step: u64,
        /// The last good time \[s\].
        time: f64,
        /// The shortest sub-step tried \[s\].
        tried: f64,
        /// How it failed.
        reason: &'static str,
        /// The body with the largest increment.
        body: String,
        /// That increment: metres relative to the model's length, or radians.
        increment: f64,
        /// The joint with the largest violation; empty without joints.
        joint: String,
        /// That violation, as the increment.
        violation: f64,
    },
    /// No sub-step meets the error asked for.
    #[error(
        "step {step}: at t = {time} s a step of {tried:.3e} s still has {ratio:.1e} times the error allowed, and shorter ones are not \
         (`adaptive` tolerance, min-step)"
    )]
    ErrorBound {
        /// The step.
        step: u64,
        /// The last good time \[s\].
        time: f64,
        /// The shortest sub-step tried \[s\].
        tried: f64,
        /// Error divided by what is allowed.
        ratio: f64,
    },
    /// Joints that cannot hold together.
    #[error(
        "joints contradict each other in {of} at t = {time} s: joint `{joint}` (bodies `{}` and `{}`) is left with {left:.3e} {unit}",
        bodies[0],
        bodies[1]
    )]
    Contradiction {
        /// When \[s\].
        time: f64,
        /// Positions, speeds or accelerations.
        of: &'static str,
        /// The joint that is violated most.
        joint: String,
        /// Its bodies.
        bodies: [String; 2],
        /// What is left of its worst row.
        left: f64,
        /// In this unit.
        unit: &'static str,
    },
    /// Settings of smooth steppers with one that is not.
    #[error(
        "`{stepper}` takes equal steps with hard contacts: `adaptive`, `extrapolate` and `projection` are for smooth steppers"
    )]
    SmoothOnly {
        /// The stepper.
        stepper: &'static str,
    },
    /// Error control with a method whose accelerations oscillate.
    #[error(
        "`{stepper}` has no damping: joint forces oscillate from step to step, which `adaptive` would take for error; expected \
         `hht`, `generalised-alpha` or equal steps"
    )]
    Undamped {
        /// The stepper.
        stepper: &'static str,
    },
    /// A limit or rope with a stepper that has none.
    #[error(
        "joint `{joint}` is one-sided (limits, ropes), which `{stepper}` cannot hold; expected `penalty` or a `dvi-…` stepper"
    )]
    OneSided {
        /// The joint.
        joint: String,
        /// The stepper.
        stepper: &'static str,
    },
    /// Bodies that touch with a stepper that has no contacts.
    #[error(
        "step {step}: bodies `{}` and `{}` overlap by {depth:.3e} m at t = {time} s, and `{stepper}` has no contacts: give `penalty`, take a \
         `dvi-…` stepper, or exclude the pair",
        bodies[0],
        bodies[1]
    )]
    Touching {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The bodies.
        bodies: [String; 2],
        /// Their overlap \[m\].
        depth: f64,
        /// The stepper.
        stepper: &'static str,
    },
    /// The caller asked to stop.
    #[error("interrupted in step {step} at t = {time} s")]
    Interrupted {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
    },
    /// The problem of the step cannot be built.
    #[error("step {step} at t = {time} s: {error}")]
    Problem {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// What is wrong.
        error: ProblemError,
    },
    /// The problem of the step cannot be solved by the method.
    #[error("step {step} at t = {time} s: {error}")]
    Solve {
        /// The step.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// What is wrong.
        error: SolveError,
    },
}

//! What all readers of a file share: its text, its parameters and the errors found so far.

use super::expression::{self, ExpressionError};
use super::nearest::hint;
use super::source::{Source, Span};
use crate::mesh_file::MeshInUse;
use crate::{SceneError, SceneErrors};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Errors beyond this are not kept.
const MOST_ERRORS: usize = 100;

/// More bodies are refused.
const MOST_BODIES: usize = 2_000_000;

/// What all readers of a file share.
pub(crate) struct Context<'a> {
    source: Source<'a>,
    /// Where files are looked for.
    pub(crate) base_dir: Option<&'a Path>,
    /// The seed given beside the file.
    pub(crate) seed: Option<u64>,
    /// More bodies are refused, before they are made.
    pub(crate) most_bodies: usize,
    /// Values of parameters; none for those whose error is said already.
    parameters: RefCell<BTreeMap<String, Option<f64>>>,
    /// Files of triangles that have been read.
    pub(crate) meshes: RefCell<Vec<MeshInUse>>,
    errors: RefCell<Vec<(usize, SceneError)>>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str, base_dir: Option<&'a Path>, seed: Option<u64>) -> Self {
        Self {
            source: Source::new(name, text),
            base_dir,
            seed,
            most_bodies: MOST_BODIES,
            parameters: RefCell::default(),
            meshes: RefCell::default(),
            errors: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    pub(crate) fn error(&self, span: &Span, message: impl Into<String>) {
        self.report(span, message.into(), None);
    }
    pub(crate) fn error_with(&self, span: &Span, message: impl Into<String>, hint: impl Into<String>) {
        self.report(span, message.into(), Some(hint.into()));
    }
    fn report(&self, span: &Span, message: String, hint: Option<String>) {
        let (line, column) = self.source.position(span.start);
        let file = self.source.name.to_owned();
        self.errors.borrow_mut().push((span.start, SceneError { file, line, column, message, hint }));
    }
    /// An error that is not in the file but in what was given beside it.
    pub(crate) fn error_beside(&self, given: String, message: String, hint: Option<String>) {
        self.errors.borrow_mut().push((0, SceneError { file: given, line: 1, column: 1, message, hint }));
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
    }
    /// All errors in the order of the file; `None` without any.
    pub(crate) fn take_errors(&self) -> Option<SceneErrors> {
        let mut errors = self.errors.take();
        errors.sort_by_key(|(at, _)| *at);
        // What is read twice is wrong twice.
        errors.dedup();
        errors.truncate(MOST_ERRORS);
        (!errors.is_empty()).then(|| SceneErrors(errors.into_iter().map(|(_, error)| error).collect()))
    }

    pub(crate) fn set_parameters(&self, parameters: BTreeMap<String, Option<f64>>) {
        self.parameters.replace(parameters);
    }
    pub(crate) fn parameters(&self) -> Vec<(String, f64)> {
        let parameters = self.parameters.borrow();
        parameters.iter().filter_map(|(name, value)| value.map(|value| (name.clone(), value))).collect()
    }

    /// The value of an expression over the parameters; errors are reported at the span.
    pub(crate) fn evaluate(&self, expression: &str, span: &Span) -> Option<f64> {
        let parameters = self.parameters.borrow();
        let value = expression::evaluate(expression, &mut |name| match parameters.get(name) {
            Some(Some(value)) => Ok(*value),
            Some(None) => Err(ExpressionError::Reported),
            None => Err(unknown_parameter(name, parameters.keys().map(String::as_str))),
        });
        match value {
            Ok(value) => return Some(value),
            Err(ExpressionError::Reported) => {}
            Err(ExpressionError::Wrong { message, hint }) => self.report(span, message, hint),
        }
        None
    }

    /// Remembers that a field of this name can be given.
    pub(crate) fn ask(&self, field: &'static str) {
        self.asked.borrow_mut().insert(field);
    }
    /// Every field that was looked for.
    #[cfg(test)]
    pub(crate) fn asked(&self) -> BTreeSet<&'static str> {
        self.asked.borrow().clone()
    }
}

/// The error for a name that is no parameter.
pub(crate) fn unknown_parameter<'n>(name: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> ExpressionError {
    ExpressionError::Wrong { message: format!("no parameter `{name}`"), hint: Some(hint(name, "parameters", known)) }
}

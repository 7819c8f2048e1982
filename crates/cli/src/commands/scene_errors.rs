//! What is wrong with a scene, line by line.

use crate::printer::Printer;
use serde_json::{Value, json};
use signorini_scene::SceneErrors;

/// Prints every error with its place.
pub(super) fn tell(errors: &SceneErrors, printer: &mut Printer) {
    for error in &errors.0 {
        printer.error(None, &format!("{} ({})", error.message, error.place()), error.hint.as_deref());
    }
}

/// The same for machines.
pub(super) fn objects(errors: &SceneErrors) -> Vec<Value> {
    let object = |error: &signorini_scene::SceneError| json!({ "file": error.file, "line": error.line, "column": error.column, "message": error.message, "hint": error.hint });
    errors.0.iter().map(object).collect()
}

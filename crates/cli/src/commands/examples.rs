//! `signorini examples`: the built-in problems.

use crate::examples;
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use anyhow::Result;
use serde_json::json;

pub(crate) fn run(printer: &mut Printer) -> Result<Exit> {
    let name = |example: &examples::Example| format!("{}{}", examples::PREFIX, example.name);
    for example in examples::ALL {
        printer.object(&json!({ "name": name(example), "description": example.description }));
    }
    let rows = examples::ALL.iter().map(|example| vec![name(example), example.description.into()]).collect();
    printer.table(&[Column::words("example"), Column::words("what it is")], rows);
    Ok(Exit::Done)
}

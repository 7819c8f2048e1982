//! `signorini solvers`: what can be given to `--solver`.

use crate::exit::Exit;
use crate::printer::{Column, Printer};
use anyhow::Result;
use serde_json::json;
use signorini_solver::SolverSettings;

pub(crate) fn run(printer: &mut Printer) -> Result<Exit> {
    let solvers = SolverSettings::all();
    for solver in &solvers {
        printer.object(&json!({ "name": solver.name(), "summary": solver.summary() }));
    }
    let rows = solvers.iter().map(|solver| vec![solver.name().into(), solver.summary().into()]).collect();
    printer.table(&[Column::words("solver"), Column::words("what it is")], rows);
    Ok(Exit::Done)
}

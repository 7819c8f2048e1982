//! `signorini solvers`: what can be given to `--solver`.

use crate::exit::Exit;
use crate::printer::{Column, Printer};
use anyhow::Result;
use serde_json::json;
use signorini_solver::Method;

pub(crate) fn run(printer: &mut Printer) -> Result<Exit> {
    let solvers: Vec<_> = Method::all().iter().map(Method::describe).collect();
    for solver in &solvers {
        printer.object(&json!({
            "name": solver.name,
            "summary": solver.summary,
            "bilateral": solver.accepts.bilateral,
            "unilateral": solver.accepts.unilateral,
            "friction": solver.accepts.friction,
        }));
    }
    let mark = |able: bool| if able { "yes" } else { "-" };
    let rows = solvers.iter().map(|solver| {
        let accepts = solver.accepts;
        let abilities = [accepts.bilateral, accepts.unilateral, accepts.friction].map(mark);
        [solver.name].into_iter().chain(abilities).chain([solver.summary]).map(str::to_owned).collect()
    });
    let titles = ["solver", "bilateral", "unilateral", "friction", "what it is"].map(Column::words);
    printer.table(&titles, rows.collect());
    Ok(Exit::Done)
}

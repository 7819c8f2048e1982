//! `signorini steppers`: what can be given to `--stepper`.

use crate::exit::Exit;
use crate::printer::{Column, Printer};
use anyhow::Result;
use serde_json::json;
use signorini_mechanics::Stepper;

pub(crate) fn run(printer: &mut Printer) -> Result<Exit> {
    for stepper in Stepper::ALL {
        let parameters: serde_json::Map<_, _> =
            stepper.parameters().into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        printer.object(&json!({
            "name": stepper.name(),
            "summary": stepper.summary(),
            "order": stepper.order(),
            "hard_contacts": stepper.has_hard_contacts(),
            "explicit": stepper.is_explicit(),
            "parameters": parameters,
        }));
    }
    let rows = Stepper::ALL.iter().map(|stepper| {
        let contacts = if stepper.has_hard_contacts() { "hard" } else { "penalty" };
        let parameters: Vec<String> =
            stepper.parameters().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cells = [stepper.name(), contacts, &stepper.order().to_string(), &parameters.join(","), stepper.summary()];
        cells.map(str::to_owned).to_vec()
    });
    let titles = ["stepper", "contacts", "order", "parameters", "what it is"].map(Column::words);
    printer.table(&titles, rows.collect());
    Ok(Exit::Done)
}

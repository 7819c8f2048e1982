//! `penalty` of `[stepper]`: contacts as springs and dampers.

use crate::reader::{Range, Table};
use signorini_mechanics::{Penalty, PenaltyLaw};

/// Reads `penalty = { law = …, stiffness = …, … }`; `None` where it is not given, or wrong.
pub(super) fn read(stepper: &Table<'_>) -> Option<Penalty> {
    let table = stepper.table("penalty")?;
    let laws = PenaltyLaw::ALL.map(|law| (law.name(), law));
    let law = table.get("law").map(|value| value.choice(&laws));
    let stiffness = table.require("stiffness").and_then(|value| value.number(Range::POSITIVE));
    let damping = table.number("damping", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let stick_stiffness = table.number("stick-stiffness", Range::POSITIVE);
    let stick_damping = table.number("stick-damping", Range::NOT_NEGATIVE);
    table.finish();
    let law = law.unwrap_or(Some(PenaltyLaw::default()))?;
    Some(Penalty { law, stiffness: stiffness?, damping, stick_stiffness, stick_damping })
}

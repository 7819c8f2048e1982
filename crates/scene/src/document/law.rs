//! Functions of time: `{ speed = 2 }`, `{ polynomial = […] }`, `{ sine = { … } }`, `{ table = { … } }`.

use crate::reader::{Range, Value};
use signorini_mechanics::joint::Law;

/// Reads a function of time, or a number for one that is always the same.
pub(super) fn read_or_constant(value: &Value<'_>) -> Option<Law> {
    match value.is_table() {
        true => read(value),
        false => value.number(Range::ANY).map(Law::constant),
    }
}

/// Reads a function of time.
pub(super) fn read(value: &Value<'_>) -> Option<Law> {
    let table = value.table(value.what.clone())?;
    let speed = table.number("speed", Range::SPEED).map(|speed| Law::linear(0.0, speed));
    let polynomial = table.get("polynomial").map(|value| value.numbers(Range::ANY).map(Law::Polynomial));
    let sine = table.table("sine").map(|table| {
        let number = |field, usual| table.number(field, Range::ANY).unwrap_or(usual);
        let (amplitude, frequency) = (number("amplitude", 1.0), number("frequency", 1.0));
        let law = Law::Sine { amplitude, frequency, phase: number("phase", 0.0), offset: number("offset", 0.0) };
        table.finish();
        law
    });
    let points = table.table("table").map(|table| {
        let list = |field| table.require(field).and_then(|value| value.numbers(Range::ANY));
        let (times, values) = (list("times"), list("values"));
        table.finish();
        Some(Law::Table { times: times?, values: values? })
    });
    let is_known = table.finish();
    let laws = [speed.map(Some), polynomial, sine.map(Some), points];
    let mut given = laws.into_iter().flatten();
    let (Some(law), None) = (given.next(), given.next()) else {
        let fields = ["speed", "polynomial", "sine", "table"];
        if is_known && fields.iter().filter(|field| table.has(field)).count() != 1 {
            table.error("expected one of `speed`, `polynomial`, `sine` and `table`");
        }
        return None;
    };
    let law = law?;
    match law.check() {
        Ok(()) => Some(law),
        Err(error) => {
            table.error(error);
            None
        }
    }
}

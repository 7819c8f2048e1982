//! `type = "bushing"`: stiffness and damping in all six directions.

use super::{anchored, bodies};
use crate::document::{Builder, pose};
use crate::reader::{Range, Table, Value};
use signorini_mechanics::force::{Bushing, Matrix6};
use signorini_mechanics::{Force, Pose};

/// Reads a bushing, and leaves the table to be finished.
pub(super) fn read<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Box<dyn Force>> {
    let bodies = bodies(table, builder);
    let point = table.require("point").and_then(|value| value.vector(Range::COORDINATE));
    let rotation = pose::rotation(table);
    let stiffness = table.require("stiffness").and_then(|value| matrix(&value));
    let damping = table.get("damping").map_or(Some([[0.0; 6]; 6]), |value| matrix(&value));
    let preload = table.get("preload").map_or(Some([0.0; 6]), |value| six(&value, "six numbers", Range::ANY));
    let anchors = anchored(bodies?, Pose::new(point?, rotation), builder);
    Some(Box::new(Bushing::new(anchors, stiffness?, damping?).preloaded(preload?)))
}

/// The diagonal of a matrix, or its rows.
fn matrix(value: &Value<'_>) -> Option<Matrix6> {
    const EXPECTED: &str = "six numbers (a diagonal) or six rows of six numbers";
    let parts = value.list_of::<6>(EXPECTED)?;
    let mut matrix = [[0.0; 6]; 6];
    if parts.iter().any(Value::is_list) {
        let rows = parts.map(|row| six(&row, "a row of six numbers", Range::ANY));
        for (to, row) in matrix.iter_mut().zip(rows) {
            *to = row?;
        }
        return Some(matrix);
    }
    let diagonal = six(value, EXPECTED, Range::NOT_NEGATIVE)?;
    (0..6).for_each(|k| matrix[k][k] = diagonal[k]);
    Some(matrix)
}

fn six(value: &Value<'_>, expected: &str, range: Range) -> Option<[f64; 6]> {
    let numbers = value.list_of::<6>(expected)?.map(|part| part.number(range));
    let mut six = [0.0; 6];
    for (to, number) in six.iter_mut().zip(numbers) {
        *to = number?;
    }
    Some(six)
}

//! Fitted order and error of every stepper on motions with known solutions.

use super::order_cases::Case;
use super::{Sheet, label, settings};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::Stepper;

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&[
        "motion",
        "stepper",
        "order",
        "of positions",
        "of velocities",
        "of joint forces",
        "steps",
        "error of positions",
        "error of velocities",
        "error of joint forces",
        "steps in parts",
    ]);
    let cases: &[Case] = if sheet.is_quick() { &[Case::BallJoint] } else { &Case::ALL };
    for &case in cases {
        for stepper in Stepper::ALL {
            let exact = case.exact(&stepper)?;
            let followed = case.follow(&settings(stepper, case.end()), &exact)?;
            let of = |part: usize, value: Value| if exact[part].is_empty() { Value::Missing } else { value };
            let order = |part: usize| of(part, Value::Ratio(followed.orders[part]));
            let error = |part: usize| of(part, Value::Small(followed.errors[part][3]));
            table.push(vec![
                Value::text(case.name()),
                Value::text(label(&stepper)),
                Value::Count(stepper.order() as usize),
                order(0),
                order(1),
                order(2),
                Value::Count(followed.steps[3] as usize),
                error(0),
                error(1),
                error(2),
                Value::Count(followed.troubled as usize),
            ]);
        }
    }
    sheet.table(
        "Orders fitted over four runs, each with half the step; errors of the finest run (SI units)",
        "orders",
        &table,
    )
}

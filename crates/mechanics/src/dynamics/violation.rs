//! By how much joints and links are violated in a state.

use crate::flexible::LinkRow;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::{Model, State};

/// The largest |Ψ| of bilateral rows of joints and links: \[m\] and \[rad\], each with the index of the joint; links are counted after
/// joints.
pub(crate) fn joint_violation(model: &Model, state: &State) -> [(f64, usize); 2] {
    let State { poses, nodes, time, .. } = state;
    let mut worst = [(0.0, 0); 2];
    let mut count = |value: f64, is_angle: bool, index: usize| {
        let slot = &mut worst[usize::from(is_angle)];
        // A violation that is not a number counts as the worst.
        if value.abs() > slot.0 || value.is_nan() {
            *slot = (value.abs(), index);
        }
    };
    let mut rows = [Row::ZERO; MAX_ROWS];
    for (index, (_, joint)) in model.joints().enumerate() {
        joint.evaluate(joint.bodies().map(|body| &poses[body.index()]), *time, &mut rows[..joint.rows()]);
        let bilateral = rows[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal);
        bilateral.for_each(|row| count(row.value, row.is_angle, index));
    }
    let (mut room, joints) = (LinkRow::default(), model.joints().len());
    for (index, (_, link)) in model.links().iter().enumerate() {
        link.evaluate(model, poses, nodes, *time, &mut room, |row| count(row.value, row.is_angle, joints + index));
    }
    worst
}

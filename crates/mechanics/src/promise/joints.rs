//! Joints, ropes, limits and links: closed at the end of the step.
//!
//! ```text
//! bilateral row     Ψ = 0    violated by |Ψ|
//! one-sided row     Ψ ≥ 0    violated by max(0, −Ψ): a rope that is too short, a limit that is passed
//! ```

use super::{Broken, Culprit, CulpritKind, Promise};
use crate::flexible::LinkRow;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::{Model, State};

/// Which rows of joints count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedRows {
    /// Those with Ψ = 0: where limits and ropes are springs, or nothing but the assembly of joints is asked for.
    Bilateral,
    /// All of them.
    All,
}

/// How far a row is from being kept \[m or rad\]; NaN stays NaN.
pub(crate) fn row_violation(kind: RowKind, value: f64) -> f64 {
    match kind {
        RowKind::Equal => value.abs(),
        RowKind::AtLeastZero if value >= 0.0 => 0.0,
        RowKind::AtLeastZero => -value,
    }
}

/// The largest violations in a state: \[m\] and \[rad\], each with the index of the joint; links are counted after joints.
pub(crate) fn violations(model: &Model, state: &State, counted: CountedRows) -> [(f64, usize); 2] {
    let mut worst = [(0.0_f64, 0); 2];
    let mut enter = |is_angle: bool, violation: f64, index: usize| {
        let slot = &mut worst[usize::from(is_angle)];
        // A violation that is not a number is the worst and stays.
        if violation > slot.0 || (violation.is_nan() && !slot.0.is_nan()) {
            *slot = (violation, index);
        }
    };
    let mut rows = [Row::ZERO; MAX_ROWS];
    for (index, (_, joint)) in model.joints().enumerate() {
        let poses = joint.bodies().map(|body| &state.poses[body.index()]);
        let rows = &mut rows[..joint.rows()];
        joint.evaluate(poses, state.time, rows);
        let counts = |row: &&Row| counted == CountedRows::All || row.kind == RowKind::Equal;
        rows.iter().filter(counts).for_each(|row| enter(row.is_angle, row_violation(row.kind, row.value), index));
    }
    let mut room = LinkRow::default();
    let joints = model.joints().len();
    for (index, (_, link)) in model.links().iter().enumerate() {
        link.evaluate(model, &state.poses, &state.nodes, state.time, &mut room, |row| {
            enter(row.is_angle, row.value.abs(), joints + index);
        });
    }
    worst
}

/// A joint by its index; links are counted after joints.
pub(crate) fn culprit(model: &Model, index: usize) -> Culprit {
    match index.checked_sub(model.joints().len()) {
        None => Culprit::joint(model.joint(index).map_or("", |(name, _)| name)),
        Some(link) => {
            let name = model.links().get(link).map_or("", |(name, _)| name);
            Culprit { kind: CulpritKind::Link, name: name.to_owned() }
        }
    }
}

/// What is broken if joints are further open than `bounds` \[m, rad\] allow: at most one entry for lengths and one for angles.
pub(crate) fn judge(violations: [(f64, usize); 2], bounds: [f64; 2], who: impl Fn(usize) -> Culprit) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (((value, index), bound), unit) in violations.into_iter().zip(bounds).zip(["m", "rad"]) {
        if value > bound || value.is_nan() {
            broken.push(Broken::by(vec![who(index)], Promise::Joints, value, bound, unit));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rope_half_a_metre_too_short_is_violated_by_half_a_metre_and_a_slack_one_is_not() {
        assert_eq!(row_violation(RowKind::AtLeastZero, -0.5), 0.5);
        assert_eq!(row_violation(RowKind::AtLeastZero, 0.5), 0.0);
        assert_eq!(row_violation(RowKind::Equal, -0.5), 0.5);
        assert!(row_violation(RowKind::AtLeastZero, f64::NAN).is_nan());
    }

    #[test]
    fn lengths_and_angles_have_bounds_of_their_own() {
        let names = |index: usize| Culprit::joint(&index.to_string());
        assert_eq!(judge([(1e-3, 4), (2e-3, 5)], [1e-3, 2e-3], names), vec![]);
        let broken = judge([(2e-3, 4), (3e-3, 5)], [1e-3, 2e-3], names);
        assert_eq!(broken.len(), 2);
        assert_eq!((&*broken[0].who, &*broken[0].unit, broken[0].bound), ("joint `4`", "m", 1e-3));
        assert_eq!((&*broken[1].who, &*broken[1].unit, broken[1].value), ("joint `5`", "rad", 3e-3));
        assert_eq!(judge([(f64::NAN, 0), (0.0, 0)], [1.0, 1.0], names).len(), 1);
    }
}

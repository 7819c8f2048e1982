//! What joints transmit, from the multipliers of their rows.

use crate::Vec3;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Phase;
use crate::joint::{MAX_ROWS, Row, RowKind};

/// What a joint transmits.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Reaction {
    /// Force \[N\] or torque \[N m\] of every row of the joint, in their order; 0 for one-sided rows. Positive where it drives Ψ up.
    pub rows: Vec<f64>,
    /// Force on the second body, world axes \[N\].
    pub force: Vec3,
    /// Torque on the second body about its centre of mass, world axes \[N m\].
    pub torque: Vec3,
}

/// Cᵀλ of every joint, for its second body.
pub(super) fn reactions(system: System<'_>, phase: &Phase, multipliers: &[f64]) -> Vec<Reaction> {
    let System { model, equations } = system;
    let mut buffer = [Row::ZERO; MAX_ROWS];
    let mut reactions = Vec::with_capacity(model.joints().len());
    for (index, (_, joint)) in model.joints().enumerate() {
        let poses = joint.bodies().map(|body| &phase.poses[body.index()]);
        joint.evaluate(poses, phase.time, &mut buffer[..joint.rows()]);
        let mut multipliers = multipliers[equations.first_row[index]..equations.first_row[index + 1]].iter();
        let mut reaction = Reaction { rows: Vec::new(), force: Vec3::ZERO, torque: Vec3::ZERO };
        for row in &buffer[..joint.rows()] {
            let multiplier = match row.kind {
                RowKind::Equal => multipliers.next().copied().unwrap_or(0.0),
                RowKind::AtLeastZero => 0.0,
            };
            reaction.rows.push(multiplier);
            reaction.force += multiplier * Vec3::from_slice(&row.jacobian[1]);
            reaction.torque += multiplier * (poses[1].rotation * Vec3::from_slice(&row.jacobian[1][3..]));
        }
        reactions.push(reaction);
    }
    reactions
}

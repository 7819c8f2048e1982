//! One-sided joint rows (limits, ropes) as springs of the contact law: δ = −ℓΨ, force ℓN along the row, with ℓ = 1 for lengths and
//! the radius of the smallest body for angles.

use super::law::{Law, Response};
use crate::Model;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::joint::{MAX_ROWS, Row, RowKind};

/// One row and the force on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) joint: usize,
    pub(super) bodies: [usize; 2],
    pub(super) jacobian: [[f64; 6]; 2],
    /// ℓ \[1, m\].
    pub(super) lever: f64,
    pub(super) response: Response,
}

/// All one-sided rows of a model.
pub(super) struct Limits {
    law: Law,
    radius: f64,
    /// Joints that have any.
    joints: Vec<usize>,
    /// ℓΨ of all rows when the step began.
    base: Vec<f64>,
    found: Vec<Limit>,
}

impl Limits {
    pub(super) fn new(model: &Model, law: Law, radius: f64) -> Self {
        let mut rows = [Row::ZERO; MAX_ROWS];
        let one_sided = model.joints().enumerate().filter(|(_, (_, joint))| {
            let poses = joint.bodies().map(|body| &model.bodies()[body.index()].start);
            joint.evaluate(poses, 0.0, &mut rows[..joint.rows()]);
            rows[..joint.rows()].iter().any(|row| row.kind == RowKind::AtLeastZero)
        });
        let joints = one_sided.map(|(index, _)| index).collect();
        Self { law, radius, joints, base: Vec::new(), found: Vec::new() }
    }

    /// Calls `row` with every one-sided row at a phase, its joint and its bodies.
    fn for_each(&self, system: System<'_>, phase: &Phase, mut row: impl FnMut(usize, [usize; 2], &Row)) {
        let mut rows = [Row::ZERO; MAX_ROWS];
        for &index in &self.joints {
            let Some((_, joint)) = system.model.joint(index) else { continue };
            let bodies = joint.bodies().map(|body| body.index());
            joint.evaluate(bodies.map(|body| &phase.poses[body]), phase.time, &mut rows[..joint.rows()]);
            let one_sided = rows[..joint.rows()].iter().filter(|row| row.kind == RowKind::AtLeastZero);
            one_sided.for_each(|found| row(index, bodies, found));
        }
    }

    fn lever(&self, row: &Row) -> f64 {
        if row.is_angle { self.radius } else { 1.0 }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, system: System<'_>, phase: &Phase) {
        let mut base = std::mem::take(&mut self.base);
        base.clear();
        self.for_each(system, phase, |_, _, row| base.push(self.lever(row) * row.value));
        self.base = base;
    }

    /// Finds the forces at a phase.
    pub(super) fn evaluate(&mut self, system: System<'_>, phase: &Phase) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.for_each(system, phase, |joint, bodies, row| {
            let mut speed = row.rate;
            for (side, part) in row.jacobian.iter().enumerate() {
                let Some(at) = system.equations.columns.of(bodies[side]) else { continue };
                speed += phase.velocity[at..at + 6].iter().zip(part).map(|(v, entry)| v * entry).sum::<f64>();
            }
            let lever = self.lever(row);
            let now = -lever * row.value;
            let before = self.base.get(found.len()).map_or(now, |value| -value);
            let response = self.law.normal(before, now, -lever * speed);
            found.push(Limit { joint, bodies, jacobian: row.jacobian, lever, response });
        });
        self.found = found;
    }

    /// The rows at the phase evaluated last.
    pub(super) fn found(&self) -> &[Limit] {
        &self.found
    }

    /// Forces along the rows \[N, N m\].
    pub(super) fn forces(&self) -> impl Iterator<Item = f64> {
        self.found.iter().map(|limit| limit.lever * limit.response.force)
    }

    pub(super) fn energy(&self) -> f64 {
        self.found.iter().map(|limit| limit.response.energy).sum()
    }

    pub(super) fn add_to(&self, equations: &Equations, out: &mut [f64]) {
        for limit in self.found.iter().filter(|limit| limit.response.force > 0.0) {
            let force = limit.lever * limit.response.force;
            for (side, part) in limit.jacobian.iter().enumerate() {
                let Some(at) = equations.columns.of(limit.bodies[side]) else { continue };
                out[at..at + 6].iter_mut().zip(part).for_each(|(sum, entry)| *sum += force * entry);
            }
        }
    }
}

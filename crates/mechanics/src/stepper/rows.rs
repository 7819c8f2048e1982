//! Rows of a problem: those of joints and contacts, whatever they are held to.

use super::dvi::Columns;
use crate::contact::{Frame, point_row};
use crate::joint::{self, Row, RowKind};
use crate::{MaterialId, Model, Pose, State, Vec3};
use signorini_collision::Contact;
use signorini_solver::problem::{Compliance, Inertia, RowBlocks};
use signorini_solver::{Cone, ConeProblem, ProblemError};

/// Rows under construction.
pub(super) struct Rows<'a> {
    columns: &'a Columns,
    blocks: RowBlocks,
    cones: Vec<Cone>,
    pub(super) offset: Vec<f64>,
    compliance: Vec<f64>,
    is_soft: bool,
    values: Vec<f64>,
}

impl<'a> Rows<'a> {
    /// None yet, with room for so many contacts.
    pub(super) fn new(columns: &'a Columns, contacts: usize) -> Self {
        Self {
            columns,
            blocks: RowBlocks::with_capacity(contacts, 12 * contacts, 36 * contacts),
            cones: Vec::with_capacity(contacts),
            offset: Vec::with_capacity(3 * contacts),
            compliance: Vec::with_capacity(3 * contacts),
            is_soft: false,
            values: Vec::with_capacity(36),
        }
    }

    /// `out` += factor · Jᵀ g.
    pub(super) fn add_transposed(&self, factor: f64, impulse: &[f64], out: &mut [f64]) {
        self.blocks.mul_transpose_add(factor, impulse, out);
    }

    /// The problem of these rows.
    pub(super) fn problem(self, inertia: Inertia, linear: Vec<f64>) -> Result<ConeProblem, ProblemError> {
        let Self { blocks, cones, offset, compliance, is_soft, .. } = self;
        let compliance = if is_soft { Compliance::Diagonal(compliance) } else { Compliance::Zero };
        ConeProblem::assembled(inertia, linear, blocks, cones, offset, compliance)
    }

    /// Adds a block of rows over two bodies: `parts[r]` are the entries of row r for A and B.
    fn push(&mut self, cone: Cone, bodies: [usize; 2], parts: &[[[f64; 6]; 2]], offset: &[f64], compliance: f64) {
        let starts = bodies.map(|body| self.columns.of(body));
        let mut columns = [0; 12];
        self.values.clear();
        // Ascending columns, whichever body comes first.
        let order: &[usize] = match starts {
            [Some(a), Some(b)] if a <= b => &[0, 1],
            [Some(_), Some(_)] => &[1, 0],
            [Some(_), None] => &[0],
            [None, Some(_)] => &[1],
            [None, None] => &[],
        };
        let mut width = 0;
        for &side in order {
            let start = starts[side].unwrap_or(0);
            (0..6).for_each(|i| columns[width + i] = start + i);
            width += 6;
        }
        for part in parts {
            order.iter().for_each(|&side| self.values.extend_from_slice(&part[side]));
        }
        self.blocks.push_dense(&columns[..width], parts.len(), &self.values);
        self.cones.push(cone);
        self.offset.extend_from_slice(offset);
        self.compliance.push(compliance);
        self.compliance.resize(self.offset.len(), 0.0);
        self.is_soft |= compliance > 0.0;
    }
}

/// Adds the rows of all joints at a time, with `offset` of every row, counted from 0; rows without one are left out, which only
/// inequalities may be.
pub(super) fn push_joints(
    model: &Model,
    state: &State,
    time: f64,
    rows: &mut Rows<'_>,
    mut offset: impl FnMut(usize, &Row) -> Option<f64>,
) {
    let mut buffer = [Row::ZERO; joint::MAX_ROWS];
    let mut first = 0;
    for (_, joint) in model.joints() {
        let bodies = joint.bodies().map(|body| body.index());
        let poses = bodies.map(|body| &state.poses[body]);
        let count = joint.rows();
        joint.evaluate(poses, time, &mut buffer[..count]);
        let mut at = 0;
        while at < count {
            let row = &buffer[at];
            // Bilateral rows in blocks of up to three.
            let last = match row.kind {
                RowKind::AtLeastZero => at + 1,
                RowKind::Equal => {
                    (at + 1..count.min(at + 3)).find(|&r| buffer[r].kind != RowKind::Equal).unwrap_or(count.min(at + 3))
                }
            };
            let mut parts = [[[0.0; 6]; 2]; 3];
            let mut offsets = [0.0; 3];
            let mut is_wanted = true;
            for (k, row) in buffer[at..last].iter().enumerate() {
                parts[k] = row.jacobian;
                match offset(first + at + k, row) {
                    Some(value) => offsets[k] = value,
                    None => is_wanted = false,
                }
            }
            let cone = if row.kind == RowKind::Equal { Cone::Free } else { Cone::NonNegative };
            if is_wanted {
                rows.push(cone, bodies, &parts[..last - at], &offsets[..last - at], 0.0);
            }
            at = last;
        }
        first += count;
    }
}

/// The rows of one contact, before their offsets.
pub(super) struct ContactRows<'a> {
    pub(super) bodies: [usize; 2],
    pub(super) law: &'a crate::Contact,
    pub(super) frame: Frame,
    /// Normal, two tangents, two rolling directions; of both bodies.
    pub(super) parts: [[[f64; 6]; 2]; 5],
    /// How many of them the law needs.
    pub(super) count: usize,
}

impl<'a> ContactRows<'a> {
    pub(super) fn new(model: &'a Model, poses: &[Pose], contact: &Contact) -> Self {
        let [a, b] = contact.bodies.map(|body| body as usize);
        let material = |k: usize| -> MaterialId { model.colliders()[contact.colliders[k] as usize].1.material };
        let law = model.contact(material(0), material(1));
        let frame = Frame::about(contact.normal);
        // One point for both bodies: tangential impulses then conserve angular momentum even where there is a gap.
        let point = 0.5 * (contact.points[0] + contact.points[1]);
        let (pa, pb) = (&poses[a], &poses[b]);
        let linear = |axis: Vec3| [point_row(pa, point, axis).map(|x| -x), point_row(pb, point, axis)];
        let angular = |axis: Vec3| {
            let part = |pose: &Pose, sign: f64| {
                let turned = pose.rotation.conjugate() * axis * sign;
                [0.0, 0.0, 0.0, turned.x, turned.y, turned.z]
            };
            [part(pa, -1.0), part(pb, 1.0)]
        };
        let (mut parts, mut count) = ([[[0.0; 6]; 2]; 5], 1);
        parts[0] = linear(frame.normal);
        let [t, w] = frame.tangents;
        if law.friction > 0.0 {
            (parts[1], parts[2], count) = (linear(t), linear(w), 3);
            if law.rolling > 0.0 {
                (parts[3], parts[4], count) = (angular(t), angular(w), 5);
            }
        }
        Self { bodies: [a, b], law, frame, parts, count }
    }

    fn cone(&self) -> Cone {
        match self.count {
            1 => Cone::NonNegative,
            3 => Cone::Friction { mu: self.law.friction },
            _ => Cone::Rolling { mu: self.law.friction, mu_r: self.law.rolling },
        }
    }

    /// How fast the bodies part in a state.
    pub(super) fn parting(&self, state: &State) -> f64 {
        row_velocity(&self.parts[0], state, self.bodies)
    }

    /// Adds them to a problem; returns the first row.
    pub(super) fn push(&self, offset: &[f64; 5], compliance: f64, rows: &mut Rows<'_>) -> usize {
        let first = rows.offset.len();
        rows.push(self.cone(), self.bodies, &self.parts[..self.count], &offset[..self.count], compliance);
        first
    }
}

fn row_velocity(row: &[[f64; 6]; 2], state: &State, bodies: [usize; 2]) -> f64 {
    let part = |side: usize| {
        let (v, omega) = (state.velocities[bodies[side]], state.angular_velocities[bodies[side]]);
        let r = &row[side];
        Vec3::new(r[0], r[1], r[2]).dot(v) + Vec3::new(r[3], r[4], r[5]).dot(omega)
    };
    part(0) + part(1)
}

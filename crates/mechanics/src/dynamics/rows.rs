//! Rows of a problem: those of joints and contacts, whatever they are held to.

use crate::dynamics::columns::Columns;
use crate::dynamics::contact::Frame;
use crate::dynamics::contact::support::Support;
use crate::flexible::LinkRow;
use crate::joint::{self, Row, RowKind};
use crate::{Model, State, Vec3};
use signorini_collision::Contact;
use signorini_solver::problem::{Compliance, Inertia, RowBlocks};
use signorini_solver::{Cone, ConeProblem, ProblemError};

/// Rows under construction.
pub(crate) struct Rows<'a> {
    columns: &'a Columns,
    blocks: RowBlocks,
    cones: Vec<Cone>,
    pub(crate) offset: Vec<f64>,
    compliance: Vec<f64>,
    is_soft: bool,
    values: Vec<f64>,
}

impl<'a> Rows<'a> {
    /// None yet, with room for so many contacts.
    pub(crate) fn new(columns: &'a Columns, contacts: usize) -> Self {
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
    pub(crate) fn add_transposed(&self, factor: f64, impulse: &[f64], out: &mut [f64]) {
        self.blocks.mul_transpose_add(factor, impulse, out);
    }

    /// The problem of these rows.
    pub(crate) fn problem(self, inertia: Inertia, linear: Vec<f64>) -> Result<ConeProblem, ProblemError> {
        let Self { blocks, cones, offset, compliance, is_soft, .. } = self;
        let compliance = if is_soft { Compliance::Diagonal(compliance) } else { Compliance::Zero };
        ConeProblem::assembled(inertia, linear, blocks, cones, offset, compliance)
    }

    /// First columns and width of what a side of rows acts on, ascending; nothing where it is fixed.
    fn spans(&self, support: &Support) -> [Option<(usize, usize)>; 3] {
        match support {
            Support::Body(body) => [self.columns.of(*body).map(|at| (at, 6)), None, None],
            Support::Face { nodes, .. } => nodes.map(|node| self.columns.of_node(node).map(|at| (at, 3))),
        }
    }

    /// Adds a block of rows over two supports: `parts[r]` are the entries of row r for A and B.
    fn push(&mut self, cone: Cone, supports: [Support; 2], parts: &[[[f64; 9]; 2]], offset: &[f64], compliance: f64) {
        // First column, width, side and first entry of every span, in the order of columns.
        let mut spans = [(0, 0, 0, 0); 6];
        let mut count = 0;
        for (side, support) in supports.iter().enumerate() {
            // Entries of a node follow those of the one before.
            for (k, (at, width)) in self.spans(support).into_iter().enumerate().filter_map(|(k, span)| Some((k, span?)))
            {
                spans[count] = (at, width, side, 3 * k);
                count += 1;
            }
        }
        let spans = &mut spans[..count];
        spans.sort_unstable();
        let mut columns = [0; 18];
        let mut width = 0;
        // Both sides may share nodes, in contacts of a skin with itself.
        let mut previous = usize::MAX;
        for &(at, length, ..) in spans.iter() {
            if at != previous {
                (0..length).for_each(|i| columns[width + i] = at + i);
                width += length;
            }
            previous = at;
        }
        self.values.clear();
        for part in parts {
            let mut previous = usize::MAX;
            for &(at, length, side, entry) in spans.iter() {
                let from = &part[side][entry..entry + length];
                if at == previous {
                    let first = self.values.len() - length;
                    self.values[first..].iter_mut().zip(from).for_each(|(sum, add)| *sum += add);
                } else {
                    self.values.extend_from_slice(from);
                }
                previous = at;
            }
        }
        self.blocks.push_dense(&columns[..width], parts.len(), &self.values);
        self.close(cone, offset, compliance);
    }

    /// What every block of rows has besides its entries.
    fn close(&mut self, cone: Cone, offset: &[f64], compliance: f64) {
        self.cones.push(cone);
        self.offset.extend_from_slice(offset);
        self.compliance.push(compliance);
        self.compliance.resize(self.offset.len(), 0.0);
        self.is_soft |= compliance > 0.0;
    }

    /// Adds one bilateral row of a link.
    fn push_link(&mut self, row: &LinkRow, offset: f64) {
        let mut entries: Vec<(usize, f64)> = Vec::with_capacity(6 + 3 * row.nodes.len());
        if let Some((body, part)) = &row.body
            && let Some(at) = self.columns.of(*body)
        {
            entries.extend(part.iter().enumerate().map(|(k, value)| (at + k, *value)));
        }
        for (node, direction) in &row.nodes {
            if let Some(at) = self.columns.of_node(*node as usize) {
                entries.extend(direction.to_array().into_iter().enumerate().map(|(k, value)| (at + k, value)));
            }
        }
        entries.retain(|(_, value)| *value != 0.0);
        entries.sort_by_key(|(column, _)| *column);
        let columns: Vec<usize> = entries.iter().map(|(column, _)| *column).collect();
        self.values.clear();
        self.values.extend(entries.iter().map(|(_, value)| *value));
        self.blocks.push_dense(&columns, 1, &self.values);
        self.close(Cone::Free, &[offset], 0.0);
    }
}

/// Adds the rows of all links at a time, with `offset` of every row, counted from 0.
pub(crate) fn push_links(
    model: &Model,
    state: &State,
    time: f64,
    rows: &mut Rows<'_>,
    mut offset: impl FnMut(usize, &LinkRow) -> f64,
) {
    let (mut room, mut index) = (LinkRow::default(), 0);
    for (_, link) in model.links() {
        link.evaluate(model, &state.poses, &state.nodes, time, &mut room, |row| {
            rows.push_link(row, offset(index, row));
            index += 1;
        });
    }
}

/// Adds the rows of all joints at a time, with `offset` of every row, counted from 0; rows without one are left out, which only
/// inequalities may be.
pub(crate) fn push_joints(
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
            let mut parts = [[[0.0; 9]; 2]; 3];
            let mut offsets = [0.0; 3];
            let mut is_wanted = true;
            for (k, row) in buffer[at..last].iter().enumerate() {
                for (part, own) in parts[k].iter_mut().zip(&row.jacobian) {
                    part[..6].copy_from_slice(own);
                }
                match offset(first + at + k, row) {
                    Some(value) => offsets[k] = value,
                    None => is_wanted = false,
                }
            }
            let cone = if row.kind == RowKind::Equal { Cone::Free } else { Cone::NonNegative };
            if is_wanted {
                rows.push(cone, bodies.map(Support::Body), &parts[..last - at], &offsets[..last - at], 0.0);
            }
            at = last;
        }
        first += count;
    }
}

/// The rows of one contact, before their offsets.
pub(crate) struct ContactRows<'a> {
    pub(crate) supports: [Support; 2],
    pub(crate) law: &'a crate::Contact,
    pub(crate) frame: Frame,
    /// Normal, two tangents, two rolling directions; of both sides.
    pub(crate) parts: [[[f64; 9]; 2]; 5],
    /// How many of them the law needs.
    pub(crate) count: usize,
}

impl<'a> ContactRows<'a> {
    pub(crate) fn new(model: &'a Model, state: &State, contact: &Contact) -> Self {
        let poses = &state.poses;
        let supports = Support::both(model, &state.nodes, contact);
        let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
        let law = model.contact(a, b);
        let frame = Frame::about(contact.normal);
        // One point for both bodies: tangential impulses then conserve angular momentum even where there is a gap.
        let point = 0.5 * (contact.points[0] + contact.points[1]);
        let (mut parts, mut count) = ([[[0.0; 9]; 2]; 5], 1);
        let linear = |axis: Vec3, parts: &mut [[f64; 9]; 2]| {
            supports[0].fill(poses, point, axis, -1.0, &mut parts[0]);
            supports[1].fill(poses, point, axis, 1.0, &mut parts[1]);
        };
        linear(frame.normal, &mut parts[0]);
        let [t, w] = frame.tangents;
        if law.friction > 0.0 {
            linear(t, &mut parts[1]);
            linear(w, &mut parts[2]);
            count = 3;
            // Skins have no rotation of their own to resist.
            if let (true, [Support::Body(a), Support::Body(b)]) = (law.rolling > 0.0, supports) {
                for (row, axis) in [(3, t), (4, w)] {
                    for (side, (body, sign)) in [(a, -1.0), (b, 1.0)].into_iter().enumerate() {
                        let turned = poses[body].rotation.conjugate() * axis * sign;
                        parts[row][side][3..6].copy_from_slice(&turned.to_array());
                    }
                }
                count = 5;
            }
        }
        Self { supports, law, frame, parts, count }
    }

    fn cone(&self) -> Cone {
        match self.count {
            1 => Cone::NonNegative,
            3 => Cone::Friction { mu: self.law.friction },
            _ => Cone::Rolling { mu: self.law.friction, mu_r: self.law.rolling },
        }
    }

    /// How fast the bodies part in a state.
    pub(crate) fn parting(&self, state: &State) -> f64 {
        let [a, b] = &self.parts[0];
        self.supports[0].speed(a, state) + self.supports[1].speed(b, state)
    }

    /// Adds them to a problem; returns the first row.
    pub(crate) fn push(&self, offset: &[f64; 5], compliance: f64, rows: &mut Rows<'_>) -> usize {
        let first = rows.offset.len();
        rows.push(self.cone(), self.supports, &self.parts[..self.count], &offset[..self.count], compliance);
        first
    }
}

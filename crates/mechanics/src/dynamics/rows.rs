//! Rows of a problem: those of joints and contacts, whatever they are held to.

use crate::dynamics::columns::Columns;
use crate::dynamics::contact::Frame;
use crate::dynamics::contact::support::Support;
use crate::dynamics::free_motion::FreeMotion;
use crate::flexible::LinkRow;
use crate::joint::{self, Row, RowKind};
use crate::{Model, State, Vec3};
use signorini_collision::Contact;
use signorini_linalg::Threads;
use signorini_solver::problem::{BlockColumns, BlockShape, BlockSlot, MOST_RUNS, RowBlocks};
use signorini_solver::{Cone, ConeProblem, ProblemError};

/// Rows under construction.
pub(crate) struct Rows<'a> {
    columns: &'a Columns,
    blocks: RowBlocks,
    cones: Vec<Cone>,
    pub(crate) offset: Vec<f64>,
    compliance: Vec<f64>,
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
            values: Vec::with_capacity(36),
        }
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.cones.len()
    }

    /// What a block looks like.
    pub(crate) fn shape(&self, k: usize) -> BlockShape<'_> {
        let block = self.blocks.block(k);
        let is_soft = self.compliance[self.blocks.rows_of(k)].iter().any(|e| *e > 0.0);
        BlockShape { cone: self.cones[k], rows: block.rows, columns: BlockColumns::List(block.columns), is_soft }
    }

    /// Writes a block into its slot of a problem.
    pub(crate) fn fill(&self, k: usize, slot: BlockSlot<'_>) {
        let rows = self.blocks.rows_of(k);
        slot.values.copy_from_slice(self.blocks.block(k).values);
        slot.offset.copy_from_slice(&self.offset[rows.clone()]);
        if !slot.compliance.is_empty() {
            slot.compliance.copy_from_slice(&self.compliance[rows]);
        }
    }

    /// Writes H, c and these rows into a problem.
    pub(crate) fn write(
        &self,
        free: &FreeMotion,
        threads: Threads,
        problem: &mut ConeProblem,
    ) -> Result<(), ProblemError> {
        problem.set_free_motion(&free.inertia, &free.linear)?;
        problem.reshape(self.blocks(), threads, &|k| self.shape(k));
        problem.fill_rows(threads, &|k, slot| self.fill(k, slot))
    }

    /// `out` += factor · Jᵀ g.
    pub(crate) fn add_transposed(&self, factor: f64, impulse: &[f64], out: &mut [f64]) {
        self.blocks.mul_transpose_add(factor, impulse, out);
    }

    /// Adds a block of rows over two supports: `parts[r]` are the entries of row r for A and B.
    fn push(&mut self, cone: Cone, supports: [Support; 2], parts: &[[[f64; 9]; 2]], offset: &[f64], compliance: f64) {
        let spans = Spans::new(self.columns, &supports);
        let (runs, count) = spans.runs();
        let (mut columns, mut width) = ([0; 3 * MOST_RUNS], 0);
        for (first, length) in &runs[..count] {
            (0..*length).for_each(|i| columns[width + i] = first + i);
            width += length;
        }
        self.values.clear();
        self.values.resize(parts.len() * width, 0.0);
        parts.iter().zip(self.values.chunks_exact_mut(width.max(1))).for_each(|(part, line)| spans.write(part, line));
        self.blocks.push_dense(&columns[..width], parts.len(), &self.values);
        self.close(cone, offset, compliance);
    }

    /// What every block of rows has besides its entries.
    fn close(&mut self, cone: Cone, offset: &[f64], compliance: f64) {
        self.cones.push(cone);
        self.offset.extend_from_slice(offset);
        self.compliance.push(compliance);
        self.compliance.resize(self.offset.len(), 0.0);
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

/// What the two sides of a block of rows act on: runs of columns, in their order.
struct Spans {
    /// Ascending.
    spans: [Span; MOST_RUNS],
    count: usize,
}

/// A run of columns: the first, how many, and which entries of which side they have. Small, because there are several for every contact.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    first: u32,
    width: u8,
    side: u8,
    entry: u8,
}

impl Spans {
    fn new(columns: &Columns, supports: &[Support; 2]) -> Self {
        let (mut spans, mut count) = ([Span::default(); MOST_RUNS], 0);
        let mut add = |column: Option<usize>, width: u8, side: usize, entry: usize| {
            if let Some(first) = column {
                let span = Span { first: first as u32, width, side: side as u8, entry: entry as u8 };
                // There are two, or six: each finds its place among those before it.
                let mut at = count;
                while at > 0 && spans[at - 1] > span {
                    spans[at] = spans[at - 1];
                    at -= 1;
                }
                spans[at] = span;
                count += 1;
            }
        };
        for (side, support) in supports.iter().enumerate() {
            match support {
                Support::Body(body) => add(columns.of(*body), 6, side, 0),
                // Entries of a node follow those of the one before.
                Support::Face { nodes, .. } => {
                    nodes.iter().enumerate().for_each(|(k, node)| add(columns.of_node(*node), 3, side, 3 * k));
                }
            }
        }
        Self { spans, count }
    }

    /// First column and length of every run, once each: both sides may share nodes, in contacts of a skin with itself.
    fn runs(&self) -> ([(usize, usize); MOST_RUNS], usize) {
        let (mut runs, mut count) = ([(0, 0); MOST_RUNS], 0);
        for &Span { first, width, .. } in &self.spans[..self.count] {
            if count == 0 || runs[count - 1].0 != first as usize {
                runs[count] = (first as usize, usize::from(width));
                count += 1;
            }
        }
        (runs, count)
    }

    /// Writes the entries of one row, given for A and B, in the order of the runs; what both sides share adds up.
    fn write(&self, part: &[[f64; 9]; 2], line: &mut [f64]) {
        let (mut at, mut previous) = (0, u32::MAX);
        for &Span { first, width, side, entry } in &self.spans[..self.count] {
            let (width, entry) = (usize::from(width), usize::from(entry));
            let from = &part[usize::from(side)][entry..entry + width];
            if first == previous {
                line[at - width..at].iter_mut().zip(from).for_each(|(sum, add)| *sum += add);
            } else {
                line[at..at + width].copy_from_slice(from);
                at += width;
            }
            previous = first;
        }
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
        let count = row_count(law, &supports);
        let mut parts = [[[0.0; 9]; 2]; 5];
        let levers = [0, 1].map(|side| supports[side].lever(poses, point));
        // Velocities of B less those of A.
        let linear = |axis: Vec3, parts: &mut [[f64; 9]; 2]| {
            levers[0].fill(-axis, &mut parts[0]);
            levers[1].fill(axis, &mut parts[1]);
        };
        linear(frame.normal, &mut parts[0]);
        let [t, w] = frame.tangents;
        if count > 1 {
            linear(t, &mut parts[1]);
            linear(w, &mut parts[2]);
            if let (5, [Support::Body(a), Support::Body(b)]) = (count, supports) {
                for (row, axis) in [(3, t), (4, w)] {
                    for (side, (body, sign)) in [(a, -1.0), (b, 1.0)].into_iter().enumerate() {
                        let turned = poses[body].rotation.conjugate() * axis * sign;
                        parts[row][side][3..6].copy_from_slice(&turned.to_array());
                    }
                }
            }
        }
        Self { supports, law, frame, parts, count }
    }

    /// What the rows of a contact look like.
    pub(crate) fn shape(model: &Model, columns: &Columns, contact: &Contact) -> BlockShape<'static> {
        let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
        let law = model.contact(a, b);
        let supports = [0, 1].map(|side| Support::without_weights(model, contact, side));
        let (runs, count) = Spans::new(columns, &supports).runs();
        let rows = row_count(law, &supports);
        let columns = BlockColumns::Runs(runs, count);
        BlockShape { cone: cone(law, rows), rows, columns, is_soft: law.softness.is_some() }
    }

    /// Writes them into their slot of a problem.
    pub(crate) fn fill(&self, columns: &Columns, offset: &[f64; 5], compliance: f64, slot: BlockSlot<'_>) {
        let spans = Spans::new(columns, &self.supports);
        let width = slot.columns.len();
        let lines = slot.values.chunks_exact_mut(width.max(1));
        self.parts[..self.count].iter().zip(lines).for_each(|(part, line)| spans.write(part, line));
        slot.offset.copy_from_slice(&offset[..self.count]);
        if let Some(first) = slot.compliance.first_mut() {
            *first = compliance;
        }
    }

    fn cone(&self) -> Cone {
        cone(self.law, self.count)
    }

    /// How fast the bodies part in a state.
    pub(crate) fn parting(&self, state: &State) -> f64 {
        let [a, b] = &self.parts[0];
        self.supports[0].speed(a, state) + self.supports[1].speed(b, state)
    }

    /// Adds the normal row alone.
    pub(crate) fn push_normal(&self, offset: f64, compliance: f64, rows: &mut Rows<'_>) {
        rows.push(Cone::NonNegative, self.supports, &self.parts[..1], &[offset], compliance);
    }

    /// Adds them to a problem; returns the first row.
    pub(crate) fn push(&self, offset: &[f64; 5], compliance: f64, rows: &mut Rows<'_>) -> usize {
        let first = rows.offset.len();
        rows.push(self.cone(), self.supports, &self.parts[..self.count], &offset[..self.count], compliance);
        first
    }
}

/// How many rows a contact has: the normal, two tangents with friction, two more with rolling resistance. Skins have no rotation
/// of their own to resist.
fn row_count(law: &crate::Contact, supports: &[Support; 2]) -> usize {
    let is_rigid = supports.iter().all(|support| matches!(support, Support::Body(_)));
    if law.friction <= 0.0 {
        1
    } else if law.rolling > 0.0 && is_rigid {
        5
    } else {
        3
    }
}

/// The cone of a contact with so many rows.
fn cone(law: &crate::Contact, rows: usize) -> Cone {
    match rows {
        1 => Cone::NonNegative,
        3 => Cone::Friction { mu: law.friction },
        _ => Cone::Rolling { mu: law.friction, mu_r: law.rolling },
    }
}

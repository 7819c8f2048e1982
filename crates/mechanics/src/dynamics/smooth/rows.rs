//! Bilateral rows of joints and links: C by rows, of a pattern that stays the same.

use super::equations::{Equations, Phase};
use crate::Model;
use crate::dynamics::columns::Columns;
use crate::flexible::LinkRow;
use crate::joint::{MAX_ROWS, Row, RowKind};
use std::ops::Range;

/// Which joint a row belongs to and where its entries are.
#[derive(Clone, Debug)]
pub(crate) struct RowPlace {
    /// Links are counted after joints.
    pub(crate) joint: usize,
    /// In [`Rows::jacobian`]: six for a body that moves, then those of nodes.
    pub(crate) entries: Range<usize>,
}

/// All bilateral rows at one configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Ψ.
    pub(crate) value: Vec<f64>,
    /// Ψ_t.
    pub(crate) rate: Vec<f64>,
    /// C, row after row.
    pub(crate) jacobian: Vec<f64>,
    /// Whether Ψ is an angle.
    pub(crate) is_angle: Vec<bool>,
    link: LinkRow,
}

/// Rows and the velocities their entries belong to.
#[derive(Default)]
pub(crate) struct Pattern {
    pub(crate) rows: Vec<RowPlace>,
    pub(crate) columns: Vec<usize>,
    /// First row of every joint, and the end.
    pub(crate) first_row: Vec<usize>,
}

impl Pattern {
    /// Where the rows of a model act, the phase being that of its start.
    pub(crate) fn new(model: &Model, columns: &Columns, start: &Phase) -> Self {
        let mut this = Self { first_row: vec![0], ..Self::default() };
        let mut buffer = [Row::ZERO; MAX_ROWS];
        for (index, (_, joint)) in model.joints().enumerate() {
            let bodies = joint.bodies().map(|body| body.index());
            joint.evaluate(bodies.map(|body| &start.poses[body]), 0.0, &mut buffer[..joint.rows()]);
            for _ in buffer[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal) {
                let first = this.columns.len();
                bodies.iter().filter_map(|&body| columns.of(body)).for_each(|at| this.columns.extend(at..at + 6));
                this.rows.push(RowPlace { joint: index, entries: first..this.columns.len() });
            }
            this.first_row.push(this.rows.len());
        }
        let mut room = LinkRow::default();
        for (index, (_, link)) in model.links().iter().enumerate() {
            link.evaluate(model, &start.poses, &start.nodes, 0.0, &mut room, |row| {
                let first = this.columns.len();
                each_entry(row, columns, |column, _| this.columns.push(column));
                this.rows.push(RowPlace { joint: model.joints().len() + index, entries: first..this.columns.len() });
            });
        }
        this
    }
}

/// Calls `entry(column, value)` for every entry of a link's row. Directions of nodes stay what they are, but for those of angles.
fn each_entry(row: &LinkRow, columns: &Columns, mut entry: impl FnMut(usize, f64)) {
    if let Some((body, part)) = &row.body
        && let Some(at) = columns.of(*body)
    {
        part.iter().enumerate().for_each(|(k, value)| entry(at + k, *value));
    }
    for (node, direction) in &row.nodes {
        let Some(at) = columns.of_node(*node as usize) else { continue };
        let parts = direction.to_array().into_iter().enumerate();
        parts.filter(|(_, value)| row.is_angle || *value != 0.0).for_each(|(k, value)| entry(at + k, value));
    }
}

impl Equations {
    /// Ψ, Ψ_t and C at a phase.
    pub(crate) fn evaluate_rows(&self, model: &Model, phase: &Phase, rows: &mut Rows) {
        let mut buffer = [Row::ZERO; MAX_ROWS];
        let Rows { value, rate, jacobian, is_angle, link: room } = rows;
        value.clear();
        rate.clear();
        is_angle.clear();
        jacobian.clear();
        for (_, joint) in model.joints() {
            let bodies = joint.bodies().map(|body| body.index());
            joint.evaluate(bodies.map(|body| &phase.poses[body]), phase.time, &mut buffer[..joint.rows()]);
            for row in buffer[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal) {
                value.push(row.value);
                rate.push(row.rate);
                is_angle.push(row.is_angle);
                let moving = bodies.iter().zip(&row.jacobian).filter(|(body, _)| self.columns.of(**body).is_some());
                moving.for_each(|(_, part)| jacobian.extend_from_slice(part));
            }
        }
        for (_, link) in model.links() {
            link.evaluate(model, &phase.poses, &phase.nodes, phase.time, room, |row| {
                value.push(row.value);
                rate.push(row.rate);
                is_angle.push(row.is_angle);
                each_entry(row, &self.columns, |_, entry| jacobian.push(entry));
            });
        }
    }

    /// The entries of one row: velocities and values.
    pub(crate) fn row<'a>(&'a self, rows: &'a Rows, row: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let entries = self.rows[row].entries.clone();
        self.row_columns[entries.clone()].iter().copied().zip(rows.jacobian[entries].iter().copied())
    }

    /// out += factor · Cᵀλ.
    pub(crate) fn add_reactions(&self, rows: &Rows, multipliers: &[f64], factor: f64, out: &mut [f64]) {
        for (row, multiplier) in multipliers.iter().enumerate() {
            self.row(rows, row).for_each(|(column, entry)| out[column] += factor * multiplier * entry);
        }
    }

    /// C v of one row.
    pub(crate) fn row_speed(&self, rows: &Rows, row: usize, velocity: &[f64]) -> f64 {
        self.row(rows, row).map(|(column, entry)| velocity[column] * entry).sum()
    }

    /// The size of the terms C v of one row is the sum of.
    pub(crate) fn row_terms(&self, rows: &Rows, row: usize, velocity: &[f64]) -> f64 {
        self.row(rows, row).map(|(column, entry)| (velocity[column] * entry).abs()).sum()
    }

    /// The largest |Ψ|, lengths as shares of the model's length, and the joint it belongs to.
    pub(crate) fn worst_row(&self, rows: &Rows) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for (k, value) in rows.value.iter().enumerate() {
            let size = value.abs() / if rows.is_angle[k] { 1.0 } else { self.length };
            if size > worst.0 || size.is_nan() {
                worst = (size, self.rows[k].joint);
            }
        }
        worst
    }
}

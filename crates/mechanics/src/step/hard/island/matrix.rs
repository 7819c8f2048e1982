//! The linear systems of an island, with their pattern analysed once:
//!
//! ```text
//! [ A   −Bᵀ ] [ δw ]   [ r ]
//! [ C    E  ] [ δγ ] = [ s ]
//! ```
//!
//! B and C are rows of joints and contacts with the same pattern. Redundant joints make them rank-deficient: E = ε diag(C M⁻¹Cᵀ) picks impulses
//! of little size. Newton's method takes E out again, as it multiplies increments.

use crate::dynamics::smooth::saddle::for_each_entry;
use signorini_linalg::{FactorError, Group, GroupLu};

/// A row of a contact that stays as it is: entries by local velocities.
pub(super) type ContactRow = Vec<(usize, f64)>;

/// A square matrix that is written again and again.
pub(super) struct SaddleMatrix {
    velocities: usize,
    /// Local first velocities of the two bodies of every joint; `None` for one that is fixed.
    joints: Vec<([Option<usize>; 2], usize)>,
    /// The same for couplings by forces.
    forces: Vec<[Option<usize>; 2]>,
    contacts: Vec<Vec<usize>>,
    lu: GroupLu,
    /// Where every contribution goes, in the order they are added.
    slots: Vec<u32>,
}

/// A row of a joint: entries of B and of C for both bodies, and of E.
pub(super) type SaddleRow = ([[f64; 6]; 2], [[f64; 6]; 2], f64);

/// What is written into a matrix, part by part.
pub(super) trait Parts {
    /// The 6 × 6 block of a body in A, row by row.
    fn body(&self, body: usize) -> [f64; 36];
    /// The 12 × 12 block of a joint in A.
    fn joint(&self, joint: usize) -> Option<&[[f64; 12]; 12]>;
    /// The 12 × 12 block of a force in A.
    fn force(&self, force: usize) -> &[[f64; 12]; 12];
    /// A joint's row: entries of B and of C for both bodies, and of E; `None` for a row that carries nothing.
    fn row(&self, joint: usize, row: usize) -> Option<SaddleRow>;
    /// A contact's row and its entry of E.
    fn contact(&self, contact: usize) -> (&ContactRow, f64);
}

impl SaddleMatrix {
    /// The pattern for so many bodies, joints with their numbers of rows, forces and contact rows.
    pub(super) fn new(
        bodies: usize,
        joints: Vec<([Option<usize>; 2], usize)>,
        forces: Vec<[Option<usize>; 2]>,
        contacts: Vec<Vec<usize>>,
    ) -> Self {
        let velocities = 6 * bodies;
        let mut places = Vec::new();
        (0..bodies).for_each(|k| places.extend((0..36).map(|e| (6 * k + e / 6, 6 * k + e % 6))));
        for pair in joints.iter().map(|(pair, _)| pair).chain(&forces) {
            for_each_entry(pair, |i, j, _, _| places.push((i, j)));
        }
        let mut groups = vec![Group { size: 6, is_late: false }; bodies];
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let pairs = joints.iter().map(|(pair, _)| pair).chain(&forces);
        edges.extend(pairs.filter_map(|pair| Some((pair[0]? / 6, pair[1]? / 6))));
        let mut row = velocities;
        for (pair, count) in &joints {
            edges.extend(pair.iter().flatten().map(|first| (first / 6, groups.len())));
            groups.push(Group { size: *count, is_late: true });
            for _ in 0..*count {
                for first in pair.iter().flatten() {
                    (0..6).for_each(|k| places.extend([(first + k, row), (row, first + k)]));
                }
                places.push((row, row));
                row += 1;
            }
        }
        for columns in &contacts {
            edges.extend(columns.iter().step_by(6).map(|column| (column / 6, groups.len())));
            groups.push(Group { size: 1, is_late: true });
            columns.iter().for_each(|&column| places.extend([(column, row), (row, column)]));
            places.push((row, row));
            row += 1;
        }
        let lu = GroupLu::analyse(&groups, &edges);
        let slots = places.into_iter().map(|(i, j)| lu.slot(i, j) as u32).collect();
        Self { velocities, joints, forces, contacts, lu, slots }
    }

    /// Whether it is that of these contacts.
    pub(super) fn has_contacts(&self, rows: &[ContactRow]) -> bool {
        let columns = |row: &ContactRow, columns: &[usize]| row.iter().map(|(column, _)| column).eq(columns);
        rows.len() == self.contacts.len() && rows.iter().zip(&self.contacts).all(|(row, own)| columns(row, own))
    }

    /// Writes and factorises it.
    ///
    /// # Errors
    /// A matrix that is singular or not finite.
    pub(super) fn factorise(&mut self, parts: &impl Parts) -> Result<(), FactorError> {
        let Self { velocities, joints, forces, contacts, lu, slots } = self;
        let values = lu.cleared();
        let mut at = slots.iter();
        let mut add = |value: f64| {
            if let Some(&slot) = at.next() {
                values[slot as usize] += value;
            }
        };
        (0..*velocities / 6).for_each(|k| parts.body(k).into_iter().for_each(&mut add));
        for (index, (pair, _)) in joints.iter().enumerate() {
            let block = parts.joint(index);
            for_each_entry(pair, |_, _, i, j| add(block.map_or(0.0, |block| block[i][j])));
        }
        for (index, pair) in forces.iter().enumerate() {
            let block = parts.force(index);
            for_each_entry(pair, |_, _, i, j| add(block[i][j]));
        }
        for (joint, (pair, count)) in joints.iter().enumerate() {
            for row in 0..*count {
                let (b, c, e) = parts.row(joint, row).unwrap_or(([[0.0; 6]; 2], [[0.0; 6]; 2], 1.0));
                for side in (0..2).filter(|side| pair[*side].is_some()) {
                    for k in 0..6 {
                        add(-b[side][k]);
                        add(c[side][k]);
                    }
                }
                add(e);
            }
        }
        for contact in 0..contacts.len() {
            let (row, e) = parts.contact(contact);
            for (_, entry) in row {
                add(-entry);
                add(*entry);
            }
            add(e);
        }
        lu.factorise()
    }

    /// Replaces the right-hand side by the answer.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) {
        self.lu.solve_in_place(rhs);
    }
}

//! Penalty forces linearised for Newton's method.
//!
//! With the rows D = (D_n, D_t) of a contact point, δx = D δq and u = D v, a contact adds DᵀB_qD to K and DᵀB_vD to R, B being the
//! tangents of its force in its own frame. What turning does to D itself is left out: it is δ/radius of the rest.

use super::super::System;
use super::super::equations::Phase;
use super::PenaltyForces;
use crate::ContactId;
use crate::contact::point_row;
use crate::force::Tangent;

/// Which contact points push, and whether they slide; which limits push.
#[derive(Clone, Debug, Default, PartialEq)]
struct Active {
    points: Vec<(ContactId, bool)>,
    limits: Vec<bool>,
}

/// Tangents of all penalty forces at one phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linearised {
    /// First velocities of all pairs of bodies that are near each other.
    pub(crate) pairs: Vec<[Option<usize>; 2]>,
    /// K and R of every pair.
    pub(crate) tangents: Vec<Tangent>,
    /// K and R of limits that push, with the index of their joint, in ascending order.
    pub(crate) limits: Vec<(usize, Tangent)>,
    active: Active,
    bodies: Vec<[usize; 2]>,
}

impl Linearised {
    /// Whether there is nothing: a matrix made with it is that of the model without penalty forces.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.limits.is_empty()
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl PenaltyForces {
    /// Whether anything pushes at the phase evaluated last.
    pub(crate) fn pushes(&self) -> bool {
        self.points.iter().any(|point| point.is_active) || self.limits.found().iter().any(|l| l.response.force > 0.0)
    }

    /// Whether the contacts that push are others than those of a linearisation, or slide where they stuck.
    pub(crate) fn differs(&self, from: &Linearised) -> bool {
        let points = self.points.iter().filter(|point| point.is_active).map(|point| (point.id, point.slides));
        let limits = self.limits.found().iter().map(|limit| limit.response.force > 0.0);
        let no_limits = from.active.limits.is_empty() && limits.clone().all(|pushes| !pushes);
        !points.eq(from.active.points.iter().copied()) || !(no_limits || limits.eq(from.active.limits.iter().copied()))
    }

    /// Tangents at the phase evaluated last.
    pub(crate) fn linearise(&self, system: System<'_>, phase: &Phase, out: &mut Linearised) {
        let columns = &system.equations.columns;
        out.bodies.clear();
        out.bodies.extend(self.points.iter().map(|point| point.bodies));
        out.bodies.sort_unstable();
        out.bodies.dedup();
        out.pairs.clear();
        out.pairs.extend(out.bodies.iter().map(|bodies| bodies.map(|body| columns.of(body))));
        out.tangents.clear();
        out.tangents.resize(out.pairs.len(), Tangent::ZERO);
        out.active.points.clear();
        for point in self.points.iter().filter(|point| point.is_active) {
            out.active.points.push((point.id, point.slides));
            let Ok(pair) = out.bodies.binary_search(&point.bodies) else { continue };
            let tangent = &mut out.tangents[pair];
            // D of the velocity of B relative to A.
            let rows = point.frame.axes().map(|axis| {
                let mut row = [0.0; 12];
                for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                    let pose = &phase.poses[point.bodies[side]];
                    let part = point_row(pose, pose.position + point.arms[side], axis);
                    row[6 * side..6 * side + 6].iter_mut().zip(part).for_each(|(to, entry)| *to = sign * entry);
                }
                row
            });
            for (into, by) in [(&mut tangent.stiffness, &point.stiffness), (&mut tangent.damping, &point.damping)] {
                for (a, left) in rows.iter().enumerate() {
                    for (b, right) in rows.iter().enumerate() {
                        add_product(into, left, right, by.col(b)[a]);
                    }
                }
            }
        }
        out.limits.clear();
        out.active.limits.clear();
        for limit in self.limits.found() {
            let pushes = limit.response.force > 0.0;
            out.active.limits.push(pushes);
            if pushes {
                let mut tangent = Tangent::ZERO;
                let (row, square) = (flat(&limit.jacobian), limit.lever * limit.lever);
                add_product(&mut tangent.stiffness, &row, &row, square * limit.response.stiffness);
                add_product(&mut tangent.damping, &row, &row, square * limit.response.damping);
                out.limits.push((limit.joint, tangent));
            }
        }
    }
}

fn flat(jacobian: &[[f64; 6]; 2]) -> [f64; 12] {
    let mut out = [0.0; 12];
    out.copy_from_slice(jacobian.as_flattened());
    out
}

/// matrix += factor · a bᵀ.
fn add_product(matrix: &mut [[f64; 12]; 12], a: &[f64; 12], b: &[f64; 12], factor: f64) {
    if factor == 0.0 {
        return;
    }
    for (row, x) in matrix.iter_mut().zip(a) {
        row.iter_mut().zip(b).for_each(|(entry, y)| *entry += factor * x * y);
    }
}

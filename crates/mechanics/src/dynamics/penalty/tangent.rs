//! Penalty forces linearised for Newton's method.
//!
//! With the rows D = (D_n, D_t) of a contact point, δx = D δq and u = D v, a contact adds DᵀB_qD to K and DᵀB_vD to R, B being the
//! tangents of its force in its own frame. What turning does to D itself is left out: it is δ/radius of the rest.

use super::{PenaltyForces, Point};
use crate::dynamics::contact::support::Support;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Phase;
use crate::force::Tangent;
use crate::motion::point_row;
use crate::{ContactId, Vec3};

/// Which contact points push, and whether they slide; which limits push.
#[derive(Clone, Debug, Default, PartialEq)]
struct Active {
    points: Vec<(ContactId, bool)>,
    limits: Vec<bool>,
}

/// K and R of contacts of skins, entry by entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinTangents {
    /// Rows and columns; the same may come more than once.
    pub(crate) places: Vec<[usize; 2]>,
    pub(crate) stiffness: Vec<f64>,
    pub(crate) damping: Vec<f64>,
}

/// Tangents of all penalty forces at one phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linearised {
    /// First velocities of all pairs of bodies that are near each other.
    pub(crate) pairs: Vec<[Option<usize>; 2]>,
    /// K and R of every pair.
    pub(crate) tangents: Vec<Tangent>,
    /// K and R of contacts of skins.
    pub(crate) skins: SkinTangents,
    /// K and R of limits that push, with the index of their joint, in ascending order.
    pub(crate) limits: Vec<(usize, Tangent)>,
    active: Active,
    bodies: Vec<[usize; 2]>,
}

impl Linearised {
    /// Whether there is nothing: a matrix made with it is that of the model without penalty forces.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.limits.is_empty() && self.skins.places.is_empty()
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
        out.bodies.extend(self.points.iter().filter_map(Point::bodies));
        out.bodies.sort_unstable();
        out.bodies.dedup();
        out.pairs.clear();
        out.pairs.extend(out.bodies.iter().map(|bodies| bodies.map(|body| columns.of(body))));
        out.tangents.clear();
        out.tangents.resize(out.pairs.len(), Tangent::ZERO);
        out.active.points.clear();
        for point in self.points.iter().filter(|point| point.is_active) {
            out.active.points.push((point.id, point.slides));
            let Some(Ok(pair)) = point.bodies().map(|bodies| out.bodies.binary_search(&bodies)) else { continue };
            let tangent = &mut out.tangents[pair];
            // D of the velocity of B relative to A.
            let rows = point.frame.axes().map(|axis| {
                let mut row = [0.0; 12];
                for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                    let Support::Body(body) = point.supports[side] else { continue };
                    let part = point_row(&phase.poses[body], point.at, axis);
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
        self.linearise_skins(system, phase, &mut out.skins);
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

impl Point {
    /// Both bodies of a contact between rigid ones.
    fn bodies(&self) -> Option<[usize; 2]> {
        match self.supports {
            [Support::Body(a), Support::Body(b)] => Some([a, b]),
            _ => None,
        }
    }
}

impl PenaltyForces {
    /// K and R of all contacts of skins; those that do not push have zeros, so that the pattern lasts.
    fn linearise_skins(&self, system: System<'_>, phase: &Phase, out: &mut SkinTangents) {
        let columns = &system.equations.columns;
        out.places.clear();
        out.stiffness.clear();
        out.damping.clear();
        // Velocities of both sides, and D in the axes of the frame.
        let mut entries: Vec<(usize, [f64; 3])> = Vec::with_capacity(18);
        for point in self.points.iter().filter(|point| point.bodies().is_none()) {
            entries.clear();
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let mut parts = [[0.0; 9]; 3];
                let lever = point.supports[side].lever(&phase.poses, point.at);
                for (part, axis) in parts.iter_mut().zip(point.frame.axes()) {
                    lever.fill(sign * axis, part);
                }
                let mut take = |at: usize, first: usize, width: usize| {
                    let row = |k: usize| parts.map(|part| part[first + k]);
                    entries.extend((0..width).map(|k| (at + k, row(k))));
                };
                match point.supports[side] {
                    Support::Body(body) => columns.of(body).into_iter().for_each(|at| take(at, 0, 6)),
                    Support::Face { nodes, .. } => {
                        let moving = (0..3).filter_map(|k| Some((columns.of_node(nodes[k])?, 3 * k)));
                        moving.for_each(|(at, first)| take(at, first, 3));
                    }
                }
            }
            for (row, left) in &entries {
                let left = Vec3::from_array(*left);
                // DᵢᵀB, or nothing where it does not push.
                let [stiff, damp] = if point.is_active {
                    [point.stiffness.transpose() * left, point.damping.transpose() * left]
                } else {
                    [Vec3::ZERO; 2]
                };
                for (column, right) in &entries {
                    out.places.push([*row, *column]);
                    let right = Vec3::from_array(*right);
                    out.stiffness.push(stiff.dot(right));
                    out.damping.push(damp.dot(right));
                }
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

//! The factor of Newton's method: made, and made again to the same bits where a run goes on.

use super::{Implicit, Made};
use crate::dynamics::penalty::Linearised;
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Phase;
use crate::dynamics::smooth::saddle::{Coupling, Saddle};
use crate::dynamics::smooth::tangents::{couplings, gyroscopic, of_coupling, right_jacobian};
use crate::force::Tangent;
use crate::{Mat3, Vec3};

impl Implicit {
    /// Makes the factor of `made`; false for a matrix that is singular.
    pub(super) fn make(&mut self, system: System<'_>) -> bool {
        let System { model, equations } = system;
        if self.pattern.0 != self.contacts.pairs || self.pattern.1 != self.contacts.skins.places {
            self.pattern.0.clone_from(&self.contacts.pairs);
            self.pattern.1.clone_from(&self.contacts.skins.places);
            self.saddle = saddle(system, &self.contacts);
        }
        let Self { made, rows, saddle, contacts, node_values, contact_values, .. } = self;
        let [kappa, speed] = made.scales;
        if let Some(nodes) = &equations.nodes {
            let Phase { nodes: at, velocity, .. } = &made.phase;
            if nodes.tangent(model, at, velocity, made.scales, node_values).is_err() {
                return false;
            }
        }
        // What a body turns by in the step is left out here: it is small against what contacts come and go by.
        contact_values.clear();
        let skins = contacts.skins.stiffness.iter().zip(&contacts.skins.damping);
        contact_values.extend(skins.map(|(stiffness, damping)| kappa * (stiffness + speed * damping)));
        saddle.set_compliance(equations, made.compliance);
        equations.evaluate_rows(model, &made.phase, rows);
        let turns: Vec<Mat3> = made.increment[..equations.columns.of_bodies()]
            .chunks_exact(6)
            .map(|part| right_jacobian(Vec3::from_slice(&part[3..])))
            .collect();
        let block = |k: usize| {
            let mut block = equations.mass_block(k);
            let omega = Vec3::from_slice(&made.phase.velocity[6 * k + 3..]);
            let damping = gyroscopic(equations.inertia(k), omega);
            for i in 0..3 {
                (0..3).for_each(|j| block[6 * (3 + i) + 3 + j] += kappa * speed * damping.col(j)[i]);
            }
            block
        };
        let mut columns = couplings(system);
        let (own, forces) = (columns.len(), model.forces().len());
        columns.extend_from_slice(&contacts.pairs);
        let coupling = |index: usize| {
            let tangent = match index.checked_sub(own) {
                Some(pair) => contacts.tangents[pair],
                None => {
                    let mut tangent = of_coupling(system, &made.phase, &made.multipliers, index);
                    let first = contacts.limits.partition_point(|(joint, _)| forces + joint < index);
                    let limits = contacts.limits[first..].iter().take_while(|(joint, _)| forces + joint == index);
                    limits.for_each(|(_, limit)| add(&mut tangent, limit));
                    tangent
                }
            };
            let mut part: Coupling = [[0.0; 12]; 12];
            for (i, row) in part.iter_mut().enumerate() {
                for side in 0..2 {
                    let Some(at) = columns[index][side] else { continue };
                    let stiffness: &[f64; 6] = tangent.stiffness[i][6 * side..].first_chunk().unwrap_or(&[0.0; 6]);
                    let turned = turned(&turns[at / 6], stiffness);
                    for k in 0..6 {
                        row[6 * side + k] = kappa * (speed * tangent.damping[i][6 * side + k] + turned[k]);
                    }
                }
            }
            part
        };
        let others = [node_values.as_slice(), contact_values.as_slice()];
        saddle.factorise(equations, rows, block, coupling, others, |k, row| turned(&turns[k], row)).is_ok()
    }

    /// Where the factor was made, as numbers.
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        let Made { scales, compliance, phase, multipliers, increment } = &self.made;
        out.extend(scales);
        out.push(*compliance);
        phase.export(out);
        out.extend(multipliers.iter().chain(increment));
    }

    /// Makes the factor again from [`Implicit::export`]; false if the numbers do not fit.
    pub(crate) fn import(&mut self, system: System<'_>, numbers: &[f64]) -> bool {
        let Made { scales, compliance, phase, multipliers, increment } = &mut self.made;
        let (count, rows) = (phase.count(), multipliers.len());
        if numbers.len() != 3 + count + rows + increment.len() {
            return false;
        }
        let (head, rest) = numbers.split_at(3);
        let (place, rest) = rest.split_at(count);
        let (forces, turns) = rest.split_at(rows);
        (*scales, *compliance) = ([head[0], head[1]], head[2]);
        phase.import(place);
        multipliers.copy_from_slice(forces);
        increment.copy_from_slice(turns);
        if self.made.scales.iter().all(|scale| scale.is_finite()) && !self.make(system) {
            self.made.scales = [f64::NAN; 2];
        }
        true
    }
}

/// The pattern of a step with these contacts.
pub(super) fn saddle(system: System<'_>, contacts: &Linearised) -> Saddle {
    let all = couplings(system).into_iter().chain(contacts.pairs.iter().copied());
    let nodes = system.equations.nodes.as_ref().map(|nodes| &nodes.pattern);
    Saddle::new(system.equations, all.collect(), nodes, &contacts.skins.places)
}

fn add(sum: &mut Tangent, part: &Tangent) {
    let entries = sum.stiffness.as_flattened_mut().iter_mut().chain(sum.damping.as_flattened_mut());
    let parts = part.stiffness.as_flattened().iter().chain(part.damping.as_flattened());
    entries.zip(parts).for_each(|(entry, part)| *entry += part);
}

/// A row's entries of one body, those of turning times T.
fn turned(turn: &Mat3, row: &[f64; 6]) -> [f64; 6] {
    let angular = turn.transpose() * Vec3::new(row[3], row[4], row[5]);
    [row[0], row[1], row[2], angular.x, angular.y, angular.z]
}

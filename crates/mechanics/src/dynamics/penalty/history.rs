//! What penalty forces keep between steps, as numbers: their count, then every contact point that overlaps.

use super::{Held, PenaltyForces};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Phase;
use crate::{ContactId, Vec3};

/// Numbers of one contact point: two colliders, the feature in halves of 32 bits, ξ, the point.
const NUMBERS: usize = 10;

impl PenaltyForces {
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        out.push(self.held.len() as f64);
        for Held { id, stretch, point } in &self.held {
            out.extend(id.colliders.map(f64::from));
            out.extend([id.feature >> 32, id.feature & 0xffff_ffff].map(|half| half as f64));
            out.extend(stretch.to_array());
            out.extend(point.to_array());
        }
    }

    /// Takes them up again at the phase they belong to; returns the numbers that are left, or nothing if these do not fit.
    pub(crate) fn import<'a>(&mut self, system: System<'_>, phase: &Phase, numbers: &'a [f64]) -> Option<&'a [f64]> {
        let (count, rest) = numbers.split_first()?;
        if count.fract() != 0.0 || *count < 0.0 || *count > (rest.len() / NUMBERS) as f64 {
            return None;
        }
        let (held, rest) = rest.split_at(NUMBERS * *count as usize);
        self.begin(system, phase);
        for part in held.chunks_exact(NUMBERS) {
            let id = ContactId {
                colliders: [part[0] as u32, part[1] as u32],
                feature: ((part[2] as u64) << 32) | part[3] as u64,
            };
            let (stretch, point) = (Vec3::from_slice(&part[4..]), Vec3::from_slice(&part[7..]));
            self.held.push(Held { id, stretch, point });
        }
        self.evaluate(system, phase);
        Some(rest)
    }
}

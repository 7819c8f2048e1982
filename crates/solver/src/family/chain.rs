//! Bodies joined end to end by spherical joints: hanging, or lying on a floor; each joint single or doubled.

use super::GRAVITY;
use crate::{Cone, ConeProblem, ProblemError};

/// A chain at rest for one step. Its exact velocity is zero.
///
/// Hanging: along −z from a fixed point, the joint above link k (the first is 0) carries h g Σ_{j ≥ k} m_j upwards.
/// Lying: along x on a frictional floor, two contacts a link, which carry the whole weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Number of links.
    pub links: usize,
    /// Length of a link \[m\].
    pub length: f64,
    /// Mass of a link \[kg\].
    pub mass: f64,
    /// Every joint is written twice: redundant rows, forces not unique.
    pub doubled: bool,
    /// Lies on a floor with this friction coefficient; hangs when `None`.
    pub floor: Option<f64>,
    /// Time step \[s\].
    pub step: f64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { links: 10, length: 0.2, mass: 0.5, doubled: false, floor: None, step: 0.01 }
    }
}

impl Chain {
    /// Bilateral blocks a joint.
    #[must_use]
    pub fn copies(&self) -> usize {
        1 + usize::from(self.doubled)
    }

    /// Vertical impulse of every joint of the hanging chain \[N·s\], from the top; copies of a joint summed.
    #[must_use]
    pub fn exact_joint_impulses(&self) -> Vec<f64> {
        (0..self.links).map(|k| self.step * GRAVITY * self.mass * (self.links - k) as f64).collect()
    }

    /// The weight of the chain over the step \[N·s\].
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.step * GRAVITY * self.mass * self.links as f64
    }

    /// The problem of one step from rest: joints from the fixed end on, then contacts.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        // A thin rod with a tenth of its length as radius of gyration about its own axis.
        let across = self.mass * self.length * self.length / 12.0;
        let along = self.mass * (0.1 * self.length).powi(2);
        let (axis, inertia) = match self.floor {
            None => ([0.0, 0.0, -1.0], [across, across, along]),
            Some(_) => ([1.0, 0.0, 0.0], [along, across, across]),
        };
        let mut builder = ConeProblem::builder();
        let mut c = Vec::new();
        for _ in 0..self.links {
            builder.diagonal_body(&[self.mass, self.mass, self.mass, inertia[0], inertia[1], inertia[2]]);
            c.extend([0.0, 0.0, self.step * GRAVITY * self.mass, 0.0, 0.0, 0.0]);
        }
        builder.linear(&c);
        let end = axis.map(|x: f64| 0.5 * self.length * x);
        let start = end.map(|x| -x);
        for link in 0..self.links {
            let mut rows = point_rows(link, start, 1.0);
            if link > 0 {
                rows.iter_mut().zip(point_rows(link - 1, end, -1.0)).for_each(|(row, other)| row.extend(other));
            }
            for _ in 0..self.copies() {
                builder.rows(Cone::Free, &rows.each_ref().map(Vec::as_slice), &[0.0; 3]);
            }
        }
        if let Some(mu) = self.floor {
            for link in 0..self.links {
                for share in [-0.3, 0.3] {
                    let arm = axis.map(|x| share * self.length * x);
                    let [x, y, z] = point_rows(link, arm, 1.0);
                    builder.rows(Cone::Friction { mu }, &[&z, &x, &y], &[0.0; 3]);
                }
            }
        }
        builder.build()
    }
}

/// Velocity of the point at `arm` from the centre of a body, along x, y, z: v + ω×s.
fn point_rows(body: usize, arm: [f64; 3], sign: f64) -> [Vec<(usize, f64)>; 3] {
    let [x, y, z] = arm;
    let turn = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
    std::array::from_fn(|axis| {
        let mut row = vec![(6 * body + axis, sign)];
        row.extend((0..3).filter(|&k| turn[axis][k] != 0.0).map(|k| (6 * body + 3 + k, sign * turn[axis][k])));
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, Solution, SolverSettings, Tolerance, solve};

    fn solved(chain: &Chain) -> Solution {
        let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
        let solution = solve(&chain.problem().unwrap(), &settings).unwrap();
        let fastest = solution.velocity().iter().map(|v| v.abs()).fold(0.0, f64::max);
        // h g = 0.1 m/s times 1e-10, more for the spin of short links.
        assert!(fastest < 1e-8, "{chain:?} moves with {fastest:.1e}: {:?}", solution.report);
        solution
    }

    #[test]
    fn joints_of_a_hanging_chain_carry_the_weight_below_them_single_or_doubled() {
        for links in [1, 2, 20] {
            for doubled in [false, true] {
                let chain = Chain { links, doubled, ..Default::default() };
                let solution = solved(&chain);
                for (joint, exact) in chain.exact_joint_impulses().iter().enumerate() {
                    let rows = &solution.impulse()[3 * chain.copies() * joint..3 * chain.copies() * (joint + 1)];
                    let lift: f64 = rows.chunks(3).map(|block| block[2]).sum();
                    assert!((lift / exact - 1.0).abs() < 1e-8, "joint {joint} of {chain:?}: {lift}, not {exact}");
                }
            }
        }
    }

    #[test]
    fn a_chain_on_the_floor_stays_there_and_the_floor_carries_it() {
        for doubled in [false, true] {
            let chain = Chain { links: 8, doubled, floor: Some(0.4), ..Default::default() };
            let solution = solved(&chain);
            // The first link is held at its fixed end: joint and floor together carry the weight.
            let joint: f64 = solution.impulse()[..3 * chain.copies()].chunks(3).map(|block| block[2]).sum();
            let contacts = &solution.impulse()[3 * chain.copies() * chain.links..];
            let floor: f64 = contacts.chunks(3).map(|contact| contact[0]).sum();
            assert!(((joint + floor) / chain.weight() - 1.0).abs() < 1e-8, "{joint} + {floor}");
        }
    }
}

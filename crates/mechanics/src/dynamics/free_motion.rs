//! Motion without joints and contacts: H v = −c.

use crate::diagnostics::motion;
use crate::dynamics::columns::Columns;
use crate::{Model, State};
use signorini_solver::problem::{BlockDiagonal, Inertia};
use std::sync::Arc;

/// Motion without joints and contacts.
pub(crate) struct FreeMotion {
    /// H, which steps may share.
    pub(crate) inertia: Arc<Inertia>,
    /// c.
    pub(crate) linear: Vec<f64>,
}

/// Where forces are expanded: f ≈ f(state) − K (h v⁺ − a v) − R (v⁺ − v), the state's positions being those a seconds ahead.
pub(crate) struct Expansion<'a> {
    /// Positions and velocities.
    pub(crate) state: &'a State,
    /// Time of the forces \[s\].
    pub(crate) time: f64,
    /// What they remember.
    pub(crate) memory: &'a [f64],
    /// h \[s\].
    pub(crate) step: f64,
    /// a \[s\].
    pub(crate) ahead: f64,
}

/// Adds h f and h (R + a K) v to the momenta and hR + h²K to H; returns the entries that couple two bodies.
pub(crate) fn add_forces(
    model: &Model,
    columns: &Columns,
    expansion: &Expansion<'_>,
    blocks: &mut BlockDiagonal,
    linear: &mut [f64],
) -> Vec<(usize, usize, f64)> {
    let mut coupling = Vec::new();
    let &Expansion { state, time, memory, step: h, ahead } = expansion;
    for (index, (_, force)) in model.forces().enumerate() {
        let memory = &memory[model.memory_layout().range(index)];
        let bodies = force.bodies().map(|body| body.index());
        let motions = bodies.map(|body| motion(state, body));
        let pair = [&motions[0], &motions[1]];
        let wrenches = force.wrench(pair, time, memory);
        for (body, wrench) in bodies.iter().zip(wrenches) {
            let Some(at) = columns.of(*body) else { continue };
            let impulse = [wrench.force, wrench.torque].map(|part| (h * part).to_array());
            linear[at..at + 6].iter_mut().zip(impulse.iter().flatten()).for_each(|(p, add)| *p += add);
        }
        let Some(tangent) = force.tangent(pair, time, memory) else { continue };
        let velocity = |side: usize| {
            let motion = pair[side];
            [motion.velocity.to_array(), motion.angular_velocity.to_array()]
        };
        let v: Vec<f64> = [velocity(0), velocity(1)].into_iter().flatten().flatten().collect();
        for (side, &body) in bodies.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            for k in 0..6 {
                let row = 6 * side + k;
                let resisting = |l: usize| tangent.damping[row][l] + ahead * tangent.stiffness[row][l];
                linear[at + k] += h * (0..12).map(|l| resisting(l) * v[l]).sum::<f64>();
                for (other, &partner) in bodies.iter().enumerate() {
                    let Some(first) = columns.of(partner) else { continue };
                    for l in 0..6 {
                        let entry =
                            h * (tangent.damping[row][6 * other + l] + h * tangent.stiffness[row][6 * other + l]);
                        if partner == body {
                            blocks.add(at / 6, k, l, entry);
                        } else if entry != 0.0 {
                            coupling.push((at + k, first + l, entry));
                        }
                    }
                }
            }
        }
    }
    coupling
}

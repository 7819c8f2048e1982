//! The DVI step: linearly implicit Euler with hard contacts (§4 of the theory).
//!
//! ```text
//! H = M + h R + h² K,   c = −[(M + h R) v + h f],   R = −∂f/∂v,  K = −∂f/∂q
//! bilateral   b = −Ψ(q, t + h)/h          imposed motion is met at the END of the step; §2's −Ψ/h − Ψ_t to first order
//! contact     b = −max(Φ/h, −η_s) on the normal row, 0 on the tangents
//! rebound     b = max(−ε u⁻, the above) for a contact that closes within the step faster than a threshold
//! memory      f is taken at z⁺ = z + h ż(q, v, z, t + h)
//! softness    E = 1/(h(hk + d)), b = −(Φ/h)·hk/(hk + d) where it overlaps; d acts once it touches
//! ```

use crate::contact::Frame;
use crate::contact::cache::{ContactId, Impulse};
use crate::diagnostics::motion;
use crate::flexible::field::Failure;
use crate::force::memory;
use crate::joint::RowKind;
use crate::stepper::columns::Columns;
use crate::stepper::flexible::FlexibleMotion;
use crate::stepper::gyroscopic;
use crate::stepper::rows::{ContactRows, Rows, push_joints, push_links};
use crate::{Gyroscopic, Model, State, WarmStart};
use signorini_collision::Contact;
use signorini_linalg::CscMatrix;
use signorini_solver::problem::{BlockDiagonal, Inertia};
use signorini_solver::{ConeProblem, Iterate, ProblemError};

/// What the assembly needs besides model and state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// h \[s\].
    pub(crate) step: f64,
    /// η_s \[m/s\].
    pub(crate) recovery_speed: f64,
    /// Radius that turns η_s into an angular speed \[m\].
    pub(crate) radius: f64,
    /// Slower approaches do not rebound \[m/s\].
    pub(crate) restitution_threshold: f64,
    /// The torque −ω × Iω.
    pub(crate) gyroscopic: Gyroscopic,
}

/// The problem of one step with what is needed to read its answer.
pub(crate) struct Assembly {
    pub(crate) problem: ConeProblem,
    /// First row of every contact.
    pub(crate) contact_rows: Vec<usize>,
    /// Number of joint rows; they come first.
    pub(crate) joint_rows: usize,
}

/// Motion without joints and contacts.
pub(crate) struct FreeMotion {
    /// H.
    pub(crate) inertia: Inertia,
    /// c.
    pub(crate) linear: Vec<f64>,
}

/// Where a step starts and what it meets.
pub(crate) struct Start<'a> {
    pub(crate) model: &'a Model,
    pub(crate) columns: &'a Columns,
    pub(crate) state: &'a State,
    pub(crate) contacts: &'a [Contact],
    pub(crate) parameters: &'a Parameters,
}

/// Builds the problem of a step. Where `caps` has a speed for a contact, its overlap is undone no faster; `bending` is added to Ψ of
/// joint and link rows.
pub(crate) fn assemble(
    start: &Start<'_>,
    free: &FreeMotion,
    caps: &[f64],
    bending: &[f64],
) -> Result<Assembly, ProblemError> {
    let Start { model, columns, state, contacts, parameters } = start;
    let mut rows = Rows::new(columns, contacts.len());
    push_joint_rows_of_positions(model, state, parameters, bending, &mut rows);
    let joint_rows = rows.offset.len();
    let contact_rows = push_contacts(model, state, contacts, parameters, caps, &mut rows);
    let problem = rows.problem(free.inertia.clone(), free.linear.clone())?;
    Ok(Assembly { problem, contact_rows, joint_rows })
}

/// H and c.
pub(crate) fn free_motion(
    model: &Model,
    columns: &Columns,
    state: &State,
    parameters: &Parameters,
    flexible: Option<&mut FlexibleMotion>,
) -> Result<FreeMotion, Failure> {
    let h = parameters.step;
    let mut blocks = mass_matrix(model);
    // Momentum (M v + h f), then c = −momentum.
    let mut linear = Vec::with_capacity(columns.dimension());
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed) {
        let omega = state.angular_velocities[i];
        let p = body.mass * (state.velocities[i] + h * model.gravity());
        let l = body.inertia * omega + gyroscopic::impulse(body.inertia, omega, h, parameters.gyroscopic);
        linear.extend([p.x, p.y, p.z, l.x, l.y, l.z]);
    }
    let memory = memory::advanced(model, state, h);
    let expansion = Expansion { state, time: state.time + h, memory: &memory, step: h, ahead: 0.0 };
    let coupling = add_forces(model, columns, &expansion, &mut blocks, &mut linear);
    let inertia = match flexible {
        None => inertia(blocks, coupling),
        Some(flexible) => {
            let bodies = (&blocks, coupling.as_slice());
            Inertia::Sparse(flexible.assemble((model, columns), state, (h, state.time + h), bodies, &mut linear)?)
        }
    };
    linear.iter_mut().for_each(|p| *p = -*p);
    Ok(FreeMotion { inertia, linear })
}

/// M.
pub(super) fn mass_matrix(model: &Model) -> BlockDiagonal {
    let mut blocks = BlockDiagonal::new();
    for body in model.bodies().iter().filter(|body| !body.is_fixed) {
        let mut block = [0.0; 36];
        for k in 0..3 {
            block[7 * k] = body.mass;
            for l in 0..3 {
                block[6 * (3 + k) + 3 + l] = body.inertia.col(l)[k];
            }
        }
        blocks.push(6, &block);
    }
    blocks
}

/// H from its blocks and what couples two bodies.
pub(super) fn inertia(blocks: BlockDiagonal, coupling: Vec<(usize, usize, f64)>) -> Inertia {
    match coupling.is_empty() {
        true => Inertia::BlockDiagonal(blocks),
        false => Inertia::sparse(sparse(&blocks, coupling)),
    }
}

/// Where forces are expanded: f ≈ f(state) − K (h v⁺ − a v) − R (v⁺ − v), the state's positions being those a seconds ahead.
pub(super) struct Expansion<'a> {
    /// Positions and velocities.
    pub(super) state: &'a State,
    /// Time of the forces \[s\].
    pub(super) time: f64,
    /// What they remember.
    pub(super) memory: &'a [f64],
    /// h \[s\].
    pub(super) step: f64,
    /// a \[s\].
    pub(super) ahead: f64,
}

/// Adds h f and h (R + a K) v to the momenta and hR + h²K to H; returns the entries that couple two bodies.
pub(super) fn add_forces(
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

/// The blocks and what couples them as one sparse matrix.
fn sparse(blocks: &BlockDiagonal, coupling: Vec<(usize, usize, f64)>) -> CscMatrix {
    let n = blocks.dimension();
    let entries = (0..blocks.len()).flat_map(|body| {
        let block = blocks.block(body);
        (0..36).map(move |e| (6 * body + e / 6, 6 * body + e % 6, block[e])).filter(|(_, _, value)| *value != 0.0)
    });
    let all: Vec<_> = entries.chain(coupling).collect();
    // Indices are below n by construction; values that are not finite are refused when the problem is built.
    CscMatrix::from_triplets(n, n, all).unwrap_or_else(|_| CscMatrix::diagonal(&vec![f64::NAN; n]))
}

/// Rows that hold joints where the bodies arrive: Ψ(q, t + h) + κ + h C v = 0 (≥ 0).
pub(super) fn push_joint_rows_of_positions(
    model: &Model,
    state: &State,
    parameters: &Parameters,
    bending: &[f64],
    rows: &mut Rows<'_>,
) {
    let h = parameters.step;
    push_joints(model, state, state.time + h, rows, |index, row| {
        // κ, where the step is solved again with it.
        let value = row.value + bending.get(index).copied().unwrap_or(0.0);
        Some(match row.kind {
            RowKind::Equal => -value / h,
            RowKind::AtLeastZero => {
                let limit = parameters.recovery_speed / if row.is_angle { parameters.radius } else { 1.0 };
                (-value / h).min(limit)
            }
        })
    });
    let first = rows.offset.len();
    push_links(model, state, state.time + h, rows, |index, row| {
        -(row.value + bending.get(first + index).copied().unwrap_or(0.0)) / h
    });
}

fn push_contacts(
    model: &Model,
    state: &State,
    contacts: &[Contact],
    parameters: &Parameters,
    caps: &[f64],
    rows: &mut Rows<'_>,
) -> Vec<usize> {
    let h = parameters.step;
    let mut contact_rows = Vec::with_capacity(contacts.len());
    for (k, contact) in contacts.iter().enumerate() {
        let of_contact = ContactRows::new(model, state, contact);
        let law = of_contact.law;
        let (mut target, compliance) = stabilisation(contact.gap, law.softness.as_ref(), parameters);
        // A soft contact gives way by itself; its target is the force of its spring.
        if contact.gap < 0.0 && law.softness.is_none() {
            target = caps.get(k).map_or(target, |cap| target.min(*cap));
        }
        if law.restitution > 0.0 {
            let approach = of_contact.parting(state);
            if approach < -parameters.restitution_threshold && contact.gap + h * approach <= 0.0 {
                target = target.max(-law.restitution * approach);
            }
        }
        contact_rows.push(of_contact.push(&[target, 0.0, 0.0, 0.0, 0.0], compliance, &mut *rows));
    }
    contact_rows
}

/// b and E of a normal row.
pub(super) fn stabilisation(gap: f64, softness: Option<&crate::Softness>, parameters: &Parameters) -> (f64, f64) {
    let h = parameters.step;
    match softness {
        None => ((-gap / h).min(parameters.recovery_speed), 0.0),
        Some(soft) if gap > 0.0 => (-gap / h, 1.0 / (h * h * soft.stiffness)),
        Some(soft) => {
            let both = h * soft.stiffness + soft.damping;
            // The overlap of a soft contact is its spring's: it is not undone by the recovery speed.
            (-gap * soft.stiffness / both, 1.0 / (h * both))
        }
    }
}

impl Assembly {
    /// What names a contact.
    pub(crate) fn id(contact: &Contact) -> ContactId {
        ContactId { colliders: contact.colliders, feature: contact.feature }
    }

    /// The start a solver may use: velocities of the state, impulses of the step before where contacts are the same.
    pub(crate) fn warm_start(
        &self,
        columns: &Columns,
        state: &State,
        contacts: &[Contact],
        warm: &WarmStart,
    ) -> Iterate {
        let mut impulse = vec![0.0; self.problem.row_count()];
        if warm.joints.len() == self.joint_rows {
            impulse[..self.joint_rows].copy_from_slice(&warm.joints);
        }
        let rows = self.problem.row_count();
        warm.matching(contacts.iter().map(Self::id), |k, known| {
            let first = self.contact_rows[k];
            let end = self.contact_rows.get(k + 1).copied().unwrap_or(rows);
            let frame = Frame::about(contacts[k].normal);
            let [n, t, w] = frame.components(known.linear);
            let [_, r, s] = frame.components(known.rolling);
            impulse[first..end].iter_mut().zip([n, t, w, r, s]).for_each(|(to, from)| *to = from);
        });
        Iterate { velocity: columns.gather(state), impulse }
    }

    /// Impulses of an answer, for the next step.
    pub(crate) fn remember(&self, contacts: &[Contact], impulse: &[f64], warm: &mut WarmStart) {
        warm.joints.clear();
        warm.joints.extend_from_slice(&impulse[..self.joint_rows]);
        warm.contacts.clear();
        let rows = impulse.len();
        for (k, contact) in contacts.iter().enumerate() {
            let first = self.contact_rows[k];
            let end = self.contact_rows.get(k + 1).copied().unwrap_or(rows);
            let mut parts = [0.0; 5];
            parts.iter_mut().zip(&impulse[first..end]).for_each(|(to, from)| *to = *from);
            let [n, t, w, r, s] = parts;
            let frame = Frame::about(contact.normal);
            let (linear, rolling) = (frame.vector([n, t, w]), frame.vector([0.0, r, s]));
            warm.contacts.push((Self::id(contact), Impulse { linear, rolling }));
        }
    }
}

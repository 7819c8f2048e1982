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

use crate::contact::cache::{ContactId, Impulse};
use crate::contact::{Frame, point_row};
use crate::diagnostics::motion;
use crate::force::memory;
use crate::joint::{self, Row, RowKind};
use crate::stepper::gyroscopic;
use crate::{Gyroscopic, MaterialId, Model, Pose, State, Vec3, WarmStart};
use signorini_collision::Contact;
use signorini_linalg::CscMatrix;
use signorini_solver::problem::{BlockDiagonal, Compliance, Inertia, RowBlocks};
use signorini_solver::{Cone, ConeProblem, Iterate, ProblemError};

/// The body has no velocities in the problem.
const NO_COLUMN: usize = usize::MAX;

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

/// First velocity of every body in the problem; fixed bodies have none.
pub(crate) struct Columns(Vec<usize>);

impl Columns {
    pub(crate) fn new(model: &Model) -> Self {
        let mut next = 0;
        let columns = model.bodies().iter().map(|body| match body.is_fixed {
            true => NO_COLUMN,
            false => {
                next += 6;
                next - 6
            }
        });
        Self(columns.collect())
    }
    /// The velocities of a body that moves.
    pub(crate) fn of(&self, body: usize) -> Option<usize> {
        (self.0[body] != NO_COLUMN).then_some(self.0[body])
    }
    /// All velocities of the state, as the problem orders them.
    pub(crate) fn gather(&self, state: &State) -> Vec<f64> {
        let mut v = Vec::with_capacity(6 * self.0.len());
        for body in (0..self.0.len()).filter(|&body| self.of(body).is_some()) {
            v.extend(state.velocities[body].to_array());
            v.extend(state.angular_velocities[body].to_array());
        }
        v
    }
}

/// Rows under construction.
struct Rows<'a> {
    columns: &'a Columns,
    blocks: RowBlocks,
    cones: Vec<Cone>,
    offset: Vec<f64>,
    compliance: Vec<f64>,
    is_soft: bool,
    values: Vec<f64>,
}

impl Rows<'_> {
    /// Adds a block of rows over two bodies: `parts[r]` are the entries of row r for A and B.
    fn push(&mut self, cone: Cone, bodies: [usize; 2], parts: &[[[f64; 6]; 2]], offset: &[f64], compliance: f64) {
        let starts = bodies.map(|body| self.columns.of(body));
        let mut columns = [0; 12];
        self.values.clear();
        // Ascending columns, whichever body comes first.
        let order: &[usize] = match starts {
            [Some(a), Some(b)] if a <= b => &[0, 1],
            [Some(_), Some(_)] => &[1, 0],
            [Some(_), None] => &[0],
            [None, Some(_)] => &[1],
            [None, None] => &[],
        };
        let mut width = 0;
        for &side in order {
            let start = starts[side].unwrap_or(0);
            (0..6).for_each(|i| columns[width + i] = start + i);
            width += 6;
        }
        for part in parts {
            order.iter().for_each(|&side| self.values.extend_from_slice(&part[side]));
        }
        self.blocks.push_dense(&columns[..width], parts.len(), &self.values);
        self.cones.push(cone);
        self.offset.extend_from_slice(offset);
        self.compliance.push(compliance);
        self.compliance.resize(self.offset.len(), 0.0);
        self.is_soft |= compliance > 0.0;
    }
}

/// Builds the problem of the step that starts at `state`. Where `caps` has a speed for a contact, its overlap is undone no faster;
/// `bending` is added to Ψ of joint rows.
pub(crate) fn assemble(
    model: &Model,
    columns: &Columns,
    state: &State,
    contacts: &[Contact],
    parameters: &Parameters,
    caps: &[f64],
    bending: &[f64],
) -> Result<Assembly, ProblemError> {
    let (inertia, linear) = free_motion(model, columns, state, parameters);
    let blocks = RowBlocks::with_capacity(contacts.len(), 12 * contacts.len(), 36 * contacts.len());
    let mut rows = Rows {
        columns,
        blocks,
        cones: Vec::with_capacity(contacts.len()),
        offset: Vec::with_capacity(3 * contacts.len()),
        compliance: Vec::with_capacity(3 * contacts.len()),
        is_soft: false,
        values: Vec::with_capacity(36),
    };
    push_joints(model, state, parameters, bending, &mut rows);
    let joint_rows = rows.offset.len();
    let contact_rows = push_contacts(model, state, contacts, parameters, caps, &mut rows);
    let Rows { blocks, cones, offset, compliance, is_soft, .. } = rows;
    let compliance = if is_soft { Compliance::Diagonal(compliance) } else { Compliance::Zero };
    let problem = ConeProblem::assembled(inertia, linear, blocks, cones, offset, compliance)?;
    Ok(Assembly { problem, contact_rows, joint_rows })
}

/// H and c.
fn free_motion(model: &Model, columns: &Columns, state: &State, parameters: &Parameters) -> (Inertia, Vec<f64>) {
    let h = parameters.step;
    let mut blocks = BlockDiagonal::new();
    // Momentum (M v + h f), then c = −momentum.
    let mut linear = Vec::new();
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed) {
        let mut block = [0.0; 36];
        for k in 0..3 {
            block[7 * k] = body.mass;
            for l in 0..3 {
                block[6 * (3 + k) + 3 + l] = body.inertia.col(l)[k];
            }
        }
        blocks.push(6, &block);
        let omega = state.angular_velocities[i];
        let p = body.mass * (state.velocities[i] + h * model.gravity());
        let l = body.inertia * omega + gyroscopic::impulse(body.inertia, omega, h, parameters.gyroscopic);
        linear.extend([p.x, p.y, p.z, l.x, l.y, l.z]);
    }
    let coupling = add_forces(model, columns, state, h, &mut blocks, &mut linear);
    linear.iter_mut().for_each(|p| *p = -*p);
    match coupling.is_empty() {
        true => (Inertia::BlockDiagonal(blocks), linear),
        false => (Inertia::Sparse(sparse(&blocks, coupling)), linear),
    }
}

/// Adds h f and h R v to the momenta and hR + h²K to H; returns the entries that couple two bodies.
fn add_forces(
    model: &Model,
    columns: &Columns,
    state: &State,
    h: f64,
    blocks: &mut BlockDiagonal,
    linear: &mut [f64],
) -> Vec<(usize, usize, f64)> {
    let mut coupling = Vec::new();
    let memory = memory::advanced(model, state, h);
    for (index, (_, force)) in model.forces().enumerate() {
        let memory = &memory[model.memory_layout().range(index)];
        let bodies = force.bodies().map(|body| body.index());
        let motions = bodies.map(|body| motion(state, body));
        let pair = [&motions[0], &motions[1]];
        let wrenches = force.wrench(pair, state.time + h, memory);
        for (body, wrench) in bodies.iter().zip(wrenches) {
            let Some(at) = columns.of(*body) else { continue };
            let impulse = [wrench.force, wrench.torque].map(|part| (h * part).to_array());
            linear[at..at + 6].iter_mut().zip(impulse.iter().flatten()).for_each(|(p, add)| *p += add);
        }
        let Some(tangent) = force.tangent(pair, state.time + h, memory) else { continue };
        let velocity = |side: usize| {
            let motion = pair[side];
            [motion.velocity.to_array(), motion.angular_velocity.to_array()]
        };
        let v: Vec<f64> = [velocity(0), velocity(1)].into_iter().flatten().flatten().collect();
        for (side, &body) in bodies.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            for k in 0..6 {
                let row = 6 * side + k;
                linear[at + k] += h * (0..12).map(|l| tangent.damping[row][l] * v[l]).sum::<f64>();
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

fn push_joints(model: &Model, state: &State, parameters: &Parameters, bending: &[f64], rows: &mut Rows<'_>) {
    let h = parameters.step;
    let mut buffer = [Row::ZERO; joint::MAX_ROWS];
    for (_, joint) in model.joints() {
        let bodies = joint.bodies().map(|body| body.index());
        let poses = bodies.map(|body| &state.poses[body]);
        let count = joint.rows();
        joint.evaluate(poses, state.time + h, &mut buffer[..count]);
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
            let mut parts = [[[0.0; 6]; 2]; 3];
            let mut offset = [0.0; 3];
            for (k, row) in buffer[at..last].iter().enumerate() {
                parts[k] = row.jacobian;
                // κ, where the step is solved again with it.
                let value = row.value + bending.get(rows.offset.len() + k).copied().unwrap_or(0.0);
                offset[k] = match row.kind {
                    RowKind::Equal => -value / h,
                    RowKind::AtLeastZero => {
                        let limit = parameters.recovery_speed / if row.is_angle { parameters.radius } else { 1.0 };
                        (-value / h).min(limit)
                    }
                };
            }
            let cone = if row.kind == RowKind::Equal { Cone::Free } else { Cone::NonNegative };
            rows.push(cone, bodies, &parts[..last - at], &offset[..last - at], 0.0);
            at = last;
        }
    }
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
    let colliders = model.colliders();
    let mut contact_rows = Vec::with_capacity(contacts.len());
    for (k, contact) in contacts.iter().enumerate() {
        let [a, b] = contact.bodies.map(|body| body as usize);
        let material = |k: usize| -> MaterialId { colliders[contact.colliders[k] as usize].1.material };
        let law = model.contact(material(0), material(1));
        let frame = Frame::about(contact.normal);
        // One point for both bodies: tangential impulses then conserve angular momentum even where there is a gap.
        let point = 0.5 * (contact.points[0] + contact.points[1]);
        let (pa, pb) = (&state.poses[a], &state.poses[b]);
        let linear = |axis: Vec3| [point_row(pa, point, axis).map(|x| -x), point_row(pb, point, axis)];
        let angular = |axis: Vec3| {
            let part = |pose: &Pose, sign: f64| {
                let turned = pose.rotation.conjugate() * axis * sign;
                [0.0, 0.0, 0.0, turned.x, turned.y, turned.z]
            };
            [part(pa, -1.0), part(pb, 1.0)]
        };
        let normal = linear(frame.normal);
        let (mut target, compliance) = stabilisation(contact.gap, law.softness.as_ref(), parameters);
        // A soft contact gives way by itself; its target is the force of its spring.
        if contact.gap < 0.0 && law.softness.is_none() {
            target = caps.get(k).map_or(target, |cap| target.min(*cap));
        }
        if law.restitution > 0.0 {
            let approach = row_velocity(&normal, state, [a, b]);
            if approach < -parameters.restitution_threshold && contact.gap + h * approach <= 0.0 {
                target = target.max(-law.restitution * approach);
            }
        }
        contact_rows.push(rows.offset.len());
        let [t, w] = frame.tangents;
        match (law.friction > 0.0, law.rolling > 0.0) {
            (false, _) => rows.push(Cone::NonNegative, [a, b], &[normal], &[target], compliance),
            (true, false) => {
                let parts = [normal, linear(t), linear(w)];
                rows.push(Cone::Friction { mu: law.friction }, [a, b], &parts, &[target, 0.0, 0.0], compliance);
            }
            (true, true) => {
                let parts = [normal, linear(t), linear(w), angular(t), angular(w)];
                let cone = Cone::Rolling { mu: law.friction, mu_r: law.rolling };
                rows.push(cone, [a, b], &parts, &[target, 0.0, 0.0, 0.0, 0.0], compliance);
            }
        }
    }
    contact_rows
}

/// b and E of a normal row.
fn stabilisation(gap: f64, softness: Option<&crate::Softness>, parameters: &Parameters) -> (f64, f64) {
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

fn row_velocity(row: &[[f64; 6]; 2], state: &State, bodies: [usize; 2]) -> f64 {
    let part = |side: usize| {
        let (v, omega) = (state.velocities[bodies[side]], state.angular_velocities[bodies[side]]);
        let r = &row[side];
        Vec3::new(r[0], r[1], r[2]).dot(v) + Vec3::new(r[3], r[4], r[5]).dot(omega)
    };
    part(0) + part(1)
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

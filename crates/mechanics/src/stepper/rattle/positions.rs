//! The first stage: where bodies go.

use super::{gyroscopic, middle, slip};
use crate::stepper::columns::Columns;
use crate::stepper::dvi::{self, Assembly, Expansion, FreeMotion, Parameters, Start};
use crate::stepper::rows::{ContactRows, Rows};
use crate::{Model, State};
use signorini_collision::Contact;
use signorini_solver::ProblemError;

/// Builds the problem of v½; arguments as those of [`dvi::assemble`].
pub(crate) fn assemble(
    start: &Start<'_>,
    free: &FreeMotion,
    caps: &[f64],
    bending: &[f64],
) -> Result<Assembly, ProblemError> {
    let Start { model, columns, state, contacts, parameters } = start;
    let mut rows = Rows::new(columns, contacts.len());
    dvi::push_joint_rows_of_positions(model, state, parameters, bending, &mut rows);
    let joint_rows = rows.offset.len();
    let contact_rows = push_contacts(model, state, contacts, parameters, caps, &mut rows);
    let problem = rows.problem(free.inertia.clone(), free.linear.clone())?;
    Ok(Assembly { problem, contact_rows, joint_rows })
}

/// H = M + h/2 R + h²/4 K and c = −[H v + h/2 f(q ⊕ h/2 v, v, z½, t + h/2)].
pub(crate) fn free_motion(model: &Model, columns: &Columns, state: &State, parameters: &Parameters) -> FreeMotion {
    let (h, half) = (parameters.step, 0.5 * parameters.step);
    let mut blocks = dvi::mass_matrix(model);
    let mut linear = Vec::with_capacity(blocks.dimension());
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed) {
        let omega = state.angular_velocities[i];
        let p = body.mass * (state.velocities[i] + half * model.gravity());
        let l = body.inertia * omega + gyroscopic::first_half(body.inertia, omega, h, parameters.gyroscopic);
        linear.extend([p.x, p.y, p.z, l.x, l.y, l.z]);
    }
    let mut coupling = Vec::new();
    if model.forces().len() > 0 {
        let at = middle(model, state, h);
        let expansion = Expansion { state: &at, time: at.time, memory: &at.memory, step: half, ahead: half };
        coupling = dvi::add_forces(model, columns, &expansion, &mut blocks, &mut linear);
    }
    linear.iter_mut().for_each(|p| *p = -*p);
    FreeMotion { inertia: dvi::inertia(blocks, coupling), linear }
}

/// Hard contacts close within the step, Φ + h D_n v½ ≥ 0. Soft ones give half a step's impulse of spring and damper at its middle,
/// λ₁ = −h/2 [k (Φ + h/2 u½) + d u½]: the E and b of a step of that length.
fn push_contacts(
    model: &Model,
    state: &State,
    contacts: &[Contact],
    parameters: &Parameters,
    caps: &[f64],
    rows: &mut Rows<'_>,
) -> Vec<usize> {
    let half = Parameters { step: 0.5 * parameters.step, ..*parameters };
    let mut contact_rows = Vec::with_capacity(contacts.len());
    for (k, contact) in contacts.iter().enumerate() {
        let of_contact = ContactRows::new(model, state, contact);
        let softness = of_contact.law.softness.as_ref();
        let length = if softness.is_some() { &half } else { parameters };
        let (mut target, compliance) = dvi::stabilisation(contact.gap, softness, length);
        if contact.gap < 0.0 && softness.is_none() {
            target = caps.get(k).map_or(target, |cap| target.min(*cap));
        }
        let mut offset = [target, 0.0, 0.0, 0.0, 0.0];
        if of_contact.count > 1 {
            let [_, t, w] = of_contact.frame.components(slip::drift(model, state, contact));
            (offset[1], offset[2]) = (-half.step * t, -half.step * w);
        }
        contact_rows.push(of_contact.push(&offset, compliance, &mut *rows));
    }
    contact_rows
}

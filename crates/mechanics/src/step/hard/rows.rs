//! Rows that hold positions, shared by the schemes.

use super::layout::RowLayout;
use super::scheme::StepStart;
use super::tries::Ask;
use crate::Softness;
use crate::dynamics::parameters::Parameters;
use crate::dynamics::rows::{ContactRows, Rows, push_joints, push_links};
use crate::joint::RowKind;
use signorini_collision::Contact;
use signorini_solver::problem::BlockSlot;
use signorini_solver::{ConeProblem, ProblemError};

/// Writes the problem whose answer v leads to q ⊕ h v: joints, links and contacts hold there to first order.
pub(crate) fn assemble_positions(
    start: &StepStart<'_>,
    ask: &Ask<'_>,
    problem: &mut ConeProblem,
) -> Result<RowLayout, ProblemError> {
    let joints = joint_rows_of_positions(start, &ask.joint_curvature, |_| true);
    write_problem(start, joints.as_ref(), &ask.near, problem, &|k, slot| fill_contact(start, ask, k, slot))
}

/// Writes the rows of joints and contacts into a problem, each contact into its own slot, on all threads that the step may use; `fill`
/// writes the rows of one contact.
pub(crate) fn write_problem(
    start: &StepStart<'_>,
    joints: Option<&Rows<'_>>,
    contacts: &[Contact],
    problem: &mut ConeProblem,
    fill: &(impl Fn(usize, BlockSlot<'_>) + Sync),
) -> Result<RowLayout, ProblemError> {
    let StepStart { model, columns, threads, .. } = *start;
    let first = joints.map_or(0, Rows::blocks);
    problem.reshape(first + contacts.len(), threads, &|k| match joints {
        Some(joints) if k < first => joints.shape(k),
        _ => ContactRows::shape(model, columns, &contacts[k - first]),
    });
    problem.fill_rows(threads, &|k, slot| match joints {
        Some(joints) if k < first => joints.fill(k, slot),
        _ => fill(k - first, slot),
    })?;
    let first_rows = (first..first + contacts.len()).map(|k| problem.rows().rows_of(k).start).collect();
    let of_joints = joints.map_or(0, |joints| joints.offset.len());
    Ok(RowLayout::new(of_joints, first_rows, problem.row_count()))
}

/// Rows that hold joints and links where the bodies arrive: Ψ(q, t + h) + κ + h C v = 0 (≥ 0), κ being `joint_curvature` where it has a
/// number for the row, else 0. Joint rows that are not `wanted` are left out, whole joints at a time. `None` for a model without joints and links.
pub(crate) fn joint_rows_of_positions<'a>(
    start: &StepStart<'a>,
    joint_curvature: &[f64],
    wanted: impl Fn(usize) -> bool,
) -> Option<Rows<'a>> {
    let StepStart { model, columns, state, parameters, .. } = *start;
    if model.joints().len() == 0 && model.links().is_empty() {
        return None;
    }
    let mut rows = Rows::new(columns, 0);
    let h = parameters.step;
    let curvature = |row: usize| joint_curvature.get(row).copied().unwrap_or(0.0);
    push_joints(model, state, state.time + h, &mut rows, |index, row| {
        let value = row.value + curvature(index);
        wanted(index).then(|| match row.kind {
            RowKind::Equal => -value / h,
            RowKind::AtLeastZero => {
                let limit = parameters.recovery_speed / if row.is_angle { parameters.radius } else { 1.0 };
                (-value / h).min(limit)
            }
        })
    });
    let first = model.joints().map(|(_, joint)| joint.rows()).sum::<usize>();
    push_links(model, state, state.time + h, &mut rows, |index, row| -(row.value + curvature(first + index)) / h);
    Some(rows)
}

/// b and E of a normal row.
pub(crate) fn stabilisation(gap: f64, softness: Option<&Softness>, parameters: &Parameters) -> (f64, f64) {
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

/// Rows that keep a contact from closing further than Φ + h D_n v ≥ 0, with its rebound. Where the try has a recovery speed for the
/// contact, its overlap is undone no faster.
fn fill_contact(start: &StepStart<'_>, ask: &Ask<'_>, k: usize, slot: BlockSlot<'_>) {
    let StepStart { model, columns, state, parameters, .. } = *start;
    let (h, contact) = (parameters.step, &ask.near[k]);
    let of_contact = ContactRows::new(model, state, contact);
    let law = of_contact.law;
    let (mut target, compliance) = stabilisation(contact.gap, law.softness.as_ref(), parameters);
    // A soft contact gives way by itself; its target is the force of its spring.
    if contact.gap < 0.0 && law.softness.is_none() {
        target = ask.recovery_speeds.get(k).map_or(target, |speed| target.min(*speed));
    }
    if law.restitution > 0.0 {
        let approach = of_contact.parting(state);
        if approach < -parameters.restitution_threshold && contact.gap + h * approach <= 0.0 {
            target = target.max(-law.restitution * approach);
        }
    }
    of_contact.fill(columns, &[target, 0.0, 0.0, 0.0, 0.0], compliance, slot);
}

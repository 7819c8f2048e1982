//! The second stage: from the answer of the first to the velocities at the end of the step.

use super::ends::IslandEnd;
use super::rebounds::Rebounds;
use super::velocities::{self, First};
use super::{Rattle, force_problem_of};
use crate::step::context::{StepContext, timed};
use crate::step::hard::island::miss;
use crate::step::hard::scheme::{FirstStage, SecondStage, StepStart};
use crate::step::hard::tries::least_violation;
use crate::{State, StepError, Vec3};
use signorini_collision::Contact;
use signorini_solver::{Residuals, Status};

/// From good to bad.
fn rank(status: Status) -> u8 {
    match status {
        Status::Converged => 0,
        Status::IterationLimit => 1,
        Status::TimeLimit => 2,
        Status::Stalled(_) => 3,
        Status::Infeasible => 4,
        _ => 5,
    }
}

impl Rattle {
    /// Finds the velocities at the end of a step whose positions, with v½ as velocities, are `next`; `near` are its contacts.
    pub(super) fn solve_velocities(
        &mut self,
        start: &StepStart<'_>,
        first_stage: &FirstStage<'_>,
        near: &[Contact],
        next: &mut State,
        cx: &mut StepContext<'_>,
    ) -> Result<SecondStage, StepError> {
        let StepStart { model, columns, state, .. } = *start;
        let Self { velocities, islands, ends, is_lost, .. } = self;
        let first = First { stage: first_stage, start, islands, ends };
        let mut solved = |is_plastic: bool| {
            let place = velocities.problem_mut();
            let stage = timed(&mut cx.timings.assembly, || velocities::assemble(&first, next, near, is_plastic, place))
                .map_err(|error| {
                    let (step, time) = (state.step + 1, state.time);
                    force_problem_of(start, step).unwrap_or(StepError::Problem { step, time, error })
                })?;
            let from = cx.settings.asked.warm_start.then_some(&stage.start);
            let answer = velocities.solve_as_promised(from, state, cx)?;
            let answer = least_violation(velocities, answer, state, cx)?;
            cx.iterations += answer.report.iterations;
            let has_rebounds = stage.has_rebounds(velocities.problem());
            Ok::<_, StepError>((stage, answer, has_rebounds))
        };
        let (mut stage, mut answer, has_rebounds) = solved(false)?;
        if has_rebounds && answer.report.status == Status::Infeasible {
            // Rebounds may contradict each other or a joint: then there are none.
            (stage, answer, _) = solved(true)?;
        } else if has_rebounds && Rebounds::new(&first, &stage).gain(&answer) {
            let (_, calm, _) = solved(true)?;
            answer = Rebounds::new(&first, &stage).mixed(answer, calm);
        }
        if !islands.is_empty() && Rebounds::new(&first, &stage).slow_down(&mut answer) {
            *is_lost = true;
            miss(&mut answer.report.residuals, cx.settings.tolerance);
            answer.report.status =
                Status::Stalled("the step is too long for bodies that joints hold together and contacts push");
        }
        for body in 0..next.poses.len() {
            let Some(at) = columns.of(body) else { continue };
            let part = &answer.velocity()[at..at + 6];
            next.velocities[body] = Vec3::from_slice(part);
            next.angular_velocities[body] = Vec3::from_slice(&part[3..]);
        }
        for (island, end) in islands.list.iter().zip(&ends.of_island) {
            let IslandEnd::Apart { velocity } = end else { continue };
            for (&body, v) in island.bodies.iter().zip(velocity.chunks_exact(6)) {
                next.velocities[body] = Vec3::from_slice(v);
                next.angular_velocities[body] = Vec3::from_slice(&v[3..]);
            }
        }
        let reports = [&first_stage.solution.report, &answer.report];
        let ratio = |residuals: &Residuals| cx.settings.tolerance.ratio(residuals);
        let [one, two] = reports.map(|report| ratio(&report.residuals));
        let residuals = if one >= two || one.is_nan() { reports[0].residuals } else { reports[1].residuals };
        let worse = if rank(reports[1].status) > rank(reports[0].status) { reports[1] } else { reports[0] };
        Ok(SecondStage {
            status: worse.status,
            method: worse.method,
            residuals,
            active: stage.active(model, &answer),
            joints: stage.joint_impulses(&first, &answer),
            contacts: stage.contact_impulses(&first, &answer),
        })
    }
}

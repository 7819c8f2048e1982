//! Steps of RATTLE: the second stage, from the answer of the first.

use super::Simulation;
use crate::stepper::Stepper;
use crate::stepper::dvi::Assembly;
use crate::stepper::rattle;
use crate::stepper::rattle::velocities::{self, First};
use crate::{State, StepError, StepTimings, Vec3};
use signorini_solver::{Residuals, Solution, Status};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What both stages together say about themselves.
pub(super) struct Stages {
    pub(super) status: Status,
    pub(super) method: &'static str,
    pub(super) residuals: Residuals,
    /// Contacts that carry force.
    pub(super) active: usize,
}

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

impl Simulation {
    pub(super) fn is_rattle(&self) -> bool {
        self.settings.stepper == Stepper::DviRattle
    }

    /// How well joints hold where bodies arrive \[m, rad\]; `None` for to first order.
    pub(super) fn joint_tolerance(&self) -> Option<f64> {
        self.settings.joint_tolerance.or(self.is_rattle().then_some(rattle::JOINT_TOLERANCE))
    }

    /// Finds the velocities at the end of a step whose positions, with v½ as velocities, are the present state; the state is
    /// `before` again if that fails.
    pub(super) fn take_velocity_stage(
        &mut self,
        before: State,
        (assembly, solution): (&Assembly, &Solution),
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
        iterations: &mut u32,
    ) -> Result<Stages, StepError> {
        let stages = self.solve_velocity_stage(&before, (assembly, solution), cancel, timings, iterations);
        let stages = stages.and_then(|stages| match self.first_not_finite(&self.state) {
            None => Ok(stages),
            Some(body) => {
                let body = self.model.name_of(body).to_owned();
                Err(StepError::NotFinite { step: self.state.step, time: self.state.time, body })
            }
        });
        if stages.is_err() {
            self.state = before;
            std::mem::swap(&mut self.contacts, &mut self.contacts_before);
            return stages;
        }
        // How far bodies are looked at depends on their velocities.
        self.detect();
        timings.collision += self.collision_seconds;
        stages
    }

    fn solve_velocity_stage(
        &mut self,
        before: &State,
        (assembly, solution): (&Assembly, &Solution),
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
        iterations: &mut u32,
    ) -> Result<Stages, StepError> {
        let first = First { assembly, solution, contacts: &self.contacts_before, before };
        let mut is_plastic = false;
        let (problem, answer) = loop {
            let started = Instant::now();
            let problem = velocities::assemble(
                &self.model,
                &self.columns,
                &first,
                &self.state,
                &self.contacts,
                &self.parameters,
                is_plastic,
            )
            .map_err(|error| self.problem_error(before, self.state.step, error))?;
            timings.assembly += started.elapsed().as_secs_f64();
            let start = self.settings.warm_start.then_some(&problem.start);
            let answer = self.solve_assembled(&problem.assembly, start, cancel, timings)?;
            let answer = self.or_least_violation(&problem.assembly, answer, cancel, timings)?;
            *iterations += answer.report.iterations;
            // Rebounds may contradict each other or a joint: then there are none.
            if answer.report.status != Status::Infeasible || is_plastic || !problem.has_rebounds() {
                break (problem, answer);
            }
            is_plastic = true;
        };
        let joints = problem.joint_impulses(&first, &answer);
        let contacts = problem.contact_impulses(&first, &answer);
        let active = problem.active(&self.model, &answer);
        for body in 0..self.state.poses.len() {
            let Some(at) = self.columns.of(body) else { continue };
            let part = &answer.velocity()[at..at + 6];
            self.state.velocities[body] = Vec3::from_slice(part);
            self.state.angular_velocities[body] = Vec3::from_slice(&part[3..]);
        }
        self.warm.joints = joints;
        self.warm.contacts.clear();
        self.warm.contacts.extend(contacts.iter().map(|(contact, impulse)| (Assembly::id(contact), *impulse)));
        self.contacts_before.clear();
        self.contacts_before.extend(contacts.iter().map(|(contact, _)| *contact));
        let reports = [&solution.report, &answer.report];
        let ratio = |residuals: &Residuals| self.tolerance.ratio(residuals);
        let [one, two] = reports.map(|report| ratio(&report.residuals));
        let residuals = if one >= two || one.is_nan() { reports[0].residuals } else { reports[1].residuals };
        let worse = if rank(reports[1].status) > rank(reports[0].status) { reports[1] } else { reports[0] };
        Ok(Stages { status: worse.status, method: worse.method, residuals, active })
    }
}

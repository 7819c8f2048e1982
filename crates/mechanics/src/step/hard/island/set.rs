//! All islands of a model: who belongs to which, which of them are in the problem of a step, and how they go their way from its answer.

use super::contacts::HeldContact;
use super::parts::in_parts;
use super::{Arrival, Island, IslandContacts, IslandStep, NotClosed};
use crate::promise::bounds::own_length;
use crate::step::hard::scheme::StepStart;
use crate::step::hard::tries::{Ask, Trial};
use crate::step::memory::StepMemory;
use crate::{Model, State, Vec3};
use signorini_collision::Contact;
use signorini_solver::{Residuals, Solution, Status, Tolerance};

/// All islands of a model.
pub(crate) struct Islands {
    pub(crate) list: Vec<Island>,
    /// The island of every body.
    of_body: Vec<Option<u32>>,
    /// The island of every joint row of the model.
    of_row: Vec<Option<u32>>,
    /// Whether limits or ropes may hold an island.
    has_one_sided_rows: Vec<bool>,
    /// Whether the rows of an island are in the problem of the step.
    is_in_problem: Vec<bool>,
    /// Whether a motion is imposed on an island: its velocities are then its best guess, and to the last bit those of the drive.
    is_driven: Vec<bool>,
    /// Where the velocities of an island begin in `ways`.
    first: Vec<usize>,
    /// w of the last arrivals, one island after the other.
    pub(crate) ways: Vec<f64>,
}

/// How an island went its way.
pub(crate) struct Sent {
    pub(crate) arrival: Result<Arrival, NotClosed>,
    /// Impulses that Newton's method began with.
    pub(crate) guess: Vec<f64>,
    /// Whether contacts push it.
    pub(crate) is_loaded: bool,
}

/// What Newton's method starts from.
pub(crate) struct StartOfIsland<'a> {
    pub(crate) contacts: &'a IslandContacts,
    /// w and γ.
    pub(crate) guess: (&'a [f64], &'a [f64]),
    /// Which one-sided rows carry.
    pub(crate) holds: &'a [bool],
}

impl Islands {
    /// Those of a model.
    pub(crate) fn new(model: &Model) -> Self {
        Self::from_list(model, Island::all(model, own_length(model).unwrap_or(1.0)))
    }

    /// None: all bodies go by the answer of the step's problem.
    pub(crate) fn none(model: &Model) -> Self {
        Self::from_list(model, Vec::new())
    }

    fn from_list(model: &Model, list: Vec<Island>) -> Self {
        let mut of_body = vec![None; model.bodies().len()];
        let mut of_row = vec![None; model.joints().map(|(_, joint)| joint.rows()).sum()];
        for (index, island) in list.iter().enumerate() {
            island.bodies.iter().for_each(|&body| of_body[body] = Some(index as u32));
            island.rows_of_model().for_each(|row| of_row[row] = Some(index as u32));
        }
        let has_one_sided_rows: Vec<bool> = list.iter().map(|island| island.has_one_sided_rows(model)).collect();
        let mut is_driven = vec![false; list.len()];
        let driven = model.joints().filter(|(_, joint)| joint.motion(0.0).is_some());
        let bodies = driven.flat_map(|(_, joint)| joint.bodies());
        bodies.filter_map(|body| of_body[body.index()]).for_each(|island| is_driven[island as usize] = true);
        let mut velocities = 0;
        let mut next_first = |island: &Island| {
            velocities += 6 * island.bodies.len();
            velocities - 6 * island.bodies.len()
        };
        let first = list.iter().map(&mut next_first).collect();
        let ways = vec![0.0; velocities];
        Self {
            is_in_problem: vec![true; list.len()],
            list,
            of_body,
            of_row,
            has_one_sided_rows,
            is_driven,
            first,
            ways,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The island of every body.
    pub(crate) fn of_bodies(&self) -> &[Option<u32>] {
        &self.of_body
    }

    /// The island of a body.
    pub(crate) fn of_body(&self, body: usize) -> Option<usize> {
        self.of_body.get(body).copied().flatten().map(|island| island as usize)
    }

    /// The island of a joint row of the model.
    pub(crate) fn of_row(&self, row: usize) -> Option<usize> {
        self.of_row[row].map(|island| island as usize)
    }

    /// How many joint rows the model has.
    pub(crate) fn rows_of_model(&self) -> usize {
        self.of_row.len()
    }

    /// Says of every island whether a contact may touch it.
    pub(crate) fn touched(&self, near: &[Contact]) -> Vec<bool> {
        let mut is_touched = vec![false; self.list.len()];
        if !self.list.is_empty() {
            let bodies = near.iter().flat_map(|contact| contact.bodies);
            bodies.filter_map(|body| self.of_body(body as usize)).for_each(|island| is_touched[island] = true);
        }
        is_touched
    }

    /// Chooses which islands are in the problem of the step: those that limits or ropes may hold, and those that are `wanted`. Newton's method finds the way
    /// of the others without a guess.
    pub(crate) fn choose(&mut self, wanted: impl Fn(usize) -> bool) {
        for (island, is_in) in self.is_in_problem.iter_mut().enumerate() {
            *is_in = self.has_one_sided_rows[island] || wanted(island);
        }
    }

    /// Puts all of them into problems from now on.
    pub(crate) fn show_all(&mut self) {
        self.has_one_sided_rows.fill(true);
        self.is_in_problem.fill(true);
    }

    /// Whether a joint row of the model is in the problem of the step.
    pub(crate) fn has_row_in_problem(&self, row: usize) -> bool {
        self.of_row(row).is_none_or(|island| self.is_in_problem[island])
    }

    /// The joint rows of the model that are in a problem with so many rows of joints and links, links included, and how many the model has.
    pub(crate) fn rows_in_problem(&self, in_problem: usize) -> (Vec<usize>, usize) {
        let of_joints: Vec<usize> = (0..self.of_row.len()).filter(|row| self.has_row_in_problem(*row)).collect();
        let all = self.of_row.len() + in_problem - of_joints.len();
        (of_joints.into_iter().chain(self.of_row.len()..all).collect(), all)
    }

    /// How far rows of some islands will be bent by a step at the present velocities; empty for none.
    pub(crate) fn curvature(&self, start: &StepStart<'_>, is_wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let StepStart { model, state, parameters, .. } = *start;
        let mut curvature = Vec::new();
        for (_, island) in self.list.iter().enumerate().filter(|(index, _)| is_wanted(*index)) {
            curvature.resize(self.of_row.len(), 0.0);
            island.add_curvature(model, state, parameters.step, &mut curvature);
        }
        curvature
    }

    /// What contacts do to all velocities in the answer of a problem, from the balance of momentum: Dᵀλ = H v + c − Cᵀγ. A sum over contacts would lose digits
    /// under a heavy load. Empty where nobody of an island is near to anything.
    pub(crate) fn pushed_by_contacts(&self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> Vec<f64> {
        let touches = |contact: &Contact| contact.bodies.iter().any(|body| self.of_body(*body as usize).is_some());
        if self.list.is_empty() || !ask.near.iter().any(touches) {
            return Vec::new();
        }
        let mut pushed = trial.problem.linear().to_vec();
        trial.problem.inertia().mul_add(1.0, solution.velocity(), &mut pushed);
        let mut of_joints = solution.impulse().to_vec();
        of_joints[trial.layout.joints()..].fill(0.0);
        trial.problem.rows().mul_transpose_add(-1.0, &of_joints, &mut pushed);
        pushed
    }

    /// Sends an island on its way from the answer of the step's problem, whose impulses are those of the step divided by `scale`; `pushed` is what contacts do in
    /// that answer, and `refined` may change where it arrives.
    pub(crate) fn send(
        &mut self,
        index: usize,
        step: &IslandStep<'_>,
        (trial, ask, solution): (&Trial<'_>, &Ask<'_>, &Solution),
        memory: &StepMemory,
        (pushed, scale): (&[f64], f64),
        refined: impl FnOnce(&mut Island, &StartOfIsland<'_>, Arrival) -> Result<Arrival, NotClosed>,
    ) -> Sent {
        let columns = trial.start.columns;
        let mut contacts = self.contacts(trial, ask, index, solution, scale);
        let island = &mut self.list[index];
        let first = island.bodies.iter().filter_map(|&body| columns.of(body));
        if contacts.is_loaded {
            contacts.pushed = first.clone().flat_map(|at| pushed[at..at + 6].iter().map(|p| scale * p)).collect();
        }
        let in_problem = |row: usize| trial.layout.row_in_problem(row);
        let kept = |row: usize| memory.joints.get(row).copied().unwrap_or(0.0);
        let impulse = |row: usize| in_problem(row).map_or_else(|| kept(row), |row| scale * solution.impulse()[row]);
        let guess: Vec<f64> = island.rows_of_model().map(impulse).collect();
        // Of limits and ropes those that carried in the answer, as far as one can tell; Newton's method changes what is wrong about that.
        let carries = |row: usize| solution.impulse()[row] > solution.relative_velocity[row];
        let holds: Vec<bool> = island.rows_of_model().map(|row| in_problem(row).is_some_and(carries)).collect();
        let w: Vec<f64> = if self.is_in_problem[index] {
            first.flat_map(|at| solution.velocity()[at..at + 6].iter().copied()).collect()
        } else {
            // On from the last way, w = v + (v − w₋), which it is to second order where nothing has pushed it.
            let mut w = island.velocities(step.state);
            if memory.motion.len() == self.ways.len() && !self.is_driven[index] {
                w.iter_mut().zip(&memory.motion[self.first[index]..]).for_each(|(v, last)| *v += *v - last);
            }
            w
        };
        let is_loaded = contacts.is_loaded;
        let from = StartOfIsland { contacts: &contacts, guess: (&w, &guess), holds: &holds };
        let arrival = match island.advance(step, &contacts, (&w, &guess), &holds) {
            Ok(arrival) => refined(island, &from, arrival),
            Err(NotClosed) if is_loaded => Err(NotClosed),
            Err(NotClosed) => in_parts(island, step, &guess, &holds),
        };
        let ways = &mut self.ways[self.first[index]..];
        match &arrival {
            // A step in parts has no one way to go on from.
            Ok(arrival) => {
                let way = if arrival.parts > 0 { &arrival.velocity } else { &arrival.displacement };
                ways[..way.len()].copy_from_slice(way);
            }
            Err(NotClosed) => ways[..w.len()].fill(0.0),
        }
        Sent { arrival, guess, is_loaded }
    }

    /// What contacts do to an island: the directions they hold, and whether any of them carries. Impulses are those of the answer times `scale`.
    fn contacts(
        &self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        index: usize,
        solution: &Solution,
        scale: f64,
    ) -> IslandContacts {
        let StepStart { model, columns, .. } = trial.start;
        let island = &self.list[index];
        let mut contacts = IslandContacts::default();
        let is_own = |body: u32| self.of_body(body as usize) == Some(index);
        let local = |column: usize| {
            let body = columns.body_of(column)?;
            island.bodies.binary_search(&body).ok().map(|k| 6 * k + column % 6)
        };
        for (k, contact) in ask.near.iter().enumerate() {
            if !contact.bodies.iter().any(|body| is_own(*body)) {
                continue;
            }
            let rows = trial.layout.rows_of(k);
            let impulse = &solution.impulse()[rows.clone()];
            if impulse.iter().all(|part| *part == 0.0) {
                continue;
            }
            contacts.is_loaded = true;
            let block = trial.problem.rows().block(trial.problem.rows().len() - ask.near.len() + k);
            let columns_of_block: Vec<Option<usize>> = block.columns.iter().map(|column| local(*column)).collect();
            let is_ours =
                |body: u32| is_own(body) || model.bodies().get(body as usize).is_some_and(|body| body.is_fixed);
            if !contact.bodies.iter().all(|body| is_ours(*body)) || impulse[0] <= 0.0 {
                continue;
            }
            let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
            let friction = model.contact(a, b).friction;
            let sticks = impulse.len() >= 3 && impulse[1].hypot(impulse[2]) < (1.0 - 1e-6) * friction * impulse[0];
            let local_row = |r: usize| -> Vec<(usize, f64)> {
                let entries = block.row(r).iter().zip(&columns_of_block);
                entries.filter_map(|(entry, column)| column.map(|column| (column, *entry))).collect()
            };
            let count = if sticks { 3 } else { 1 };
            contacts.rows.extend((0..count).map(local_row));
            let of_row = |r: usize| local_row(r).into_iter().map(move |(k, entry)| (k, scale * impulse[r] * entry));
            let push = (0..impulse.len()).flat_map(of_row).collect();
            contacts.held.push(HeldContact { rows: count, normal: scale * impulse[0], push });
        }
        contacts
    }
}

impl Island {
    /// Leaves an island that no way was found for where it is, at rest: a step that nobody may take for a good one. Its residual is the speed that is lost, and
    /// at least twice the tolerance.
    pub(crate) fn stop(&self, start: &StepStart<'_>, next: &mut State, solution: &mut Solution, tolerance: Tolerance) {
        let residuals = &mut solution.report.residuals;
        for &body in &self.bodies {
            next.poses[body] = start.state.poses[body];
            (next.velocities[body], next.angular_velocities[body]) = (Vec3::ZERO, Vec3::ZERO);
            let Some(at) = start.columns.of(body) else { continue };
            residuals.natural_map = residuals.natural_map.max(start.state.velocities[body].length());
            solution.iterate.velocity[at..at + 6].fill(0.0);
        }
        miss(residuals, tolerance);
        // That there is no answer at all says more.
        if solution.report.status != Status::Infeasible {
            solution.report.status = Status::Stalled("no way was found for bodies that joints hold together");
        }
    }
}

/// Makes residuals miss a tolerance, whatever they are.
pub(crate) fn miss(residuals: &mut Residuals, tolerance: Tolerance) {
    if let Tolerance::Velocity(speed) = tolerance {
        residuals.natural_map = residuals.natural_map.max(2.0 * speed);
    }
    residuals.natural_map_relative = 1.0;
}

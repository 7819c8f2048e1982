//! What a step promised, judged at its end: plain values of the simulation are handed to the judges of [`crate::promise`].

use super::Simulation;
use crate::contact::support::Support;
use crate::promise::elastic::{self, LastMove};
use crate::promise::energy::{self, EnergyStep, Explained};
use crate::promise::joints::{self, CountedRows};
use crate::promise::work::{self, Recovery, WorkMeter};
use crate::promise::{overlap, residual};
use crate::stepper::dvi::Assembly;
use crate::{Broken, Energy, EnergyAccount};
use signorini_collision::Contact;
use signorini_solver::{Residuals, Solution, Status};

/// What is remembered of the start of a step.
pub(super) struct StepStart {
    work: WorkMeter,
    account: Option<EnergyAccount>,
    /// Overlaps that are near their bound already.
    overlaps: Vec<Contact>,
}

/// What only the step itself knows about its end.
pub(super) struct StepEnd<'a> {
    /// How the solve ended.
    pub(super) status: Status,
    pub(super) residuals: &'a Residuals,
    /// Energy of the model, with contacts by penalty their springs included.
    pub(super) energy: &'a Energy,
    /// What springs of contacts by penalty store of that \[J\].
    pub(super) penalty_springs: f64,
    pub(super) last_move: Option<LastMove>,
    /// Whether it was taken in more than one sub-step.
    pub(super) is_divided: bool,
    /// Impulses of joint rows at the end of the step before, for smooth steppers.
    pub(super) impulses_before: Option<&'a [f64]>,
}

impl Simulation {
    fn recovery(&self) -> Recovery {
        let parameters = &self.parameters;
        Recovery { step: parameters.step, speed: parameters.recovery_speed, radius: parameters.radius }
    }

    /// Looks at the start of a step; `springs` is what contacts by penalty store there \[J\].
    pub(super) fn start_of_step(&self, springs: f64) -> StepStart {
        let Self { model, state, contacts, warm, .. } = self;
        let bounds = self.bounds.overlap(self.fastest());
        let account = warm.energy.or_else(|| {
            // A run that goes on from a checkpoint without an account has one again after this step.
            (state.step == 0).then(|| {
                let energy = Energy::of(model, state);
                EnergyAccount::opened(&energy, springs + self.soft_energy())
            })
        });
        StepStart {
            work: WorkMeter::start(model, state, self.recovery()),
            account,
            overlaps: contacts.iter().filter(|contact| bounds.growth - contact.gap > bounds.depth).copied().collect(),
        }
    }

    /// What soft contacts store now \[J\].
    fn soft_energy(&self) -> f64 {
        match self.settings.stepper.has_hard_contacts() && self.model.has_soft_contacts() {
            true => work::soft_energy(&self.model, &self.contacts),
            false => 0.0,
        }
    }

    /// Every promise that the step to the present state broke; `worst_row` names the row with the largest residual.
    pub(super) fn broken_promises(
        &mut self,
        start: &StepStart,
        end: &StepEnd<'_>,
        worst_row: impl FnOnce(&Self) -> Option<String>,
    ) -> Vec<Broken> {
        let fastest = self.fastest();
        let mut broken = Vec::new();
        let who = || worst_row(self).unwrap_or_else(|| self.liveliest_body());
        broken.extend(residual::judge(end.status, end.residuals, self.tolerance, who));
        // Limits and ropes of smooth steppers are springs, which give way.
        let is_hard = self.settings.stepper.has_hard_contacts();
        let counted = if is_hard { CountedRows::All } else { CountedRows::Bilateral };
        let violations = joints::violations(&self.model, &self.state, counted);
        let name = |index: usize| joints::name(&self.model, index);
        broken.extend(joints::judge(violations, self.bounds.joints(fastest), name));
        if is_hard {
            let names = |contact: &Contact| {
                let [a, b] = contact.bodies.map(|body| self.model.name_of(body as usize));
                format!("bodies `{a}` and `{b}`")
            };
            let is_hard = |contact: &Contact| self.is_hard(contact);
            let bounds = self.bounds.overlap(fastest);
            broken.extend(overlap::judge(&start.overlaps, &self.contacts, bounds, is_hard, names));
        }
        broken.extend(elastic::judge(&self.model, end.last_move));
        broken.extend(self.energy_broken(start, end));
        broken
    }

    /// Enters the step into the account of energy.
    fn energy_broken(&mut self, start: &StepStart, end: &StepEnd<'_>) -> Option<Broken> {
        let h = self.settings.step;
        let hard_step = self.settings.stepper.has_hard_contacts().then_some(h);
        let order = self.settings.stepper.order();
        let springs = self.soft_energy();
        let Some(mut account) = start.account else {
            self.warm.energy = Some(EnergyAccount::opened(end.energy, springs));
            return None;
        };
        let work = start.work.finish(&self.model, &self.state, &self.warm.joints, end.impulses_before);
        let overlaps = match hard_step {
            Some(_) => {
                let impulses = self.warm.contacts.iter().map(|(_, impulse)| impulse.linear);
                let contacts = self.contacts_before.iter().zip(impulses);
                let hard = contacts.filter(|(contact, _)| contact.gap < 0.0 && self.is_hard(contact));
                work::of_overlaps(hard.map(|(contact, g)| (contact, contact.normal.dot(g))), self.recovery())
            }
            None => 0.0,
        };
        let total = end.energy.total() + springs;
        // Between the ends of a step that was divided nobody has looked at what drives it.
        let gain = match end.is_divided && work.is_driven {
            true => 0.0,
            false => total - account.total - work.at_most - overlaps,
        };
        let explained = Explained { order, step: h, is_hard: hard_step.is_some() };
        let of_contacts = springs + end.penalty_springs;
        let explained =
            explained.at_most(&self.model, &self.state, end.energy, &account, [work.of_forces, of_contacts]);
        let is_broken = account.enter(EnergyStep { gain, explained });
        (account.kinetic, account.total) = (end.energy.kinetic, total);
        self.warm.energy = Some(account);
        is_broken.then(|| account.broken(self.liveliest_body()))
    }

    fn liveliest_body(&self) -> String {
        let body = energy::liveliest(&self.model, &self.state);
        body.map_or(String::new(), |body| format!("body `{}`", self.model.name_of(body)))
    }

    /// The joint, link or contact with the largest residual of its normal row: |y| of bilateral rows, |min(y, w g)| of others, with
    /// w = 1/m_A + 1/m_B \[m/s\]. `None` where there are no rows.
    pub(super) fn worst_row(&self, assembly: &Assembly, solution: &Solution) -> Option<String> {
        let y = &solution.relative_velocity;
        let one_sided = |row: usize, mobility: f64| y[row].min(mobility * solution.impulse()[row]).abs();
        let joints = (0..assembly.joint_rows).map(|row| (y[row].abs(), row));
        let joint = joints.max_by(|a, b| a.0.total_cmp(&b.0));
        // The velocity stage of RATTLE replaces the contacts; those of its first stage then have no name any more.
        let rows = match assembly.contact_rows.len() == self.contacts_before.len() {
            true => &assembly.contact_rows[..],
            false => &[],
        };
        let contacts = self.contacts_before.iter().zip(rows).map(|(contact, &row)| {
            let supports = Support::both(&self.model, &self.state.nodes, contact);
            let mobility = supports.iter().map(|support| support.mobility(&self.model)).sum();
            (one_sided(row, mobility), contact)
        });
        let contact = contacts.max_by(|a, b| a.0.total_cmp(&b.0));
        match (joint, contact) {
            (Some((of_joint, row)), other) if other.is_none_or(|(of_contact, _)| of_joint >= of_contact) => {
                Some(joints::name(&self.model, self.joint_of_row(row)))
            }
            (_, Some((_, contact))) => {
                let [a, b] = contact.bodies.map(|body| self.model.name_of(body as usize));
                Some(format!("bodies `{a}` and `{b}`"))
            }
            (_, None) => None,
        }
    }

    /// The joint that has a row; links are counted after joints.
    fn joint_of_row(&self, row: usize) -> usize {
        let joints = self.model.joints().map(|(_, joint)| joint.rows());
        let links = self.model.links().iter().map(|(_, link)| link.rows());
        let mut end = 0;
        joints
            .chain(links)
            .take_while(|rows| {
                end += rows;
                end <= row
            })
            .count()
    }
}

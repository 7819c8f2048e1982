//! What a smooth stepper keeps between steps, as a list of numbers: with it a run goes on to the same bits.

use super::{Family, SmoothStepper, System};
use crate::Model;

impl SmoothStepper {
    /// All numbers: sub-steps, the motion (with extrapolation it is not that of the state), a, â, λ, contacts by penalty, and where the
    /// factor was made.
    pub(crate) fn export(&self, out: &mut Vec<f64>) {
        out.extend([self.last, self.next]);
        self.from.phase.export(out);
        out.extend(&self.from.acceleration);
        out.extend(&self.from.algorithmic);
        out.extend(&self.from.multipliers);
        if let Some(penalty) = &self.consistent.penalty {
            penalty.export(out);
        }
        if let Family::Implicit(_, implicit) = &self.method {
            implicit.export(out);
        }
    }

    /// Takes them up again. Returns whether they fit the model.
    pub(crate) fn import(&mut self, model: &Model, numbers: &[f64]) -> bool {
        let (n, m) = (self.equations.dimension, self.equations.rows.len());
        let [last, next, rest @ ..] = numbers else { return false };
        let count = self.from.phase.count();
        if rest.len() < count + 2 * n + m {
            return false;
        }
        (self.last, self.next) = (*last, *next);
        let (phase, rest) = rest.split_at(count);
        self.from.phase.import(phase);
        let (acceleration, rest) = rest.split_at(n);
        let (algorithmic, rest) = rest.split_at(n);
        let (multipliers, rest) = rest.split_at(m);
        self.from.acceleration.copy_from_slice(acceleration);
        self.from.algorithmic.copy_from_slice(algorithmic);
        self.from.multipliers.copy_from_slice(multipliers);
        let Self { equations, consistent, from, .. } = self;
        let rest = match &mut consistent.penalty {
            None => rest,
            Some(penalty) => match penalty.import(System { model, equations }, &from.phase, rest) {
                Some(rest) => rest,
                None => return false,
            },
        };
        match &mut self.method {
            Family::Implicit(_, implicit) => implicit.import(System { model, equations: &self.equations }, rest),
            Family::Explicit(_) => rest.is_empty(),
        }
    }
}

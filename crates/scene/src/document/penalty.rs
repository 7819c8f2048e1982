//! `penalty` of `[stepper]`: contacts as springs and dampers.

use crate::reader::{Range, Table};
use signorini_mechanics::{Model, Penalty, PenaltyLaw, Settings, Stepper};

/// Reads `penalty = { law = …, stiffness = …, … }`; `None` where it is not given, or wrong.
pub(super) fn read(stepper: &Table<'_>) -> Option<Penalty> {
    let table = stepper.table("penalty")?;
    let laws = PenaltyLaw::ALL.map(|law| (law.name(), law));
    let law = table.get("law").map(|value| value.choice(&laws));
    let stiffness = table.require("stiffness").and_then(|value| value.number(Range::POSITIVE));
    let damping = table.number("damping", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let stick_stiffness = table.number("stick-stiffness", Range::POSITIVE);
    let stick_damping = table.number("stick-damping", Range::NOT_NEGATIVE);
    table.finish();
    let law = law.unwrap_or(Some(PenaltyLaw::default()))?;
    Some(Penalty { law, stiffness: stiffness?, damping, stick_stiffness, stick_damping })
}

/// Steps may be at most this many radians of a contact's own swing.
const FOLLOWED: f64 = 1.0;

/// A warning where steps are too long for a linear spring under the lightest body: methods of order 2 then gain energy in every impact.
pub(super) fn too_stiff(model: &Model, settings: &Settings) -> Option<String> {
    let penalty = settings.penalty.filter(|penalty| penalty.law == PenaltyLaw::Linear)?;
    // Implicit Euler damps what it cannot follow, and sub-steps follow it.
    let is_damped = matches!(settings.stepper, Stepper::ImplicitEuler | Stepper::ImplicitEulerLinearised);
    if is_damped || settings.adaptive.is_some() {
        return None;
    }
    let masses = model.bodies().iter().filter(|body| !body.is_fixed).map(|body| body.mass);
    let mass = masses.fold(f64::INFINITY, f64::min);
    let omega = (penalty.stiffness / mass).sqrt();
    (settings.step * omega > FOLLOWED).then(|| {
        format!(
            "[stepper] `penalty`: {mass:.3} kg on a spring of {:.3e} N/m swing through a radian in {:.1e} s, and steps of {} s cannot \
             follow: impacts may gain energy; shorter steps, `adaptive` or `implicit-euler` do not",
            penalty.stiffness,
            1.0 / omega,
            settings.step
        )
    })
}

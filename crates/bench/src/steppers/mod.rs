//! Measurements of the time-steppers: order, dissipation, cost, joint forces, drift, mechanisms.

mod andrews;
mod chain;
mod characteristic;
mod dissipation;
mod drift;
mod mechanisms;
mod multipliers;
mod orders;
mod recurrence;
mod scenes;

// The motions with known solutions that the tests of orders use, too.
#[path = "../../../mechanics/tests/support/order_cases.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod order_cases;

use crate::sheet::{Places, Sheet};
use anyhow::{Context, Result};
use signorini_mechanics::{Settings, Stepper};
use signorini_solver::Tolerance;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure; all of it unless some are named
    #[arg(value_enum, value_name = "PART")]
    parts: Vec<Part>,
    #[command(flatten)]
    places: Places,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Fitted order and error of positions, velocities and joint forces on four motions
    Orders,
    /// Spectral radius against ωh, measured and in closed form
    Dissipation,
    /// Error of Andrews' squeezer at 0.03 s against steps and time
    Andrews,
    /// Cost of a step against the number of links of a chain
    Chain,
    /// Joint force of a pendulum: who oscillates
    Multipliers,
    /// Violation of joints and drift of energy
    Drift,
    /// Singular and over-constrained mechanisms for ten seconds
    Mechanisms,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    use clap::ValueEnum;
    let sheet = Sheet { kind: "steppers", places: &arguments.places };
    for part in Part::value_variants() {
        if !arguments.parts.is_empty() && !arguments.parts.contains(part) {
            continue;
        }
        match part {
            Part::Orders => orders::run(&sheet),
            Part::Dissipation => dissipation::run(&sheet),
            Part::Andrews => andrews::run(&sheet),
            Part::Chain => chain::run(&sheet),
            Part::Multipliers => multipliers::run(&sheet),
            Part::Drift => drift::run(&sheet),
            Part::Mechanisms => mechanisms::run(&sheet),
        }
        .with_context(|| format!("{part:?}").to_lowercase())?;
    }
    Ok(())
}

/// Name and parameters: `hht, alpha -0.1`.
fn label(stepper: &Stepper) -> String {
    let mut label = stepper.name().to_owned();
    for (name, value) in stepper.parameters() {
        label.push_str(&format!(", {name} {value:.3}"));
        while label.ends_with('0') && label.contains('.') {
            label.pop();
        }
        if label.ends_with('.') {
            label.pop();
        }
    }
    label
}

/// Settings of a stepper; those with hard contacts solve their steps far more accurately than they are wide.
fn settings(stepper: Stepper, step: f64) -> Settings {
    let plain = Settings { step, stepper, ..Settings::default() };
    match stepper.has_hard_contacts() {
        true => Settings {
            tolerance: Some(Tolerance::Velocity(1e-10)),
            joint_tolerance: (stepper == Stepper::DviEuler).then_some(1e-11),
            ..plain
        },
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_show_parameters_without_spare_digits() {
        assert_eq!(label(&Stepper::Rk4), "rk4");
        assert_eq!(label(&Stepper::Hht { alpha: -1.0 / 3.0 }), "hht, alpha -0.333");
        assert_eq!(label(&Stepper::GeneralisedAlpha { rho: 1.0 }), "generalised-alpha, rho 1");
        assert_eq!(label(&Stepper::Newmark { beta: 0.25, gamma: 0.5 }), "newmark, beta 0.25, gamma 0.5");
    }
}

//! Steppers as the experiments name and set them.

use signorini_mechanics::{Settings, Stepper};
use signorini_solver::Tolerance;

/// Name and parameters: `hht, alpha -0.1`.
pub(crate) fn label(stepper: &Stepper) -> String {
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
pub(crate) fn settings(stepper: Stepper, step: f64) -> Settings {
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

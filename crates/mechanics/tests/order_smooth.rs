//! Fitted orders of all smooth steppers, for positions, velocities and multipliers, against solutions that share no code with them.

#[path = "../../experiments/src/time_steppers/motions/mod.rs"]
#[allow(dead_code, reason = "measurements use the rest")]
mod order_cases;

use order_cases::Case;
use signorini_mechanics::{Settings, Stepper};
use signorini_testkit::fitted_order;

/// Slack of a fitted order.
const SLACK: f64 = 0.15;

/// Whether the multipliers of a stepper have its order: without damping those of order two oscillate.
fn has_smooth_multipliers(stepper: &Stepper) -> bool {
    !matches!(stepper, Stepper::Trapezoidal | Stepper::TrapezoidalLinearised | Stepper::Newmark { .. })
}

fn smooth() -> impl Iterator<Item = Stepper> {
    Stepper::ALL.into_iter().filter(|stepper| !stepper.has_hard_contacts())
}

fn smooth_and_more() -> impl Iterator<Item = Stepper> {
    let more =
        [Stepper::GeneralisedAlpha { rho: 0.0 }, Stepper::GeneralisedAlpha { rho: 0.5 }, Stepper::Hht { alpha: -0.3 }];
    smooth().chain(more)
}

fn check(case: Case, steppers: impl Iterator<Item = Stepper>) {
    for stepper in steppers {
        let exact = case.exact(&stepper).expect("a solution");
        let settings = Settings { stepper, ..Settings::default() };
        let followed = case.follow(&settings, &exact).expect("every step has an answer");
        let at = format!("{}: {} {:?}: {followed:?}", case.name(), stepper.name(), stepper.parameters());
        assert_eq!(followed.troubled, 0, "steps were taken in parts: {at}");
        let parts = if case.has_multipliers() && has_smooth_multipliers(&stepper) { 0..3 } else { 0..2 };
        for part in parts {
            let name = ["positions", "velocities", "multipliers"][part];
            let order = fitted_order(&followed.errors[part]);
            assert!((order - f64::from(stepper.order())).abs() < SLACK, "order {order:.2} of {name}: {at}");
        }
    }
}

#[test]
fn a_stiff_oscillator_is_followed_with_the_order_of_every_method() {
    check(Case::StiffOscillator, smooth_and_more());
}

#[test]
fn a_body_on_a_ball_joint_is_followed_with_the_order_of_every_method() {
    check(Case::BallJoint, smooth_and_more());
}

#[test]
fn a_turning_four_bar_is_followed_with_the_order_of_every_method() {
    check(Case::FourBar, smooth_and_more());
}

#[test]
fn andrews_squeezer_is_followed_with_the_order_of_every_method() {
    check(Case::Andrews, smooth());
}

//! Fitted orders of all smooth steppers, for positions, velocities and multipliers, against solutions that share no code with them.

#[path = "support/andrews.rs"]
#[allow(dead_code, reason = "the published angles are used elsewhere")]
mod andrews;
#[path = "support/four_bar.rs"]
mod four_bar;
#[path = "support/heavy_top.rs"]
mod heavy_top;

use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Mat3, Model, Settings, Simulation, State, Stepper, Vec3};
use signorini_testkit::fitted_order;

/// Slack of a fitted order.
const SLACK: f64 = 0.15;

/// What is compared: positions, velocities, multipliers.
type Answer = [Vec<f64>; 3];

fn run(model: Model, stepper: Stepper, end: f64, steps: u32) -> Simulation {
    let settings = Settings { step: end / f64::from(steps), stepper, ..Settings::default() };
    let mut simulation = Simulation::new(model, settings).expect("the model can be simulated");
    for _ in 0..steps {
        let report = simulation.step().expect("every step has an answer");
        assert!(report.rounds == 0, "{}: a step was taken in parts at t = {}", stepper.name(), report.time);
    }
    simulation
}

/// Positions and velocities of some bodies, forces of the first joint.
fn answer(simulation: &Simulation, bodies: &[usize]) -> Answer {
    let State { poses, velocities, .. } = simulation.state();
    let positions = bodies.iter().flat_map(|&body| poses[body].position.to_array()).collect();
    let velocities = bodies.iter().flat_map(|&body| velocities[body].to_array()).collect();
    [positions, velocities, simulation.joint_forces(0).unwrap_or_default()]
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Fitted orders of positions, velocities and multipliers over halved steps.
fn orders(exact: &Answer, steps: [u32; 4], answer: impl Fn(u32) -> Answer) -> ([f64; 3], [[f64; 4]; 3]) {
    let answers = steps.map(answer);
    let errors = [0, 1, 2].map(|part| [0, 1, 2, 3].map(|k| distance(&answers[k][part], &exact[part])));
    (errors.each_ref().map(|errors| fitted_order(errors)), errors)
}

/// Whether the multipliers of a stepper have its order: without damping those of order two oscillate.
fn has_smooth_multipliers(stepper: &Stepper) -> bool {
    !matches!(stepper, Stepper::Trapezoidal | Stepper::TrapezoidalLinearised | Stepper::Newmark { .. })
}

fn smooth() -> impl Iterator<Item = Stepper> {
    let more =
        [Stepper::GeneralisedAlpha { rho: 0.0 }, Stepper::GeneralisedAlpha { rho: 0.5 }, Stepper::Hht { alpha: -0.3 }];
    Stepper::ALL.into_iter().filter(|stepper| !stepper.has_hard_contacts()).chain(more)
}

fn check(case: &str, stepper: &Stepper, parts: std::ops::Range<usize>, orders: &[f64; 3], errors: &[[f64; 4]; 3]) {
    let theory = f64::from(stepper.order());
    for part in parts {
        let name = ["positions", "velocities", "multipliers"][part];
        let (order, errors) = (orders[part], errors[part]);
        let at = format!(
            "{case}: {} {:?}: order {order:.2} of {name} from errors {errors:?}",
            stepper.name(),
            stepper.parameters()
        );
        assert!((order - theory).abs() < SLACK, "{at}");
    }
}

/// Two masses: a soft spring to the ground, a stiff one between them, both without rest length, so that the motion is linear. In
/// the slow mode (1, r) both move as cos ω₁t, while the fast frequency ω₂ is there for steppers to cope with.
fn oscillator(stiff: f64) -> (Model, [f64; 2], f64) {
    let (soft, m) = (4.0, 1.0);
    // det(K − ω²M) = 0 with K = [soft + stiff, −stiff; −stiff, stiff]; the smaller root without cancellation.
    let b = (soft + 2.0 * stiff) / m;
    let c = soft * stiff / (m * m);
    let square = 2.0 * c / (b + (b * b - 4.0 * c).sqrt());
    let ratio = stiff / (stiff - m * square);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let mass = |name: &str, x: f64| Body::new(name, m, Mat3::IDENTITY).at(Vec3::new(x, 0.0, 0.0));
    let first = model.body(mass("first", 1.0));
    let second = model.body(mass("second", ratio));
    model.force("soft", Spring::new([ground, first], [Vec3::ZERO; 2], soft, 0.0, 0.0));
    model.force("stiff", Spring::new([first, second], [Vec3::ZERO; 2], stiff, 0.0, 0.0));
    (model.build().expect("a model"), [1.0, ratio], square.sqrt())
}

#[test]
fn a_stiff_oscillator_is_followed_with_the_order_of_every_method() {
    for stepper in smooth() {
        // Implicit methods take steps of up to six radians of the fast frequency; explicit ones cannot.
        let (stiff, steps) =
            if stepper.is_explicit() { (100.0, [100, 200, 400, 800]) } else { (1e5, [160, 320, 640, 1280]) };
        let end = 2.3;
        let (_, mode, omega) = oscillator(stiff);
        let exact = |f: f64| mode.iter().flat_map(|x| [x * f, 0.0, 0.0]).collect::<Vec<_>>();
        let exact = [exact((omega * end).cos()), exact(-omega * (omega * end).sin()), vec![]];
        let answer = |steps| answer(&run(oscillator(stiff).0, stepper, end, steps), &[1, 2]);
        let (orders, errors) = orders(&exact, steps, answer);
        check("stiff oscillator", &stepper, 0..2, &orders, &errors);
    }
}

#[test]
fn a_body_on_a_ball_joint_is_followed_with_the_order_of_every_method() {
    let end = 0.8;
    let exact = heavy_top::exact(end);
    for stepper in smooth() {
        let answer = |steps| answer(&run(heavy_top::model(), stepper, end, steps), &[1]);
        // Below 1e-11 RK4 is at rounding.
        let steps = if stepper == Stepper::Rk4 { [20, 40, 80, 160] } else { [80, 160, 320, 640] };
        let (orders, errors) = orders(&exact, steps, answer);
        let parts = if has_smooth_multipliers(&stepper) { 0..3 } else { 0..2 };
        check("ball joint", &stepper, parts, &orders, &errors);
    }
}

#[test]
fn a_turning_four_bar_is_followed_with_the_order_of_every_method() {
    let end = 0.6;
    let mut exact = four_bar::exact(end);
    // Forces of a joint by a second method: RK4 with tiny steps has them to ten digits.
    exact[2] = answer(&run(four_bar::model(), Stepper::Rk4, end, 3000), &[1, 2, 3])[2].clone();
    for stepper in smooth() {
        let answer = |steps| answer(&run(four_bar::model(), stepper, end, steps), &[1, 2, 3]);
        let steps = match stepper {
            Stepper::Rk4 => [110, 220, 440, 880],
            _ if stepper.order() == 1 => [400, 800, 1600, 3200],
            _ => [100, 200, 400, 800],
        };
        let (orders, errors) = orders(&exact, steps, answer);
        let parts = if has_smooth_multipliers(&stepper) { 0..3 } else { 0..2 };
        check("four-bar", &stepper, parts, &orders, &errors);
    }
}

#[test]
fn andrews_squeezer_is_followed_with_the_order_of_every_method() {
    let end = 0.006;
    let bodies = [1, 2, 3, 4, 5, 6, 7];
    let exact = answer(&run(andrews::model(), Stepper::Rk4, end, 1500), &bodies);
    for stepper in Stepper::ALL.into_iter().filter(|stepper| !stepper.has_hard_contacts()) {
        let answer = |steps| answer(&run(andrews::model(), stepper, end, steps), &bodies);
        let steps = match stepper {
            Stepper::Rk4 => [40, 80, 160, 320],
            _ if stepper.order() == 1 => [400, 800, 1600, 3200],
            _ => [150, 300, 600, 1200],
        };
        let (orders, errors) = orders(&exact, steps, answer);
        let parts = if has_smooth_multipliers(&stepper) { 0..3 } else { 0..2 };
        check("Andrews", &stepper, parts, &orders, &errors);
    }
}

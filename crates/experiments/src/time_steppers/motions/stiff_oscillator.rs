//! Two masses: a soft spring to the ground, a stiff one between them, both without rest length, so that the motion is linear. In
//! the slow mode (1, r) both move as cos ω₁t, while the fast frequency ω₂ is there for steppers to cope with.

use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Mat3, Model, Vec3};

const SOFT: f64 = 4.0;
const MASS: f64 = 1.0;

/// The ratio r and ω₁² of the slow mode.
fn slow_mode(stiff: f64) -> (f64, f64) {
    // det(K − ω²M) = 0 with K = [soft + stiff, −stiff; −stiff, stiff]; the smaller root without cancellation.
    let b = (SOFT + 2.0 * stiff) / MASS;
    let c = SOFT * stiff / (MASS * MASS);
    let square = 2.0 * c / (b + (b * b - 4.0 * c).sqrt());
    (stiff / (stiff - MASS * square), square)
}

/// The masses at their start, displaced along the slow mode.
pub(crate) fn model(stiff: f64) -> Model {
    let (ratio, _) = slow_mode(stiff);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let mass = |name: &str, x: f64| Body::new(name, MASS, Mat3::IDENTITY).at(Vec3::new(x, 0.0, 0.0));
    let first = model.body(mass("first", 1.0));
    let second = model.body(mass("second", ratio));
    model.force("soft", Spring::new([ground, first], [Vec3::ZERO; 2], SOFT, 0.0, 0.0));
    model.force("stiff", Spring::new([first, second], [Vec3::ZERO; 2], stiff, 0.0, 0.0));
    model.build().expect("a model")
}

/// Positions and velocities in closed form; no multipliers.
pub(crate) fn exact(stiff: f64, end: f64) -> [Vec<f64>; 3] {
    let (ratio, square) = slow_mode(stiff);
    let omega = square.sqrt();
    let both = |f: f64| [1.0, ratio].iter().flat_map(|x| [x * f, 0.0, 0.0]).collect::<Vec<_>>();
    [both((omega * end).cos()), both(-omega * (omega * end).sin()), vec![]]
}

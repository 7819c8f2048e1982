//! Andrews' squeezer: seven bodies in a plane, ten hinges, one spring, a motor's torque.
//!
//! Data and reference from the test set for initial value problems; angles β, Θ, γ, Φ, δ, Ω, ε.

use signorini_mechanics::force::{Load, Spring};
use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, State, Vec3};

const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const A: Vec3 = Vec3::new(-0.06934, -0.00227, 0.0);
const B: Vec3 = Vec3::new(-0.03635, 0.03273, 0.0);
const C: Vec3 = Vec3::new(0.014, 0.072, 0.0);

/// β, Θ, γ, Φ, δ, Ω, ε at the start.
pub(crate) const START: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];
/// The same at t = 0.03 s, published.
pub(crate) const REFERENCE: [f64; 7] = [
    15.810_771_196_299_04,
    -15.756_371_059_842_98,
    0.040_822_240_130_731_01,
    -0.534_730_116_322_694_8,
    0.524_409_965_880_530_4,
    0.534_730_116_322_694_8,
    1.048_080_741_042_263,
];
/// Their rates at t = 0.03 s, published.
pub(crate) const REFERENCE_RATES: [f64; 7] = [
    1_139.920_302_151_208,
    -1_424.379_294_994_111,
    11.032_912_219_371_34,
    19.293_374_644_213_85,
    0.573_569_928_479_080_8,
    -19.293_374_644_213_85,
    0.323_179_165_802_695_5,
];

fn along(angle: f64) -> Vec3 {
    Vec3::new(angle.cos(), angle.sin(), 0.0)
}

/// (sin φ, −cos φ).
fn across(angle: f64) -> Vec3 {
    Vec3::new(angle.sin(), -angle.cos(), 0.0)
}

/// Centres of mass and angles of the seven bodies.
fn places([beta, theta, gamma, phi, delta, omega, epsilon]: [f64; 7]) -> [(Vec3, f64); 7] {
    [
        (RA * along(beta), beta),
        (RR * along(beta) - DA * along(beta + theta), beta + theta),
        (B + SA * across(gamma) + SB * along(gamma), gamma),
        (A + ZT * along(delta) + (E - EA) * across(phi + delta), phi + delta),
        (A + TA * along(delta) - TB * across(delta), delta),
        (A + U * across(epsilon) + (ZF - FA) * along(omega + epsilon), omega + epsilon),
        (A + UA * across(epsilon) - UB * along(epsilon), epsilon),
    ]
}

/// The mechanism at its start.
pub(crate) fn model() -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let masses = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
    let inertias = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
    let poses = places(START).map(|(centre, angle)| Pose::new(centre, Quat::from_rotation_z(angle)));
    let bodies: Vec<BodyId> = (0..7)
        .map(|k| {
            // Only the moment about z matters; a ball has the same about all axes.
            let inertia = Mat3::from_diagonal(Vec3::splat(inertias[k]));
            model.body(Body::new(format!("K{}", k + 1), masses[k], inertia).posed(poses[k]))
        })
        .collect();
    let [beta, theta, gamma, _, delta, _, epsilon] = START;
    let k = RR * along(beta) - D * along(beta + theta);
    let mut hinge = |name: &str, a: Option<usize>, b: usize, point: Vec3| {
        let id = |body: Option<usize>| body.map_or(ground, |body| bodies[body - 1]);
        let pose = |body: Option<usize>| body.map_or(Pose::IDENTITY, |body| poses[body - 1]);
        let pair = [pose(a), pose(Some(b))];
        let frame = Pose::new(point, Quat::IDENTITY);
        let anchors = Anchors::from_world([id(a), id(Some(b))], [&pair[0], &pair[1]], frame);
        model.joint(name, Revolute::new(anchors));
    };
    hinge("O", None, 1, Vec3::ZERO);
    hinge("crank", Some(1), 2, RR * along(beta));
    hinge("K3", Some(2), 3, k);
    hinge("K4", Some(2), 4, k);
    hinge("K6", Some(2), 6, k);
    hinge("B", None, 3, B);
    hinge("A5", None, 5, A);
    hinge("A7", None, 7, A);
    hinge("E", Some(5), 4, A + ZT * along(delta));
    hinge("F", Some(7), 6, A + U * across(epsilon));
    let end = B + SD * along(gamma) + SC * across(gamma);
    let on_body = poses[2].inverse() * end;
    model.force("spring", Spring::new([ground, bodies[2]], [C, on_body], 4530.0, 0.0, 0.07785));
    model.force("motor", Load::new(bodies[0]).torque(Vec3::new(0.0, 0.0, 0.033), None));
    model.build().expect("the data are those of a mechanism")
}

/// The seven angles of a state, whole turns taken from `near`.
pub(crate) fn angles(state: &State, near: &[f64; 7]) -> [f64; 7] {
    let turn = |body: usize| {
        let rotation = state.poses[body].rotation;
        2.0 * rotation.z.atan2(rotation.w)
    };
    let [beta, crank, gamma, four, delta, six, epsilon] = [1, 2, 3, 4, 5, 6, 7].map(turn);
    let angles = [beta, crank - beta, gamma, four - delta, delta, six - epsilon, epsilon];
    std::array::from_fn(|k| {
        let turns = ((near[k] - angles[k]) / std::f64::consts::TAU).round();
        angles[k] + turns * std::f64::consts::TAU
    })
}

/// Their rates.
pub(crate) fn rates(state: &State) -> [f64; 7] {
    let w = [1, 2, 3, 4, 5, 6, 7].map(|body: usize| state.angular_velocities[body].z);
    [w[0], w[1] - w[0], w[2], w[3] - w[4], w[4], w[5] - w[6], w[6]]
}

/// The largest error of a rate, relative to the largest of 1 and its size.
pub(crate) fn rate_error(state: &State) -> f64 {
    rates(state).iter().zip(REFERENCE_RATES).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

/// The largest error of an angle, relative to the largest of 1 and its size.
pub(crate) fn error(state: &State) -> f64 {
    let found = angles(state, &REFERENCE);
    found.iter().zip(REFERENCE).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

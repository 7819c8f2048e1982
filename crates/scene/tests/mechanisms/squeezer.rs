//! Andrews' squeezer: its data once more, from the literature's formulas.

use crate::support::{Run, about_z, scene, wrapped};
use signorini_mechanics::joint::{MAX_ROWS, Row};
use signorini_mechanics::{Pose, Quat, Settings, Stepper, Vec3};

/// β, Θ, γ, Φ, δ, Ω, ε of Andrews' squeezer.
type Angles = [f64; 7];

/// Hinges of the squeezer: two bodies (0 is the ground), and the point in the frame of each from its centre of mass.
const SQUEEZER: [(usize, [f64; 2], usize, [f64; 2]); 10] = [
    (0, [0.0, 0.0], 1, [-0.00092, 0.0]),
    (1, [0.007 - 0.00092, 0.0], 2, [0.0115, 0.0]),
    (2, [0.0115 - 0.028, 0.0], 3, [-0.01043, 0.01874 - 0.035]),
    (2, [0.0115 - 0.028, 0.0], 4, [0.0, -0.01421]),
    (2, [0.0115 - 0.028, 0.0], 6, [0.01421, 0.0]),
    (0, [-0.03635, 0.03273], 3, [-0.01043, 0.01874]),
    (0, [-0.06934, -0.00227], 5, [-0.02308, -0.00916]),
    (0, [-0.06934, -0.00227], 7, [0.00449, 0.01228]),
    (5, [0.04 - 0.02308, -0.00916], 4, [0.0, 0.02 - 0.01421]),
    (7, [0.00449, 0.01228 - 0.04], 6, [0.01421 - 0.02, 0.0]),
];

/// Centres of mass and angles of its seven bodies, as the literature gives them; the ground first.
fn squeezer([beta, theta, gamma, phi, delta, omega, epsilon]: Angles) -> [(f64, f64, f64); 8] {
    let (xa, ya, xb, yb) = (-0.06934, -0.00227, -0.03635, 0.03273);
    let (two, four, six) = (beta + theta, phi + delta, omega + epsilon);
    [
        (0.0, 0.0, 0.0),
        (0.00092 * beta.cos(), 0.00092 * beta.sin(), beta),
        (0.007 * beta.cos() - 0.0115 * two.cos(), 0.007 * beta.sin() - 0.0115 * two.sin(), two),
        (xb + 0.01874 * gamma.sin() + 0.01043 * gamma.cos(), yb - 0.01874 * gamma.cos() + 0.01043 * gamma.sin(), gamma),
        (
            xa + 0.04 * delta.cos() + (0.02 - 0.01421) * four.sin(),
            ya + 0.04 * delta.sin() - (0.02 - 0.01421) * four.cos(),
            four,
        ),
        (xa + 0.02308 * delta.cos() - 0.00916 * delta.sin(), ya + 0.02308 * delta.sin() + 0.00916 * delta.cos(), delta),
        (
            xa + 0.04 * epsilon.sin() + (0.02 - 0.01421) * six.cos(),
            ya - 0.04 * epsilon.cos() + (0.02 - 0.01421) * six.sin(),
            six,
        ),
        (
            xa + 0.01228 * epsilon.sin() - 0.00449 * epsilon.cos(),
            ya - 0.01228 * epsilon.cos() - 0.00449 * epsilon.sin(),
            epsilon,
        ),
    ]
}

/// Where a point of a flat body is.
fn flat((x, y, angle): (f64, f64, f64), [px, py]: [f64; 2]) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(x + cos * px - sin * py, y + sin * px + cos * py, 0.0)
}

const SQUEEZER_START: Angles = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_9,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_9,
    1.230_547_444_549_821_2,
];
const SQUEEZER_END: Angles = [
    15.810_771_196_299_04,
    -15.756_371_059_842_98,
    0.040_822_240_130_731_01,
    -0.534_730_116_322_694_8,
    0.524_409_965_880_530_4,
    0.534_730_116_322_694_8,
    1.048_080_741_042_263,
];

#[test]
fn the_squeezer_starts_closed_and_its_hinges_hold_where_the_reference_ends() {
    let scene = scene("andrews-squeezer", &[]);
    let index = |k: usize| match k {
        0 => scene.model.body_named("world").expect("the ground").index(),
        _ => scene.model.body_named(&format!("body-{k}")).expect("the body").index(),
    };
    let places: Vec<_> = (0..8).map(|k| scene.model.bodies()[index(k)].start).collect();
    let own = squeezer(SQUEEZER_START);
    for (pose, (x, y, angle)) in places.iter().zip(own) {
        assert!((pose.position - Vec3::new(x, y, 0.0)).length() < 1e-15, "{pose:?}");
        assert!((about_z(pose.rotation) - angle).abs() < 1e-15, "{pose:?}");
    }
    for (a, on_a, b, on_b) in SQUEEZER {
        let ends = [(a, on_a), (b, on_b)].map(|(k, [x, y])| places[k] * Vec3::new(x, y, 0.0));
        assert!((ends[0] - ends[1]).length() < 1e-12, "{a}-{b}: {ends:?}");
    }
    // Another place of the mechanism, from an integration of its own: the hinges of the scene are where they should be.
    let end = squeezer(SQUEEZER_END);
    let mut poses = vec![Pose::IDENTITY; scene.model.bodies().len()];
    for (k, (x, y, angle)) in end.into_iter().enumerate() {
        poses[index(k)] = Pose::new(Vec3::new(x, y, 0.0), Quat::from_rotation_z(angle));
    }
    for (a, on_a, b, on_b) in SQUEEZER {
        assert!((flat(end[a], on_a) - flat(end[b], on_b)).length() < 1e-10, "{a}-{b}");
    }
    assert_eq!(scene.model.joints().len(), SQUEEZER.len());
    for (name, joint) in scene.model.joints() {
        let mut rows = [Row::ZERO; MAX_ROWS];
        joint.evaluate(joint.bodies().map(|body| &poses[body.index()]), 0.0, &mut rows[..joint.rows()]);
        assert!(rows.iter().all(|row| row.value.abs() < 1e-10), "{name}: {rows:?}");
    }
}

#[test]
fn the_squeezer_sets_off_with_the_published_accelerations() {
    let step = 1e-6;
    let mut run = Run::with("andrews-squeezer", &[], |settings| Settings {
        step,
        stepper: Stepper::DviEuler,
        extrapolate: false,
        joint_tolerance: Some(1e-10),
        ..settings
    });
    run.step();
    let rate = |k: usize| run.state().angular_velocities[run.body(&format!("body-{k}"))].z / step;
    let (beta, theta) = (14_222.443_919_954_1, -10_666.832_939_965_6);
    for (k, published) in [(1, beta), (2, beta + theta), (3, 0.0), (4, 0.0), (5, 0.0), (6, 0.0), (7, 0.0)] {
        // Rounding of the poses, 1e-17 m, over levers of 1 cm and h².
        assert!((rate(k) - published).abs() < 1e-2, "body {k}: {}, {published}", rate(k));
    }
}

/// β, Θ, γ, Φ, δ, Ω, ε at t = 0.03 s, published.
const PUBLISHED: Angles = [
    15.810_771_196_299_04,
    -15.756_371_059_842_98,
    0.040_822_240_130_731_01,
    -0.534_730_116_322_694_8,
    0.524_409_965_880_530_4,
    0.534_730_116_322_694_8,
    1.048_080_741_042_263,
];

#[test]
fn the_squeezer_ends_where_the_literature_says_to_1e_6_within_2000_steps() {
    // Each interval is one step of h and two of h/2.
    let intervals = 666;
    let mut run =
        Run::with("andrews-squeezer", &[], |settings| Settings { step: 0.03 / f64::from(intervals), ..settings });
    let mut steps = 0;
    let mut error = None;
    for _ in 0..intervals {
        let report = run.simulation.step().expect("a step");
        assert!(report.converged(), "{report:?}");
        steps += report.substeps;
        error = report.error_estimate;
    }
    assert!(steps <= 2000, "{steps} steps");
    let turn = |k: usize| run.turn(&format!("body-{k}"));
    let found = [turn(1), turn(2) - turn(1), turn(3), turn(4) - turn(5), turn(5), turn(6) - turn(7), turn(7)];
    for (found, published) in found.iter().zip(PUBLISHED) {
        let off = wrapped(found - published).abs() / published.abs().max(1.0);
        assert!(off < 1e-6, "{found} and {published}: {off:e}");
    }
    // What was removed is what the steps of h/2 alone are off by: 4.4e-4 of a turn of body 1.
    let [_, radians] = error.expect("an estimate");
    assert!(radians > 1e-5 && radians < 1e-3, "{radians}");
}

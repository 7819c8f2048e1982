//! Cables pull, never push.

use crate::support::{Random, largest};
use signorini_mechanics::Vec3;
use signorini_mechanics::flexible::element::{Cable, Tangent};

#[test]
fn a_cable_pulls_by_its_strain_and_damper_and_is_slack_below_its_length() {
    let cable = Cable::new(2.0, 1000.0, 5.0, 0.3).unwrap();
    let (ends, still) = ([Vec3::ZERO, Vec3::Z * 2.1], [Vec3::ZERO; 2]);
    let mut force = [Vec3::ZERO; 2];
    cable.force(&ends, &still, &mut force);
    assert!((force[0] - Vec3::Z * 50.0).length() < 1e-10 && force[0] == -force[1]);
    assert!((cable.energy(&ends) - 2.5).abs() < 1e-12);
    assert!((cable.tension(&ends, &[Vec3::ZERO, Vec3::new(7.0, 0.0, 2.0)]) - 60.0).abs() < 1e-10);
    assert_eq!(cable.tension(&ends, &[Vec3::ZERO, Vec3::Z * -20.0]), 0.0, "a damper does not push");
    for slack in [[Vec3::ZERO, Vec3::X * 1.9], [Vec3::ONE; 2]] {
        cable.force(&slack, &[Vec3::ZERO, Vec3::X], &mut force);
        assert!(force == [Vec3::ZERO; 2] && cable.energy(&slack) == 0.0);
    }
    assert!((cable.lumped_mass() - 0.3).abs() < 1e-15);
}

#[test]
fn tangents_of_a_cable_agree_with_differences() {
    let cable = Cable::new(1.0, 100.0, 2.0, 1.0).unwrap();
    let (mut random, step) = (Random(4), 1e-6);
    for _ in 0..5 {
        let now = [random.vector(), random.vector() + Vec3::X * 4.0];
        let velocity = [random.vector(), random.vector()];
        let (mut stiffness, mut damping) = ([0.0; 36], [0.0; 36]);
        cable.tangent(&now, &velocity, Tangent::Exact, &mut stiffness, &mut damping);
        let scale = largest(stiffness);
        for column in 0..6 {
            let slope = |of_position: bool, row: usize| {
                let at = |h: f64| {
                    let (mut x, mut v, mut force) = (now, velocity, [Vec3::ZERO; 2]);
                    let target = if of_position { &mut x } else { &mut v };
                    target[column / 3][column % 3] += h;
                    cable.force(&x, &v, &mut force);
                    force[row / 3][row % 3]
                };
                (at(-step) - at(step)) / (2.0 * step)
            };
            for row in 0..6 {
                assert!((slope(true, row) - stiffness[6 * row + column]).abs() < 1e-7 * scale);
                assert!((slope(false, row) - damping[6 * row + column]).abs() < 1e-7 * scale);
            }
        }
        // Without speed both tangents agree, and are symmetric.
        let mut positive = [0.0; 36];
        let still = [Vec3::ZERO; 2];
        cable.tangent(&now, &still, Tangent::Exact, &mut stiffness, &mut damping);
        cable.tangent(&now, &still, Tangent::Positive, &mut positive, &mut damping);
        assert_eq!(stiffness, positive);
        assert!((0..36).all(|k| (positive[k] - positive[k % 6 * 6 + k / 6]).abs() < 1e-12 * scale));
    }
}

#[test]
fn cables_out_of_range_are_refused_by_name() {
    for (numbers, name) in [
        ([0.0, 1.0, 0.0, 1.0], "rest length"),
        ([1.0, f64::NAN, 0.0, 1.0], "axial stiffness"),
        ([1.0, 1.0, -1.0, 1.0], "damping"),
        ([1.0, 1.0, 0.0, f64::INFINITY], "linear density"),
    ] {
        let [l, ea, c, rho] = numbers;
        let message = Cable::new(l, ea, c, rho).unwrap_err().to_string();
        assert!(message.starts_with(name), "{message}");
    }
}

//! The period of one pendulum, the energy of two.

use crate::support::Run;
use std::f64::consts::TAU;

/// The limit of arithmetic and geometric means.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[test]
fn the_period_of_a_pendulum_is_that_of_the_arithmetic_geometric_mean() {
    let (l, r, amplitude) = (0.8_f64, 0.08_f64, 70_f64.to_radians());
    let exact = TAU * ((l * l + 0.4 * r * r) / (9.81 * l)).sqrt() / agm(1.0, (0.5 * amplitude).cos());
    let period = |step: f64| {
        let mut run = Run::new("pendulum", &[], step);
        let (mut before, mut passed) = (run.position("bob").x, Vec::new());
        while passed.len() < 2 {
            run.step();
            let x = run.position("bob").x;
            // Every other passage of the lowest place.
            if before > 0.0 && x <= 0.0 {
                passed.push(run.state().time - step * x / (x - before));
            }
            before = x;
        }
        passed[1] - passed[0]
    };
    let (coarse, fine) = (period(2e-3), period(1e-3));
    // Symmetric steps: the error is of second order, and what is left without it far smaller.
    let left = (4.0 * fine - coarse) / 3.0 - exact;
    assert!((fine - exact).abs() < 1e-5 && left.abs() < 1e-7, "{coarse}, {fine}, {exact}");
}

#[test]
fn the_energy_of_a_double_pendulum_changes_by_the_error_of_the_steps_only() {
    let rods = [("upper", 0.6), ("lower", 0.4)];
    let lost = |step: f64| {
        let mut run = Run::new("double-pendulum", &[], step);
        let energy = |run: &Run| -> f64 {
            let one = |(name, length): (&str, f64)| {
                let (mass, at) = (2.0 * length, run.body(name));
                let across = mass * (length * length + 0.03 * 0.03) / 12.0;
                let (v, omega) = (run.state().velocities[at], run.state().angular_velocities[at]);
                assert!(omega.x.abs() + omega.z.abs() < 1e-9, "it left its plane: {omega}");
                0.5 * (mass * v.length_squared() + across * omega.y * omega.y) + mass * 9.81 * run.position(name).z
            };
            rods.into_iter().map(one).sum()
        };
        let start = energy(&run);
        while run.state().time < 0.5 - 1e-9 {
            run.step();
        }
        start - energy(&run)
    };
    // Of second order, and small against the 12 J between the rods upright and hanging.
    let (coarse, fine) = (lost(1e-3), lost(5e-4));
    assert!(fine.abs() < 1e-4 && (4.0 * fine - coarse).abs() < 0.1 * coarse.abs(), "{coarse}, {fine}");
}

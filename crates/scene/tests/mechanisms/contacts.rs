//! Mechanisms that contacts hold together or drive.

use crate::support::{Run, wrapped};
use signorini_mechanics::Vec3;
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2, TAU};

#[test]
fn a_pin_with_play_stays_in_its_hole() {
    let (step, crank, rod, play): (f64, f64, f64, f64) = (2e-4, 0.05, 0.15, 5e-4);
    let mut run = Run::new("slider-crank-clearance", &[], step);
    let from_pin = run.position("piston").x - (crank + rod);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for _ in 0..1500 {
        run.step();
        let phi = 30.0 * run.state().time;
        let with_rod = |rod: f64| crank * phi.cos() + (rod * rod - (crank * phi.sin()).powi(2)).sqrt();
        // Along the normal of the contact the pin stops at the wall. What leads it out is a way s across that, by s²/(2 play),
        // and that the hole, half a rod from the rod's centre of mass, moves on a circle: by (h ω)² l/2 at most.
        let hole = run.velocity("rod", 0.5 * rod * Vec3::X);
        let turned = step * run.state().angular_velocities[run.body("rod")].z;
        let bent = turned * turned * 0.5 * rod;
        let across = step * (run.velocity("piston", Vec3::ZERO) - hole).length() + bent;
        let beyond = across * across / (2.0 * play) + bent;
        let pin = run.position("piston").x - from_pin;
        let (inner, outer) = (with_rod(rod - play - beyond), with_rod(rod + play + beyond));
        assert!((inner..=outer).contains(&pin), "at {phi}: {pin}, expected {inner} to {outer}");
        least = least.min(pin - with_rod(rod));
        most = most.max(pin - with_rod(rod));
    }
    // All of the play is used, both ways.
    assert!(least < -0.9 * play && most > 0.9 * play, "{least}, {most}");
}

#[test]
fn a_geneva_wheel_turns_a_quarter_for_every_turn_of_the_driver() {
    let (speed, distance, play) = (3.0, 0.1, 2e-4);
    let circle = distance / SQRT_2;
    let mut run = Run::new("geneva-drive", &[], 1e-3);
    let slot = |run: &Run| wrapped(run.turn("wheel") - 0.25 * PI);
    while run.state().time < TAU / speed - 1e-9 {
        run.step();
        let alpha = speed * run.state().time - PI;
        // With the pin well inside a slot the wheel is where the pin has it, but for the play.
        if alpha.abs() < 40_f64.to_radians() {
            let (x, y) = (distance - circle * alpha.cos(), -circle * alpha.sin());
            let missed = x.hypot(y) * wrapped(slot(&run) + 0.25 * PI - y.atan2(x)).sin();
            // Pin and wall move on circles, and the wall turns while the pin slides along it: a step ends beyond the wall by
            // h² (½ ω² ρ + ½ Ω² a + ω v) at most.
            let omega = run.state().angular_velocities[run.body("wheel")].z.abs();
            let bent = 0.5 * (omega * omega * x.hypot(y) + speed * speed * circle);
            let beyond = 1e-6 * (bent + omega * speed * circle);
            assert!(missed.abs() <= play + beyond, "at {alpha}: {missed}");
        }
        if alpha < -55_f64.to_radians() {
            assert!(slot(&run).abs() < play / circle, "at {alpha}: {}", slot(&run));
        }
    }
    assert!((slot(&run) + FRAC_PI_2).abs() < play / circle, "{}", slot(&run));
}

#[test]
fn a_follower_rises_and_falls_with_the_eccentricity_of_its_cam() {
    let mut run = Run::new("cam-follower", &[], 5e-4);
    let start = run.position("follower").y;
    let mut worst = 0.0_f64;
    for _ in 0..700 {
        run.step();
        let lift = 0.01 * (1.0 - (20.0 * run.state().time).cos());
        worst = worst.max((run.position("follower").y - start - lift).abs());
    }
    // A flat face on a disc driven by a motor: contact and lift are met at the end of every step, whatever its length.
    assert!(worst < 1e-11, "{worst}");
}

#[test]
fn balls_of_a_bearing_take_their_cage_along_by_rolling() {
    let (inner, outer, clearance) = (0.02, 0.02 + 2.0 * 0.006 + 2e-5, 2e-5);
    let pitch = 0.5 * (inner + outer);
    // The bars of the cage, of 4 mm, are an eighth of a right angle from the balls.
    let play = 2.0 * pitch * (PI / 16.0).sin() - 0.006 - 0.004;
    // Rolling from the start, and slipping on the inner ring first.
    for set in [&[][..], &[("cage_speed", "6")][..]] {
        let mut run = Run::new("ball-bearing", set, 5e-4);
        for _ in 0..200 {
            run.step();
        }
        let angle = run.turn("cage");
        for _ in 0..400 {
            run.step();
        }
        let (turned, driven) = (wrapped(run.turn("cage") - angle), 30.0 * 400.0 * 5e-4);
        // Loaded balls roll on a path that the clearance leaves open, the cage lags or leads them by its play.
        let allowed = driven * inner / (inner + outer) * clearance / pitch + 2.0 * play / pitch;
        assert!((turned - driven * inner / (inner + outer)).abs() < allowed, "{turned}");
    }
}

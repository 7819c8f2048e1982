//! Linkages that pass singular positions, or have more constraints than freedoms, with the smooth stepper of their scenes.

use crate::support::Run;

/// Runs a scene for 10 s; returns the largest change of energy relative to the largest energy, and the worst joint \[m\].
fn ten_seconds(name: &str, set: &[(&str, &str)], step: f64) -> (f64, f64) {
    let mut run = Run::new(name, set, step);
    let (mut start, mut change, mut size, mut worst) = (None, 0.0_f64, 0.0_f64, 0.0_f64);
    while run.state().time < 10.0 - 1e-9 {
        let report = run.simulation.step().expect("a step");
        assert!(report.converged(), "{report:?}");
        let energy = report.energy.total();
        change = change.max((energy - *start.get_or_insert(energy)).abs());
        size = size.max(energy.abs());
        worst = worst.max(report.joint_violation);
    }
    (change / size, worst)
}

#[test]
fn a_chain_of_two_windows_passes_its_singular_positions_for_ten_seconds() {
    let (energy, joints) = ten_seconds("n-four-bar", &[], 1e-3);
    assert!(energy < 1e-4 && joints < 1e-10, "{energy:e} {joints:e}");
}

#[test]
fn a_chain_of_forty_windows_passes_its_singular_positions_for_ten_seconds() {
    let (energy, joints) = ten_seconds("n-four-bar", &[("windows", "40")], 1e-3);
    // Forty pairs of freedoms meet where all bars lie flat: multipliers grow there, and joints give way by nanometres.
    assert!(energy < 1e-4 && joints < 1e-8, "{energy:e} {joints:e}");
}

#[test]
fn bricards_linkage_keeps_energy_and_joints_for_ten_seconds() {
    let (energy, joints) = ten_seconds("bricard", &[], 2e-3);
    assert!(energy < 1e-5 && joints < 1e-10, "{energy:e} {joints:e}");
}

//! The solver alone: a problem built row by row, solved to an accuracy in m/s, its answer checked.
#![allow(clippy::print_stdout)]

use signorini::solver::{Cone, ConeProblem, FrictionLaw, Method, SolverSettings, Tolerance, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: problem
    // A point mass of 2 kg meets a floor with the velocity (3, 0, −1) m/s. Rows are normal, tangent, tangent.
    let friction = 0.5;
    let mass = 2.0;
    let problem = ConeProblem::builder()
        .diagonal_body(&[mass; 3])
        .linear(&[-3.0 * mass, 0.0, mass]) // c = −M v before
        .rows(Cone::Friction { mu: friction }, &[&[(2, 1.0)], &[(0, 1.0)], &[(1, 1.0)]], &[0.0; 3])
        .build()?;
    // ANCHOR_END: problem
    // ANCHOR: solve
    let settings = SolverSettings { friction: FrictionLaw::Exact, ..SolverSettings::from(Method::default()) };
    let solution = solve(&problem, &settings.to(Tolerance::Velocity(1e-12)))?;
    let report = &solution.report;
    println!(
        "{} after {} iterations, {:.1e} m/s",
        report.status.name(),
        report.iterations,
        report.residuals.natural_map
    );
    // The floor takes 2 N s, friction at most half of that: 3 m/s become 2.5 m/s.
    let [x, y, z] = solution.velocity() else { return Err("three velocities".into()) };
    assert!((x - 2.5).abs() < 1e-9 && y.abs() < 1e-9 && z.abs() < 1e-9, "{x} {y} {z}");
    // ANCHOR_END: solve
    Ok(())
}

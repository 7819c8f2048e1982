//! Newton's method in velocities makes an answer of what is almost one, whatever contacts share and however heavy is what lies on light bodies.

use signorini_solver::family::SpherePacking;
use signorini_solver::{Cone, ConeProblem, FrictionLaw, Iterate, Limits, Solver, SolverSettings, Status, Tolerance};

/// g h of the stacks \[m/s\].
const FALL: f64 = 0.0981;

/// Masses on top of each other that grow `ratio` times per level, on a floor: the impulse at each level is the weight above it.
fn stack(levels: usize, ratio: f64) -> (ConeProblem, Vec<f64>) {
    let masses: Vec<f64> = (0..levels).map(|level| ratio.powi(level as i32)).collect();
    let mut builder = ConeProblem::builder();
    let mut linear = Vec::new();
    for mass in &masses {
        builder.diagonal_body(&[*mass]);
        linear.push(mass * FALL);
    }
    builder.linear(&linear);
    for level in 0..levels {
        let below = level.checked_sub(1).map(|below| (below, -1.0));
        let row: Vec<(usize, f64)> = below.into_iter().chain([(level, 1.0)]).collect();
        builder.row(Cone::NonNegative, &row, 0.0);
    }
    let weights = (0..levels).map(|level| FALL * masses[level..].iter().sum::<f64>()).collect();
    (builder.build().expect("valid"), weights)
}

fn settings(tolerance: f64) -> SolverSettings {
    SolverSettings { friction: FrictionLaw::Exact, ..SolverSettings::default() }.to(Tolerance::Velocity(tolerance))
}

#[test]
fn weights_of_a_stack_are_found_however_they_grow() {
    for (levels, ratio) in [(5, 1.0), (100, 1.0), (10, 10.0), (15, 10.0)] {
        let (problem, weights) = stack(levels, ratio);
        // Off by a share that no light body could carry.
        let impulse: Vec<f64> = weights.iter().enumerate().map(|(k, w)| w * (1.0 + 1e-6 * (k as f64).sin())).collect();
        let start = Iterate { velocity: vec![0.0; levels], impulse };
        let mut solver = Solver::new(settings(1e-10)).unwrap();
        *solver.problem_mut() = problem;
        let answer = solver.polish(&settings(1e-10), &start, &Limits::default()).unwrap();
        assert_eq!(answer.report.status, Status::Converged, "{levels} levels, ratio {ratio}");
        let off = answer.impulse().iter().zip(&weights).map(|(g, w)| (g / w - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{levels} levels, ratio {ratio}: off by {off}");
        let fastest = answer.velocity().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(fastest < 1e-9, "{levels} levels, ratio {ratio}: {fastest} m/s");
    }
}

/// What the interior point finds for slightly other offsets, Newton's method finds from the answer for these: the relaxed law has one answer in velocities.
#[test]
fn the_answer_of_a_neighbouring_problem_becomes_that_of_this_one() {
    // Walls that move together leave no answer to other seeds.
    for seed in [0, 1, 3] {
        let problem = SpherePacking { bodies: 80, friction: 0.3, seed, ..Default::default() }.problem().unwrap();
        let relaxed = |tolerance| SolverSettings { friction: FrictionLaw::Relaxed, ..settings(tolerance) };
        let mut solver = Solver::new(relaxed(1e-11)).unwrap();
        *solver.problem_mut() = problem;
        let first = solver.solve(None, &Limits::default()).unwrap();
        assert_eq!(first.report.status, Status::Converged, "seed {seed}: {:?}", first.report);
        let start = first.iterate.clone();
        // Other speeds of the bodies: what they make of the rows contradicts nothing, however many contacts share a load.
        let speeds: Vec<f64> = (0..solver.problem().velocities()).map(|k| 1e-9 * (k as f64).sin()).collect();
        let mut offset = vec![0.0; solver.problem().row_count()];
        solver.problem().rows().mul(&speeds, &mut offset);
        offset.iter_mut().zip(solver.problem().offset()).for_each(|(moved, b)| *moved += b);
        let expected = solver.solve_again(&offset).unwrap().velocity().to_vec();
        let found = solver.polish(&relaxed(1e-11), &start, &Limits::default()).unwrap();
        assert_eq!(found.report.status, Status::Converged, "seed {seed}: {:?}", found.report.residuals);
        let apart = found.velocity().iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "seed {seed}: velocities differ by {apart} m/s");
    }
}

#[test]
fn a_start_that_is_good_enough_is_the_answer() {
    let (problem, weights) = stack(4, 2.0);
    let start = Iterate { velocity: vec![0.0; 4], impulse: weights.iter().map(|w| w * (1.0 + 1e-9)).collect() };
    let mut solver = Solver::new(settings(1e-13)).unwrap();
    *solver.problem_mut() = problem;
    let limits = Limits { start_tolerance: Some(Tolerance::Velocity(1e-8)), ..Limits::default() };
    assert!(solver.polish(&settings(1e-13), &start, &limits).unwrap().was_start());
    assert!(!solver.polish(&settings(1e-13), &start, &Limits::default()).unwrap().was_start());
}

//! A solver of one's own: accelerated projected gradients on the dual problem, judged by the same residual as every other method.
#![allow(clippy::print_stdout)]

use signorini::solver::family::Brick;
use signorini::solver::{ConeProblem, InteriorPoint, ResidualMeter, SolveError, Tolerance, solve};

// ANCHOR: method
/// min ½gᵀNg + rᵀg over g ∈ K by Nesterov's method with the step 1/L, started again where it turns back:
///
/// ```text
/// g⁺ = Π_K(y − (Ny + r)/L),   y⁺ = g⁺ + β (g⁺ − g)
/// ```
///
/// Ends when the natural map, in m/s, is below `tolerance`; returns impulses, residual and iterations.
fn accelerated_gradients(problem: &ConeProblem, tolerance: f64) -> Result<(Vec<f64>, f64, usize), SolveError> {
    let mut meter = ResidualMeter::new(problem)?;
    let rows = problem.row_count();
    let free = meter.delassus().free_velocity().to_vec();
    let lipschitz = largest_eigenvalue(problem, &mut meter);
    let (mut g, mut y, mut gradient) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
    let mut momentum = 1.0_f64;
    for iteration in 0..100_000 {
        let residual = meter.measure_impulses(problem, &g).natural_map;
        if residual <= tolerance {
            return Ok((g, residual, iteration));
        }
        meter.delassus().apply(problem, &y, &mut gradient);
        let mut next: Vec<f64> =
            y.iter().zip(&gradient).zip(&free).map(|((y, n), r)| y - (n + r) / lipschitz).collect();
        for (rows, cone) in problem.each_block() {
            cone.project(&mut next[rows]);
        }
        // Uphill: start again without momentum.
        let uphill: f64 = y.iter().zip(&next).zip(&g).map(|((y, next), g)| (y - next) * (next - g)).sum();
        let grown = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) };
        let beta = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / grown };
        y = next.iter().zip(&g).map(|(next, g)| next + beta * (next - g)).collect();
        (g, momentum) = (next, grown);
    }
    let residual = meter.measure_impulses(problem, &g).natural_map;
    Ok((g, residual, 100_000))
}

/// L, the largest eigenvalue of N, by the power method.
fn largest_eigenvalue(problem: &ConeProblem, meter: &mut ResidualMeter) -> f64 {
    let rows = problem.row_count();
    let (mut x, mut nx, mut largest) = (vec![1.0; rows], vec![0.0; rows], 1.0);
    for _ in 0..100 {
        meter.delassus().apply(problem, &x, &mut nx);
        largest = nx.iter().map(|n| n * n).sum::<f64>().sqrt();
        x = nx.iter().map(|n| n / largest).collect();
    }
    1.05 * largest
}
// ANCHOR_END: method

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: use
    // A brick with redundant contacts: velocities are unique, impulses are not.
    let problem = Brick::default().problem()?;
    let (g, residual, iterations) = accelerated_gradients(&problem, 1e-9)?;
    assert!(residual <= 1e-9, "{residual} m/s are left");

    let settings = signorini::solver::SolverSettings::from(InteriorPoint::default()).to(Tolerance::Velocity(1e-10));
    let reference = solve(&problem, &settings)?;
    let mut meter = ResidualMeter::new(&problem)?;
    meter.measure_impulses(&problem, &g);
    let apart = meter.velocity().iter().zip(reference.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-7, "{apart} m/s from the interior point");
    println!(
        "{iterations} iterations, residual {residual:.1e} m/s, velocities {apart:.1e} m/s from those of interior-point"
    );
    // ANCHOR_END: use
    Ok(())
}

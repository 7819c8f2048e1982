//! Times the multifrontal factorisation on grids of bodies, with one thread and with all, beside faer's sparse Cholesky.
//!
//! `cargo run --release -p signorini-linalg --example factorisation_speed`
#![allow(clippy::print_stdout)]

use signorini_linalg::{
    Cholesky, CscMatrix, Graph, Multifrontal, MultifrontalStructure, OrderingChoice, SymbolicFactor, Threads,
    expand_to_rows, fill_reducing,
};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>7} {:>9} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "bodies", "Mflop", "1 thread", "pool", "faer", "Gflop/s", "solve ms"
    );
    for side in [4, 6, 8, 10, 12, 16] {
        measure(side)?;
    }
    Ok(())
}

/// A cube of bodies with 6 velocities each; neighbours are joined by contacts.
fn measure(side: usize) -> Result<(), Box<dyn std::error::Error>> {
    let at = |x: usize, y: usize, z: usize| (x * side + y) * side + z;
    let bodies = side.pow(3);
    let mut rows: Vec<Vec<usize>> = (0..bodies).map(|b| (6 * b..6 * b + 6).collect()).collect();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let neighbours = [
                    (x + 1 < side).then(|| at(x + 1, y, z)),
                    (y + 1 < side).then(|| at(x, y + 1, z)),
                    (z + 1 < side).then(|| at(x, y, z + 1)),
                ];
                for other in neighbours.into_iter().flatten() {
                    let own = at(x, y, z);
                    rows.push((6 * own..6 * own + 6).chain(6 * other..6 * other + 6).collect());
                }
            }
        }
    }
    let value = |i: usize, j: usize| if i == j { 4.0 } else { 0.1 };
    let fill = |element: usize, out: &mut [f64]| {
        let n = rows[element].len();
        (0..n * n).for_each(|e| out[e] = value(e / n, e % n));
    };
    let cliques: Vec<Vec<usize>> = rows.iter().map(|rows| rows.iter().map(|row| row / 6).collect()).collect();
    let graph = Graph::from_cliques(bodies, vec![6; bodies], cliques.iter().map(Vec::as_slice))?;
    let order = fill_reducing(&graph, OrderingChoice::Auto);
    let structure =
        std::sync::Arc::new(MultifrontalStructure::analyse(&graph, &order, rows.iter().map(Vec::as_slice))?);
    let mut times = Vec::new();
    let mut x = vec![1.0; 6 * bodies];
    let mut solve = 0.0;
    for threads in [Threads::One, Threads::Pool] {
        let mut factor = Multifrontal::new(structure.clone(), threads);
        times.push(best(|| factor.factorise(&fill).map_err(Into::into))?);
        solve = best(|| {
            factor.solve_in_place(&mut x);
            Ok(())
        })?;
    }
    let entries = rows.iter().flat_map(|rows| {
        rows.iter().enumerate().flat_map(move |(j, &c)| rows.iter().enumerate().map(move |(i, &r)| (r, c, value(i, j))))
    });
    let lower = CscMatrix::from_triplets(6 * bodies, 6 * bodies, entries)?.lower_triangle();
    let symbolic = SymbolicFactor::analyse(&lower, &expand_to_rows(&order, &graph.row_start()))?;
    let mut faer = Cholesky::new(symbolic.into(), Threads::One);
    times.push(best(|| faer.factorise(&lower).map_err(Into::into))?);
    println!(
        "{bodies:>7} {:>9.1} {:>7.2} ms {:>7.2} ms {:>7.2} ms {:>9.1} {:>9.2}",
        structure.flops() * 1e-6,
        times[0] * 1e3,
        times[1] * 1e3,
        times[2] * 1e3,
        structure.flops() * 1e-9 / times[0],
        solve * 1e3
    );
    Ok(())
}

/// Best of several runs, in seconds.
fn best(mut work: impl FnMut() -> Result<(), Box<dyn std::error::Error>>) -> Result<f64, Box<dyn std::error::Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

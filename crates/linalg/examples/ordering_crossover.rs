//! Where nested dissection overtakes minimum degree: fill and ordering time on graphs like those of piles of bodies.
//!
//! Run with `cargo run --release -p signorini-linalg --example ordering_crossover`.
#![allow(clippy::print_stdout)]

use signorini_linalg::{Graph, GraphError, factor_cost, minimum_degree, nested_dissection};
use std::time::Instant;

/// Scalar rows of a free body.
const WEIGHT: usize = 6;
const NEIGHBOURS: f64 = 7.0;
const REPETITIONS: usize = 3;
/// Random piles averaged over.
const PILES: u64 = 5;

fn main() -> Result<(), GraphError> {
    println!(
        "graph   vertices    edges    AMD flops     ND flops  AMD/ND    AMD time     ND time  Δtime per Gflop saved"
    );
    for vertices in [100, 250, 500, 1000, 1500, 2000, 3000, 4000, 8000, 16000] {
        report("grid", &[grid(vertices)?]);
        report("pile", &(0..PILES).map(|seed| pile(vertices, seed)).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(())
}

/// One line of the table: means over some graphs of one kind.
fn report(name: &str, graphs: &[Graph]) {
    let count = graphs.len() as f64;
    let (mut edges, mut amd, mut nd, mut amd_seconds, mut nd_seconds) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for graph in graphs {
        let (amd_order, amd_time) = timed(|| minimum_degree(graph));
        let (nd_order, nd_time) = timed(|| nested_dissection(graph));
        edges += graph.edges() as f64 / count;
        amd += factor_cost(graph, &amd_order).flops / count;
        nd += factor_cost(graph, &nd_order).flops / count;
        amd_seconds += amd_time / count;
        nd_seconds += nd_time / count;
    }
    let price = 1e3 * (nd_seconds - amd_seconds) / (1e-9 * (amd - nd));
    let price = if amd > nd { format!("{price:.1} ms") } else { "no saving".into() };
    println!(
        "{name}  {:>9}  {edges:>7.0}  {amd:>11.3e}  {nd:>11.3e}  {:>6.2}  {:>7.2} ms  {:>7.2} ms  {price:>21}",
        graphs[0].vertices(),
        amd / nd,
        1e3 * amd_seconds,
        1e3 * nd_seconds,
    );
}

/// The result and the shortest time of some repetitions, in s.
fn timed(order: impl Fn() -> Vec<usize>) -> (Vec<usize>, f64) {
    let mut best = f64::INFINITY;
    let mut result = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        result = order();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (result, best)
}

/// The first `n` vertices of a cubic grid, layer by layer, each joined to its six neighbours.
fn grid(n: usize) -> Result<Graph, GraphError> {
    let side = (1..).find(|side| side * side * side >= n).unwrap_or(n);
    let mut edges = Vec::new();
    for vertex in 0..n {
        let (i, j) = (vertex % side, vertex / side % side);
        let ahead = [(i + 1 < side, 1), (j + 1 < side, side), (true, side * side)];
        let inside = ahead.into_iter().filter(|&(exists, stride)| exists && vertex + stride < n);
        edges.extend(inside.map(|(_, stride)| [vertex, vertex + stride]));
    }
    Graph::from_cliques(n, vec![WEIGHT; n], edges.iter().map(|edge| &edge[..]))
}

/// `n` random points in the unit cube, joined within the radius that gives [`NEIGHBOURS`] on average away from the walls.
fn pile(n: usize, seed: u64) -> Result<Graph, GraphError> {
    let mut random = Random(seed);
    let points: Vec<[f64; 3]> = (0..n).map(|_| [random.next(), random.next(), random.next()]).collect();
    let radius = (NEIGHBOURS / (n as f64 * 4.0 / 3.0 * std::f64::consts::PI)).cbrt();
    // Cells of one radius: neighbours are in the 27 cells around.
    let side = ((1.0 / radius).floor() as usize).max(1);
    let cell_of = |p: &[f64; 3]| p.map(|x| ((x * side as f64) as usize).min(side - 1));
    let mut cells = vec![Vec::new(); side * side * side];
    let mut edges = Vec::new();
    for (a, p) in points.iter().enumerate() {
        let [i, j, k] = cell_of(p);
        let around = |c: usize| c.saturating_sub(1)..=(c + 1).min(side - 1);
        for (i, j, k) in around(i).flat_map(|i| around(j).flat_map(move |j| around(k).map(move |k| (i, j, k)))) {
            let near = |q: &[f64; 3]| p.iter().zip(q).map(|(x, y)| (x - y).powi(2)).sum::<f64>() < radius * radius;
            let cell: &Vec<usize> = &cells[(k * side + j) * side + i];
            edges.extend(cell.iter().filter(|&&b| near(&points[b])).map(|&b| [a, b]));
        }
        cells[(k * side + j) * side + i].push(a);
    }
    Graph::from_cliques(n, vec![WEIGHT; n], edges.iter().map(|edge| &edge[..]))
}

/// SplitMix64, as a uniform number in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

//! Approximate minimum degree [AmestoyDavisDuff1996], as implemented by faer.

use super::Graph;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Approximate minimum degree: `order[k]` is the vertex eliminated k-th. Weights are ignored.
#[must_use]
pub fn minimum_degree(graph: &Graph) -> Vec<usize> {
    let n = graph.vertices();
    if graph.edges() == 0 {
        return (0..n).collect();
    }
    // The strict upper triangle: faer completes the pattern itself, and sizes its buffers for one triangle.
    let mut col_start = Vec::with_capacity(n + 1);
    let mut rows = Vec::with_capacity(graph.edges());
    col_start.push(0);
    for vertex in 0..n {
        rows.extend(graph.neighbours(vertex).iter().copied().take_while(|&other| other < vertex));
        col_start.push(rows.len());
    }
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &col_start, None, &rows);
    let (mut order, mut position) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    let stack = MemStack::new(&mut memory);
    match amd::order(&mut order, &mut position, pattern, amd::Control::default(), stack) {
        Ok(_) => order,
        // Index overflow only, which vectors in memory cannot reach. Any order is valid, the given one will do.
        Err(_) => (0..n).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::grid;
    use super::super::{Graph, factor_cost};
    use super::*;

    #[test]
    fn trees_are_ordered_without_fill() {
        let edges: Vec<[usize; 2]> = (1..200).map(|child| [child, (child - 1) / 3]).collect();
        let tree = Graph::from_cliques(200, vec![1; 200], edges.iter().map(|edge| &edge[..])).unwrap();
        assert_eq!(factor_cost(&tree, &minimum_degree(&tree)).entries, 200 + 199);
    }

    #[test]
    fn grids_fill_less_than_in_the_natural_order() {
        for (graph, gain) in [(grid(30, 30, 1, 1), 2.0), (grid(12, 12, 12, 1), 2.0)] {
            let natural: Vec<usize> = (0..graph.vertices()).collect();
            let (natural, ours) = (factor_cost(&graph, &natural), factor_cost(&graph, &minimum_degree(&graph)));
            assert!(gain * ours.flops < natural.flops, "{ours:?} {natural:?}");
        }
    }
}

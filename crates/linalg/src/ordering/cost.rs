//! What a factorisation costs in a given order.

use super::Graph;

/// Size of the Cholesky factor of a matrix with the pattern of a graph, every vertex a dense block of its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FactorCost {
    /// Entries of the factor, diagonal included.
    pub entries: usize,
    /// Σ η², η the entries of a column: multiplications and additions of the factorisation, to leading order.
    pub flops: f64,
}

/// Counts the factor of a graph in an order of elimination, in time proportional to its number of blocks.
///
/// Row k of the factor has the vertices on the paths, in the elimination tree, from the earlier neighbours of the k-th
/// vertex up to it: walking these paths finds the tree and the weight below every diagonal block at once.
#[must_use]
pub fn factor_cost(graph: &Graph, order: &[usize]) -> FactorCost {
    let n = graph.vertices();
    debug_assert_eq!(order.len(), n);
    const NONE: usize = usize::MAX;
    let mut position = vec![NONE; n];
    for (k, &vertex) in order.iter().enumerate() {
        position[vertex] = k;
    }
    let (mut parent, mut seen_by, mut below) = (vec![NONE; n], vec![NONE; n], vec![0_usize; n]);
    for (k, &vertex) in order.iter().enumerate() {
        seen_by[k] = k;
        for &neighbour in graph.neighbours(vertex) {
            let mut at = position[neighbour];
            while at < k && seen_by[at] != k {
                seen_by[at] = k;
                below[at] += graph.weights()[vertex];
                if parent[at] == NONE {
                    parent[at] = k;
                }
                at = parent[at];
            }
        }
    }
    let mut cost = FactorCost::default();
    for (&vertex, &below) in order.iter().zip(&below) {
        for own in 1..=graph.weights()[vertex] {
            let column = below + own;
            cost.entries += column;
            cost.flops += (column as f64).powi(2);
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::super::samples::any_graph;
    use super::super::{expand_to_rows, minimum_degree};
    use super::*;
    use crate::CscMatrix;
    use proptest::prelude::*;

    /// Elimination on a dense pattern of scalar rows, by the definition.
    fn by_elimination(graph: &Graph, order: &[usize]) -> FactorCost {
        let start = graph.row_start();
        let rows = expand_to_rows(order, &start);
        let n = rows.len();
        let vertex_of: Vec<usize> =
            (0..graph.vertices()).flat_map(|v| std::iter::repeat_n(v, graph.weights()[v])).collect();
        let mut pattern = vec![vec![false; n]; n];
        for (i, row) in pattern.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let (a, b) = (vertex_of[rows[i]], vertex_of[rows[j]]);
                *entry = a == b || graph.neighbours(a).contains(&b);
            }
        }
        let mut cost = FactorCost::default();
        for k in 0..n {
            let column: Vec<usize> = (k..n).filter(|&i| pattern[i][k]).collect();
            cost.entries += column.len();
            cost.flops += (column.len() as f64).powi(2);
            for &i in &column {
                for &j in &column {
                    pattern[i][j] = true;
                }
            }
        }
        cost
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_count_is_that_of_the_elimination(graph in any_graph()) {
            let small = graph.induced(&(0..graph.vertices().min(40)).collect::<Vec<_>>());
            // Zero weights break the equality: a vertex without rows joins its neighbours here, but not in the matrix.
            let weights = small.weights().iter().map(|&weight| weight.max(1)).collect();
            let edges: Vec<[usize; 2]> = (0..small.vertices())
                .flat_map(|a| small.neighbours(a).iter().map(move |&b| [a, b]))
                .collect();
            let small = Graph::from_cliques(small.vertices(), weights, edges.iter().map(|edge| &edge[..])).unwrap();
            let order = minimum_degree(&small);
            prop_assert_eq!(factor_cost(&small, &order), by_elimination(&small, &order));
        }
    }

    #[test]
    fn a_dense_matrix_has_all_entries_in_any_order() {
        let a = CscMatrix::from_triplets(3, 3, (0..9).map(|e| (e / 3, e % 3, 1.0))).unwrap();
        let graph = Graph::from_symmetric_pattern(&a).unwrap();
        assert_eq!(factor_cost(&graph, &[2, 0, 1]), FactorCost { entries: 6, flops: 14.0 });
    }
}

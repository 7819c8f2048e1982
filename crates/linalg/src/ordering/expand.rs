//! From orders of blocks to orders of scalar rows.

/// The order of scalar rows that belongs to an order of vertices: the rows of each vertex stay consecutive and in their
/// own order. Vertex `v` has the rows `vertex_start[v]..vertex_start[v + 1]`; `order[k]` is what is eliminated k-th, in
/// the argument as in the result.
///
/// ```
/// use signorini_linalg::expand_to_rows;
/// // Two bodies with rows 0..3 and 3..5, the second one first.
/// assert_eq!(expand_to_rows(&[1, 0], &[0, 3, 5]), [3, 4, 0, 1, 2]);
/// ```
#[must_use]
pub fn expand_to_rows(order_of_vertices: &[usize], vertex_start: &[usize]) -> Vec<usize> {
    debug_assert_eq!(vertex_start.len(), order_of_vertices.len() + 1);
    let mut rows = Vec::with_capacity(vertex_start.last().copied().unwrap_or(0));
    for &vertex in order_of_vertices {
        rows.extend(vertex_start[vertex]..vertex_start[vertex + 1]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::minimum_degree;
    use super::super::samples::{any_graph, is_permutation};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_permuted_vertex_by_vertex(graph in any_graph()) {
            let (order, start) = (minimum_degree(&graph), graph.row_start());
            let rows = expand_to_rows(&order, &start);
            prop_assert!(is_permutation(&rows, start[graph.vertices()]));
            let mut at = 0;
            for &vertex in &order {
                for row in start[vertex]..start[vertex + 1] {
                    prop_assert_eq!(rows[at], row);
                    at += 1;
                }
            }
        }
    }

    #[test]
    fn nothing_expands_to_nothing() {
        assert!(expand_to_rows(&[], &[0]).is_empty());
    }
}

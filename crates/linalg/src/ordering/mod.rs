//! Fill-reducing orderings on graphs of blocks.
//!
//! A vertex is a block of scalar rows (a body, a contact), its weight the number of these rows. Ordering blocks instead of
//! rows is cheaper by the square of the block size, and keeps dense blocks together for the supernodes.
//!
//! Convention of every ordering here: `order[k]` is the vertex (or row) eliminated k-th.

mod amd;
mod cost;
mod expand;
mod graph;
mod metis;

pub use amd::minimum_degree;
pub use cost::{FactorCost, factor_cost};
pub use expand::expand_to_rows;
pub use graph::{Graph, GraphError};
pub use metis::nested_dissection;

/// Which ordering to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderingChoice {
    /// Minimum degree for small graphs, nested dissection for large ones.
    #[default]
    Auto,
    /// Approximate minimum degree.
    Amd,
    /// Nested dissection.
    NestedDissection,
}

/// `Auto` takes nested dissection from this many vertices on.
///
/// Measured by `examples/ordering_crossover.rs`, vertices of 6 rows, piles of random points with 7 neighbours (means of 5)
/// and cubic grids; flops of minimum degree over those of dissection, and how much longer dissection takes to compute:
///
/// | vertices | 500 | 1000 | 1500 | 2000 | 3000 | 4000 | 8000 | 16000 |
/// |---|---|---|---|---|---|---|---|---|
/// | flops, pile | 0.78 | 0.92 | 1.02 | 1.07 | 1.26 | 1.39 | 1.66 | 2.05 |
/// | flops, grid | 1.36 | 1.43 | 0.98 | 1.69 | 1.38 | 1.25 | 2.41 | 2.00 |
/// | time, ms | 0.8 | 2 | 3.5 | 5 | 8 | 11 | 27 | 62 |
///
/// Grids are the exception (they fill more than piles), so piles decide: below 1500 vertices dissection loses. At 2000 a
/// pile must be factorised about 4 times in one order to earn the extra 5 ms (at 10 Gflop/s), at 3000 once.
const DISSECTION_FROM: usize = 2000;

/// The order [`fill_reducing`] finds for the rows of a symmetric matrix; the natural one if it is not square.
#[must_use]
pub fn order_symmetric(matrix: &crate::CscMatrix) -> Vec<usize> {
    match Graph::from_symmetric_pattern(matrix) {
        Ok(graph) => fill_reducing(&graph, OrderingChoice::Auto),
        Err(_) => (0..matrix.nrows()).collect(),
    }
}

/// An order of elimination with little fill: `order[k]` is the vertex eliminated k-th.
///
/// ```
/// use signorini_linalg::{Graph, OrderingChoice, factor_cost, fill_reducing};
/// // A star: eliminating its centre first would join all leaves.
/// let edges = [[0, 1], [0, 2], [0, 3], [0, 4]];
/// let star = Graph::from_cliques(5, vec![6; 5], edges.iter().map(|edge| &edge[..]))?;
/// let order = fill_reducing(&star, OrderingChoice::Auto);
/// assert!(factor_cost(&star, &order).flops < factor_cost(&star, &[0, 1, 2, 3, 4]).flops);
/// # Ok::<(), signorini_linalg::GraphError>(())
/// ```
#[must_use]
pub fn fill_reducing(graph: &Graph, choice: OrderingChoice) -> Vec<usize> {
    match choice {
        OrderingChoice::Auto if graph.vertices() < DISSECTION_FROM => minimum_degree(graph),
        OrderingChoice::Amd => minimum_degree(graph),
        OrderingChoice::Auto | OrderingChoice::NestedDissection => nested_dissection(graph),
    }
}

#[cfg(test)]
mod samples {
    use super::*;
    use proptest::prelude::*;

    /// The grid of nx × ny × nz vertices, each joined to its six neighbours.
    pub(super) fn grid(nx: usize, ny: usize, nz: usize, weight: usize) -> Graph {
        let at = |i: usize, j: usize, k: usize| (k * ny + j) * nx + i;
        let mut edges = Vec::new();
        for (i, j, k) in (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j, k)))) {
            let ahead = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
            let inside = ahead.into_iter().filter(|&(i, j, k)| i < nx && j < ny && k < nz);
            edges.extend(inside.map(|(p, q, r)| [at(i, j, k), at(p, q, r)]));
        }
        Graph::from_cliques(nx * ny * nz, vec![weight; nx * ny * nz], edges.iter().map(|edge| &edge[..])).unwrap()
    }

    /// Any graph of up to 400 vertices, from cliques of up to 5; sparse ones have isolated vertices.
    pub(super) fn any_graph() -> impl Strategy<Value = Graph> {
        (1usize..400, 0usize..3).prop_flat_map(|(n, density)| {
            let cliques = prop::collection::vec(prop::collection::vec(0..n, 0..5), 0..=(n * density));
            (prop::collection::vec(0usize..7, n), cliques).prop_map(move |(weights, cliques)| {
                Graph::from_cliques(n, weights, cliques.iter().map(Vec::as_slice)).unwrap()
            })
        })
    }

    pub(super) fn is_permutation(order: &[usize], n: usize) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted == (0..n).collect::<Vec<_>>()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{any_graph, grid, is_permutation};
    use super::*;
    use proptest::prelude::*;

    const ALL: [OrderingChoice; 3] = [OrderingChoice::Auto, OrderingChoice::Amd, OrderingChoice::NestedDissection];

    proptest! {
        #[test]
        fn every_ordering_is_a_permutation_and_the_same_each_time(graph in any_graph()) {
            for choice in ALL {
                let order = fill_reducing(&graph, choice);
                prop_assert!(is_permutation(&order, graph.vertices()), "{choice:?}: {order:?}");
                prop_assert_eq!(&order, &fill_reducing(&graph, choice));
            }
        }
    }

    #[test]
    fn graphs_without_edges_are_ordered() {
        for n in [0, 1, 2, 3, 500] {
            let graph = Graph::from_cliques(n, vec![1; n], std::iter::empty()).unwrap();
            for choice in ALL {
                assert!(is_permutation(&fill_reducing(&graph, choice), n), "{choice:?} of {n}");
            }
        }
    }

    #[test]
    fn automatic_choice_changes_at_the_threshold() {
        let below = grid(DISSECTION_FROM - 1, 1, 1, 1);
        assert_eq!(fill_reducing(&below, OrderingChoice::Auto), minimum_degree(&below));
        let above = grid(DISSECTION_FROM, 1, 1, 1);
        assert_eq!(fill_reducing(&above, OrderingChoice::Auto), nested_dissection(&above));
    }
}

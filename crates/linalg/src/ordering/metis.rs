//! Nested dissection [KarypisKumar1998], by `METIS_NodeND`. The only file of the crate with foreign calls.
#![allow(unsafe_code)]

use super::{Graph, minimum_degree};
use metis_sys::idx_t;
use std::sync::{Mutex, PoisonError};

/// METIS draws from the global `rand()` of the C library, which it seeds at every call, and swaps process-wide signal
/// handlers for the time of the call: one call at a time gives the same order each time.
static ONE_CALL_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Any fixed value: the default of METIS depends on its version.
const SEED: idx_t = 4321;

/// METIS itself orders parts of up to 120 vertices by minimum degree (`MMDSWITCH`), but would cut the whole graph once
/// whatever its size; ours for small graphs is the better one.
const SMALLEST_DISSECTED: usize = 121;

/// Nested dissection: `order[k]` is the vertex eliminated k-th. Weights balance the parts.
///
/// Deterministic on one platform; the C library's `rand()` may give other, equally good orders on another one. Falls back
/// to [`minimum_degree`] for small graphs, and for graphs beyond 2³¹ − 1 adjacencies or rows.
#[must_use]
pub fn nested_dissection(graph: &Graph) -> Vec<usize> {
    // METIS must not see isolated vertices: they cause no fill, come first, and the rest of the graph has edges.
    let (isolated, linked): (Vec<usize>, Vec<usize>) =
        (0..graph.vertices()).partition(|&vertex| graph.neighbours(vertex).is_empty());
    if linked.len() < SMALLEST_DISSECTED {
        return minimum_degree(graph);
    }
    let dissected = if isolated.is_empty() { node_nd(graph) } else { node_nd(&graph.induced(&linked)) };
    match dissected {
        Some(order) => isolated.into_iter().chain(order.into_iter().map(|at| linked[at])).collect(),
        None => minimum_degree(graph),
    }
}

/// `METIS_NodeND`, or `None` if numbers do not fit its integers, it fails, or its answer is no permutation.
fn node_nd(graph: &Graph) -> Option<Vec<usize>> {
    let mut n = idx_t::try_from(graph.vertices()).ok()?;
    let mut xadj = to_idx(graph.adjacency_start().iter().copied())?;
    let mut adjncy = to_idx(graph.adjacency().iter().copied())?;
    // A vertex without rows still has to be placed; METIS expects positive weights, and sums them in `idx_t`.
    let weight = |&weight: &usize| weight.max(1);
    let total = graph.weights().iter().map(weight).try_fold(0_usize, usize::checked_add)?;
    idx_t::try_from(total).ok()?;
    let mut weights = to_idx(graph.weights().iter().map(weight))?;

    let mut options = [0; metis_sys::METIS_NOPTIONS as usize];
    let (mut order, mut position) = (vec![0; graph.vertices()], vec![0; graph.vertices()]);
    let guard = ONE_CALL_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `options` has the METIS_NOPTIONS entries that the call fills.
    unsafe { metis_sys::METIS_SetDefaultOptions(options.as_mut_ptr()) };
    options[metis_sys::moptions_et_METIS_OPTION_SEED as usize] = SEED;
    options[metis_sys::moptions_et_METIS_OPTION_NUMBERING as usize] = 0;
    // Merging vertices with equal neighbours may leave a graph without edges (disjoint cliques), which METIS cannot cut.
    options[metis_sys::moptions_et_METIS_OPTION_COMPRESS as usize] = 0;
    // SAFETY: `xadj` has n + 1 entries, starts at 0, never decreases and ends at the length of `adjncy`; the adjacency is
    // symmetric, without loops or duplicates, with entries in 0..n (invariants of `Graph`); `weights`, `order` and
    // `position` have n entries; all buffers are exclusively ours, outlive the call, and METIS keeps no pointer. Sums of
    // weights fit `idx_t` as checked above. The integers are those of the library (`idx_t`).
    let code = unsafe {
        metis_sys::METIS_NodeND(
            &raw mut n,
            xadj.as_mut_ptr(),
            adjncy.as_mut_ptr(),
            weights.as_mut_ptr(),
            options.as_mut_ptr(),
            order.as_mut_ptr(),
            position.as_mut_ptr(),
        )
    };
    drop(guard);
    if code != metis_sys::rstatus_et_METIS_OK {
        return None;
    }
    // METIS: A'[i] = A[perm[i]], i.e. `perm[k]` is the vertex eliminated k-th and `iperm` the inverse.
    permutation(&order)
}

fn to_idx(values: impl Iterator<Item = usize>) -> Option<Vec<idx_t>> {
    values.map(|value| idx_t::try_from(value).ok()).collect()
}

fn permutation(order: &[idx_t]) -> Option<Vec<usize>> {
    let mut seen = vec![false; order.len()];
    order
        .iter()
        .map(|&vertex| {
            let vertex = usize::try_from(vertex).ok()?;
            let first = !std::mem::replace(seen.get_mut(vertex)?, true);
            first.then_some(vertex)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{any_graph, grid, is_permutation};
    use super::super::{FactorCost, factor_cost};
    use super::*;
    use proptest::prelude::*;

    fn natural_and_dissected(graph: &Graph) -> (FactorCost, FactorCost) {
        let natural: Vec<usize> = (0..graph.vertices()).collect();
        (factor_cost(graph, &natural), factor_cost(graph, &nested_dissection(graph)))
    }

    #[test]
    fn square_grids_fill_as_dissection_predicts() {
        // m² vertices: band m gives m³ entries and m⁴ operations, dissection O(m² log m) and O(m³). Found: 2.3 and 3.3 times less.
        let (natural, ours) = natural_and_dissected(&grid(30, 30, 1, 1));
        assert!(2 * ours.entries < natural.entries, "{ours:?} {natural:?}");
        assert!(3.0 * ours.flops < natural.flops, "{ours:?} {natural:?}");
        // The inverse permutation would be as bad as a random one.
        let mut inverse = vec![0; 900];
        let graph = grid(30, 30, 1, 1);
        nested_dissection(&graph).into_iter().enumerate().for_each(|(k, vertex)| inverse[vertex] = k);
        assert!(2 * ours.entries < factor_cost(&graph, &inverse).entries);
    }

    #[test]
    fn cubic_grids_fill_as_dissection_predicts() {
        // m³ vertices: band m² gives m⁷ operations, dissection O(m⁶). Found: 6.4 times less.
        let (natural, ours) = natural_and_dissected(&grid(12, 12, 12, 6));
        assert!(5.0 * ours.flops < natural.flops, "{ours:?} {natural:?}");
    }

    #[test]
    fn weights_balance_the_parts() {
        // A path whose last tenth weighs as much as the rest: heavy vertices are dissected, too, and nothing overflows.
        let n = 1000;
        let edges: Vec<[usize; 2]> = (1..n).map(|v| [v - 1, v]).collect();
        let weights = (0..n).map(|v| if v < 900 { 1 } else { 9 }).collect();
        let path = Graph::from_cliques(n, weights, edges.iter().map(|edge| &edge[..])).unwrap();
        let last = nested_dissection(&path)[n - 1];
        // Each side of the top separator may exceed half of the weight by METIS's default of 20 %.
        assert!((600..990).contains(&last), "top separator at {last}");
    }

    #[test]
    fn weights_beyond_the_integers_of_metis_fall_back() {
        let edges: Vec<[usize; 2]> = (1..200).map(|v| [v - 1, v]).collect();
        let huge = Graph::from_cliques(200, vec![usize::MAX / 2; 200], edges.iter().map(|edge| &edge[..])).unwrap();
        assert_eq!(node_nd(&huge), None);
        assert_eq!(nested_dissection(&huge), minimum_degree(&huge));
    }

    #[test]
    fn disjoint_cliques_and_complete_graphs_are_ordered() {
        let members: Vec<usize> = (0..300).collect();
        for size in [2, 3, 150, 300] {
            let graph = Graph::from_cliques(300, vec![6; 300], members.chunks(size)).unwrap();
            let order = nested_dissection(&graph);
            assert!(is_permutation(&order, 300), "cliques of {size}");
            let expected = (300 / size) * (6 * size) * (6 * size + 1) / 2;
            assert_eq!(factor_cost(&graph, &order).entries, expected, "cliques of {size}");
        }
    }

    #[test]
    fn threads_do_not_disturb_each_other() {
        let graph = grid(20, 20, 2, 3);
        let alone = nested_dissection(&graph);
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| nested_dissection(&graph))).collect();
            runs.into_iter().for_each(|run| assert_eq!(run.join().unwrap(), alone));
        });
    }

    proptest! {
        #[test]
        fn metis_itself_orders_small_graphs_with_edges(graph in any_graph()) {
            let linked: Vec<usize> = (0..graph.vertices()).filter(|&v| !graph.neighbours(v).is_empty()).collect();
            if !linked.is_empty() {
                let order = node_nd(&graph.induced(&linked));
                prop_assert!(order.is_some_and(|order| is_permutation(&order, linked.len())));
            }
        }
    }
}

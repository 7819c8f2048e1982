//! Undirected graphs with weighted vertices.

use crate::CscMatrix;

/// An undirected graph in compressed form: every edge is stored at both ends, no loops, neighbours sorted. The weight of
/// a vertex is the number of scalar rows it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    start: Vec<usize>,
    neighbours: Vec<usize>,
    weights: Vec<usize>,
}

/// Why a graph cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The matrix has no symmetric pattern for want of being square.
    #[error("the matrix has {nrows} rows and {ncols} columns, expected a square one")]
    NotSquare {
        /// Rows found.
        nrows: usize,
        /// Columns found.
        ncols: usize,
    },
    /// There must be one weight a vertex.
    #[error("found {found} weights, expected {expected}, one for each vertex")]
    WeightCount {
        /// Weights found.
        found: usize,
        /// Number of vertices.
        expected: usize,
    },
    /// A clique names a vertex that does not exist.
    #[error("clique {clique}: vertex {found} is out of range 0..{limit}")]
    VertexOutOfRange {
        /// Position of the clique in the list.
        clique: usize,
        /// The vertex found.
        found: usize,
        /// Number of vertices.
        limit: usize,
    },
}

impl Graph {
    /// The graph of a square matrix: rows are vertices of weight 1, joined where an entry is stored on either side of the
    /// diagonal. Values are ignored, stored zeros count.
    ///
    /// # Errors
    /// A matrix that is not square.
    pub fn from_symmetric_pattern(matrix: &CscMatrix) -> Result<Self, GraphError> {
        let (nrows, ncols) = (matrix.nrows(), matrix.ncols());
        if nrows != ncols {
            return Err(GraphError::NotSquare { nrows, ncols });
        }
        let entries = matrix.triplets().map(|(row, col, _)| (row, col));
        Ok(Self::from_pairs(vec![1; nrows], entries.collect()))
    }

    /// The graph in which the vertices of each clique are joined to one another: a clique is the set of bodies touched by
    /// one contact or joint. Repeated vertices and repeated cliques change nothing. A clique of k vertices costs k² here.
    ///
    /// # Errors
    /// A wrong number of weights, or a vertex out of range.
    pub fn from_cliques<'a>(
        n_vertices: usize,
        weights: Vec<usize>,
        cliques: impl IntoIterator<Item = &'a [usize]>,
    ) -> Result<Self, GraphError> {
        if weights.len() != n_vertices {
            return Err(GraphError::WeightCount { found: weights.len(), expected: n_vertices });
        }
        let mut pairs = Vec::new();
        for (clique, members) in cliques.into_iter().enumerate() {
            if let Some(&found) = members.iter().find(|&&vertex| vertex >= n_vertices) {
                return Err(GraphError::VertexOutOfRange { clique, found, limit: n_vertices });
            }
            for (at, &a) in members.iter().enumerate() {
                pairs.extend(members[..at].iter().map(|&b| (a, b)));
            }
        }
        Ok(Self::from_pairs(weights, pairs))
    }

    /// Pairs in any order, repeated and in one or both directions; loops are dropped.
    fn from_pairs(weights: Vec<usize>, mut pairs: Vec<(usize, usize)>) -> Self {
        pairs.retain(|&(a, b)| a != b);
        let one_way = pairs.len();
        pairs.extend_from_within(..one_way);
        for pair in &mut pairs[one_way..] {
            *pair = (pair.1, pair.0);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; weights.len() + 1];
        for &(a, _) in &pairs {
            start[a + 1] += 1;
        }
        for vertex in 0..weights.len() {
            start[vertex + 1] += start[vertex];
        }
        Self { start, neighbours: pairs.into_iter().map(|(_, b)| b).collect(), weights }
    }

    /// The graph on some of the vertices, numbered by their position in `kept`. Edges that leave the set are dropped.
    pub(super) fn induced(&self, kept: &[usize]) -> Self {
        let mut position = vec![usize::MAX; self.vertices()];
        for (at, &vertex) in kept.iter().enumerate() {
            position[vertex] = at;
        }
        let weights = kept.iter().map(|&vertex| self.weights[vertex]).collect();
        let pairs = kept.iter().enumerate().flat_map(|(at, &vertex)| {
            let inside = self.neighbours(vertex).iter().map(|&other| position[other]);
            inside.filter(|&other| other != usize::MAX).map(move |other| (at, other))
        });
        let pairs = pairs.collect();
        Self::from_pairs(weights, pairs)
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.weights.len()
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Where the neighbours of each vertex start in [`Graph::adjacency`]; one more entry than vertices.
    #[must_use]
    pub fn adjacency_start(&self) -> &[usize] {
        &self.start
    }

    /// The neighbours of all vertices, one vertex after the other.
    #[must_use]
    pub fn adjacency(&self) -> &[usize] {
        &self.neighbours
    }

    /// The neighbours of one vertex, sorted.
    #[must_use]
    pub fn neighbours(&self, vertex: usize) -> &[usize] {
        &self.neighbours[self.start[vertex]..self.start[vertex + 1]]
    }

    /// Number of scalar rows of each vertex.
    #[must_use]
    pub fn weights(&self) -> &[usize] {
        &self.weights
    }

    /// First scalar row of each vertex if rows are numbered vertex by vertex; one more entry than vertices.
    #[must_use]
    pub fn row_start(&self) -> Vec<usize> {
        let mut start = Vec::with_capacity(self.vertices() + 1);
        start.push(0);
        let mut rows = 0;
        for &weight in &self.weights {
            rows += weight;
            start.push(rows);
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::any_graph;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edges_are_stored_at_both_ends_sorted_and_without_loops(graph in any_graph()) {
            for vertex in 0..graph.vertices() {
                prop_assert!(graph.neighbours(vertex).windows(2).all(|pair| pair[0] < pair[1]));
                for &other in graph.neighbours(vertex) {
                    prop_assert!(other != vertex && graph.neighbours(other).contains(&vertex));
                }
            }
        }

        #[test]
        fn the_graph_induced_by_all_vertices_is_the_graph(graph in any_graph()) {
            prop_assert_eq!(graph.induced(&(0..graph.vertices()).collect::<Vec<_>>()), graph);
        }
    }

    #[test]
    fn cliques_join_all_their_members() {
        let cliques: [&[usize]; 4] = [&[2, 0, 1], &[1, 0], &[3], &[2, 2]];
        let graph = Graph::from_cliques(4, vec![6, 6, 3, 1], cliques).unwrap();
        assert_eq!((graph.adjacency_start(), graph.adjacency()), (&[0, 2, 4, 6, 6][..], &[1, 2, 0, 2, 0, 1][..]));
        assert_eq!((graph.edges(), graph.row_start()), (3, vec![0, 6, 12, 15, 16]));
    }

    #[test]
    fn one_stored_side_of_a_matrix_is_enough() {
        let a = CscMatrix::from_triplets(3, 3, [(0, 0, 1.0), (2, 0, 1.0), (1, 2, 0.0)]).unwrap();
        let graph = Graph::from_symmetric_pattern(&a).unwrap();
        assert_eq!((graph.neighbours(0), graph.neighbours(1), graph.neighbours(2)), (&[2][..], &[2][..], &[0, 1][..]));
    }

    #[test]
    fn bad_input_is_named() {
        let bad = |n, weights, clique: &[usize]| Graph::from_cliques(n, weights, [clique]).unwrap_err().to_string();
        assert_eq!(bad(2, vec![1], &[]), "found 1 weights, expected 2, one for each vertex");
        assert_eq!(bad(2, vec![1, 1], &[0, 5]), "clique 0: vertex 5 is out of range 0..2");
        let error = Graph::from_symmetric_pattern(&CscMatrix::zeros(2, 3)).unwrap_err();
        assert_eq!(error.to_string(), "the matrix has 2 rows and 3 columns, expected a square one");
    }
}

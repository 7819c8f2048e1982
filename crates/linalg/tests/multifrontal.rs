//! The multifrontal factorisation against the sparse Cholesky of faer, which shares no code with it but dense kernels.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use proptest::prelude::*;
use signorini_linalg::{
    Cholesky, CscMatrix, FactorError, Graph, Multifrontal, MultifrontalStructure, OrderingChoice, SymbolicFactor,
    Threads, fill_reducing,
};

/// A matrix as a sum of elements on the rows of blocks.
struct Elements {
    start: Vec<usize>,
    rows: Vec<Vec<usize>>,
    /// Column-major, symmetric.
    values: Vec<Vec<f64>>,
}

/// A deterministic stream in (−1, 1).
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

impl Elements {
    /// Blocks of the given sizes, each with a positive definite element; pairs joined by a Gram matrix of 3 rows.
    fn new(sizes: &[usize], pairs: &[(usize, usize)], mut seed: u64) -> Self {
        let mut start = vec![0];
        sizes.iter().for_each(|size| start.push(start[start.len() - 1] + size));
        let (mut rows, mut values): (Vec<Vec<usize>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for block in 0..sizes.len() {
            let n = sizes[block];
            rows.push((start[block]..start[block + 1]).collect());
            values.push((0..n * n).map(|e| f64::from(u8::from(e / n == e % n))).collect());
        }
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            let touched: Vec<usize> = (start[a]..start[a + 1]).chain(start[b]..start[b + 1]).collect();
            let n = touched.len();
            let d: Vec<f64> = (0..3 * n).map(|_| 10.0 * noise(&mut seed)).collect();
            values.push((0..n * n).map(|e| (0..3).map(|r| d[r * n + e / n] * d[r * n + e % n]).sum()).collect());
            rows.push(touched);
        }
        Self { start, rows, values }
    }

    fn structure(&self, choice: OrderingChoice) -> MultifrontalStructure {
        let weights: Vec<usize> = self.start.windows(2).map(|w| w[1] - w[0]).collect();
        let block = |row: usize| self.start.partition_point(|start| *start <= row) - 1;
        let cliques: Vec<Vec<usize>> =
            self.rows.iter().map(|rows| rows.iter().map(|&row| block(row)).collect()).collect();
        let graph = Graph::from_cliques(weights.len(), weights, cliques.iter().map(Vec::as_slice)).unwrap();
        let order = fill_reducing(&graph, choice);
        MultifrontalStructure::analyse(&graph, &order, self.rows.iter().map(Vec::as_slice)).unwrap()
    }

    fn solve(&self, threads: Threads, choice: OrderingChoice, rhs: &[f64]) -> Vec<f64> {
        let mut factor = Multifrontal::new(self.structure(choice).into(), threads);
        let mut x = rhs.to_vec();
        // Twice: the second factorisation must not see what the first left behind.
        for _ in 0..2 {
            factor.factorise(&|element, out: &mut [f64]| out.copy_from_slice(&self.values[element])).unwrap();
        }
        factor.solve_in_place(&mut x);
        x
    }

    fn solve_by_faer(&self, rhs: &[f64]) -> Vec<f64> {
        let n = self.start[self.start.len() - 1];
        let entries = self.rows.iter().zip(&self.values).flat_map(|(rows, values)| {
            (0..values.len()).map(move |e| (rows[e % rows.len()], rows[e / rows.len()], values[e]))
        });
        let lower = CscMatrix::from_triplets(n, n, entries).unwrap().lower_triangle();
        let order: Vec<usize> = (0..n).collect();
        let mut factor = Cholesky::new(SymbolicFactor::analyse(&lower, &order).unwrap().into(), Threads::One);
        factor.factorise(&lower).unwrap();
        let mut x = rhs.to_vec();
        factor.solve_in_place(&mut x);
        x
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn solutions_agree_with_the_sparse_factorisation(
        sizes in prop::collection::vec(1_usize..7, 1..25),
        links in prop::collection::vec((0_usize..25, 0_usize..25), 0..60),
        seed in 0_u64..1000,
    ) {
        let pairs: Vec<_> = links.iter().map(|(a, b)| (a % sizes.len(), b % sizes.len())).collect();
        let elements = Elements::new(&sizes, &pairs, seed);
        let mut state = seed + 7;
        let rhs: Vec<f64> = (0..elements.start[sizes.len()]).map(|_| noise(&mut state)).collect();
        let expected = elements.solve_by_faer(&rhs);
        for choice in [OrderingChoice::Amd, OrderingChoice::NestedDissection] {
            let found = elements.solve(Threads::One, choice, &rhs);
            for (f, e) in found.iter().zip(&expected) {
                // Condition number up to about 1e5.
                prop_assert!((f - e).abs() < 1e-9, "{f} {e}");
            }
        }
    }
}

/// A 3D grid of blocks, large enough for several regions and shared fronts.
fn grid(side: usize) -> Elements {
    let at = |x: usize, y: usize, z: usize| (x * side + y) * side + z;
    let mut pairs = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                if x + 1 < side {
                    pairs.push((at(x, y, z), at(x + 1, y, z)));
                }
                if y + 1 < side {
                    pairs.push((at(x, y, z), at(x, y + 1, z)));
                }
                if z + 1 < side {
                    pairs.push((at(x, y, z), at(x, y, z + 1)));
                }
            }
        }
    }
    Elements::new(&vec![6; side.pow(3)], &pairs, 42)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let elements = grid(9);
    let rhs: Vec<f64> = (0..elements.start[729]).map(|i| (i as f64).sin()).collect();
    let expected = elements.solve(Threads::One, OrderingChoice::NestedDissection, &rhs);
    for threads in [1, 2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| elements.solve(Threads::Pool, OrderingChoice::NestedDissection, &rhs));
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{threads} threads");
    }
}

#[test]
fn an_indefinite_sum_is_an_error_and_the_factor_can_be_made_again() {
    let elements = grid(3);
    let mut factor = Multifrontal::new(elements.structure(OrderingChoice::Amd).into(), Threads::One);
    let broken = factor.factorise(&|element, out: &mut [f64]| {
        out.copy_from_slice(&elements.values[element]);
        if element == 5 {
            out[0] = -1e9;
        }
    });
    assert!(matches!(broken, Err(FactorError::Pivot { .. })));
    let mut x = vec![1.0; 162];
    factor.factorise(&|element, out: &mut [f64]| out.copy_from_slice(&elements.values[element])).unwrap();
    factor.solve_in_place(&mut x);
    let expected = elements.solve_by_faer(&vec![1.0; 162]);
    assert!(x.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-9));
}

#[test]
fn an_element_that_joins_what_the_graph_does_not_is_refused() {
    let graph = Graph::from_cliques(3, vec![1; 3], [&[0_usize, 1][..]]).unwrap();
    let rows: [&[usize]; 1] = [&[0, 2]];
    assert!(MultifrontalStructure::analyse(&graph, &[0, 1, 2], rows).is_err());
    let rows: [&[usize]; 1] = [&[7]];
    assert!(MultifrontalStructure::analyse(&graph, &[0, 1, 2], rows).is_err());
}

#[test]
fn an_empty_matrix_has_an_empty_factor() {
    let graph = Graph::from_cliques(0, vec![], std::iter::empty()).unwrap();
    let structure = MultifrontalStructure::analyse(&graph, &[], std::iter::empty()).unwrap();
    let mut factor = Multifrontal::new(structure.into(), Threads::Pool);
    factor.factorise(&|_, _: &mut [f64]| ()).unwrap();
    factor.solve_in_place(&mut []);
}

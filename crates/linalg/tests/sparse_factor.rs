//! The factor of a sparse matrix and solves along parts of its tree, against products with the matrix itself.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use signorini_linalg::{CscMatrix, FactorError, Reach, Sides, SolveSpace, SparseAnalysis, SparseFactor, Threads};
use std::sync::Arc;

/// A grid of nodes with `width` rows each, coupled to its neighbours, diagonally dominant.
fn grid(nx: usize, ny: usize, nz: usize, width: usize) -> CscMatrix {
    let at = |i: usize, j: usize, k: usize| (k * ny + j) * nx + i;
    let n = nx * ny * nz * width;
    let mut entries: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 7.0 * width as f64)).collect();
    let mut couple = |a: usize, b: usize| {
        for e in 0..width * width {
            let (i, j) = (a * width + e / width, b * width + e % width);
            if i != j {
                let value = -0.2 - 0.7 * (1.3 * (i + j) as f64).sin().abs();
                entries.extend([(i, j, 0.5 * value), (j, i, 0.5 * value)]);
            }
        }
    };
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                couple(at(i, j, k), at(i, j, k));
                let ahead = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                let inside = ahead.into_iter().filter(|&(i, j, k)| i < nx && j < ny && k < nz);
                inside.for_each(|(p, q, r)| couple(at(i, j, k), at(p, q, r)));
            }
        }
    }
    CscMatrix::from_triplets(n, n, entries).unwrap()
}

fn factor(a: &CscMatrix, threads: Threads) -> SparseFactor {
    SparseFactor::new(Arc::new(SparseAnalysis::of(a).unwrap()), a, threads).unwrap()
}

fn residual(a: &CscMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut product = vec![0.0; b.len()];
    a.mul(x, &mut product);
    product.iter().zip(b).map(|(p, b)| (p - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_solve_is_undone_by_the_matrix_and_its_parts_agree(
        (nx, ny, nz) in (1usize..9, 1usize..7, 1usize..5), width in 1usize..4, picked in 0usize..1000,
    ) {
        let a = grid(nx, ny, nz, width);
        let n = a.nrows();
        let factor = factor(&a, Threads::One);
        let b: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).cos()).collect();
        let mut x = b.clone();
        factor.solve_in_place(&mut x, &mut factor.space_for_all());
        prop_assert!(residual(&a, &x, &b) < 1e-11);

        // A right side on three rows, solved on their part of the tree.
        let rows = [picked % n, (7 * picked + 3) % n, (picked / 2) % n];
        let sides: Vec<Vec<(usize, f64)>> = vec![vec![(rows[0], 1.0), (rows[1], -2.0)], vec![(rows[2], 0.5)]];
        let full: Vec<Vec<f64>> = sides.iter().map(|side| {
            let mut x = vec![0.0; n];
            side.iter().for_each(|&(row, value)| x[row] += value);
            factor.solve_in_place(&mut x, &mut factor.space_for_all());
            x
        }).collect();
        let reach = Arc::new(Reach::of(factor.analysis(), rows));
        let mut part = vec![f64::NAN; n];
        rows.iter().for_each(|&row| part[row] = 0.0);
        sides[0].iter().for_each(|&(row, value)| part[row] += value);
        factor.solve_in_place(&mut part, &mut SolveSpace::new(reach.clone(), 1));
        for &row in &rows {
            prop_assert!((part[row] - full[0][row]).abs() < 1e-13, "{} {}", part[row], full[0][row]);
        }
        let mut list = Sides::default();
        sides.iter().for_each(|side| list.push(side.iter().copied()));
        let (mut space, mut gram) = (SolveSpace::default(), vec![f64::NAN; 9]);
        // In the memory of other rows and sides.
        space.reset(factor.analysis(), 0..n, 3);
        space.reset(factor.analysis(), rows, 2);
        factor.gram(&list, &mut space, &mut gram);
        prop_assert_eq!(gram.len(), 4);
        for i in 0..2 {
            for j in 0..2 {
                let expected: f64 = sides[i].iter().map(|&(row, value)| value * full[j][row]).sum();
                prop_assert!((gram[2 * i + j] - expected).abs() < 1e-13, "{gram:?} {expected}");
            }
        }
        // One and two at a time.
        for room in [1, 2, 5] {
            let mut seen = 0;
            factor.solve_many(&list, &mut SolveSpace::new(reach.clone(), room), Threads::One, |side, value| {
                seen += 1;
                rows.iter().for_each(|&row| assert!((value(row) - full[side][row]).abs() < 1e-13));
            });
            prop_assert_eq!(seen, 2);
        }
    }
}

#[test]
fn threads_change_no_bit_of_factor_and_solve() {
    // Over 5e7 operations and half a million entries: shared by threads, the top of the tree in slices.
    let a = grid(24, 24, 6, 3);
    let b: Vec<f64> = (0..a.nrows()).map(|i| (0.3 * i as f64).sin()).collect();
    let solved = |threads: Threads| {
        let factor = factor(&a, threads);
        assert!(factor.entries() > 1 << 20, "{factor:?}");
        let mut x = b.clone();
        factor.solve_by(&mut x, &mut factor.space_for_all(), threads);
        x
    };
    let alone = solved(Threads::One);
    assert!(residual(&a, &alone, &b) < 1e-10);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| solved(Threads::Pool)) == alone, "{threads} threads");
    }
}

#[test]
fn patterns_that_do_not_fit_and_indefinite_matrices_are_refused() {
    let a = grid(3, 3, 1, 2);
    let analysis = Arc::new(SparseAnalysis::of(&a).unwrap());
    let other = grid(3, 2, 1, 3);
    assert!(!analysis.fits(&other));
    assert!(matches!(SparseFactor::new(analysis.clone(), &other, Threads::One), Err(FactorError::Structure { .. })));
    let mut broken = a.clone();
    let at = broken.position(5, 5).unwrap();
    broken.values_mut()[at] = -1.0;
    assert_eq!(SparseFactor::new(analysis, &broken, Threads::One).unwrap_err(), FactorError::Pivot { pivot: 5 });
    let one_sided = CscMatrix::from_triplets(2, 2, [(0, 0, 1.0), (1, 1, 1.0), (1, 0, 0.5)]).unwrap();
    assert!(matches!(SparseAnalysis::of(&one_sided), Err(FactorError::Structure { .. })));
    let oblong = CscMatrix::zeros(2, 3);
    assert!(SparseAnalysis::of(&oblong).is_err());
}

#[test]
fn a_matrix_without_rows_has_a_factor() {
    let empty = CscMatrix::zeros(0, 0);
    let factor = factor(&empty, Threads::One);
    factor.solve_in_place(&mut [], &mut factor.space_for_all());
}

#[test]
fn symmetry_is_seen_entry_by_entry() {
    let symmetric = grid(4, 3, 2, 2);
    assert!(symmetric.is_symmetric());
    let mut values = symmetric.clone();
    let at = values.position(3, 1).unwrap();
    values.values_mut()[at] += 1e-15;
    assert!(!values.is_symmetric());
    for entries in
        [vec![(0, 1, 1.0)], vec![(1, 0, 1.0)], vec![(0, 1, 1.0), (2, 0, 1.0)], vec![(2, 1, 1.0), (0, 2, 1.0)]]
    {
        assert!(!CscMatrix::from_triplets(3, 3, entries.clone()).unwrap().is_symmetric(), "{entries:?}");
    }
    assert!(!CscMatrix::zeros(2, 3).is_symmetric() && CscMatrix::zeros(3, 3).is_symmetric());
}

//! Random problems of every kind.

use proptest::collection::vec;
use proptest::prelude::*;
use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{FclibFile, FclibProblem, GlobalProblem, Info, LocalProblem, StoredSolution};

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0f64,
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE / 4.0),
        Just(f64::MAX),
        Just(-1e-300),
        Just(f64::EPSILON)
    ]
}

fn reals(size: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(real(), size)
}

fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = CscMatrix> {
    let most = if rows * cols == 0 { 0 } else { 12 };
    vec((0..rows.max(1), 0..cols.max(1), -5.0..5.0f64), 0..=most)
        .prop_map(move |entries| CscMatrix::from_triplets(rows, cols, entries).unwrap())
}

fn solution(unknowns: usize, velocities: Option<usize>, bilaterals: Option<usize>) -> BoxedStrategy<StoredSolution> {
    let optional = |size: Option<usize>| match size {
        Some(size) => prop::option::of(reals(size)).boxed(),
        None => Just(None).boxed(),
    };
    (optional(velocities), reals(unknowns), reals(unknowns), optional(bilaterals))
        .prop_map(|(v, u, r, l)| StoredSolution { v, u, r, l })
        .boxed()
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    contacts: usize,
    dimension: usize,
    velocities: usize,
    bilaterals: Option<usize>,
}

fn local(sizes: Sizes) -> BoxedStrategy<FclibProblem> {
    let Sizes { contacts, dimension, bilaterals, .. } = sizes;
    let unknowns = contacts * dimension;
    let lambdas = bilaterals.unwrap_or(0);
    let pair = (matrix(unknowns, lambdas), matrix(lambdas, lambdas), reals(lambdas));
    (matrix(unknowns, unknowns), reals(unknowns), vec(0.0..2.0f64, contacts), vec(0.0..2.0f64, contacts), pair)
        .prop_map(move |(w, q, mu, mu_r, (v, r, s))| {
            FclibProblem::Local(LocalProblem {
                dimension,
                w,
                v: bilaterals.map(|_| v),
                r: bilaterals.map(|_| r),
                q,
                s: bilaterals.map(|_| s),
                mu,
                mu_r: (dimension == 5).then_some(mu_r),
            })
        })
        .boxed()
}

fn global(sizes: Sizes) -> BoxedStrategy<FclibProblem> {
    let Sizes { contacts, dimension, velocities, bilaterals } = sizes;
    let unknowns = contacts * dimension;
    let lambdas = bilaterals.unwrap_or(0);
    let matrices = (matrix(velocities, velocities), matrix(velocities, unknowns), matrix(velocities, lambdas));
    let vectors = (reals(velocities), reals(unknowns), reals(lambdas));
    (matrices, vectors, vec(0.0..2.0f64, contacts), vec(0.0..2.0f64, contacts))
        .prop_map(move |((m, h, g), (f, w, b), mu, mu_r)| {
            FclibProblem::Global(GlobalProblem {
                dimension,
                m,
                h,
                g: bilaterals.map(|_| g),
                f,
                w,
                b: bilaterals.map(|_| b),
                mu,
                mu_r: (dimension == 5).then_some(mu_r),
            })
        })
        .boxed()
}

pub(crate) fn any_file() -> impl Strategy<Value = FclibFile> {
    let sizes = (0usize..4, prop::sample::select(vec![2usize, 3, 5]), 0usize..5, prop::option::of(0usize..4));
    let text = || "[ -~é]{0,20}".prop_map(String::from);
    (sizes, any::<bool>(), [text(), text(), text()]).prop_flat_map(
        |((contacts, dimension, velocities, bilaterals), is_local, [title, description, math_info])| {
            let sizes = Sizes { contacts, dimension, velocities, bilaterals };
            let problem = if is_local { local(sizes) } else { global(sizes) };
            let one = || solution(contacts * dimension, (!is_local).then_some(velocities), bilaterals);
            let info = Info { title, description, math_info };
            (problem, prop::option::of(one()), prop::option::of(one()), vec(one(), 0..3)).prop_map(
                move |(problem, solution, solution_ccp, guesses)| FclibFile {
                    problem,
                    info: info.clone(),
                    solution,
                    solution_ccp,
                    guesses,
                },
            )
        },
    )
}

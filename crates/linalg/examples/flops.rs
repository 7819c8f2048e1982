#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use signorini_linalg::*;
fn main() {
    // dense cholesky speed
    for n in [64usize, 128, 256, 512, 1024, 2048] {
        let t: Vec<_> = (0..n).flat_map(|j| (j..n).map(move |i| (i, j, if i == j { n as f64 } else { 0.5 }))).collect();
        let a = CscMatrix::from_triplets(n, n, t).unwrap();
        let order: Vec<usize> = (0..n).collect();
        for th in [Threads::One, Threads::Pool] {
        let mut f = Cholesky::new(SymbolicFactor::analyse(&a, &order).unwrap().into(), th);
        f.factorise(&a).unwrap();
        let k = 5;
        let t0 = std::time::Instant::now();
        for _ in 0..k { f.factorise(&a).unwrap(); }
        let dt = t0.elapsed().as_secs_f64() / k as f64;
        println!("{n} {th:?} {:.3} ms {:.1} GF/s", dt * 1e3, (n as f64).powi(3) / 3.0 / dt * 1e-9);
        }
    }
}

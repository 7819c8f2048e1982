//! Blocks that do not act on each other, visited by all threads.

use signorini_linalg::Threads;

/// What visits to blocks came to; sums of it are taken in a fixed order.
pub(super) trait Tally: Copy + Default + Send {
    /// Both together.
    fn plus(self, other: Self) -> Self;
}

/// Blocks one task visits, some 20 µs of work: fewer are not worth a thread. Fixed, so that sums do not depend on the number of
/// threads.
const TASK: usize = 512;

/// Visits the blocks of one stage, halved until a task is small.
pub(super) fn stage<T: Tally>(blocks: &[u32], threads: Threads, visit: &(impl Fn(usize) -> T + Sync)) -> T {
    if blocks.len() <= TASK {
        return blocks.iter().fold(T::default(), |sum, &block| sum.plus(visit(block as usize)));
    }
    let (left, right) = blocks.split_at(blocks.len() / 2);
    let (a, b) = match threads {
        Threads::Pool => rayon::join(|| stage(left, threads, visit), || stage(right, threads, visit)),
        Threads::One => (stage(left, threads, visit), stage(right, threads, visit)),
    };
    a.plus(b)
}

#[cfg(test)]
#[allow(unsafe_code)]
mod zz_temporary {
    use crate::change::Change;
    use crate::delassus::Delassus;
    use crate::driver::{Measured, Step};
    use crate::dual::DualProblem;
    use crate::dual_engine::DualEngine;
    use crate::family::*;
    use crate::method::proximal_newton::ProximalNewton;
    use crate::method::gpminres::*;
    use crate::residual::ResidualMeter;
    use crate::{ConeProblem, Method};
    use signorini_linalg::{CscMatrix, Threads};
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    thread_local! { static COUNT: Cell<usize> = const { Cell::new(0) }; static TRAP: Cell<bool> = const { Cell::new(false) }; }
    struct C;
    fn note() {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        if TRAP.try_with(|t| t.replace(false)).unwrap_or(false) && std::env::var_os("ZZ").is_some() {
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
        }
    }
    unsafe impl GlobalAlloc for C {
        unsafe fn alloc(&self, l: Layout) -> *mut u8 { note(); unsafe { System.alloc(l) } }
        unsafe fn dealloc(&self, p: *mut u8, l: Layout) { unsafe { System.dealloc(p, l) } }
        unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 { note(); unsafe { System.realloc(p, l, n) } }
    }
    #[global_allocator]
    static A: C = C;

    fn go(engine: &mut dyn DualEngine, dual: &mut DualProblem, change: Change, measured: &Measured, steps: usize) -> (usize, usize, usize) {
        let at = || COUNT.with(|c| c.get());
        TRAP.with(|t| t.set(change != Change::Everything));
        let a = at();
        engine.prepare(dual, change).unwrap();
        let b = at();
        let start = vec![0.0; 0];
        drop(start);
        let mut zero = std::mem::take(&mut *ZERO.lock().unwrap());
        zero.clear(); zero.resize(dual.rows(), 0.0);
        engine.begin(dual, &zero);
        *ZERO.lock().unwrap() = zero;
        let c = at();
        for _ in 0..steps { if !matches!(engine.advance(dual, measured), Step::Taken) { break } }
        TRAP.with(|t| t.set(false));
        (b - a, c - b, at() - c)
    }
    static ZERO: std::sync::Mutex<Vec<f64>> = std::sync::Mutex::new(Vec::new());

    #[test]
    fn zz() {
        let packing = SpherePacking { bodies: 120, ..Default::default() }.problem().unwrap();
        let smooth = SpherePacking { bodies: 60, friction: 0.0, ..Default::default() }.problem().unwrap();
        let net = Net::default().problem().unwrap();
        let chain = Chain::default().problem().unwrap();
        let slab = ElasticSlab::default().problem().unwrap();
        let w = [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.5), (3, 3, 1.0), (0, 3, 0.3), (3, 0, 0.3), (1, 2, 0.1), (2, 1, 0.1)];
        let w = CscMatrix::from_triplets(4, 4, w).unwrap();
        let cones = [(crate::Cone::Friction { mu: 0.4 }, 3), (crate::Cone::NonNegative, 1)];
        let condensed = ConeProblem::condensed(w, vec![-1.0, 0.2, 0.1, -0.5], &cones).unwrap();
        let problems = [("packing", packing), ("smooth", smooth), ("net", net), ("chain", chain), ("slab", slab), ("condensed", condensed)];
        let mut methods = Method::all();
        methods.push(GpminresP { preconditioner: FacePreconditioner::Complete, ..Default::default() }.into());
        methods.push(GpminresP { preconditioner: FacePreconditioner::Diagonal, ..Default::default() }.into());
        methods.push(ProximalNewton { regularisation: 1e-2 }.into());
        for method in methods {
            if method.dual_engine().is_none() { continue }
            let mut kept = method.dual_engine().unwrap();
            for (name, problem) in &problems {
                if method.accept(problem).is_err() { continue }
                let mut meter = ResidualMeter::new(problem).unwrap();
                let zero = (vec![0.0; problem.velocities()], vec![0.0; problem.row_count()]);
                let measured = Measured { residuals: meter.measure(problem, &zero.0, &zero.1), required_speed: 0.0 };
                let mut delassus = Delassus::new(problem).unwrap();
                let mut fresh = method.dual_engine().unwrap();
                let mut dual = DualProblem::new(problem, &mut delassus, Threads::One, fresh.arrangement()).unwrap();
                let mut answer = crate::Iterate { velocity: zero.0.clone(), impulse: zero.1.clone() };
                let mut answers = Vec::new();
                let mut counts = Vec::new();
                let steps = 40;
                for (reuse, change) in [(false, Change::Everything), (true, Change::Everything), (true, Change::SamePattern), (true, Change::OffsetOnly)] {
                    let engine = if reuse { &mut kept } else { &mut fresh };
                    counts.push(go(engine.as_mut(), &mut dual, change, &measured, steps));
                    engine.export(&dual, &mut answer);
                    answers.push(answer.impulse.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
                }
                let same = answers.windows(2).all(|p| p[0] == p[1]);
                println!("{:16} {name:10} same {same}  same-pattern {:?}  offset {:?}", method.name(), counts[2], counts[3]);
            }
        }
    }
}

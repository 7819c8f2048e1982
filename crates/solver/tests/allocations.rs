//! A problem of the same pattern is solved again without one allocation, by every method.
#![allow(clippy::unwrap_used)]

use signorini_linalg::{CscMatrix, SparseAnalysis, Threads};
use signorini_solver::family::{Chain, ElasticSlab, Net, SpherePacking};
use signorini_solver::problem::{Inertia, SparseInertia};
use signorini_solver::{
    ConeProblem, Delassus, FrictionLaw, InteriorPoint, KktForm, Limits, Method, Solver, SolverSettings, Spg, Tolerance,
};
use signorini_testkit::counting::{Counting, allocations};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Solves a problem, and two more whose c and b differ; returns the allocations of the last two solves.
fn allocations_of_solves(problem: &ConeProblem, settings: SolverSettings) -> [usize; 2] {
    let mut solver = Solver::new(settings).unwrap();
    *solver.problem_mut() = problem.clone();
    let limits = Limits::default();
    // The first solve sizes the buffers, the second those that only a warm start or a fallback uses.
    solver.solve(None, &limits).unwrap();
    let start = solver.solution().iterate.clone();
    solver.solve(Some(&start), &limits).unwrap();
    // c and b differ; a condensed problem has no c.
    let shift = |solver: &mut Solver, scale: f64| {
        let shifted = |of: &[f64]| -> Vec<f64> {
            of.iter().enumerate().map(|(i, x)| x * (1.0 + scale * (1.7 * i as f64).sin())).collect()
        };
        solver.problem_mut().set_linear(&shifted(problem.linear())).unwrap();
        solver.problem_mut().set_offset(&shifted(problem.offset())).unwrap();
    };
    shift(&mut solver, 1e-3);
    solver.solve(None, &limits).unwrap();
    shift(&mut solver, 1e-3);
    let (cold, ()) = allocations(|| _ = solver.solve(None, &limits).unwrap());
    shift(&mut solver, -1e-3);
    solver.solve(Some(&start), &limits).unwrap();
    shift(&mut solver, -1e-3);
    let (warm, ()) = allocations(|| _ = solver.solve(Some(&start), &limits).unwrap());
    [cold, warm]
}

fn settings(method: Method, friction: FrictionLaw) -> SolverSettings {
    SolverSettings {
        friction,
        parallel: false,
        max_iterations: Some(300),
        ..SolverSettings::from(method).to(Tolerance::Relative(1e-6))
    }
}

#[test]
fn a_second_solve_of_the_same_pattern_allocates_nothing_whatever_the_method() {
    let rough = SpherePacking { bodies: 14, friction: 0.3, ..Default::default() }.problem().unwrap();
    let smooth = SpherePacking { bodies: 14, friction: 0.0, ..Default::default() }.problem().unwrap();
    let linear = Chain { links: 12, floor: None, ..Default::default() }.problem().unwrap();
    let mut failures = Vec::new();
    for method in Method::all() {
        for problem in [&rough, &smooth, &linear] {
            if method.accept(problem).is_err() {
                continue;
            }
            for law in [FrictionLaw::Relaxed, FrictionLaw::Lagged, FrictionLaw::Exact] {
                let found = allocations_of_solves(problem, settings(method.clone(), law));
                if found != [0, 0] {
                    failures.push((method.name(), problem.cones().len(), law.name(), found));
                }
            }
        }
    }
    assert!(failures.is_empty(), "allocations of a cold and of a warm solve: {failures:#?}");
}

/// The problem without velocities, N written out.
fn condensed(problem: &ConeProblem) -> ConeProblem {
    let (m, mut delassus) = (problem.row_count(), Delassus::new(problem).unwrap());
    let (mut entries, mut column, mut unit) = (Vec::new(), vec![0.0; m], vec![0.0; m]);
    for j in 0..m {
        unit[j] = 1.0;
        delassus.apply(problem, &unit, &mut column);
        unit[j] = 0.0;
        entries.extend(column.iter().enumerate().filter(|(_, n)| **n != 0.0).map(|(i, n)| (i, j, *n)));
    }
    let cones: Vec<_> = problem.each_block().map(|(rows, cone)| (cone, rows.len())).collect();
    let matrix = CscMatrix::from_triplets(m, m, entries).unwrap();
    ConeProblem::condensed(matrix, delassus.free_velocity().to_vec(), &cones).unwrap()
}

fn packing(friction: f64) -> ConeProblem {
    SpherePacking { bodies: 8, friction, ..Default::default() }.problem().unwrap()
}

fn slab(contacts: usize, held: usize, friction: f64) -> ConeProblem {
    ElasticSlab { cells: [2, 2, 1], contacts, held, friction, ..Default::default() }.problem().unwrap()
}

/// Allocations of a cold and of a warm solve, where there are any, for every law.
fn allocating(problem: &ConeProblem, method: &Method) -> Vec<(&'static str, [usize; 2])> {
    let all = FrictionLaw::ALL.map(|law| (law.name(), allocations_of_solves(problem, settings(method.clone(), law))));
    all.into_iter().filter(|(_, found)| *found != [0, 0]).collect()
}

#[test]
fn a_second_solve_allocates_nothing_where_h_is_sparse_or_n_is_given() {
    let chain = |links, floor| Chain { links, floor, ..Default::default() }.problem().unwrap();
    let floor = Chain::default().floor;
    let cases = [
        ("slab", slab(6, 0, 0.5)),
        ("smooth slab", slab(6, 0, 0.0)),
        ("held slab", slab(6, 2, 0.5)),
        ("linear slab", slab(0, 3, 0.5)),
        ("net", Net { nodes: [5, 3], ..Default::default() }.problem().unwrap()),
        ("condensed", condensed(&packing(0.3))),
        ("smooth condensed", condensed(&packing(0.0))),
        ("condensed slab", condensed(&slab(6, 0, 0.5))),
        ("linear condensed", condensed(&chain(12, None))),
        ("chain on a floor, condensed", condensed(&chain(6, floor))),
    ];
    let mut failures = Vec::new();
    for method in Method::all() {
        for (name, problem) in cases.iter().filter(|(_, problem)| method.accept(problem).is_ok()) {
            let found = allocating(problem, &method);
            if !found.is_empty() {
                failures.push((method.name(), *name, found));
            }
        }
    }
    assert!(failures.is_empty(), "allocations of a cold and of a warm solve: {failures:#?}");
}

/// Many contacts on a sparse H: the diagonal of N is estimated.
#[test]
fn an_estimated_diagonal_allocates_nothing() {
    let problem = ElasticSlab { cells: [4, 4, 1], contacts: 110, ..Default::default() }.problem().unwrap();
    assert!(problem.row_count() > 300);
    for method in [InteriorPoint::default().into(), Method::from(Spg::default())] {
        assert_eq!(allocating(&problem, &method), [], "{}", method.name());
    }
}

/// Every form of the system, and what is known to allocate: the LU of faer where dense blocks pay, which here is a full N of 120
/// rows. It makes some hundred small matrices in every factorisation.
#[test]
fn forms_of_the_system_allocate_nothing_but_the_lu_by_dense_blocks() {
    let larger = ElasticSlab { cells: [4, 4, 1], contacts: 40, ..Default::default() }.problem().unwrap();
    let cases = [
        ("packing", packing(0.3)),
        ("chain", Chain { links: 6, ..Default::default() }.problem().unwrap()),
        ("slab", slab(6, 0, 0.5)),
        ("held slab", slab(6, 2, 0.5)),
        ("condensed", condensed(&packing(0.3))),
        ("full", condensed(&larger)),
    ];
    let mut found = Vec::new();
    for form in KktForm::ALL {
        let method: Method = InteriorPoint { kkt: form, ..InteriorPoint::default() }.into();
        for (name, problem) in &cases {
            let laws = allocating(problem, &method);
            found.extend(laws.into_iter().map(|(law, _)| (form.name(), *name, law)));
        }
    }
    let known = [("augmented", "full", "relaxed"), ("augmented", "full", "lagged"), ("augmented", "full", "exact")];
    assert_eq!(found, known);
}

/// Another H of the same pattern in every step, factorised by the caller or by the solver.
#[test]
fn another_sparse_inertia_of_the_same_pattern_is_factorised_in_the_memory_of_the_one_before() {
    let slab = ElasticSlab { cells: [2, 2, 1], contacts: 6, ..Default::default() };
    let (matrix, mass) = slab.inertia().unwrap();
    let analysis = Arc::new(SparseAnalysis::of(&matrix).unwrap());
    let problem = slab.problem_of(Inertia::sparse_with(matrix.clone(), &analysis), &mass).unwrap();
    let of_step = |step: u32| {
        let mut other = matrix.clone();
        other.values_mut().iter_mut().for_each(|h| *h *= 1.0 + 1e-3 * f64::from(step % 2));
        other
    };
    let mut failures = Vec::new();
    for method in Method::all().into_iter().filter(|method| method.accept(&problem).is_ok()) {
        for (law, (analysed, factorised)) in FrictionLaw::ALL
            .into_iter()
            .flat_map(|law| [(true, true), (true, false), (false, false)].map(|how| (law, how)))
        {
            let mut solver = Solver::new(settings(method.clone(), law)).unwrap();
            *solver.problem_mut() = problem.clone();
            for step in 0..8 {
                let inertia = match analysed {
                    true => SparseInertia::with(of_step(step), &analysis),
                    false => SparseInertia::new(of_step(step)),
                };
                if factorised {
                    inertia.factor(Threads::One).unwrap();
                }
                solver.problem_mut().set_free_motion(&Arc::new(Inertia::Sparse(inertia)), problem.linear()).unwrap();
                let (count, ()) = allocations(|| _ = solver.solve(None, &Limits::default()).unwrap());
                // Two factors take turns, and both ways of the answer are gone once.
                if step >= 4 && count != 0 {
                    failures.push((method.name(), law.name(), analysed, factorised, step, count));
                }
                // The memory of another factor changes no bit.
                let mut fresh = Solver::new(settings(method.clone(), law)).unwrap();
                *fresh.problem_mut() = slab.problem_of(Inertia::sparse(of_step(step)), &mass).unwrap();
                fresh.solve(None, &Limits::default()).unwrap();
                assert!(fresh.solution().iterate == solver.solution().iterate, "{}, step {step}", method.name());
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn solving_again_with_other_offsets_allocates_nothing() {
    let problem = SpherePacking { bodies: 14, friction: 0.3, ..Default::default() }.problem().unwrap();
    for law in FrictionLaw::ALL {
        let mut solver = Solver::new(settings(Method::default(), law)).unwrap();
        *solver.problem_mut() = problem.clone();
        solver.solve(None, &Limits::default()).unwrap();
        let offset = |by: f64| -> Vec<f64> { problem.offset().iter().map(|b| b + by).collect() };
        let offsets = [offset(1e-3), offset(2e-3)];
        // There and back twice: the way from one answer to the other is then known as well.
        for k in [0, 1, 0, 1] {
            solver.solve_again(&offsets[k]).unwrap();
        }
        let (found, ()) = allocations(|| _ = solver.solve_again(&offsets[0]).unwrap());
        assert_eq!(found, 0, "{} law", law.name());
    }
}

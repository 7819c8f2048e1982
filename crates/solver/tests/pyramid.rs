//! Friction pyramids: closed forms, limits for many facets, and agreement of the methods that can solve them.
#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use signorini_linalg::CscMatrix;
use signorini_solver::family::{Chain, Gaps, Net, RandomProblem, SpherePacking, Stack};
use signorini_solver::problem::Inertia;
use signorini_solver::{
    Blmvm, Cone, ConeProblem, Control, InteriorPoint, KktForm, Method, SemismoothNewton, Solution, SolverSettings,
    Status, Tolerance, Tron, WarmStart, solve, solve_with,
};
use signorini_testkit::{DenseContact, DenseProblem, fitted_order};
use std::f64::consts::PI;
use support::DenseParts;

fn settings(method: impl Into<Method>, facets: u32, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance)).with_facets(facets)
}

fn solved(problem: &ConeProblem, settings: &SolverSettings) -> Solution {
    let solution = solve(problem, settings).unwrap();
    let report = &solution.report;
    let reached = (report.method, report.iterations, report.residuals.natural_map_relative);
    assert_eq!(report.status, Status::Converged, "{reached:?}");
    solution
}

/// ‖a − b‖ in the norm of H, as velocities: √(Σ h (a−b)²/Σ h).
fn apart(problem: &ConeProblem, a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let (mut energy, mut mass) = (0.0, 0.0);
    for (row, column, h) in problem.inertia().triplets() {
        energy += h * difference[row] * difference[column];
        mass += if row == column { h } else { 0.0 };
    }
    (energy / mass).sqrt()
}

/// Unit masses on the floor with normal momentum −1, each pushed with momentum `push` at its own angle.
fn pushed_blocks(mu: f64, push: f64, angles: &[f64]) -> ConeProblem {
    let mut builder = ConeProblem::builder();
    let mut c = Vec::new();
    for (i, angle) in angles.iter().enumerate() {
        builder.diagonal_body(&[1.0; 3]);
        c.extend([1.0, -push * angle.cos(), -push * angle.sin()]);
        let [n, s, t] = [0, 1, 2].map(|axis| [(3 * i + axis, 1.0)]);
        builder.rows(Cone::Friction { mu }, &[&n, &s, &t], &[0.0; 3]);
    }
    builder.linear(&c).build().unwrap()
}

/// The velocity is the free one plus the impulse, the impulse the projection of minus the free one on the pyramid: onto the
/// facet with the middle θ_m, v = a (μ', e_m) with μ' = μ cos(π/p), a = (push cos(θ−θ_m) − μ')/(1+μ'²); onto the edge d_s
/// when the foot is beyond it, v = free − (−free·e)e, e = (1, μ d_s)/√(1+μ²).
fn pushed_velocity(mu: f64, push: f64, angle: f64, facets: u32) -> [f64; 3] {
    // Friction points against the push.
    let (half, against) = (PI / f64::from(facets), angle + PI);
    let sector = (against / (2.0 * half)).floor();
    let middle = (2.0 * sector + 1.0) * half;
    let low = mu * half.cos();
    let beyond = push * (against - middle).cos() - low;
    if beyond <= 0.0 {
        return [0.0; 3];
    }
    let a = beyond / (1.0 + low * low);
    // The foot: impulse = −free + v, free = (−1, push e(angle)).
    let normal = 1.0 + a * low;
    let across = push * (against - middle).sin();
    if across.abs() <= mu * half.sin() * normal {
        return [a * low, -a * middle.cos(), -a * middle.sin()];
    }
    let edge_angle = middle + half.copysign(across);
    let wanted = [1.0, push * against.cos(), push * against.sin()];
    let edge = [1.0, mu * edge_angle.cos(), mu * edge_angle.sin()];
    let along = wanted.iter().zip(&edge).map(|(w, e)| w * e).sum::<f64>() / (1.0 + mu * mu);
    std::array::from_fn(|i| along * edge[i] - wanted[i])
}

#[test]
fn a_pushed_block_moves_as_the_projection_on_its_pyramid_says() {
    let angles: Vec<f64> = (0..60).map(|i| 0.05 + 0.104 * f64::from(i)).collect();
    for facets in [3, 4, 5, 8, 16] {
        for push in [0.2, 0.35, 0.5, 2.0] {
            let problem = pushed_blocks(0.4, push, &angles);
            let solution = solved(&problem, &settings(InteriorPoint::default(), facets, 1e-11));
            for (i, angle) in angles.iter().enumerate() {
                let exact = pushed_velocity(0.4, push, *angle, facets);
                let found = &solution.velocity()[3 * i..3 * i + 3];
                let worst = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-9, "p = {facets}, push {push} at {angle}: {found:?}, not {exact:?}");
            }
        }
    }
}

#[test]
fn friction_holds_up_to_the_side_of_the_polygon() {
    let (mu, facets) = (0.4, 5);
    let half = PI / f64::from(facets);
    for angle in [0.0, 0.3, 0.6, 1.0, 2.2, 3.0, 4.4] {
        let off_middle = (angle + PI).rem_euclid(2.0 * half) - half;
        let limit = mu * half.cos() / off_middle.cos();
        let slides = |push: f64| {
            let solution =
                solved(&pushed_blocks(mu, push, &[angle]), &settings(InteriorPoint::default(), facets, 1e-11));
            solution.velocity()[1].hypot(solution.velocity()[2]) > 1e-6
        };
        assert!(!slides(limit * 0.999) && slides(limit * 1.001), "limit {limit} at {angle}");
    }
}

/// The objective is that of the best impulse in the set, so more room means less; the pyramid lies between the round
/// cones of friction μ cos(π/p) and μ.
#[test]
fn the_pyramid_lies_between_two_round_cones() {
    let packing = |friction: f64| SpherePacking { bodies: 60, friction, ..Default::default() }.problem().unwrap();
    let problem = packing(0.3);
    let round = settings(InteriorPoint::default(), 3, 1e-10);
    let round = SolverSettings { facets: None, ..round };
    let outer = solved(&problem, &round).report.objective;
    for facets in [3, 4, 8, 20] {
        let solution = solved(&problem, &settings(InteriorPoint::default(), facets, 1e-10));
        let inner = solved(&packing(0.3 * (PI / f64::from(facets)).cos()), &round).report.objective;
        let between = solution.report.objective;
        assert!(outer <= between + 1e-12 && between <= inner + 1e-12, "p = {facets}: {outer} {between} {inner}");
        for (rows, cone) in problem.each_block() {
            let g = &solution.impulse()[rows];
            assert!(cone.distance(g) <= 1e-9, "{g:?}");
        }
    }
}

/// The value is off by O(p⁻²): the polygon lacks (1 − cos π/p) of the radius. Velocities of sliding contacts are off by
/// O(p⁻¹): their friction acts along the nearest d_s, an angle O(1/p) from the sliding.
#[test]
fn pyramids_tend_to_the_round_cone_at_second_order_in_the_value_and_first_in_the_velocities() {
    // Many angles, so that the error does not depend on where one of them lies in its facet.
    let angles: Vec<f64> = (0..401).map(|i| 2.0 * PI * (0.618_034 * f64::from(i)).fract()).collect();
    let problem = pushed_blocks(0.4, 0.9, &angles);
    let round = solved(&problem, &SolverSettings { facets: None, ..settings(InteriorPoint::default(), 3, 1e-11) });
    let solutions = [8, 16, 32, 64].map(|p| solved(&problem, &settings(InteriorPoint::default(), p, 1e-11)));
    let values: Vec<f64> = solutions.iter().map(|s| s.report.objective - round.report.objective).collect();
    let velocities: Vec<f64> = solutions.iter().map(|s| apart(&problem, s.velocity(), round.velocity())).collect();
    let (value, velocity) = (fitted_order(&values), fitted_order(&velocities));
    assert!((value - 2.0).abs() < 0.15, "order {value:.2} of the objective from {values:?}");
    assert!((velocity - 1.0).abs() < 0.15, "order {velocity:.2} of the velocities from {velocities:?}");
    // Along the middle of a facet symmetry leaves the direction alone: there velocities have order 2 as well.
    let middle = [8, 16, 32, 64].map(|p| {
        let problem = pushed_blocks(0.4, 0.9, &[PI / f64::from(p)]);
        let round = solved(&problem, &SolverSettings { facets: None, ..settings(InteriorPoint::default(), 3, 1e-12) });
        let flat = solved(&problem, &settings(InteriorPoint::default(), p, 1e-12));
        apart(&problem, flat.velocity(), round.velocity())
    });
    let order = fitted_order(&middle);
    assert!((order - 2.0).abs() < 0.15, "order {order:.2} from {middle:?}");
}

/// The same for a pile, where most contacts stick.
#[test]
fn a_pile_tends_to_the_round_cone_too() {
    let problem = SpherePacking { bodies: 40, friction: 0.3, ..Default::default() }.problem().unwrap();
    let round = solved(&problem, &SolverSettings { facets: None, ..settings(InteriorPoint::default(), 3, 1e-10) });
    let solutions = [6, 12, 24, 48].map(|p| solved(&problem, &settings(InteriorPoint::default(), p, 1e-10)));
    let values: Vec<f64> = solutions.iter().map(|s| s.report.objective - round.report.objective).collect();
    let order = fitted_order(&values);
    assert!((order - 2.0).abs() < 0.3, "order {order:.2} of the objective from {values:?}");
    // ½‖v − v*‖² ≤ the difference of the values, by strong convexity of the primal.
    for (solution, value) in solutions.iter().zip(&values) {
        let mass: f64 = problem.inertia().triplets().iter().filter(|(i, j, _)| i == j).map(|(_, _, h)| h).sum();
        let squared = apart(&problem, solution.velocity(), round.velocity()).powi(2) * mass;
        assert!(0.5 * squared <= value * (1.0 + 1e-6) + 1e-12, "{squared} {value}");
    }
}

#[test]
fn friction_in_a_plane_is_a_pyramid_of_two_facets_exactly() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 2.0]).linear(&[1.0, -1.5]);
    let problem = builder.rows(Cone::Friction { mu: 0.3 }, &[&[(0, 1.0)], &[(1, 1.0)]], &[0.0; 2]).build().unwrap();
    let round = solved(&problem, &SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-12)));
    let flat = solved(&problem, &settings(InteriorPoint::default(), 7, 1e-12));
    assert_eq!(problem.with_pyramids(7).unwrap().problem().row_count(), 2);
    let worst = round.velocity().iter().zip(flat.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-11 && flat.report.facets == Some(7), "{worst}");
}

/// The dense dual with its pyramids written out by hand; N = A (J H⁻¹ Jᵀ + E) Aᵀ.
fn dense(problem: &ConeProblem, facets: u32) -> DenseProblem {
    let DenseParts { h, j, e } = DenseParts::new(problem);
    let round = DenseProblem::from_velocity_form(&h, problem.linear(), &j, problem.offset(), &e, Vec::new());
    let (mut a, mut blocks): (Vec<Vec<f64>>, Vec<(DenseContact, usize)>) = (Vec::new(), Vec::new());
    for (rows, cone) in problem.each_block() {
        let unit = |row: usize| (0..problem.row_count()).map(|i| f64::from(u8::from(i == row))).collect::<Vec<f64>>();
        match cone {
            Cone::Free => rows.for_each(|row| {
                a.push(unit(row));
                blocks.push((DenseContact::Free, 1));
            }),
            Cone::NonNegative => rows.for_each(|row| {
                a.push(unit(row));
                blocks.push((DenseContact::Unilateral, 1));
            }),
            Cone::Rolling { .. } => panic!("no rolling friction in these families"),
            Cone::Friction { mu } => {
                let count = if mu == 0.0 {
                    1
                } else if rows.len() == 2 {
                    2
                } else {
                    facets
                };
                for s in 0..count {
                    let angle = 2.0 * PI * f64::from(s) / f64::from(count);
                    let mut line = unit(rows.start);
                    line[rows.start + 1] = mu * angle.cos();
                    if rows.len() == 3 {
                        line[rows.start + 2] = mu * angle.sin();
                    }
                    if mu == 0.0 {
                        line = unit(rows.start);
                    }
                    a.push(line);
                    blocks.push((DenseContact::Unilateral, 1));
                }
            }
        }
    }
    let times = |x: &[f64]| a.iter().map(|line| line.iter().zip(x).map(|(a, x)| a * x).sum()).collect::<Vec<f64>>();
    let half: Vec<Vec<f64>> = round.n.iter().map(|line| times(line)).collect();
    let n = a
        .iter()
        .map(|line| {
            (0..a.len()).map(|c| line.iter().zip(&half).map(|(a, half)| a * half[c]).sum()).collect::<Vec<f64>>()
        })
        .collect();
    DenseProblem { n, r: times(&round.r), blocks }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Projected Gauss-Seidel on the dense A N Aᵀ knows neither our rows nor our way with compliance.
    #[test]
    fn random_problems_agree_with_the_dense_pyramid(
        bodies in 1_usize..5, blocks in 1_usize..6, facets in 3_u32..7, soft in 0_u8..2, seed in any::<u64>(),
    ) {
        let softness = f64::from(soft) * 0.5;
        let problem = RandomProblem { bodies, blocks, softness, seed, ..Default::default() }.generate().unwrap().problem;
        let Ok(solution) = solve(&problem, &settings(InteriorPoint::default(), facets, 1e-10)) else { return Ok(()) };
        // The pyramid is smaller than the cone the problem was made for: it may contradict the bilateral rows.
        prop_assume!(solution.report.status == Status::Converged);
        let oracle = dense(&problem, facets);
        let g = oracle.gauss_seidel(20_000);
        let y = oracle.relative_velocity(&g);
        let objective: f64 = 0.5 * g.iter().zip(&y).zip(&oracle.r).map(|((g, y), r)| g * (y + r)).sum::<f64>();
        // Gauss-Seidel approaches the least value from above; where it is slow it is still no lower.
        let found = solution.report.objective;
        prop_assert!(found <= objective + 1e-8 * (1.0 + objective.abs()), "{found} against {objective}");
        // Our impulses in the dense problem: feasible by construction, so their value is no lower than the least.
        let pyramids = problem.with_pyramids(facets).unwrap();
        let lambda = pyramids.multipliers(solution.impulse());
        let y = oracle.relative_velocity(&lambda);
        let ours: f64 = 0.5 * lambda.iter().zip(&y).zip(&oracle.r).map(|((g, y), r)| g * (y + r)).sum::<f64>();
        // A jammed block can carry impulses of 10⁶; the value of such λ has this rounding.
        let weights = lambda.iter().enumerate().map(|(i, l)| oracle.n[i][i].sqrt() * l.abs());
        let rounding = 16.0 * f64::EPSILON * weights.sum::<f64>().powi(2);
        prop_assert!((ours - found).abs() <= 1e-8 * (1.0 + found.abs()) + rounding, "{ours} against {found}");
    }

    #[test]
    fn impulses_in_the_pyramid_survive_the_way_to_multipliers_and_back(
        facets in 3_u32..40, mu in 0.01f64..3.0, shares in prop::collection::vec(0.0f64..1.0, 40),
    ) {
        let problem = pushed_blocks(mu, 1.0, &[0.0]);
        let pyramids = problem.with_pyramids(facets).unwrap();
        let lambda = &shares[..facets as usize];
        let impulse = pyramids.impulses(lambda);
        let again = pyramids.multipliers(&impulse);
        prop_assert!(again.iter().all(|l| *l >= 0.0));
        let back = pyramids.impulses(&again);
        let size = impulse[0] * (1.0 + mu);
        prop_assert!(back.iter().zip(&impulse).all(|(a, b)| (a - b).abs() <= 1e-13 * size), "{:?} {:?}", back, impulse);
    }

    #[test]
    fn impulses_beyond_the_pyramid_keep_their_normal_part_and_direction(facets in 3_u32..20, angle in 0.0f64..6.3) {
        let problem = pushed_blocks(0.5, 1.0, &[0.0]);
        let pyramids = problem.with_pyramids(facets).unwrap();
        let back = pyramids.impulses(&pyramids.multipliers(&[2.0, 3.0 * angle.cos(), 3.0 * angle.sin()]));
        prop_assert!((back[0] - 2.0).abs() < 1e-13);
        prop_assert!((back[1] * angle.sin() - back[2] * angle.cos()).abs() < 1e-13);
        prop_assert!(back[1].hypot(back[2]) <= 0.5 * 2.0 * (1.0 + 1e-13));
        prop_assert!(pyramids.multipliers(&[-1.0, 0.2, 0.1]).iter().all(|l| *l == 0.0));
    }
}

/// N given as a matrix, for a problem with block-diagonal H, by one solve a row.
fn condensed(problem: &ConeProblem) -> ConeProblem {
    let mut delassus = signorini_solver::Delassus::new(problem).unwrap();
    let m = problem.row_count();
    let mut triplets = Vec::new();
    for column in 0..m {
        let (mut unit, mut out) = (vec![0.0; m], vec![0.0; m]);
        unit[column] = 1.0;
        delassus.apply(problem, &unit, &mut out);
        triplets.extend(out.into_iter().enumerate().filter(|(_, v)| *v != 0.0).map(|(row, v)| (row, column, v)));
    }
    let w = CscMatrix::from_triplets(m, m, triplets).unwrap();
    let cones: Vec<(Cone, usize)> = problem.each_block().map(|(rows, cone)| (cone, rows.len())).collect();
    ConeProblem::condensed(w, delassus.free_velocity().to_vec(), &cones).unwrap()
}

fn all_methods() -> Vec<Method> {
    let forms = [KktForm::Reduced, KktForm::QuasiDefinite];
    let mut list: Vec<Method> =
        forms.map(|kkt| InteriorPoint { kkt, ..InteriorPoint::default() }.into()).into_iter().collect();
    list.extend([SemismoothNewton::default().into(), Blmvm::default().into(), Tron::default().into()]);
    list
}

fn check_agreement(name: &str, problem: &ConeProblem, facets: u32) {
    let reference = solved(problem, &settings(InteriorPoint::default(), facets, 1e-11));
    let fastest = reference.velocity().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for method in all_methods() {
        let solution = solve(problem, &settings(method.clone(), facets, 1e-8)).unwrap();
        let report = &solution.report;
        let reached = (report.iterations, report.residuals.natural_map_relative);
        assert_eq!(report.status, Status::Converged, "{name}, p = {facets}, {}: {reached:?}", method.name());
        match problem.is_condensed() {
            // Velocities are relative ones; ‖N^½(g − g*)‖² is bounded by residual times impulses, hence the root.
            true => {
                let pairs = solution.relative_velocity.iter().zip(&reference.relative_velocity);
                let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-4, "{name}, p = {facets}, {}: {worst:.1e}", method.name());
            }
            false => {
                let distance = apart(problem, solution.velocity(), reference.velocity());
                assert!(distance < 1e-5 * fastest.max(0.1), "{name}, p = {facets}, {}: {distance:.1e}", method.name());
            }
        }
    }
}

#[test]
fn methods_agree_on_pyramids_of_packings() {
    for facets in [3, 4, 8] {
        // A settled pile is nearly jammed: with it projected methods may need more than 10⁵ products for this accuracy.
        let packing = SpherePacking { bodies: 60, friction: 0.3, gaps: Gaps::Loosened, ..Default::default() };
        let problem = packing.problem().unwrap();
        check_agreement("packing", &problem, facets);
    }
}

#[test]
fn methods_agree_without_friction_and_on_other_families() {
    let frictionless = SpherePacking { bodies: 200, friction: 0.0, ..Default::default() }.problem().unwrap();
    check_agreement("frictionless packing", &frictionless, 4);
    check_agreement("net", &Net::default().problem().unwrap(), 6);
    let chain = Chain { links: 8, floor: Some(0.4), doubled: true, ..Default::default() };
    check_agreement("chain with doubled joints", &chain.problem().unwrap(), 5);
    let small = SpherePacking { bodies: 20, friction: 0.3, ..Default::default() }.problem().unwrap();
    check_agreement("condensed packing", &condensed(&small), 4);
}

#[test]
fn soft_contacts_keep_their_energy() {
    for (facets, sparse) in [(3, false), (6, true)] {
        // Two blocks on soft floors, one pushed; E differs between normal and tangents.
        let mut builder = ConeProblem::builder();
        let masses = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        match sparse {
            true => drop(builder.sparse_inertia(CscMatrix::diagonal(&masses)).clone()),
            false => drop(builder.diagonal_body(&masses[..3]).diagonal_body(&masses[3..]).clone()),
        }
        builder.linear(&[1.0, -0.3, 0.1, 2.0, 1.5, 0.4]);
        for body in [0, 3] {
            let [n, s, t] = [0, 1, 2].map(|axis| [(body + axis, 1.0)]);
            builder.rows(Cone::Friction { mu: 0.5 }, &[&n, &s, &t], &[0.0; 3]).compliance(0.3);
        }
        let problem = builder.build().unwrap();
        assert_eq!(matches!(problem.inertia(), Inertia::Sparse(_)), sparse);
        let oracle = dense(&problem, facets);
        let lambda = oracle.gauss_seidel(5000);
        let impulse = problem.with_pyramids(facets).unwrap().impulses(&lambda);
        for method in all_methods() {
            let solution = solved(&problem, &settings(method.clone(), facets, 1e-10));
            for (found, exact) in solution.impulse().iter().zip(&impulse) {
                assert!((found - exact).abs() < 1e-8, "{}: {found}, not {exact}", method.name());
            }
            assert_eq!(solution.velocity().len(), 6);
            // y = Jv − b + Eg in the rows of the problem.
            for (row, y) in solution.relative_velocity.iter().enumerate() {
                let expected = solution.velocity()[row] + 0.3 * solution.impulse()[row];
                assert!((y - expected).abs() < 1e-12, "row {row}: {y}, not {expected}");
            }
        }
    }
}

#[test]
fn a_warm_start_passes_through_the_pyramid() {
    let problem = SpherePacking { bodies: 20, friction: 0.3, ..Default::default() }.problem().unwrap();
    for method in [
        Method::from(Blmvm::default()),
        Tron::default().into(),
        SemismoothNewton {
            fallback: InteriorPoint { warm_start: WarmStart::Full, ..Default::default() },
            ..Default::default()
        }
        .into(),
    ] {
        let settings = settings(method.clone(), 3, 1e-6);
        let cold = solved(&problem, &settings);
        let warm = Control { warm: Some(&cold.iterate), cancel: None };
        let again = solve_with(&problem, &settings, &warm).unwrap();
        // Three facets determine their multipliers: nothing is lost on the way.
        assert!(again.report.iterations <= 1, "{}: {} iterations", method.name(), again.report.iterations);
    }
}

#[test]
fn stacks_without_friction_carry_their_weight() {
    for method in [Method::from(Blmvm::default()), Tron::default().into()] {
        let stack = Stack { levels: 12, ..Default::default() };
        let problem = stack.problem().unwrap();
        let solution = solved(&problem, &SolverSettings::from(method.clone()).to(Tolerance::Relative(1e-10)));
        let fastest = solution.velocity().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(fastest < 1e-8, "{}: {fastest}", method.name());
    }
}

#[test]
fn wrong_numbers_of_facets_and_round_cones_are_explained() {
    let problem = pushed_blocks(0.4, 1.0, &[0.0]);
    for facets in [0, 2, 257] {
        let error = solve(&problem, &settings(InteriorPoint::default(), facets, 1e-8)).unwrap_err().to_string();
        assert!(
            error.contains(&format!("{facets} facets")) && error.contains("3 (") && error.contains("256 ("),
            "{error}"
        );
    }
    for method in [Method::from(Blmvm::default()), Tron::default().into()] {
        let error = solve(&problem, &SolverSettings::from(method)).unwrap_err();
        assert!(error.to_string().contains("cannot take round friction cones; methods that can: auto, interior-point"));
        assert!(error.hint().unwrap().contains("--facets 8"), "{:?}", error.hint());
    }
    for (method, name) in [
        (Method::from(Blmvm { memory: 0 }), "memory"),
        (Tron { subspace_tolerance: 1.0, ..Default::default() }.into(), "subspace-tolerance"),
        (Tron { factor_entries: 0, ..Default::default() }.into(), "factor-entries"),
    ] {
        let error = solve(&problem, &settings(method, 4, 1e-8)).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn the_objective_never_rises() {
    let problem = SpherePacking { bodies: 20, friction: 0.3, ..Default::default() }.problem().unwrap();
    for method in [Method::from(Blmvm::default()), Tron::default().into()] {
        let settings = SolverSettings { history: true, ..settings(method.clone(), 4, 1e-8) };
        let history = solved(&problem, &settings).report.history;
        assert!(history.len() > 100);
        let scale = history.iter().map(|entry| entry.objective.abs()).fold(0.0, f64::max);
        for pair in history.windows(2) {
            assert!(pair[1].objective <= pair[0].objective + 1e-12 * scale, "{}: {:?}", method.name(), pair);
            assert_eq!(pair[1].residuals.dual, 0.0, "impulses leave the bounds");
        }
    }
}

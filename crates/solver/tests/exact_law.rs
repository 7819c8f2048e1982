//! Coulomb's exact law: closed forms, physics, and the real problems with numbers as they were given.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::{Brick, Gaps, RandomProblem, SpherePacking};
use signorini_solver::fclib::{self, FclibProblem};
use signorini_solver::problem::from_fclib;
use signorini_solver::{
    AcceleratedSor, Cone, ConeProblem, Control, FrictionLaw, InteriorPoint, Jacobi, Method, Nsgs, ProximalNewton,
    Solution, SolverSettings, Status, Stopping, Tolerance, solve, solve_with,
};
use signorini_testkit::{sample_problems, table};

fn exact(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings { friction: FrictionLaw::Exact, ..SolverSettings::from(method) }.to(Tolerance::Relative(tolerance))
}

fn methods() -> Vec<Method> {
    vec![
        ProximalNewton::default().into(),
        InteriorPoint::default().into(),
        Jacobi::default().into(),
        Nsgs::default().into(),
        AcceleratedSor::default().into(),
    ]
}

/// A unit mass on a plane inclined by θ, for one step h from rest.
fn incline(theta: f64, mu: f64, h: f64) -> ConeProblem {
    let g = 9.81;
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0; 3]).linear(&[h * g * theta.cos(), -h * g * theta.sin(), 0.0]);
    builder.rows(Cone::Friction { mu }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
    builder.build().unwrap()
}

#[test]
fn a_sliding_block_does_not_lift() {
    let (theta, mu, h) = (30_f64.to_radians(), 0.3, 0.01);
    let speed = h * 9.81 * (theta.sin() - mu * theta.cos());
    for method in methods() {
        let solution = solve(&incline(theta, mu, h), &exact(method.clone(), 1e-13)).unwrap();
        let v = solution.velocity();
        assert!(v[0].abs() < 1e-14, "{} lifts at {:.1e} m/s", method.name(), v[0]);
        assert!((v[1] - speed).abs() < 1e-13 && v[2].abs() < 1e-14, "{}: {v:?}", method.name());
    }
    // The relaxed law lifts it at μ times its speed; the exact law is not the same problem.
    let relaxed = solve(&incline(theta, mu, h), &InteriorPoint::default().into()).unwrap();
    assert!((relaxed.velocity()[0] - mu * relaxed.velocity()[1]).abs() < 1e-9 && relaxed.velocity()[0] > 0.005);
    // Below the angle of friction it sticks by both.
    let stuck = solve(&incline(0.2, 0.3, h), &exact(ProximalNewton::default(), 1e-12)).unwrap();
    assert!(stuck.velocity().iter().all(|v| v.abs() < 1e-12));
}

#[test]
fn the_lagged_law_ends_at_the_exact_one() {
    let (theta, mu, h) = (30_f64.to_radians(), 0.3, 0.01);
    let problem = incline(theta, mu, h);
    let settings = SolverSettings { friction: FrictionLaw::Lagged, ..SolverSettings::from(InteriorPoint::default()) };
    let settings = settings.to(Tolerance::Relative(1e-12));
    let mut solution = solve(&problem, &settings).unwrap();
    // s of the slip before: u_n = μ(v_new − v_old), so each solve divides the dilation by a factor.
    let mut last = f64::INFINITY;
    for _ in 0..12 {
        let lift = solution.velocity()[0].abs();
        assert!(lift < 0.5 * last || lift < 1e-12, "{lift:e} after {last:e}");
        last = lift;
        let control = Control { warm: Some(&solution.iterate), cancel: None };
        solution = solve_with(&problem, &settings, &control).unwrap();
    }
    assert!((solution.velocity()[1] - h * 9.81 * (theta.sin() - mu * theta.cos())).abs() < 1e-8);
    assert!((solution.relative_velocity[0] - solution.velocity()[0]).abs() < 1e-14, "u is the true relative velocity");
}

#[test]
fn the_papers_stopping_rules_are_refused_for_laws_they_do_not_know() {
    let method = InteriorPoint { stopping: Stopping::Paper, ..InteriorPoint::default() };
    for friction in [FrictionLaw::Exact, FrictionLaw::Lagged] {
        let settings = SolverSettings { friction, ..SolverSettings::from(method.clone()) };
        let error = solve(&incline(0.5, 0.3, 0.01), &settings).unwrap_err();
        assert!(error.to_string().starts_with(friction.name()) && error.hint().is_some(), "{error}");
    }
}

/// A box on many contacts slides without lifting, and friction opposes the slip with μ times the normal impulse.
#[test]
fn a_sliding_box_on_redundant_contacts_stays_down() {
    let brick = Brick { incline: 30_f64.to_radians(), friction: 0.3, contacts: [4, 3], ..Brick::default() };
    let problem = brick.problem().unwrap();
    for method in [Method::from(ProximalNewton::default()), InteriorPoint::default().into()] {
        let solution = solve(&problem, &exact(method, 1e-12)).unwrap();
        assert_eq!(solution.report.status, Status::Converged);
        let weight = brick.mass * brick.step * 9.81;
        let (sin, cos) = (brick.incline.sin(), brick.incline.cos());
        let v = solution.velocity();
        assert!((v[0] - weight * (sin - brick.friction * cos) / brick.mass).abs() < 1e-11, "{v:?}");
        assert!(v[1..].iter().all(|v| v.abs() < 1e-11), "{v:?}");
        let total: f64 = solution.impulse().chunks(3).map(|g| g[0]).sum();
        assert!((total - weight * cos).abs() < 1e-10 * weight, "{total}");
    }
}

/// Coulomb's conditions one by one, by their own formulas.
fn assert_coulomb(problem: &ConeProblem, solution: &Solution, speed: f64, name: &str) {
    for (rows, cone) in problem.each_block() {
        let (u, g) = (&solution.relative_velocity[rows.clone()], &solution.impulse()[rows]);
        let Cone::Friction { mu } = cone else { continue };
        let (slip, friction) =
            (u[1..].iter().map(|u| u * u).sum::<f64>().sqrt(), g[1..].iter().map(|g| g * g).sum::<f64>().sqrt());
        assert!(u[0] > -speed && g[0] >= -1e-9 && friction <= mu * g[0] + 1e-6, "{name}: {u:?} {g:?}");
        let size = g[0].abs().max(1e-9);
        assert!((u[0] * g[0]).abs() < 1e2 * speed * size, "{name}: u_n {} g_n {}", u[0], g[0]);
        if slip > 1e3 * speed && g[0] > 1e-3 {
            assert!(
                friction > 0.999 * mu * g[0],
                "{name}: slides at {slip:.1e} with friction {friction} of {}",
                mu * g[0]
            );
        }
    }
}

#[test]
fn piles_obey_coulomb_contact_by_contact() {
    let problem =
        SpherePacking { bodies: 60, friction: 0.4, agitation: 0.05, gaps: Gaps::Loosened, ..Default::default() }
            .problem()
            .unwrap();
    // Piles near rest have slow modes: 1e-6 of the free velocity is what the fixed point reaches in 30 problems.
    let reference = solve(&problem, &exact(InteriorPoint::default(), 1e-6)).unwrap();
    assert_eq!(reference.report.status, Status::Converged, "{:?}", reference.report.residuals);
    assert_coulomb(&problem, &reference, 1e-6, "pile");
    // The relaxed answer of the same pile does not.
    let relaxed = solve(&problem, &InteriorPoint::default().into()).unwrap();
    let lift = relaxed.relative_velocity.chunks(3).zip(relaxed.impulse().chunks(3));
    assert!(lift.filter(|(_, g)| g[0] > 1e-3).any(|(u, _)| u[0] > 1e-4));
}

#[test]
fn random_problems_with_joints_and_soft_rows_are_solved_by_newton_and_by_fixed_points() {
    for seed in 0..60 {
        let softness = if seed % 3 == 0 { 0.1 } else { 0.0 };
        let random = RandomProblem {
            bodies: 2 + seed as usize % 5,
            blocks: 3 + seed as usize % 9,
            softness,
            seed,
            ..Default::default()
        };
        let problem = random.generate().unwrap().problem;
        for method in [Method::from(ProximalNewton::default()), InteriorPoint::default().into()] {
            let name = format!("seed {seed}, {}", method.name());
            let solution = solve(&problem, &exact(method, 1e-9)).unwrap();
            assert!(solution.velocity().iter().chain(solution.impulse()).all(|x| x.is_finite()), "{name}");
            // The exact law need not have a solution for contacts prescribed to approach; where it converges it holds.
            if solution.report.status == Status::Converged {
                assert!(solution.report.residuals.natural_map_relative <= 1e-9, "{name}");
                let again = solve_with(
                    &problem,
                    &exact(ProximalNewton::default(), 1e-8),
                    &Control { warm: Some(&solution.iterate), cancel: None },
                )
                .unwrap();
                assert_eq!((again.report.status, again.report.iterations), (Status::Converged, 0), "{name}");
            }
        }
    }
}

/// ‖r − P_K(r − ρũ)‖/(ρ‖q‖), ρ = 1/mean(diag W), ũ = u + (μ‖u_T‖ + μ_r‖u_R‖) e_N: the definition of the problem set, on the
/// matrices as they are stored, with a projection of its own (Dykstra's alternation between the two cones).
fn ncp_error(problem: &FclibProblem, solution: &Solution) -> f64 {
    let r = &solution.iterate.impulse;
    let (d, mu, mu_r) = (problem.dimension(), problem.mu(), problem.mu_r());
    let (u, q, mean) = match problem {
        FclibProblem::Local(local) => {
            let mut u = local.q.clone();
            local.w.mul_add(1.0, r, &mut u);
            let diagonal = local.w.diagonal_entries();
            (u, local.q.clone(), diagonal.iter().sum::<f64>() / diagonal.len() as f64)
        }
        FclibProblem::Global(global) => {
            // u from r by M as given; a dense solve of its own.
            let n = global.f.len();
            let mut m = vec![vec![0.0; n]; n];
            global.m.triplets().for_each(|(i, j, x)| m[i][j] += x);
            let columns = r.len();
            let mut rhs = vec![vec![0.0; n]; columns + 1];
            global.h.triplets().for_each(|(i, j, x)| rhs[j][i] += x);
            rhs[columns].copy_from_slice(&global.f);
            gauss(m, &mut rhs);
            let dot = |j: usize, v: &[f64]| {
                let (rows, values) = global.h.col(j);
                rows.iter().zip(values).map(|(&i, x)| x * v[i]).sum::<f64>()
            };
            let q: Vec<f64> = (0..columns).map(|j| dot(j, &rhs[columns]) + global.w[j]).collect();
            let u = (0..columns).map(|j| q[j] + (0..columns).map(|k| dot(j, &rhs[k]) * r[k]).sum::<f64>()).collect();
            let mean = (0..columns).map(|j| dot(j, &rhs[j])).sum::<f64>() / columns as f64;
            (u, q, mean)
        }
    };
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut squares = 0.0;
    for k in 0..mu.len() {
        let rows = k * d..(k + 1) * d;
        let mut z = u[rows.clone()].to_vec();
        let split = d.min(3);
        z[0] += mu[k] * norm(&z[1..split]) + mu_r.map_or(0.0, |mu_r| mu_r[k] * norm(&z[3..]));
        for (z, r) in z.iter_mut().zip(&r[rows.clone()]) {
            *z = r - *z / mean;
        }
        project(&mut z, mu[k], mu_r.map(|mu_r| mu_r[k]));
        squares += z.iter().zip(&r[rows]).map(|(z, r)| (r - z).powi(2)).sum::<f64>();
    }
    squares.sqrt() * mean / norm(&q)
}

fn project(z: &mut [f64], mu: f64, mu_r: Option<f64>) {
    let cone = |z: &mut [f64], tangent: std::ops::Range<usize>, mu: f64| {
        let t = z[tangent.clone()].iter().map(|t| t * t).sum::<f64>().sqrt();
        if t <= mu * z[0] || t == 0.0 {
            z[0] = z[0].max(0.0);
            return;
        }
        let n = ((z[0] + mu * t) / (1.0 + mu * mu)).max(0.0);
        z[0] = n;
        z[tangent].iter_mut().for_each(|x| *x *= mu * n / t);
    };
    let Some(mu_r) = mu_r else { return cone(z, 1..z.len(), mu) };
    // Dykstra: alternating projections with corrections converge to the projection on the intersection.
    let (mut p, mut q) = ([0.0; 5], [0.0; 5]);
    for _ in 0..100_000 {
        let before = z.to_vec();
        let mut y: Vec<f64> = z.iter().zip(p).map(|(z, p)| z + p).collect();
        let with = y.clone();
        cone(&mut y, 1..3, mu);
        (0..5).for_each(|i| p[i] = with[i] - y[i]);
        let with: Vec<f64> = y.iter().zip(q).map(|(y, q)| y + q).collect();
        z.copy_from_slice(&with);
        cone(z, 3..5, mu_r);
        (0..5).for_each(|i| q[i] = with[i] - z[i]);
        if z.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-15 * (1.0 + a.abs())) {
            break;
        }
    }
}

/// Solves M x = b for several b by elimination with pivoting.
fn gauss(mut m: Vec<Vec<f64>>, rhs: &mut [Vec<f64>]) {
    let n = m.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs())).unwrap();
        m.swap(c, pivot);
        rhs.iter_mut().for_each(|b| b.swap(c, pivot));
        let top = m[c].clone();
        for row in c + 1..n {
            let factor = m[row][c] / top[c];
            if factor != 0.0 {
                m[row].iter_mut().zip(&top).skip(c).for_each(|(x, t)| *x -= factor * t);
                rhs.iter_mut().for_each(|b| b[row] -= factor * b[c]);
            }
        }
    }
    for b in rhs {
        for row in (0..n).rev() {
            let sum: f64 = (row + 1..n).map(|j| m[row][j] * b[j]).sum();
            b[row] = (b[row] - sum) / m[row][row];
        }
    }
}

/// All of them, the rolling ones and the one that no solver of the reference set finished included.
#[test]
fn every_real_problem_is_solved_to_1e_8_as_given() {
    let Some(folder) = sample_problems("exact law") else { return };
    for row in table(&folder.join("reference.csv")).unwrap() {
        let file = fclib::read(&folder.join(&row["file"])).unwrap();
        let problem = match from_fclib(&file.problem) {
            Ok(problem) => problem,
            Err(error) => panic!("{}: {error}", row["instance"]),
        };
        let solution = solve(&problem, &exact(ProximalNewton::default(), 1e-8)).unwrap();
        let reached = solution.report.residuals.natural_map_relative;
        assert_eq!(solution.report.status, Status::Converged, "{}: {reached:.1e}", row["instance"]);
        // Large mass matrices take minutes by plain elimination.
        if problem.velocities() <= 1000 {
            let error = ncp_error(&file.problem, &solution);
            eprintln!("{}: {error:.1e} in {} iterations", row["instance"], solution.report.iterations);
            assert!(error <= 1.01e-8 + 1e-12, "{}: {error:.1e}", row["instance"]);
        }
    }
}

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use signorini_solver::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut settings = InteriorPoint::default();
    settings.history = true;
    let mut files = vec![];
    let mut trace = false;
    for a in &args {
        match a.split_once('=') {
            Some(("tol", v)) => settings.tolerance = Tolerance::Relative(v.parse().unwrap()),
            Some(("kkt", v)) => settings.kkt = *KktForm::ALL.iter().find(|k| k.name() == v).unwrap(),
            Some(("start", v)) => settings.start = *Start::ALL.iter().find(|k| k.name() == v).unwrap(),
            Some(("corr", v)) => settings.correctors = v.parse().unwrap(),
            Some(("ref", v)) => settings.refinements = v.parse().unwrap(),
            Some(("max", v)) => settings.max_iterations = v.parse().unwrap(),
            Some(("polish", v)) => settings.polish = v.parse().unwrap(),
            Some(("split", v)) => settings.steps = if v == "true" { Steps::Split } else { Steps::Equal },
            Some(("par", v)) => settings.parallel = v == "true",
            Some(("trace", v)) => trace = v.parse().unwrap(),
            _ => files.push(a.clone()),
        }
    }
    let mut iters = vec![];
    for f in files {
        let name = f.rsplit('/').next().unwrap().to_string();
        let problem = if let Some(rest) = f.strip_prefix("pack:") {
            let p: Vec<&str> = rest.split(':').collect();
            let gaps = match p[2] {
                "s" => family::Gaps::Settled,
                "l" => family::Gaps::Loosened,
                _ => family::Gaps::Closed,
            };
            family::SpherePacking {
                bodies: p[0].parse().unwrap(),
                friction: p[1].parse().unwrap(),
                gaps,
                ..Default::default()
            }
            .problem()
            .unwrap()
        } else {
            let file = fclib::read(std::path::Path::new(&f)).unwrap();
            match problem::from_fclib(&file.problem) {
                Ok(p) => p,
                Err(e) => {
                    println!("{name:45} {e}");
                    continue;
                }
            }
        };
        let t = std::time::Instant::now();
        let s = solve(&problem, &settings.clone().into()).unwrap();
        let wall = t.elapsed().as_secs_f64();
        let r = &s.report;
        iters.push(r.iterations);
        let reach = |x: f64| {
            r.history
                .iter()
                .find(|h| h.residuals.natural_map_relative <= x)
                .map_or("-".into(), |h| h.iteration.to_string())
        };
        println!(
            "{name:45} {:5} {:4} its={:3} {:>3}/{:>3}/{:>3} rel={:.1e} nm={:.1e} obj={:.10e} t={:.4} set={:.4} {} {:?}",
            problem.contacts(),
            problem.velocities(),
            r.iterations,
            reach(1e-4),
            reach(1e-6),
            reach(1e-8),
            r.residuals.natural_map_relative,
            r.residuals.natural_map,
            r.objective,
            wall,
            r.timings.setup,
            r.status,
            r.phases
        );
        if trace {
            for h in &r.history {
                println!(
                    "   {:3} {} {:.2e} p={:.1e} d={:.1e} c={:.1e} m={:.1e} obj={:.10e}",
                    h.iteration,
                    h.phase,
                    h.residuals.natural_map_relative,
                    h.residuals.primal,
                    h.residuals.dual,
                    h.residuals.complementarity,
                    h.residuals.momentum,
                    h.objective
                );
            }
        }
    }
    iters.sort();
    println!("median {:?}", iters.get(iters.len() / 2));
}

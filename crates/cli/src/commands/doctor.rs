//! `signorini doctor`: what the program runs on, and whether it works there.

use crate::examples::{self, incline_velocity};
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use crate::verify::larger;
use anyhow::Result;
use serde_json::json;
use signorini_experiments::memory;
use signorini_solver::{Accepts, Method, solve};

/// Largest error of the self-test, relative to the speed: far above rounding, far below any real defect.
const SELF_TEST: f64 = 1e-7;

pub(crate) fn run(printer: &mut Printer) -> Result<Exit> {
    let (target, build) = (target(), build());
    let parallelism = std::thread::available_parallelism().ok().map(std::num::NonZero::get);
    let pool = rayon::current_num_threads();
    let memory = memory::machine_bytes();
    let peak = memory::peak_bytes();
    let failures = self_test();

    printer.object(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "target": target,
        "build": build,
        "processor_features": processor_features(),
        "available_parallelism": parallelism,
        "pool_threads": pool,
        "memory_total_bytes": memory.map(|(total, _)| total),
        "memory_available_bytes": memory.map(|(_, available)| available),
        "peak_memory_known": peak.is_some(),
        "self_test": if failures.is_empty() { "passed" } else { "failed" },
    }));
    let unknown = || "unknown".to_owned();
    let rows = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("target", target),
        ("build", build.to_owned()),
        ("processor features", processor_features().join(" ")),
        ("available parallelism", parallelism.map_or_else(unknown, |n| n.to_string())),
        ("threads of the pool", format!("{pool} (solve uses all unless --threads says otherwise)")),
        ("memory", memory.map_or_else(unknown, |(all, free)| format!("{} GiB, {} GiB free", gib(all), gib(free)))),
        ("peak memory of a solve", if peak.is_some() { "measured".into() } else { unknown() }),
        ("self-test", if failures.is_empty() { "passed".into() } else { "failed".into() }),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    printer.table(&[Column::words("what"), Column::words("found")], rows);
    for failure in &failures {
        printer.error(None, failure, None);
    }
    Ok(if failures.is_empty() { Exit::Done } else { Exit::Missed })
}

fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}

/// Every solver on a problem whose answer is known; what went wrong.
fn self_test() -> Vec<String> {
    let expected = incline_velocity();
    let speed = expected.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    let mut failures = Vec::new();
    for method in Method::all().into_iter().filter(|method| method.describe().accepts == Accepts::EVERYTHING) {
        let name = method.name();
        let outcome = examples::find("incline")
            .and_then(|example| Ok((example.build)()?))
            .and_then(|problem| Ok(solve(&problem, &method.into())?));
        match outcome {
            Ok(solution) => {
                let errors = solution.velocity().iter().zip(expected).map(|(v, expected)| (v - expected).abs());
                let worst = errors.fold(0.0, larger);
                if worst.is_nan() || worst > SELF_TEST * speed {
                    failures.push(format!("{name}: a velocity of example:incline is wrong by {worst:.1e} m/s"));
                }
            }
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
    }
    failures
}

/// What the program was compiled for.
pub(crate) fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// How it was compiled.
pub(crate) fn build() -> &'static str {
    if cfg!(debug_assertions) { "debug assertions" } else { "release" }
}

pub(crate) fn processor_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&'static str, bool); 0] = [];
    found.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
}

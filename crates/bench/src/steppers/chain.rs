//! Cost of one step of `hht` against the number of links of a hinged chain.

use super::Sheet;
use crate::table::{Table, Value, middle};
use anyhow::Result;
use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{Body, Mat3, Model, Newton, Pose, Quat, Settings, Simulation, Stepper, Vec3};
use std::time::Instant;

/// m, kg.
const LENGTH: f64 = 0.1;
const MASS: f64 = 0.2;
/// s.
const STEP: f64 = 1e-3;
/// Steps before any is counted, and those whose median is taken.
const WARM_UP: usize = 3;
const COUNTED: usize = 15;
/// Of Newton's method, in shares of a link. Places of a long chain are rounded to 1e-13 m, and what that adds up to over ten
/// thousand joints is more than the default: with it the last iterations chase rounding.
const TOLERANCES: [f64; 2] = [1e-9, 1e-11];
/// 10 000 links may cost this many times what 1000 do.
const MOST: f64 = 12.0;

/// Links in a level row, on hinges whose axes alternate between level and upright: it is let go and falls, held at one end.
fn chain(links: usize) -> Result<Model> {
    let mut model = Model::builder();
    let along = Vec3::X;
    let slender = MASS * LENGTH * LENGTH / 12.0;
    let inertia = Mat3::from_diagonal(Vec3::new(0.02 * slender, slender, slender));
    let (mut before, mut pose_before) = (model.body(Body::fixed("ground")), Pose::IDENTITY);
    for k in 0..links {
        let pose = Pose::new((k as f64 + 0.5) * LENGTH * along, Quat::IDENTITY);
        let link = model.body(Body::new(format!("link-{k}"), MASS, inertia).posed(pose));
        let axis = if k % 2 == 0 { Vec3::Y } else { Vec3::Z };
        let frame = Pose::new(k as f64 * LENGTH * along, Quat::from_rotation_arc(Vec3::Z, axis));
        let anchors = Anchors::from_world([before, link], [&pose_before, &pose], frame);
        model.joint(format!("hinge-{k}"), Revolute::new(anchors));
        (before, pose_before) = (link, pose);
    }
    Ok(model.build()?)
}

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let mut table = Table::new(&[
        "links",
        "newton tolerance",
        "set-up",
        "a step",
        "fastest",
        "fastest, a link",
        "newton iterations a step",
        "factorisations a step",
        "violation [m]",
    ]);
    let sizes: &[usize] = if sheet.is_quick() { &[30, 100] } else { &[100, 300, 1000, 3000, 10_000] };
    let mut times_of = Vec::new();
    let runs = TOLERANCES.iter().flat_map(|tolerance| sizes.iter().map(move |links| (*links, *tolerance)));
    for (links, tolerance) in runs {
        let started = Instant::now();
        let stepper = Stepper::Hht { alpha: -0.1 };
        let newton = Newton { tolerance, ..Newton::default() };
        let settings = Settings { step: STEP, stepper, newton, ..Settings::default() };
        let mut simulation = Simulation::new(chain(links)?, settings)?;
        let set_up = started.elapsed().as_secs_f64();
        let (mut times, mut iterations, mut factorisations, mut violation) = (Vec::new(), 0, 0, 0.0_f64);
        for k in 0..WARM_UP + COUNTED {
            let started = Instant::now();
            let report = simulation.step()?;
            if k >= WARM_UP {
                times.push(started.elapsed().as_secs_f64());
                iterations += report.iterations;
                factorisations += report.factorisations;
                violation = violation.max(report.joint_violation);
            }
        }
        let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
        let median = middle(times).unwrap_or(f64::NAN);
        times_of.push((links, tolerance, [median, fastest]));
        let a_step = |count: u32| Value::Ratio(f64::from(count) / COUNTED as f64);
        table.push(vec![
            Value::Count(links),
            Value::Small(tolerance),
            Value::Seconds(set_up),
            Value::Seconds(median),
            Value::Seconds(fastest),
            Value::Seconds(fastest / links as f64),
            a_step(iterations),
            a_step(factorisations),
            Value::Small(violation),
        ]);
    }
    sheet.table("Hinged chains: hht, h = 1 ms, sparse direct, median of 15 steps", "chain", &table)?;
    for tolerance in TOLERANCES {
        let of =
            |links: usize| times_of.iter().find(|(size, of, _)| (*size, *of) == (links, tolerance)).map(|run| run.2);
        if let Some(([median, fastest], [small_median, small_fastest])) = of(10_000).zip(of(1000)) {
            let [ratio, fast] = [median / small_median, fastest / small_fastest];
            let verdict = if ratio <= MOST { "holds" } else { "FAILS" };
            println!(
                "{verdict}: 10 000 links cost {ratio:.2} times what 1000 do (asked: at most {MOST}), fastest steps \
                 {fast:.2} times; newton tolerance {tolerance:e}"
            );
        }
    }
    Ok(())
}

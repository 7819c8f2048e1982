//! Three-point bending: the largest stable step with hard contacts and with springs in their place, on a finer set of steps than
//! `signorini reproduce IP-4`. What is stable is said in [`signorini_experiments::bending`].

use super::Sheet;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_experiments::bending::{self, Bending, Contacts, PUBLISHED_STEP as PUBLISHED, settings};
use signorini_mechanics::Settings;
use signorini_plot::{Axis, Curve, Plot};

/// Steps \[s\] of hard runs …
const HARD: [f64; 10] = [0.005, 0.01, 0.02, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.25];
/// … and of those with springs.
const SPRINGS: [f64; 9] = [0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.01, 0.02, 0.05];

/// One run of the scene, shorter and coarse if the sheet is quick.
fn bend(sheet: &Sheet<'_>, settings: Settings, bounds: Option<(f64, f64)>) -> Result<Bending> {
    let scene = bending::scene(sheet.is_quick())?;
    let until = if sheet.is_quick() { 0.1 } else { scene.until };
    bending::bend(scene, settings, until, bounds, &|_| Ok(()))
}

pub(super) fn run(sheet: &Sheet<'_>) -> Result<()> {
    let reference = bend(sheet, settings(0.1 * PUBLISHED, Contacts::Hard), None)?;
    let bounds = Some(reference.energies());
    let mut table = Table::new(&[
        "contacts",
        "h [s]",
        "stable",
        "run",
        "elastic [J]",
        "kinetic [J]",
        "overlap [m]",
        "force of the punch at the end [N]",
    ]);
    let mut limits = Vec::new();
    let mut curves = Vec::new();
    let mut kept = Vec::new();
    for (name, contacts, steps) in [("hard", Contacts::Hard, &HARD[..]), ("springs", Contacts::Springs, &SPRINGS[..])] {
        // In order of length: the largest below which all are stable.
        let mut limit: Option<(f64, f64)> = None;
        let mut has_failed = false;
        for (style, &h) in steps.iter().enumerate().filter(|(_, h)| !sheet.is_quick() || **h >= 0.005) {
            let outcome = bend(sheet, settings(h, contacts), bounds)?;
            has_failed |= !outcome.is_stable();
            if !has_failed {
                limit = Some((h, outcome.seconds));
            }
            let shown = if outcome.is_stable() { "yes".to_owned() } else { outcome.trouble.clone() };
            table.push(vec![
                Value::text(name),
                Value::text(h.to_string()),
                Value::text(shown),
                Value::Seconds(outcome.seconds),
                Value::Ratio(outcome.elastic),
                Value::Ratio(outcome.kinetic),
                Value::Small(outcome.overlap),
                Value::Ratio(outcome.reaction.last().map_or(f64::NAN, |point| point[1])),
            ]);
            let is_drawn = match contacts {
                Contacts::Hard => h == PUBLISHED || h == 0.005,
                Contacts::Springs => h == 0.0005,
            };
            if is_drawn {
                let curve = outcome.reaction.clone();
                kept.push((name, h, curve.clone()));
                curves.push(Curve::new(
                    &format!("{name}, h = {h} s"),
                    style + if limits.is_empty() { 0 } else { 8 },
                    curve,
                ));
            }
        }
        limits.push((name, limit));
    }
    sheet.table("Three-point bending, 0.5 s: hard contacts against springs", "bending", &table)?;
    if let [(_, Some((hard, hard_seconds))), (_, Some((springs, spring_seconds)))] = limits[..] {
        println!(
            "largest stable step: {hard} s with hard contacts, {springs} s with springs: {:.0} times longer, the run {:.1} times as fast",
            hard / springs,
            spring_seconds / hard_seconds,
        );
    } else {
        println!("largest stable step: {limits:?}");
    }
    compare(&kept);
    sheet.picture(
        "bending",
        &Plot {
            title: "Three-point bending: force of the punch".into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("force [N]"),
            curves,
            legend: true,
            size: [760.0, 340.0],
            ..Plot::default()
        },
    )
}

/// What the punch feels on the average of each published step, by hard contacts and by springs.
fn compare(kept: &[(&str, f64, Vec<[f64; 2]>)]) {
    let find = |name: &str, h: f64| kept.iter().find(|(own, step, _)| *own == name && *step == h).map(|(.., c)| c);
    let (Some(hard), Some(fine), Some(springs)) =
        (find("hard", PUBLISHED), find("hard", 0.005), find("springs", 0.0005))
    else {
        return;
    };
    let mean = |curve: &[[f64; 2]], end: f64| {
        let own: Vec<f64> =
            curve.iter().filter(|[t, _]| *t > end - PUBLISHED + 1e-9 && *t < end + 1e-9).map(|p| p[1]).collect();
        own.iter().sum::<f64>() / own.len().max(1) as f64
    };
    println!("force of the punch, mean over {PUBLISHED} s [N]:  time  hard 0.05  hard 0.005  springs 0.0005");
    for [time, force] in hard {
        println!("{time:6.2} {force:10.1} {:10.1} {:10.1}", mean(fine, *time), mean(springs, *time));
    }
}

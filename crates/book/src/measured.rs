//! What the scenes of the gallery come to when they are run: bench/results/gallery.csv.

use crate::program::Workshop;
use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use signorini_scene::gallery;
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "bench/results/gallery.csv";
const TITLES: [&str; 13] = [
    "scene",
    "bodies",
    "steps",
    "time_end",
    "contacts_mean",
    "contacts_max",
    "steps_converged",
    "residual_worst",
    "penetration_max",
    "joint_violation_max",
    "energy_total",
    "wall_seconds",
    "wall_seconds_per_step",
];

/// Runs shorter than this are repeated by `check` \[s\].
const CHEAP: f64 = 0.2;
/// How far energies of repeated runs may be apart, relative to the largest: libraries of sines differ between systems.
const SAME_ENERGY: f64 = 1e-6;

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) bodies: u64,
    pub(crate) steps: u64,
    pub(crate) time_end: f64,
    pub(crate) contacts_mean: f64,
    pub(crate) contacts_max: u64,
    pub(crate) steps_converged: u64,
    pub(crate) residual_worst: f64,
    pub(crate) penetration_max: f64,
    pub(crate) joint_violation_max: f64,
    pub(crate) energy_total: f64,
    pub(crate) wall_seconds: f64,
    pub(crate) wall_seconds_per_step: f64,
}

/// The runs of the file, by scene; nothing without a file.
pub(crate) fn read(repository: &Repository) -> Result<BTreeMap<String, Measured>> {
    if !repository.exists(Path::new(FILE)) {
        return Ok(BTreeMap::new());
    }
    let text = repository.read(Path::new(FILE))?;
    let mut found = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row?;
        let number = |at: usize| -> Result<f64> {
            let cell = row.get(at).with_context(|| format!("{FILE}: a row has no column {at}"))?;
            cell.parse().with_context(|| format!("{FILE}: `{cell}` is no number"))
        };
        let count = |at: usize| number(at).map(|number| number as u64);
        let measured = Measured {
            bodies: count(1)?,
            steps: count(2)?,
            time_end: number(3)?,
            contacts_mean: number(4)?,
            contacts_max: count(5)?,
            steps_converged: count(6)?,
            residual_worst: number(7)?,
            penetration_max: number(8)?,
            joint_violation_max: number(9)?,
            energy_total: number(10)?,
            wall_seconds: number(11)?,
            wall_seconds_per_step: number(12)?,
        };
        found.insert(row.get(0).unwrap_or_default().to_owned(), measured);
    }
    Ok(found)
}

/// Runs scenes of the gallery, all without names, and writes the file after each.
pub(crate) fn measure(repository: &Repository, scenes: &[String], say: &dyn Fn(&str)) -> Result<()> {
    let mut known = read(repository)?;
    for scene in scenes {
        if gallery::find(scene).is_none() {
            bail!("no scene `{scene}` in the gallery");
        }
    }
    for entry in gallery::list() {
        if !scenes.is_empty() && !scenes.iter().any(|scene| scene == entry.name) {
            continue;
        }
        let run = run(repository, entry.name)?;
        say(&format!("{}: {:.1} s", entry.name, run.wall_seconds));
        known.insert(entry.name.to_owned(), run);
        write(repository, &known)?;
    }
    Ok(())
}

fn write(repository: &Repository, runs: &BTreeMap<String, Measured>) -> Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(TITLES)?;
    for (name, run) in runs {
        let numbers = [
            run.bodies as f64,
            run.steps as f64,
            run.time_end,
            run.contacts_mean,
            run.contacts_max as f64,
            run.steps_converged as f64,
            run.residual_worst,
            run.penetration_max,
            run.joint_violation_max,
            run.energy_total,
            run.wall_seconds,
            run.wall_seconds_per_step,
        ];
        let cells = numbers.map(|number| number.to_string());
        writer.write_record([name.clone()].into_iter().chain(cells))?;
    }
    let bytes = writer.into_inner().context("the table is not complete")?;
    repository.write(Path::new(FILE), &String::from_utf8(bytes)?)
}

fn run(repository: &Repository, name: &str) -> Result<Measured> {
    let workshop = Workshop::new(repository)?;
    let outcome = workshop.run(&["run", name, "--json", "--quiet"])?;
    if outcome.code > 1 {
        bail!("`signorini run {name}` ends with {}: {}", outcome.code, outcome.text);
    }
    let value: serde_json::Value = serde_json::from_str(&outcome.results)?;
    // What a run has none of (joints, contacts of smooth steppers) is absent or null.
    let number = |pointer: &str| value.pointer(pointer).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let count = |pointer: &str| number(pointer) as u64;
    Ok(Measured {
        bodies: count("/bodies"),
        steps: count("/steps"),
        time_end: number("/time_end"),
        contacts_mean: number("/contacts/mean"),
        contacts_max: count("/contacts/max"),
        steps_converged: count("/solver/steps_converged"),
        residual_worst: number("/solver/residual_worst"),
        penetration_max: number("/penetration_max"),
        joint_violation_max: number("/joint_violation_max"),
        energy_total: number("/energy/total"),
        wall_seconds: number("/wall_seconds"),
        wall_seconds_per_step: number("/wall_seconds_per_step"),
    })
}

/// Short runs that come to something else today, and lines of scenes that are no more.
pub(crate) fn check(repository: &Repository) -> Result<Vec<String>> {
    let known = read(repository)?;
    let gone = known.keys().filter(|name| gallery::find(name).is_none());
    let mut faults: Vec<String> = gone.map(|name| format!("{FILE}: the gallery has no scene `{name}`")).collect();
    for entry in gallery::list() {
        // Long runs are measured by hand; a scene without a line has no numbers on its page.
        let Some(then) = known.get(entry.name).filter(|then| then.wall_seconds <= CHEAP) else { continue };
        let now = run(repository, entry.name)?;
        let scale = then.energy_total.abs().max(now.energy_total.abs());
        let is_same = (then.bodies, then.steps, then.steps_converged) == (now.bodies, now.steps, now.steps_converged)
            && (then.energy_total - now.energy_total).abs() <= SAME_ENERGY * scale;
        if !is_same {
            faults.push(format!(
                "{FILE}: `{}` has {} steps, {} converged, {} J; it now has {}, {}, {} J",
                entry.name,
                then.steps,
                then.steps_converged,
                then.energy_total,
                now.steps,
                now.steps_converged,
                now.energy_total
            ));
        }
    }
    Ok(faults)
}

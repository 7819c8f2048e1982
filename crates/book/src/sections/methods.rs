//! What `signorini compare` found over many problems, a line a method: `methods FILE`.

use super::csv_table::{Sheet, number};
use crate::numbers;
use crate::repository::Repository;
use anyhow::Result;
use std::collections::BTreeMap;

/// A method over all problems.
#[derive(Default)]
struct Tally {
    taken: usize,
    met: usize,
    seconds: Vec<f64>,
    times_the_fastest: Vec<f64>,
    iterations: Vec<f64>,
}

pub(super) fn table(repository: &Repository, file: &str) -> Result<String> {
    let sheet = Sheet::read(repository, file)?;
    let names = ["file", "solver", "status", "met", "seconds_to_tolerance", "iterations_to_tolerance"];
    let columns = names.map(|name| sheet.column(name));
    let [problem, solver, status, met, seconds, iterations] = columns;
    let (problem, solver, status, met) = (problem?, solver?, status?, met?);
    let (seconds, iterations) = (seconds?, iterations?);
    let mut fastest: BTreeMap<&str, f64> = BTreeMap::new();
    for row in sheet.rows.iter().filter(|row| row[met] == "true") {
        if let Some(time) = number(&row[seconds])? {
            let least = fastest.entry(&row[problem]).or_insert(time);
            *least = least.min(time);
        }
    }
    let mut order = Vec::new();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for row in &sheet.rows {
        let name = row[solver].as_str();
        if !tallies.contains_key(name) {
            order.push(name);
        }
        let tally = tallies.entry(name).or_default();
        if row[status] == "not-accepted" || row[status] == "-" {
            continue;
        }
        tally.taken += 1;
        if row[met] != "true" {
            continue;
        }
        tally.met += 1;
        if let Some(time) = number(&row[seconds])? {
            tally.seconds.push(time);
            tally.times_the_fastest.extend(fastest.get(row[problem].as_str()).map(|least| time / least));
        }
        tally.iterations.extend(number(&row[iterations])?);
    }
    let titles = ["method", "takes", "solves", "median time", "times the fastest", "median iterations"];
    let rows = order.into_iter().map(|name| {
        let tally = tallies.remove(name).unwrap_or_default();
        let shown = |values: Vec<f64>, how: fn(f64) -> String| numbers::median(values).map_or("-".into(), how);
        vec![
            format!("`{name}`"),
            tally.taken.to_string(),
            tally.met.to_string(),
            shown(tally.seconds, numbers::time),
            shown(tally.times_the_fastest, numbers::digits),
            shown(tally.iterations, |count| format!("{count:.0}")),
        ]
    });
    Ok(super::table(&titles.map(str::to_owned), &rows.collect::<Vec<_>>()))
}

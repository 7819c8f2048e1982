//! `signorini check`: can scenes be run, and do stored solutions solve the stored problems?

use super::scene_check;
use crate::args::{CheckArgs, Law};
use crate::exit::Exit;
use crate::inputs::{self, Failure, Input};
use crate::printer::{Column, Printer};
use crate::progress::Progress;
use crate::verify::{Verdict, verify};
use anyhow::Result;
use serde_json::json;
use signorini_solver::fclib::{FclibFile, StoredSolution};
use signorini_solver::problem::{Remark, from_fclib};
use std::path::PathBuf;

pub(crate) fn run(args: &CheckArgs, printer: &mut Printer) -> Result<Exit> {
    let (scenes, files): (Vec<_>, Vec<_>) = args.files.iter().cloned().partition(|file| scene_check::is_scene(file));
    let mut exit = Exit::Done;
    for scene in &scenes {
        exit = exit.max(scene_check::check(scene, printer));
    }
    match files.is_empty() {
        true => Ok(exit),
        false => Ok(exit.max(check_solutions(args, &files, printer))),
    }
}

fn check_solutions(args: &CheckArgs, files: &[PathBuf], printer: &mut Printer) -> Exit {
    let inputs = inputs::expand(files);
    let progress = Progress::new(inputs.len(), printer.is_quiet());
    let mut exit = Exit::Done;
    let mut rows = Vec::new();
    let (mut met, mut missed, mut unusable) = (0, 0, 0);
    for input in &inputs {
        let file = input.name();
        progress.begin(&file);
        let outcome = check(input, args.law);
        progress.suspend(|| match outcome {
            Ok(checked) => {
                let good = checked.verdicts.iter().all(|verdict| verdict.meets(args.tol));
                exit = exit.max(if good { Exit::Done } else { Exit::Missed });
                checked.notes.iter().for_each(|note| printer.note(Some(&file), note));
                for verdict in &checked.verdicts {
                    let counter = if verdict.meets(args.tol) { &mut met } else { &mut missed };
                    *counter += 1;
                    rows.push(row(&file, checked.contacts, verdict, args.tol));
                }
                printer.object(&json!({
                    "file": file,
                    "status": if good { "ok" } else { "missed" },
                    "tolerance": args.tol,
                    "contacts": checked.contacts,
                    "solutions": checked.verdicts,
                    "notes": checked.notes,
                }));
            }
            Err(failure) => {
                unusable += 1;
                exit = exit.max(Exit::CouldNotRun);
                printer.error(Some(&file), &failure.message, failure.hint);
                printer.object(&json!({ "file": file, "status": "error", "error": failure.message }));
            }
        });
        progress.advance();
        if printer.closed() {
            break;
        }
    }
    progress.finish();
    printer.table(&COLUMNS, rows);
    let errors = if unusable > 0 { format!(", {unusable} files without a usable solution") } else { String::new() };
    printer.line(&format!("{} solutions: {met} within {:.0e}, {missed} not{errors}", met + missed, args.tol));
    exit
}

/// What was found in one file.
struct Checked {
    contacts: usize,
    verdicts: Vec<Verdict>,
    notes: Vec<String>,
}

fn check(input: &Input, wanted: Option<Law>) -> Result<Checked, Failure> {
    let file = input.read()?;
    let stored: Vec<(Law, &StoredSolution)> = stored(&file, wanted);
    if stored.is_empty() {
        let group = match wanted {
            None => "/solution or /solution_ccp",
            Some(Law::Exact) => "/solution",
            Some(Law::Relaxed) => "/solution_ccp",
        };
        let message = format!("no stored solution: there is no group {group}");
        return Err(Failure { message, hint: Some("`signorini solve FILE --write OUT.hdf5` stores one") });
    }
    let mut notes = Vec::new();
    let mut verdicts = Vec::new();
    for (law, solution) in stored {
        let shift = if law == Law::Relaxed { shift(&file, &mut notes)? } else { 0.0 };
        let verdict =
            verify(&file.problem, solution, law, shift).map_err(|error| Failure::from(format!("{error:#}")))?;
        verdicts.push(verdict);
    }
    Ok(Checked { contacts: file.problem.contacts(), verdicts, notes })
}

fn stored(file: &FclibFile, wanted: Option<Law>) -> Vec<(Law, &StoredSolution)> {
    [(Law::Exact, &file.solution), (Law::Relaxed, &file.solution_ccp)]
        .into_iter()
        .filter(|(law, _)| wanted.is_none_or(|wanted| wanted == *law))
        .filter_map(|(law, solution)| Some((law, solution.as_ref()?)))
        .collect()
}

/// What the solver adds to the diagonal of a W with slightly negative eigenvalues: the relaxed problem is that one.
fn shift(file: &FclibFile, notes: &mut Vec<String>) -> Result<f64, Failure> {
    for remark in from_fclib(&file.problem)?.remarks() {
        if let Remark::Shifted { shift, .. } = remark {
            notes.push(format!("{remark}: the relaxed solution is checked against that matrix"));
            return Ok(*shift);
        }
    }
    Ok(0.0)
}

const COLUMNS: [Column; 9] = [
    Column::words("file"),
    Column::number("contacts"),
    Column::words("law"),
    Column::words("verdict"),
    Column::number("scaled error"),
    Column::number("cone N·s"),
    Column::number("dual m/s"),
    Column::number("u differs"),
    Column::number("v differs"),
];

fn row(file: &str, contacts: usize, verdict: &Verdict, tolerance: f64) -> Vec<String> {
    let number = |x: f64| format!("{x:.1e}");
    vec![
        file.to_owned(),
        contacts.to_string(),
        crate::args::name_of(&verdict.law),
        if verdict.meets(tolerance) { "ok".into() } else { "missed".into() },
        number(verdict.scaled_error),
        number(verdict.cone_violation),
        number(verdict.dual_violation),
        number(verdict.velocity_difference),
        verdict.body_velocity_difference.map_or_else(|| "-".into(), number),
    ]
}

//! What people and machines are told on the way and at the end.

use super::files::Folder;
use super::selection::Selection;
use super::sheet::{Found, Section, Sheet, VERDICTS};
use crate::args::ReproduceArgs;
use crate::printer::{Column, Printer};
use crate::words::counted;
use serde_json::json;
use signorini_experiments::{Effort, Experiment, Verdict, all};

/// The experiments, and how to go on.
pub(super) fn list(args: &ReproduceArgs, printer: &mut Printer) {
    for own in all() {
        let [quick, full] = own.seconds;
        printer.object(&json!({
            "id": own.id, "title": own.title, "source": own.source, "seconds_quick": quick, "seconds_full": full,
        }));
    }
    let row = |own: &'static Experiment| {
        let time = |effort| duration(own.expected_seconds(effort));
        vec![own.id.into(), own.title.into(), own.source.into(), time(Effort::Quick), time(Effort::Full)]
    };
    let columns = ["id", "what it shows", "published in"].map(Column::words);
    let columns: Vec<Column> = columns.into_iter().chain(["quick", "full"].map(Column::number)).collect();
    printer.table(&columns, all().map(row).collect());
    let total = |effort| duration(all().fold(0.0, |sum, own| sum + own.expected_seconds(effort)));
    printer.line(&format!(
        "{}: {} quick, {} full, on two cores",
        counted(all().count(), "experiment"),
        total(Effort::Quick),
        total(Effort::Full)
    ));
    if !args.list {
        printer.line("");
        for (command, what) in HOW_TO_GO_ON {
            printer.line(&format!("  {command:<34} {what}"));
        }
    }
}

const HOW_TO_GO_ON: [(&str, &str); 4] = [
    ("signorini reproduce quick", "all of them with small sizes"),
    ("signorini reproduce all", "all of them as published; can be stopped and resumed"),
    ("signorini reproduce IP-1 KS", "some by id or group, as published"),
    ("signorini reproduce IP-1 --quick", "the same with small sizes"),
];

/// What will be done and how long it takes.
pub(super) fn announce(sheet: &Sheet, selection: &Selection, folder: &Folder, printer: &mut Printer) {
    let (asked, waiting) = (selection.experiments.len(), sheet.waiting());
    let done = match asked - waiting {
        0 => String::new(),
        done => format!(" ({done} more already done; --fresh runs them again)"),
    };
    let time = match waiting {
        0 => String::new(),
        _ => format!(", about {} on two cores", duration(sheet.seconds_left(selection.effort))),
    };
    let (what, effort) = (counted(waiting, "experiment"), selection.effort.name());
    printer.note(None, &format!("{what} to run, {effort}{time}{done}; report: {}", folder.report().display()));
}

/// One experiment has come to its end.
pub(super) fn finished(experiment: &Experiment, found: &Found, printer: &mut Printer) {
    match found {
        Found::Outcome(record) => {
            let words = verdicts(record.outcome.rows.iter().map(|row| row.verdict));
            printer.note(Some(experiment.id), &format!("{words}, in {}", duration(record.seconds)));
        }
        Found::Failed(reason) => printer.error(Some(experiment.id), reason, None),
        Found::Waiting => {}
    }
}

/// The rows of a section for machines.
pub(super) fn objects(section: &Section, printer: &mut Printer) {
    let id = section.experiment.id;
    if let Found::Failed(reason) = &section.found {
        printer.object(&json!({ "id": id, "verdict": "error", "error": reason }));
    }
    let Some(record) = section.record() else { return };
    for row in &record.outcome.rows {
        printer.object(&json!({
            "id": id, "quantity": row.quantity, "published": row.published, "ours": row.ours, "ratio": row.ratio,
            "verdict": row.verdict, "command": row.command, "note": row.note, "effort": record.effort,
        }));
    }
}

/// All rows that were asked for, and why some fall short.
pub(super) fn rows(sheet: &Sheet, folder: &Folder, printer: &mut Printer) {
    let mut lines = Vec::new();
    for section in sheet.asked() {
        for row in section.rows() {
            let ratio = row.ratio.map_or_else(|| "-".to_owned(), short_number);
            let words = row.verdict.words().to_owned();
            let published = if row.published.is_empty() { "-".to_owned() } else { row.published.clone() };
            let id = section.experiment.id.to_owned();
            lines.push(vec![id, row.quantity.clone(), published, row.ours.clone(), ratio, words]);
        }
    }
    let words = Column::words;
    let columns =
        [words("id"), words("quantity"), words("published"), words("ours"), Column::number("ratio"), words("verdict")];
    printer.table(&columns, lines);
    for section in sheet.asked() {
        for row in section.rows().iter().filter(|row| row.verdict == Verdict::Short) {
            printer.line(&format!("{} falls short, {}: {}", section.experiment.id, row.quantity, row.note));
        }
    }
    let counts = Sheet::counts(sheet.asked());
    let parts = VERDICTS.iter().zip(counts).filter(|(_, count)| *count > 0);
    let parts: Vec<String> = parts.map(|(verdict, count)| format!("{count} {}", verdict.words())).collect();
    let failed = sheet.asked().filter(|section| matches!(section.found, Found::Failed(_))).count();
    let failed = if failed > 0 { format!("; {} could not run", counted(failed, "experiment")) } else { String::new() };
    if !parts.is_empty() || !failed.is_empty() {
        printer.line(format!("{}{failed}", parts.join(", ")).trim_start_matches("; "));
    }
    printer.line(&format!("report: {}", folder.report().display()));
}

pub(super) fn interrupted(left: usize, printer: &mut Printer) {
    let what = counted(left, "experiment");
    printer.note(None, &format!("interrupted: {what} left; the same command goes on from here"));
}

fn verdicts(rows: impl Iterator<Item = Verdict>) -> String {
    let all: Vec<Verdict> = rows.collect();
    let count = |wanted: Verdict| all.iter().filter(|verdict| **verdict == wanted).count();
    let parts = VERDICTS.into_iter().filter(|verdict| count(*verdict) > 0);
    let parts: Vec<String> = parts.map(|verdict| format!("{} {}", count(verdict), verdict.words())).collect();
    if parts.is_empty() { "no rows".into() } else { parts.join(", ") }
}

/// A ratio or another number with three digits.
pub(super) fn short_number(number: f64) -> String {
    match number.abs() {
        size if size == 0.0 || (0.01..100.0).contains(&size) => format!("{number:.2}"),
        size if (100.0..1e5).contains(&size) => format!("{number:.0}"),
        _ => format!("{number:.1e}"),
    }
}

/// Seconds as people say them.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 10.0 => format!("{seconds:.1} s"),
        _ if seconds < 100.0 => format!("{seconds:.0} s"),
        _ if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ratios_are_short() {
        assert_eq!([0.5, 59.6, 150.0, 7200.0].map(duration), ["0.5 s", "60 s", "2 min", "2.0 h"]);
        assert_eq!([0.0, 0.234, 17.25, 1234.0, 1e-4].map(short_number), ["0.00", "0.23", "17.25", "1234", "1.0e-4"]);
    }

    #[test]
    fn verdicts_are_counted_best_first() {
        let rows = [Verdict::Short, Verdict::Better, Verdict::Short];
        assert_eq!(verdicts(rows.into_iter()), "1 better than published, 2 falls short");
        assert_eq!(verdicts([].into_iter()), "no rows");
    }
}

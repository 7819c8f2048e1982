//! `signorini reproduce`: the experiments of the papers, what was published beside what is found.

mod date;
mod files;
mod machine;
mod page;
mod progress;
mod record;
mod selection;
mod sheet;
mod terminal;

use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::Printer;
use anyhow::{Context as _, Result};
use files::Folder;
use machine::Machine;
use progress::ExperimentProgress;
use record::Record;
use selection::{Selection, select};
use sheet::{Found, Sheet};
use signorini_experiments::{Context, Experiment, Interrupted, need_of};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub(crate) fn run(args: &ReproduceArgs, printer: &mut Printer) -> Result<Exit> {
    if let Some(what) = &args.memory_of {
        return memory_of(what, printer);
    }
    if args.list || args.ids.is_empty() {
        terminal::list(args, printer);
        return Ok(Exit::Done);
    }
    let selection = select(args)?;
    let folder = Folder::open(&args.out)?;
    let sheet = Sheet::gather(&selection, &folder, args.fresh);
    terminal::announce(&sheet, &selection, &folder, printer);
    Job { folder, sheet, selection, stop: interrupt::flag() }.finish(printer)
}

/// What a solve needs in this process, which has done nothing else.
fn memory_of(what: &str, printer: &mut Printer) -> Result<Exit> {
    let need = what.split_once(',').and_then(|(pebbles, name)| need_of(pebbles.parse().ok()?, name));
    let need = need
        .with_context(|| format!("no memory of `{what}`: expected PEBBLES,METHOD on a system that tells the peak"))?;
    printer.line(&serde_json::to_string(&need)?);
    Ok(Exit::Done)
}

/// Experiments under way.
struct Job {
    folder: Folder,
    sheet: Sheet,
    selection: Selection,
    stop: &'static AtomicBool,
}

impl Job {
    fn finish(mut self, printer: &mut Printer) -> Result<Exit> {
        let progress = ExperimentProgress::new(self.sheet.seconds_left(self.selection.effort), printer.is_quiet());
        let machine = Machine::measure();
        for k in 0..self.sheet.sections.len() {
            let section = &self.sheet.sections[k];
            if !section.is_asked {
                continue;
            }
            if matches!(section.found, Found::Waiting) {
                let Some(found) = self.run_one(section.experiment, &progress)? else { break };
                progress.suspend(|| terminal::finished(section.experiment, &found, printer));
                self.sheet.sections[k].found = found;
                self.folder.write_report(&self.sheet, &machine)?;
            }
            progress.suspend(|| terminal::objects(&self.sheet.sections[k], printer));
            if self.is_stopped() || printer.closed() {
                break;
            }
        }
        progress.finish();
        // Also when nothing was left to run: the page may be of an older program, or gone.
        self.folder.write_report(&self.sheet, &machine)?;
        terminal::rows(&self.sheet, &self.folder, printer);
        let left = self.sheet.waiting();
        if left > 0 && self.is_stopped() {
            terminal::interrupted(left, printer);
            return Ok(Exit::Interrupted);
        }
        Ok(if self.sheet.is_met() { Exit::Done } else { Exit::Missed })
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs one experiment and keeps its outcome; `None` if the user stopped it.
    fn run_one(&self, experiment: &'static Experiment, progress: &ExperimentProgress) -> Result<Option<Found>> {
        let effort = self.selection.effort;
        let expected = experiment.expected_seconds(effort);
        progress.begin(experiment.id, expected);
        let started = Instant::now();
        let said = |what: &str| progress.at(what);
        let result = (experiment.run)(&Context { effort, stop: self.stop, progress: &said });
        let seconds = started.elapsed().as_secs_f64();
        progress.end(expected);
        match result {
            Ok(outcome) => {
                let record = Record::new(experiment.id, effort, seconds, outcome);
                self.folder.keep(&record)?;
                Ok(Some(Found::Outcome(Box::new(record))))
            }
            Err(error) if error.chain().any(<dyn std::error::Error>::is::<Interrupted>) => Ok(None),
            Err(error) => Ok(Some(Found::Failed(format!("{error:#}")))),
        }
    }
}

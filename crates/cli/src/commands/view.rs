//! `signorini view`: a run as a page for the browser.

use super::browser;
use super::drawn::{refuse, spare_the_run};
use crate::args::ViewArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::words::counted;
use serde_json::json;
use signorini_scene::run::{PAGE, RunError};
use signorini_view::{PageOptions, PageReport, Recording, ViewError, write_page};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ViewArgs, printer: &mut Printer) -> Exit {
    interrupt::flag();
    let file = args.out.clone().unwrap_or_else(|| args.run.join(PAGE));
    if let Err(error) = spare_the_run(&args.run, &file) {
        return refuse(&args.run, &error, printer);
    }
    let report = match page(&args.run, &args.options(), &file, printer) {
        Ok(report) => report,
        Err(error) => {
            let hint = hint(&args.run, &error);
            printer.error(None, &error.to_string(), hint.as_deref());
            printer.object(&json!({ "run": args.run, "status": "error", "error": error.to_string() }));
            return if matches!(error, ViewError::Interrupted) { Exit::Interrupted } else { Exit::CouldNotRun };
        }
    };
    let opened = args.open.then(|| browser::open(&file));
    let failed = opened.as_ref().and_then(|opened| opened.as_ref().err());
    printer.object(&json!({
        "run": args.run,
        "page": report.file,
        "bytes": report.bytes,
        "data_bytes": report.data_bytes,
        "frames": report.frames,
        "frames_recorded": report.frames_recorded,
        "damaged": report.is_damaged,
        "notes": report.notes,
        "opened": opened.as_ref().map(Result::is_ok),
    }));
    tell(&report, printer);
    if let Some(problem) = failed {
        printer.error(None, problem, Some(&format!("open {} in a browser yourself", file.display())));
    }
    if report.is_damaged || failed.is_some() { Exit::Missed } else { Exit::Done }
}

/// Writes the page of a run that has just ended and opens it where somebody can see it.
pub(super) fn after_run(run: &Path, is_watched: bool, printer: &mut Printer) -> (Option<PathBuf>, Exit) {
    let file = run.join(PAGE);
    match page(run, &PageOptions::default(), &file, printer) {
        Ok(report) => {
            tell(&report, printer);
            let how = format!("open {} in a browser", file.display());
            match is_watched && browser::has_display() {
                true => {
                    if let Err(problem) = browser::open(&file) {
                        printer.note(None, &format!("{problem}: {how}"));
                    }
                }
                false => printer.note(None, &how),
            }
            (Some(file), if report.is_damaged { Exit::Missed } else { Exit::Done })
        }
        Err(ViewError::Interrupted) => {
            printer.note(None, &format!("no page was written: `signorini view {}` makes one", run.display()));
            (None, Exit::Interrupted)
        }
        Err(error) => {
            printer.error(None, &error.to_string(), error.hint());
            (None, Exit::CouldNotRun)
        }
    }
}

fn page(run: &Path, options: &PageOptions, file: &Path, printer: &Printer) -> Result<PageReport, ViewError> {
    let mut recording = Recording::open(run)?;
    let mut bar: Option<Progress> = None;
    let written = write_page(&mut recording, options, file, &mut |done, total| {
        let bar = bar.get_or_insert_with(|| {
            let bar = Progress::new(total as usize, printer.is_quiet());
            bar.begin(&file.display().to_string());
            bar
        });
        bar.advance_to(done);
        !interrupt::flagged()
    });
    if let Some(bar) = bar {
        bar.finish();
    }
    written
}

fn tell(report: &PageReport, printer: &mut Printer) {
    let frames = match report.frames == report.frames_recorded {
        true => counted(report.frames, "frame"),
        false => format!("{} of {}", report.frames, counted(report.frames_recorded, "frame")),
    };
    printer.line(&format!("{}: {frames}, {:.2} MB", report.file.display(), report.bytes as f64 / 1e6));
    report.notes.iter().for_each(|note| printer.note(None, note));
}

/// What to do about an error; a scene in the place of a run is a slip that is easily made.
fn hint(run: &Path, error: &ViewError) -> Option<String> {
    let name = run.display().to_string();
    if matches!(error, ViewError::Run(RunError::NotARun { .. })) {
        let beside = PathBuf::from(format!("{name}-run"));
        let is_scene = signorini_scene::gallery::find(&name).is_some() || run.extension().is_some_and(|e| e == "toml");
        return match (beside.join("run.json").exists(), is_scene) {
            (true, _) => Some(format!("`signorini view {}` shows the run in that folder", beside.display())),
            (_, true) => Some(format!("{name} is a scene: `signorini run {name} --view` makes a run and shows it")),
            _ => Some("`signorini run SCENE` makes one".into()),
        };
    }
    error.hint().map(str::to_owned)
}

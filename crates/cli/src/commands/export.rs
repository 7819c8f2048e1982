//! `signorini export`: the results of a run in other formats.

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::words::counted;
use serde_json::json;
use signorini_scene::run::{RunError, RunFolder, export_csv, export_vtk};

pub(crate) fn run(args: &ExportArgs, printer: &mut Printer) -> Exit {
    match export(args, printer) {
        Ok(()) => Exit::Done,
        Err(error) => {
            printer.error(None, &error.to_string(), None);
            printer.object(&json!({ "run": args.run, "status": "error", "error": error.to_string() }));
            Exit::CouldNotRun
        }
    }
}

fn export(args: &ExportArgs, printer: &mut Printer) -> Result<(), RunError> {
    let run = RunFolder::open(&args.run)?;
    let frames = run.frames()?.len();
    let progress = |target: &std::path::Path| {
        let progress = Progress::new(frames as usize, args.quiet);
        progress.begin(&target.display().to_string());
        progress
    };
    if let Some(folder) = &args.target.vtk {
        let bar = progress(folder);
        export_vtk(&run, folder, |_| bar.advance())?;
        bar.finish();
        let contacts = if run.manifest().output.contacts { ", contacts.pvd" } else { "" };
        let flexible = if run.manifest().flexible.is_empty() { "" } else { ", flexible.pvd" };
        printer.line(&format!(
            "{} to {}: bodies.pvd, surfaces.pvd{flexible}{contacts}",
            counted(frames, "frame"),
            folder.display()
        ));
        if contacts.is_empty() {
            printer.note(None, "the run has no contact forces: `signorini run --contacts` records them");
        }
    }
    if let Some(file) = &args.target.csv {
        let bar = progress(file);
        export_csv(&run, file, |_| bar.advance())?;
        bar.finish();
        printer.line(&format!("{} to {}", counted(frames, "frame"), file.display()));
    }
    printer.object(&json!({
        "run": args.run,
        "frames": frames,
        "vtk": args.target.vtk,
        "csv": args.target.csv,
    }));
    Ok(())
}

//! What render and plot share: opening a run and writing files, with messages that name them.

use crate::exit::Exit;
use crate::printer::Printer;
use anyhow::Context;
use serde_json::json;
use signorini_scene::gallery;
use signorini_view::Recording;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Files that hold the results of a run.
const FILES: [&str; 7] =
    ["run.json", "flexible.json", "steps.csv", "trajectory.bin", "contacts.csv", "forces.csv", "checkpoint.bin"];

/// Opens a run folder; a scene in its place is told apart.
pub(super) fn open(run: &Path) -> anyhow::Result<Recording> {
    let is_scene = run.extension().is_some_and(|ending| ending == "toml")
        || (!run.exists() && run.to_str().is_some_and(|name| gallery::find(name).is_some()));
    if is_scene {
        let name = run.display();
        anyhow::bail!("{name} is a scene: `signorini run {name} --out DIR` makes a run folder, and DIR can be drawn");
    }
    Ok(Recording::open(run)?)
}

/// Refuses to write over the files of the run itself.
pub(super) fn spare_the_run(run: &Path, file: &Path) -> anyhow::Result<()> {
    let (Ok(run), Ok(file)) = (run.canonicalize(), file.canonicalize()) else { return Ok(()) };
    let is_result = file.file_name().is_some_and(|name| FILES.iter().any(|known| name == *known));
    if file.parent() == Some(run.as_path()) && is_result {
        anyhow::bail!("{} is a result of the run: name another file with --out", file.display());
    }
    Ok(())
}

/// A new file, and the folder it is in.
pub(super) fn create(file: &Path) -> anyhow::Result<BufWriter<File>> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(BufWriter::new(File::create(file).with_context(|| format!("cannot write {}", file.display()))?))
}

/// Tells an error.
pub(super) fn refuse(run: &Path, error: &anyhow::Error, printer: &mut Printer) -> Exit {
    let message = format!("{error:#}");
    printer.error(None, &message, None);
    printer.object(&json!({ "run": run, "status": "error", "error": message }));
    Exit::CouldNotRun
}

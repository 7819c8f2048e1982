//! `signorini gallery`: the scenes that come with the program.

use crate::args::{GalleryArgs, GalleryCommand};
use crate::exit::Exit;
use crate::nearest::nearest;
use crate::printer::{Column, Printer};
use anyhow::{Result, bail};
use serde_json::json;
use signorini_scene::gallery;

pub(crate) fn run(args: &GalleryArgs, printer: &mut Printer) -> Result<Exit> {
    match (&args.command, &args.name) {
        (Some(GalleryCommand::Show { name }), _) | (None, Some(name)) => show(name, printer)?,
        (None, None) => list(printer),
    }
    Ok(Exit::Done)
}

fn list(printer: &mut Printer) {
    for entry in gallery::list() {
        printer.object(&json!({ "name": entry.name, "title": entry.title }));
    }
    let rows = gallery::list().iter().map(|entry| vec![entry.name.to_owned(), entry.title.to_owned()]).collect();
    printer.table(&[Column::words("scene"), Column::words("what it shows")], rows);
}

fn show(name: &str, printer: &mut Printer) -> Result<()> {
    let Some(entry) = gallery::find(name) else {
        let names: Vec<&str> = gallery::list().iter().map(|entry| entry.name).collect();
        let near = match nearest(name, &names) {
            near if near.is_empty() => String::new(),
            near => format!("; nearest: {}", near.join(", ")),
        };
        bail!("there is no scene `{name}` in the gallery{near}; there are: {}", names.join(", "));
    };
    printer.object(&json!({ "name": entry.name, "title": entry.title, "text": entry.text }));
    printer.text(entry.text);
    Ok(())
}

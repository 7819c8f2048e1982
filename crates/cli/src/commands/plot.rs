//! `signorini plot`: what a run recorded, over time.

use super::drawn::{create, open, refuse};
use super::render::default_name;
use crate::args::{PlotArgs, PlotFormat};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::words::counted;
use anyhow::Context;
use serde_json::json;
use signorini_view::png_of_svg;
use signorini_view::series::Series;
use std::io::Write;
use std::path::PathBuf;

/// Pixels a unit of the plots, which are 460 wide.
const SCALE: f32 = 2.0;

pub(crate) fn run(args: &PlotArgs, printer: &mut Printer) -> Exit {
    plot(args, printer).unwrap_or_else(|error| refuse(&args.run, &error, printer))
}

fn plot(args: &PlotArgs, printer: &mut Printer) -> anyhow::Result<Exit> {
    let mut recording = open(&args.run)?;
    for note in recording.notes() {
        printer.note(None, note);
    }
    let asked = args.what.iter().filter(|name| !name.trim().is_empty());
    let wanted: Vec<Series> = asked.map(|name| Series::parse(name, &recording)).collect::<Result<_, _>>()?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}-plots", default_name(&args.run))));
    let mut files = Vec::new();
    for series in wanted {
        let svg = series.plot(&mut recording)?.document();
        for format in &args.format {
            let (ending, bytes) = match format {
                PlotFormat::Svg => ("svg", svg.clone().into_bytes()),
                PlotFormat::Png => ("png", png_of_svg(&svg, SCALE)?),
            };
            let file = folder.join(format!("{}.{ending}", series.file_name(&recording)));
            let mut writer = create(&file)?;
            writer
                .write_all(&bytes)
                .and_then(|()| writer.flush())
                .with_context(|| format!("cannot write {}", file.display()))?;
            files.push(file);
        }
    }
    printer.line(&format!("{} to {}", counted(files.len() as u64, "plot"), folder.display()));
    let is_damaged = recording.is_damaged();
    printer.object(&json!({
        "run": args.run,
        "status": "done",
        "files": files,
        "damaged": is_damaged,
        "notes": recording.notes(),
    }));
    Ok(if is_damaged { Exit::Missed } else { Exit::Done })
}

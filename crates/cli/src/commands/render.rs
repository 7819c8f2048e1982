//! `signorini render`: pictures and films of a run.

use super::drawn::{create, open, refuse, spare_the_run};
use crate::args::RenderArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::words::counted;
use anyhow::Context;
use serde_json::json;
use signorini_view::picture::{FrameTimes, GifWriter, Image, PictureSettings, Show, Viewpoint};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Samples of a pixel in each direction: of stills and of films.
const STILL_SAMPLES: u32 = 3;
const FILM_SAMPLES: u32 = 2;
/// Pictures of a film of a second, the fewest and the most of a film that was not told how many.
const RATE: f64 = 25.0;
const FEWEST: f64 = 20.0;
const MOST: f64 = 150.0;
/// How long a GIF lasts if nothing else was asked, in seconds.
const LASTS: [f64; 2] = [2.0, 8.0];
/// Browsers show GIF pictures no shorter than this, in hundredths of a second.
const SHORTEST: f64 = 2.0;
/// Pictures the palette of a GIF is learned from.
const PALETTE_PICTURES: usize = 5;

/// What is to be drawn.
enum Target {
    Still(PathBuf),
    Folder(PathBuf),
    /// A file, and how long the film lasts, in seconds.
    Gif(PathBuf, f64),
}

pub(crate) fn run(args: &RenderArgs, printer: &mut Printer) -> Exit {
    render(args, printer).unwrap_or_else(|error| refuse(&args.run, &error, printer))
}

fn render(args: &RenderArgs, printer: &mut Printer) -> anyhow::Result<Exit> {
    let mut recording = open(&args.run)?;
    if let Some(file) = &args.out {
        spare_the_run(&args.run, file)?;
    }
    // Before anything can fail: a time that is not there may be missing because of the damage.
    let known = recording.notes().to_vec();
    known.iter().for_each(|note| printer.note(None, note));
    let times = FrameTimes::of(&mut recording)?;
    let (frames, target) = plan(args, &times)?;
    let is_film = !matches!(target, Target::Still(_)) && args.at.is_empty();
    let settings = PictureSettings {
        size: args.size,
        samples: if is_film { FILM_SAMPLES } else { STILL_SAMPLES },
        theme: args.theme,
        colour: args.colour,
        contacts: args.contacts,
        viewpoint: match args.eye {
            Some(eye) => Viewpoint::At { eye, target: args.target },
            None => Viewpoint::From(args.camera),
        },
        labels: !args.plain,
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(args.threads.into()).build().context("cannot start threads")?;
    let mut show = pool.install(|| Show::new(recording, &frames, settings))?;
    for note in show.notes().iter().filter(|note| !known.contains(note)) {
        printer.note(None, note);
    }
    let (is_damaged, notes) = (show.is_damaged(), show.notes());
    let started = std::time::Instant::now();
    let mut draw = |index: usize| pool.install(|| show.picture(index));
    let cancel = interrupt::flag();
    let progress = Progress::new(frames.len(), args.quiet);
    let (mut files, mut shown) = (Vec::new(), Vec::new());
    match &target {
        Target::Still(file) => {
            let (image, time) = draw(0)?;
            save(&image, file)?;
            files.push(file.clone());
            shown.push(time);
        }
        Target::Folder(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            for index in 0..frames.len() {
                if cancel.load(Ordering::Relaxed) {
                    break;
                }
                let (image, time) = draw(index)?;
                let file = folder.join(format!("{index:05}.png"));
                save(&image, &file)?;
                files.push(file);
                shown.push(time);
                progress.advance();
            }
        }
        Target::Gif(file, lasts) => {
            let few = PALETTE_PICTURES.min(frames.len());
            let samples: Result<Vec<Image>, _> = (0..few)
                .map(|k| draw(k * (frames.len() - 1) / few.max(2).saturating_sub(1)).map(|(image, _)| image))
                .collect();
            let writing = || format!("cannot write {}", file.display());
            let mut gif = GifWriter::new(create(file)?, args.size, &samples?).with_context(writing)?;
            for (index, hundredths) in delays(frames.len(), *lasts).into_iter().enumerate() {
                if cancel.load(Ordering::Relaxed) {
                    break;
                }
                let (image, time) = draw(index)?;
                gif.add(&image, hundredths).with_context(writing)?;
                shown.push(time);
                progress.advance();
            }
            gif.finish().and_then(|mut writer| writer.flush()).with_context(writing)?;
            files.push(file.clone());
        }
    }
    progress.finish();
    let seconds = started.elapsed().as_secs_f64();
    let is_cut = shown.len() < frames.len();
    let place = match &target {
        Target::Still(path) | Target::Folder(path) | Target::Gif(path, _) => path.display(),
    };
    let each = 1e3 * seconds / shown.len().max(1) as f64;
    printer.line(&format!("{} to {place} ({each:.0} ms a picture)", counted(shown.len() as u64, "picture")));
    if is_cut {
        printer.note(None, &format!("interrupted: {} of {} pictures are kept", shown.len(), frames.len()));
    }
    printer.object(&json!({
        "run": args.run,
        "status": if is_cut { "interrupted" } else { "done" },
        "files": files,
        "times": shown,
        "size": args.size,
        "seconds": seconds,
        "damaged": is_damaged,
        "notes": notes,
    }));
    Ok(match (is_cut, is_damaged) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Missed,
        (false, false) => Exit::Done,
    })
}

/// The frames to draw and where they go.
fn plan(args: &RenderArgs, times: &FrameTimes) -> anyhow::Result<(Vec<u64>, Target)> {
    let name = default_name(&args.run);
    let is_film = args.gif || args.frames.is_some() || args.fps.is_some() || args.from.is_some() || args.to.is_some();
    let out = |ending: &str| args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}{ending}")));
    if !is_film {
        let last = times.times().len().saturating_sub(1) as u64;
        let frames: Vec<u64> = match args.at.is_empty() {
            true => vec![last],
            false => args.at.iter().map(|at| times.nearest(*at)).collect::<Result<_, _>>()?,
        };
        let target = match frames.len() {
            1 => Target::Still(out(".png")),
            _ => Target::Folder(out("-pictures")),
        };
        return Ok((frames, target));
    }
    let (from, to) = times.span(args.from, args.to)?;
    let span = to - from;
    let count = match (args.frames, args.fps) {
        (Some(frames), _) => f64::from(frames),
        (None, Some(fps)) => (span * fps).round() + 1.0,
        (None, None) => (span * RATE).round().clamp(FEWEST, MOST) + 1.0,
    };
    anyhow::ensure!(count <= 1e5, "a film of {count} pictures, expected at most 100000: ask for fewer a second");
    let frames = times.film(Some(from), Some(to), count as usize)?;
    if !args.gif {
        return Ok((frames, Target::Folder(out("-pictures"))));
    }
    let lasts = args
        .speed
        .map_or_else(|| if args.fps.is_some() { span } else { span.clamp(LASTS[0], LASTS[1]) }, |speed| span / speed);
    Ok((frames, Target::Gif(out(".gif"), lasts)))
}

/// Hundredths of a second of each of `count` pictures that last so long together; what is rounded off is carried on.
fn delays(count: usize, lasts: f64) -> Vec<u16> {
    let each = (100.0 * lasts / count.max(1) as f64).max(SHORTEST);
    let until = |k: usize| (each * k as f64).round();
    (0..count).map(|k| (until(k + 1) - until(k)).min(f64::from(u16::MAX)) as u16).collect()
}

fn save(image: &Image, file: &Path) -> anyhow::Result<()> {
    let mut writer = create(file)?;
    image
        .write_png(&mut writer)
        .and_then(|()| writer.flush())
        .with_context(|| format!("cannot write {}", file.display()))
}

/// The last part of the path of a run.
pub(super) fn default_name(run: &Path) -> String {
    let full = std::path::absolute(run).unwrap_or_else(|_| run.to_path_buf());
    full.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_add_up_to_the_length_of_the_film() {
        for (count, lasts) in [(30, 1.0), (100, 7.0), (7, 2.0)] {
            let found = delays(count, lasts);
            let total: u32 = found.iter().map(|x| u32::from(*x)).sum();
            assert_eq!((found.len(), f64::from(total)), (count, 100.0 * lasts));
        }
        assert!(delays(100, 0.1).iter().all(|x| *x == 2));
    }
}

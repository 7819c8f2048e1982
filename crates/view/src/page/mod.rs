//! The viewer with the data of a run in one HTML file; `viewer/FORMAT.md` says how the data is laid out.
//!
//! | module | what it packs |
//! |---|---|
//! | `budget` | which frames, contacts and steps are kept |
//! | `body` | arrays, one after the other |
//! | `quantise` | reals as 16-bit numbers, differences from frame to frame |
//! | `shapes`, `motion`, `flexible`, `contacts`, `joints`, `series` | parts of a run |
//! | `header` | the text before the arrays |
//! | `html` | all of it in the page of the viewer |
//!
//! Frames are read twice, one at a time: for the ranges of their numbers, then for the numbers.

mod body;
mod budget;
mod contacts;
mod flexible;
mod header;
mod html;
mod joints;
mod motion;
mod quantise;
mod series;
mod shapes;

pub(crate) use contacts::is_cut_short;

use crate::{Recording, ViewError};
use body::Body;
use budget::Budget;
use std::path::{Path, PathBuf};

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOptions {
    /// Most bytes of the data before it is compressed.
    pub most_bytes: u64,
    /// Most frames; the first and the last are always shown, so at least two.
    pub frames: Option<u64>,
    /// Every how many frames one is kept, at least.
    pub every: Option<u64>,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self { most_bytes: 96_000_000, frames: None, every: None }
    }
}

/// A page that was written.
#[derive(Clone, Debug, PartialEq)]
pub struct PageReport {
    /// Where it is.
    pub file: PathBuf,
    /// How large it is.
    pub bytes: u64,
    /// How large its data is before compression.
    pub data_bytes: u64,
    /// Frames it shows.
    pub frames: u64,
    /// Frames the run has that are whole.
    pub frames_recorded: u64,
    /// What the page says about damage and about what was left out.
    pub notes: Vec<String>,
    /// Whether the run is damaged.
    pub is_damaged: bool,
}

/// Whether to go on after this many of so many parts of the work.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Writes the page of a run: to a temporary file beside it that is renamed when it is whole.
///
/// # Errors
/// Frames that cannot be read, more data than allowed however few frames are kept, a file that cannot be written, or `progress` that
/// says no; nothing is left behind then.
pub fn write_page(
    recording: &mut Recording,
    options: &PageOptions,
    file: &Path,
    progress: Progress<'_>,
) -> Result<PageReport, ViewError> {
    let shapes = shapes::Shapes::of(recording.manifest());
    let mut flexible = flexible::Flexible::of(recording);
    let found = contacts::Found::count(recording);
    let forces = joints::has_forces(recording);
    let moving = motion::moving(recording.manifest());
    let plots = series::Plots::of(recording);
    let budget = Budget {
        most: options.most_bytes,
        fixed: shapes.bytes() + flexible.bytes() + header::estimate(recording.manifest()),
        frame: 16 + motion::bytes(moving.len()) + flexible.frame_bytes() + joints::bytes(recording, forces),
    };
    let (steps, curves) = (recording.steps().len(), plots.curves());
    let rows = budget.series(steps, curves);
    let series_bytes = 8 * (curves as u64 + 1) * rows.len() as u64;
    let kept =
        budget.frames(recording.frame_count(), options, series_bytes, found.as_ref().map(|found| &found.counts[..]))?;
    let total = 2 * kept.len() as u64 + 1;

    let mut motion = motion::Motion::new(moving);
    let mut bounds = shapes::Bounds::new(&shapes, recording.manifest());
    for (done, index) in kept.iter().enumerate() {
        let frame = recording.frame(*index)?;
        motion.measure(&frame);
        bounds.measure(&frame, done == 0);
        flexible.measure(&frame);
        go_on(progress, done as u64, total)?;
    }
    bounds.add_nodes(flexible.ranges());
    let mut body = Body::default();
    motion.begin(&mut body, kept.len());
    flexible.begin(&mut body, kept.len());
    let (mut times, mut poses) = (Vec::with_capacity(kept.len()), Vec::new());
    for (done, index) in kept.iter().enumerate() {
        let frame = recording.frame(*index)?;
        times.push(frame.time);
        motion.put(&mut body, &frame);
        flexible.put(&mut body, &frame);
        if done == 0 {
            poses = frame.bodies.iter().map(|body| body.pose).collect();
        }
        go_on(progress, (kept.len() + done) as u64, total)?;
    }
    let every = recording.manifest().output.every;
    let kept_steps: Vec<u64> = kept.iter().map(|index| index.saturating_mul(every)).collect();
    let room = budget.most.saturating_sub(budget.fixed + series_bytes + budget.frame * kept.len() as u64);
    let contacts = match &found {
        Some(found) => Some(contacts::pack(recording, found, &kept_steps, room, &mut body)?),
        None => None,
    };
    let forces = if forces { joints::pack(recording, &kept_steps, &mut body) } else { None };
    let mut left_out = budget::left_out(recording.frame_count(), &kept, steps, rows.len());
    left_out.extend(contacts.as_ref().and_then(|contacts| contacts.left_out.clone()));
    left_out.extend(flexible.note());
    let notes: Vec<String> = recording.notes().iter().cloned().chain(left_out).collect();
    let parts = header::Parts {
        notes: &notes,
        bounds: bounds.corners(),
        times: body.f64s(&times),
        steps: body.u32s(kept_steps.iter().map(|step| u32::try_from(*step).unwrap_or(u32::MAX))),
        frames: kept.len(),
        shapes: shapes.pack(&mut body),
        bodies: shapes.bodies(recording.manifest(), &poses),
        motion: motion.header(),
        flexible: flexible.header(),
        contacts: contacts.map(|contacts| contacts.header),
        joint_forces: forces,
        series: plots.pack(recording.steps(), &rows, &mut body),
    };
    let header = header::text(recording, parts);
    let title = format!("{} - Signorini", recording.manifest().scene.name);
    let bytes = html::write(file, &title, &header, body.bytes(), &mut |_| progress(total - 1, total))?;
    Ok(PageReport {
        file: file.to_path_buf(),
        bytes,
        data_bytes: (4 + header.len() + body.bytes().len()) as u64,
        frames: kept.len() as u64,
        frames_recorded: recording.frame_count(),
        notes,
        is_damaged: recording.is_damaged(),
    })
}

fn go_on(progress: &mut dyn FnMut(u64, u64) -> bool, done: u64, total: u64) -> Result<(), ViewError> {
    if progress(done, total) { Ok(()) } else { Err(ViewError::Interrupted) }
}

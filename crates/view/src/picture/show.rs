//! Pictures of a run: the whole way from a recording and times to pixels.

use super::camera::View;
use super::cast::Cast;
use super::draw::{Quality, draw};
use super::field::{ColourBy, Field, Values};
use super::framing::{Framing, Viewpoint};
use super::image::Image;
use super::label::{self, Bar};
use super::set::{Arrow, stage};
use super::theme::Theme;
use crate::{Recording, SvgError, ViewError, svg_png};
use signorini_mechanics::Vec3;
use signorini_scene::run::{ContactRow, Frame};

/// Frames that are looked at to place the camera; more hardly change it.
const MOST_LOOKED_AT: usize = 120;
/// The longest arrow of a force, relative to the radius of what is of interest.
const LONGEST_ARROW: f64 = 0.45;
/// Most pixels across or down.
pub const MOST_PIXELS: u32 = 8192;
/// Fewest pixels across or down.
pub const FEWEST_PIXELS: u32 = 16;

/// How pictures look.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureSettings {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Samples of a pixel in each direction: 1 is fast and jagged, 3 smooth.
    pub samples: u32,
    /// Ground and text.
    pub theme: Theme,
    /// What colours show.
    pub colour: ColourBy,
    /// Whether contact forces are drawn as arrows.
    pub contacts: bool,
    /// Where the camera is.
    pub viewpoint: Viewpoint,
    /// Whether title and time are written into the picture.
    pub labels: bool,
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            samples: 3,
            theme: Theme::Light,
            colour: ColourBy::Body,
            contacts: false,
            viewpoint: Viewpoint::From(View::Iso),
            labels: true,
        }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The run cannot be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Nothing was recorded.
    #[error("the run has no frames yet")]
    NoFrames,
    /// A size out of range.
    #[error("a picture of {0} × {1} pixels, expected {FEWEST_PIXELS} to {MOST_PIXELS} each way")]
    Size(u32, u32),
    /// Stress without flexible bodies.
    #[error("the run has no flexible bodies, so no stress; colour by body, speed or displacement")]
    NoStress,
    /// Contact forces that were not recorded.
    #[error("the run has no contact forces: `signorini run --contacts` records them")]
    NoContacts,
    /// An eye that sees nothing.
    #[error("the eye and what it looks at are at one place, or not finite")]
    Eye,
    /// A label could not be set.
    #[error("the labels: {0}")]
    Labels(#[from] SvgError),
}

/// Pictures of some frames of a run, all with one camera and one scale of colours.
pub struct Show {
    recording: Recording,
    settings: PictureSettings,
    cast: Cast,
    framing: Framing,
    frames: Vec<u64>,
    start: Frame,
    most: f64,
    contacts: Vec<ContactRow>,
    /// Metres a newton.
    arrow: f64,
}

/// Contacts before the first damage, which is noted.
fn contacts_of(recording: &mut Recording) -> Result<Vec<ContactRow>, PictureError> {
    let rows = recording.folder().contact_rows().map_err(ViewError::from)?.ok_or(PictureError::NoContacts)?;
    let mut contacts: Vec<ContactRow> = Vec::new();
    let mut problem = None;
    for row in rows {
        match row {
            Ok(row) => contacts.push(row),
            Err(error) => {
                problem = Some(error.to_string());
                break;
            }
        }
    }
    let is_cut = problem.is_none() && crate::page::is_cut_short(recording);
    if let Some(problem) = problem.or(is_cut.then(|| "contacts.csv was cut short".to_owned())) {
        let last = contacts.last().map_or(0, |row| row.step);
        recording.note_damage(format!("{problem}; contacts end with step {last}"));
    }
    Ok(contacts)
}

impl Show {
    /// Prepares pictures of frames by their numbers.
    ///
    /// # Errors
    /// Settings that do not fit the run, or a run that cannot be read.
    pub fn new(mut recording: Recording, frames: &[u64], settings: PictureSettings) -> Result<Self, PictureError> {
        let [width, height] = settings.size;
        let is_fitting = |x: u32| (FEWEST_PIXELS..=MOST_PIXELS).contains(&x);
        if !is_fitting(width) || !is_fitting(height) {
            return Err(PictureError::Size(width, height));
        }
        if let Viewpoint::At { eye, target } = settings.viewpoint {
            let is_at = |target: Vec3| !target.is_finite() || target.distance(eye) == 0.0;
            if !eye.is_finite() || target.is_some_and(is_at) {
                return Err(PictureError::Eye);
            }
        }
        if recording.frame_count() == 0 || frames.is_empty() {
            return Err(PictureError::NoFrames);
        }
        if settings.colour == ColourBy::Stress && recording.manifest().flexible.is_empty() {
            return Err(PictureError::NoStress);
        }
        let contacts = match settings.contacts {
            true => contacts_of(&mut recording)?,
            false => Vec::new(),
        };
        let cast = Cast::of(&recording, settings.theme.fixed())?;
        let start = recording.frame(0)?;
        let step = frames.len().div_ceil(MOST_LOOKED_AT);
        let mut looked_at = Vec::new();
        for frame in frames.iter().step_by(step).chain(frames.last()) {
            looked_at.push(recording.frame(*frame)?);
        }
        let framing = Framing::of(&cast, &looked_at, settings.viewpoint, settings.size);
        let most = looked_at.iter().map(|frame| Values::of(&cast, settings.colour, &start, frame).most());
        let most = most.fold(0.0, f64::max);
        let mut forces: Vec<f64> = contacts.iter().map(|row| Vec3::new(row.fx, row.fy, row.fz).length()).collect();
        forces.retain(|force| force.is_finite());
        forces.sort_by(f64::total_cmp);
        // All but the few largest fit: an impact does not make the others invisible.
        let large = forces.get(forces.len() * 49 / 50).copied().unwrap_or(0.0);
        let arrow = if large > 0.0 { LONGEST_ARROW * framing.reach / large } else { 0.0 };
        Ok(Self { recording, settings, cast, framing, frames: frames.to_vec(), start, most, contacts, arrow })
    }

    /// How many pictures there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
    /// What the user should know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.recording.notes().to_vec();
        if self.cast.bare > 0 {
            notes.push(format!("{} shapes are drawn without their margin", self.cast.bare));
        }
        notes
    }

    /// Whether the run is damaged.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.recording.is_damaged()
    }

    /// Draws picture number `index`; also the time it shows.
    ///
    /// # Errors
    /// A run that cannot be read.
    pub fn picture(&mut self, index: usize) -> Result<(Image, f64), PictureError> {
        let number = *self.frames.get(index).ok_or(PictureError::NoFrames)?;
        let frame = self.recording.frame(number)?;
        let settings = &self.settings;
        let field = Field::new(Values::of(&self.cast, settings.colour, &self.start, &frame), self.most);
        let arrows = self.arrows(number);
        let stage = stage(&self.cast, &frame, &self.framing, &field, &arrows, settings.theme);
        let mut camera = self.framing.camera;
        camera.eye -= camera.target;
        camera.target = Vec3::ZERO;
        let quality = Quality { size: settings.size, samples: settings.samples, theme: settings.theme };
        let mut image = draw(&stage, &camera, &quality);
        if settings.labels {
            let bar = Bar { title: settings.colour.title(), most: self.most };
            let bar = (settings.colour != ColourBy::Body).then_some(&bar);
            let title = &self.recording.manifest().scene.title;
            let text = label::svg(settings.size, title, frame.time, bar, settings.theme);
            image.cover(svg_png::raster(&text, 1.0)?.data());
        }
        Ok((image, frame.time))
    }

    fn arrows(&self, frame: u64) -> Vec<Arrow> {
        let step = frame * self.recording.manifest().output.every;
        let first = self.contacts.partition_point(|row| row.step < step);
        let rows = self.contacts[first..].iter().take_while(|row| row.step == step);
        rows.map(|row| Arrow {
            point: Vec3::new(row.x, row.y, row.z),
            arrow: Vec3::new(row.fx, row.fy, row.fz) * self.arrow,
        })
        .collect()
    }
}

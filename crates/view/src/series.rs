//! Plots over time of what a run recorded.

use crate::{Recording, ViewError};
use signorini_plot::{Axis, Curve, Plot};
use signorini_scene::run::StepRow;

/// What can be plotted of the steps, as users name it.
pub const KINDS: [&str; 7] = ["energy", "penetration", "residual", "iterations", "contacts", "momentum", "time"];
/// What can be plotted of a body: `body:NAME.x`.
pub const MOTIONS: [&str; 7] = ["x", "y", "z", "vx", "vy", "vz", "speed"];

/// A plot that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Series {
    /// One of [`KINDS`].
    Steps(&'static str),
    /// A motion of a body.
    Body {
        /// Which body, by its number.
        body: usize,
        /// Which of [`MOTIONS`].
        motion: &'static str,
    },
}

/// What cannot be plotted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// The run cannot be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// No such plot.
    #[error("there is no plot `{name}`{}; there are: {}, body:NAME.{{{}}}", nearest(.name, &KINDS), KINDS.join(", "), MOTIONS.join(","))]
    Kind {
        /// What was asked for.
        name: String,
    },
    /// No such motion.
    #[error("`{name}` is no motion of a body{}; there are: {}", nearest(.name, &MOTIONS), MOTIONS.join(", "))]
    Motion {
        /// What was asked for.
        name: String,
    },
    /// No such body.
    #[error("the run has no body `{name}`{hint}")]
    Body {
        /// What was asked for.
        name: String,
        /// The nearest name.
        hint: String,
    },
    /// Nothing was recorded.
    #[error("the run has no steps yet")]
    NoSteps,
}

fn nearest(name: &str, among: &[&str]) -> String {
    let similarity = |other: &&str| strsim::jaro_winkler(name, other);
    let best = among.iter().copied().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    best.filter(|best| similarity(best) > 0.7).map_or_else(String::new, |best| format!("; nearest: {best}"))
}

impl Series {
    /// A plot by its name.
    ///
    /// # Errors
    /// No such plot or body.
    pub fn parse(text: &str, recording: &Recording) -> Result<Self, SeriesError> {
        let text = text.trim();
        if let Some(kind) = KINDS.iter().find(|kind| **kind == text) {
            return Ok(Self::Steps(kind));
        }
        let Some(rest) = text.strip_prefix("body:") else {
            return Err(SeriesError::Kind { name: text.to_owned() });
        };
        let (name, motion) = rest.rsplit_once('.').unwrap_or((rest, "z"));
        let names: Vec<&str> = recording.manifest().bodies.iter().map(|body| body.name.as_str()).collect();
        let Some(body) = names.iter().position(|known| *known == name) else {
            return Err(SeriesError::Body { name: name.to_owned(), hint: nearest(name, &names) });
        };
        match MOTIONS.iter().find(|known| **known == motion) {
            Some(motion) => Ok(Self::Body { body, motion }),
            None => Err(SeriesError::Motion { name: motion.to_owned() }),
        }
    }

    /// A name for a file.
    #[must_use]
    pub fn file_name(&self, recording: &Recording) -> String {
        match self {
            Self::Steps(kind) => (*kind).to_owned(),
            Self::Body { body, motion } => {
                let name = recording.manifest().bodies.get(*body).map_or("body", |body| body.name.as_str());
                let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
                format!("{}-{motion}", name.chars().map(plain).collect::<String>())
            }
        }
    }

    /// The plot.
    ///
    /// # Errors
    /// A run that cannot be read, or one without steps.
    pub fn plot(&self, recording: &mut Recording) -> Result<Plot, SeriesError> {
        match self {
            Self::Steps(_) if recording.steps().is_empty() => Err(SeriesError::NoSteps),
            Self::Steps(kind) => Ok(of_steps(kind, recording.steps())),
            Self::Body { body, motion } => of_body(*body, motion, recording),
        }
    }
}

fn of_steps(kind: &str, steps: &[StepRow]) -> Plot {
    let curve = |name: &str, style: usize, of: &dyn Fn(&StepRow) -> f64| {
        Curve::new(name, style, steps.iter().map(|row| [row.time, of(row)]).collect())
    };
    let (title, y, mut curves) = match kind {
        "energy" => (
            "Energy",
            Axis::linear("energy [J]"),
            vec![
                curve("total", 0, &|row| row.kinetic + row.potential + row.elastic),
                curve("kinetic", 1, &|row| row.kinetic),
                curve("potential", 2, &|row| row.potential),
                curve("elastic", 3, &|row| row.elastic),
            ],
        ),
        "penetration" => (
            "Deepest overlap and worst joint violation",
            Axis::logarithmic("[m]"),
            vec![curve("overlap", 0, &|row| row.penetration), curve("joints", 1, &|row| row.joint_violation)],
        ),
        "residual" => (
            "Residual of the natural map",
            Axis::logarithmic("[m/s]"),
            vec![curve("natural map", 0, &|row| row.natural_map)],
        ),
        "iterations" => (
            "Iterations a step",
            Axis::linear("iterations"),
            vec![curve("iterations", 0, &|row| row.iterations.into())],
        ),
        "contacts" => (
            "Contacts",
            Axis::linear("number"),
            vec![
                curve("in the problem", 0, &|row| row.contacts as f64),
                curve("that carry force", 1, &|row| row.active as f64),
            ],
        ),
        "momentum" => (
            "Linear momentum",
            Axis::linear("[kg m/s]"),
            vec![
                curve("x", 0, &|row| row.linear_momentum[0]),
                curve("y", 1, &|row| row.linear_momentum[1]),
                curve("z", 2, &|row| row.linear_momentum[2]),
            ],
        ),
        _ => (
            "Seconds a step",
            Axis::logarithmic("[s]"),
            vec![
                curve("collision", 0, &|row| row.seconds[0]),
                curve("assembly", 1, &|row| row.seconds[1]),
                curve("solve", 2, &|row| row.seconds[2]),
            ],
        ),
    };
    // Curves that are zero throughout, such as the elastic energy of rigid bodies, say nothing.
    if curves.len() > 1 {
        let is_zero = |curve: &Curve| curve.points.iter().all(|point| point[1] == 0.0);
        let first = curves[0].clone();
        curves.retain(|curve| !is_zero(curve));
        if curves.is_empty() {
            curves.push(first);
        }
    }
    let legend = curves.len() > 1;
    Plot { title: title.into(), x: Axis::linear("time [s]"), y, curves, legend, ..Plot::default() }
}

fn of_body(body: usize, motion: &str, recording: &mut Recording) -> Result<Plot, SeriesError> {
    let mut points = Vec::new();
    for frame in 0..recording.frame_count() {
        let frame = recording.frame(frame)?;
        let Some(state) = frame.bodies.get(body) else { continue };
        let (position, velocity) = (state.pose.position, state.velocity);
        points.push([
            frame.time,
            match motion {
                "x" => position.x,
                "y" => position.y,
                "z" => position.z,
                "vx" => velocity.x,
                "vy" => velocity.y,
                "vz" => velocity.z,
                _ => velocity.length(),
            },
        ]);
    }
    let name = recording.manifest().bodies.get(body).map_or("", |body| body.name.as_str());
    let unit = if matches!(motion, "x" | "y" | "z") { "m" } else { "m/s" };
    Ok(Plot {
        title: format!("{name}: {motion}"),
        x: Axis::linear("time [s]"),
        y: Axis::linear(&format!("{motion} [{unit}]")),
        curves: vec![Curve::new(motion, 0, points)],
        ..Plot::default()
    })
}

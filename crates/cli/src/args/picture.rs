//! Arguments of the commands that draw: render, plot.

use super::values::{all_threads, parse_positive};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use signorini_mechanics::Vec3;
use signorini_view::picture::{ColourBy, Theme, View};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// A run folder, as `signorini run` makes it
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Draw the frame nearest to this time in seconds (repeatable) [default: the last]
    #[arg(long, value_name = "T", value_parser = parse_time, allow_hyphen_values = true, conflicts_with_all = ["gif", "frames", "fps", "from", "to"])]
    pub(crate) at: Vec<f64>,
    /// File of a still or a GIF, or folder of several pictures [default: the name of the run with .png or .gif, or -pictures]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub(crate) size: [u32; 2],
    /// A film that repeats, as a GIF; without it a film is a folder of PNG files
    #[arg(long)]
    pub(crate) gif: bool,
    /// A film of this many pictures, at equal times
    #[arg(long, value_name = "N", conflicts_with = "fps", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) frames: Option<u32>,
    /// A film with this many pictures a second of simulated time [GIF default: 25, or what gives 20 to 150 pictures]
    #[arg(long, value_name = "N", value_parser = parse_positive, allow_hyphen_values = true)]
    pub(crate) fps: Option<f64>,
    /// Start of the film in seconds
    #[arg(long, value_name = "T", value_parser = parse_time, allow_hyphen_values = true)]
    pub(crate) from: Option<f64>,
    /// End of the film in seconds
    #[arg(long, value_name = "T", value_parser = parse_time, allow_hyphen_values = true)]
    pub(crate) to: Option<f64>,
    /// How fast a GIF plays, relative to the simulation [default: 1, or slower or faster to last 2 to 8 seconds]
    #[arg(long, value_name = "X", value_parser = parse_positive, allow_hyphen_values = true, requires = "gif")]
    pub(crate) speed: Option<f64>,
    /// What colours show
    #[arg(long, value_name = "WHAT", default_value = "body", value_parser = named(&ColourBy::ALL))]
    pub(crate) colour: ColourBy,
    /// Draw contact forces as arrows; the run needs --contacts
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Where to look from; all that moves is in the picture
    #[arg(long, value_name = "VIEW", default_value = "iso", value_parser = named(&View::ALL), conflicts_with = "eye")]
    pub(crate) camera: View,
    /// Look from this point, in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    pub(crate) eye: Option<Vec3>,
    /// Look at this point [default: the middle of what moves]
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "eye")]
    pub(crate) target: Option<Vec3>,
    /// Ground and text
    #[arg(long, value_name = "NAME", default_value = "light", value_parser = named(&Theme::ALL))]
    pub(crate) theme: Theme,
    /// No title and no time in the picture
    #[arg(long)]
    pub(crate) plain: bool,
    /// Threads to use; the pictures have the same bits for any number
    #[arg(long, value_name = "N", default_value_t = all_threads(), hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// A run folder, as `signorini run` makes it
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Folder for the plots [default: the name of the run with -plots]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// What to plot, separated by commas: energy, penetration, residual, iterations, contacts, momentum, time, or
    /// body:NAME.MOTION with x, y, z, vx, vy, vz or speed
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "energy,penetration,residual,iterations,contacts,momentum,time",
        value_delimiter = ','
    )]
    pub(crate) what: Vec<String>,
    /// Formats, separated by commas
    #[arg(long, value_name = "NAMES", default_value = "svg", value_delimiter = ',')]
    pub(crate) format: Vec<PlotFormat>,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No notes: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Files of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlotFormat {
    // Plain comments: documentation would unfold the help.
    Svg,
    Png,
}

/// One of the values of a list of names.
fn named<T: Copy + Send + Sync + 'static>(all: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let expected = names.join(", ");
    PossibleValuesParser::new(names).try_map(move |found| {
        let value = all.iter().find(|(name, _)| *name == found).map(|(_, value)| *value);
        value.ok_or_else(|| format!("expected one of {expected}"))
    })
}

fn parse_time(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|time: &f64| time.is_finite()).ok_or_else(|| "expected a number of seconds".to_owned())
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let size = text.split_once(['x', '×']).and_then(|(width, height)| Some([number(width)?, number(height)?]));
    size.ok_or_else(|| "expected WIDTHxHEIGHT in pixels (1280x720)".to_owned())
}

fn parse_point(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    match numbers.as_deref() {
        Some([x, y, z]) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err("expected three numbers separated by commas (1,-2,0.5)".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_points_are_read_or_refused() {
        assert_eq!(parse_size("640x360"), Ok([640, 360]));
        assert_eq!(parse_point("1,-2, 0.5"), Ok(Vec3::new(1.0, -2.0, 0.5)));
        for bad in ["", "640", "640x", "x", "-1x5", "640x360x2", "1e3x2"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
        for bad in ["", "1,2", "1,2,3,4", "1,nan,2", "inf,1,1", "a,b,c"] {
            assert!(parse_point(bad).is_err(), "{bad}");
        }
        assert!(parse_time("nan").is_err() && parse_time("-0.5") == Ok(-0.5));
    }
}

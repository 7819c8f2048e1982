//! Arguments of `view`.

use super::values::positive;
use clap::Args;
use signorini_view::PageOptions;
use std::path::PathBuf;

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A run folder
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The page to write [default: view.html in the run folder]
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Most megabytes of data in the page, before compression: every k-th frame is kept, with the smallest k that fits
    #[arg(long, value_name = "MB", default_value = "96", value_parser = parse_megabytes, allow_hyphen_values = true)]
    pub(crate) max_size: f64,
    /// Most frames to keep, the first and the last included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) frames: Option<u64>,
    /// Keep every N-th frame, and the last; fewer if they do not fit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: Option<u64>,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl ViewArgs {
    pub(crate) fn options(&self) -> PageOptions {
        PageOptions { most_bytes: (self.max_size * MEGABYTE) as u64, frames: self.frames, every: self.every }
    }
}

fn parse_megabytes(text: &str) -> Result<f64, String> {
    positive(text, "a number of megabytes > 0")
}

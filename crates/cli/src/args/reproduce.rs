//! `signorini reproduce`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Experiments by id (IP-1) or group (IP); `quick`: all of them, small; `all`: all of them as published; nothing: the list
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Folder for the report, tables and figures; experiments found there are not run again
    #[arg(long, value_name = "DIR", default_value = "reproduce-results")]
    pub(crate) out: PathBuf,
    /// The published sizes; the default but for `quick`
    #[arg(long, conflicts_with = "quick")]
    pub(crate) full: bool,
    /// The smallest sizes that still show the effect
    #[arg(long)]
    pub(crate) quick: bool,
    /// Run experiments again whose outcome is in the folder
    #[arg(long)]
    pub(crate) fresh: bool,
    /// List the experiments with the time each takes
    #[arg(long)]
    pub(crate) list: bool,
    /// Memory of one solve of PB-5 as JSON, PEBBLES,METHOD: a process of its own for each, so that none uses what another freed
    #[arg(long, hide = true, value_name = "WHAT")]
    pub(crate) memory_of: Option<String>,
    /// Print one JSON object a row, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes, no progress: errors only
    #[arg(short = 'q', long)]
    pub(crate) quiet: bool,
}

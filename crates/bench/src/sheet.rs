//! Where a measurement of several parts leaves what it found.

use crate::table::Table;
use anyhow::{Context, Result};
use signorini_plot::Plot;
use std::path::PathBuf;

/// How long to measure and where to put it.
#[derive(clap::Args)]
pub(crate) struct Places {
    /// Few and short runs, nothing written: to see that all of it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder for the tables as CSV, all digits
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    results: PathBuf,
    /// Folder for the pictures
    #[arg(long, value_name = "DIR", default_value = "docs")]
    pictures: PathBuf,
}

/// Where a part leaves what it found; files are called `KIND-NAME`.
pub(crate) struct Sheet<'a> {
    pub(crate) kind: &'static str,
    pub(crate) places: &'a Places,
}

impl Sheet<'_> {
    pub(crate) fn is_quick(&self) -> bool {
        self.places.quick
    }

    /// Prints a table under a title and keeps it as CSV.
    pub(crate) fn table(&self, title: &str, name: &str, table: &Table) -> Result<()> {
        println!("\n{title}");
        table.print();
        self.keep(name, table)
    }

    /// Keeps a table too long to be printed.
    pub(crate) fn keep(&self, name: &str, table: &Table) -> Result<()> {
        match self.places.quick {
            true => Ok(()),
            false => table.save(Some(&self.places.results.join(format!("{}-{name}.csv", self.kind)))),
        }
    }

    /// Keeps a picture as SVG.
    pub(crate) fn picture(&self, name: &str, plot: &Plot) -> Result<()> {
        if self.places.quick {
            return Ok(());
        }
        let file = self.places.pictures.join(format!("{}-{name}.svg", self.kind));
        std::fs::write(&file, plot.document()).with_context(|| file.display().to_string())
    }
}

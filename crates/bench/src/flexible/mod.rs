//! Measurements of flexible bodies: hard contacts against springs, whole steps, energy, agreement of methods.

mod agreement;
mod bending;
mod block;
mod step;

use crate::sheet::{Places, Sheet};
use anyhow::{Context, Result, anyhow};
use signorini_scene::{Overrides, Scene, parse};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure; all of it unless some are named
    #[arg(value_enum, value_name = "PART")]
    parts: Vec<Part>,
    /// About how many tetrahedra the slab of `step` has
    #[arg(long, default_value_t = 100_000)]
    tetrahedra: usize,
    #[command(flatten)]
    places: Places,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Three-point bending: the largest stable step with hard contacts and with springs, and what the punch feels
    Bending,
    /// A soft block falling onto balls: energy and overlap
    Block,
    /// Whole steps of a slab on a floor against one Cholesky factorisation of its H
    Step,
    /// One step of the bending by all methods: how far apart their velocities are
    Agreement,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    use clap::ValueEnum;
    let sheet = Sheet { kind: "flexible", places: &arguments.places };
    for part in Part::value_variants() {
        if !arguments.parts.is_empty() && !arguments.parts.contains(part) {
            continue;
        }
        match part {
            Part::Bending => bending::run(&sheet),
            Part::Block => block::run(&sheet),
            Part::Step => step::run(&sheet, arguments.tetrahedra),
            Part::Agreement => agreement::run(&sheet),
        }
        .with_context(|| format!("{part:?}").to_lowercase())?;
    }
    Ok(())
}

/// A scene of the gallery with some parameters set.
fn scene(name: &str, text: &str, set: &[(&str, String)]) -> Result<Scene> {
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    parse(text, name, None, &overrides).map_err(|errors| anyhow!("{errors}"))
}

const BENDING: &str = include_str!("../../../scene/gallery/three-point-bending.toml");

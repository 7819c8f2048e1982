//! Arguments of the commands that analyse a scene without running it: equilibrium, modes, inverse.

use super::run::parse_set;
use super::values::{parse_positive, parse_seconds};
use clap::Args;
use signorini_mechanics::analysis::EquilibriumSettings;
use std::path::PathBuf;

/// What all analyses take.
#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// A scene file, or the name of a scene of the gallery (`signorini gallery` lists them)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Change a parameter of the scene: a number or an expression (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(crate) set: Vec<(String, String)>,
    /// Seed of everything random in the scene
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EquilibriumArgs {
    #[command(flatten)]
    pub(crate) common: SceneArgs,
    /// Largest force left, relative to the largest force in the scene
    #[arg(long, value_name = "X", default_value_t = usual().tolerance, value_parser = parse_positive, allow_hyphen_values = true)]
    pub(crate) tol: f64,
    /// Most iterations
    #[arg(long, value_name = "N", default_value_t = usual().max_iterations, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_iter: u32,
    /// Stay at an equilibrium that is unstable, in place of leaving it for a stable one
    #[arg(long)]
    pub(crate) keep_unstable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModesArgs {
    #[command(flatten)]
    pub(crate) common: SceneArgs,
    /// About the equilibrium downhill from the start, in place of the start itself with its velocities
    #[arg(long)]
    pub(crate) at_equilibrium: bool,
    /// Show how bodies take part in each mode
    #[arg(long)]
    pub(crate) shapes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InverseArgs {
    #[command(flatten)]
    pub(crate) common: SceneArgs,
    /// Seconds to go through, in place of the scene's
    #[arg(long, value_name = "T", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) until: Option<f64>,
    /// Time between results in seconds, in place of the scene's step
    #[arg(long, value_name = "H", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) dt: Option<f64>,
    /// Refuse scenes in which something moves freely, in place of simulating it
    #[arg(long)]
    pub(crate) kinematic: bool,
    /// Write all times to this CSV file: drives with position, speed, force and power, then force and torque of every joint
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) csv: Option<PathBuf>,
}

fn usual() -> EquilibriumSettings {
    EquilibriumSettings::default()
}

//! The problems that are measured: files of folders, and generated packings.

use anyhow::{Context, Result};
use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{ConeProblem, fclib, problem::from_fclib};
use std::path::{Path, PathBuf};

/// A problem with its name.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) problem: ConeProblem,
}

/// Where a problem comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    File,
    Packing,
}

/// Which packings to generate: one a size and friction coefficient.
#[derive(clap::Args, Clone)]
pub(crate) struct PackingArguments {
    /// Numbers of spheres, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "BODIES,…")]
    pub(crate) packings: Option<Vec<usize>>,
    /// Coefficients of friction, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "0,0.3", value_name = "MU,…")]
    pub(crate) friction: Vec<f64>,
    /// Chooses other piles of the same sizes
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// What is done to the gaps of the settled pile: settled, loosened or closed
    #[arg(long, default_value = "settled", value_parser = gaps_of_name)]
    pub(crate) gaps: Gaps,
}

fn gaps_of_name(name: &str) -> Result<Gaps, String> {
    let found = Gaps::ALL.into_iter().find(|gaps| gaps.name() == name);
    found.ok_or_else(|| format!("expected one of {}", Gaps::ALL.map(|gaps| gaps.name()).join(", ")))
}

impl PackingArguments {
    /// The packings of the sizes asked for, or of `default` sizes.
    pub(crate) fn cases(&self, default: &[usize]) -> Result<Vec<Case>> {
        let sizes = self.packings.as_deref().unwrap_or(default);
        let mut cases = Vec::new();
        for &bodies in sizes {
            for &friction in &self.friction {
                let name = format!("packing-{bodies}-mu{friction}");
                let spheres =
                    SpherePacking { bodies, friction, seed: self.seed, gaps: self.gaps, ..SpherePacking::default() };
                let problem = spheres.problem().with_context(|| name.clone())?;
                cases.push(Case { name, origin: Origin::Packing, problem });
            }
        }
        Ok(cases)
    }
}

/// Problems of all FCLIB files below the folders (or files) given. What cannot be used is skipped with a note.
pub(crate) fn file_cases(places: &[PathBuf]) -> Result<Vec<Case>> {
    let mut files = Vec::new();
    for place in places {
        collect_files(place, &mut files).with_context(|| place.display().to_string())?;
    }
    files.sort();
    files.dedup();
    let mut cases = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match load(&file) {
            Ok(problem) => cases.push(Case { name, origin: Origin::File, problem }),
            Err(error) => eprintln!("note: {name} skipped: {error:#}"),
        }
    }
    Ok(cases)
}

/// The problem of one FCLIB file.
pub(crate) fn load(file: &Path) -> Result<ConeProblem> {
    Ok(from_fclib(&fclib::read(file)?.problem)?)
}

fn collect_files(place: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !place.is_dir() {
        std::fs::metadata(place)?;
        files.push(place.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(place)? {
        let path = entry?.path();
        let data = path.extension().is_some_and(|extension| extension == "hdf5" || extension == "h5");
        if path.is_dir() || data {
            collect_files(&path, files)?;
        }
    }
    Ok(())
}

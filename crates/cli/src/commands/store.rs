//! Where `--write` puts problems with their solutions.

use crate::inputs::{Input, Loaded};
use anyhow::{Context, Result, bail};
use signorini_solver::problem::solution_to_fclib;
use signorini_solver::{FrictionLaw, Solution, fclib};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Target of every input.
pub(super) struct Store {
    targets: Vec<PathBuf>,
}

impl Store {
    /// Decides where each input goes; refuses targets that would destroy something, before any work is done.
    pub(super) fn plan(target: &Path, inputs: &[Input]) -> Result<Self> {
        let ends_as_folder = target.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
        let folder = inputs.len() > 1 || target.is_dir() || ends_as_folder;
        let targets: Vec<PathBuf> = match folder {
            true => inputs.iter().map(|input| target.join(input.file_name())).collect(),
            false => vec![target.to_path_buf()],
        };
        if folder {
            fs::create_dir_all(target).with_context(|| format!("cannot make the folder {}", target.display()))?;
        } else {
            let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
            if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
                bail!("cannot write {}: there is no folder {}", target.display(), parent.display());
            }
        }
        let mut owners: BTreeMap<&Path, &Input> = BTreeMap::new();
        for (input, target) in inputs.iter().zip(&targets) {
            if let Some(other) = owners.insert(target, input) {
                bail!("both {} and {} would be written to {}", other.name(), input.name(), target.display());
            }
        }
        if let Some(target) = targets.iter().find(|target| is_input(target, inputs)) {
            bail!("{} is an input and is not overwritten: name another file or folder", target.display());
        }
        Ok(Self { targets })
    }

    /// Stores a solution of input number `index`.
    pub(super) fn write(
        &self,
        index: usize,
        mut loaded: Loaded,
        solution: &Solution,
        friction: FrictionLaw,
    ) -> Result<()> {
        let Some(target) = self.targets.get(index) else { return Ok(()) };
        let Some(file) = &mut loaded.file else { bail!("an FCLIB file cannot hold this example") };
        let stored = Some(solution_to_fclib(
            &loaded.problem,
            solution.velocity(),
            solution.impulse(),
            &solution.relative_velocity,
        )?);
        match friction {
            FrictionLaw::Exact => file.solution = stored,
            FrictionLaw::Relaxed => file.solution_ccp = stored,
            FrictionLaw::Lagged => bail!("a solution of the lagged law has no place in an FCLIB file"),
        }
        Ok(fclib::write(target, file)?)
    }
}

/// Whether a path leads to a file that is read.
pub(super) fn is_input(path: &Path, inputs: &[Input]) -> bool {
    let Ok(path) = fs::canonicalize(path) else { return false };
    inputs.iter().any(|input| matches!(input, Input::File(file) if fs::canonicalize(file).is_ok_and(|f| f == path)))
}

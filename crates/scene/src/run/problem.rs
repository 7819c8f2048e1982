//! The problem of one step as an FCLIB file.

use super::RunError;
use signorini_mechanics::Simulation;
use signorini_solver::fclib::{self, FclibFile, Info};
use signorini_solver::problem::to_fclib;
use std::path::{Path, PathBuf};

/// Writes the problem of the next step. Joint rows become bilateral rows; limits and contacts without friction, which FCLIB
/// has no form for, become contacts with μ = 0 and empty tangents. Soft contacts (E ≠ 0) have no FCLIB form.
pub(super) fn write(simulation: &Simulation, scene: &str, folder: &Path) -> Result<PathBuf, RunError> {
    let state = simulation.state();
    let refused = |problem: String| RunError::Problem { time: state.time, problem };
    let stored = simulation.problem()?;
    let stored = to_fclib(&stored).map_err(|error| refused(error.to_string()))?;
    let info = Info {
        title: format!("{scene}, step {}", state.step + 1),
        description: format!(
            "The problem of the step from t = {} s with h = {} s; {} bodies.",
            state.time,
            simulation.settings().step,
            simulation.model().moving()
        ),
        math_info:
            "Columns of v: velocity in the world, angular velocity in body axes, of every moving body. Contacts with \
                    mu = 0 and empty tangents are frictionless contacts and joint limits."
                .into(),
    };
    let path = folder.join(format!("problem-{}.hdf5", state.step + 1));
    fclib::write(&path, &FclibFile::new(stored, info)).map_err(|error| refused(error.to_string()))?;
    Ok(path)
}

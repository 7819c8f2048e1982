//! Arguments of the commands that simulate: run, resume, export, gallery.

use super::stepper::parse_stepper;
use super::values::{all_threads, choice, parse_positive, parse_seconds, parse_tolerance, positive, solver_parser};
use clap::{Args, Subcommand};
use signorini_mechanics::{Adaptive, Stepper};
use signorini_solver::{FrictionLaw, Method, Tolerance};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A scene file, or the name of a scene of the gallery (`signorini gallery` lists them)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Folder for the results [default: the name of the scene with -run, in the current folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace a run that is in the folder already
    #[arg(long)]
    pub(crate) force: bool,
    /// Steps to take, in place of the scene's end
    #[arg(long, value_name = "N", conflicts_with = "until")]
    pub(crate) steps: Option<u64>,
    /// Seconds to simulate, in place of the scene's
    #[arg(long, value_name = "T", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) until: Option<f64>,
    /// Length of a step in seconds, in place of the scene's
    #[arg(long, value_name = "H", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) dt: Option<f64>,
    /// Solver, in place of the scene's; `signorini solvers` says what each does
    #[arg(long, value_name = "NAME", value_parser = solver_parser())]
    pub(crate) solver: Option<String>,
    /// Time-stepper, in place of the scene's, with its parameters (hht,alpha=-0.2); `signorini steppers` says what each does
    #[arg(long, value_name = "NAME[,PARAMETER=X]", value_parser = parse_stepper)]
    pub(crate) stepper: Option<Stepper>,
    /// Sub-steps of a smooth stepper by their error: metres relative to the model's longest lever, and radians, a sub-step (1e-6)
    #[arg(long, value_name = "X", value_parser = parse_positive, allow_hyphen_values = true, conflicts_with = "extrapolate")]
    pub(crate) adaptive: Option<f64>,
    /// Run a smooth stepper with h and h/2 side by side: their difference is the error, which is reported and removed
    #[arg(long)]
    pub(crate) extrapolate: bool,
    /// Friction law, in place of the scene's: relaxed (convex), lagged (convex, with the slip of the step before) or exact (Coulomb)
    #[arg(long, value_name = "LAW", value_parser = choice(&FrictionLaw::ALL))]
    pub(crate) friction: Option<FrictionLaw>,
    /// Accuracy of every step: of the natural map relative to the free velocity (1e-8), or in m/s (1e-6m/s)
    #[arg(long, value_name = "X", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub(crate) tol: Option<Tolerance>,
    /// Most iterations of all solves of a step together [default: 10000 with the solver auto]
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<u32>,
    /// Go on however many steps in a row have no answer, in place of stopping after those of the scene (5 unless it says otherwise)
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Change a parameter of the scene: a number or an expression (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(crate) set: Vec<(String, String)>,
    /// Seed of everything random in the scene
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to use; the results have the same bits for any number
    #[arg(long, value_name = "N", default_value_t = all_threads(), hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Steps between checkpoints, from which `signorini resume` goes on [default: the scene's, or else every 30 s of running]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) checkpoint_every: Option<u32>,
    /// Write the contact forces of every frame to contacts.csv
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Write the forces of joints, motors, springs, bushings and loads of every frame to forces.csv
    #[arg(long)]
    pub(crate) forces: bool,
    /// Write every frame as VTK files (for ParaView) to the folder vtk
    #[arg(long)]
    pub(crate) vtk: bool,
    /// Show the run in the browser when it ends: records contact and joint forces, writes view.html to the folder
    #[arg(long)]
    pub(crate) view: bool,
    /// Store the problem of the step that starts at this time (in seconds) or just after as an FCLIB file (repeatable)
    #[arg(long, value_name = "t=T", value_parser = parse_time)]
    pub(crate) dump_problem: Vec<f64>,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// A run folder
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Steps to reach, counted from the start, in place of what was asked first
    #[arg(long, value_name = "N", conflicts_with = "until")]
    pub(crate) steps: Option<u64>,
    /// Time to reach in seconds, in place of what was asked first
    #[arg(long, value_name = "T", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) until: Option<f64>,
    /// Go on however many steps in a row have no answer
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Threads to use; the results have the same bits for any number
    #[arg(long, value_name = "N", default_value_t = all_threads(), hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// A run folder
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    #[command(flatten)]
    pub(crate) target: ExportTarget,
    /// Print one JSON object, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ExportTarget {
    /// Write every frame as VTK files (for ParaView) to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) vtk: Option<PathBuf>,
    /// Write every frame to this CSV file, a line a body and frame
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GalleryArgs {
    #[command(subcommand)]
    pub(crate) command: Option<GalleryCommand>,
    /// Print this scene file, as `show` does
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Print JSON objects, one a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GalleryCommand {
    /// Print a scene file, to start one's own from
    Show {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}

impl RunArgs {
    /// Everything the user changed in the settings of a scene.
    pub(crate) fn apply(&self, settings: &mut signorini_mechanics::Settings) {
        settings.step = self.dt.unwrap_or(settings.step);
        if let Some(method) = self.solver.as_deref().and_then(Method::named)
            // The scene's own settings of the same method stay.
            && method.name() != settings.method.name()
        {
            settings.method = method;
        }
        if self.extrapolate {
            settings.adaptive = None;
        }
        if let Some(tolerance) = self.adaptive {
            settings.extrapolate = false;
            settings.adaptive = Some(Adaptive { tolerance, ..settings.adaptive.unwrap_or_default() });
        }
        settings.extrapolate |= self.extrapolate;
        settings.friction = self.friction.unwrap_or(settings.friction);
        settings.tolerance = self.tol.or(settings.tolerance);
        settings.max_iterations = self.max_iter.or(settings.max_iterations);
        settings.parallel &= self.threads > 1;
    }

    /// Options given that the stepper has no use for: smooth ones solve no cone problems.
    pub(crate) fn idle(&self, stepper: &Stepper) -> Vec<String> {
        if stepper.has_hard_contacts() {
            return Vec::new();
        }
        let given = [
            ("--solver", self.solver.is_some()),
            ("--friction", self.friction.is_some()),
            ("--max-iter", self.max_iter.is_some()),
        ];
        let name = stepper.name();
        let message = |option| format!("{option} is of no use to `{name}`: it is for steppers with hard contacts");
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| message(option)).collect()
    }
}

pub(super) fn parse_set(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE".into()),
    }
}

fn parse_time(text: &str) -> Result<f64, String> {
    let expected = "t= and a number of seconds ≥ 0 (t=0.5)";
    match text.strip_prefix("t=").map(str::trim) {
        Some(zero) if zero.parse::<f64>() == Ok(0.0) => Ok(0.0),
        Some(number) => positive(number, expected),
        None => Err(format!("expected {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_has_a_name_and_a_value() {
        assert_eq!(parse_set("count=2*3"), Ok(("count".into(), "2*3".into())));
        assert_eq!(parse_set("a = b=1"), Ok(("a".into(), "b=1".into())));
        for bad in ["", "count", "=3", "count=", " = "] {
            assert!(parse_set(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_is_named_t() {
        assert_eq!(parse_time("t=0"), Ok(0.0));
        assert_eq!(parse_time("t=0.25"), Ok(0.25));
        for bad in ["0.25", "t=", "t=-1", "t=nan", "t=inf", "s=1"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }
}

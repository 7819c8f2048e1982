//! What a user can ask for. Choices and defaults are those of the library, spelled as it spells them.

mod analysis;
mod picture;
mod reproduce;
mod run;
mod stepper;
mod values;
mod view;

pub(crate) use analysis::{EquilibriumArgs, InverseArgs, ModesArgs, SceneArgs};
pub(crate) use picture::{PlotArgs, PlotFormat, RenderArgs};
pub(crate) use reproduce::ReproduceArgs;
pub(crate) use run::{ExportArgs, GalleryArgs, GalleryCommand, ResumeArgs, RunArgs};
pub(crate) use values::name_of;
pub(crate) use view::ViewArgs;

use crate::printer::Format;
use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use signorini_solver::{
    FrictionLaw, InteriorPoint, KktForm, Method, SolverSettings, Start, Steps, Stopping, Tolerance, WarmStart,
};
use std::path::PathBuf;
use values::{
    ALL_SOLVERS, all_threads, choice, facets_parser, parse_positive, parse_seconds, parse_solvers, parse_tolerance,
    solver_parser,
};

/// Non-smooth multibody dynamics: hard frictional contact solved to a stated accuracy.
#[derive(Debug, Parser)]
#[command(name = "signorini", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done as asked; 1 a step broke a promise, a file missed its tolerance, or answers differ; 2 arguments or \
                          files that cannot be used; 130 interrupted, results so far kept.";

const RUN_EXIT_CODES: &str = "Exit codes: 0 done as asked; 1 a step broke a promise; 2 arguments, scene or files that cannot \
                              be used, or a step without an answer; 130 interrupted. Results are kept in every case.";

const VIEW_EXIT_CODES: &str = "Exit codes: 0 done as asked; 1 the run is damaged and shown up to the last good step, or the browser could not \
                               be opened; 2 arguments or files that cannot be used, or nothing to show; 130 interrupted, no page \
                               written.";

const ANALYSIS_EXIT_CODES: &str = "Bodies, joints and forces count; contacts do not: bodies that touch or overlap are named in a warning. \
                                   Exit codes: 0 done as asked; 1 what was found is unstable, or bodies overlap in it that do \
                                   not at the start; 2 arguments, scene or files that cannot be used, or no answer.";

const REPRODUCE_EXIT_CODES: &str = "Ctrl-C stops and keeps what is finished; the same command goes on from there. Exit codes: 0 every statement asked for is \
                                    met or bettered; 1 one falls short, or an experiment failed; 2 arguments or files that cannot \
                                    be used; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and write the results to a folder
    #[command(after_help = RUN_EXIT_CODES)]
    Run(RunArgs),
    /// Go on with a run that was stopped or killed, to the same bits as if it had not been
    #[command(after_help = RUN_EXIT_CODES)]
    Resume(ResumeArgs),
    /// Convert the results of a run
    Export(ExportArgs),
    /// Draw pictures and films of a run
    Render(RenderArgs),
    /// Plot energies, residuals, contacts and motions of a run over time
    Plot(PlotArgs),
    /// Show a run in the browser: one page that needs nothing else, no network either
    #[command(after_help = VIEW_EXIT_CODES)]
    View(ViewArgs),
    /// Find where a scene comes to rest, with the reactions of its joints
    #[command(after_help = ANALYSIS_EXIT_CODES)]
    Equilibrium(EquilibriumArgs),
    /// Find the frequencies, damping and shapes of small motions, and whether they grow
    #[command(after_help = ANALYSIS_EXIT_CODES)]
    Modes(ModesArgs),
    /// Find the forces and torques that imposed motions need
    #[command(after_help = ANALYSIS_EXIT_CODES)]
    Inverse(InverseArgs),
    /// List the scenes that come with the program, or show one
    Gallery(GalleryArgs),
    /// Solve contact problems in FCLIB files (the relaxed, convex friction law)
    #[command(after_help = EXIT_CODES)]
    Solve(SolveArgs),
    /// Run many solvers on many problems and compare time, iterations, memory and answers
    #[command(after_help = EXIT_CODES)]
    Compare(CompareArgs),
    /// Check scene files, and the solutions stored in FCLIB files, independently of the solver that made them
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Rebuild the experiments of the papers: published numbers, ours, and a verdict
    #[command(after_help = REPRODUCE_EXIT_CODES)]
    Reproduce(ReproduceArgs),
    /// List the solvers
    Solvers(ListArgs),
    /// List the time-steppers
    Steppers(ListArgs),
    /// List the built-in example problems
    Examples(ListArgs),
    /// Show version, threads, processor and memory, and solve a small problem with a known answer
    Doctor(ListArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON objects, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    /// FCLIB files, folders (searched for .hdf5 and .h5), patterns with * and ?, or example:NAME
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Solver; `signorini solvers` says what each does
    #[arg(long, value_name = "NAME", default_value = default_solver(), value_parser = solver_parser())]
    pub(crate) solver: String,
    /// Friction law: relaxed (convex), lagged (convex, with the slip of the starting point) or exact (Coulomb)
    #[arg(long, value_name = "LAW", default_value = name_of(&FrictionLaw::Relaxed), value_parser = choice(&FrictionLaw::ALL))]
    pub(crate) friction: FrictionLaw,
    /// Accuracy: of the natural map relative to the free velocity (1e-8), or in m/s (1e-6m/s)
    #[arg(long, value_name = "X", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub(crate) tol: Option<Tolerance>,
    /// Replace round friction cones by pyramids of N facets (3 to 256); residuals are then those of the pyramid law
    #[arg(long, value_name = "N", value_parser = facets_parser(), conflicts_with = "write")]
    pub(crate) facets: Option<u32>,
    /// Most iterations, all phases together (exact law by a fixed point: convex problems and Newton steps)
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<u32>,
    /// Most seconds a file
    #[arg(long, value_name = "S", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) time_limit: Option<f64>,
    /// Form of the linear system
    #[arg(long, value_name = "FORM", default_value = name_of(&settings().kkt), value_parser = choice(&KktForm::ALL))]
    pub(crate) kkt: KktForm,
    /// Starting point
    #[arg(long, value_name = "NAME", default_value = name_of(&settings().start), value_parser = choice(&Start::ALL))]
    pub(crate) start: Start,
    /// Step lengths of velocities and impulses
    #[arg(long, value_name = "RULE", default_value = name_of(&settings().steps), value_parser = choice(&STEPS))]
    pub(crate) steps: Steps,
    /// What to take over from the starting point stored in the file (/guesses/1), if there is one
    #[arg(long, value_name = "PART", default_value = name_of(&WarmStart::None), value_parser = choice(&WARM))]
    pub(crate) warm: WarmStart,
    /// Further centrality correctors an iteration
    #[arg(long, value_name = "N", default_value_t = settings().correctors)]
    pub(crate) correctors: u32,
    /// Rule that ends the iterations: our residual, or the absolute rules of the publications
    #[arg(long, value_name = "RULE", default_value = name_of(&settings().stopping), value_parser = choice(&STOPPING))]
    pub(crate) stopping: Stopping,
    /// Do not finish with semi-smooth Newton
    #[arg(long)]
    pub(crate) no_polish: bool,
    /// Threads the factorisations may use; the answer has the same bits for any number
    #[arg(long, value_name = "N", default_value_t = all_threads(), hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Write the residuals of every iteration of every file to this CSV file
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) history: Option<PathBuf>,
    /// Write problem and solution (group /solution_ccp, or /solution for the exact law) to this file, or with several inputs to this folder
    #[arg(long, value_name = "OUT")]
    pub(crate) write: Option<PathBuf>,
    /// Print one JSON object a file, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl SolveArgs {
    /// Options given that the chosen method has no use for.
    pub(crate) fn unused(&self) -> Vec<&'static str> {
        let mut method = Method::named(&self.solver).unwrap_or_default();
        if method.interior_point_mut().is_some() {
            return Vec::new();
        }
        let usual = settings();
        let given = [
            ("--kkt", self.kkt != usual.kkt && !matches!(method, Method::Direct(_))),
            ("--start", self.start != usual.start),
            ("--steps", self.steps != usual.steps),
            ("--warm partial", self.warm == WarmStart::Partial),
            ("--correctors", self.correctors != usual.correctors),
            ("--stopping", self.stopping != usual.stopping),
            ("--no-polish", self.no_polish),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// The solver with everything the user chose.
    pub(crate) fn settings(&self) -> SolverSettings {
        let mut method = Method::named(&self.solver).unwrap_or_default();
        if let Some(inner) = method.interior_point_mut() {
            inner.kkt = self.kkt;
            inner.start = self.start;
            inner.steps = self.steps;
            // Whether the file's starting point is used at all is decided where it is read; answers of earlier phases always are.
            inner.warm_start = if self.warm == WarmStart::None { inner.warm_start } else { self.warm };
            inner.correctors = self.correctors;
            inner.stopping = self.stopping;
            inner.polish = !self.no_polish;
        }
        if let Method::Direct(direct) = &mut method {
            direct.kkt = if self.kkt == settings().kkt { direct.kkt } else { self.kkt };
        }
        let usual = SolverSettings::default();
        SolverSettings {
            method,
            friction: self.friction,
            tolerance: self.tol.unwrap_or(usual.tolerance),
            facets: self.facets,
            max_iterations: self.max_iter,
            time_limit: self.time_limit,
            parallel: self.threads > 1,
            history: self.history.is_some(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// FCLIB files, folders (searched for .hdf5 and .h5), patterns with * and ?, or example:NAME
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Solvers, separated by commas, or all; `signorini solvers` says what each does
    #[arg(long, value_name = "NAMES", default_value = ALL_SOLVERS, value_parser = parse_solvers)]
    pub(crate) solvers: Solvers,
    /// Accuracy every solver is timed to: of the natural map relative to the free velocity (1e-8), or in m/s (1e-6m/s)
    #[arg(long, value_name = "X", default_value = "1e-6", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub(crate) tol: Tolerance,
    /// Most seconds a run
    #[arg(long, value_name = "S", default_value = "10", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) time_limit: f64,
    /// Replace round friction cones by pyramids of N facets (3 to 256), for methods that need bounds
    #[arg(long, value_name = "N", value_parser = facets_parser())]
    pub(crate) facets: Option<u32>,
    /// Most iterations a run, all phases together
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<u32>,
    /// Friction law: relaxed (convex), lagged (convex, with the slip of the relaxed answer) or exact (Coulomb)
    #[arg(long, value_name = "LAW", default_value = name_of(&FrictionLaw::Relaxed), value_parser = choice(&FrictionLaw::ALL))]
    pub(crate) friction: FrictionLaw,
    /// Threads the solvers may use; the answers have the same bits for any number
    #[arg(long, value_name = "N", default_value_t = all_threads(), hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Write one row a run, with all digits, to this CSV file; what is finished stays if the program is stopped
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) csv: Option<PathBuf>,
    /// Write a report with plots to this HTML file; it needs nothing else, no network either
    #[arg(long, value_name = "OUT.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print only what each solver solved, problem by problem (families of files if there are many)
    #[arg(long)]
    pub(crate) matrix: bool,
    /// Print one JSON object a run, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes, no progress: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The methods a user named, each once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solvers(pub(crate) Vec<Method>);

impl CompareArgs {
    /// What is asked of every method.
    pub(crate) fn settings(&self, method: Method) -> SolverSettings {
        SolverSettings {
            method,
            friction: self.friction,
            tolerance: self.tol,
            facets: self.facets,
            max_iterations: self.max_iter,
            time_limit: Some(self.time_limit),
            parallel: self.threads > 1,
            history: true,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Scene files (.toml), names of gallery scenes, FCLIB files, folders (searched for .hdf5 and .h5) or patterns with * and ?
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// FCLIB files: largest scaled error and largest difference to the stored velocities, relative to the free velocity
    #[arg(long, value_name = "X", default_value = "1e-6", value_parser = parse_positive, allow_hyphen_values = true)]
    pub(crate) tol: f64,
    /// FCLIB files: check only the solution of this law: exact (group /solution) or relaxed (/solution_ccp)
    #[arg(long, value_name = "LAW")]
    pub(crate) law: Option<Law>,
    /// Print one JSON object a file, and nothing else, on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// No table, no notes: errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The friction law a stored solution belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Law {
    // Plain comments: documentation would unfold the help.
    // Signorini-Coulomb, group /solution.
    Exact,
    // Its convex relaxation, group /solution_ccp.
    Relaxed,
}

impl Command {
    pub(crate) fn format(&self) -> Format {
        let json = match self {
            Self::Run(args) => args.json,
            Self::Resume(args) => args.json,
            Self::Export(args) => args.json,
            Self::Render(args) => args.json,
            Self::Plot(args) => args.json,
            Self::View(args) => args.json,
            Self::Equilibrium(args) => args.common.json,
            Self::Modes(args) => args.common.json,
            Self::Inverse(args) => args.common.json,
            Self::Gallery(args) => args.json,
            Self::Solve(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Check(args) => args.json,
            Self::Reproduce(args) => args.json,
            Self::Solvers(args) | Self::Steppers(args) | Self::Examples(args) | Self::Doctor(args) => args.json,
        };
        if json { Format::Json } else { Format::Text }
    }
    pub(crate) fn quiet(&self) -> bool {
        match self {
            Self::Run(args) => args.quiet,
            Self::Resume(args) => args.quiet,
            Self::Export(args) => args.quiet,
            Self::Render(args) => args.quiet,
            Self::Plot(args) => args.quiet,
            Self::View(args) => args.quiet,
            Self::Equilibrium(args) => args.common.quiet,
            Self::Modes(args) => args.common.quiet,
            Self::Inverse(args) => args.common.quiet,
            Self::Solve(args) => args.quiet,
            Self::Compare(args) => args.quiet,
            Self::Check(args) => args.quiet,
            Self::Reproduce(args) => args.quiet,
            _ => false,
        }
    }
}

const STEPS: [Steps; 2] = [Steps::Equal, Steps::Split];
const WARM: [WarmStart; 3] = [WarmStart::None, WarmStart::Partial, WarmStart::Full];
const STOPPING: [Stopping; 3] = [Stopping::Residual, Stopping::Paper, Stopping::Thesis];

fn settings() -> InteriorPoint {
    InteriorPoint::default()
}

fn default_solver() -> &'static str {
    Method::default().name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn names_and_lists_agree_with_the_library() {
        assert!(KktForm::ALL.iter().all(|form| name_of(form) == form.name()));
        assert!(Start::ALL.iter().all(|start| name_of(start) == start.name()));
        let args = ["signorini", "solve", "x", "--kkt", "quasi-definite", "--steps", "split", "--stopping", "thesis"];
        let Command::Solve(args) = Cli::parse_from(args).command else { panic!("solve expected") };
        let mut settings = args.settings();
        let inner = settings.method.interior_point_mut().map(|inner| (inner.kkt, inner.steps, inner.stopping));
        assert_eq!(inner, Some((KktForm::QuasiDefinite, Steps::Split, Stopping::Thesis)));
    }
}

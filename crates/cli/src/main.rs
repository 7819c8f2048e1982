//! `signorini`: simulates scenes, solves contact problem files, checks both.

mod args;
mod commands;
mod examples;
mod exit;
mod inputs;
mod interrupt;
mod nearest;
mod printer;
mod progress;
mod report;
mod verify;
mod whole_file;
mod words;

use args::{Cli, Command};
use clap::Parser;
use exit::Exit;
use printer::Printer;

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let mut printer = Printer::new(cli.command.format(), cli.command.quiet());
    let outcome = match &cli.command {
        Command::Run(args) => commands::run::run(args, &mut printer),
        Command::Resume(args) => commands::resume::run(args, &mut printer),
        Command::Export(args) => Ok(commands::export::run(args, &mut printer)),
        Command::Render(args) => Ok(commands::render::run(args, &mut printer)),
        Command::Plot(args) => Ok(commands::plot::run(args, &mut printer)),
        Command::View(args) => Ok(commands::view::run(args, &mut printer)),
        Command::Equilibrium(args) => Ok(commands::equilibrium::run(args, &mut printer)),
        Command::Modes(args) => Ok(commands::modes::run(args, &mut printer)),
        Command::Inverse(args) => commands::inverse::run(args, &mut printer),
        Command::Gallery(args) => commands::gallery::run(args, &mut printer),
        Command::Solve(args) => commands::solve::run(args, &mut printer),
        Command::Compare(args) => commands::compare::run(args, &mut printer),
        Command::Check(args) => commands::check::run(args, &mut printer),
        Command::Reproduce(args) => commands::reproduce::run(args, &mut printer),
        Command::Solvers(_) => commands::solvers::run(&mut printer),
        Command::Steppers(_) => commands::steppers::run(&mut printer),
        Command::Examples(_) => commands::examples::run(&mut printer),
        Command::Doctor(_) => commands::doctor::run(&mut printer),
    };
    let exit = outcome.unwrap_or_else(|error| {
        printer.error(None, &format!("{error:#}"), None);
        Exit::CouldNotRun
    });
    if printer.failed() { exit.max(Exit::CouldNotRun).into() } else { exit.into() }
}

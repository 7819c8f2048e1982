//! Measurements: our solver against Clarabel, our contact detection against parry's, our steps against Rapier's, and our
//! methods against each other.
//!
//! Every table is printed below the command that made it; `--csv FILE` writes the same table with all digits.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod clarabel_form;
mod clarabel_run;
mod contacts;
mod convergence;
mod crossover;
mod exact;
mod first_order;
mod flexible;
mod flexible_solve;
mod forms;
mod iterations;
mod memory;
mod methods;
mod our_run;
mod sheet;
mod simulate;
mod solve;
mod starts;
mod steppers;
mod sweeps;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "signorini-bench", version, about = "Measures the solver and contact detection; see the subcommands")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time of our solver and of Clarabel to the same residual, on files and generated packings
    Solve(solve::Arguments),
    /// Interior-point iterations against the size of a packing
    Iterations(iterations::Arguments),
    /// Sizes and tolerances at which one method overtakes another: what `auto` goes by
    Crossover(crossover::Arguments),
    /// The exact friction law on a collection, against the times of Siconos
    Exact(exact::Arguments),
    /// Peak resident memory against the size of factor and problem
    Memory(memory::Arguments),
    /// Time and iterations of every form of the linear system
    Forms(forms::Arguments),
    /// Draw residual against iteration for four packings
    Convergence(convergence::Arguments),
    /// Speed of an iteration of the first-order methods against that of the memory
    FirstOrder(first_order::Arguments),
    /// Flexible bodies: largest stable steps, energy, whole steps, agreement of methods
    Flexible(flexible::Arguments),
    /// One step of a slab of finite elements on a floor, against one Cholesky factorisation of its H
    FlexibleSolve(flexible_solve::Arguments),
    /// Draw residual against time for every method on one packing
    Methods(methods::Arguments),
    /// Iterations from every starting point, with further correctors and refinements
    Starts(starts::Arguments),
    /// Cost of a sweep of the SOR methods, colours, and residuals after many sweeps
    Sweeps(sweeps::Arguments),
    /// Whole steps of falling balls: processor time and overlap, ours and Rapier's
    Peers(simulate::peers::Arguments),
    /// Walls and towers that should not move
    Stand(simulate::stand::Arguments),
    /// Mixed bodies dropped into containers, closed meshes and onto hills, judged from outside
    Drops(simulate::drops::Arguments),
    /// What a joint, servo, spring or bushing costs beside a pile that has nothing to do with it
    Beside(simulate::beside::Arguments),
    /// Whole steps of the gallery by `auto` and by each method of its menu
    Menu(simulate::menu::Arguments),
    /// Time and memory of a step against the number of bodies
    Scaling(simulate::scaling::Arguments),
    /// Whole steps of falling balls by number of threads
    Threads(simulate::threads::Arguments),
    /// What a step of a pile at rest spends on preparing rather than on the step
    Rest(simulate::rest::Arguments),
    /// Whole steps of mechanisms: what closing joints without energy costs
    Mechanisms(simulate::mechanisms::Arguments),
    /// Time-steppers: order, dissipation, cost, joint forces, drift, mechanisms
    Steppers(steppers::Arguments),
    /// Contact detection of a packed bed against parry's tree of boxes with refit
    Contacts(contacts::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Iterations(arguments) => iterations::run(&arguments),
        Command::Crossover(arguments) => crossover::run(&arguments),
        Command::Exact(arguments) => exact::run(&arguments),
        Command::Memory(arguments) => memory::run(&arguments),
        Command::Forms(arguments) => forms::run(&arguments),
        Command::Convergence(arguments) => convergence::run(&arguments),
        Command::FirstOrder(arguments) => first_order::run(&arguments),
        Command::Flexible(arguments) => flexible::run(&arguments),
        Command::FlexibleSolve(arguments) => flexible_solve::run(&arguments),
        Command::Methods(arguments) => methods::run(&arguments),
        Command::Starts(arguments) => starts::run(&arguments),
        Command::Sweeps(arguments) => sweeps::run(&arguments),
        Command::Peers(arguments) => simulate::peers::run(&arguments),
        Command::Stand(arguments) => simulate::stand::run(&arguments),
        Command::Drops(arguments) => simulate::drops::run(&arguments),
        Command::Beside(arguments) => simulate::beside::run(&arguments),
        Command::Menu(arguments) => simulate::menu::run(&arguments),
        Command::Scaling(arguments) => simulate::scaling::run(&arguments),
        Command::Threads(arguments) => simulate::threads::run(&arguments),
        Command::Rest(arguments) => simulate::rest::run(&arguments),
        Command::Mechanisms(arguments) => simulate::mechanisms::run(&arguments),
        Command::Steppers(arguments) => steppers::run(&arguments),
        Command::Contacts(arguments) => contacts::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

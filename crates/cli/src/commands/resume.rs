//! `signorini resume`: a run that was stopped goes on.

use super::outcome;
use crate::args::ResumeArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::Printer;
use anyhow::Result;
use signorini_scene::run::{Run, RunFolder, steps_until};

pub(crate) fn run(args: &ResumeArgs, printer: &mut Printer) -> Result<Exit> {
    interrupt::flag();
    outcome::start_threads(args.threads)?;
    let folder = args.run.display().to_string();
    let steps = match args.until {
        None => Ok(args.steps),
        Some(until) => RunFolder::open(&args.run).map(|run| Some(steps_until(until, run.manifest().settings.step))),
    };
    match steps.and_then(|steps| Run::resume(&args.run, steps, Some(args.threads > 1))) {
        Ok(mut run) => {
            if args.keep_going {
                run.keep_going();
            }
            let (done, steps) = (run.simulation().state().step, run.manifest().steps);
            let all = if steps == 1 { "the only step was".into() } else { format!("all {steps} steps were") };
            match done < steps {
                true => printer.line(&format!("{folder}: from step {done} to {steps}")),
                false => printer.note(None, &format!("{folder}: {all} taken before; --steps or --until asks for more")),
            }
            Ok(outcome::go(run, false, printer))
        }
        Err(error) => Ok(outcome::refused(&folder, &error, printer)),
    }
}

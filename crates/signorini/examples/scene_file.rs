//! A scene of the gallery with other parameters, run into a folder.
#![allow(clippy::print_stdout)]

use signorini::mechanics::StepReport;
use signorini::scene::run::{Ending, Observer, Run, RunOptions};
use signorini::scene::{Overrides, load};

// ANCHOR: observer
/// Remembers the most contacts of a step.
#[derive(Default)]
struct Watch {
    most_contacts: usize,
}

impl Observer for Watch {
    fn step(&mut self, report: &StepReport) {
        self.most_contacts = self.most_contacts.max(report.contacts);
    }
}
// ANCHOR_END: observer

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: run
    let overrides = Overrides { set: vec![("count".into(), "60".into())], ..Overrides::default() };
    let mut scene = load("balls-in-box", &overrides)?;
    scene.until = 0.3;
    let folder = std::env::temp_dir().join(format!("signorini-scene-file-{}", std::process::id()));
    let mut run = Run::create(&folder, scene, &overrides, &RunOptions { overwrite: true, ..RunOptions::default() })?;
    let mut watch = Watch::default();
    let ending = run.go(None, &mut watch)?;
    assert_eq!(ending, Ending::Finished);
    println!("{} steps, at most {} contacts", run.simulation().state().step, watch.most_contacts);
    // ANCHOR_END: run
    drop(run);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

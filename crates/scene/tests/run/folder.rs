//! What a run leaves behind.

use crate::support::{Folder, STEPS, scene, start, start_with, steps_without_timings};
use signorini_mechanics::{Energy, Simulation};
use signorini_scene::run::{Ending, Frame, Run, RunError, RunFolder, RunOptions, RunStatus};
use signorini_solver::fclib;
use std::fs;

#[test]
fn the_folder_says_what_the_simulation_did() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut scene_to_run = scene();
    scene_to_run.output.contacts = true;
    assert_eq!(start(&path, scene_to_run).go(None, &mut ()).unwrap(), Ending::Finished);
    let run = RunFolder::open(&path).unwrap();
    let (steps, mut frames) = (run.steps().unwrap(), run.frames().unwrap());
    assert_eq!((steps.len() as u64, frames.len(), run.last_step().unwrap()), (STEPS, STEPS + 1, STEPS));

    // The oracle: the same simulation without any files.
    let scene = scene();
    let mut simulation = Simulation::new(scene.model, scene.settings).unwrap();
    assert_eq!(frames.get(0).unwrap(), Frame::of(simulation.state()));
    let contacts = run.contacts().unwrap().unwrap();
    for (k, row) in steps.iter().enumerate() {
        let report = simulation.step().unwrap();
        assert_eq!(frames.get(k as u64 + 1).unwrap(), Frame::of(simulation.state()));
        let energy = Energy::of(simulation.model(), simulation.state());
        assert_eq!((row.step, row.time, row.contacts), (report.step, report.time, report.contacts));
        assert_eq!((row.kinetic, row.potential), (energy.kinetic, energy.potential));
        assert_eq!(row.natural_map.to_bits(), report.residuals.natural_map.to_bits());
        assert_eq!(row.converged(), report.converged());
        let stored: Vec<_> = contacts.iter().filter(|contact| contact.step == row.step).collect();
        assert_eq!(stored.len(), report.contacts);
        for (stored, force) in stored.iter().zip(simulation.contact_forces()) {
            assert_eq!([stored.fx, stored.fy, stored.fz], force.force.to_array());
            assert_eq!(stored.body_a, simulation.model().bodies()[force.bodies[0].index()].name);
        }
    }
    let manifest = run.manifest();
    assert_eq!((manifest.status, manifest.scene.name.as_str()), (RunStatus::Finished, "small"));
    assert_eq!(manifest.bodies.len(), simulation.model().bodies().len());
    let summary = manifest.summary.clone().unwrap();
    assert_eq!(summary.state_hash, format!("{:016x}", simulation.state().hash()));
    assert_eq!(summary.contacts.max, steps.iter().map(|row| row.contacts).max().unwrap());
    assert!(summary.contacts.max > 0 && summary.steps == STEPS, "{summary:?}");
    assert_eq!(run.checkpoint().unwrap().state, *simulation.state());
}

#[test]
fn equal_shapes_are_stored_once() {
    let folder = Folder::new();
    let run = start_with(&folder.join("a"), scene(), &RunOptions { steps: Some(0), ..RunOptions::default() });
    let manifest = run.manifest();
    let placed: usize = manifest.bodies.iter().map(|body| body.shapes.len()).sum();
    assert!(manifest.shapes.len() < placed, "{} shapes, {placed} placed", manifest.shapes.len());
}

#[test]
fn frames_are_written_every_so_many_steps() {
    let folder = Folder::new();
    let mut thin = scene();
    thin.output.every = 7;
    start(&folder.join("thin"), thin).go(None, &mut ()).unwrap();
    start(&folder.join("full"), scene()).go(None, &mut ()).unwrap();
    let open = |name: &str| RunFolder::open(&folder.join(name)).unwrap().frames().unwrap();
    let (mut thin, mut full) = (open("thin"), open("full"));
    assert_eq!(thin.len(), 1 + STEPS / 7);
    for k in 0..thin.len() {
        assert_eq!(thin.get(k).unwrap(), full.get(7 * k).unwrap());
    }
    assert!(thin.get(thin.len()).is_err());
}

#[test]
fn a_run_is_replaced_only_when_asked_and_other_files_never() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, scene()).go(None, &mut ()).unwrap();
    let first = steps_without_timings(&path);
    fs::write(path.join("notes.txt"), "mine").unwrap();
    let refuse = |overwrite| {
        let options = RunOptions { overwrite, ..RunOptions::default() };
        Run::create(&path, scene(), &Default::default(), &options)
    };
    assert!(matches!(refuse(false), Err(RunError::Exists { .. })));
    let mut again = refuse(true).unwrap();
    assert_eq!(RunFolder::open(&path).unwrap().last_step().unwrap(), 0);
    again.go(None, &mut ()).unwrap();
    assert_eq!(steps_without_timings(&path), first);
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");

    let other = folder.join("b");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("thesis.tex"), "years of work").unwrap();
    for overwrite in [false, true] {
        let options = RunOptions { overwrite, ..RunOptions::default() };
        let outcome = Run::create(&other, scene(), &Default::default(), &options);
        assert!(matches!(outcome, Err(RunError::ForeignFolder { .. })));
    }
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
}

#[test]
fn two_processes_do_not_write_to_one_run() {
    let folder = Folder::new();
    let path = folder.join("a");
    let first = start(&path, scene());
    let second = Run::resume(&path, None, None);
    assert!(matches!(second, Err(RunError::Busy { .. })));
    let options = RunOptions { overwrite: true, ..RunOptions::default() };
    assert!(matches!(Run::create(&path, scene(), &Default::default(), &options), Err(RunError::Busy { .. })));
    drop(first);
    assert!(Run::resume(&path, None, None).is_ok());
}

#[test]
fn the_problem_of_a_step_is_stored_as_the_step_was_given_it() {
    let folder = Folder::new();
    let path = folder.join("a");
    // Just after the start of step 35 (0.35 s): the next one is step 37, from 0.36 s.
    let options = RunOptions { problems_at: vec![0.3501, 0.35], ..RunOptions::default() };
    start_with(&path, scene(), &options).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    for step in [36, 37] {
        let file = fclib::read(&path.join(format!("problem-{step}.hdf5"))).unwrap();
        let row = &run.steps().unwrap()[step - 1];
        assert_eq!(file.problem.contacts(), row.contacts, "step {step}");
        let moving = run.manifest().bodies.iter().filter(|body| !body.fixed).count();
        assert_eq!(file.problem.velocities(), Some(6 * moving));
    }
    assert!(!path.join("problem-35.hdf5").exists());
}

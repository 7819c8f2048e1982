//! Steps without an answer, and problems that cannot be stored.

use crate::support::{Folder, TEXT, scene, start, start_with};
use signorini_mechanics::{Body, Mat3, Model, Vec3};
use signorini_scene::run::{Ending, Run, RunError, RunFolder, RunOptions, RunStatus};
use signorini_scene::{Overrides, parse};

#[test]
fn a_step_that_overflows_ends_the_run_and_keeps_what_was_there() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut model = Model::builder();
    // After some doublings of the speed the numbers overflow.
    model.gravity(Vec3::new(0.0, 0.0, -2e307));
    model.body(Body::new("stone", 1e-3, Mat3::IDENTITY * 1e-3));
    let mut scene = scene();
    scene.model = model.build().unwrap();
    scene.settings.step = 1.0;
    scene.until = 40.0;
    let error = start(&path, scene).go(None, &mut ()).unwrap_err();
    let run = RunFolder::open(&path).unwrap();
    assert_eq!(run.manifest().status, RunStatus::Failed);
    assert_eq!(run.manifest().message.as_deref(), Some(error.to_string().as_str()));
    let last = run.last_step().unwrap();
    assert!(error.to_string().starts_with(&format!("step {} at t = ", last + 1)), "{error}");
    assert_eq!(run.frames().unwrap().len(), last + 1);
    assert_eq!(run.checkpoint().unwrap().state.step, last);
}

#[test]
fn a_problem_that_fclib_cannot_hold_ends_the_run_with_the_reason_and_it_can_go_on() {
    let folder = Folder::new();
    let path = folder.join("a");
    let soft = TEXT.replace("friction = 0.3", "friction = 0.3\nstiffness = 1e6\ndamping = 100");
    let soft = || parse(&soft, "soft.toml", None, &Overrides::default()).unwrap();
    // In free flight there is nothing soft; at rest on the floor there is.
    let options = RunOptions { problems_at: vec![0.0, 0.38], ..RunOptions::default() };
    let error = start_with(&path, soft(), &options).go(None, &mut ()).unwrap_err();
    assert!(matches!(error, RunError::Problem { .. }), "{error}");
    assert!(error.to_string().contains("compliance in FCLIB files"), "{error}");
    assert!(path.join("problem-1.hdf5").exists());
    let run = RunFolder::open(&path).unwrap();
    assert_eq!((run.manifest().status, run.last_step().unwrap()), (RunStatus::Failed, 38));
    assert_eq!(Run::resume(&path, None, None).unwrap().go(None, &mut ()).unwrap(), Ending::Finished);
}

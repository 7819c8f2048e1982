//! Steps without an answer.

use crate::support::{Folder, scene, start};
use signorini_mechanics::{Body, Mat3, Model, Vec3};
use signorini_scene::run::{RunFolder, RunStatus};

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

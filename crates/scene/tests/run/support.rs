//! A small scene, and folders to run it in.

use signorini_scene::run::{Run, RunOptions};
use signorini_scene::{Overrides, Scene, parse};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Eight balls fall on a floor beside a swinging arm; a name needs quotes in CSV files.
pub(crate) const TEXT: &str = r#"
signorini = 1
title = "Balls and a pendulum"

[parameters]
layers = 2

[run]
until = 0.4

[stepper]
step = 0.01

[materials.stone]
friction = 0.3

[bodies."floor, the"]
fixed = true
shape = { type = "half-space" }

[bodies.arm]
shape = { type = "cuboid", size = [0.4, 0.05, 0.05] }
density = 1000
position = [1.2, 0, 1]

[joints.hinge]
type = "revolute"
bodies = ["floor, the", "arm"]
point = [1, 0, 1]
axis = [0, 1, 0]

[[populate]]
name = "ball"
pattern = "grid"
count = [2, 2, "=layers"]
spacing = 0.195
origin = [0, 0, 0.3]
jitter = 0.02
shape = { type = "sphere", radius = 0.08 }
density = 1000
"#;

pub(crate) const STEPS: u64 = 40;

pub(crate) fn scene() -> Scene {
    parse(TEXT, "small.toml", None, &Overrides::default()).unwrap()
}

/// A folder of its own for one test, removed at its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("run-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn start(folder: &Path, scene: Scene) -> Run {
    start_with(folder, scene, &RunOptions::default())
}

pub(crate) fn start_with(folder: &Path, scene: Scene, options: &RunOptions) -> Run {
    Run::create(folder, scene, &Overrides::default(), options).unwrap()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => assert!(fs::copy(&path, &target).is_ok()),
        }
    }
}

/// steps.csv without its timings, the last three columns.
pub(crate) fn steps_without_timings(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("steps.csv")).unwrap();
    text.lines().map(|line| line.rsplitn(4, ',').last().unwrap().to_owned()).collect()
}

//! Runs to show.

use crate::decoder::Page;
use signorini_scene::run::{Run, RunOptions};
use signorini_scene::{Overrides, load, parse};
use signorini_view::{PageOptions, PageReport, Recording, ViewError, write_page};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("view-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A copy that may be damaged.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::new();
        for entry in fs::read_dir(&self.0).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), copy.0.join(entry.file_name())).unwrap();
            }
        }
        copy
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn show(&self, options: &PageOptions) -> Result<(PageReport, Page), ViewError> {
        let mut recording = Recording::open(&self.0)?;
        let file = self.file("view.html");
        let report = write_page(&mut recording, options, &file, &mut |_, _| true)?;
        let html = fs::read_to_string(&file).unwrap();
        assert_eq!(html.len() as u64, report.bytes);
        Ok((report, Page::read(&html)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const BALLS: &str = r#"signorini = 1
title = "Balls </script><b> & a pendulum"
[run]
until = 0.3
[stepper]
step = 0.01
[materials.stone]
friction = 0.3
[bodies.floor]
fixed = true
shape = { type = "half-space" }
[bodies.arm]
shape = { type = "cuboid", size = [0.4, 0.05, 0.05] }
density = 1000
position = [1.2, 0, 1]
[joints.hinge]
type = "revolute"
bodies = ["floor", "arm"]
point = [1, 0, 1]
axis = [0, 1, 0]
[[populate]]
name = "ball"
pattern = "grid"
count = [2, 2, 2]
spacing = 0.195
origin = [0, 0, 0.2]
jitter = 0.01
shape = { type = "sphere", radius = 0.08 }
density = 1000
"#;

/// Eight balls fall on a floor beside a swinging arm.
pub(crate) fn balls() -> Folder {
    let folder = Folder::new();
    let overrides = Overrides::default();
    let mut scene = parse(BALLS, "balls", None, &overrides).unwrap();
    (scene.output.contacts, scene.output.forces) = (true, true);
    let options = RunOptions { overwrite: true, ..RunOptions::default() };
    Run::create(&folder.0, scene, &overrides, &options).unwrap().go(None, &mut ()).unwrap();
    folder
}

/// A scene of the gallery, a few steps.
pub(crate) fn gallery(name: &str, steps: u64) -> Folder {
    let folder = Folder::new();
    let overrides = Overrides::default();
    let mut scene = load(name, &overrides).unwrap();
    scene.output.every = 1;
    let options = RunOptions { overwrite: true, steps: Some(steps), ..RunOptions::default() };
    Run::create(&folder.0, scene, &overrides, &options).unwrap().go(None, &mut ()).unwrap();
    folder
}

//! Folders that are not what they should be.

use crate::support::{Folder, scene, start};
use signorini_scene::run::{Run, RunFolder};
use std::fs;
use std::path::Path;

fn message(path: &Path) -> String {
    match Run::resume(path, None, None) {
        Ok(_) => "resumed".into(),
        Err(error) => error.to_string(),
    }
}

fn finished(folder: &Folder) -> std::path::PathBuf {
    let path = folder.join("a");
    let mut scene = scene();
    scene.until = 0.05;
    start(&path, scene).go(None, &mut ()).unwrap();
    path
}

#[test]
fn a_folder_without_a_run_is_named() {
    let folder = Folder::new();
    let missing = folder.join("nothing");
    assert!(RunFolder::open(&missing).unwrap_err().to_string().ends_with("is no run folder: it has no run.json"));
}

#[test]
fn another_version_is_refused() {
    let folder = Folder::new();
    let path = finished(&folder);
    let file = path.join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"format\": 3", "\"format\": 4", 1)).unwrap();
    assert!(message(&path).ends_with("run.json has format 4, expected 3"), "{}", message(&path));
    fs::write(&file, "{}").unwrap();
    assert!(message(&path).ends_with("run.json is damaged: it has no format number"), "{}", message(&path));
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    assert!(message(&path).contains("run.json is damaged: EOF"), "{}", message(&path));
}

#[test]
fn damaged_files_are_named() {
    let folder = Folder::new();
    let path = finished(&folder);
    let spoil = |name: &str, spoiled: &[u8], expected: &str| {
        let file = path.join(name);
        let good = fs::read(&file).unwrap();
        fs::write(&file, spoiled).unwrap();
        assert!(message(&path).contains(expected), "{name}: {}", message(&path));
        fs::write(&file, good).unwrap();
    };
    let checkpoint = fs::read(path.join("checkpoint.bin")).unwrap();
    let mut flipped = checkpoint.clone();
    flipped[100] ^= 1;
    spoil("checkpoint.bin", &flipped, "its checksum does not fit");
    spoil("checkpoint.bin", b"", "it does not start with SIGNCKPT");
    let trajectory = fs::read(path.join("trajectory.bin")).unwrap();
    spoil("trajectory.bin", &trajectory[..50], "trajectory.bin is damaged: it has 50 bytes, expected at least");
    let steps = fs::read_to_string(path.join("steps.csv")).unwrap();
    spoil("steps.csv", steps.replacen("\n3,", "\n4,", 1).as_bytes(), "line 4 is of step 4, expected 3");
    spoil("steps.csv", steps.replacen("step,", "stride,", 1).as_bytes(), "its first line is not that of a steps.csv");
    let four = steps.lines().take(4).collect::<Vec<_>>().join("\n");
    spoil("steps.csv", four.as_bytes(), "it has 2 steps, the checkpoint has 5");
    fs::remove_file(path.join("checkpoint.bin")).unwrap();
    assert!(message(&path).contains("cannot read") && message(&path).contains("checkpoint.bin"));
}

#[test]
fn a_scene_that_gives_another_model_is_refused() {
    let folder = Folder::new();
    let path = finished(&folder);
    let file = path.join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("radius = 0.08"));
    fs::write(&file, text.replace("radius = 0.08", "radius = 0.07")).unwrap();
    assert!(message(&path).contains("the scene gives another model than the one that was run"), "{}", message(&path));
}

//! Every kind of joint, force, shape and motion of the gallery survives a stop.

use crate::support::Folder;
use signorini_scene::run::{Ending, Run, RunOptions};
use signorini_scene::{Overrides, gallery, load};

/// Parameters that say how many bodies there are, and what is enough.
const ENOUGH: [(&str, f64); 5] = [("count", 50.0), ("layers", 5.0), ("rows", 5.0), ("columns", 5.0), ("storeys", 3.0)];

/// Scenes of many bodies are run with few.
fn overrides(name: &str) -> Overrides {
    let scene = load(name, &Overrides::default()).unwrap();
    let is_large =
        |name: &str, enough: f64| scene.parameters.iter().any(|(known, value)| known == name && *value > enough);
    let large = ENOUGH.iter().filter(|(name, enough)| is_large(name, *enough));
    Overrides {
        set: large.map(|(name, enough)| ((*name).to_owned(), enough.to_string())).collect(),
        seed: Some(3),
        stepper: None,
    }
}

#[test]
fn every_scene_of_the_gallery_is_resumed_to_the_same_bits() {
    let folder = Folder::new();
    for entry in gallery::list() {
        let overrides = overrides(entry.name);
        let run = |out: &str, steps: u64| {
            let options = RunOptions { steps: Some(steps), ..RunOptions::default() };
            let scene = load(entry.name, &overrides).unwrap();
            let path = folder.join(&format!("{}-{out}", entry.name));
            let mut run = Run::create(&path, scene, &overrides, &options).unwrap();
            assert_eq!(run.go(None, &mut ()).unwrap(), Ending::Finished, "{}", entry.name);
            (path, run.simulation().state().hash())
        };
        let (_, whole) = run("whole", 4);
        let (parts, _) = run("parts", 2);
        let mut resumed = Run::resume(&parts, Some(4), None).unwrap();
        resumed.go(None, &mut ()).unwrap();
        assert_eq!(resumed.simulation().state().hash(), whole, "{}", entry.name);
    }
}

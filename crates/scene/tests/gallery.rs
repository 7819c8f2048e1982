//! Every scene of the gallery loads, is what its header says, and can be stepped.

use signorini_mechanics::{Settings, Simulation};
use signorini_scene::{Overrides, Scene, gallery, load};
use signorini_solver::FrictionLaw;

/// Long enough for most falling things to land.
const STEPS: u32 = 40;

/// Parameters that make large scenes small enough to step in a test.
fn small(name: &str) -> Overrides {
    let set: &[(&str, &str)] = match name {
        "balls-in-box" | "balls-in-box-frictionless" | "spheres-in-cylinder" | "spheres-under-mass" | "pebble-bed" => {
            &[("count", "60")]
        }
        "hopper" | "rotating-drum" => &[("count", "40")],
        "brick-wall" => &[("columns", "4"), ("rows", "4")],
        "plank-tower" => &[("layers", "5")],
        "card-tower" => &[("storeys", "2")],
        "dominoes" => &[("count", "4")],
        "three-point-bending" => &[("width", "2")],
        "net-catches-ball" => &[("meshes", "6")],
        "rolling-ring" => &[("cells", "16")],
        _ => &[],
    };
    Overrides {
        set: set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        ..Overrides::default()
    }
}

#[test]
fn every_scene_loads_and_its_title_is_the_listed_one() {
    for entry in gallery::list() {
        let scene = load(entry.name, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(scene.title, entry.title);
        assert_eq!(scene.name, entry.name);
        assert!(entry.text.starts_with("# "), "{}: no header", entry.name);
        assert!(scene.model.moving() + scene.model.flexible().len() > 0 && scene.steps() > 0);
        let warned = !scene.warnings.is_empty();
        assert_eq!(warned, entry.name == "jammed-box", "{}: {:?}", entry.name, scene.warnings);
    }
}

#[test]
fn scenes_are_listed_in_order() {
    assert!(gallery::list().windows(2).all(|pair| pair[0].name < pair[1].name));
}

#[test]
fn sizes_are_those_the_headers_promise() {
    let moving = |name| load(name, &Overrides::default()).unwrap().model.moving();
    assert_eq!(moving("balls-in-box"), 1024);
    assert_eq!(moving("balls-in-box-frictionless"), 1190);
    assert_eq!(moving("brick-wall"), 410 + 1);
    assert_eq!(moving("plank-tower"), 400);
    assert_eq!(moving("card-tower"), 155);
    assert_eq!(moving("pebble-bed"), 800);
}

#[test]
fn every_scene_meets_its_tolerance_under_its_own_law_and_under_coulombs() {
    for entry in gallery::list() {
        let own = load_small(entry.name).settings.friction;
        for law in [own, FrictionLaw::Exact] {
            let scene = load_small(entry.name);
            // Pyramids and the stopping rules of the papers belong to the convex law.
            if law != own && (scene.settings.facets.is_some() || entry.name == "balls-in-box-frictionless") {
                continue;
            }
            let settings = Settings { friction: law, ..scene.settings };
            let mut simulation = Simulation::new(scene.model, settings).unwrap();
            for _ in 0..STEPS {
                let report = simulation.step().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
                assert!(report.converged(), "{}, {law:?}: {report:?}", entry.name);
            }
        }
    }
}

fn load_small(name: &str) -> Scene {
    load(name, &small(name)).unwrap_or_else(|errors| panic!("{errors}"))
}

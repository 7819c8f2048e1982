//! Beams of scene files: closed forms, names of nodes, messages.

use glam::DVec3;
use signorini_mechanics::Simulation;
use signorini_mechanics::State;
use signorini_mechanics::analysis::{EquilibriumSettings, static_equilibrium};
use signorini_scene::{Overrides, Scene, SceneErrors, load, parse};
use std::f64::consts::TAU;

fn gallery(name: &str, set: &[(&str, &str)]) -> Scene {
    let set = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    load(name, &Overrides { set, ..Overrides::default() }).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Where the nodes of a beam are when the scene has run.
fn run(scene: Scene, beam: &str) -> Vec<DVec3> {
    let steps = scene.steps();
    let prefix = format!("{beam}/");
    let bodies = scene.model.bodies().iter().enumerate();
    let nodes: Vec<usize> = bodies.filter(|(_, body)| body.name.starts_with(&prefix)).map(|(index, _)| index).collect();
    let mut simulation = Simulation::new(scene.model, scene.settings).expect("an answer");
    for _ in 0..steps {
        let report = simulation.step().expect("an answer");
        assert!(report.converged(), "{report:?}");
    }
    nodes.iter().map(|&node| simulation.state().poses[node].position).collect()
}

#[test]
fn a_cantilever_comes_to_rest_at_the_closed_form() {
    // F L³/3EI + F L/κGA.
    let inertia = 0.02 * 0.01_f64.powi(3) / 12.0;
    let shear = 210e9 / 2.6 * (5.0 / 6.0) * 0.02 * 0.01;
    for (force, elements, tolerance) in [(10.0, 8, 1e-3), (0.1, 8, 1e-6), (0.1, 1, 1e-6)] {
        let exact = -force * (1.0 / (3.0 * 210e9 * inertia) + 1.0 / shear);
        let set = [("force", force.to_string()), ("elements", elements.to_string())];
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let tip = run(gallery("beam-cantilever", &set), "bar")[elements];
        println!("{force} N, {elements} elements: {:.9} m, closed form {exact:.9} m", tip.z);
        assert!((tip.z / exact - 1.0).abs() < tolerance, "{tip} {exact}");
    }
}

#[test]
fn a_strip_is_rolled_into_a_ring_or_part_of_one() {
    for turns in [1.0, 0.5, 0.25] {
        let nodes = run(gallery("beam-rollup", &[("turns", &turns.to_string())]), "strip");
        let radius = 1.0 / (TAU * turns);
        let last = nodes.len() - 1;
        let distance = |k: usize| {
            let phi = TAU * turns * k as f64 / last as f64;
            (nodes[k] - DVec3::new(radius * phi.sin(), 0.0, radius * (1.0 - phi.cos()))).length()
        };
        let worst = (0..=last).map(distance).fold(0.0, f64::max);
        println!("{turns} turns: tip off by {:.1e} m, worst node by {worst:.1e} m of 1 m", distance(last));
        assert!(worst < 0.01, "{turns}: {worst}");
    }
}

/// A scene with a beam of two elements and more lines: those of the beam from line 4, others from line 9.
fn with(beam: &str, more: &str) -> String {
    format!(
        "signorini = 1\n[[beam]]\nname = \"arm\"\n{beam}\nyoung = 1e9\ndensity = 1000\n\
         section = {{ circle = 0.01 }}\nclamp = [\"start\"]\n{more}"
    )
}

const LINE: &str = "points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]";

#[test]
fn joints_and_forces_refer_to_nodes_by_number_and_to_ends_by_name() {
    let more = "[joints.hinge]\ntype = \"revolute\"\nbodies = [\"world\", \"arm/end\"]\npoint = [2, 0, 0]\naxis = [0, 1, 0]\n\
                [forces.push]\ntype = \"load\"\nbody = \"arm/1\"\nforce = [0, 0, -1]\n[[exclude]]\nbodies = [\"arm/start\", \"arm/2\"]";
    let scene =
        parse(&with(LINE, more), "a.toml", None, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let names: Vec<&str> = scene.model.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["arm/0", "arm/1", "arm/2", "world"]);
    assert_eq!(scene.model.excluded(), [(0, 2)]);
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let found = static_equilibrium(&scene.model, &State::start_of(&scene.model), &EquilibriumSettings::default())
        .expect("an answer");
    assert!(found.state.poses[1].position.z < 0.0);
    assert!((found.state.poses[2].position - DVec3::X * 2.0).length() < 1e-9);
}

#[test]
fn mistakes_have_a_place_and_the_nearest_name() {
    let assert_only = |text: String, line: usize, message: &str| {
        let SceneErrors(found) = parse(&text, "a.toml", None, &Overrides::default()).expect_err("errors");
        assert_eq!(found.len(), 1, "{text}\n{found:#?}");
        let said = format!("{} | {}", found[0].message, found[0].hint.clone().unwrap_or_default());
        assert!(
            said.contains(message) && found[0].line == line,
            "{text}\n{} {said}\nexpected: {message}",
            found[0].line
        );
    };
    let same = "points = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]";
    assert_only(with(same, ""), 2, "beam `arm`: points 1 and 2 are both at [1.0, 0.0, 0.0]");
    assert_only(with("points = [[0, 0, 0]]", ""), 4, "has 1 points, expected at least 2");
    assert_only(with("from = [0, 0, 0]", ""), 2, "`from` and `to` belong together");
    assert_only(with("divisions = 3", ""), 2, "expected one of `points`, `from` and `to`, and `arc`");
    assert_only(with(&format!("{LINE}\ndivisions = 0"), ""), 5, "expected a whole number from 1");
    assert_only(with(&format!("{LINE}\ndivisions = 1e6"), ""), 2, "expected at most");
    assert_only(with(&format!("{LINE}\npoisson = 0.5"), ""), 5, "is 0.5, expected a number > -1 and < 0.5");
    assert_only(with(&format!("{LINE}\npoison = 0.4"), ""), 5, "did you mean `poisson`?");
    assert_only(with(&format!("{LINE}\ntheory = \"euler\""), ""), 5, "did you mean `euler-bernoulli`?");
    assert_only(with(&format!("{LINE}\ndamping = 0.1"), ""), 5, "expected two numbers");
    assert_only(with(&format!("{LINE}\nup = [1, 0, 0]"), ""), 2, "along element 0");
    assert_only(with(&format!("{LINE}\nskin = {{ radius = 0 }}"), ""), 5, "expected a number of metres > 0");
    let load = "[forces.push]\ntype = \"load\"\nbody = \"arm/3\"\nforce = [0, 0, 1]";
    assert_only(with(LINE, load), 11, "names the unknown body \"arm/3\"");
    let arc = "arc = { centre = [0, 0, 0], axis = [0, 0, 1], start = [1, 0, 0] }";
    assert_only(with(arc, ""), 4, "needs one of `angle` (radians) and `angle-degrees`");
    let section = with(LINE, "").replace("circle = 0.01", "tube = [0.01, 0.02]");
    assert_only(section, 7, "inner radius of the section is 0.02");
    assert_only(with(LINE, "").replace("circle", "square"), 7, "unknown field `square`");
    assert_only(with(LINE, "").replace("[\"start\"]", "[\"begin\"]"), 8, "allowed: end, start");
    let twice = with(
        LINE,
        "[[beam]]\nname = \"arm\"\nfrom = [0, 1, 0]\nto = [1, 1, 0]\nyoung = 1\ndensity = 1\nsection = { circle = 1 }",
    );
    let SceneErrors(found) = parse(&twice, "a.toml", None, &Overrides::default()).expect_err("errors");
    assert!(found.iter().any(|error| error.message.contains("a body called `arm/0` exists already")), "{found:#?}");
}

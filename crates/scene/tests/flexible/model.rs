//! What is read is what is built.

use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleLoad, Link, MassMatrix, StressLaw, Structure};
use signorini_mechanics::{Model, Vec3};
use signorini_scene::{Overrides, Scene, parse};
use std::path::Path;

const HEAD: &str = "signorini = 1\n[materials.m]\nfriction = 0.4\n";

fn scene(text: &str) -> Scene {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    parse(&format!("{HEAD}{text}"), "a.toml", Some(&data), &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn solid(model: &Model, name: &str) -> (usize, ElementKind, StressLaw, MassMatrix, f64) {
    let body = &model.flexible()[model.flexible_named(name).expect("as the test has it").index()];
    let Structure::Solid { mesh, law, mass } = &body.structure else { panic!("{name}") };
    (mesh.element_count(), mesh.kind, *law, *mass, mesh.volume())
}

#[test]
fn every_mesh_is_made_where_it_is_placed() {
    let body = |name: &str, mesh: &str| {
        format!(
            "[[flexible]]\nname = \"{name}\"\nmesh = {mesh}\nposition = [5, 0, 0]\nrotation = {{ axis = [0, 0, 1], angle-degrees = 90 }}\n\
             young = 1e6\ndensity = 1000\n"
        )
    };
    let scene = scene(
        &[
            body("box", "{ box = [1, 2, 3], divisions = [1, 2, 3], element = \"hex8\" }"),
            body("usual", "{ box = [1, 2, 3], divisions = [1, 1, 1] }"),
            body("cylinder", "{ cylinder = [0.5, 2], divisions = [4, 2, 3], element = \"tet10\", curved = true }"),
            body("tube", "{ tube = [0.5, 1, 2], divisions = [24, 1, 2], element = \"tet4\" }"),
            body("file", "{ file = \"part.msh\", scale = [1, 2, 0.5] }"),
            body("finer", "{ file = \"part.msh\", element = \"tet10\" }"),
        ]
        .concat(),
    );
    let of = |name| solid(&scene.model, name);
    let (law, mass) = (StressLaw::Corotational, MassMatrix::Lumped);
    assert_eq!(of("box"), (6, ElementKind::Hex8, law, mass, of("box").4));
    assert_eq!((of("usual").0, of("usual").1), (5, ElementKind::Tet10));
    assert!((of("box").4 - 6.0).abs() < 1e-12 && (of("file").4 - 1.0).abs() < 1e-12);
    assert!((of("cylinder").4 - std::f64::consts::PI / 2.0).abs() < 2e-3, "{}", of("cylinder").4);
    assert!((of("tube").4 / (std::f64::consts::PI * 1.5) - 1.0).abs() < 0.02, "{}", of("tube").4);
    assert_eq!((of("file").1, of("finer").1), (ElementKind::Tet4, ElementKind::Tet10));
    // A quarter turn about z: what was along x is along y.
    let nodes = scene.model.flexible()[0].nodes();
    let low = nodes.iter().fold(Vec3::INFINITY, |low, node| low.min(*node));
    assert!((low - Vec3::new(4.0, -0.5, -1.5)).length() < 1e-12, "{low}");
}

#[test]
fn sets_and_selections_find_their_nodes() {
    let fixed = |selection: &str| {
        let text = format!(
            "[[flexible]]\nname = \"b\"\nmesh = {{ box = [4, 1, 1], divisions = [4, 1, 1], element = \"hex8\" }}\nyoung = 1e6\ndensity = 1\n\
             position = [2, 0, 10]\nfixed = {selection}\n"
        );
        let scene = scene(&text);
        let body = &scene.model.flexible()[0];
        body.fixed.iter().map(|node| body.nodes()[*node as usize]).collect::<Vec<_>>()
    };
    assert_eq!(fixed("\"x-min\"").len(), 4);
    assert!(fixed("\"x-min\"").iter().all(|node| node.x.abs() < 1e-12));
    assert_eq!(fixed("[\"x-min\", \"z-max\"]").len(), 4 + 10 - 2);
    // On the sides of the box counts as inside, whatever the order of its corners.
    assert_eq!(fixed("{ box = [[1, -0.5, 9.5], [0, 0.5, 10.5]] }").len(), 8);
    assert_eq!(fixed("{ plane = { point = [3, 0, 0], normal = [-2, 0, 0] } }").len(), 4);
    assert_eq!(fixed("{ plane = { point = [3, 0, 0], normal = [1, 0, 0], tolerance = 1.01 } }").len(), 12);
    assert_eq!(fixed("{ nearest = [9, 9, 99] }"), [Vec3::new(4.0, 0.5, 10.5)]);
}

#[test]
fn loads_on_faces_are_shared_by_area_and_on_nodes_equally() {
    let scene = scene(
        "[[flexible]]\nname = \"b\"\nmesh = { box = [2, 1, 1], divisions = [2, 1, 1], element = \"hex8\" }\nyoung = 1e6\ndensity = 1\n\
         [forces.a]\ntype = \"load\"\nflexible = \"b\"\nfaces = \"z-max\"\nforce = [0, 0, -8]\n\
         [forces.b]\ntype = \"load\"\nflexible = \"b\"\nnodes = \"z-max\"\nforce = [0, 0, -6]\n\
         [forces.c]\ntype = \"pressure\"\nflexible = \"b\"\nfaces = [\"x-min\", \"x-max\"]\npressure = 3\n",
    );
    let loads = scene.model.flexible_loads();
    let FlexibleLoad::Nodes { nodes, .. } = &loads[0].1 else { panic!() };
    // The middle nodes have the triangles of both cells; all of it is the area of the side.
    assert_eq!(nodes.len(), 6);
    assert!((nodes.iter().map(|(_, share)| share).sum::<f64>() - 2.0).abs() < 1e-12);
    let FlexibleLoad::Nodes { nodes, .. } = &loads[1].1 else { panic!() };
    assert!(nodes.iter().all(|(_, share)| *share == 1.0));
    let FlexibleLoad::Pressure { faces, pressure, .. } = &loads[2].1 else { panic!() };
    assert_eq!((faces.len(), *pressure), (2, 3.0));
}

#[test]
fn skins_links_and_exclusions_are_those_of_the_file() {
    let text = |contact: &str| {
        format!(
            "[bodies.hub]\nshape = {{ type = \"sphere\", radius = 0.1 }}\nmass = 1\n[[flexible]]\nname = \"tyre\"\n\
             mesh = {{ tube = [0.2, 0.3, 0.1], divisions = [8, 1, 1], element = \"tet4\" }}\nyoung = 1e6\ndensity = 1000\n\
             law = \"neo-hookean\"\nmass = \"consistent\"\n{contact}[[link]]\nflexible = \"tyre\"\nfaces = \"inner\"\nto = \"hub\"\n\
             kind = \"distributed\"\n"
        )
    };
    let rich = scene(&text("material = \"m\"\nmargin = 0.01\nself-contact = true\nskin = \"outer\"\n"));
    let body = &rich.model.flexible()[0];
    let skin = body.skin.as_ref().unwrap();
    assert_eq!((skin.margin, skin.touches_itself, skin.face_set.as_deref()), (0.01, true, Some("outer")));
    assert_eq!(solid(&rich.model, "tyre").2, StressLaw::NeoHookean);
    assert_eq!(solid(&rich.model, "tyre").3, MassMatrix::Consistent);
    // Linked bodies do not touch unless told to: rigid body 0 and the first flexible one, number 1.
    assert_eq!(rich.model.excluded(), [(0, 1)]);
    let (name, Link::Distributed { nodes, .. }) = &rich.model.links()[0] else { panic!() };
    assert_eq!((name.as_str(), nodes.len()), ("link-0", 16));
    assert!(scene(&text("contact = false\n")).model.flexible()[0].skin.is_none());
    let usual = scene(&text(""));
    assert_eq!(usual.model.flexible()[0].skin.as_ref().unwrap().face_set, None);
}

#[test]
fn cables_run_through_their_points_and_nets_have_knots_and_triangles() {
    let scene = scene(
        "[[cable]]\nname = \"rope\"\npoints = [[0, 0, 0], [1, 0, 0], [1, 2, 0]]\ndivisions = 4\nradius = 0.1\nyoung = 1e6\ndensity = 500\n\
         slack = 0.5\nfixed = [\"start\", \"end\"]\n\
         [[cable]]\nname = \"net\"\nnet = { size = [3, 2], divisions = [3, 2] }\nposition = [0, 0, 1]\nradius = 0.01\nyoung = 1e6\ndensity = 500\n\
         fixed = \"rim\"\n",
    );
    let [rope, net] = scene.model.flexible() else { panic!() };
    let Structure::Cables { nodes, cables, area, slack, skin } = &rope.structure else { panic!() };
    assert_eq!((nodes.len(), cables.len(), *slack, skin.len()), (9, 8, 0.5, 0));
    assert!((area - std::f64::consts::PI * 0.01).abs() < 1e-15);
    assert_eq!((nodes[4], rope.fixed.as_slice(), &rope.skin), (Vec3::X, &[0, 8][..], &None));
    let Structure::Cables { nodes, cables, skin, .. } = &net.structure else { panic!() };
    assert_eq!((nodes.len(), cables.len(), skin.len()), (12, 3 * 3 + 4 * 2, 2 * 6));
    assert_eq!(net.fixed.len(), 10);
    assert_eq!(net.skin.as_ref().unwrap().margin, 0.01);
    // Triangles face up.
    for [a, b, c] in skin.iter().map(|triangle| triangle.map(|node| nodes[node as usize])) {
        assert!((b - a).cross(c - a).z > 0.0);
    }
    // A rope's mass is that of its length before it was drawn tight: rest lengths are half.
    let mass: f64 = scene.model.node_masses()[..9].iter().sum();
    assert!((mass - 500.0 * std::f64::consts::PI * 0.01 * 3.0 * 0.5).abs() < 1e-9, "{mass}");
}

//! What looks wrong with a mesh is named when its scene is read, with its file and places; what is right is not.

use glam::DVec3;
use signorini_mechanics::Simulation;
use signorini_scene::{Overrides, Scene, parse};
use std::fmt::Write;
use std::path::{Path, PathBuf};

type Triangles = Vec<[DVec3; 3]>;

/// A box whose faces are numbered −x, +x, −y, +y, −z, +z, two triangles each, outwards.
fn cuboid(low: DVec3, high: DVec3) -> Triangles {
    let corner = |i: usize| {
        DVec3::new(
            if i & 1 == 1 { high.x } else { low.x },
            if i & 2 == 2 { high.y } else { low.y },
            if i & 4 == 4 { high.z } else { low.z },
        )
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
}

fn cube() -> Triangles {
    cuboid(DVec3::ZERO, DVec3::splat(2.0))
}

fn reversed(triangles: Triangles) -> Triangles {
    triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect()
}

fn terrain(cells: usize) -> Triangles {
    let place = |i: usize, j: usize| {
        let (x, y) = (0.5 * i as f64, 0.5 * j as f64);
        DVec3::new(x, y, 0.2 * (0.7 * x).sin() * (0.4 * y).cos())
    };
    let cell = |i: usize, j: usize| {
        let [a, b, c, d] = [place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..cells).flat_map(|j| (0..cells).flat_map(move |i| cell(i, j))).collect()
}

/// Writes an OBJ file and gives its folder.
fn folder_with(file: &str, triangles: &Triangles) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mesh-warnings");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut text = String::new();
    for corner in triangles.iter().flatten() {
        writeln!(text, "v {} {} {}", corner.x, corner.y, corner.z).expect("a text");
    }
    for t in 0..triangles.len() {
        writeln!(text, "f {} {} {}", 3 * t + 1, 3 * t + 2, 3 * t + 3).expect("a text");
    }
    std::fs::write(folder.join(file), text).expect("a file");
    folder
}

fn scene(file: &str, triangles: &Triangles, body: &str) -> Scene {
    let folder = folder_with(file, triangles);
    let text = format!(
        "signorini = 1\ngravity = [0, 0, -9.81]\n[bodies.bowl]\n{body}\nshape = {{ type = \"mesh\", file = \"{file}\" }}\n"
    );
    parse(&text, "a.toml", Some(&folder), &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn warnings(file: &str, triangles: &Triangles) -> Vec<String> {
    let scene = scene(file, triangles, "fixed = true");
    // The folder of the file stands before its name.
    let short = |warning: &String| match warning.split_once(file) {
        Some((before, after)) => {
            let shape = before.split(": ").next().unwrap_or(before);
            format!("{shape}: {file}{after}")
        }
        None => warning.clone(),
    };
    scene.warnings.iter().map(short).collect()
}

#[test]
fn a_fixed_mesh_that_is_inside_out_is_named() {
    let found = warnings("inverted.obj", &reversed(cube()));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0],
        "bodies.bowl.shape: inverted.obj is inside out: its volume is -8.000e0 m³; it holds bodies within it, \
         and lets in what comes from outside; if it is to be solid, reverse its triangles"
    );
    let far = reversed(cuboid(DVec3::X * 10.0, DVec3::new(11.0, 1.0, 1.0)));
    let found = warnings("one-of-two.obj", &[cube(), far].concat());
    assert_eq!(found.len(), 1, "{found:?}");
    let start = "bodies.bowl.shape: one-of-two.obj has 1 of 2 closed pieces inside out, the first around \
        [10, 0.333333, 0.666667] m, -1.000e0 m³; ";
    assert!(found[0].starts_with(start), "{found:?}");
}

#[test]
fn rooms_terrains_cups_and_solids_are_not_named() {
    let shell = cuboid(DVec3::splat(-0.1), DVec3::splat(2.1));
    assert_eq!(warnings("room.obj", &[shell, reversed(cube())].concat()), [""; 0]);
    assert_eq!(warnings("cube.obj", &cube()), [""; 0]);
    assert_eq!(warnings("terrain.obj", &terrain(30)), [""; 0]);
    assert_eq!(warnings("cell.obj", &terrain(1)), [""; 0]);
    // A box without its lid, and one that faces inwards.
    assert_eq!(warnings("open.obj", &cube()[..10].to_vec()), [""; 0]);
    assert_eq!(warnings("open-room.obj", &reversed(cube()[..10].to_vec())), [""; 0]);
}

#[test]
fn holes_are_counted_with_the_place_of_the_first() {
    let mut holed = cube();
    holed.remove(0);
    let found = warnings("holed.obj", &holed);
    assert_eq!(found.len(), 1, "{found:?}");
    let start = "bodies.bowl.shape: holed.obj has 1 hole: 3 of 18 edges are open, the first from ";
    assert!(found[0].starts_with(start), "{found:?}");
    // All of its corners are corners of the cube with x = 0.
    let place = found[0][start.len()..].split(']').next().unwrap_or("");
    assert!(place.starts_with("[0, "), "{found:?}");
}

#[test]
fn triangles_that_face_opposite_ways_and_crowded_edges_are_named() {
    let mut mixed = cube();
    mixed[0].swap(0, 1);
    let found = warnings("mixed.obj", &mixed);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("has 3 edges whose two triangles face opposite ways, the first from ["), "{found:?}");
    let fin = [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(1.0, -1.0, -1.0)];
    let found = warnings("fin.obj", &[cube(), vec![fin]].concat());
    let crowded = found.iter().find(|warning| warning.contains("more than two triangles"));
    let crowded = crowded.unwrap_or_else(|| panic!("{found:?}"));
    assert!(
        crowded.contains("has 1 edge with more than two triangles, the first from [0, 0, 0] to [2, 0, 0] m"),
        "{crowded}"
    );
}

#[test]
fn seams_and_crossings_are_named_with_their_places() {
    let coarse = vec![
        [DVec3::NEG_X, DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0)],
        [DVec3::NEG_X, DVec3::new(0.0, 2.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)],
    ];
    let found = warnings("seam.obj", &[coarse, flat(1, 2)].concat());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("has 1 vertex on the rim of other triangles, the first at [0, 1, 0] m on the edge"),
        "{found:?}"
    );
    let found =
        warnings("crossing.obj", &[cube(), cuboid(DVec3::new(1.0, 0.5, 0.5), DVec3::new(3.0, 1.5, 1.3))].concat());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("crossing.obj crosses itself: ")
            && found[0].contains(" pairs of triangles, the first around ["),
        "{found:?}"
    );
}

/// Unit cells in the plane z = 0.
fn flat(columns: usize, rows: usize) -> Triangles {
    let cell = |i: usize, j: usize| {
        let p = |i: usize, j: usize| DVec3::new(i as f64, j as f64, 0.0);
        [[p(i, j), p(i + 1, j), p(i + 1, j + 1)], [p(i, j), p(i + 1, j + 1), p(i, j + 1)]]
    };
    (0..rows).flat_map(|j| (0..columns).flat_map(move |i| cell(i, j))).collect()
}

#[test]
fn a_floor_that_faces_down_is_named_and_one_that_is_turned_up_again_is_not() {
    let found = warnings("down.obj", &reversed(terrain(10)));
    let expected = "the triangles of the mesh of `bowl` face down: what lies on top of it falls through; \
        reverse them if it is a floor";
    assert_eq!(found, [expected]);
    let turned = "fixed = true\nrotation = { axis = [1, 0, 0], angle-degrees = 180 }";
    assert_eq!(scene("turned.obj", &reversed(terrain(10)), turned).warnings, [""; 0]);
}

#[test]
fn a_file_that_several_shapes_use_is_named_once() {
    let folder = folder_with("twice.obj", &reversed(cube()));
    let body =
        |name: &str| format!("[bodies.{name}]\nfixed = true\nshape = {{ type = \"mesh\", file = \"twice.obj\" }}\n");
    let hull =
        "[bodies.hull]\ndensity = 1\nposition = [9, 0, 0]\nshape = { type = \"convex-hull\", file = \"twice.obj\" }\n";
    let text = format!("signorini = 1\n{}{}{}{hull}", body("a"), body("b"), body("c"));
    let scene =
        parse(&text, "a.toml", Some(&folder), &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    assert!(scene.warnings[0].starts_with("bodies.a.shape (and 2 more): "), "{:?}", scene.warnings);
    // Of a hull only the corners count.
    let alone = format!("signorini = 1\n{hull}");
    let scene =
        parse(&alone, "a.toml", Some(&folder), &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
}

#[test]
fn a_moving_body_of_a_bad_mesh_has_no_mass_of_its_own() {
    let folder = folder_with("moving.obj", &[cube(), reversed(cuboid(DVec3::splat(5.0), DVec3::splat(6.0)))].concat());
    let text = |mass: &str| {
        format!("signorini = 1\n[bodies.a]\n{mass}\nshape = {{ type = \"mesh\", file = \"moving.obj\" }}\n")
    };
    let refused = parse(&text("density = 1"), "a.toml", Some(&folder), &Overrides::default()).unwrap_err().to_string();
    assert!(
        refused.contains("pieces that are inside out: 1, the first of -1.000e0 m³ at [5, 5, 5] m")
            && refused.contains("a.toml:2:"),
        "{refused}"
    );
    let given = parse(&text("mass = 1\ninertia = [1, 1, 1]"), "a.toml", Some(&folder), &Overrides::default());
    let scene = given.unwrap_or_else(|errors| panic!("{errors}"));
    assert!(scene.warnings.len() == 1 && scene.warnings[0].contains("has 1 of 2 closed pieces inside out"));
}

#[test]
fn a_hundred_thousand_triangles_are_read_checked_and_met() {
    let folder = folder_with("large.obj", &terrain(224));
    let text = "signorini = 1\ngravity = [0, 0, -9.81]\n[bodies.hills]\nfixed = true\nshape = { type = \"mesh\", file = \"large.obj\" }\n\
        [bodies.ball]\ndensity = 1000\nposition = [50, 50, 1.3]\nshape = { type = \"sphere\", radius = 1 }\n[materials.any]\nfriction = 0.5\n";
    let scene = parse(text, "a.toml", Some(&folder), &Overrides::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let mut simulation = Simulation::new(scene.model, scene.settings).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..100 {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
    }
    let ball = simulation.state().poses[1].position;
    assert!(ball.z > 0.7 && ball.z < 1.3, "{ball}");
}

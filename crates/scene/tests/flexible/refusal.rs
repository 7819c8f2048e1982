//! Flexible bodies that cannot be made: what is said, and where.

use signorini_scene::{Overrides, SceneErrors, parse};
use std::path::PathBuf;

const BLOCK: &str = "signorini = 1
[bodies.ball]
shape = { type = \"sphere\", radius = 0.1 }
mass = 1
[[flexible]]
name = \"block\"
mesh = { box = [1, 1, 1], divisions = [2, 1, 1], element = \"hex8\" }
young = 1e6
density = 1000
";

/// A folder of its own for files that are wrong.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-flexible-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("as the test has it");
        files.iter().for_each(|(file, text)| std::fs::write(path.join(file), text).expect("as the test has it"));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn errors_in(text: &str, folder: Option<&Folder>) -> Vec<(usize, String)> {
    let Err(SceneErrors(errors)) = parse(text, "a.toml", folder.map(|f| f.0.as_path()), &Overrides::default()) else {
        panic!("no error in\n{text}")
    };
    let said = |hint: &Option<String>| hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
    errors.iter().map(|error| (error.line, format!("{}{}", error.message, said(&error.hint)))).collect()
}

/// The only error is in this line and says all of this.
fn assert_only(text: &str, folder: Option<&Folder>, line: usize, parts: &[&str]) {
    let errors = errors_in(text, folder);
    assert_eq!(errors.len(), 1, "{text}\n{errors:#?}");
    let (at, said) = &errors[0];
    parts.iter().for_each(|part| assert!(said.contains(part), "{text}\nsaid: {said}\nexpected: {part}"));
    assert_eq!(*at, line, "{text}\n{said}");
}

fn refuses(lines: &str, line: usize, parts: &[&str]) {
    assert_only(&format!("{BLOCK}{lines}"), None, line, parts);
}

/// The block with one line replaced.
fn refuses_instead(old: &str, new: &str, line: usize, parts: &[&str]) {
    assert!(BLOCK.contains(old));
    assert_only(&BLOCK.replace(old, new), None, line, parts);
}

#[test]
fn materials_that_cannot_be_are_refused() {
    refuses("poisson = 0.5\n", 10, &["flexible[0]: `poisson` is 0.5", "< 0.5"]);
    refuses("poisson = 0.7\n", 10, &["is 0.7, expected a number > -1 and < 0.5"]);
    refuses("poisson = nan\n", 10, &["`poisson` is NaN"]);
    refuses("damping = 0.1\n", 10, &["expected two numbers"]);
    refuses("law = \"hookean\"\n", 10, &["did you mean `neo-hookean`?"]);
    refuses("mass = \"lump\"\n", 10, &["did you mean `lumped`?"]);
    refuses_instead("young = 1e6", "young = 0", 8, &["`young` is 0, expected a number > 0"]);
    refuses_instead("young = 1e6\n", "", 5, &["`young` is missing"]);
}

#[test]
fn meshes_that_cannot_be_made_are_refused() {
    let mesh = "mesh = { box = [1, 1, 1], divisions = [2, 1, 1], element = \"hex8\" }";
    let instead = |new: &str, parts: &[&str]| refuses_instead(mesh, new, 7, parts);
    instead(
        "mesh = { box = [1, 1, 1], divisions = [0, 1, 1] }",
        &["divisions`[0] is 0, expected a whole number from 1"],
    );
    instead("mesh = { box = [1, 1, 1], divisions = [2.5, 1, 1] }", &["is 2.5, expected a whole number"]);
    instead("mesh = { box = [1, 1, 1], divisions = [1000000, 1000000, 1] }", &["cells, expected at most 2000000"]);
    instead("mesh = { box = [1, 0, 1], divisions = [1, 1, 1] }", &["`box`[1] is 0, expected a number of metres > 0"]);
    instead("mesh = { box = [1, inf, 1], divisions = [1, 1, 1] }", &["`box`[1] is inf"]);
    instead("mesh = { box = [1, 1, 1], divisions = [1, 1, 1], element = \"hex20\" }", &["did you mean `hex8`?"]);
    instead("mesh = { divisions = [1, 1, 1] }", &["expected one of `box`, `cylinder`, `tube` and `file`"]);
    instead("mesh = { ball = 1, divisions = [1, 1, 1] }", &["unknown field `ball`"]);
    instead("mesh = { tube = [2, 1, 1], divisions = [8, 1, 1] }", &["outer radius is 1, expected more than the inner"]);
    instead("mesh = { tube = [1, 2, 1], divisions = [2, 1, 1] }", &["divisions around: 2, expected at least 3"]);
    let curved = "mesh = { tube = [1, 2, 1], divisions = [8, 1, 1], element = \"hex8\", curved = true }";
    instead(curved, &["curved ones need tet10"]);
    refuses_instead(&format!("{mesh}\n"), "", 5, &["`mesh` is missing"]);
}

fn msh(elements: &str) -> String {
    let count = elements.lines().count();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 5 0 0\n6 6 0 0\n7 5 1 0\n8 5 0 1\n\
         $EndNodes\n$Elements\n{count}\n{elements}$EndElements\n"
    )
}

#[test]
fn mesh_files_that_cannot_be_used_are_refused_with_what_is_wrong_in_them() {
    let one = "1 4 2 0 1 1 2 3 4\n";
    let folder = Folder::with(
        "files",
        &[
            ("inverted.msh", &msh("1 4 2 0 1 1 3 2 4\n2 4 2 0 1 5 7 6 8\n")),
            ("flat.msh", &msh("1 4 2 0 1 1 2 5 6\n")),
            ("pieces.msh", &msh(&format!("{one}2 4 2 0 1 5 6 7 8\n"))),
            ("old.msh", "$MeshFormat\n1 0 8\n$EndMeshFormat\n"),
            ("one.msh", &msh(one)),
        ],
    );
    let mesh = "mesh = { box = [1, 1, 1], divisions = [2, 1, 1], element = \"hex8\" }";
    let refuse = |file: &str, parts: &[&str]| {
        assert_only(&BLOCK.replace(mesh, &format!("mesh = {{ {file} }}")), Some(&folder), 7, parts);
    };
    refuse("file = \"inverted.msh\"", &["element 0 is inverted", "2 such elements"]);
    refuse("file = \"flat.msh\"", &["element 0 has no volume", "1 such elements"]);
    refuse("file = \"pieces.msh\"", &["cannot be used: the mesh is in 2 pieces that share no node"]);
    refuse("file = \"old.msh\"", &["old.msh:2", "2.2"]);
    refuse("file = \"none.msh\"", &["none.msh"]);
    refuse("file = \"part.step\"", &["unknown ending, expected .msh, .vtk or .vtu"]);
    refuse("file = \"one.msh\", element = \"hex8\"", &["`element` is \"hex8\", but the file has tet4"]);
    refuse("file = \"one.msh\", scale = 0", &["`scale` is 0"]);
}

#[test]
fn nodes_that_are_not_there_are_named_with_those_that_are() {
    refuses(
        "fixed = \"x-mn\"\n",
        10,
        &["unknown set of nodes \"x-mn\"", "did you mean `x-min`?", "y-min, z-max, z-min"],
    );
    refuses("fixed = { box = [[2, 0, 0], [3, 1, 1]] }\n", 10, &["none of the 12 nodes is selected", "-0.500000"]);
    refuses("fixed = { plane = { point = [0.1, 0, 0], normal = [1, 0, 0] } }\n", 10, &["none of the 12 nodes"]);
    refuses("fixed = { plane = { point = [0, 0, 0], normal = [0, 0, 0] } }\n", 10, &["has no direction"]);
    refuses("fixed = { ball = 1 }\n", 10, &["unknown field `ball`"]);
    refuses("fixed = {}\n", 10, &["expected one of `box`, `plane` and `nearest`"]);
    refuses("fixed = []\n", 10, &["is empty, expected at least one node"]);
    refuses(
        "fixed = [\"x-min\", \"x-max\", { plane = { point = [0, 0, 0], normal = [1, 0, 0] } }]\n",
        5,
        &["all of its"],
    );
    refuses("skin = \"outside\"\n", 10, &["unknown face set \"outside\"", "face sets: x-max"]);
    refuses("skin = \"x-min\"\ncontact = false\n", 5, &["`skin` is given beside `contact = false`"]);
}

#[test]
fn links_and_loads_that_hold_nothing_or_twice_are_refused() {
    let link = |lines: &str, line: usize, parts: &[&str]| {
        refuses(&format!("[[link]]\nflexible = \"block\"\n{lines}"), line, parts)
    };
    link("nodes = \"x-min\"\nto = \"bell\"\n", 13, &["unknown body \"bell\"", "did you mean `ball`?"]);
    link("nodes = \"x-min\"\n", 10, &["expected one of `to` (a body) and `imposed`"]);
    link("to = \"ball\"\n", 10, &["expected one of `nodes` and `faces`"]);
    link("to = \"ball\"\nfaces = \"xmin\"\n", 13, &["unknown face set \"xmin\"", "did you mean `x-min`?"]);
    link("to = \"ball\"\nnodes = \"x-min\"\nkind = \"soft\"\n", 14, &["allowed: distributed, rigid"]);
    link("to = \"block\"\nnodes = \"x-min\"\n", 12, &["names the flexible body \"block\", expected a rigid one"]);
    let imposed = "imposed = { direction = [0, 0, 0], displacement = { speed = 1 } }\n";
    link(&format!("nodes = \"x-min\"\n{imposed}"), 13, &["has no direction"]);
    refuses(
        "[[link]]\nflexible = \"ball\"\nnodes = \"x-min\"\nto = \"world\"\n",
        11,
        &["rigid body \"ball\", expected a flexible"],
    );
    refuses("[[link]]\nflexible = \"blok\"\nnodes = \"x-min\"\nto = \"ball\"\n", 11, &["did you mean `block`?"]);
    // Held twice: fixed and linked, linked twice, imposed twice along one direction.
    let fixed = "fixed = \"x-min\"\n[[link]]\nname = \"glue\"\nflexible = \"block\"\nnodes = [\"x-min\", \"y-min\"]\nto = \"ball\"\n";
    refuses(fixed, 11, &["node 0 is held by `fixed` already (4 such nodes)"]);
    let twice = "[[link]]\nname = \"a\"\nflexible = \"block\"\nnodes = \"x-min\"\nto = \"ball\"\n\
                 [[link]]\nname = \"b\"\nflexible = \"block\"\nnodes = \"z-min\"\nto = \"world\"\n";
    refuses(twice, 15, &["is held by link `a` already (2 such nodes)"]);
    let pull = |direction: &str| {
        format!(
            "[[link]]\nflexible = \"block\"\nnodes = \"x-max\"\nimposed = {{ direction = {direction}, displacement = {{ speed = 1 }} }}\n"
        )
    };
    refuses(
        &format!("{}{}{}", pull("[1, 0, 0]"), pull("[0, 1, 0]"), pull("[1, 1, 0]")),
        18,
        &["is held by link `link-1`"],
    );
    // A line of nodes has no turn of its own.
    let line = "[[link]]\nname = \"edge\"\nflexible = \"block\"\nnodes = { box = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5]] }\n\
                to = \"ball\"\nkind = \"distributed\"\n";
    refuses(line, 10, &["distributed link `edge` has no nodes off one line"]);
    refuses("[forces.f]\ntype = \"load\"\nflexible = \"block\"\nnodes = \"x-max\"\n", 10, &["`force` is missing"]);
    refuses(
        "[forces.f]\ntype = \"load\"\nflexible = \"block\"\nnodes = \"x-max\"\nforce = [0, 0, nan]\n",
        14,
        &["`force`[2] is NaN"],
    );
    refuses(
        "[forces.p]\ntype = \"pressure\"\nflexible = \"block\"\nfaces = \"top\"\npressure = 1\n",
        13,
        &["face set \"top\""],
    );
    refuses("[joints.j]\ntype = \"spherical\"\nbodies = [\"block\", \"ball\"]\npoint = [0, 0, 0]\n", 12, &["[[link]]"]);
}

#[test]
fn names_are_unique_among_rigid_and_flexible_bodies() {
    refuses_instead("name = \"block\"", "name = \"ball\"", 5, &["a body called `ball` exists already"]);
    refuses_instead("name = \"block\"\n", "", 5, &["`name` is missing"]);
    refuses_instead("name = \"block\"", "name = \"\"", 6, &["is empty"]);
    let both = "[[flexible]]\nname = \"other\"\nmesh = { box = [1, 1, 1], divisions = [1, 1, 1] }\nyoung = 1\ndensity = 1\n\
                [[exclude]]\nbodies = [\"block\", \"other\"]\n";
    refuses(both, 15, &["both bodies are flexible", "groups"]);
}

#[test]
fn cables_that_cannot_be_are_refused() {
    let cable = |lines: &str, line: usize, parts: &[&str]| {
        refuses(&format!("[[cable]]\nname = \"c\"\nradius = 0.01\nyoung = 1e9\ndensity = 1000\n{lines}"), line, parts);
    };
    cable("", 10, &["expected one of `points` and `net`"]);
    cable("points = [[0, 0, 0]]\n", 15, &["has 1 points, expected at least 2"]);
    cable("points = [[0, 0, 0], [0, 0, 0]]\n", 15, &["points 0 and 1 in one place"]);
    cable("points = [[0, 0, 0], [0, 0, 1]]\ndivisions = 0\n", 16, &["is 0, expected a whole number"]);
    cable("points = [[0, 0, 0], [0, 0, 1]]\nslack = 0\n", 16, &["`slack` is 0"]);
    cable("points = [[0, 0, 0], [0, 0, 1]]\nmargin = 0.1\n", 10, &["`margin`: lines of cables meet nothing"]);
    cable(
        "points = [[0, 0, 0], [0, 0, 1]]\npoisson = 0.1\n",
        10,
        &["`poisson`: cables stretch along their length alone"],
    );
    cable("points = [[0, 0, 0], [0, 0, 1]]\nfixed = \"stat\"\n", 16, &["did you mean `start`?"]);
    cable("points = [[0, 0, 0], [0, 0, 1]]\nfixed = [\"start\", \"end\"]\n", 10, &["all of its nodes are fixed"]);
    cable("net = { size = [1, 1], divisions = [100000, 100000] }\n", 15, &["meshes, expected at most 2000000"]);
    cable("net = { size = [1, 1], divisions = [2, 2] }\nfixed = \"edges\"\n", 16, &["sets: corners, net, rim"]);
}

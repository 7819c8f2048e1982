//! What others can recompute from run.json and trajectory.bin alone, without this library.

use crate::support::{Folder, start};
use serde_json::Value;
use signorini_scene::run::RunFolder;
use signorini_scene::{Overrides, Scene, parse};
use std::fs;
use std::path::Path;

/// Two cuboids of different densities make a body whose centre of mass is in none of them; a rope, a rod and a pulley hold balls.
const TEXT: &str = r#"
signorini = 1
gravity = [0.3, -0.2, -9.81]

[run]
until = 0.3

[stepper]
method = "dvi-euler"
step = 0.005

[materials.stone]

[bodies.angle]
position = [0, 0, 5]
velocity = [0.4, 0.1, 1]
angular-velocity = [2, -3, 5]
shapes = [
    { type = "cuboid", size = [0.4, 0.2, 0.1], density = 1000 },
    { type = "cuboid", size = [0.1, 0.1, 0.6], position = [0.3, 0.1, 0.4], density = 3000 },
]

[bodies.ground]
fixed = true
position = [0, 0, -9]
shape = { type = "half-space" }

[bodies.left]
shape = { type = "sphere", radius = 0.1 }
density = 1000
position = [3, 0, 0]
velocity = [0, 1, 0]

[bodies.right]
shape = { type = "sphere", radius = 0.2 }
density = 500
position = [4, 0, 0]

[joints.rod]
type = "distance"
bodies = ["left", "right"]
points = [[3, 0, 0], [4, 0, 0]]

[joints.rope]
type = "rope"
bodies = ["ground", "left"]
points = [[3, 0, 1], [3, 0, 0]]
length = 1.25

[joints.pulley]
type = "pulley"
bodies = ["right", "angle"]
points = [[4, 0, 0], [0, 0, 5]]
sheaves = [[4, 0, 9], [0, 0, 9]]
ratio = 2
length = 25
slack = true

[joints.stretched]
type = "distance"
bodies = ["ground", "right"]
points = [[4, 0, -4], [4, 0, 0]]
motion = { polynomial = [4, 0.1] }
"#;

fn scene() -> Scene {
    parse(TEXT, "books.toml", None, &Overrides::default()).unwrap()
}

type Vector = [f64; 3];

fn vector(value: &Value) -> Vector {
    [0, 1, 2].map(|k| value[k].as_f64().unwrap())
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// v turned by the quaternion x y z w, or back: v + 2w u × v + 2u × (u × v), u the vector part or its opposite.
fn turned(q: &[f64], v: Vector, is_back: bool) -> Vector {
    let u = [0, 1, 2].map(|k| if is_back { -q[k] } else { q[k] });
    let across = cross(u, v);
    let twice = cross(u, across);
    [0, 1, 2].map(|k| v[k] + 2.0 * q[3] * across[k] + 2.0 * twice[k])
}

/// A run folder as others see it.
struct Outside {
    run: Value,
    frames: Vec<Vec<f64>>,
}

impl Outside {
    fn read(folder: &Path) -> Self {
        let run: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
        let numbers = 1 + 13 * run["bodies"].as_array().unwrap().len();
        let bytes = fs::read(folder.join("trajectory.bin")).unwrap();
        let numbers_of =
            |frame: &[u8]| frame.chunks_exact(8).map(|n| f64::from_le_bytes(n.try_into().unwrap())).collect();
        Self { run, frames: bytes.chunks_exact(8 * numbers).map(numbers_of).collect() }
    }

    fn body(&self, name: &str) -> &Value {
        self.run["bodies"].as_array().unwrap().iter().find(|body| body["name"] == name).unwrap()
    }

    fn joint(&self, name: &str) -> &Value {
        self.run["joints"].as_array().unwrap().iter().find(|joint| joint["name"] == name).unwrap()
    }

    /// Kinetic energy and potential energy of gravity in a frame \[J\].
    fn energies(&self, frame: &[f64]) -> [f64; 2] {
        let mut energies = [0.0; 2];
        for (i, body) in self.run["bodies"].as_array().unwrap().iter().enumerate() {
            let n = &frame[1 + 13 * i..14 + 13 * i];
            let (mass, v) = (body["mass"].as_f64().unwrap(), [n[7], n[8], n[9]]);
            let omega = turned(&n[3..7], [n[10], n[11], n[12]], true);
            let spin = [0, 1, 2].map(|row| dot(vector(&body["inertia"][row]), omega));
            energies[0] += 0.5 * (mass * dot(v, v) + dot(omega, spin));
            energies[1] -= mass * dot(vector(&self.run["gravity"]), [n[0], n[1], n[2]]);
        }
        energies
    }

    /// The points of a joint on A and on B in the world.
    fn points(&self, joint: &Value, frame: &[f64]) -> [Vector; 2] {
        [0, 1].map(|side| {
            let at = 1 + 13 * joint["bodies"][side].as_u64().unwrap() as usize;
            let arm = turned(&frame[at + 3..at + 7], vector(&joint["points"][side]), false);
            [0, 1, 2].map(|k| frame[at + k] + arm[k])
        })
    }
}

fn distance(a: Vector, b: Vector) -> f64 {
    let d = [0, 1, 2].map(|k| a[k] - b[k]);
    dot(d, d).sqrt()
}

#[test]
fn energies_are_recomputed_from_outside_to_rounding() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, scene()).go(None, &mut ()).unwrap();
    let (outside, rows) = (Outside::read(&path), RunFolder::open(&path).unwrap().steps().unwrap());
    assert_eq!(outside.frames.len(), rows.len() + 1);
    for (frame, row) in outside.frames[1..].iter().zip(&rows) {
        let [kinetic, potential] = outside.energies(frame);
        assert!((kinetic - row.kinetic).abs() < 1e-13 * row.kinetic, "{kinetic} {row:?}");
        assert!((potential - row.potential).abs() < 1e-13 * row.potential.abs(), "{potential} {row:?}");
    }
}

/// One step of a ball from rest with v = −g h at its end loses ½ m (g h)²: a summary that starts after it does not see the loss.
#[test]
fn the_books_of_a_run_start_before_its_first_step() {
    let text = r#"
signorini = 1
gravity = [0, 0, -10]
[run]
until = 0.3
[stepper]
method = "dvi-euler"
step = 0.1
[materials.stone]
[bodies.ball]
shape = { type = "sphere", radius = 0.1 }
mass = 2
position = [0, 0, 7]
"#;
    let folder = Folder::new();
    let path = folder.join("a");
    let mut run = start(&path, parse(text, "ball.toml", None, &Overrides::default()).unwrap());
    assert_eq!(run.summary().energy.start, 140.0);
    run.go(None, &mut ()).unwrap();
    let energy = run.summary().energy;
    let first = RunFolder::open(&path).unwrap().steps().unwrap()[0].total();
    assert!((first - (140.0 - 0.5 * 2.0)).abs() < 1e-12, "{first}");
    // Three such steps: the loss of each is the same.
    assert!((energy.total - 137.0).abs() < 1e-12, "{energy:?}");
    assert_eq!((energy.start, energy.range), (140.0, [energy.total, 140.0]));
    let outside = Outside::read(&path);
    assert_eq!(outside.run["energy_at_start"]["potential"], 140.0);
    assert_eq!(outside.run["summary"]["energy"]["start"], 140.0);
}

#[test]
fn inertia_and_centre_of_mass_of_two_cuboids_are_those_of_the_closed_form() {
    let folder = Folder::new();
    drop(start(&folder.join("a"), scene()));
    let outside = Outside::read(&folder.join("a"));
    let parts = [([0.4, 0.2, 0.1], [0.0; 3], 1000.0), ([0.1, 0.1, 0.6], [0.3, 0.1, 0.4], 3000.0)];
    let mass_of = |[a, b, c]: Vector, density: f64| density * a * b * c;
    let total: f64 = parts.iter().map(|&(size, _, density)| mass_of(size, density)).sum();
    let centre =
        [0, 1, 2].map(|k| parts.iter().map(|&(size, at, density)| mass_of(size, density) * at[k]).sum::<f64>() / total);
    // Steiner: I = Σ m (diag of the cuboid + d² − d dᵀ), d from the centre of mass.
    let mut inertia = [[0.0; 3]; 3];
    for (size, at, density) in parts {
        let m = mass_of(size, density);
        let d = [0, 1, 2].map(|k| at[k] - centre[k]);
        for i in 0..3 {
            inertia[i][i] += m * ((dot(size, size) - size[i] * size[i]) / 12.0 + dot(d, d));
            (0..3).for_each(|j| inertia[i][j] -= m * d[i] * d[j]);
        }
    }
    let body = outside.body("angle");
    assert!((body["mass"].as_f64().unwrap() - total).abs() < 1e-13 * total);
    for i in 0..3 {
        assert!((body["centre_of_mass"][i].as_f64().unwrap() - centre[i]).abs() < 1e-15, "{body}");
        for j in 0..3 {
            assert!((body["inertia"][i][j].as_f64().unwrap() - inertia[i][j]).abs() < 1e-13, "{i} {j} {body}");
        }
    }
    // The offset is what leads from the frame of the scene to the first frame of the trajectory.
    for k in 0..3 {
        assert!((outside.frames[0][1 + k] - ([0.0, 0.0, 5.0][k] + centre[k])).abs() < 1e-15);
    }
    assert_eq!(
        (vector(&outside.body("left")["centre_of_mass"]), outside.body("ground")["mass"].as_f64()),
        ([0.0; 3], Some(0.0))
    );
    assert_eq!(vector(&outside.body("ground")["inertia"][0]), [0.0; 3]);
}

#[test]
fn gaps_of_rods_ropes_and_pulleys_are_recomputed_from_outside() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, scene()).go(None, &mut ()).unwrap();
    let (outside, rows) = (Outside::read(&path), RunFolder::open(&path).unwrap().steps().unwrap());
    let of = |name: &str| outside.joint(name);
    // Not given in the scene, where the points are 1 m apart; given; imposed.
    assert_eq!((of("rod")["length"].as_f64(), of("rope")["length"].as_f64()), (Some(1.0), Some(1.25)));
    assert_eq!(of("stretched").get("length"), None);
    let pulley = of("pulley");
    assert_eq!((pulley["ratio"].as_f64(), pulley["slack"].as_bool()), (Some(2.0), Some(true)));
    let (mut worst, mut is_rope_taut) = (0.0_f64, false);
    for (frame, row) in outside.frames[1..].iter().zip(&rows) {
        let length = |name: &str| {
            let [a, b] = outside.points(of(name), frame);
            distance(a, b)
        };
        let [a, b] = outside.points(pulley, frame);
        let sheaves = [0, 1].map(|side| vector(&pulley["sheaves"][side]));
        let over = distance(a, sheaves[0]) + pulley["ratio"].as_f64().unwrap() * distance(b, sheaves[1]);
        let gaps = [
            (length("rod") - of("rod")["length"].as_f64().unwrap()).abs(),
            (length("rope") - of("rope")["length"].as_f64().unwrap()).max(0.0),
            (over - pulley["length"].as_f64().unwrap()).max(0.0),
            (length("stretched") - (4.0 + 0.1 * row.time)).abs(),
        ];
        let gap = gaps.into_iter().fold(0.0, f64::max);
        assert!((gap - row.joint_violation).abs() < 1e-13, "{gaps:?} {}", row.joint_violation);
        worst = worst.max(gap);
        is_rope_taut |= length("rope") > 1.25 - 1e-9;
    }
    assert!(worst > 1e-9 && is_rope_taut, "the joints had something to do: {worst}");
}

/// A ball with restitution ½ that falls 0.5 m, and far away a weight in a guide that a motion lifts: columns of steps.csv and sums of
/// run.json against closed forms, read as others would.
#[test]
fn work_of_contacts_and_drives_is_in_the_files_and_adds_up_in_every_step() {
    let text = r#"
signorini = 1
[run]
until = 0.4
[stepper]
step = 0.01
[materials.rubber]
restitution = 0.5
[bodies.ground]
fixed = true
shape = { type = "half-space" }
[bodies.ball]
shape = { type = "sphere", radius = 0.1 }
mass = 2
position = [0, 0, 0.6]
[bodies.weight]
shape = { type = "sphere", radius = 0.1 }
mass = 5
position = [9, 0, 3]
velocity = [0, 0, 0.5]
[joints.guide]
type = "prismatic"
bodies = ["ground", "weight"]
point = [9, 0, 3]
axis = [0, 0, 1]
motion = { polynomial = [0, 0.5] }
"#;
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, parse(text, "work.toml", None, &Overrides::default()).unwrap()).go(None, &mut ()).unwrap();
    let run: Value = serde_json::from_slice(&fs::read(path.join("run.json")).unwrap()).unwrap();
    let energy = &run["summary"]["energy"];
    let of = |name: &str| energy["work"][name].as_f64().unwrap();
    // ¾ m g · 0.5 m of the ball at its bounce; m g times 0.2 m.
    assert!((of("contacts") + 0.75 * 2.0 * 9.81 * 0.5).abs() < 1e-5, "{energy}");
    assert!((of("drives") - 5.0 * 9.81 * 0.2).abs() < 1e-6, "{energy}");
    assert!(of("joints").abs() < 1e-8 && of("damping") == 0.0 && of("numerical").abs() < 1e-5, "{energy}");
    let table = fs::read_to_string(path.join("steps.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let column = |line: &[&str], name: &str| {
        let at = names.iter().position(|known| *known == name).unwrap();
        line[at].parse::<f64>().unwrap()
    };
    let (mut before, mut contacts) = (energy["start"].as_f64().unwrap(), 0.0);
    for line in lines {
        let works = ["contacts", "joints", "drives", "damping", "numerical"];
        let sum: f64 = works.iter().map(|name| column(&line, &format!("work_{name}_J"))).sum();
        let total = column(&line, "total_J");
        assert!((total - before - sum).abs() < 1e-12 * total, "{line:?}");
        before = total;
        contacts += column(&line, "work_contacts_J");
    }
    assert!((contacts - of("contacts")).abs() < 1e-12, "{contacts}");
}

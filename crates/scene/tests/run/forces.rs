//! forces.csv: what joints and forces do, against statics by hand.

use crate::support::{Folder, STEPS, scene, start};
use signorini_scene::run::{ForceKind, ForceRow, RunFolder};
use signorini_scene::{Overrides, parse};
use std::f64::consts::FRAC_PI_2;

const G: f64 = 9.81;

/// The lines that a scene with these bodies, joints and forces writes every fifth step.
fn rows_of(lines: &str, until: f64) -> Vec<ForceRow> {
    let text = format!(
        r#"signorini = 1
gravity = [0, 0, -9.81]
[run]
until = {until}
[output]
forces = true
every = 5
{lines}
"#
    );
    let folder = Folder::new();
    let scene = parse(&text, "statics.toml", None, &Overrides::default()).unwrap();
    start(&folder.join("a"), scene).go(None, &mut ()).unwrap();
    RunFolder::open(&folder.join("a")).unwrap().forces().unwrap().unwrap()
}

fn assert_near(found: Option<[f64; 3]>, expected: [f64; 3], tolerance: f64, what: &ForceRow) {
    let found = found.unwrap();
    let apart = (0..3).map(|k| (found[k] - expected[k]).abs()).fold(0.0, f64::max);
    assert!(apart <= tolerance, "{found:?}, expected {expected:?}: {what:?}");
}

#[test]
fn a_pendulum_at_rest_carries_its_weight_in_its_hinge() {
    let rows = rows_of(
        r#"
[stepper]
step = 0.01
[bodies.bob]
mass = 3
inertia = [0.1, 0.1, 0.1]
position = [0, 0, -1]
[joints.hinge]
type = "revolute"
bodies = ["world", "bob"]
point = [0, 0, 0]
axis = [0, 1, 0]
"#,
        0.2,
    );
    // The start and every fifth of 20 steps.
    assert_eq!(rows.iter().map(|row| row.step).collect::<Vec<_>>(), [0, 5, 10, 15, 20]);
    for row in &rows {
        assert_eq!((row.kind, row.name.as_str(), row.type_name.as_str()), (ForceKind::Joint, "hinge", "revolute"));
        assert_eq!((row.body.as_str(), row.drive_force, row.drive_torque), ("bob", None, None));
    }
    assert!(rows[0].rows == [None; 8] && rows[0].force.is_none() && rows[0].torque.is_none());
    for row in &rows[1..] {
        assert_eq!(row.rows.map(|row| row.is_some()), [true, true, true, true, true, false, false, false]);
        assert_near(row.force, [0.0, 0.0, 3.0 * G], 1e-6, row);
        // The force passes through the centre of mass.
        assert_near(row.torque, [0.0; 3], 1e-6, row);
    }
}

#[test]
fn a_spring_pulls_by_stiffness_times_length_and_a_load_by_what_it_says() {
    // In balance: 200 N/m · 0.1 m = 20 N = m g + 0.38 N.
    let rows = rows_of(
        r#"
[stepper]
step = 0.01
[bodies.mass]
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0, 0, -1.1]
[forces.coil]
type = "spring"
bodies = ["world", "mass"]
points = [[0, 0, 0], [0, 0, -1.1]]
stiffness = 200
length = 1
[forces.push]
type = "load"
body = "mass"
force = [0, 0, -0.38]
"#,
        0.1,
    );
    assert_eq!(rows.len(), 2 * 3);
    for (k, row) in rows.iter().enumerate() {
        let (name, type_name, force) = [("coil", "spring", 20.0), ("push", "load", -0.38)][k % 2];
        assert_eq!((row.kind, row.name.as_str(), row.type_name.as_str()), (ForceKind::Force, name, type_name));
        assert_eq!((row.body.as_str(), row.rows, row.drive_force), ("mass", [None; 8], None));
        assert_near(row.force, [0.0, 0.0, force], 1e-6, row);
        assert_near(row.torque, [0.0; 3], 1e-6, row);
    }
}

#[test]
fn a_driven_hinge_lifts_a_rod_by_the_torque_of_its_weight() {
    const SPEED: f64 = 0.02;
    let rows = rows_of(
        r#"
[stepper]
step = 0.01
[bodies.rod]
mass = 2
inertia = [0.001, 0.17, 0.17]
position = [0.5, 0, 0]
[joints.hinge]
type = "revolute"
bodies = ["world", "rod"]
point = [0, 0, 0]
axis = [0, -1, 0]
speed = 0.02
"#,
        2.0,
    );
    let (mass, half) = (2.0, 0.5);
    for row in rows.iter().filter(|row| row.step >= 5) {
        let angle = SPEED * row.time;
        assert!(angle < FRAC_PI_2);
        // Steady turning needs no torque.
        let torque = mass * G * half * angle.cos();
        let found = row.drive_torque.unwrap();
        // An average over the step: cos α changes by at most α ω h in it.
        let change = mass * G * half * angle * SPEED * 0.01 + 1e-6;
        assert!((found - torque).abs() < change, "{found}, expected {torque}: {row:?}");
        assert_eq!((row.rows[5], row.drive_force), (Some(found), None));
        // The hinge holds the weight, but for the pull towards the hinge that keeps the rod on its circle.
        let pull = mass * half * SPEED * SPEED;
        assert_near(row.force, [-pull * angle.cos(), 0.0, mass * G - pull * angle.sin()], pull, row);
        // About the rod's middle the drive's torque and that of the hinge's force cancel.
        assert_near(row.torque, [0.0; 3], change + half * pull, row);
    }
}

#[test]
fn there_is_no_file_unless_it_is_asked_for() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, scene()).go(None, &mut ()).unwrap();
    assert!(!path.join("forces.csv").exists());
    let run = RunFolder::open(&path).unwrap();
    assert_eq!((run.last_step().unwrap(), run.forces().unwrap()), (STEPS, None));
    assert_eq!(run.checkpoint().unwrap().lengths.forces, 0);
}

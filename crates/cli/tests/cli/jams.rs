//! What cannot be satisfied: it ends soon, at bounded speeds, with exit code 1, and names those that contradict each other. Bad input: a clear error, or an
//! honest answer.

use crate::support::Folder;
use serde_json::Value;
use signorini_scene::run::{RunFolder, RunStatus};

/// Iterations that a step of these scenes takes at most: the limit, and what is left to its last solves.
const MOST_ITERATIONS: u64 = 10_500;

/// A scene without an answer.
struct Jam {
    scene: &'static str,
    /// Names that have to be told together, by one broken promise.
    culprits: [&'static str; 2],
    /// Nobody is faster \[m/s\].
    fastest: f64,
}

/// Two rods of different lengths between the same points.
const TWO_RODS: Jam = Jam {
    scene: r#"
[bodies.bob]
shape = { type = "sphere", radius = 0.1, collides-with = [] }
mass = 2
position = [0, 0, -1]
[joints.short]
type = "distance"
bodies = ["world", "bob"]
points = [[0, 0, 0], [0, 0, -1]]
length = 0.9
[joints.long]
type = "distance"
bodies = ["world", "bob"]
points = [[0, 0, 0], [0, 0, -1]]
length = 1.2
"#,
    culprits: ["short", "long"],
    fastest: 1.0,
};

/// A ball on two ropes that are too short to reach it at once.
const SHORT_ROPES: Jam = Jam {
    scene: r#"
[bodies.ball]
shape = { type = "sphere", radius = 0.1, collides-with = [] }
mass = 1
[joints.left]
type = "rope"
bodies = ["world", "ball"]
points = [[-1, 0, 0], [0, 0, 0]]
length = 0.7
[joints.right]
type = "rope"
bodies = ["world", "ball"]
points = [[1, 0, 0], [0, 0, 0]]
length = 0.7
"#,
    culprits: ["left", "right"],
    fastest: 1.0,
};

/// A pin that is thicker than the hole it starts in.
const TIGHT_PIN: Jam = Jam {
    scene: r#"
[bodies.plate]
shape = { type = "inside-cylinder", radius = 0.02, height = 0.1 }
mass = 0.5
inertia = [1e-3, 1e-3, 1e-3]
[bodies.pin]
shape = { type = "cylinder", radius = 0.021, height = 0.05 }
mass = 0.2
inertia = [1e-4, 1e-4, 1e-4]
[joints.guide]
type = "prismatic"
bodies = ["world", "plate"]
point = [0, 0, 0]
axis = [1, 0, 0]
[joints.slide]
type = "prismatic"
bodies = ["world", "pin"]
point = [0, 0, 0]
axis = [0, 1, 0]
"#,
    culprits: ["plate", "pin"],
    fastest: 1.0,
};

/// A press that closes on eight balls in a box.
const PRESS: Jam = Jam {
    scene: r#"
[bodies.box]
fixed = true
shapes = [ { type = "half-space" },
 { type = "half-space", normal = [1, 0, 0], position = [-0.12, 0, 0] }, { type = "half-space", normal = [-1, 0, 0], position = [0.12, 0, 0] },
 { type = "half-space", normal = [0, 1, 0], position = [0, -0.12, 0] }, { type = "half-space", normal = [0, -1, 0], position = [0, 0.12, 0] } ]
[[populate]]
name = "ball"
pattern = "grid"
count = [2, 2, 2]
spacing = 0.12
origin = [-0.06, -0.06, 0.06]
shape = { type = "sphere", radius = 0.06 }
density = 2000
[bodies.press]
shape = { type = "cuboid", size = [0.2, 0.2, 0.1] }
density = 7800
position = [0, 0, 0.292]
[joints.ram]
type = "prismatic"
bodies = ["world", "press"]
point = [0, 0, 0.292]
axis = [0, 0, -1]
motion = { speed = 0.2 }
"#,
    culprits: ["ball-000", "ram"],
    fastest: 2.0,
};

/// A motion that is imposed through a wall.
const THROUGH_A_WALL: Jam = Jam {
    scene: r#"
gravity = [0, 0, 0]
[bodies.wall]
fixed = true
shape = { type = "cuboid", size = [0.2, 1, 1] }
position = [1, 0, 0]
[bodies.slider]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2] }
density = 500
position = [0.78, 0, 0]
[joints.drive]
type = "prismatic"
bodies = ["world", "slider"]
point = [0.78, 0, 0]
axis = [1, 0, 0]
motion = { speed = 0.5 }
"#,
    culprits: ["wall", "slider"],
    fastest: 1.0,
};

/// Two motors that turn one axle at different speeds.
const TWO_MOTORS: Jam = Jam {
    scene: r#"
[bodies.axle]
shape = { type = "cylinder", radius = 0.05, height = 0.5, collides-with = [] }
density = 7800
[joints.slow]
type = "revolute"
bodies = ["world", "axle"]
point = [0, 0, 0]
axis = [0, 0, 1]
motion = { speed = 1 }
[joints.quick]
type = "revolute"
bodies = ["world", "axle"]
point = [0, 0, 0]
axis = [0, 0, 1]
motion = { speed = 3 }
"#,
    culprits: ["slow", "quick"],
    fastest: 1.0,
};

/// A four-bar whose coupler is too long for the distance between its cranks.
const FOUR_BAR: Jam = Jam {
    scene: r#"
[bodies.crank]
shape = { type = "cuboid", size = [0.1, 0.1, 0.5], collides-with = [] }
density = 1000
position = [0, 0, 0.25]
[bodies.rocker]
shape = { type = "cuboid", size = [0.1, 0.1, 0.5], collides-with = [] }
density = 1000
position = [1, 0, 0.25]
[joints.left]
type = "revolute"
bodies = ["world", "crank"]
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.right]
type = "revolute"
bodies = ["world", "rocker"]
point = [1, 0, 0]
axis = [0, 1, 0]
[joints.coupler]
type = "distance"
bodies = ["crank", "rocker"]
points = [[0, 0, 0.5], [1, 0, 0.5]]
length = 2.5
"#,
    culprits: ["coupler", "left"],
    fastest: 2.0,
};

/// A box in a slot that is too narrow for it.
const NARROW_SLOT: Jam = Jam {
    scene: r#"
[materials.stone]
friction = 0.4
[bodies.slot]
fixed = true
shapes = [ { type = "half-space" }, { type = "half-space", normal = [1, 0, 0], position = [-0.09, 0, 0] }, { type = "half-space", normal = [-1, 0, 0], position = [0.09, 0, 0] } ]
[bodies.box]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2] }
density = 1000
position = [0, 0, 0.1]
"#,
    culprits: ["slot", "box"],
    fastest: 1.0,
};

/// A door that a motor turns beyond its limit.
const LIMIT_AND_MOTOR: Jam = Jam {
    scene: r#"
gravity = [0, 0, 0]
[bodies.door]
shape = { type = "cuboid", size = [1, 0.05, 1], collides-with = [] }
density = 300
position = [0.5, 0, 0]
[joints.hinge]
type = "revolute"
bodies = ["world", "door"]
point = [0, 0, 0]
axis = [0, 0, 1]
limits = [-0.02, 0.02]
[joints.opener]
type = "revolute"
bodies = ["world", "door"]
point = [0, 0, 0]
axis = [0, 0, 1]
motion = { speed = 1 }
"#,
    culprits: ["hinge", "opener"],
    fastest: 2.0,
};

/// A body that is welded to two plates which move apart.
const TWO_WELDS: Jam = Jam {
    scene: r#"
gravity = [0, 0, 0]
[bodies.bar]
shape = { type = "cuboid", size = [1, 0.1, 0.1], collides-with = [] }
density = 1000
[bodies.carriage]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2], collides-with = [] }
density = 1000
position = [0.6, 0, 0]
[joints.ground]
type = "fixed"
bodies = ["world", "bar"]
point = [-0.5, 0, 0]
[joints.weld]
type = "fixed"
bodies = ["bar", "carriage"]
point = [0.5, 0, 0]
[joints.drive]
type = "prismatic"
bodies = ["world", "carriage"]
point = [0.6, 0, 0]
axis = [1, 0, 0]
motion = { speed = 0.3 }
"#,
    culprits: ["weld", "drive"],
    fastest: 1.0,
};

/// A scene file with 100 steps of 10 ms.
fn document(scene: &str) -> String {
    format!("signorini = 1\n{scene}\n[stepper]\nstep = 0.01\n[run]\nsteps = 100\n")
}

impl Jam {
    /// Runs it into a folder: what scripts and people are told.
    fn run(&self) -> (Folder, Value, String) {
        let folder = Folder::new();
        folder.bytes("scene.toml", document(self.scene).as_bytes());
        let run = folder.run(&["run", "scene.toml", "--json", "--out", "run", "--threads", "1"]).exits(1);
        let (report, text) = (run.objects()[0].clone(), run.stderr());
        (folder, report, text)
    }

    /// Whether a text has both names.
    fn has_both(&self, text: &str) -> bool {
        self.culprits.iter().all(|name| text.contains(name))
    }

    fn check(&self) {
        let (folder, report, errors) = self.run();
        assert_eq!(report["status"], "stopped", "{report}");
        assert!(errors.contains("steps have no answer") && self.has_both(&errors), "{errors}");
        // The object for scripts lists the promises with all who have to do with them.
        let problems = report["broken"].as_array().unwrap();
        let names = |problem: &Value| problem["worst"]["culprits"].to_string();
        assert!(problems.iter().any(|problem| self.has_both(&names(problem))), "{report}");
        for problem in problems {
            let worst = &problem["worst"];
            assert!(problem["first_step"].as_u64() >= Some(1) && problem["steps"].as_u64() >= Some(1), "{report}");
            assert!(worst["value"].as_f64() > worst["bound"].as_f64(), "{report}");
        }
        assert!(problems.iter().all(|problem| problem["promise"] != "energy"), "{report}");
        assert!(report["solver"]["iterations_max"].as_u64() <= Some(MOST_ITERATIONS), "{report}");
        let run = RunFolder::open(&folder.path().join("run")).unwrap();
        assert_eq!(run.manifest().status, RunStatus::Stopped);
        let steps = run.steps().unwrap();
        assert_eq!(Some(steps.len() as u64), report["steps"].as_u64());
        // ½ m v² of everybody is no more than at the bound of speeds.
        let mass: f64 = run.manifest().bodies.iter().map(|body| body.mass).filter(|mass| mass.is_finite()).sum();
        let most = steps.iter().map(|row| row.kinetic).fold(0.0, f64::max);
        assert!(most <= 0.5 * mass * self.fastest * self.fastest, "{most} J of {mass} kg");
    }
}

#[test]
fn two_rods_of_different_lengths() {
    TWO_RODS.check();
}

#[test]
fn two_ropes_that_are_too_short() {
    SHORT_ROPES.check();
}

#[test]
fn a_pin_that_is_thicker_than_its_hole() {
    TIGHT_PIN.check();
}

#[test]
fn a_press_on_eight_balls() {
    PRESS.check();
}

#[test]
fn a_motion_through_a_wall() {
    THROUGH_A_WALL.check();
}

#[test]
fn two_motors_of_one_axle() {
    TWO_MOTORS.check();
}

#[test]
fn a_four_bar_that_cannot_close() {
    FOUR_BAR.check();
}

#[test]
fn a_box_in_a_narrow_slot() {
    NARROW_SLOT.check();
}

#[test]
fn a_limit_against_a_motor() {
    LIMIT_AND_MOTOR.check();
}

#[test]
fn a_bar_that_is_welded_twice() {
    TWO_WELDS.check();
}

/// Runs a scene that is no good, and says how it ended.
fn end_of(scene: &str) -> crate::support::Run {
    let folder = Folder::new();
    folder.bytes("scene.toml", document(scene).as_bytes());
    folder.run(&["run", "scene.toml", "--json", "--out", "run", "--threads", "1"])
}

#[test]
fn a_rope_without_length_and_a_restitution_beyond_one_are_refused() {
    let rope = SHORT_ROPES.scene.replace("length = 0.7", "length = 0");
    end_of(&rope).exits(2).says("`length` is 0, expected a number of metres > 0");
    let gum =
        "[materials.gum]\nrestitution = 1.2\n[bodies.ball]\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n";
    end_of(gum).exits(2).says("`restitution` is 1.2, expected a number from 0 to 1");
}

#[test]
fn a_joint_that_starts_a_metre_apart_is_told_and_put_together_without_speed() {
    let scene = TWO_RODS.scene.replace("length = 0.9", "length = 2").replace("length = 1.2", "length = 2");
    let run = end_of(&scene).exits(0);
    let report = run.objects()[0].clone();
    assert!(report["warnings"].to_string().contains("misses by 1.000e0 m at the start"), "{report}");
    assert!(report["joint_violation_max"].as_f64() < Some(1e-9), "{report}");
    // It hangs still 2 m below: closing the joint has left no speed.
    assert!(report["energy"]["kinetic"].as_f64() < Some(1e-12), "{report}");
}

#[test]
fn a_ratio_of_masses_of_1e16_gains_nothing_or_is_told() {
    let scene = r#"
[bodies.light]
shape = { type = "cuboid", size = [1, 0.1, 0.1], collides-with = [] }
mass = 1e-8
position = [0.5, 0, 0]
[bodies.heavy]
shape = { type = "sphere", radius = 0.2, collides-with = [] }
mass = 1e8
position = [1, 0, 0]
[joints.pivot]
type = "spherical"
bodies = ["world", "light"]
point = [0, 0, 0]
[joints.hanger]
type = "spherical"
bodies = ["light", "heavy"]
point = [1, 0, 0]
"#;
    let run = end_of(scene);
    let report = run.objects()[0].clone();
    let [least, largest] = [0, 1].map(|k| report["energy"]["range"][k].as_f64().unwrap());
    let fall = 1e8 * 9.81;
    assert!(largest < 1e-6 * fall && least.is_finite(), "{report}");
    // Either the joints hold, or the one that does not is named.
    let is_named = report["broken"].to_string().contains("\"pivot\"");
    assert!(run.code() == Some(if is_named { 1 } else { 0 }) && (is_named || report["steps_missed"] == 0), "{report}");
}

#[test]
fn a_crank_that_starts_stretched_moves_on_without_gaining() {
    let scene = r#"
[bodies.crank]
shape = { type = "cuboid", size = [1, 0.1, 0.1], collides-with = [] }
density = 1000
position = [0.5, 0, 0]
[bodies.rod]
shape = { type = "cuboid", size = [1, 0.1, 0.1], collides-with = [] }
density = 1000
position = [1.5, 0, 0]
[joints.pivot]
type = "revolute"
bodies = ["world", "crank"]
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.knee]
type = "revolute"
bodies = ["crank", "rod"]
point = [1, 0, 0]
axis = [0, 1, 0]
[joints.slide]
type = "point-on-line"
bodies = ["world", "rod"]
point = [2, 0, 0]
axis = [1, 0, 0]
"#;
    let report = end_of(scene).exits(0).objects()[0].clone();
    assert!(report["joint_violation_max"].as_f64() < Some(1e-9), "{report}");
    assert!(report["energy"]["range"][1].as_f64() < Some(1e-6), "{report}");
    assert!(report["energy"]["kinetic"].as_f64() > Some(1.0), "{report}");
}

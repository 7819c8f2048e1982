//! Scenes that come with the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line that says what it shows.
    pub title: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! scene {
    ($name:literal, $title:literal) => {
        Entry { name: $name, title: $title, text: include_str!(concat!("../../gallery/", $name, ".toml")) }
    };
}

const ENTRIES: &[Entry] = &[
    scene!("andrews-squeezer", "Andrews' squeezer: seven bodies, three loops, 30 ms"),
    scene!("ball-bearing", "A ball bearing under load"),
    scene!("balls-in-box", "Balls dropped into a box"),
    scene!("balls-in-box-frictionless", "Smooth spheres in a round container (interior-point papers)"),
    scene!("beam-cantilever", "A cantilever under a load at its tip"),
    scene!("beam-rollup", "A strip is rolled into a ring by a moment at its end"),
    scene!("billiard-break", "The break of a rack of billiard balls"),
    scene!("box-slide", "A box slides to a stop"),
    scene!("bricard", "Bricard's linkage: over-constrained, yet it moves"),
    scene!("brick-wall", "A wall of 410 bricks"),
    scene!("cam-follower", "A cam lifts a follower"),
    scene!("card-tower", "A house of cards with ten storeys"),
    scene!("coulomb-oscillator", "A mass on a spring with dry friction"),
    scene!("dominoes", "A row of dominoes falls"),
    scene!("double-pendulum", "A double pendulum"),
    scene!("elastic-cantilever", "A cantilever of solid elements"),
    scene!("falling-elastic-block", "A soft block falls onto balls"),
    scene!("flyball-governor", "A flyball governor with a stiff spring"),
    scene!("gear-train", "A train of three gears"),
    scene!("geneva-drive", "A Geneva drive: quarter turns by contact"),
    scene!("gripper", "A gripper with soft pads lifts a box"),
    scene!("hopper", "Grains run out of a hopper"),
    scene!("incline", "A block on a slope sticks or slides"),
    scene!("jammed-box", "Overlaps at the start are undone gently"),
    scene!("mass-ratio-stack", "A stack with growing masses on guides"),
    scene!("n-four-bar", "A chain of four-bar windows through its singular place"),
    scene!("net-catches-ball", "A net catches a ball"),
    scene!("newtons-cradle", "Newton's cradle"),
    scene!("painleve-rod", "Painlevé's rod"),
    scene!("pebble-bed", "The pebble-bed reactor (QP solver paper)"),
    scene!("pendulum", "A pendulum with large swings"),
    scene!("pendulum-chain", "A chain with a heavy weight swings"),
    scene!("plank-tower", "A tower of 400 planks"),
    scene!("redundant-joints", "Doubled joints: forces that are not unique"),
    scene!("rolling-ring", "A rubber ring rolls down a slope"),
    scene!("rolling-sphere", "A ball goes from sliding to rolling"),
    scene!("rotating-drum", "A drum turned by a motor"),
    scene!("single-ball", "One ball on a floor"),
    scene!("single-brick", "One brick on a floor: redundant contacts"),
    scene!("slider-crank-clearance", "A slider-crank with play in the piston pin"),
    scene!("spheres-in-cylinder", "Spheres in a cylinder (Krylov methods paper)"),
    scene!("spheres-under-mass", "Spheres under a heavy mass (Krylov methods paper)"),
    scene!("spinning-top", "A top precesses"),
    scene!("three-point-bending", "Three-point bending of a rubber beam"),
];

/// All scenes, in the order of their names.
#[must_use]
pub fn list() -> &'static [Entry] {
    ENTRIES
}

/// The scene of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

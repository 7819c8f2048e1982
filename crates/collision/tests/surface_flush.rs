//! Blocks with faces flush on each other: the only contacts are those of the faces, however coarse the skin.
//!
//! A block stands on the plane z = 0 (its lower face at z = gap), what it stands on has its upper face there. Where their
//! rectangles share much more than the overlap, every contact has the normal z and the imposed gap, and the corners of the
//! shared rectangle all touch.

mod skins;

use glam::{DQuat, DVec2, DVec3};
use signorini_collision::{Collider, Contact, Mesh, Pose, Shape};
use skins::{Model, Random, Skin, check};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Relative to the edges of the blocks, which are about 0.5.
const GAPS: [f64; 7] = [-1e-3, -1e-6, -1e-11, 0.0, 1e-11, 1e-6, 1e-3];
const BLOCKS: [([f64; 3], [u32; 3]); 7] = [
    ([0.3, 0.3, 0.1], [3, 3, 1]),
    ([0.3, 0.3, 0.1], [1, 1, 1]),
    ([0.1, 0.2, 0.2], [1, 1, 1]),
    ([0.1, 0.2, 0.2], [2, 3, 2]),
    ([0.5, 0.5, 0.02], [2, 1, 1]),
    ([0.5, 0.4, 0.4], [1, 1, 1]),
    ([0.2, 0.6, 0.3], [1, 4, 2]),
];
const HALVES: [[f64; 3]; 4] = [[0.5, 0.5, 0.5], [0.3, 0.3, 0.1], [0.1, 0.15, 0.3], [0.6, 0.05, 0.2]];

/// Places of an interval of half length `own` on one of half length `other` that share at least a tenth of the shorter one:
/// centred, ends aligned, barely off it, hanging over, anywhere.
fn offsets(own: f64, other: f64, random: &mut Random) -> Vec<f64> {
    let least = 1.8 * own.min(other);
    let aligned = own - other;
    let far = own + other - 0.2 * own.min(other);
    let mut all = vec![0.0, aligned, -aligned, aligned + 1e-7, -aligned - 3e-5, aligned + 0.01, far, -far];
    all.push(random.between(-far, far));
    all.push(random.between(-far, far));
    all.retain(|offset| own + other - offset.abs() >= 0.1 * least);
    all
}

/// All scenes: the half lengths and cells of the block, the half lengths of what it stands on, where, and the gap.
fn scenes(mut each: impl FnMut(DVec3, [u32; 3], DVec3, DVec2, f64)) {
    let mut random = Random(11);
    for (block, cells) in BLOCKS {
        for half in HALVES {
            let [xs, ys] = [0, 1].map(|axis| offsets(block[axis], half[axis], &mut random));
            for (i, &x) in xs.iter().enumerate() {
                for (j, &y) in ys.iter().enumerate() {
                    let gap = GAPS[(i + 3 * j) % GAPS.len()];
                    each(DVec3::from(block), cells, DVec3::from(half), DVec2::new(x, y), gap);
                    if i == j {
                        GAPS.iter().for_each(|&gap| each(block.into(), cells, half.into(), DVec2::new(x, y), gap));
                    }
                }
            }
        }
    }
}

fn motions() -> [Pose; 3] {
    let mut random = Random(5);
    let anywhere = Pose::new(random.point(1.0), random.rotation());
    [Pose::IDENTITY, Pose::new(DVec3::ZERO, DQuat::from_rotation_x(0.5 * std::f64::consts::PI)), anywhere]
}

/// What is wrong, counted by kind, with the first few examples.
#[derive(Default)]
struct Faults {
    kinds: BTreeMap<&'static str, (usize, Vec<String>)>,
    scenes: usize,
}

impl Faults {
    fn add(&mut self, kind: &'static str, example: String) {
        let (count, examples) = self.kinds.entry(kind).or_default();
        *count += 1;
        if examples.len() < 3 {
            examples.push(example);
        }
    }

    /// Contacts of faces in the plane across the `z` of a motion; `same_gap`: all of them have the imposed one.
    fn judge(&mut self, found: &[Contact], motion: &Pose, gap: f64, same_gap: bool, label: &str) {
        self.scenes += 1;
        let (up, back) = (motion.rotation * DVec3::Z, motion.inverse());
        for contact in found {
            let say = || {
                let (normal, points) = (back.rotation * contact.normal, contact.points.map(|point| back * point));
                format!("{label}: gap {:e}, normal {normal:?}, points {points:?}", contact.gap)
            };
            if contact.gap < 1.01 * gap.min(0.0) - 1e-9 {
                self.add("too deep", say());
            } else if contact.gap > gap.max(0.0) + 1e-9 {
                // What is farther away than the fronts are from each other is a distance like any other.
            } else if (contact.normal - up).length() > 2e-3 {
                self.add("another normal", say());
            } else if same_gap && (contact.gap - gap).abs() > 1e-10 {
                self.add("another gap", say());
            }
        }
        if found.is_empty() {
            self.add("no contact", label.into());
        }
    }

    /// The corners of the rectangle that two rectangles share, the second one about the origin, all touch.
    fn judge_corners(&mut self, found: &[Contact], motion: &Pose, half: [DVec2; 2], shift: DVec2, label: &str) {
        let (low, high) = ((shift - half[0]).max(-half[1]), (shift + half[0]).min(half[1]));
        let back = motion.inverse();
        for corner in [low, high, DVec2::new(low.x, high.y), DVec2::new(high.x, low.y)] {
            let off = |contact: &Contact| ((back * contact.points[1]).truncate() - corner).length();
            let nearest = found.iter().map(off).fold(f64::INFINITY, f64::min);
            if nearest > 1e-4 {
                self.add("a corner does not touch", format!("{label}: {corner}, the nearest contact {nearest} away"));
            }
        }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        let mut all = format!("in {} scenes", self.scenes);
        for (kind, (count, examples)) in &self.kinds {
            all += &format!("\n{kind}: {count}\n  {}", examples.join("\n  "));
        }
        assert!(std::thread::panicking() || self.kinds.is_empty(), "{all}");
    }
}

fn boxes(half: DVec3) -> Vec<Shape> {
    let shell = Skin::cuboid(half, 1);
    vec![
        Shape::Cuboid { half },
        Shape::ConvexHull { points: shell.nodes.clone().into() },
        Shape::Compound { parts: vec![(Pose::IDENTITY, Shape::Cuboid { half })].into() },
        Shape::TriangleMesh(Arc::new(Mesh::new(shell.nodes, shell.triangles).expect("a closed mesh"))),
    ]
}

#[test]
fn a_pad_flush_on_a_box_touches_with_its_front_alone() {
    let mut faults = Faults::default();
    scenes(|block, cells, half, shift, gap| {
        for shape in boxes(half) {
            for motion in motions() {
                let place = motion * Pose::at(shift.extend(block.z + gap));
                let label = format!("{} {half}, block {block} {cells:?} at {shift}, gap {gap:e}", shape.kind());
                let skin = Skin::brick(block, cells).moved(place);
                let pose = motion * Pose::at(DVec3::Z * -half.z);
                let mut model = Model::new(vec![Collider::new(0, shape.clone())], std::slice::from_ref(&skin), |_| {});
                let found = model.detect(&[pose], &skin.nodes, 2e-3);
                check(&found, &skin);
                faults.judge(&found, &motion, gap, true, &label);
                faults.judge_corners(&found, &motion, [block.truncate(), half.truncate()], shift, &label);
            }
        }
    });
}

#[test]
fn soft_blocks_flush_on_each_other_touch_with_their_fronts_alone() {
    let mut faults = Faults::default();
    scenes(|block, cells, half, shift, gap| {
        for lower_cells in [[1, 1, 1], [2, 3, 1]] {
            for motion in motions() {
                let label = format!("{half} {lower_cells:?}, block {block} {cells:?} at {shift}, gap {gap:e}");
                let lower = Skin::brick(half, lower_cells).moved(motion * Pose::at(DVec3::Z * -half.z));
                let upper = Skin::brick(block, cells).moved(motion * Pose::at(shift.extend(block.z + gap)));
                let nodes: Vec<DVec3> = lower.nodes.iter().chain(&upper.nodes).copied().collect();
                let found = Model::new(Vec::new(), &[lower, upper], |_| {}).detect(&[], &nodes, 2e-3);
                faults.judge(&found, &motion, gap, true, &label);
                faults.judge_corners(&found, &motion, [block.truncate(), half.truncate()], shift, &label);
            }
        }
    });
}

#[test]
fn a_pad_flush_on_the_cap_of_a_cylinder_or_the_base_of_a_cone_touches_with_its_front_alone() {
    let mut faults = Faults::default();
    scenes(|block, cells, half, shift, gap| {
        let (half_height, radius) = (half.z, half.x);
        let beside = (shift.abs() - block.truncate()).max(DVec2::ZERO).length();
        // A node on the rim may leave either way.
        let nodes = Skin::brick(block, cells).nodes;
        let on_rim = |node: &DVec3| ((shift + node.truncate()).length() - radius).abs() < 5e-3;
        if beside > 0.9 * radius || nodes.iter().any(on_rim) {
            return;
        }
        let over = DQuat::from_rotation_x(std::f64::consts::PI);
        for (shape, turn) in
            [(Shape::Cylinder { half_height, radius }, DQuat::IDENTITY), (Shape::Cone { half_height, radius }, over)]
        {
            for motion in motions() {
                let label =
                    format!("{} {half_height} {radius}, block {block} {cells:?} at {shift}, gap {gap:e}", shape.kind());
                let skin = Skin::brick(block, cells).moved(motion * Pose::at(shift.extend(block.z + gap)));
                let pose = motion * Pose::new(DVec3::Z * -half_height, turn);
                let mut model = Model::new(vec![Collider::new(0, shape.clone())], std::slice::from_ref(&skin), |_| {});
                let found = model.detect(&[pose], &skin.nodes, 2e-3);
                faults.judge(&found, &motion, gap, false, &label);
            }
        }
    });
}

#[test]
fn a_ball_pressed_into_a_block_beside_its_rim_leaves_by_the_nearer_face() {
    for (block, cells) in BLOCKS {
        let block = DVec3::from(block);
        let skin = Skin::brick(block, cells);
        let radius = 0.05;
        for inset in [1e-3, 0.01, 0.05] {
            for depth in [1e-4, 5e-4] {
                let centre = DVec3::new(block.x - inset, 0.013, block.z + radius - depth);
                for motion in motions() {
                    let moved = skin.moved(motion);
                    let ball = Collider::new(0, Shape::Sphere { radius });
                    let mut model = Model::new(vec![ball], std::slice::from_ref(&moved), |_| {});
                    let found = model.detect(&[motion * Pose::at(centre)], &moved.nodes, 0.0);
                    let deepest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).expect("a contact");
                    assert!((deepest.gap + depth).abs() < 1e-12, "{block} {cells:?} {inset} {depth}: {found:#?}");
                    let down = motion.rotation * -DVec3::Z;
                    assert!((deepest.normal - down).length() < 1e-9, "{block} {cells:?} {inset} {depth}: {found:#?}");
                }
            }
        }
    }
}

/// Blocks turned about z, tilted a little and with nodes out of place: the deepest contact is not deeper than the lowest
/// node that was pressed in, and nothing pushes sideways.
#[test]
fn pads_turned_tilted_and_uneven_are_not_deeper_than_pressed() {
    let mut random = Random(21);
    let mut faults = Faults::default();
    scenes(|block, cells, half, shift, gap| {
        let (tilt, uneven) = (random.between(0.0, 2e-3), random.between(0.0, 1e-4));
        let axis = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0).normalize_or_zero();
        let turn = DQuat::from_axis_angle(axis, tilt) * DQuat::from_rotation_z(random.between(-0.3, 0.3));
        let place = Pose::new((0.5 * shift).extend(block.z + gap), turn);
        let mut upper = Skin::brick(block, cells).moved(place);
        upper.nodes.iter_mut().for_each(|node| *node += random.point(uneven));
        let lowest = upper.nodes.iter().map(|node| node.z).fold(f64::INFINITY, f64::min);
        let motion = motions()[2];
        let upper = upper.moved(motion);
        let lower = Skin::brick(half, [2, 1, 1]).moved(motion * Pose::at(DVec3::Z * -half.z));
        let pose = motion * Pose::at(DVec3::Z * -half.z);
        let nodes: Vec<DVec3> = lower.nodes.iter().chain(&upper.nodes).copied().collect();
        let soft = Model::new(Vec::new(), &[lower, upper.clone()], |_| {}).detect(&[], &nodes, 5e-4);
        let rigid = Model::new(vec![Collider::new(0, Shape::Cuboid { half })], std::slice::from_ref(&upper), |_| {})
            .detect(&[pose], &upper.nodes, 5e-4);
        for (kind, found) in [("soft", soft), ("rigid", rigid)] {
            faults.scenes += 1;
            for contact in found.iter().filter(|contact| contact.gap <= 0.0) {
                let normal = motion.inverse().rotation * contact.normal;
                let points = contact.points.map(|point| motion.inverse() * point);
                let say = format!(
                    "{kind} {half}, block {block} {cells:?} at {place:?}: lowest {lowest}, gap {}, normal {normal}, {points:?}",
                    contact.gap
                );
                if contact.gap < 1.01 * lowest.min(0.0) - 1e-9 {
                    faults.add("too deep", say);
                } else if normal.z < 0.9 {
                    faults.add("sideways", say);
                }
            }
        }
    });
}

#[test]
fn true_deep_contacts_remain() {
    // Triangles of a block of one cell a side have edges of 0.8 and 1.13: solid to 0.56.
    let skin = Skin::cuboid(DVec3::splat(0.4), 1);
    for motion in motions() {
        let moved = skin.moved(motion);
        let deepest = |shape: Shape, pose: Pose| {
            let mut model = Model::new(vec![Collider::new(0, shape)], std::slice::from_ref(&moved), |_| {});
            let found = model.detect(&[motion * pose], &moved.nodes, 0.0);
            let contact = *found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).expect("a contact");
            (contact.gap, motion.inverse().rotation * contact.normal)
        };
        for depth in [0.01, 0.1, 0.25] {
            let top = 0.4 - depth;
            // A ball between the nodes, a box on an edge and one on a corner, pressed into the upper face.
            let ball = deepest(Shape::Sphere { radius: 0.05 }, Pose::at(DVec3::new(0.05, 0.02, top + 0.05)));
            let slant = 0.1 * 2.0_f64.sqrt();
            let on_edge =
                Pose::new(DVec3::new(0.03, 0.0, top + slant), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4));
            let edge = deepest(Shape::Cuboid { half: DVec3::new(0.1, 0.12, 0.1) }, on_edge);
            let turn = DQuat::from_rotation_arc(DVec3::splat(-1.0).normalize(), -DVec3::Z);
            let on_tip = Pose::new(DVec3::new(0.05, 0.02, top + 0.1 * 3.0_f64.sqrt()), turn);
            let tip = deepest(Shape::Cuboid { half: DVec3::splat(0.1) }, on_tip);
            for (name, (gap, normal)) in [("ball", ball), ("edge", edge), ("tip", tip)] {
                assert!((gap + depth).abs() < 1e-12, "{name} pressed in by {depth}: {gap}");
                assert!((normal + DVec3::Z).length() < 1e-9, "{name} pressed in by {depth}: {normal}");
            }
        }
    }
}

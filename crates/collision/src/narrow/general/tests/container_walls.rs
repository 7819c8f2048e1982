//! Walls of containers from all sides, against points sampled on the surface of the other body.
//!
//! The distance of a sampled point from the wall is that from the four sides of its cross-section. Each least sample is
//! followed down by smaller and smaller steps on its patch of the surface.

use super::*;
use glam::{DQuat, DVec2};
use std::f64::consts::{FRAC_PI_2, TAU};

type Patch = Box<dyn Fn(f64, f64) -> DVec3>;

/// The surface of a core in pieces over the unit square, and the radius it is swept by.
fn patches(shape: &Shape) -> (Vec<Patch>, f64) {
    let around = |u: f64| {
        let (sin, cos) = (TAU * u).sin_cos();
        DVec3::new(cos, sin, 0.0)
    };
    match shape.clone() {
        Shape::Sphere { radius } => (vec![Box::new(|_, _| DVec3::ZERO)], radius),
        Shape::Capsule { half_height: h, radius } => {
            (vec![Box::new(move |u, _| DVec3::Z * (h * (2.0 * u - 1.0)))], radius)
        }
        Shape::Cylinder { half_height: h, radius: r } => {
            let side = move |u: f64, v: f64| around(u) * r + DVec3::Z * (h * (2.0 * v - 1.0));
            let lid = move |z: f64| move |u: f64, v: f64| around(u) * (r * v) + DVec3::Z * z;
            (vec![Box::new(side), Box::new(lid(h)), Box::new(lid(-h))], 0.0)
        }
        Shape::Cone { half_height: h, radius: r } => {
            let side = move |u: f64, v: f64| around(u) * (r * (1.0 - v)) + DVec3::Z * (h * (2.0 * v - 1.0));
            (vec![Box::new(side), Box::new(move |u, v| around(u) * (r * v) - DVec3::Z * h)], 0.0)
        }
        Shape::Cuboid { half } => {
            let mut faces: Vec<Patch> = Vec::new();
            for axis in 0..3 {
                for sign in [-1.0, 1.0] {
                    faces.push(Box::new(move |u, v| {
                        let mut p = [0.0; 3];
                        (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, 2.0 * u - 1.0, 2.0 * v - 1.0);
                        DVec3::from_array(p) * half
                    }));
                }
            }
            (faces, 0.0)
        }
        Shape::ConvexHull { points } => {
            // All triples with every other point on one side.
            let mut faces: Vec<Patch> = Vec::new();
            for i in 0..points.len() {
                for j in i + 1..points.len() {
                    for k in j + 1..points.len() {
                        let [a, b, c] = [points[i], points[j], points[k]];
                        let normal = (b - a).cross(c - a);
                        let sides = points.iter().map(|p| normal.dot(*p - a));
                        let (low, high) = sides.fold((0.0_f64, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
                        if low > -1e-12 || high < 1e-12 {
                            faces.push(Box::new(move |u, v| {
                                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                                a + (b - a) * u + (c - a) * v
                            }));
                        }
                    }
                }
            }
            (faces, 0.0)
        }
        other => unreachable!("{}", other.kind()),
    }
}

struct Wall {
    corners: [DVec2; 4],
}

impl Wall {
    fn new(bottom: f64, top: f64, h: f64, thickness: f64) -> Self {
        let across = thickness / (2.0 * h / (2.0 * h).hypot(top - bottom));
        let corners = [(bottom, -h), (bottom + across, -h), (top + across, h), (top, h)];
        Self { corners: corners.map(DVec2::from) }
    }
    /// Distance from the boundary of the cross-section, negative within.
    fn distance(&self, point: DVec3) -> f64 {
        let p = DVec2::new(point.x.hypot(point.y), point.z);
        let (mut least, mut inside) = (f64::INFINITY, true);
        for i in 0..4 {
            let (a, b) = (self.corners[i], self.corners[(i + 1) % 4]);
            let s = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            least = least.min((p - a - (b - a) * s).length());
            inside &= (b - a).perp_dot(p - a) >= 0.0;
        }
        if inside { -least } else { least }
    }
}

/// Least distance of the points of a core from the wall.
fn sampled(wall: &Wall, patches: &[Patch], pose: &Pose) -> f64 {
    let count = if patches.len() > 10 { 12 } else { 40 };
    let mut starts: Vec<(f64, usize, f64, f64)> = Vec::new();
    for (index, patch) in patches.iter().enumerate() {
        for i in 0..=count {
            for j in 0..=count {
                let (u, v) = (f64::from(i) / f64::from(count), f64::from(j) / f64::from(count));
                starts.push((wall.distance(*pose * patch(u, v)), index, u, v));
            }
        }
    }
    starts.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
    let mut best = f64::INFINITY;
    for &(mut least, index, mut u, mut v) in starts.iter().take(12) {
        let mut step = 1.0 / f64::from(count);
        while step > 1e-8 {
            let mut moved = false;
            for k in 0..16 {
                let (sin, cos) = (TAU * f64::from(k) / 16.0).sin_cos();
                let (s, t) = ((u + step * cos).clamp(0.0, 1.0), (v + step * sin).clamp(0.0, 1.0));
                let value = wall.distance(*pose * patches[index](s, t));
                if value < least {
                    (least, u, v, moved) = (value, s, t, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        best = best.min(least);
    }
    best
}

fn bodies() -> Vec<Shape> {
    let mut random = Random::new(77);
    let points: Vec<DVec3> = (0..12).map(|_| random.direction() * DVec3::new(0.3, 0.2, 0.4)).collect();
    vec![
        Shape::Sphere { radius: 0.2 },
        cuboid(0.2, 0.3, 0.1),
        cuboid(0.8, 0.1, 0.05),
        Shape::Capsule { half_height: 0.5, radius: 0.1 },
        Shape::Cylinder { half_height: 0.2, radius: 0.25 },
        Shape::Cylinder { half_height: 0.7, radius: 0.1 },
        Shape::Cone { half_height: 0.3, radius: 0.25 },
        tetrahedron(),
        Shape::ConvexHull { points: points.into() },
    ]
}

/// Containers with their walls.
fn containers() -> Vec<(Shape, Wall, f64)> {
    let half_height = 0.6;
    [(0.8, 0.8, 0.1), (0.4, 1.0, 0.15), (1.0, 0.7, 0.2), (0.0, 0.8, 0.1)]
        .into_iter()
        .map(|(bottom_radius, top_radius, thickness)| {
            let shape = if bottom_radius == top_radius {
                Shape::InsideCylinder { radius: top_radius, half_height, thickness }
            } else {
                Shape::InsideCone { bottom_radius, top_radius, half_height, thickness }
            };
            (shape, Wall::new(bottom_radius, top_radius, half_height, thickness), thickness)
        })
        .collect()
}

/// A place inside, outside, above or below.
fn place(random: &mut Random) -> Pose {
    let angle = random.between(0.0, TAU);
    let across = random.between(0.0, 2.0);
    let position = DVec3::new(across * angle.cos(), across * angle.sin(), random.between(-1.3, 1.3));
    Pose::new(position, random.rotation().normalize())
}

#[test]
fn from_every_side_the_least_gap_is_the_distance_of_sampled_points() {
    let mut random = Random::new(101);
    let mut checked = 0;
    for (container, wall, _) in containers() {
        for shape in bodies() {
            let (patches, sweep) = patches(&shape);
            for _ in 0..25 {
                let (world, local) = (random.pose(2.0), place(&mut random));
                let expected = sampled(&wall, &patches, &local);
                if expected <= 1e-3 {
                    continue;
                }
                let found = detect(&container, &world, &shape, &(world * local), 10.0);
                let error = least_gap(&found) + sweep - expected;
                assert!(error < 1e-9, "{container:?} {shape:?}: {error:e} of {expected} at {local:?}");
                assert!(error > -1e-5, "{container:?} {shape:?}: {error:e} of {expected} at {local:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

#[test]
fn a_slight_overlap_from_any_side_is_pushed_back_to_where_the_body_came_from() {
    let mut random = Random::new(102);
    let mut checked = 0;
    for (container, wall, thickness) in containers() {
        for shape in bodies() {
            let (patches, sweep) = patches(&shape);
            for _ in 0..6 {
                let mut start = place(&mut random);
                // Overlapping already: there is no side it came from.
                if sampled(&wall, &patches, &start) <= sweep {
                    continue;
                }
                // Nearer and nearer, so that in the end it is the nearest features that meet.
                let nearest = |pose: &Pose| {
                    let found = detect(&container, &Pose::IDENTITY, &shape, pose, 10.0);
                    *found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap()
                };
                for _ in 0..10 {
                    let contact = nearest(&start);
                    start.position -= contact.normal * (0.7 * contact.gap);
                }
                let first = nearest(&start);
                let depth = random.between(0.01, 0.2) * thickness;
                let moved = Pose::new(start.position - first.normal * (first.gap + depth), start.rotation);
                // Pushed out along the deepest contact, a few times where it is at an edge, it is free again nearby.
                let mut pose = moved;
                for step in 0..20 {
                    let found = detect(&container, &Pose::IDENTITY, &shape, &pose, 1e-3);
                    let text = || format!("{container:?} {shape:?} by {depth} at {moved:?}: {first:?} {found:?}");
                    assert!(!found.is_empty(), "{step} {}", text());
                    let deepest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
                    assert!(step > 0 || deepest.gap < 0.0, "{}", text());
                    let core = pose.position - deepest.points[0];
                    assert!(deepest.normal.dot(core) > 0.0, "not to the side of the body: {}", text());
                    if deepest.gap > -0.02 * depth {
                        break;
                    }
                    assert!(step < 19, "{}", text());
                    pose.position -= deepest.normal * deepest.gap;
                }
                let way = (pose.position - moved.position).length();
                assert!(way < 2.5 * depth, "{way} for {depth}: {container:?} {shape:?} at {moved:?} {first:?}");
                // At edges a sampled point is deeper than the contact, by less than 1 over the sine of the angle there.
                let left = sampled(&wall, &patches, &pose) - sweep;
                assert!(left > -0.06 * depth, "{left} for {depth}: {container:?} {shape:?} at {moved:?} {first:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// Contacts of a body at rest on the ring at the upper end of a cup of radius 0.8, thickness 0.1 and height 1.2.
fn on_ring(shape: &Shape, pose: &Pose) -> Vec<Contact> {
    let cup = Shape::InsideCylinder { radius: 0.8, half_height: 0.6, thickness: 0.1 };
    detect(&cup, &Pose::IDENTITY, shape, pose, 1e-3)
}

#[test]
fn what_lies_on_a_ring_is_held_around_its_centre_by_contacts_that_keep_their_names() {
    let mut random = Random::new(103);
    let resting = [
        // A lid over all of it, a plank across, a box on one side, a rod across, a disc over all and one beside the middle.
        (cuboid(1.0, 1.1, 0.1), DVec3::new(0.05, -0.03, 0.7), DQuat::IDENTITY),
        (cuboid(1.2, 0.1, 0.05), DVec3::new(0.1, 0.2, 0.65), DQuat::from_rotation_z(0.3)),
        (cuboid(0.3, 0.2, 0.1), DVec3::new(0.83, 0.0, 0.7), DQuat::from_rotation_z(0.2)),
        (
            Shape::Capsule { half_height: 1.0, radius: 0.1 },
            DVec3::new(0.1, 0.2, 0.7),
            DQuat::from_rotation_y(FRAC_PI_2),
        ),
        (Shape::Cylinder { half_height: 0.1, radius: 1.0 }, DVec3::new(0.02, 0.0, 0.7), DQuat::IDENTITY),
        (Shape::Cylinder { half_height: 0.1, radius: 0.5 }, DVec3::new(0.84, 0.1, 0.7), DQuat::IDENTITY),
    ];
    for (shape, position, rotation) in resting {
        let first = on_ring(&shape, &Pose::new(position, rotation));
        assert!(first.len() >= 2, "{shape:?}: {first:?}");
        assert!(first.iter().all(|contact| contact.gap.abs() < 1e-9 && contact.normal.z > 1.0 - 1e-9), "{first:?}");
        // No direction has all contacts on one side of the centre, but for that across a rod.
        for k in 0..16 {
            let (sin, cos) = (f64::from(k) * TAU / 16.0).sin_cos();
            let farthest = first.iter().map(|contact| DVec3::new(cos, sin, 0.0).dot(contact.points[0] - position));
            let farthest = farthest.fold(f64::NEG_INFINITY, f64::max);
            assert!(farthest > -1e-9, "{shape:?}: all contacts are {farthest} behind: {first:?}");
        }
        for _ in 0..20 {
            let moved = Pose::new(position + random.point() * 1e-6, rotation);
            let again = on_ring(&shape, &moved);
            let names = |found: &[Contact]| found.iter().map(|contact| contact.feature).collect::<Vec<_>>();
            assert_eq!(names(&first), names(&again), "{shape:?}: {first:?} {again:?}");
        }
    }
}

#[test]
fn on_a_floor_flush_with_the_end_the_wall_does_not_come_and_go_with_rounding() {
    let cup = Shape::InsideCylinder { radius: 0.8, half_height: 0.6, thickness: 0.1 };
    let shapes = [cuboid(0.1, 0.1, 0.1), Shape::Cylinder { half_height: 0.1, radius: 0.1 }];
    for shape in shapes {
        for shift in [-1e-5, -1e-9, -1e-15, 0.0, 1e-15, 1e-9, 1e-5] {
            for gap in [-1e-5, -1e-9, 0.0, 1e-9, 1e-5] {
                // Inside, the two corners of a box at the wall are 0.1 m beside its middle; outside its face is.
                let inner = if let Shape::Cuboid { .. } = shape { (0.64 - 0.01_f64).sqrt() } else { 0.8 } - 0.1 - gap;
                for (across, out) in [(inner, -1.0), (1.0 + gap, 1.0)] {
                    let pose = Pose::at(DVec3::new(across, 0.0, -0.5 + shift));
                    let found = detect(&cup, &Pose::IDENTITY, &shape, &pose, 1e-3);
                    let held: Vec<_> = found.iter().filter(|contact| out * contact.normal.x > 0.9).collect();
                    assert!(held.len() >= 2, "{shape:?} {shift:e} {gap:e} {out}: {found:?}");
                    assert!(
                        held.iter().all(|contact| (contact.gap - gap).abs() < 0.2 * gap.abs() + 1e-9),
                        "{shift:e} {gap:e} {found:?}"
                    );
                    let (low, high) = held.iter().fold((0.0_f64, -1.0_f64), |(low, high), contact| {
                        (low.min(contact.points[0].z), high.max(contact.points[0].z))
                    });
                    assert!(low < -0.59 && high > -0.45, "{shape:?} {shift:e} {gap:e} {out}: {found:?}");
                }
            }
        }
    }
}

//! Walls of containers from all sides, against points sampled on the surface of the other body.
//!
//! The distance of a sampled point from the wall is that from the four sides of its cross-section. Each least sample is
//! followed down by smaller and smaller steps on its patch of the surface.

use super::*;
use glam::DVec2;

type Patch = Box<dyn Fn(f64, f64) -> DVec3>;

/// The surface of a core in pieces over the unit square, and the radius it is swept by.
fn patches(shape: &Shape) -> (Vec<Patch>, f64) {
    let around = |u: f64| {
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
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
    for &(mut least, index, mut u, mut v) in starts.iter().take(30) {
        let mut step = 1.0 / f64::from(count);
        while step > 1e-9 {
            let mut moved = false;
            for k in 0..16 {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 16.0).sin_cos();
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
    let angle = random.between(0.0, std::f64::consts::TAU);
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
                assert!(
                    error < 1e-9,
                    "{container:?} {shape:?}: {error:e} of {expected} at {local:?} {:?}",
                    detect(&container, &Pose::IDENTITY, &shape, &local, 10.0)
                );
                assert!(error > -1e-5, "{} {}: {error:e} of {expected} at {local:?}", container.kind(), shape.kind());
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
            for _ in 0..40 {
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
                assert!(sampled(&wall, &patches, &pose) > sweep - 0.03 * depth);
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

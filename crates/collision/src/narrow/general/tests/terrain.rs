//! Bodies in and above hills, judged by points of their surfaces and the height of the ground. Nothing here uses the code
//! under test: points of bodies are made from their formulas, and the distance of a point below ground from the surface is
//! that to the nearest point of the nearest triangle, by projection onto planes and sides.

use super::*;
use crate::Mesh;
use std::sync::Arc;

const CELLS: usize = 12;
const CELL: f64 = 0.2;

/// Hills over a square about the origin.
struct Hills {
    heights: Vec<f64>,
    mesh: Mesh,
}

impl Hills {
    fn new(seed: u64, rough: f64) -> Self {
        let mut random = Random::new(seed);
        let phases: Vec<f64> = (0..6).map(|_| random.between(0.0, 6.3)).collect();
        let place = |i: usize| (i as f64 - 0.5 * CELLS as f64) * CELL;
        let mut heights = Vec::new();
        for iy in 0..=CELLS {
            for ix in 0..=CELLS {
                let (x, y) = (place(ix), place(iy));
                let wave = 0.10 * (2.1 * x + phases[0]).sin() * (1.7 * y + phases[1]).cos()
                    + 0.05 * (4.3 * x + 2.0 * y + phases[2]).sin();
                heights.push(wave + random.between(-rough, rough));
            }
        }
        let vertices = (0..heights.len())
            .map(|i| DVec3::new(place(i % (CELLS + 1)), place(i / (CELLS + 1)), heights[i]))
            .collect();
        let mut triangles = Vec::new();
        for iy in 0..CELLS {
            for ix in 0..CELLS {
                let corner = (iy * (CELLS + 1) + ix) as u32;
                let above = corner + CELLS as u32 + 1;
                triangles.extend([[corner, corner + 1, above + 1], [corner, above + 1, above]]);
            }
        }
        Self { heights, mesh: Mesh::new(vertices, triangles).unwrap() }
    }

    fn shapes(&self) -> [Shape; 2] {
        let size = [CELLS as f64 * CELL; 2];
        [
            Shape::TriangleMesh(Arc::new(self.mesh.clone())),
            Shape::HeightField { heights: self.heights.clone().into(), columns: CELLS + 1, size },
        ]
    }

    /// Height of the ground: the two triangles of a cell share the diagonal from its low corner to its high one.
    fn height(&self, x: f64, y: f64) -> f64 {
        let to_cell = |x: f64| (x / CELL + 0.5 * CELLS as f64).clamp(0.0, CELLS as f64 - 1e-9);
        let (u, v) = (to_cell(x), to_cell(y));
        let (ix, iy) = (u.floor() as usize, v.floor() as usize);
        let (s, t) = (u - ix as f64, v - iy as f64);
        let at = |dx: usize, dy: usize| self.heights[(iy + dy) * (CELLS + 1) + ix + dx];
        if s >= t {
            at(0, 0) + s * (at(1, 0) - at(0, 0)) + t * (at(1, 1) - at(1, 0))
        } else {
            at(0, 0) + t * (at(0, 1) - at(0, 0)) + s * (at(1, 1) - at(0, 1))
        }
    }

    /// How deep a point is below the ground: its distance from the surface; 0 above.
    fn depth(&self, point: DVec3) -> f64 {
        let below = self.height(point.x, point.y) - point.z;
        if below <= 0.0 {
            return 0.0;
        }
        let mut least = below;
        for t in 0..self.mesh.triangles.len() {
            let corners = self.mesh.corners(t);
            if corners.iter().all(|corner| (corner.x - point.x).abs() > CELL + below) {
                continue;
            }
            least = least.min(distance(point, corners));
        }
        least
    }
}

/// Distance of a point from a triangle: from its plane if the foot is inside, else from its sides.
fn distance(point: DVec3, corners: [DVec3; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalize();
    let foot = point - normal * normal.dot(point - a);
    let sides = [(a, b), (b, c), (c, a)];
    if sides.iter().all(|(p, q)| (*q - *p).cross(foot - *p).dot(normal) >= 0.0) {
        return (point - foot).length();
    }
    let from_side = |(p, q): (DVec3, DVec3)| {
        let share = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        (point - p - (q - p) * share).length()
    };
    sides.map(from_side).into_iter().fold(f64::INFINITY, f64::min)
}

/// A body: its shape, sharp corners, and many points of its surface.
struct Sampled {
    shape: Shape,
    corners: Vec<DVec3>,
    points: Vec<DVec3>,
}

/// Points of the triangles between the corners of flat faces.
fn faces_of(points: &[DVec3]) -> (Vec<DVec3>, Vec<DVec3>) {
    const STEPS: usize = 12;
    let (corners, faces) = crate::shape::hull_faces(points).unwrap();
    let mut all = Vec::new();
    for face in faces {
        for k in 1..face.len() - 1 {
            let [a, b, c] = [face[0], face[k], face[k + 1]].map(|corner| corners[corner as usize]);
            for i in 0..=STEPS {
                for j in 0..=STEPS - i {
                    let (s, t) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                    all.push(a + (b - a) * s + (c - a) * t);
                }
            }
        }
    }
    (corners, all)
}

fn boxes_and_hulls() -> Vec<Sampled> {
    let polyhedron = |shape: Shape, points: Vec<DVec3>| {
        let (corners, points) = faces_of(&points);
        Sampled { shape, corners, points }
    };
    let sign = |bit: usize| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let signs = |h: DVec3| -> Vec<DVec3> {
        (0..8).map(|i: usize| h * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect()
    };
    let block = DVec3::new(0.09, 0.12, 0.07);
    let plate = DVec3::new(0.3, 0.3, 0.06);
    let prism: Vec<DVec3> = (0..12)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k % 6) / 6.0;
            DVec3::new(0.1 * angle.cos(), 0.1 * angle.sin(), if k < 6 { -0.08 } else { 0.08 }) + DVec3::X * 0.5
        })
        .collect();
    vec![
        polyhedron(Shape::Cuboid { half: block }, signs(block)),
        polyhedron(Shape::Cuboid { half: plate }, signs(plate)),
        polyhedron(Shape::ConvexHull { points: prism.clone().into() }, prism),
    ]
}

/// Hulls of random points, with thin and flat ones among them.
fn random_hulls() -> Vec<Sampled> {
    let mut random = Random::new(5);
    (0..12)
        .map(|_| {
            let half = DVec3::from_array(std::array::from_fn(|_| random.between(0.08, 0.16)));
            let points: Vec<DVec3> = (0..10).map(|_| random.point() * half).collect();
            let (corners, sampled) = faces_of(&points);
            Sampled { shape: Shape::ConvexHull { points: points.into() }, corners, points: sampled }
        })
        .collect()
}

/// A round body: a circle of profile points turned about z.
fn turned(shape: Shape, profile: &[(f64, f64)]) -> Sampled {
    let around = (0..72).map(|k| std::f64::consts::TAU * f64::from(k) / 72.0);
    let points =
        around.flat_map(|angle| profile.iter().map(move |&(r, z)| DVec3::new(r * angle.cos(), r * angle.sin(), z)));
    Sampled { shape, corners: Vec::new(), points: points.collect() }
}

fn round_bodies() -> Vec<Sampled> {
    // Two quarters of a circle, moved apart.
    let arc = |radius: f64, apart: f64| -> Vec<(f64, f64)> {
        let angles = (-18..=18).map(|k| std::f64::consts::FRAC_PI_2 * f64::from(k) / 18.0);
        angles.map(|a| (radius * a.cos(), radius * a.sin() + if a < 0.0 { -apart } else { apart })).collect()
    };
    let line = |(r, z): (f64, f64), (s, w): (f64, f64)| -> Vec<(f64, f64)> {
        (0..=16).map(|k| f64::from(k) / 16.0).map(|t| (r + (s - r) * t, z + (w - z) * t)).collect()
    };
    let mut capsule = arc(0.06, 0.1);
    capsule.extend(line((0.06, -0.1), (0.06, 0.1)));
    let mut cylinder = line((0.0, -0.1), (0.08, -0.1));
    cylinder.extend(line((0.08, -0.1), (0.08, 0.1)));
    cylinder.extend(line((0.08, 0.1), (0.0, 0.1)));
    let mut cone = line((0.0, -0.12), (0.12, -0.12));
    cone.extend(line((0.12, -0.12), (0.0, 0.12)));
    vec![
        turned(Shape::Sphere { radius: 0.09 }, &arc(0.09, 0.0)),
        turned(Shape::Capsule { half_height: 0.1, radius: 0.06 }, &capsule),
        turned(Shape::Cylinder { half_height: 0.1, radius: 0.08 }, &cylinder),
        turned(Shape::Cone { half_height: 0.12, radius: 0.12 }, &cone),
    ]
}

/// Whether a point is in a body or within a micrometre of it.
fn is_in(shape: &Shape, p: DVec3) -> bool {
    const SLACK: f64 = 1e-6;
    let far = p.truncate().length();
    match shape {
        Shape::Cuboid { half } => (p.abs() - *half).max_element() < SLACK,
        Shape::Sphere { radius } => p.length() < radius + SLACK,
        Shape::Capsule { half_height, radius } => {
            (p - DVec3::Z * p.z.clamp(-half_height, *half_height)).length() < radius + SLACK
        }
        Shape::Cylinder { half_height, radius } => far < radius + SLACK && p.z.abs() < half_height + SLACK,
        Shape::Cone { half_height, radius } => {
            let share = (half_height - p.z) / (2.0 * half_height);
            p.z > -half_height - SLACK && far < radius * share + SLACK
        }
        Shape::ConvexHull { points } => {
            let (corners, faces) = crate::shape::hull_faces(points).unwrap();
            faces.iter().all(|face| {
                let [a, b, c] = [face[0], face[1], face[2]].map(|corner| corners[corner as usize]);
                (b - a).cross(c - a).normalize().dot(p - a) < SLACK
            })
        }
        _ => false,
    }
}

/// What a series of poses gave.
#[derive(Debug, Default)]
struct Tally {
    poses: usize,
    /// Points below ground by more than a millimetre, and no contact below zero.
    untouched: usize,
    /// Corners below ground without a contact as deep at a place on the body near it or deeper elsewhere.
    bare_corners: usize,
    shallow: usize,
    deep: usize,
    least_share: f64,
    most_share: f64,
    most_contacts: usize,
    contacts: usize,
}

fn judge(body: &Sampled, rough: f64, rounds: usize) -> [Tally; 2] {
    let mut tallies = [0, 1].map(|_| Tally { least_share: f64::INFINITY, ..Tally::default() });
    let mut random = Random::new(77);
    for round in 0..rounds {
        let hills = Hills::new(round as u64 % 8, rough);
        let turn = random.rotation().normalize();
        let place = random.point() * DVec3::new(0.5, 0.5, 0.0);
        let world: Vec<DVec3> = body.points.iter().map(|&p| place + turn * p).collect();
        // Lowered until its lowest point is as deep below the ground, along z, as wanted.
        let clear = world.iter().map(|p| p.z - hills.height(p.x, p.y)).fold(f64::INFINITY, f64::min);
        let wanted = random.between(-0.02, 0.03);
        let shift = DVec3::Z * -(clear + wanted);
        let pose = Pose::new(place + shift, turn);
        let centre = match &body.shape {
            Shape::ConvexHull { points } => points.iter().sum::<DVec3>() / points.len() as f64,
            _ => DVec3::ZERO,
        };
        let centre = pose * centre;
        if centre.z < hills.height(centre.x, centre.y) + 1e-3 {
            continue;
        }
        let deepest = world.iter().map(|&p| hills.depth(p + shift)).fold(0.0, f64::max);
        for (shape, tally) in hills.shapes().iter().zip(&mut tallies) {
            let found = detect(shape, &Pose::IDENTITY, &body.shape, &pose, 0.025);
            tally.poses += 1;
            tally.contacts += found.len();
            tally.most_contacts = tally.most_contacts.max(found.len());
            let depth = -least_gap(&found);
            // Between the points of the body there may be deeper ones: those of contacts, if they are on the body.
            let on_body = |c: &&Contact| is_in(&body.shape, pose.inverse() * c.points[1]);
            let deepest = found.iter().filter(on_body).map(|c| hills.depth(c.points[1])).fold(deepest, f64::max);
            if deepest == 0.0 {
                // Above: nothing overlaps, and what is near is found. Slopes are below 45°.
                let heights = world.iter().map(|&p| p + shift).map(|p| p.z - hills.height(p.x, p.y));
                let near = heights.fold(f64::INFINITY, f64::min) < 0.02;
                tally.untouched += usize::from(near && found.is_empty());
                tally.deep += usize::from(depth > 1e-9);
                continue;
            }
            if deepest < 1e-3 {
                continue;
            }
            tally.untouched += usize::from(depth <= 0.0);
            let share = depth / deepest;
            tally.least_share = tally.least_share.min(share);
            tally.most_share = tally.most_share.max(share);
            // Where a ridge cuts off the tip of a cone, it is the tip that is pushed back, which may be less deep.
            // Where several ridges meet within a sharp body, each of them pushes it out on its own.
            let (least, most) = match body.shape {
                Shape::Cone { .. } => (0.8, 1.1),
                Shape::ConvexHull { .. } => (0.85, 1.7),
                _ => (0.9, 1.1),
            };
            tally.shallow += usize::from(share < least);
            tally.deep += usize::from(share > most);
            if !(0.9..=1.1).contains(&share) && std::env::var_os("SIGNORINI_TRACE").is_some() {
                println!("{} {share:.3} of {deepest:.5} round {round} on {}", body.shape.kind(), shape.kind());
                let at = world.iter().find(|&&p| hills.depth(p + shift) == deepest);
                println!("   deepest {at:?}, on the body {:?}", at.map(|&p| pose.inverse() * (p + shift)));
                for c in &found {
                    println!(
                        "   {:?} {:.5} at {:.4?} true {:.5}",
                        c.normal,
                        c.gap,
                        c.points[1],
                        hills.depth(c.points[1])
                    );
                }
            }
            for &corner in &body.corners {
                let corner = pose * corner;
                let own = hills.depth(corner);
                let held = |c: &Contact| (c.points[1] - corner).length() < 1e-6 && -c.gap > 0.8 * own;
                // A corner that others imply is not deeper than they are.
                let covered = found.iter().any(held) || depth >= own;
                tally.bare_corners += usize::from(own > 1e-4 && !covered);
            }
        }
    }
    tallies
}

fn check(bodies: &[Sampled], rough: f64, rounds: usize) {
    for body in bodies {
        for (tally, ground) in judge(body, rough, rounds).iter().zip(["mesh", "height field"]) {
            let context = format!("{} on a {ground} of roughness {rough}: {tally:?}", body.shape.kind());
            println!("{context}");
            assert!(tally.poses > rounds / 2, "{context}");
            let wrong = [tally.untouched, tally.bare_corners, tally.shallow, tally.deep];
            assert_eq!(wrong, [0; 4], "{context}");
        }
    }
}

#[test]
fn boxes_and_hulls_in_hills_are_as_deep_as_their_points() {
    check(&boxes_and_hulls(), 0.0, 400);
}

#[test]
fn random_hulls_in_hills_are_as_deep_as_their_points() {
    check(&random_hulls(), 0.0, 400);
    check(&random_hulls(), 0.02, 150);
}

#[test]
fn round_bodies_in_hills_are_as_deep_as_their_points() {
    check(&round_bodies(), 0.0, 200);
}

#[test]
fn bodies_on_rough_ground_are_as_deep_as_their_points() {
    check(&boxes_and_hulls(), 0.02, 150);
    check(&round_bodies(), 0.02, 150);
}

#[test]
#[ignore = "a measurement: cargo test -p signorini-collision --lib cost_of_a_query -- --ignored --nocapture"]
fn cost_of_a_query() {
    let wave = |x: f64, y: f64| 0.1 * (2.1 * x).sin() * (1.7 * y).cos() + 0.05 * (4.3 * x + 2.0 * y).sin();
    const N: usize = 41;
    let place = |i: usize| (i as f64 - 20.0) * 0.2;
    let heights: Vec<f64> = (0..N * N).map(|i| wave(place(i % N), place(i / N))).collect();
    let ground = Shape::HeightField { heights: heights.into(), columns: N, size: [8.0, 8.0] };
    let mut workspace = Workspace::default();
    for body in boxes_and_hulls().iter().chain(&round_bodies()) {
        let mut random = Random::new(3);
        let prepared = [&ground, &body.shape].map(|shape| Prepared::new(shape, 0.0).unwrap());
        let poses: Vec<Pose> = (0..500)
            .map(|_| {
                let (turn, place) = (random.rotation().normalize(), random.point() * DVec3::new(3.0, 3.0, 0.0));
                let clear = body.points.iter().map(|&p| place + turn * p).map(|p| p.z - wave(p.x, p.y));
                Pose::new(place - DVec3::Z * clear.fold(f64::INFINITY, f64::min), turn)
            })
            .collect();
        let (start, mut count) = (std::time::Instant::now(), 0);
        for _ in 0..20 {
            for pose in &poses {
                let [a, b] = &prepared;
                contacts(&mut workspace, a, &Pose::IDENTITY, b, pose, 0.005, &mut |_, _, _, _| count += 1);
            }
        }
        let cost = start.elapsed().as_secs_f64() * 1e6 / (20 * poses.len()) as f64;
        println!("{}: {cost:.2} µs, {:.2} contacts", body.shape.kind(), count as f64 / (20 * poses.len()) as f64);
    }
}

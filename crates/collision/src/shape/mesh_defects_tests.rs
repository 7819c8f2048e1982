//! Surfaces made here with known faults, and surfaces without any. Crossing triangles are told by whole numbers, nested
//! boxes by their sides.

use super::*;
use crate::random::Random;
use crate::{Pose, Shape};
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The six sides of a box as two triangles each, outwards.
fn cuboid(low: DVec3, high: DVec3) -> Vec<[DVec3; 3]> {
    let corner = |i: usize| {
        let pick = |bit: usize, low: f64, high: f64| if i >> bit & 1 == 1 { high } else { low };
        DVec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
}

fn cube(centre: DVec3, half: f64) -> Vec<[DVec3; 3]> {
    cuboid(centre - half, centre + half)
}

fn reversed(triangles: Vec<[DVec3; 3]>) -> Vec<[DVec3; 3]> {
    triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect()
}

fn mesh(triangles: &[[DVec3; 3]]) -> Mesh {
    Mesh::from_loose_triangles(triangles).unwrap()
}

/// A grid of triangles over (u, v) in the unit square.
fn grid(columns: usize, rows: usize, place: impl Fn(f64, f64) -> DVec3) -> Vec<[DVec3; 3]> {
    let at = |i: usize, j: usize| place(i as f64 / columns as f64, j as f64 / rows as f64);
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Triangles without area are left out.
fn with_area(triangles: Vec<[DVec3; 3]>) -> Vec<[DVec3; 3]> {
    triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a).collect()
}

fn on_circle(u: f64) -> DVec3 {
    // The last point is the first one, to the bit.
    let angle = if u == 1.0 { 0.0 } else { TAU * u };
    DVec3::new(angle.cos(), angle.sin(), 0.0)
}

fn ball(around: usize) -> Vec<[DVec3; 3]> {
    with_area(grid(around, around / 2, |u, v| match v {
        0.0 => DVec3::NEG_Z,
        1.0 => DVec3::Z,
        _ => {
            let polar = 0.5 * TAU * v;
            on_circle(u) * polar.sin() - DVec3::Z * polar.cos()
        }
    }))
}

fn terrain(cells: usize) -> Vec<[DVec3; 3]> {
    grid(cells, cells, |u, v| DVec3::new(10.0 * u, 10.0 * v, 0.3 * (7.0 * u).sin() * (5.0 * v).cos()))
}

/// A cup of one layer: a bottom and a wall, of radius 1.
fn cup(around: usize, layers: usize, height: f64) -> Vec<[DVec3; 3]> {
    let bottom = grid(around, 1, |u, v| on_circle(u) * v);
    let wall = grid(around, layers, |u, v| on_circle(u) + DVec3::Z * (height * v));
    with_area([bottom, wall].concat())
}

fn funnel(bottom: f64, around: usize) -> Vec<[DVec3; 3]> {
    grid(around, 1, |u, v| on_circle(u) * (bottom + (1.0 - bottom) * v) + DVec3::Z * v)
}

/// The same numbers as an STL file has them.
fn rounded(triangles: Vec<[DVec3; 3]>) -> Vec<[DVec3; 3]> {
    triangles.into_iter().map(|corners| corners.map(|corner| corner.as_vec3().as_dvec3())).collect()
}

fn moved(triangles: &[[DVec3; 3]], pose: &Pose) -> Vec<[DVec3; 3]> {
    triangles.iter().map(|corners| corners.map(|corner| *pose * corner)).collect()
}

#[test]
fn good_solids_and_sheets_have_no_defects_wherever_they_are() {
    let room = [cube(DVec3::ZERO, 2.0), reversed(cube(DVec3::ZERO, 1.9))].concat();
    let ball_in_room = [room.clone(), ball(16)].concat();
    let good = [
        ("cube", cube(DVec3::ZERO, 1.0)),
        ("ball", ball(32)),
        ("room", room),
        ("ball in room", ball_in_room),
        (
            "cubes that touch",
            [cuboid(-DVec3::ONE, DVec3::ONE), cuboid(DVec3::new(1.0, -0.3, 0.2), DVec3::splat(1.5))].concat(),
        ),
        ("cubes with one edge", [cube(DVec3::ZERO, 1.0), cube(DVec3::new(2.0, 2.0, 0.0), 1.0)].concat()),
        ("cubes with one corner", [cube(DVec3::ZERO, 1.0), cube(DVec3::splat(2.0), 1.0)].concat()),
        ("terrain", terrain(30)),
        ("strip", grid(40, 1, |u, v| DVec3::new(40.0 * u, v, 0.0))),
        ("one cell", grid(1, 1, |u, v| DVec3::new(u, v, 0.0))),
        ("cup", cup(32, 1, 2.0)),
        ("high cup", cup(16, 64, 4.0)),
        ("funnel", funnel(0.05, 32)),
        ("square funnel", funnel(0.05, 4)),
        ("pipe", grid(24, 40, |u, v| on_circle(u) + DVec3::Z * (10.0 * v))),
        ("box without lid", cube(DVec3::ZERO, 1.0)[..10].to_vec()),
    ];
    let mut random = Random::new(3);
    for (name, triangles) in good {
        for shift in [0.0, 3.0, 40.0] {
            let triangles = rounded(moved(&triangles, &random.pose(shift)));
            let defects = mesh(&triangles).defects();
            // Cubes with a common edge have a crowded one, and nothing else.
            let crowded = usize::from(name == "cubes with one edge");
            assert_eq!(defects.topology.crowded_edges, crowded, "{name}");
            let topology = MeshTopology { crowded_edges: 0, ..defects.topology.clone() };
            let rest = MeshDefects { topology, ..defects };
            assert!(rest.is_empty(), "{name} at {shift}: {rest:?}");
        }
    }
}

#[test]
fn a_closed_piece_is_inside_out_unless_it_is_a_cavity() {
    // Boxes in boxes and beside each other, each turned outwards or inwards at random. How often the others wind around one
    // is counted from their sides.
    let mut random = Random::new(11);
    let mut seen = [0, 0];
    for case in 0..60 {
        let mut boxes: Vec<(DVec3, f64, i32)> = Vec::new();
        for tower in 0..3 {
            let foot = DVec3::X * (5.0 * f64::from(tower));
            let levels = 1 + random.bits() % 3;
            for level in 0..levels {
                let sign = if random.bits().is_multiple_of(2) { 1 } else { -1 };
                boxes.push((foot + random.point() * 0.1, 2.0 - 0.5 * level as f64, sign));
            }
        }
        let pose = random.pose(10.0);
        let triangles: Vec<[DVec3; 3]> = boxes
            .iter()
            .flat_map(|&(centre, half, sign)| {
                let outwards = moved(&cube(centre, half), &pose);
                if sign > 0 { outwards } else { reversed(outwards) }
            })
            .collect();
        let holds = |(centre, half, _): &(DVec3, f64, i32), x: DVec3| (x - *centre).abs().max_element() < *half;
        let wrong = boxes.iter().enumerate().filter(|(at, (centre, half, sign))| {
            let corner = *centre + *half;
            let others = boxes.iter().enumerate().filter(|(other, b)| other != at && holds(b, corner));
            let around: i32 = others.map(|(_, other)| other.2).sum();
            *sign < 0 && around <= 0
        });
        let expected: Vec<(u32, f64)> = wrong.map(|(at, (_, half, _))| (12 * at as u32, -8.0 * half.powi(3))).collect();
        let defects = mesh(&triangles).defects();
        assert_eq!(defects.closed_pieces, boxes.len());
        seen[0] += expected.len();
        seen[1] += boxes.iter().filter(|b| b.2 < 0).count() - expected.len();
        assert_eq!(defects.inside_out.len(), expected.len(), "case {case}: {boxes:?} {defects:?}");
        for (found, (triangle, volume)) in defects.inside_out.iter().zip(expected) {
            assert_eq!(found.triangle, triangle, "case {case}");
            assert!((found.volume / volume - 1.0).abs() < 1e-9, "case {case}: {found:?} {volume}");
        }
    }
    assert!(seen[0] > 20 && seen[1] > 20, "both kinds occur: {seen:?}");
}

#[test]
fn a_body_of_pieces_one_of_which_is_inside_out_has_no_mass() {
    let good = [cube(DVec3::ZERO, 2.0), reversed(cube(DVec3::ZERO, 1.0))].concat();
    let mass = |triangles: &[[DVec3; 3]]| Shape::TriangleMesh(Arc::new(mesh(triangles))).mass_properties();
    assert!((mass(&good).unwrap().volume - 56.0).abs() < 1e-12);
    let bad = [cube(DVec3::ZERO, 2.0), reversed(cube(DVec3::X * 5.0, 1.0))].concat();
    let error = mass(&bad).unwrap_err().to_string();
    assert!(error.contains("pieces that are inside out: 1, the first of -8.000e0 m³ at [4, -1, -1] m"), "{error}");
}

#[test]
fn small_rims_are_holes_and_those_of_sheets_are_not() {
    let holes = |triangles: &[[DVec3; 3]]| {
        let holes = mesh(triangles).defects().holes;
        holes.iter().map(|hole| hole.edges).collect::<Vec<_>>()
    };
    let without = |mut triangles: Vec<[DVec3; 3]>, gone: &[usize]| {
        let mut at = 0;
        triangles.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
        triangles
    };
    assert_eq!(holes(&without(cube(DVec3::ZERO, 1.0), &[5])), [3]);
    assert_eq!(holes(&without(ball(32), &[300, 301, 700])), [4, 3]);
    // Half of a ball is a bowl, the lower two thirds a vase.
    assert_eq!(holes(&ball(32)[..480]), [0; 0]);
    assert_eq!(holes(&ball(32)[..640]), [0; 0]);
    // A square opening of a cell in a terrain, and a triangle.
    assert_eq!(holes(&without(terrain(40), &[1640, 1641, 2501])), [4, 3]);
    // A pond of many cells is meant.
    let pond: Vec<usize> = (15..25).flat_map(|j| (0..20).map(move |i| 2 * (40 * j) + 30 + i)).collect();
    assert_eq!(holes(&without(terrain(40), &pond)), [0; 0]);
}

#[test]
fn vertices_on_open_edges_are_seams() {
    // Two fine cells beside a coarse one: one vertex on the coarse side.
    let coarse = grid(1, 1, |u, v| DVec3::new(u - 1.0, v, 0.0));
    let fine = grid(2, 2, |u, v| DVec3::new(u, v, 0.0));
    let joint = mesh(&[coarse, fine].concat());
    let defects = joint.defects();
    assert_eq!(defects.seams.len(), 1, "{defects:?}");
    let Seam { vertex, edge } = defects.seams[0];
    assert_eq!(joint.vertices[vertex as usize], DVec3::new(0.0, 0.5, 0.0));
    let mut ends = edge.map(|end| joint.vertices[end as usize].to_array());
    ends.sort_by(|a, b| a[1].total_cmp(&b[1]));
    assert_eq!(ends, [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert!(defects.holes.is_empty() && defects.crossings.pairs.is_empty());

    // Halves of a ball whose equators differ by the last digit of a file: the equator has 32 vertices on either side.
    let ball = ball(32);
    let shifted: Vec<[DVec3; 3]> =
        ball[480..].iter().map(|corners| corners.map(|corner| corner + DVec3::Z * 1e-7)).collect();
    let halves = mesh(&[ball[..480].to_vec(), shifted].concat());
    assert_eq!(halves.topology().open_edges, 64);
    assert_eq!(halves.defects().seams.len(), 64);
    // A gap of a thousandth is none.
    let apart: Vec<[DVec3; 3]> =
        ball[480..].iter().map(|corners| corners.map(|corner| corner + DVec3::Z * 1e-3)).collect();
    assert_eq!(mesh(&[ball[..480].to_vec(), apart].concat()).defects().seams, []);
}

/// Six times the volume of a tetrahedron of whole numbers.
fn orientation(a: [i64; 3], b: [i64; 3], c: [i64; 3], d: [i64; 3]) -> i64 {
    let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])
}

/// Whether a side of one triangle goes through the inside of the other. None if some four of the points are in one plane.
fn pierces(one: [[i64; 3]; 3], other: [[i64; 3]; 3]) -> Option<bool> {
    let mut pierced = false;
    let [a, b, c] = other;
    for k in 0..3 {
        let (p, q) = (one[k], one[(k + 1) % 3]);
        let planes = [orientation(a, b, c, p), orientation(a, b, c, q)];
        let sides = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
        if planes.contains(&0) || sides.contains(&0) {
            return None;
        }
        let through = sides.iter().all(|&side| side > 0) || sides.iter().all(|&side| side < 0);
        pierced |= through && (planes[0] > 0) != (planes[1] > 0);
    }
    Some(pierced)
}

#[test]
fn triangles_cross_if_a_side_of_one_goes_through_the_other() {
    let mut random = Random::new(29);
    let whole = |random: &mut Random| [0; 3].map(|_| (random.bits() % 61) as i64 - 30);
    let triangles: Vec<[[i64; 3]; 3]> = (0..260)
        .map(|_| {
            let middle = whole(&mut random);
            [0; 3].map(|_| {
                let step = whole(&mut random);
                [0, 1, 2].map(|k| middle[k] + step[k] / 2)
            })
        })
        .filter(|&[a, b, c]| orientation(a, b, c, [41, 57, 73]) != 0)
        .collect();
    let place = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64));
    // Unwelded on purpose: no two of them have a common vertex.
    let vertices: Vec<DVec3> = triangles.iter().flatten().map(|&p| place(p)).collect();
    let indices = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let found = Mesh::new(vertices, indices).unwrap().crossings();
    assert!(!found.may_be_more);
    let mut known = BTreeMap::new();
    for i in 0..triangles.len() {
        for j in i + 1..triangles.len() {
            let either = [pierces(triangles[i], triangles[j]), pierces(triangles[j], triangles[i])];
            if let [Some(a), Some(b)] = either {
                known.insert([i as u32, j as u32], a || b);
            }
        }
    }
    let expected: Vec<[u32; 2]> = known.iter().filter(|pair| *pair.1).map(|pair| *pair.0).collect();
    let told: Vec<[u32; 2]> = found.pairs.into_iter().filter(|pair| known.contains_key(pair)).collect();
    assert!(expected.len() > 300, "{}", expected.len());
    assert_eq!(told, expected);
}

#[test]
fn boxes_that_cross_along_the_diagonals_of_their_sides_are_found() {
    // Every side of the small box goes through an edge between two triangles of the large one.
    let large = cuboid(DVec3::ZERO, DVec3::splat(2.0));
    let small = cuboid(DVec3::splat(1.0), DVec3::splat(3.0));
    let crossings = mesh(&[large.clone(), small].concat()).crossings();
    assert!(crossings.pairs.len() >= 6 && crossings.pairs.iter().all(|[a, b]| *a < 12 && *b >= 12), "{crossings:?}");
    let within = cuboid(DVec3::splat(0.5), DVec3::splat(1.5));
    assert!(mesh(&[large, within].concat()).crossings().pairs.is_empty());
}

#[test]
fn the_search_for_crossings_ends_and_says_so() {
    let mut random = Random::new(31);
    let tangle: Vec<[DVec3; 3]> = (0..9000).map(|_| [0; 3].map(|_| random.point())).collect();
    let crossings = mesh(&tangle).crossings();
    assert!(crossings.pairs.len() >= 1000 && crossings.may_be_more);
}

#[test]
fn defects_do_not_depend_on_the_unit_of_length() {
    // An open box, crossed by one that is inside out, beside two sheets with a seam, and a ball with a hole.
    let apart = |triangles: Vec<[DVec3; 3]>, x: f64| moved(&triangles, &Pose::at(DVec3::X * x));
    let mut holed = ball(16);
    holed.remove(70);
    let all = [
        cube(DVec3::ZERO, 1.0)[..10].to_vec(),
        reversed(cube(DVec3::splat(0.9), 0.5)),
        apart(grid(1, 1, |u, v| DVec3::new(u - 1.0, v, 0.0)), 8.0),
        apart(grid(2, 2, |u, v| DVec3::new(u, v, 0.0)), 8.0),
        apart(holed, 20.0),
    ]
    .concat();
    let original = mesh(&all).defects();
    let counts = |found: &MeshDefects| {
        let MeshDefects { inside_out, holes, seams, crossings, .. } = found;
        [inside_out.len(), holes.len(), seams.len(), crossings.pairs.len()]
    };
    let [inside_out, holes, seams, crossings] = counts(&original);
    assert_eq!([inside_out, holes, seams], [1, 1, 1], "{original:?}");
    assert!(crossings > 0);
    // Powers of two change no digit.
    for exponent in [-20, 10] {
        let unit = 2.0_f64.powi(exponent);
        let scaled: Vec<[DVec3; 3]> = all.iter().map(|corners| corners.map(|corner| corner * unit)).collect();
        let mut found = mesh(&scaled).defects();
        for piece in &mut found.inside_out {
            piece.volume /= unit.powi(3);
        }
        assert_eq!(found, original, "{exponent}");
    }
}

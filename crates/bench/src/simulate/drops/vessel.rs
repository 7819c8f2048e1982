//! What bodies fall into: shapes for the simulation, and faces for the judge.

use anyhow::Result;
use signorini_mechanics::{Mesh, Pose, Shape, Vec3};
use signorini_testkit::outside::{Ground, Random};
use std::f64::consts::TAU;
use std::sync::Arc;

/// What they fall into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Vessel {
    /// A container `inside-cylinder` on the floor.
    Cylinder,
    /// A container `inside-cone` on the floor.
    Cone,
    /// A mesh: a trough with 24 flat walls of 10 mm and a bottom, open above.
    Trough,
    /// A mesh: a box with walls of 5 mm, open above.
    Crate,
    /// A mesh: a closed room with walls of 5 mm.
    Room,
    /// A mesh of 3200 triangles, open.
    Hills,
}

/// Inner radius of the cylinder, half of the inner width of crate and room \[m\].
const HALF: f64 = 0.75;
/// Inner radius of cone and trough at their feet, and growth per height.
const FOOT: f64 = 0.15;
const SLOPE: f64 = 0.45;
/// Height of all walls \[m\].
const HEIGHT: f64 = 3.6;
/// Facets of the trough.
const FACETS: usize = 24;

impl Vessel {
    /// Those that bodies stay in.
    pub(super) const HOLD: [Self; 5] = [Self::Cylinder, Self::Cone, Self::Trough, Self::Crate, Self::Room];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Trough => "trough",
            Self::Crate => "crate",
            Self::Room => "room",
            Self::Hills => "hills",
        }
    }

    /// Where so many bodies start: a grid, at some height.
    pub(super) fn places(self, count: usize, random: &mut Random) -> Vec<Vec3> {
        let (spacing, side, lowest) = match self {
            Self::Hills => (0.5, (count as f64).sqrt().ceil() as usize, 0.6),
            Self::Cone | Self::Trough => (0.22, 5, 1.4),
            _ => (0.22, 5, 0.15),
        };
        let across = |i: usize| (i as f64 + 0.5 - 0.5 * side as f64) * spacing;
        let mut jitter = || random.point() * 0.005;
        (0..count)
            .map(|k| {
                let (x, y, z) = (k % side, k / side % side, k / side / side);
                Vec3::new(across(x), across(y), lowest + z as f64 * spacing) + jitter()
            })
            .collect()
    }

    /// The ground for the judge, and the shapes of a fixed body.
    pub(super) fn build(self, random: &mut Random) -> Result<(Ground, Vec<(Shape, Pose)>)> {
        let floor = (Shape::HalfSpace { normal: Vec3::Z }, Pose::IDENTITY);
        let up = Pose::new(Vec3::Z * 0.5 * HEIGHT, Default::default());
        let mesh = |(vertices, triangles)| -> Result<(Shape, Pose)> {
            Ok((Shape::TriangleMesh(Arc::new(Mesh::new(vertices, triangles)?)), Pose::IDENTITY))
        };
        Ok(match self {
            Self::Cylinder => {
                let wall = Shape::InsideCylinder { radius: HALF, half_height: 0.5 * HEIGHT, thickness: 0.02 };
                (Ground::Funnel { foot: HALF, slope: 0.0 }, vec![floor, (wall, up)])
            }
            Self::Cone => {
                let wall = Shape::InsideCone {
                    bottom_radius: FOOT,
                    top_radius: FOOT + SLOPE * HEIGHT,
                    half_height: 0.5 * HEIGHT,
                    thickness: 0.02,
                };
                (Ground::Funnel { foot: FOOT, slope: SLOPE }, vec![floor, (wall, up)])
            }
            Self::Trough => {
                let inner = ring_pair(FACETS, FOOT, FOOT + SLOPE * HEIGHT, 0.0);
                let outer = ring_pair(FACETS, FOOT + 0.01, FOOT + SLOPE * HEIGHT + 0.01, -0.01);
                (Ground::Room(inner_faces(&inner)), vec![mesh(open_shell(&inner, &outer))?])
            }
            Self::Crate => {
                let half = HALF * 2.0_f64.sqrt();
                let wall = half + 0.005 * 2.0_f64.sqrt();
                let (inner, outer) = (ring_pair(4, half, half, 0.0), ring_pair(4, wall, wall, -0.005));
                (Ground::Room(inner_faces(&inner)), vec![mesh(open_shell(&inner, &outer))?])
            }
            Self::Room => {
                let half = HALF * 2.0_f64.sqrt();
                let wall = half + 0.005 * 2.0_f64.sqrt();
                let (inner, mut outer) = (ring_pair(4, half, half, 0.0), ring_pair(4, wall, wall, -0.005));
                outer[1].iter_mut().for_each(|corner| corner.z += 0.005);
                let mut faces = inner_faces(&inner);
                faces.push((Vec3::Z, HEIGHT));
                (Ground::Room(faces), vec![mesh(closed_shell(&inner, &outer))?])
            }
            Self::Hills => {
                let (cells, cell) = (40, 0.2);
                let phases: [f64; 3] = std::array::from_fn(|_| random.between(0.0, TAU));
                let place = |i: usize| (i as f64 - 0.5 * cells as f64) * cell;
                let height = |i: usize| {
                    let (x, y) = (place(i % (cells + 1)), place(i / (cells + 1)));
                    0.10 * (2.1 * x + phases[0]).sin() * (1.7 * y + phases[1]).cos()
                        + 0.05 * (4.3 * x + 2.0 * y + phases[2]).sin()
                };
                let heights = (0..(cells + 1) * (cells + 1)).map(height).collect();
                let ground = Ground::Hills { cell, cells, heights };
                let wall = mesh(ground.triangles())?;
                (ground, vec![wall])
            }
        })
    }
}

/// Corners of a lower and an upper polygon about z.
type Rings = [Vec<Vec3>; 2];

/// Polygons of some radii at a height and at the top.
fn ring_pair(sides: usize, bottom: f64, top: f64, from: f64) -> Rings {
    let ring = |radius: f64, z: f64| -> Vec<Vec3> {
        let angle = |k: usize| TAU * (k as f64 + 0.5) / sides as f64;
        (0..sides).map(|k| Vec3::new(radius * angle(k).cos(), radius * angle(k).sin(), z)).collect()
    };
    [ring(bottom, from), ring(top, HEIGHT)]
}

/// Normals out of the room between two rings, and their distances: the sides and the bottom.
fn inner_faces([bottom, top]: &Rings) -> Vec<(Vec3, f64)> {
    let sides = bottom.len();
    let mut faces = vec![(-Vec3::Z, -bottom[0].z)];
    for k in 0..sides {
        let (a, b, c) = (bottom[k], bottom[(k + 1) % sides], top[k]);
        let n = (b - a).cross(c - a).normalize();
        faces.push((n, n.dot(a)));
    }
    faces
}

type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// The sides between a lower ring and an upper one, from corners `low` and `high` on, seen from outside of the axis.
fn sides(count: u32, low: u32, high: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..count).flat_map(move |k| {
        let next = (k + 1) % count;
        [[low + k, low + next, high + next], [low + k, high + next, high + k]]
    })
}

/// A polygon seen from above.
fn lid(count: u32, first: u32) -> impl Iterator<Item = [u32; 3]> {
    (1..count - 1).map(move |k| [first, first + k, first + k + 1])
}

fn flipped([a, b, c]: [u32; 3]) -> [u32; 3] {
    [a, c, b]
}

/// Walls and a bottom between an inner and an outer surface, open above.
fn open_shell(inner: &Rings, outer: &Rings) -> Triangles {
    let n = inner[0].len() as u32;
    let corners = [&inner[0], &inner[1], &outer[0], &outer[1]].into_iter().flatten().copied().collect();
    let mut triangles: Vec<[u32; 3]> = sides(n, 0, n).map(flipped).collect();
    triangles.extend(lid(n, 0));
    triangles.extend(sides(n, 2 * n, 3 * n));
    triangles.extend(lid(n, 2 * n).map(flipped));
    // The rim: from the inner to the outer ring, seen from above.
    triangles.extend(sides(n, 3 * n, n));
    (corners, triangles)
}

/// Walls all around between an inner and an outer surface.
fn closed_shell(inner: &Rings, outer: &Rings) -> Triangles {
    let n = inner[0].len() as u32;
    let corners = [&inner[0], &inner[1], &outer[0], &outer[1]].into_iter().flatten().copied().collect();
    let mut triangles: Vec<[u32; 3]> = sides(n, 0, n).map(flipped).collect();
    triangles.extend(lid(n, 0));
    triangles.extend(lid(n, n).map(flipped));
    triangles.extend(sides(n, 2 * n, 3 * n));
    triangles.extend(lid(n, 2 * n).map(flipped));
    triangles.extend(lid(n, 3 * n));
    (corners, triangles)
}

//! What is dropped: shapes for the simulation, and the same as solids for the judge.

use anyhow::Result;
use signorini_collision::shape::hull_faces;
use signorini_mechanics::{Body, Mesh, Pose, Quat, Shape, Vec3};
use signorini_testkit::outside::{Place, Random, Solid};
use std::sync::Arc;

/// What falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// All of the others but meshes.
    Mixed,
    /// Balls.
    Balls,
    /// Boxes.
    Boxes,
    /// Capsules.
    Capsules,
    /// Cylinders.
    Cylinders,
    /// Hulls of ten random points.
    Hulls,
    /// Two boxes that cross, an angle of two boxes, two balls on a bar.
    Compounds,
    /// Closed meshes of triangles: boxes, hulls of ten points, angles.
    Meshes,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Balls => "balls",
            Self::Boxes => "boxes",
            Self::Capsules => "capsules",
            Self::Cylinders => "cylinders",
            Self::Hulls => "hulls",
            Self::Compounds => "compounds",
            Self::Meshes => "meshes",
        }
    }
}

/// A body of one or several solids.
pub(super) struct Piece {
    kind: Kind,
    /// Solids and where they are in the body, whose origin is its centre of mass.
    parts: Vec<(Solid, Place)>,
    /// Its surface, where the simulation has triangles instead of solids.
    mesh: Option<Arc<Mesh>>,
}

/// Corners of a box by the bits of their numbers: x, y, z.
const BOX_FACES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Extents of bodies \[m\]: between half of this and all of it.
const LARGEST: f64 = 0.06;

fn at(position: Vec3) -> Place {
    Place { position, rotation: Quat::IDENTITY }
}

impl Piece {
    pub(super) fn random(kind: Kind, random: &mut Random) -> Self {
        if kind == Kind::Meshes {
            return Self::random_mesh(random);
        }
        let mut length = || random.between(0.5 * LARGEST, LARGEST);
        let [x, y, z] = [length(), length(), length()];
        let alone = |solid| vec![(solid, at(Vec3::ZERO))];
        let parts = match kind {
            Kind::Balls => alone(Solid::Ball(x)),
            Kind::Boxes => alone(Solid::Box(Vec3::new(x, y, z))),
            Kind::Capsules => alone(Solid::Capsule(x, 0.6 * y)),
            Kind::Cylinders => alone(Solid::Cylinder(x, y)),
            Kind::Hulls => {
                let points = (0..10).map(|_| random.point() * Vec3::new(x, y, z) * 1.2).collect();
                alone(Solid::Hull(points))
            }
            Kind::Compounds => match random.bits() % 3 {
                0 => {
                    let bar = Vec3::new(x, 0.3 * y, 0.3 * z);
                    vec![(Solid::Box(bar), at(Vec3::ZERO)), (Solid::Box(bar.zxy()), at(Vec3::ZERO))]
                }
                1 => {
                    let bar = Vec3::new(x, 0.25 * x, y);
                    vec![
                        (Solid::Box(bar), at(Vec3::ZERO)),
                        (Solid::Box(bar.yxz()), at(Vec3::new(0.75 * x, 1.25 * x, 0.0))),
                    ]
                }
                _ => vec![
                    (Solid::Capsule(x, 0.25 * y), at(Vec3::ZERO)),
                    (Solid::Ball(0.5 * y), at(Vec3::Z * x)),
                    (Solid::Ball(0.7 * y), at(-Vec3::Z * x)),
                ],
            },
            Kind::Meshes | Kind::Mixed => {
                let kinds = [Kind::Balls, Kind::Boxes, Kind::Capsules, Kind::Cylinders, Kind::Hulls, Kind::Compounds];
                return Self::random(kinds[(random.bits() % 6) as usize], random);
            }
        };
        Self { kind, parts, mesh: None }.centred()
    }

    /// A box, a hull or an angle whose surface is triangles.
    fn random_mesh(random: &mut Random) -> Self {
        let mut length = || random.between(0.5 * LARGEST, LARGEST);
        let [x, y, z] = [length(), length(), length()];
        let (parts, corners, faces) = match random.bits() % 3 {
            0 => {
                let half = Vec3::new(x, y, z);
                let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let corners = (0..8).map(|k| half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
                (vec![(Solid::Box(half), at(Vec3::ZERO))], corners, BOX_FACES.map(Vec::from).to_vec())
            }
            1 => {
                let points: Vec<Vec3> = (0..10).map(|_| random.point() * Vec3::new(x, y, z) * 1.2).collect();
                let (corners, faces) = hull_faces(&points).expect("ten random points do not lie in one plane");
                (vec![(Solid::Hull(points), at(Vec3::ZERO))], corners, faces)
            }
            _ => {
                let bar = Vec3::new(x, 0.25 * x, y);
                let post = (Solid::Box(bar.yxz()), at(Vec3::new(0.75 * x, 1.25 * x, 0.0)));
                let outline =
                    [(-1.0, -0.25), (1.0, -0.25), (1.0, 0.25), (1.0, 2.25), (0.5, 2.25), (0.5, 0.25), (-1.0, 0.25)];
                let corners =
                    [-y, y].into_iter().flat_map(|z| outline.map(|(u, v)| Vec3::new(u * x, v * x, z))).collect();
                // The two ends in convex pieces without corners within edges.
                let mut faces = vec![vec![7, 8, 9, 12, 13], vec![9, 10, 11, 12]];
                faces.extend([vec![0, 6, 5, 2, 1], vec![2, 5, 4, 3]]);
                faces.extend((0..7).map(|k| vec![k, (k + 1) % 7, (k + 1) % 7 + 7, k + 7]));
                (vec![(Solid::Box(bar), at(Vec3::ZERO)), post], corners, faces)
            }
        };
        let triangles = faces.iter().flat_map(|face| (1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]));
        let mesh = Mesh::new(corners, triangles.collect()).expect("a closed mesh of flat faces");
        Self { kind: Kind::Meshes, parts, mesh: Some(Arc::new(mesh)) }.centred()
    }

    /// The same with its centre of mass as the origin.
    fn centred(mut self) -> Self {
        let centre = self.shape().mass_properties().map_or(Vec3::ZERO, |properties| properties.centre);
        self.parts.iter_mut().for_each(|(_, place)| place.position -= centre);
        if let Some(mesh) = &mut self.mesh {
            Arc::make_mut(mesh).vertices.iter_mut().for_each(|vertex| *vertex -= centre);
        }
        self
    }

    /// The shape for the simulation.
    pub(super) fn shape(&self) -> Shape {
        if let Some(mesh) = &self.mesh {
            return Shape::TriangleMesh(mesh.clone());
        }
        let shape = |solid: &Solid| match solid.clone() {
            Solid::Ball(radius) => Shape::Sphere { radius },
            Solid::Box(half) => Shape::Cuboid { half },
            Solid::Capsule(half_height, radius) => Shape::Capsule { half_height, radius },
            Solid::Cylinder(half_height, radius) => Shape::Cylinder { half_height, radius },
            Solid::Hull(points) => Shape::ConvexHull { points: points.into() },
        };
        match &*self.parts {
            [(solid, _)] => shape(solid),
            several => Shape::Compound {
                parts: several
                    .iter()
                    .map(|(solid, place)| (Pose::new(place.position, place.rotation), shape(solid)))
                    .collect(),
            },
        }
    }

    /// Where the collider of a single solid is.
    pub(super) fn collider_pose(&self) -> Pose {
        match &*self.parts {
            [(_, place)] if self.mesh.is_none() => Pose::new(place.position, place.rotation),
            _ => Pose::IDENTITY,
        }
    }

    pub(super) fn body(&self, name: String, density: f64) -> Result<Body> {
        Ok(Body::of_shape(name, &self.shape(), density)?)
    }

    /// What it is.
    pub(super) fn name(&self) -> &'static str {
        self.kind.word().trim_end_matches('s')
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = (&Solid, &Place)> {
        self.parts.iter().map(|(solid, place)| (solid, place))
    }

    /// Points of its surface, in the frame of the body.
    pub(super) fn points(&self, fine: usize) -> Vec<Vec3> {
        self.parts().flat_map(|(solid, place)| solid.points(fine).into_iter().map(|point| place.of(point))).collect()
    }

    pub(super) fn radius(&self) -> f64 {
        self.parts().map(|(solid, place)| place.position.length() + solid.radius()).fold(0.0, f64::max)
    }

    /// The size that overlaps are compared with.
    pub(super) fn size(&self) -> f64 {
        self.parts().map(|(solid, _)| solid.size()).fold(f64::INFINITY, f64::min)
    }
}

trait Permuted {
    fn zxy(self) -> Self;
    fn yxz(self) -> Self;
}

impl Permuted for Vec3 {
    fn zxy(self) -> Self {
        Self::new(self.z, self.x, self.y)
    }
    fn yxz(self) -> Self {
        Self::new(self.y, self.x, self.z)
    }
}

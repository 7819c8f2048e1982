//! What is dropped: shapes for the simulation, and the same as solids for the judge.

use anyhow::Result;
use signorini_mechanics::{Body, Pose, Quat, Shape, Vec3};
use signorini_testkit::outside::{Place, Random, Solid};

/// What falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// All of the others.
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
        }
    }
}

/// A body of one or several solids.
pub(super) struct Piece {
    kind: Kind,
    /// Solids and where they are in the body, whose origin is its centre of mass.
    parts: Vec<(Solid, Place)>,
}

/// Extents of bodies \[m\]: between half of this and all of it.
const LARGEST: f64 = 0.06;

fn at(position: Vec3) -> Place {
    Place { position, rotation: Quat::IDENTITY }
}

impl Piece {
    pub(super) fn random(kind: Kind, random: &mut Random) -> Self {
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
            Kind::Mixed => {
                let kinds = [Kind::Balls, Kind::Boxes, Kind::Capsules, Kind::Cylinders, Kind::Hulls, Kind::Compounds];
                return Self::random(kinds[(random.bits() % 6) as usize], random);
            }
        };
        Self { kind, parts }.centred()
    }

    /// The same with its centre of mass as the origin.
    fn centred(mut self) -> Self {
        let centre = self.shape().mass_properties().map_or(Vec3::ZERO, |properties| properties.centre);
        self.parts.iter_mut().for_each(|(_, place)| place.position -= centre);
        self
    }

    /// The shape for the simulation.
    pub(super) fn shape(&self) -> Shape {
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
            [(_, place)] => Pose::new(place.position, place.rotation),
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

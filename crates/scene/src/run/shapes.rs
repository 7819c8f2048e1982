//! Bodies and shapes as run.json stores them: enough to draw a run without its scene.

use crate::Scene;
use serde::{Deserialize, Serialize};
use signorini_mechanics::{BodyId, Model, Pose, Quat, Shape, Vec3};
use std::collections::BTreeMap;

/// A body as viewers need it, and others who compute its energy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Its name.
    pub name: String,
    /// Mass \[kg\]; 0 for a fixed body.
    pub mass: f64,
    /// Never moves.
    pub fixed: bool,
    /// Inertia about the centre of mass in body axes, row by row \[kg m²\]; 0 for a fixed body. Runs of earlier programs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[[f64; 3]; 3]>,
    /// Where the centre of mass lies in the frame in which the scene gives the body's shapes \[m\]; 0 for a fixed body. All other
    /// positions here are measured from the centre of mass. Runs of earlier programs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre_of_mass: Option<[f64; 3]>,
    /// Its shapes.
    pub shapes: Vec<PlacedShape>,
}

/// A shape on a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedShape {
    /// Which shape of the list; shapes that are alike are stored once.
    pub shape: usize,
    /// Where it sits on the body \[m\].
    pub position: [f64; 3],
    /// How it is turned there: x y z w.
    pub rotation: [f64; 4],
    /// The shape is grown by a sphere of this radius \[m\].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub margin: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl PlacedShape {
    /// Where the shape sits: body_from_shape.
    #[must_use]
    pub fn pose(&self) -> Pose {
        Pose::new(self.position.into(), glam::DQuat::from_array(self.rotation))
    }
}

/// A shape in its own frame, in metres; axes along z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are those of `Shape`")]
pub enum ShapeRecord {
    /// A ball.
    Sphere { radius: f64 },
    /// A box.
    Cuboid { half: [f64; 3] },
    /// A cylinder with half balls at both ends.
    Capsule { half_height: f64, radius: f64 },
    /// A cylinder.
    Cylinder { half_height: f64, radius: f64 },
    /// A cone, tip up.
    Cone { half_height: f64, radius: f64 },
    /// The convex hull of points.
    ConvexHull { points: Vec<[f64; 3]> },
    /// Everything below a plane.
    HalfSpace { normal: [f64; 3] },
    /// A surface of triangles.
    Mesh { vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    /// Heights over a grid.
    HeightField { heights: Vec<f64>, columns: usize, size: [f64; 2] },
    /// Several shapes.
    Compound { parts: Vec<CompoundPart> },
    /// The wall of a cylinder, from the inner radius outwards.
    InsideCylinder {
        radius: f64,
        half_height: f64,
        /// 0 in runs written before walls had one.
        #[serde(default)]
        thickness: f64,
    },
    /// The wall of a truncated cone, from the inner radii outwards.
    InsideCone {
        bottom_radius: f64,
        top_radius: f64,
        half_height: f64,
        /// 0 in runs written before walls had one.
        #[serde(default)]
        thickness: f64,
    },
}

/// A part of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompoundPart {
    /// Where it sits \[m\].
    pub position: [f64; 3],
    /// How it is turned: x y z w.
    pub rotation: [f64; 4],
    /// The shape.
    pub shape: ShapeRecord,
}

impl CompoundPart {
    /// Where the part sits.
    #[must_use]
    pub fn pose(&self) -> Pose {
        Pose::new(self.position.into(), glam::DQuat::from_array(self.rotation))
    }
}

impl ShapeRecord {
    /// The record of a shape.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let points = |from: &[Vec3]| from.iter().map(Vec3::to_array).collect::<Vec<_>>();
        match shape {
            Shape::Sphere { radius } => Self::Sphere { radius: *radius },
            Shape::Cuboid { half } => Self::Cuboid { half: half.to_array() },
            Shape::Capsule { half_height, radius } => Self::Capsule { half_height: *half_height, radius: *radius },
            Shape::Cylinder { half_height, radius } => Self::Cylinder { half_height: *half_height, radius: *radius },
            Shape::Cone { half_height, radius } => Self::Cone { half_height: *half_height, radius: *radius },
            Shape::ConvexHull { points: corners } => Self::ConvexHull { points: points(corners) },
            Shape::HalfSpace { normal } => Self::HalfSpace { normal: normal.to_array() },
            Shape::TriangleMesh(mesh) => {
                Self::Mesh { vertices: points(&mesh.vertices), triangles: mesh.triangles.clone() }
            }
            Shape::HeightField { heights, columns, size } => {
                Self::HeightField { heights: heights.to_vec(), columns: *columns, size: *size }
            }
            Shape::Compound { parts } => {
                let part = |(pose, shape): &(Pose, Shape)| CompoundPart {
                    position: pose.position.to_array(),
                    rotation: pose.rotation.to_array(),
                    shape: Self::of(shape),
                };
                Self::Compound { parts: parts.iter().map(part).collect() }
            }
            Shape::InsideCylinder { radius, half_height, thickness } => {
                Self::InsideCylinder { radius: *radius, half_height: *half_height, thickness: *thickness }
            }
            Shape::InsideCone { bottom_radius, top_radius, half_height, thickness } => Self::InsideCone {
                bottom_radius: *bottom_radius,
                top_radius: *top_radius,
                half_height: *half_height,
                thickness: *thickness,
            },
        }
    }
}

/// All bodies of a scene and the shapes they share.
pub(super) fn record(scene: &Scene) -> (Vec<BodyRecord>, Vec<ShapeRecord>) {
    let model = &scene.model;
    let mut bodies: Vec<BodyRecord> = (model.bodies().iter().zip(&scene.centres_of_mass))
        .map(|(body, centre)| BodyRecord {
            name: body.name.clone(),
            mass: if body.is_fixed { 0.0 } else { body.mass },
            fixed: body.is_fixed,
            inertia: Some([0, 1, 2].map(|row| if body.is_fixed { [0.0; 3] } else { body.inertia.row(row).to_array() })),
            centre_of_mass: Some(centre.to_array()),
            shapes: Vec::new(),
        })
        .collect();
    let mut shapes = Shared::default();
    for (body, collider) in model.colliders() {
        let shape = shapes.add(ShapeRecord::of(&collider.shape));
        bodies[body.index()].shapes.push(PlacedShape {
            shape,
            position: collider.pose.position.to_array(),
            rotation: collider.pose.rotation.to_array(),
            margin: collider.margin,
        });
    }
    for (_, force) in model.forces() {
        if let Some(radius) = force.drawn_radius() {
            rod(model, force.bodies(), radius, &mut bodies, &mut shapes);
        }
    }
    (bodies, shapes.list)
}

/// Shapes that are alike are stored once.
#[derive(Default)]
struct Shared {
    list: Vec<ShapeRecord>,
    known: BTreeMap<String, usize>,
}

impl Shared {
    fn add(&mut self, record: ShapeRecord) -> usize {
        // Two shapes are alike if they are written alike.
        let text = serde_json::to_string(&record).unwrap_or_default();
        *self.known.entry(text).or_insert_with(|| {
            self.list.push(record);
            self.list.len() - 1
        })
    }
}

/// A beam between two bodies, as half of it on each: nodes turn with the beam, so that the halves follow it.
fn rod(model: &Model, ends: [BodyId; 2], radius: f64, bodies: &mut [BodyRecord], shapes: &mut Shared) {
    let start = ends.map(|end| model.bodies()[end.index()].start);
    for (end, (own, other)) in ends.into_iter().zip([(start[0], start[1]), (start[1], start[0])]) {
        let along = own.rotation.conjugate() * (other.position - own.position);
        let Some(direction) = along.try_normalize() else { continue };
        // Rounded, so that elements of equal length share a shape.
        let half_height = (along.length() * 0.25 * 1e9).round() * 1e-9;
        let shape = shapes.add(ShapeRecord::Cylinder { half_height, radius });
        bodies[end.index()].shapes.push(PlacedShape {
            shape,
            position: (along * 0.25).to_array(),
            rotation: Quat::from_rotation_arc(Vec3::Z, direction).to_array(),
            margin: 0.0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, load};

    #[test]
    fn a_beam_is_drawn_from_its_first_node_to_its_last() {
        let scene = load("beam-cantilever", &Overrides::default()).unwrap();
        let (bodies, shapes) = record(&scene);
        // Volume of all halves = area · length, and both ends of every half touch a node or the middle of an element.
        let mut length = 0.0;
        for placed in bodies.iter().flat_map(|body| &body.shapes) {
            if let ShapeRecord::Cylinder { half_height, .. } = shapes[placed.shape] {
                assert!((Vec3::from_array(placed.position).length() - half_height).abs() < 1e-8);
                length += 2.0 * half_height;
            }
        }
        let places: Vec<Vec3> = scene.model.bodies().iter().map(|body| body.start.position).collect();
        let farthest = places.iter().flat_map(|a| places.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max);
        assert!((length - farthest).abs() < 1e-6, "{length} {farthest}");
    }
}

//! Bodies and shapes as run.json stores them: enough to draw a run without its scene.

use serde::{Deserialize, Serialize};
use signorini_mechanics::{Model, Pose, Shape, Vec3};
use std::collections::BTreeMap;

/// A body as viewers need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Its name.
    pub name: String,
    /// Mass \[kg\]; 0 for a fixed body.
    pub mass: f64,
    /// Never moves.
    pub fixed: bool,
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
    /// The wall of a cylinder, solid outside.
    InsideCylinder { radius: f64, half_height: f64 },
    /// The wall of a truncated cone, solid outside.
    InsideCone { bottom_radius: f64, top_radius: f64, half_height: f64 },
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
            Shape::InsideCylinder { radius, half_height } => {
                Self::InsideCylinder { radius: *radius, half_height: *half_height }
            }
            Shape::InsideCone { bottom_radius, top_radius, half_height } => {
                Self::InsideCone { bottom_radius: *bottom_radius, top_radius: *top_radius, half_height: *half_height }
            }
        }
    }
}

/// All bodies of a model and the shapes they share.
pub(super) fn record(model: &Model) -> (Vec<BodyRecord>, Vec<ShapeRecord>) {
    let mut bodies: Vec<BodyRecord> = (model.bodies().iter())
        .map(|body| BodyRecord {
            name: body.name.clone(),
            mass: if body.is_fixed { 0.0 } else { body.mass },
            fixed: body.is_fixed,
            shapes: Vec::new(),
        })
        .collect();
    let mut shapes = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (body, collider) in model.colliders() {
        let record = ShapeRecord::of(&collider.shape);
        // Two shapes are alike if they are written alike.
        let text = serde_json::to_string(&record).unwrap_or_default();
        let shape = *known.entry(text).or_insert_with(|| {
            shapes.push(record);
            shapes.len() - 1
        });
        bodies[body.index()].shapes.push(PlacedShape {
            shape,
            position: collider.pose.position.to_array(),
            rotation: collider.pose.rotation.to_array(),
            margin: collider.margin,
        });
    }
    (bodies, shapes)
}

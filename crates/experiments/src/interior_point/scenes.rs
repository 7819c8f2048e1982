//! Scenes of the thesis, built by code: the papers leave the places of the balls open.

use anyhow::Result;
use signorini_mechanics::joint::{Anchors, PointOnLine};
use signorini_mechanics::{
    Body, Collider, Material, MaterialId, Model, ModelBuilder, Pose, Quat, Shape, Softness, Vec3,
};

/// Radius of the balls in the container \[m\].
const RADIUS: f64 = 0.035;
/// kg/m³.
const DENSITY: f64 = 1000.0;

/// Frictionless balls falling into a cylinder of 1 m diameter.
pub(super) fn container(balls: usize) -> Result<Model> {
    let mut model = Model::builder();
    let smooth = floor(&mut model, None);
    let wall = model.body(Body::fixed("wall"));
    model.collider(
        wall,
        Collider::new(Shape::InsideCylinder { radius: 0.5, half_height: 100.0, thickness: 0.05 }, smooth),
    );
    let shape = Shape::Sphere { radius: RADIUS };
    let spacing = 2.1 * RADIUS;
    // Places of a square grid whose balls fit into the cylinder, shifted a little from layer to layer.
    let side = (1.0 / spacing) as i32;
    let mut places = Vec::new();
    for i in 0..side * side {
        let place = |k: i32| (f64::from(k) - 0.5 * f64::from(side - 1)) * spacing;
        let (x, y) = (place(i % side), place(i / side));
        if x.hypot(y) + RADIUS < 0.48 {
            places.push((x, y));
        }
    }
    for k in 0..balls {
        let (x, y) = places[k % places.len()];
        let layer = (k / places.len()) as f64;
        let shift = 0.2 * RADIUS * (2.4 * layer).sin();
        let at = Vec3::new(x + shift, y + 0.5 * shift, RADIUS + layer * spacing);
        let ball = model.body(Body::of_shape(format!("ball-{k}"), &shape, DENSITY)?.at(at));
        model.collider(ball, Collider::new(shape.clone(), smooth));
    }
    Ok(model.build()?)
}

/// A ball of 0.2 m diameter at rest on a floor.
pub(super) fn ball() -> Result<Model> {
    at_rest(Shape::Sphere { radius: 0.1 }, 0.1, None)
}

/// A brick of 0.4 × 0.2 × 0.1 m at rest on a floor: four contacts, one of them redundant.
pub(super) fn brick(softness: Option<Softness>) -> Result<Model> {
    at_rest(Shape::Cuboid { half: Vec3::new(0.2, 0.1, 0.05) }, 0.05, softness)
}

fn at_rest(shape: Shape, height: f64, softness: Option<Softness>) -> Result<Model> {
    let mut model = Model::builder();
    let smooth = floor(&mut model, softness);
    let body = model.body(Body::of_shape("body", &shape, DENSITY)?.at(Vec3::Z * height));
    model.collider(body, Collider::new(shape, smooth));
    Ok(model.build()?)
}

/// Spheres of one density on one vertical axis, each held to it by two bilateral rows, the first mass at the bottom.
pub(super) fn stack(masses: &[f64]) -> Result<Model> {
    let mut model = Model::builder();
    let smooth = floor(&mut model, None);
    let ground = model.body(Body::fixed("guide"));
    let mut top = 0.0;
    for (k, mass) in masses.iter().enumerate() {
        let radius = (3.0 * mass / (4.0 * std::f64::consts::PI * DENSITY)).cbrt();
        let shape = Shape::Sphere { radius };
        let pose = Pose::new(Vec3::Z * (top + radius), Quat::IDENTITY);
        let sphere = model.body(Body::of_shape(format!("sphere-{k}"), &shape, DENSITY)?.posed(pose));
        model.collider(sphere, Collider::new(shape, smooth));
        // The line is the z-axis of the joint.
        let anchors = Anchors::from_world([ground, sphere], [&Pose::IDENTITY, &pose], pose);
        model.joint(format!("guide-{k}"), PointOnLine::new(anchors));
        top += 2.0 * radius;
    }
    Ok(model.build()?)
}

fn floor(model: &mut ModelBuilder, softness: Option<Softness>) -> MaterialId {
    let smooth = model.material(Material { softness, ..Material::new("smooth") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, smooth));
    smooth
}

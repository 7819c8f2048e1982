//! Many small heaps of boxes on one floor, far from each other.

use anyhow::Result;
use signorini_mechanics::{Body, Collider, Material, Model, Pose, Shape, Vec3};
use signorini_testkit::outside::Random;

/// Boxes of a heap.
const BOXES: usize = 5;
/// Half of the side of a box \[m\].
const HALF: f64 = 0.05;
/// Distance of heaps \[m\].
const APART: f64 = 2.0;

/// So many heaps of boxes that fall onto each other.
pub(super) fn model(count: usize) -> Result<Model> {
    let mut random = Random::new(1);
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.5, ..Material::new("wood") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let shape = Shape::Cuboid { half: Vec3::splat(HALF) };
    let side = (count as f64).sqrt().ceil() as usize;
    for heap in 0..count {
        let at = APART * Vec3::new((heap % side) as f64, (heap / side) as f64, 0.0);
        for level in 0..BOXES {
            let above = at + Vec3::Z * HALF * (2.0 + 3.0 * level as f64) + 0.3 * HALF * random.point();
            let body = Body::of_shape(format!("box-{heap}-{level}"), &shape, 1000.0)?;
            let body = model.body(body.posed(Pose::new(above, random.rotation())));
            model.collider(body, Collider::new(shape.clone(), material));
        }
    }
    Ok(model.build()?)
}

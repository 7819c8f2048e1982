//! Parts of a scene that have nothing to do with each other come, go and change from step to step.

use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Collider, Material, Model, ModelBuilder, Settings, Shape, Simulation, Vec3};

const HALF: f64 = 0.1;

fn body(
    model: &mut ModelBuilder,
    name: &str,
    shape: &Shape,
    at: Vec3,
    of: signorini_mechanics::MaterialId,
) -> signorini_mechanics::BodyId {
    let body = model.body(Body::of_shape(name, shape, 1000.0).expect("valid").at(at));
    model.collider(body, Collider::new(shape.clone(), of));
    body
}

/// A ball bounces on one of two boxes that a spring holds: they are one part with it while it touches and one without it in between, beside another ball.
#[test]
fn a_ball_comes_to_two_coupled_boxes_and_leaves_them() {
    let mut model = Model::builder();
    let rubber = model.material(Material { friction: 0.4, restitution: 0.8, ..Material::new("rubber") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, rubber));
    let (cube, ball) = (Shape::Cuboid { half: Vec3::splat(HALF) }, Shape::Sphere { radius: 0.05 });
    let boxes = [0.0, 0.6].map(|x| body(&mut model, &format!("box at {x}"), &cube, Vec3::new(x, 0.0, HALF), rubber));
    let jumper = body(&mut model, "jumper", &ball, Vec3::Z * (2.0 * HALF + 0.25), rubber);
    body(&mut model, "bystander", &ball, Vec3::new(3.0, 0.0, 0.05), rubber);
    model.force("spring", Spring::new(boxes, [Vec3::X * HALF, -Vec3::X * HALF], 200.0, 5.0, 0.4));
    let mut simulation =
        Simulation::new(model.build().unwrap(), Settings { step: 0.01, ..Settings::default() }).unwrap();
    let (mut touches, mut leaves, mut touched) = (0, 0, false);
    for step in 0..200 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "step {step}: {:?}", report.broken);
        let touches_now = simulation
            .contacts()
            .iter()
            .any(|contact| contact.bodies == [boxes[0], jumper].map(|body| body.index() as u32));
        touches += u32::from(touches_now && !touched);
        leaves += u32::from(touched && !touches_now);
        touched = touches_now;
    }
    assert!(touches >= 3 && leaves >= 2, "{touches} touches, {leaves} leaves");
}

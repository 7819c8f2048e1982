//! A model built in code: a brick slides to a stop, and what is known of it is asserted.
#![allow(clippy::print_stdout)]

use signorini::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: model
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.25, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let shape = Shape::Cuboid { half: Vec3::new(0.1, 0.05, 0.03) };
    let brick = Body::of_shape("brick", &shape, 2000.0)?.at(Vec3::Z * 0.03).moving(Vec3::X, Vec3::ZERO);
    let brick = model.body(brick);
    model.collider(brick, Collider::new(shape, stone));
    let model = model.build()?;
    // ANCHOR_END: model

    // ANCHOR: steps
    let settings = Settings { step: 0.001, friction: FrictionLaw::Exact, ..Settings::default() };
    let mut simulation = Simulation::new(model, settings)?;
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        let report = simulation.step()?;
        assert!(report.converged(), "a step missed its tolerance");
        worst = worst.max(report.penetration);
    }
    // ANCHOR_END: steps

    // ANCHOR: results
    let way = simulation.state().poses[brick.index()].position.x;
    let expected = 1.0 / (2.0 * 0.25 * 9.81); // v²/(2 μ g)
    assert!((way - expected).abs() < 1e-3 * expected.max(1.0), "{way} m instead of {expected} m");
    let weight: f64 = simulation.contact_sums().iter().map(|pair| pair.force.z.abs()).sum();
    println!("slid {way:.4} m (v²/2μg = {expected:.4} m), deepest overlap {worst:.1e} m, floor carries {weight:.3} N");
    // ANCHOR_END: results
    Ok(())
}

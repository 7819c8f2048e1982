//! A step whose contacts did not change asks for little memory: what a pattern allows is kept from step to step.
#![allow(clippy::unwrap_used)]

use signorini_mechanics::{Body, Collider, Material, Model, Settings, Shape, Simulation, Vec3};
use signorini_testkit::counting::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Balls in columns on a floor, each resting on the one below.
fn columns(count: usize, height: usize) -> Model {
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.3, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let (radius, ball) = (0.1, Shape::Sphere { radius: 0.1 });
    for column in 0..count {
        for level in 0..height {
            let at = Vec3::new(0.5 * column as f64, 0.0, radius * (1.0 + 2.0 * level as f64));
            let body = model.body(Body::of_shape(format!("{column}-{level}"), &ball, 1000.0).unwrap().at(at));
            model.collider(body, Collider::new(ball.clone(), stone));
        }
    }
    model.build().unwrap()
}

#[test]
fn a_step_whose_contacts_did_not_change_allocates_at_most_twenty_times() {
    for (count, height) in [(3, 2), (40, 3), (400, 3)] {
        let settings = Settings { parallel: false, ..Settings::default() };
        let mut simulation = Simulation::new(columns(count, height), settings).unwrap();
        let mut contacts = 0;
        for _ in 0..20 {
            contacts = simulation.step().unwrap().contacts;
        }
        let (found, report) = allocations(|| simulation.step().unwrap());
        assert_eq!((report.contacts, report.converged()), (contacts, true));
        assert!(found <= 20, "{contacts} contacts: {found} allocations");
    }
}

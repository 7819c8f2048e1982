//! Beams that touch.

use crate::cantilever::{DENSITY, LENGTH, area, material, section};
use signorini_mechanics::flexible::beam_line::{BeamLine, BeamSkin};
use signorini_mechanics::flexible::material::{Elastic, Rayleigh};
use signorini_mechanics::{Body, Collider, Material, Model, Settings, Shape, Simulation, Vec3};

#[test]
fn a_beam_dropped_onto_a_floor_comes_to_rest_on_its_skin_and_the_floor_carries_its_weight() {
    let mut model = Model::builder();
    let wood = model.material(Material { friction: 0.4, ..Material::new("wood") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, wood));
    let damped = Elastic { damping: Rayleigh { mass: 1.0, stiffness: 2e-3 }, ..material() };
    let (radius, height) = (0.01, 0.05);
    let ends = [Vec3::new(0.0, 0.0, height), Vec3::new(LENGTH, 0.0, height)];
    let beam = BeamLine::straight("rod", ends, 8, section(), damped).skin(BeamSkin::new(radius, wood));
    let nodes = beam.add_to(&mut model).expect("an answer").nodes;
    let mut simulation =
        Simulation::new(model.build().expect("an answer"), Settings { step: 0.005, ..Settings::default() })
            .expect("an answer");
    for _ in 0..400 {
        let report = simulation.step().expect("an answer");
        assert!(report.converged(), "{report:?}");
    }
    for node in nodes {
        let z = simulation.state().poses[node.index()].position.z;
        assert!((z - radius).abs() < 1e-4, "{z}");
    }
    let carried: f64 = simulation.contact_forces().map(|contact| contact.force.z.abs()).sum();
    let weight = DENSITY * area() * LENGTH * 9.81;
    assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} {weight}");
}

#[test]
fn parts_of_one_beam_touch_where_it_comes_back_to_itself_but_not_along_its_run() {
    let mut model = Model::builder();
    let wood = model.material(Material::new("wood"));
    // A hairpin whose legs overlap by 1 mm.
    let corners = [Vec3::ZERO, Vec3::X * 0.5, Vec3::new(0.5, 0.0, 0.019), Vec3::new(0.0, 0.0, 0.019)];
    let beam =
        BeamLine::polyline("pin", &corners, 5, section(), material()).up(Vec3::Y).skin(BeamSkin::new(0.01, wood));
    beam.add_to(&mut model).expect("an answer");
    let simulation = Simulation::new(model.build().expect("an answer"), Settings::default()).expect("an answer");
    assert!(simulation.contacts().len() >= 4, "{}", simulation.contacts().len());
    assert!(simulation.contacts().iter().all(|contact| contact.bodies[0].abs_diff(contact.bodies[1]) > 4));
    // Away from the corners, where capsules are slanted.
    let on_legs = simulation.contacts().iter().filter(|contact| contact.bodies[0] < 5 && contact.bodies[1] > 10);
    let gaps: Vec<f64> = on_legs.map(|contact| contact.gap).filter(|gap| *gap < 0.0).collect();
    assert!(gaps.len() >= 4 && gaps.iter().all(|gap| (gap + 1e-3).abs() < 1e-9), "{gaps:?}");
    // Straight, nothing touches.
    let mut model = Model::builder();
    let wood = model.material(Material::new("wood"));
    let straight = BeamLine::straight("rod", [Vec3::ZERO, Vec3::X], 50, section(), material());
    straight.skin(BeamSkin::new(0.03, wood)).add_to(&mut model).expect("an answer");
    assert!(
        Simulation::new(model.build().expect("an answer"), Settings::default())
            .expect("an answer")
            .contacts()
            .is_empty()
    );
}

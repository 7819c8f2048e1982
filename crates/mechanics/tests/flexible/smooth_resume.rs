//! Smooth runs with flexible bodies go on to the same bits, whatever the threads.

use crate::support::{block, rubber};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{Link, MassMatrix, Skin, Structure};
use signorini_mechanics::{Body, Collider, Mat3, Material, Model, Penalty, Settings, Shape, Simulation, Stepper, Vec3};

/// A block with a weight on top that falls onto a floor.
fn scene() -> Model {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.4, ..Material::new("surface") });
    let floor = model.body(Body::fixed("floor").at(Vec3::Z * -0.105));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let mut body = block(ElementKind::Tet4, Vec3::splat(0.2), [2, 2, 2], rubber()).with_skin(Skin::new(material));
    let Structure::Solid { mesh, mass, .. } = &mut body.structure else { panic!() };
    *mass = MassMatrix::Consistent;
    let top = mesh.node_set("z-max").unwrap().iter().map(|node| (*node, 1.0)).collect();
    (body.velocity, body.angular_velocity) = (Vec3::new(0.5, 0.0, -0.5), Vec3::new(0.2, 0.1, 0.3));
    let flexible = model.flexible(body);
    let mut weight = Body::new("weight", 2.0, Mat3::IDENTITY * 0.01).at(Vec3::Z * 0.15);
    (weight.velocity, weight.angular_velocity) = (Vec3::new(0.5, 0.0, -0.5), Vec3::new(0.2, 0.1, 0.3));
    let body = model.body(weight);
    model.link("weld", Link::Distributed { flexible, nodes: top, body });
    model.build().unwrap()
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bits_on_any_number_of_threads() {
    for (stepper, extrapolate) in [
        (Stepper::Hht { alpha: -0.1 }, false),
        (Stepper::GeneralisedAlpha { rho: 0.8 }, true),
        (Stepper::Leapfrog, false),
    ] {
        let penalty = Some(Penalty::linear(2e4, 30.0));
        let settings = Settings { stepper, extrapolate, penalty, step: 5e-4, ..Settings::default() };
        let run = |parallel: bool| {
            let settings = Settings { parallel, ..settings.clone() };
            let mut simulation = Simulation::new(scene(), settings).unwrap();
            let mut active = 0;
            let mut stop = None;
            for step in 0..60 {
                if step == 30 {
                    stop = Some((simulation.state().clone(), simulation.warm_start().clone()));
                }
                active = active.max(simulation.step().unwrap().active);
            }
            (simulation.state().hash(), stop.expect("half-way"), active)
        };
        let (hash, (state, warm), active) = run(true);
        assert!(active > 0, "{}", stepper.name());
        assert_eq!(hash, run(false).0, "{}", stepper.name());
        let mut resumed = Simulation::resumed(scene(), settings, state, warm).unwrap();
        (30..60).for_each(|_| assert!(resumed.step().is_ok()));
        assert_eq!(hash, resumed.state().hash(), "{}", stepper.name());
    }
}

//! The same bits for any number of threads, and after a stop.

use crate::support::{block, rubber};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{Link, Skin, Structure};
use signorini_mechanics::{Body, Collider, Mat3, Material, Model, Pose, Settings, Shape, Simulation, Vec3};

/// A block that carries a weight and falls onto a ball and a floor.
fn model() -> Model {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.4, ..Material::new("rubber") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let ball = model.body(Body::of_shape("ball", &Shape::Sphere { radius: 0.05 }, 500.0).unwrap().at(Vec3::Z * 0.05));
    model.collider(ball, Collider::new(Shape::Sphere { radius: 0.05 }, material));
    let mut body = block(ElementKind::Tet4, Vec3::new(0.3, 0.3, 0.15), [8, 8, 4], rubber());
    let Structure::Solid { mesh, .. } = &mut body.structure else { panic!() };
    mesh.transform(Pose::at(Vec3::new(0.02, 0.01, 0.2)));
    let nodes = mesh.node_set("z-max").unwrap()[..9].to_vec();
    body.angular_velocity = Vec3::new(1.0, 0.0, 0.5);
    let flexible = model.flexible(body.with_skin(Skin::new(material)));
    let weight = model.body(Body::new("weight", 1.0, Mat3::IDENTITY * 0.01).at(Vec3::Z * 0.35));
    model.link("glue", Link::Rigid { flexible, nodes, body: weight });
    model.build().unwrap()
}

fn settings() -> Settings {
    Settings { step: 0.005, ..Settings::default() }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = Simulation::new(model(), settings()).unwrap();
            (0..40).for_each(|_| assert!(simulation.step().is_ok()));
            assert!(simulation.contacts().len() > 3);
            simulation.state().hash()
        })
    };
    let alone = run(1);
    assert_eq!([run(2), run(5)], [alone; 2]);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bits() {
    let mut whole = Simulation::new(model(), settings()).unwrap();
    (0..20).for_each(|_| assert!(whole.step().is_ok()));
    let (state, warm) = (whole.state().clone(), whole.warm_start().clone());
    let mut resumed = Simulation::resumed(model(), settings(), state, warm).unwrap();
    for _ in 0..20 {
        let (a, b) = (whole.step().unwrap(), resumed.step().unwrap());
        assert_eq!((a.iterations, a.energy), (b.iterations, b.energy));
    }
    assert_eq!(whole.state().hash(), resumed.state().hash());
}

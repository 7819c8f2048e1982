//! Joints that contradict each other, beside contacts with friction.

use signorini_mechanics::joint::Distance;
use signorini_mechanics::{Body, Collider, Mat3, Material, Model, Settings, Shape, Simulation, Vec3};
use signorini_solver::FrictionLaw;

#[test]
fn two_rods_of_different_length_share_the_violation_under_every_law() {
    for friction in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
        let mut model = Model::builder();
        let rough = model.material(Material { friction: 0.5, ..Material::new("rough") });
        let floor = model.body(Body::fixed("floor"));
        model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, rough));
        let shape = Shape::Sphere { radius: 0.05 };
        let resting = Body::of_shape("resting", &shape, 1000.0).expect("a volume").at(Vec3::new(3.0, 0.0, 0.05));
        let resting = model.body(resting);
        model.collider(resting, Collider::new(shape, rough));
        let hanging = model.body(Body::new("hanging", 1.0, Mat3::IDENTITY).at(Vec3::Z * 4.0));
        let top = Vec3::Z * 5.0;
        model.joint("short", Distance::new([floor, hanging], [top, Vec3::ZERO], 1.0));
        model.joint("long", Distance::new([floor, hanging], [top, Vec3::ZERO], 1.2));
        let settings = Settings { friction, ..Settings::default() };
        let mut simulation = Simulation::new(model.build().expect("a model"), settings).expect("settings");
        for _ in 0..10 {
            let report = simulation.step().expect("a step");
            assert!(!report.converged(), "contradictions are told");
        }
        let height = simulation.state().poses[hanging.index()].position.z;
        assert!(
            (height - 3.9).abs() < 0.01,
            "{friction:?}: half way between 1 m and 1.2 m below the top, not at {height}"
        );
    }
}

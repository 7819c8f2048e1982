//! A step that was stopped has not happened: state, memory, contacts and their forces are those before it, and the run goes on to the
//! same bits as one that was never stopped.

use signorini_mechanics::{
    Body, Collider, Material, Model, Penalty, Pose, Quat, Settings, Shape, Simulation, StepError, StepMemory, Stepper,
    Vec3,
};
use std::sync::atomic::AtomicBool;

/// Three boxes dropped onto each other, each turned a little.
fn tumbling_boxes() -> Model {
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.4, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let shape = Shape::Cuboid { half: Vec3::new(0.3, 0.2, 0.1) };
    for k in 0..3 {
        let height = 0.16 + 0.3 * f64::from(k);
        let body = Body::of_shape(format!("box-{k}"), &shape, 1000.0).expect("a box");
        let pose = Pose::new(Vec3::new(0.05 * f64::from(k), 0.0, height), Quat::from_rotation_x(0.2));
        let body = model.body(body.posed(pose));
        model.collider(body, Collider::new(shape.clone(), stone));
    }
    model.build().expect("a model")
}

/// A memory as bits: smooth steppers mark a factor that is missing by numbers that are none, which equal nothing.
fn bits(memory: &StepMemory) -> (Vec<String>, Vec<u64>) {
    let numbers = memory.joints.iter().chain(&memory.motion).map(|number| number.to_bits());
    (memory.contacts.iter().map(|contact| format!("{contact:?}")).collect(), numbers.collect())
}

#[test]
fn a_step_that_was_stopped_leaves_no_trace() {
    for stepper in [Stepper::DviEuler, Stepper::DviRattle, Stepper::ImplicitEuler] {
        let penalty = (!stepper.has_hard_contacts()).then(|| Penalty::linear(1e6, 1e3));
        let step = if penalty.is_some() { 0.002 } else { 0.01 };
        let settings = Settings { step, stepper, penalty, ..Settings::default() };
        let simulate = || Simulation::new(tumbling_boxes(), settings.clone()).expect("a simulation");
        let (mut whole, mut stopped) = (simulate(), simulate());
        let (stop, mut count) = (AtomicBool::new(true), 0);
        for _ in 0..60 {
            let (state, memory) = (stopped.state().clone(), stopped.warm_start().clone());
            let contacts = stopped.contacts().to_vec();
            let forces: Vec<_> = stopped.contact_forces().collect();
            match stopped.step_with(Some(&stop)) {
                Err(StepError::Interrupted { .. }) => {
                    count += 1;
                    assert_eq!((stopped.state(), bits(stopped.warm_start())), (&state, bits(&memory)));
                    assert_eq!(stopped.contacts(), contacts);
                    assert_eq!(stopped.contact_forces().collect::<Vec<_>>(), forces);
                    stopped.step().expect("a step");
                }
                // A problem whose first guess is its answer is never stopped.
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
            whole.step().expect("a step");
            assert_eq!(whole.state().hash(), stopped.state().hash(), "{stepper:?}");
            assert_eq!(bits(whole.warm_start()), bits(stopped.warm_start()), "{stepper:?}");
        }
        assert!(count > 20, "{stepper:?} was stopped {count} times");
    }
}

//! Contacts that analyses leave out, and say so.

use super::{G, bar, grounded, hinge, slider};
use signorini_mechanics::analysis::{
    EquilibriumSettings, FreeMotion, InverseSettings, inverse_dynamics, modes, static_equilibrium,
};
use signorini_mechanics::force::Spring;
use signorini_mechanics::joint::{Law, Revolute};
use signorini_mechanics::{Collider, Material, Model, Pose, Shape, State, Vec3};

const MASS: f64 = 2.0;
const STIFFNESS: f64 = 20.0;
const RADIUS: f64 = 0.1;

/// A ball on a spring over a floor: its middle comes to rest m g/k below its start.
fn hanging_ball(height: f64, is_excluded: bool) -> Model {
    let (mut model, ground) = grounded();
    let material = model.material(Material::new("smooth"));
    let ball = slider(&mut model, ground, "ball", MASS, Vec3::new(0.0, 0.0, height), Vec3::Z);
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    model.collider(ball, Collider::new(Shape::Sphere { radius: RADIUS }, material));
    let ceiling = Vec3::new(0.0, 0.0, height + 1.0);
    model.force("spring", Spring::new([ground, ball], [ceiling, Vec3::ZERO], STIFFNESS, 0.0, 1.0));
    if is_excluded {
        model.exclude(ground, ball);
    }
    model.build().unwrap()
}

#[test]
fn an_equilibrium_below_the_floor_names_both_bodies_and_the_overlap() {
    let sag = MASS * G / STIFFNESS;
    for (height, overlap) in [(sag + 0.03, Some(RADIUS - 0.03)), (sag + RADIUS, Some(0.0)), (sag + 0.11, None)] {
        let model = hanging_ball(height, false);
        let start = State::start_of(&model);
        let found = static_equilibrium(&model, &start, &EquilibriumSettings::default()).unwrap();
        let contacts = &found.contacts_left_out;
        assert_eq!(contacts.len(), usize::from(overlap.is_some()), "{contacts:?}");
        for contact in contacts {
            assert_eq!(contact.bodies, ["ground", "ball"]);
            assert!((contact.overlap - overlap.unwrap()).abs() < 1e-8, "{contact:?}");
            assert_eq!((contact.overlap_at_start, contact.is_new_overlap), (None, contact.overlap > 0.0));
        }
        // The same for modes there; at the start nothing touches.
        let about_rest = modes(&model, &found.state).unwrap().contacts_left_out;
        assert_eq!(about_rest.len(), contacts.len());
        assert!(about_rest.iter().all(|contact| !contact.is_new_overlap && contact.overlap_at_start.is_some()));
        assert_eq!(modes(&model, &start).unwrap().contacts_left_out, []);
    }
    let model = hanging_ball(sag + 0.03, true);
    let found = static_equilibrium(&model, &State::start_of(&model), &EquilibriumSettings::default()).unwrap();
    assert_eq!(found.contacts_left_out, [], "pairs that never touch");
}

#[test]
fn a_ball_that_lies_in_the_floor_from_the_start_is_no_new_overlap() {
    let model = hanging_ball(0.07, false);
    let found = static_equilibrium(&model, &State::start_of(&model), &EquilibriumSettings::default()).unwrap();
    let [contact] = &found.contacts_left_out[..] else { panic!("{:?}", found.contacts_left_out) };
    assert!((contact.overlap - 0.03 - MASS * G / STIFFNESS).abs() < 1e-8 && !contact.is_new_overlap, "{contact:?}");
    assert!((contact.overlap_at_start.unwrap() - 0.03).abs() < 1e-12, "{contact:?}");
}

/// A ball on the end of a driven arm goes round through a floor: deepest where the arm hangs.
#[test]
fn a_drive_that_turns_a_ball_through_the_floor_says_how_deep_and_when() {
    let (mut model, ground) = grounded();
    let material = model.material(Material::new("smooth"));
    let (arm, pose) = bar(&mut model, "arm", 1.0, [Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0)]);
    let ball = Collider::new(Shape::Sphere { radius: RADIUS }, material)
        .at(Pose::new(Vec3::new(0.5, 0.0, 0.0), Default::default()));
    model.collider(arm, ball);
    let floor = Pose::new(Vec3::new(0.0, 0.0, -1.08), Default::default());
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material).at(floor));
    let anchors = hinge([ground, arm], [&Pose::IDENTITY, &pose], Vec3::ZERO);
    model.joint("motor", Revolute::new(anchors).driven(Law::Polynomial(vec![0.0, std::f64::consts::PI])));
    let model = model.build().unwrap();
    let inverse = |until| {
        let settings = InverseSettings { until, step: 0.01, free: FreeMotion::Refuse };
        inverse_dynamics(&model, &State::start_of(&model), &settings).unwrap().contacts_left_out
    };
    assert_eq!(inverse(0.5), []);
    let found = inverse(2.0);
    let [contact] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&contact.bodies, contact.is_new_overlap), (&["ground".to_owned(), "arm".to_owned()], true));
    assert!((contact.overlap - 0.02).abs() < 1e-9 && (contact.time - 1.0).abs() < 1e-9, "{contact:?}");
}

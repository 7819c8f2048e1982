//! Spheres stacked on one vertical axis, guided by sliders, each ten times as heavy as the one below, without friction.

mod support;

use signorini_mechanics::joint::{Anchors, Prismatic};
use signorini_mechanics::{Body, Collider, Mat3, Material, Model, Pose, Settings, Shape, Simulation, Vec3};
use signorini_solver::{InteriorPoint, Tolerance};

const G: f64 = 9.81;

/// Worst relative error of a contact force over the steps, the largest speed and the most iterations of a step.
fn stack(levels: i32, radius: impl Fn(i32) -> f64, steps: usize) -> (f64, f64, u32) {
    let mut model = Model::builder();
    let smooth = model.material(Material { friction: 0.0, ..Material::new("smooth") });
    let ground = model.body(Body::fixed("ground"));
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, smooth));
    let (mut height, mut masses) = (0.0, Vec::new());
    for i in 0..levels {
        let (mass, radius) = (10.0_f64.powi(i), radius(i));
        masses.push(mass);
        let pose = Pose::at((height + radius) * Vec3::Z);
        height += 2.0 * radius;
        let moment = 0.4 * mass * radius * radius;
        let ball = Body::new(format!("ball {i}"), mass, Mat3::from_diagonal(Vec3::splat(moment))).posed(pose);
        let ball = model.body(ball);
        model.collider(ball, Collider::new(Shape::Sphere { radius }, smooth));
        let anchors = Anchors::from_world([ground, ball], [&Pose::IDENTITY, &pose], Pose::IDENTITY);
        model.joint(format!("guide {i}"), Prismatic::new(anchors));
    }
    let settings = Settings {
        step: 0.05,
        method: InteriorPoint::default().into(),
        tolerance: Some(Tolerance::Relative(1e-10)),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
    let (mut worst, mut speed, mut iterations) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        println!("{:?} {} {:?} it {}", report.status, report.contacts, report.residuals, report.iterations);
        iterations = iterations.max(report.iterations);
        let mut seen = 0;
        for force in simulation.contact_forces() {
            let upper = force.bodies.iter().map(|body| body.index()).max().expect("two bodies");
            let lower = force.bodies.iter().map(|body| body.index()).min().expect("two bodies");
            // Balls that are no neighbours never touch.
            if upper != lower + 1 {
                continue;
            }
            seen += 1;
            let weight: f64 = masses[upper - 1..].iter().sum::<f64>() * G;
            worst = worst.max((force.force.z.abs() / weight - 1.0).abs());
        }
        assert_eq!(seen, levels);
        let velocities = &simulation.state().velocities;
        speed = velocities.iter().fold(speed, |speed, v| speed.max(v.length()));
    }
    println!("{levels}: worst {worst:e} speed {speed:e} iterations {iterations}");
    (worst, speed, iterations)
}

#[test]
fn fifteen_balls_of_one_density_carry_the_weight_above() {
    let (worst, speed, _) = stack(15, |i| 10.0_f64.powf(f64::from(i) / 3.0), 20);
    assert!(worst < 1e-6 && speed < 1e-6, "{worst} {speed}");
}

#[test]
fn forty_balls_of_one_size_carry_the_weight_above() {
    let (worst, speed, _) = stack(40, |_| 1.0, 20);
    assert!(worst < 1e-6 && speed < 1e-6, "{worst} {speed}");
}

//! Spheres stacked on one vertical axis, guided by sliders, each ten times as heavy as the one below, without friction.

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
    let tight = Settings {
        step: 0.05,
        method: InteriorPoint::default().into(),
        tolerance: Some(Tolerance::Relative(1e-10)),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(model.build().expect("valid"), tight).expect("valid");
    let (mut worst, mut speed, mut iterations) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        assert!(report.converged(), "{:?}", report.residuals);
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
    (worst, speed, iterations)
}

/// Constant density: radius ∛mass.
fn of_one_density(level: i32) -> f64 {
    10.0_f64.powf(f64::from(level) / 3.0)
}

#[test]
fn fifteen_balls_of_one_density_carry_the_weight_above() {
    let (worst, speed, _) = stack(15, of_one_density, 20);
    assert!(worst < 1e-8 && speed < 1e-9, "{worst} {speed}");
}

#[test]
fn balls_of_one_density_carry_the_weight_above_as_far_as_their_places_can_be_written() {
    // The uppermost ball of n sits at z ≈ 4 · 10^((n − 1)/3) m, which is rounded to ε z. A gap that is off by so much is closed
    // within a step, and the acceleration ε z/h² adds to g: 3e-6 of it with 25 balls, a third of it with 40. No solver can help that.
    for levels in [20, 25] {
        let height: f64 = (0..levels).map(|i| 2.0 * of_one_density(i)).sum();
        let rounding = f64::EPSILON * height / (0.05 * 0.05) / G;
        let (worst, ..) = stack(levels, of_one_density, 20);
        assert!(worst < 1e-6 && worst < rounding, "{levels}: {worst} {rounding}");
    }
}

#[test]
fn forty_balls_of_one_density_carry_the_weight_above_if_the_smallest_is_small() {
    // The lowest ball measures a micrometre, so that the uppermost place, 4e7 m, is rounded to 7e-9 m: 3e-7 of g.
    let (worst, ..) = stack(40, |level| 1e-6 * of_one_density(level), 20);
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn forty_balls_of_one_size_carry_the_weight_above() {
    let (worst, speed, _) = stack(40, |_| 1.0, 20);
    assert!(worst < 1e-10 && speed < 1e-10, "{worst} {speed}");
}

#[test]
fn iterations_grow_at_most_linearly_with_the_height() {
    for levels in [5, 15, 25] {
        let (.., iterations) = stack(levels, of_one_density, 5);
        assert!(iterations <= 10 + 3 * levels as u32, "{levels}: {iterations}");
    }
}

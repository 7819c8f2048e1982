//! Springs and loads: balance of momentum, energy, power, tangents.

mod support;

use signorini_mechanics::force::{Load, Motion, RotationalSpring, Spring, Wrench};
use signorini_mechanics::joint::{Anchors, Law};
use signorini_mechanics::{Body, Force, Mat3, Model, Pose, Quat, Vec3};
use support::{Random, generalised, near, posed, random_anchors, two_bodies, unit, velocity};

const H: f64 = 1e-5;

fn springs(random: &mut Random) -> [Box<dyn Force>; 2] {
    let points = [random.vector(), random.vector()];
    [
        Box::new(Spring::new(two_bodies(), points, 50.0, 0.8, 0.6)),
        Box::new(RotationalSpring::new(random_anchors(random), 7.0, 0.4, 0.5).preloaded(0.3)),
    ]
}

#[test]
fn a_spring_pulls_both_bodies_equally_and_turns_nothing_as_a_whole() {
    let mut random = Random(11);
    for _ in 0..50 {
        let motions = [random.motion(), random.motion()];
        for spring in springs(&mut random) {
            let wrenches = spring.wrench([&motions[0], &motions[1]], 0.0, &[]);
            let force: Vec3 = wrenches.iter().map(|w| w.force).sum();
            let moment: Vec3 = wrenches
                .iter()
                .zip(&motions)
                .map(|(w, m)| m.pose.position.cross(w.force) + m.pose.rotation * w.torque)
                .sum();
            assert!(force.length() < 1e-12 && moment.length() < 1e-12, "{}: {force} {moment}", spring.kind());
        }
    }
}

#[test]
fn the_power_of_a_spring_is_what_its_energy_loses_and_its_damper_takes() {
    let mut random = Random(12);
    for _ in 0..50 {
        let motions = [random.motion(), random.motion()];
        let v = velocity(&motions);
        for spring in springs(&mut random) {
            let pair = [&motions[0], &motions[1]];
            let power: f64 = generalised(spring.wrench(pair, 0.0, &[])).iter().zip(v).map(|(f, v)| f * v).sum();
            let [ahead, behind] = [H, -H].map(|h| {
                let at = posed(&motions, &v, h);
                spring.energy([&at[0], &at[1]], 0.0, &[])
            });
            // vᵀRv, the damper's power.
            let damping = spring.tangent(pair, 0.0, &[]).map_or([[0.0; 12]; 12], |tangent| tangent.damping);
            let lost: f64 = (0..144).map(|e| v[e / 12] * damping[e / 12][e % 12] * v[e % 12]).sum();
            let expected = -(ahead - behind) / (2.0 * H) - lost;
            assert!((power - expected).abs() < 1e-6, "{}: {power} {expected}", spring.kind());
            assert!(lost >= 0.0);
        }
    }
}

#[test]
fn the_energy_of_a_spring_is_half_its_stiffness_times_its_stretch_squared() {
    let at = |x: f64| Motion { pose: Pose::at(x * Vec3::X), velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO };
    let spring = Spring::new(two_bodies(), [Vec3::ZERO; 2], 200.0, 0.0, 0.5);
    assert!((spring.energy([&at(0.0), &at(0.8)], 0.0, &[]) - 0.5 * 200.0 * 0.09).abs() < 1e-13);
    let [a, b] = spring.wrench([&at(0.0), &at(0.8)], 0.0, &[]);
    assert!((b.force - Vec3::new(-60.0, 0.0, 0.0)).length() < 1e-12 && (a.force + b.force).length() < 1e-12);
}

#[test]
fn the_damping_tangent_is_the_derivative_by_velocities() {
    let mut random = Random(13);
    for _ in 0..20 {
        let motions = [random.motion(), random.motion()];
        for spring in springs(&mut random) {
            let tangent = spring.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit");
            for column in 0..12 {
                let [ahead, behind] = [H, -H].map(|h| {
                    let mut at = motions;
                    let (side, k) = (column / 6, column % 6);
                    match k < 3 {
                        true => at[side].velocity[k] += h,
                        false => at[side].angular_velocity[k - 3] += h,
                    }
                    generalised(spring.wrench([&at[0], &at[1]], 0.0, &[]))
                });
                for row in 0..12 {
                    let difference = -(ahead[row] - behind[row]) / (2.0 * H);
                    assert!(
                        (difference - tangent.damping[row][column]).abs() < 1e-8,
                        "{} {row} {column}",
                        spring.kind()
                    );
                }
            }
        }
    }
}

/// −∂f/∂q by differences, at rest.
fn stiffness_by_differences(force: &dyn Force, motions: &[Motion; 2]) -> [[f64; 12]; 12] {
    let mut matrix = [[0.0; 12]; 12];
    for column in 0..12 {
        let [ahead, behind] = [H, -H].map(|h| {
            let at = posed(motions, &unit(column), h);
            generalised(force.wrench([&at[0], &at[1]], 0.0, &[]))
        });
        (0..12).for_each(|row| matrix[row][column] = -(ahead[row] - behind[row]) / (2.0 * H));
    }
    matrix
}

fn at_rest(motion: Motion) -> Motion {
    Motion { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..motion }
}

#[test]
fn the_stiffness_of_a_stretched_spring_is_the_derivative_of_its_force() {
    // The rows of the forces are exact for every motion; those of the torques but for the change of the levers, so exact without.
    let mut random = Random(14);
    for _ in 0..20 {
        let mut motions = [random.motion(), random.motion()].map(at_rest);
        motions[1].pose.position += Vec3::new(5.0, 0.0, 0.0);
        for points in [[Vec3::ZERO; 2], [random.vector(), random.vector()]] {
            let spring = Spring::new(two_bodies(), points, 50.0, 0.8, 0.6);
            let kept = spring.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit").stiffness;
            let all = stiffness_by_differences(&spring, &motions);
            let is_central = points[0] == Vec3::ZERO;
            for (row, column) in (0..144).map(|e| (e / 12, e % 12)).filter(|(row, _)| is_central || row % 6 < 3) {
                let (kept, all) = (kept[row][column], all[row][column]);
                assert!((kept - all).abs() < 1e-6, "{row} {column}: {kept} {all}");
            }
        }
    }
}

#[test]
fn a_compressed_spring_keeps_its_stiffness_along_its_axis_only() {
    let mut motions = [Pose::IDENTITY, Pose::at(Vec3::new(0.0, 0.4, 0.0))].map(|pose| Motion {
        pose,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
    });
    let spring = Spring::new(two_bodies(), [Vec3::ZERO; 2], 50.0, 0.0, 0.6);
    for length in [0.4, 0.0] {
        motions[1].pose.position.y = length;
        let kept = spring.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit").stiffness;
        let trace: f64 = (0..12).map(|k| kept[k][k]).sum();
        assert!((trace - 100.0).abs() < 1e-12, "{length}: {trace}");
    }
}

#[test]
fn the_stiffness_of_a_rotational_spring_is_the_derivative_of_its_torque_on_a_hinge() {
    let mut random = Random(15);
    for _ in 0..20 {
        let anchors = random_anchors(&mut random);
        let a = random.pose();
        let turn = Pose::new(Vec3::ZERO, Quat::from_rotation_z(random.number()));
        let poses = [a, a * anchors.frames[0] * turn * anchors.frames[1].inverse()];
        let motions = poses.map(|pose| Motion { pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO });
        let spring = RotationalSpring::new(anchors, 7.0, 0.4, 0.5);
        let kept = spring.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit").stiffness;
        // Turning about the axis, in body axes of A or B: the torque along it changes by the stiffness.
        for side in 0..2 {
            let axis = anchors.frames[side].rotation * Vec3::Z;
            let mut v = [0.0; 12];
            v[6 * side + 3..6 * side + 6].copy_from_slice(&axis.to_array());
            let [ahead, behind] = [H, -H].map(|h| {
                let at = posed(&motions, &v, h);
                generalised(spring.wrench([&at[0], &at[1]], 0.0, &[]))
            });
            for row in 0..12 {
                let difference = -(ahead[row] - behind[row]) / (2.0 * H);
                let product: f64 = kept[row].iter().zip(v).map(|(k, v)| k * v).sum();
                assert!((difference - product).abs() < 1e-8, "{side} {row}: {difference} {product}");
            }
        }
    }
}

#[test]
fn tangents_are_symmetric_and_positive_semi_definite_in_any_pose() {
    let mut random = Random(16);
    for round in 0..60 {
        let anchors = random_anchors(&mut random);
        let poses = near(&mut random, &anchors, 2.0);
        let mut motions = [random.motion(), random.motion()];
        if round % 2 == 0 {
            motions = [0, 1].map(|side| Motion { pose: poses[side], ..motions[side] });
        }
        for spring in springs(&mut random) {
            let tangent = spring.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit");
            for matrix in [tangent.stiffness, tangent.damping] {
                assert!((0..144).all(|e| (matrix[e / 12][e % 12] - matrix[e % 12][e / 12]).abs() < 1e-12));
                let v = random.velocity();
                let form: f64 = (0..144).map(|e| v[e / 12] * matrix[e / 12][e % 12] * v[e % 12]).sum();
                assert!(form > -1e-12, "{form}");
            }
        }
    }
}

#[test]
fn a_spring_without_rest_length_is_equally_stiff_in_all_directions() {
    // f = −k d is linear: its tangent is exact anywhere, also where the points coincide.
    for length in [0.0, 1e-200, 1e-9, 0.3] {
        let at = |x: f64| Motion { pose: Pose::at(x * Vec3::X), velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO };
        let spring = Spring::new(two_bodies(), [Vec3::ZERO; 2], 50.0, 0.0, 0.0);
        let kept = spring.tangent([&at(0.0), &at(length)], 0.0, &[]).expect("implicit").stiffness;
        for (row, column) in (0..144).map(|e| (e / 12, e % 12)) {
            let sign = if row / 6 == column / 6 { 1.0 } else { -1.0 };
            let exact = if row % 6 == column % 6 && row % 6 < 3 { 50.0 * sign } else { 0.0 };
            assert!((kept[row][column] - exact).abs() < 1e-12, "{length}: {row} {column}");
        }
    }
}

#[test]
fn springs_between_coincident_points_stay_finite() {
    let motions = [Motion { pose: Pose::IDENTITY, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO }; 2];
    for rest in [0.0, 0.5] {
        let spring = Spring::new(two_bodies(), [Vec3::ZERO; 2], 50.0, 0.8, rest);
        let pair = [&motions[0], &motions[1]];
        assert!(generalised(spring.wrench(pair, 0.0, &[])).iter().all(|f| f.is_finite()));
        let tangent = spring.tangent(pair, 0.0, &[]).expect("implicit");
        assert!(tangent.stiffness.as_flattened().iter().all(|k| k.is_finite()));
    }
}

#[test]
fn a_load_is_fixed_in_the_world_or_follows_its_body() {
    let [_, body] = two_bodies();
    let pose = Pose::new(Vec3::X, Quat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let motion = Motion { pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO };
    let load = Load::new(body)
        .force(Vec3::new(2.0, 0.0, 0.0), Some(Law::linear(1.0, 0.5)))
        .torque(Vec3::new(0.0, 3.0, 0.0), None)
        .at(Vec3::new(0.0, 0.0, 0.1));
    // In the world: factor 2 at t = 2, force along X which is the body's −y; lever 0.1 z × (−4 y) = 0.4 x; torque Y is the body's x.
    let [wrench, none] = load.wrench([&motion; 2], 2.0, &[]);
    assert!((wrench.force - Vec3::new(4.0, 0.0, 0.0)).length() < 1e-14 && none == Wrench::default());
    assert!((wrench.torque - Vec3::new(3.4, 0.0, 0.0)).length() < 1e-14, "{}", wrench.torque);
    // With the body: its x is the world's Y; lever 0.1 z × 4 x = 0.4 y.
    let [wrench, _] = load.following().wrench([&motion; 2], 2.0, &[]);
    assert!((wrench.force - Vec3::new(0.0, 4.0, 0.0)).length() < 1e-14);
    assert!((wrench.torque - Vec3::new(0.0, 3.4, 0.0)).length() < 1e-14, "{}", wrench.torque);
}

#[test]
fn forces_that_cannot_be_used_are_refused_by_name() {
    let mut model = Model::builder();
    let bodies = [model.body(Body::fixed("wall")), model.body(Body::new("arm", 1.0, Mat3::IDENTITY))];
    let anchors = Anchors { bodies, frames: [Pose::IDENTITY; 2] };
    model.force("a", Spring::new(bodies, [Vec3::ZERO; 2], -1.0, 0.0, 1.0));
    model.force("b", Spring::new(bodies, [Vec3::splat(f64::NAN); 2], 1.0, 0.0, 1.0));
    model.force("c", Spring::new(bodies, [Vec3::ZERO; 2], 1.0, f64::NAN, 1.0));
    model.force("d", Spring::new(bodies, [Vec3::ZERO; 2], 1.0, 0.0, -1.0));
    model.force("e", RotationalSpring::new(anchors, 1.0, 0.0, f64::INFINITY));
    model.force("f", Load::new(bodies[1]).force(Vec3::splat(f64::NAN), None));
    model.force("g", Load::new(bodies[1]).torque(Vec3::X, Some(Law::Polynomial(vec![]))));
    let messages: Vec<String> = model.errors().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "spring `a`: stiffness is -1, expected a finite number of N/m ≥ 0",
            "spring `b`: a coordinate is NaN, expected a finite number of metres",
            "spring `c`: damping is NaN, expected a finite number of N s/m ≥ 0",
            "spring `d`: rest length is -1, expected a finite number of metres ≥ 0",
            "rotational spring `e`: rest angle is inf, expected a finite number of radians",
            "load `f`: force is NaN, expected a finite number of N",
            "load `g`: law of the torque: coefficient is empty, expected at least one number",
        ]
    );
}

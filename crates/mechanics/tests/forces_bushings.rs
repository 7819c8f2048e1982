//! Bushings: energy, power, tangents, balance of momentum, and how far they give.

mod support;

use signorini_mechanics::force::{Bushing, Matrix6, Motion};
use signorini_mechanics::joint::Anchors;
use signorini_mechanics::{Body, Force, Mat3, Model, Momentum, Pose, Quat, Simulation, Vec3};
use support::{Random, generalised, isotropic, near, posed, random_anchors, run, settings, unit, velocity};

const H: f64 = 1e-5;

/// BᵀB of a random B: symmetric and positive semi-definite, of rank at most `rank`.
fn random_matrix(random: &mut Random, rank: usize) -> Matrix6 {
    let b: Vec<[f64; 6]> = (0..rank).map(|_| std::array::from_fn(|_| 3.0 * random.number())).collect();
    std::array::from_fn(|i| std::array::from_fn(|j| b.iter().map(|row| row[i] * row[j]).sum()))
}

/// The displacement and the rotation vector of B's frame in A's axes, from the poses alone.
fn deflection(anchors: &Anchors, motions: &[Motion; 2]) -> [f64; 6] {
    let relative = (motions[0].pose * anchors.frames[0]).inverse() * (motions[1].pose * anchors.frames[1]);
    let rotation = if relative.rotation.w < 0.0 { -relative.rotation } else { relative.rotation };
    let (d, psi) = (relative.position, rotation.to_scaled_axis());
    [d.x, d.y, d.z, psi.x, psi.y, psi.z]
}

/// Random bodies whose frames are less than about 160° apart: at half a turn the rotation vector changes sides.
fn random_motions(random: &mut Random, anchors: &Anchors) -> [Motion; 2] {
    loop {
        let motions = [random.motion(), random.motion()];
        if Vec3::from_slice(&deflection(anchors, &motions)[3..]).length() < 2.8 {
            return motions;
        }
    }
}

fn quadratic(matrix: &Matrix6, u: &[f64; 6]) -> f64 {
    matrix.iter().zip(u).map(|(row, x)| x * row.iter().zip(u).map(|(m, y)| m * y).sum::<f64>()).sum()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(1.0_f64, |most, x| most.max(x.abs()))
}

const ZERO: Matrix6 = [[0.0; 6]; 6];

#[test]
fn the_wrench_of_a_bushing_is_minus_the_slope_of_its_energy_in_any_pose() {
    let mut random = Random(31);
    for _ in 0..100 {
        let anchors = random_anchors(&mut random);
        let motions = random_motions(&mut random, &anchors);
        let stiffness = random_matrix(&mut random, 6);
        let preload = std::array::from_fn(|_| random.number());
        let bushing = Bushing::new(anchors, stiffness, ZERO).preloaded(preload);
        // The energy is that of the deflection read off the poses.
        let u = deflection(&anchors, &motions);
        let expected = 0.5 * quadratic(&stiffness, &u) + u.iter().zip(preload).map(|(u, p)| u * p).sum::<f64>();
        let energy = bushing.energy([&motions[0], &motions[1]], 0.0, &[]);
        assert!((energy - expected).abs() < 1e-11 * largest(&[expected]), "{energy} {expected}");
        let forces = generalised(bushing.wrench([&motions[0], &motions[1]], 0.0, &[]));
        for column in 0..12 {
            let [ahead, behind] = [H, -H].map(|h| {
                let at = posed(&motions, &unit(column), h);
                bushing.energy([&at[0], &at[1]], 0.0, &[])
            });
            let slope = (ahead - behind) / (2.0 * H);
            assert!((slope + forces[column]).abs() < 1e-7 * largest(&forces), "{column}: {slope} {}", forces[column]);
        }
    }
}

#[test]
fn the_damper_of_a_bushing_takes_the_power_of_its_matrix() {
    let mut random = Random(32);
    for _ in 0..100 {
        let anchors = random_anchors(&mut random);
        let motions = random_motions(&mut random, &anchors);
        let damping = random_matrix(&mut random, 3);
        let bushing = Bushing::new(anchors, ZERO, damping);
        let v = velocity(&motions);
        let forces = generalised(bushing.wrench([&motions[0], &motions[1]], 0.0, &[]));
        let power: f64 = forces.iter().zip(v).map(|(f, v)| f * v).sum();
        let [ahead, behind] = [H, -H].map(|h| deflection(&anchors, &posed(&motions, &v, h)));
        let rate: [f64; 6] = std::array::from_fn(|k| (ahead[k] - behind[k]) / (2.0 * H));
        let expected = -quadratic(&damping, &rate);
        assert!((power - expected).abs() < 1e-6 * largest(&[expected]), "{power} {expected}");
    }
}

#[test]
fn the_tangents_of_a_bushing_are_the_derivatives_of_its_wrench() {
    let mut random = Random(33);
    for amount in [0.0, 1e-7] {
        for _ in 0..30 {
            let anchors = random_anchors(&mut random);
            let poses = near(&mut random, &anchors, amount);
            let still = poses.map(|pose| Motion { pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO });
            let (stiffness, damping) = (random_matrix(&mut random, 6), random_matrix(&mut random, 2));
            let bushing = Bushing::new(anchors, stiffness, damping);
            let tangent = bushing.tangent([&still[0], &still[1]], 0.0, &[]).expect("implicit");
            let scale = largest(tangent.stiffness.as_flattened());
            for column in 0..12 {
                let [ahead, behind] = [H, -H].map(|h| {
                    let at = posed(&still, &unit(column), h);
                    generalised(bushing.wrench([&at[0], &at[1]], 0.0, &[]))
                });
                for row in 0..12 {
                    let slope = (behind[row] - ahead[row]) / (2.0 * H);
                    let found = tangent.stiffness[row][column];
                    assert!((slope - found).abs() < 1e-6 * scale, "{row} {column}: {slope} {found}");
                }
            }
        }
    }
}

#[test]
fn the_damping_tangent_of_a_bushing_is_exact_in_any_pose_and_both_are_symmetric_and_semi_definite() {
    let mut random = Random(34);
    for _ in 0..50 {
        let anchors = random_anchors(&mut random);
        let motions = random_motions(&mut random, &anchors);
        let bushing = Bushing::new(anchors, random_matrix(&mut random, 4), random_matrix(&mut random, 6));
        let tangent = bushing.tangent([&motions[0], &motions[1]], 0.0, &[]).expect("implicit");
        for column in 0..12 {
            let forces = [0.0, 1.0].map(|factor| {
                let v = unit(column).map(|x| factor * x);
                let at: [Motion; 2] = std::array::from_fn(|side| Motion {
                    pose: motions[side].pose,
                    velocity: Vec3::from_slice(&v[6 * side..6 * side + 3]),
                    angular_velocity: Vec3::from_slice(&v[6 * side + 3..6 * side + 6]),
                });
                generalised(bushing.wrench([&at[0], &at[1]], 0.0, &[]))
            });
            for row in 0..12 {
                let slope = forces[0][row] - forces[1][row];
                let found = tangent.damping[row][column];
                assert!((slope - found).abs() < 1e-11 * largest(tangent.damping.as_flattened()), "{row} {column}");
            }
        }
        for matrix in [&tangent.stiffness, &tangent.damping] {
            for row in 0..12 {
                assert!((0..12).all(|column| matrix[row][column].to_bits() == matrix[column][row].to_bits()));
            }
            for _ in 0..20 {
                let v = random.velocity();
                let form: f64 = (0..12).map(|i| v[i] * (0..12).map(|j| matrix[i][j] * v[j]).sum::<f64>()).sum();
                assert!(form > -1e-12 * largest(matrix.as_flattened()), "{form}");
            }
        }
    }
}

#[test]
fn a_bushing_leaves_the_momentum_of_a_free_pair_alone() {
    let mut random = Random(35);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let a = model.body(Body::new("a", 2.0, isotropic(0.3)).at(Vec3::X).moving(Vec3::ZERO, Vec3::new(0.1, 0.4, -0.3)));
    let b = model.body(Body::new("b", 1.0, isotropic(0.1)).moving(Vec3::new(0.2, 0.1, -0.5), Vec3::X));
    let frames = [Pose::new(0.3 * Vec3::Y, Quat::from_rotation_x(0.4)), Pose::new(Vec3::X, Quat::from_rotation_y(0.2))];
    let anchors = Anchors { bodies: [a, b], frames };
    let (stiffness, damping) = (random_matrix(&mut random, 6), random_matrix(&mut random, 6));
    model.force("bushing", Bushing::new(anchors, stiffness, damping).preloaded([0.1, 0.2, 0.3, -0.1, 0.0, 0.2]));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    let before = Momentum::of(simulation.model(), simulation.state());
    let report = run(&mut simulation, 200);
    let gained = [report.momentum.linear - before.linear, report.momentum.angular - before.angular];
    assert!(gained.iter().all(|part| part.length() < 1e-11), "{gained:?}");
}

#[test]
fn a_body_on_a_stiff_bushing_sinks_by_its_weight_over_the_stiffness() {
    // A beam of 10 kg held at one end, 0.5 m from its centre: 98.1 N down and 49.05 N m about the frame's y. ωh is about 1000.
    let (mass, lever, g) = (10.0, 0.5, 9.81);
    let mut model = Model::builder();
    let wall = model.body(Body::fixed("wall"));
    let beam = model.body(Body::new("beam", mass, Mat3::from_diagonal(Vec3::new(0.1, 1.0, 1.0))).at(Vec3::X * lever));
    let anchors =
        Anchors { bodies: [wall, beam], frames: [Pose::IDENTITY, Pose::new(-lever * Vec3::X, Quat::IDENTITY)] };
    let (along, about) = (1e10, 1e9);
    let stiffness = [along, along, along, about, about, about];
    model.force("clamp", Bushing::diagonal(anchors, stiffness, [1e6; 6]));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    run(&mut simulation, 100);
    let pose = simulation.state().poses[1];
    let tip = pose * (-lever * Vec3::X);
    assert!((tip.z / (-mass * g / along) - 1.0).abs() < 1e-5, "{}", tip.z);
    let turn = pose.rotation.to_scaled_axis().y;
    assert!((turn / (mass * g * lever / about) - 1.0).abs() < 1e-5, "{turn}");
}

#[test]
fn a_preload_is_balanced_by_a_deflection_the_other_way() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let wall = model.body(Body::fixed("wall"));
    let body = model.body(Body::new("body", 1.0, Mat3::IDENTITY));
    let anchors = Anchors { bodies: [wall, body], frames: [Pose::IDENTITY; 2] };
    let bushing = Bushing::diagonal(anchors, [100.0, 100.0, 100.0, 50.0, 50.0, 50.0], [20.0; 6]);
    model.force("bushing", bushing.preloaded([0.0, 3.0, 0.0, 0.0, 0.0, -5.0]));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    run(&mut simulation, 2000);
    let pose = simulation.state().poses[1];
    assert!((pose.position - Vec3::new(0.0, -0.03, 0.0)).length() < 1e-9, "{}", pose.position);
    assert!((pose.rotation.to_scaled_axis() - Vec3::new(0.0, 0.0, 0.1)).length() < 1e-9);
}

#[test]
fn bushings_that_cannot_be_used_are_refused_by_name() {
    let mut random = Random(36);
    let anchors = random_anchors(&mut random);
    let bad = |stiffness: Matrix6, damping: Matrix6, preload: [f64; 6]| {
        Bushing::new(anchors, stiffness, damping).preloaded(preload).check().map_err(|error| error.to_string())
    };
    let sound = random_matrix(&mut random, 6);
    assert_eq!(bad(sound, random_matrix(&mut random, 1), [1.0; 6]), Ok(()));
    assert_eq!(bad(ZERO, ZERO, [0.0; 6]), Ok(()));
    let mut spoiled = ZERO;
    spoiled[0][0] = -2.0;
    let message = "stiffness is -2, expected numbers ≥ 0 on the diagonal";
    assert_eq!(bad(spoiled, sound, [0.0; 6]), Err(message.to_owned()));
    let message = "damping is -2, expected numbers ≥ 0 on the diagonal";
    assert_eq!(bad(sound, spoiled, [0.0; 6]), Err(message.to_owned()));
    let message = "preload is NaN, expected finite numbers of N and N m";
    assert_eq!(bad(sound, sound, [f64::NAN; 6]), Err(message.to_owned()));
}

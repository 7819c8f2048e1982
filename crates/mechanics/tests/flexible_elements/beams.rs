//! Beams: derivatives, invariance, exact nodal values, large rotations.

use crate::support::{Random, largest, solve_free};
use signorini_linalg::SymmetricEigen;
use signorini_mechanics::flexible::element::{Beam, BeamTheory, ElementError, Section, Tangent};
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::{Pose, Quat, Vec3};

fn steel() -> Elastic {
    Elastic::new(2e5, 0.25, 3.0).unwrap()
}

fn section() -> Section {
    Section::rectangle(0.2, 0.3).unwrap()
}

/// Two nodes with any orientations of their own.
fn rest(random: &mut Random) -> [Pose; 2] {
    let (at, along) = (random.vector(), random.vector().normalize() * 1.3);
    [Pose::new(at, random.rotation()), Pose::new(at + along, random.rotation())]
}

fn beam(rest: &[Pose; 2]) -> Beam {
    Beam::new(rest, Vec3::new(0.3, -0.5, 0.8), &section(), &steel(), BeamTheory::Timoshenko).unwrap()
}

/// A small motion on the right of the rotation, by the axis and angle.
fn turned(node: Pose, theta: Vec3) -> Pose {
    Pose::new(node.position, (node.rotation * Quat::from_scaled_axis(theta)).normalize())
}

fn deformed(rest: &[Pose; 2], random: &mut Random, size: f64) -> [Pose; 2] {
    let (turn, shift) = (random.rotation(), random.vector());
    rest.map(|node| {
        let node = turned(node, random.vector() * size);
        Pose::new(turn * (node.position + random.vector() * (0.3 * size)) + shift, turn * node.rotation)
    })
}

fn moved(now: &[Pose; 2], unknown: usize, by: f64) -> [Pose; 2] {
    let (mut moved, axis) = (*now, [Vec3::X, Vec3::Y, Vec3::Z][unknown % 3] * by);
    let node = &mut moved[unknown / 6];
    if unknown % 6 < 3 {
        node.position += axis;
    } else {
        *node = turned(*node, axis);
    }
    moved
}

fn forces(beam: &Beam, now: &[Pose; 2]) -> [Vec3; 4] {
    let (mut force, mut torque) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
    beam.force(now, &mut force, &mut torque).unwrap();
    [force[0], torque[0], force[1], torque[1]]
}

#[test]
fn forces_and_torques_are_the_negative_derivatives_of_the_energy() {
    let mut random = Random(1);
    for _ in 0..10 {
        let rest = rest(&mut random);
        let (beam, now, step) = (beam(&rest), deformed(&rest, &mut random, 0.6), 1e-5);
        let found = forces(&beam, &now);
        let scale = largest(found.iter().map(|f| f.length()));
        for k in 0..12 {
            let at = |h| beam.energy(&moved(&now, k, h)).unwrap();
            let slope = -(at(step) - at(-step)) / (2.0 * step);
            assert!((slope - found[k / 3][k % 3]).abs() < 1e-7 * scale, "{k} {slope} {found:?}");
        }
    }
}

#[test]
fn exact_tangents_are_derivatives_of_the_forces_and_positive_ones_are_so_without_load() {
    let mut random = Random(2);
    for _ in 0..5 {
        let rest = rest(&mut random);
        let beam = beam(&rest);
        let (mut exact, mut positive) = ([0.0; 144], [0.0; 144]);
        let now = deformed(&rest, &mut random, 0.6);
        beam.tangent(&now, Tangent::Exact, &mut exact).unwrap();
        let scale = largest(exact);
        // Differences of another step and order than those of the element.
        let h = 1e-3;
        for column in 0..12 {
            let at = |h| forces(&beam, &moved(&now, column, h));
            let (near, far) = ([at(h), at(-h)], [at(2.0 * h), at(-2.0 * h)]);
            for row in 0..12 {
                let of = |f: &[[Vec3; 4]; 2]| f[1][row / 3][row % 3] - f[0][row / 3][row % 3];
                let slope = (8.0 * of(&near) - of(&far)) / (12.0 * h);
                assert!((slope - exact[12 * row + column]).abs() < 1e-8 * scale, "{row} {column}");
            }
        }
        beam.tangent(&now, Tangent::Positive, &mut positive).unwrap();
        let values = SymmetricEigen::of(12, &positive).unwrap().values.clone();
        assert!(values.iter().all(|v| *v > -1e-12 * largest(values.iter().copied())), "{values:?}");
        beam.tangent(&rest, Tangent::Exact, &mut exact).unwrap();
        beam.tangent(&rest, Tangent::Positive, &mut positive).unwrap();
        let difference = largest((0..144).map(|k| exact[k] - positive[k]));
        assert!(difference < 1e-8 * largest(positive), "{difference}");
        let mut values = SymmetricEigen::of(12, &positive).unwrap().values.clone();
        values.sort_by(f64::total_cmp);
        assert!(
            largest(values[..6].iter().copied()) < 1e-13 * values[11] && values[6] > 1e-4 * values[11],
            "{values:?}"
        );
    }
}

#[test]
fn rigid_motion_makes_no_forces_and_deformation_no_resultant() {
    let mut random = Random(3);
    for _ in 0..10 {
        let rest = rest(&mut random);
        let beam = beam(&rest);
        let rigid = deformed(&rest, &mut random, 0.0);
        assert!(largest(forces(&beam, &rigid).iter().map(|f| f.length())) < 1e-10);
        let now = deformed(&rest, &mut random, 0.6);
        let [f1, m1, f2, m2] = forces(&beam, &now);
        let moment =
            now[0].position.cross(f1) + now[1].position.cross(f2) + now[0].rotation * m1 + now[1].rotation * m2;
        let scale = f1.length() + m1.length();
        assert!((f1 + f2).length() < 1e-13 * scale && moment.length() < 1e-12 * scale, "{moment} {scale}");
    }
}

#[test]
fn one_element_has_the_exact_deflection_and_slope_of_a_tip_load() {
    let (length, load, material, section) = (2.0, 1.0, steel(), section());
    let ends = [Pose::new(Vec3::ZERO, Quat::IDENTITY), Pose::new(Vec3::X * length, Quat::IDENTITY)];
    for theory in [BeamTheory::EulerBernoulli, BeamTheory::Timoshenko] {
        let beam = Beam::new(&ends, Vec3::Y, &section, &material, theory).unwrap();
        let mut tangent = [0.0; 144];
        beam.tangent(&ends, Tangent::Positive, &mut tangent).unwrap();
        // A load along z bends about y: I = w h³/12. Turns about −y. Along y: the other side.
        for (axis, inertia) in [(2, 0.2 * 0.3f64.powi(3) / 12.0), (1, 0.3 * 0.2f64.powi(3) / 12.0)] {
            let mut rhs = [0.0; 12];
            rhs[6 + axis] = load;
            let u = solve_free(&tangent, &rhs, &(6..12).collect::<Vec<_>>());
            let (e, g) = (2e5, 2e5 / 2.5);
            let shear = if theory == BeamTheory::Timoshenko { load * length / (5.0 / 6.0 * g * 0.06) } else { 0.0 };
            let exact = load * length.powi(3) / (3.0 * e * inertia) + shear;
            let slope = load * length.powi(2) / (2.0 * e * inertia) * if axis == 2 { -1.0 } else { 1.0 };
            assert!((u[6 + axis] / exact - 1.0).abs() < 1e-12, "{theory:?} {axis} {} {exact}", u[6 + axis]);
            assert!((u[9 + 3 - axis] / slope - 1.0).abs() < 1e-12, "{theory:?} {axis} {u:?} {slope}");
        }
    }
}

/// A cantilever of `n` elements along x, bent by a moment about z at its end, by Newton's method in `steps` of load.
fn rolled(n: usize, length: f64, moment: f64, steps: usize) -> Vec<Pose> {
    let place = |i: usize| Pose::new(Vec3::X * (length * i as f64 / n as f64), Quat::IDENTITY);
    let mut nodes: Vec<Pose> = (0..=n).map(place).collect();
    let beams: Vec<Beam> = (0..n)
        .map(|i| {
            Beam::new(&[nodes[i], nodes[i + 1]], Vec3::Y, &section(), &steel(), BeamTheory::EulerBernoulli).unwrap()
        })
        .collect();
    let size = 6 * (n + 1);
    for step in 1..=steps {
        let mut change = f64::INFINITY;
        for _ in 0..30 {
            let (mut matrix, mut residual) = (vec![0.0; size * size], vec![0.0; size]);
            residual[6 * n + 5] = moment * step as f64 / steps as f64;
            for (i, beam) in beams.iter().enumerate() {
                let now = [nodes[i], nodes[i + 1]];
                let mut tangent = [0.0; 144];
                beam.tangent(&now, Tangent::Exact, &mut tangent).unwrap();
                for (row, f) in forces(beam, &now).iter().flat_map(|f| f.to_array()).enumerate() {
                    residual[6 * i + row] += f;
                    for column in 0..12 {
                        matrix[(6 * i + row) * size + 6 * i + column] += tangent[12 * row + column];
                    }
                }
            }
            let u = solve_free(&matrix, &residual, &(6..size).collect::<Vec<_>>());
            for (i, node) in nodes.iter_mut().enumerate() {
                let (shift, turn) = (Vec3::from_slice(&u[6 * i..]), Vec3::from_slice(&u[6 * i + 3..]));
                *node = turned(*node, turn);
                node.position += shift;
            }
            change = largest(u);
            if change < 1e-10 {
                break;
            }
        }
        assert!(change < 1e-10, "step {step}: {change}");
    }
    nodes
}

#[test]
fn an_end_moment_rolls_a_cantilever_up_to_a_circle() {
    let (n, length, inertia) = (10, 10.0, 0.3 * 0.2f64.powi(3) / 12.0);
    let stiffness = 2e5 * inertia;
    for turns in [0.5, 1.0] {
        let angle = std::f64::consts::TAU * turns;
        let nodes = rolled(n, length, stiffness * angle / length, (20.0 * turns) as usize);
        let radius = length / angle;
        let mut worst = 0.0f64;
        for (i, node) in nodes.iter().enumerate() {
            let phi = angle * i as f64 / n as f64;
            let exact = Vec3::new(radius * phi.sin(), radius * (1.0 - phi.cos()), 0.0);
            worst = worst.max((node.position - exact).length());
        }
        let tip = nodes[n].rotation * Vec3::X;
        println!("{turns} turns: worst distance from the circle {:.2e} of the length", worst / length);
        assert!(worst < 0.01 * length, "{turns} {worst}");
        assert!((tip - Vec3::new(angle.cos(), angle.sin(), 0.0)).length() < 1e-8, "{tip}");
    }
}

#[test]
fn masses_sum_to_that_of_the_beam_and_inertia_is_that_of_its_sections_in_axes_of_the_nodes() {
    let turn = Quat::from_rotation_y(0.4);
    let ends = [Pose::new(Vec3::ZERO, turn), Pose::new(Vec3::X * 2.0, Quat::IDENTITY)];
    let masses = Beam::new(&ends, Vec3::Y, &section(), &steel(), BeamTheory::Timoshenko).unwrap().lumped_mass();
    assert!((masses[0].mass + masses[1].mass - 3.0 * 0.06 * 2.0).abs() < 1e-15);
    let polar = 0.06 * (0.04 + 0.09) / 12.0;
    assert!((masses[1].inertia.x_axis.x - 3.0 * polar).abs() < 1e-15);
    // In the axes of a node turned by 0.4 about y, the beam's axis is turned back.
    let axis = turn.conjugate() * Vec3::X;
    assert!((axis.dot(masses[0].inertia * axis) - 3.0 * polar).abs() < 1e-15);
}

#[test]
fn beams_that_cannot_be_are_refused() {
    let at = |x: Vec3| Pose::new(x, Quat::IDENTITY);
    let new = |rest: &[Pose; 2], y| Beam::new(rest, y, &section(), &steel(), BeamTheory::Timoshenko);
    assert!(matches!(new(&[at(Vec3::ONE), at(Vec3::ONE)], Vec3::Y), Err(ElementError::Length { .. })));
    assert!(matches!(new(&[at(Vec3::ZERO), at(Vec3::NAN)], Vec3::Y), Err(ElementError::Length { .. })));
    let ends = [at(Vec3::ZERO), at(Vec3::X)];
    for y in [Vec3::X, Vec3::ZERO, Vec3::NAN] {
        assert!(matches!(new(&ends, y), Err(ElementError::Parameter(_))));
    }
    let beam = new(&ends, Vec3::Y).unwrap();
    assert!(matches!(beam.energy(&[at(Vec3::ONE), at(Vec3::ONE)]), Err(ElementError::Length { .. })));
    let folded = [at(Vec3::X), at(Vec3::ZERO)].map(|node| turned(node, Vec3::Z * 1.57));
    assert!(matches!(beam.energy(&folded), Err(ElementError::TooBent { .. })));
}

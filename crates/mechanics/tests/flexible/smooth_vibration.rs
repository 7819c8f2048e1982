//! Free vibration by smooth steppers, against eigenvalues of matrices made from energies and against the orders of the methods.

use crate::support::{block, rubber};
use signorini_linalg::SymmetricEigen;
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{MassMatrix, Structure};
use signorini_mechanics::{Energy, Model, Settings, Simulation, State, Stepper, Vec3};
use signorini_testkit::fitted_order;

/// Displacements \[m\]: what is not linear in them is a 1e-7th, rounding a 1e-8th.
const SIZE: f64 = 1e-8;

pub(crate) fn smooth() -> impl Iterator<Item = Stepper> {
    Stepper::ALL.into_iter().filter(|stepper| !stepper.has_hard_contacts())
}

pub(crate) fn by(model: Model, stepper: Stepper, step: f64) -> Simulation {
    Simulation::new(model, Settings { stepper, step, ..Settings::default() }).unwrap()
}

/// A bar along x, clamped on the left, without gravity.
fn cantilever(kind: ElementKind, size: Vec3, divisions: [usize; 3], mass: MassMatrix, material: Elastic) -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut bar = block(kind, size, divisions, material);
    let Structure::Solid { mesh, mass: own, .. } = &mut bar.structure else { panic!() };
    *own = mass;
    let root = mesh.node_set("x-min").unwrap().to_vec();
    model.flexible(bar.held_at(&root));
    model.build().unwrap()
}

/// A vibration of the discrete model: frequencies ω and shapes u of K u = ω² M u.
pub(crate) struct Vibration {
    pub(crate) omega: f64,
    pub(crate) shape: Vec<Vec3>,
}

/// All vibrations by a second method: K and M are second differences of elastic and kinetic energy.
pub(crate) fn vibrations(model: &Model, free: &[usize]) -> Vec<Vibration> {
    let start = State::start_of(model);
    let n = 3 * free.len();
    let by = 1e-4;
    let elastic = |shifts: &[(usize, f64)]| {
        let mut state = start.clone();
        shifts.iter().for_each(|&(k, by)| state.nodes[free[k / 3]][k % 3] += by);
        Energy::of(model, &state).elastic
    };
    let kinetic = |shifts: &[usize]| {
        let mut state = start.clone();
        state.node_velocities.fill(Vec3::ZERO);
        shifts.iter().for_each(|&k| state.node_velocities[free[k / 3]][k % 3] += 1.0);
        Energy::of(model, &state).kinetic
    };
    let (mut k, mut m) = (vec![0.0; n * n], vec![0.0; n * n]);
    for i in 0..n {
        for j in 0..=i {
            let at = |a: f64, b: f64| elastic(&[(i, a * by), (j, b * by)]);
            let mixed = |s: f64| (at(s, s) + at(-s, -s) - at(s, -s) - at(-s, s)) / (4.0 * s * s * by * by);
            // Of fourth order.
            k[i * n + j] = (4.0 * mixed(1.0) - mixed(2.0)) / 3.0;
            k[j * n + i] = k[i * n + j];
            m[i * n + j] = if i == j { 2.0 * kinetic(&[i]) } else { kinetic(&[i, j]) - kinetic(&[i]) - kinetic(&[j]) };
            m[j * n + i] = m[i * n + j];
        }
    }
    // M^{-1/2} by its own eigenvalues.
    let of_mass = SymmetricEigen::of(n, &m).unwrap();
    let mut root = vec![0.0; n * n];
    for (e, value) in of_mass.values.iter().enumerate() {
        let vector = of_mass.vector(e);
        for i in 0..n {
            (0..n).for_each(|j| root[i * n + j] += vector[i] * vector[j] / value.sqrt());
        }
    }
    let multiply = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let mut out = vec![0.0; n * n];
        for i in 0..n {
            for l in 0..n {
                let x = a[i * n + l];
                (0..n).for_each(|j| out[i * n + j] += x * b[l * n + j]);
            }
        }
        out
    };
    let scaled = multiply(&multiply(&root, &k), &root);
    let found = SymmetricEigen::of(n, &scaled).unwrap();
    let mut all: Vec<Vibration> = (0..n)
        .map(|e| {
            let vector = found.vector(e);
            let entry = |i: usize| (0..n).map(|j| root[i * n + j] * vector[j]).sum::<f64>();
            let shape = (0..free.len()).map(|k| Vec3::new(entry(3 * k), entry(3 * k + 1), entry(3 * k + 2))).collect();
            Vibration { omega: found.values[e].max(0.0).sqrt(), shape }
        })
        .collect();
    all.sort_by(|a, b| a.omega.total_cmp(&b.omega));
    all
}

/// Nodes that move: those off the clamp.
fn free(model: &Model, clamp: f64) -> Vec<usize> {
    let nodes = model.flexible()[0].nodes();
    (0..nodes.len()).filter(|&node| nodes[node].x > clamp + 1e-9).collect()
}

#[test]
fn a_bar_swings_with_the_order_of_every_method() {
    // A small vibration in one mode: x = u cos ωt.
    let material = Elastic { poisson: 0.0, ..rubber() };
    for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
        let model = || cantilever(ElementKind::Hex8, Vec3::new(0.4, 0.1, 0.1), [2, 1, 1], mass, material);
        let moving = free(&model(), -0.2);
        let all = vibrations(&model(), &moving);
        // One from the middle: explicit steps that are stable are then not too short for errors to be seen.
        let first = &all[all.len() / 2];
        let largest = first.shape.iter().map(|u| u.length()).fold(0.0, f64::max);
        let size = SIZE / largest;
        let period = std::f64::consts::TAU / first.omega;
        for stepper in smooth() {
            let mut errors = Vec::new();
            for refinement in 0..if stepper.order() > 2 { 3 } else { 4 } {
                // Euler's explicit method in short ones: with it the highest mode grows.
                let coarsest = match stepper.order() {
                    1 if stepper.is_explicit() => 320,
                    1 | 2 => 40,
                    _ => 16,
                };
                let steps = coarsest << refinement;
                let time = 0.75 * period;
                let mut state = State::start_of(&model());
                for (&node, u) in moving.iter().zip(&first.shape) {
                    state.nodes[node] += size * *u;
                }
                let settings = Settings { stepper, step: time / steps as f64, ..Settings::default() };
                let mut simulation =
                    Simulation::resumed(model(), settings, state, Default::default()).expect("a state");
                (0..steps).for_each(|_| assert!(simulation.step().is_ok()));
                let start = State::start_of(&model()).nodes;
                let error = moving.iter().zip(&first.shape).map(|(&node, u)| {
                    let (sine, cosine) = (first.omega * time).sin_cos();
                    let position = simulation.state().nodes[node] - start[node] - size * cosine * *u;
                    let velocity = simulation.state().node_velocities[node] / first.omega + size * sine * *u;
                    position.length().max(velocity.length())
                });
                errors.push(error.fold(0.0, f64::max) / SIZE);
            }
            let order = fitted_order(&errors);
            assert!((order - f64::from(stepper.order())).abs() < 0.2, "{}: {order:.2} {errors:?}", stepper.name());
        }
    }
}

#[test]
fn the_trapezoidal_rule_keeps_energy_in_steps_far_longer_than_the_shortest_period() {
    for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
        let model = cantilever(ElementKind::Tet10, Vec3::new(0.4, 0.1, 0.1), [3, 1, 1], mass, rubber());
        let mut state = State::start_of(&model);
        for (v, x) in state.node_velocities.iter_mut().zip(&state.nodes) {
            // All modes at once, the clamp at rest.
            *v = 1e-6 * (x.x + 0.2) * Vec3::new((40.0 * x.x).sin(), (70.0 * x.x).cos(), x.y * 10.0);
        }
        let settings = Settings { stepper: Stepper::Trapezoidal, step: 0.01, ..Settings::default() };
        let start = Energy::of(&model, &state).total();
        let mut simulation = Simulation::resumed(model, settings, state, Default::default()).unwrap();
        for _ in 0..200 {
            let energy = simulation.step().unwrap().energy;
            assert!((energy.total() / start - 1.0).abs() < 1e-5, "{energy:?} {start}");
        }
        assert!(simulation.step().unwrap().energy.elastic > 0.0);
    }
}

#[test]
fn frequencies_of_a_cantilever_come_down_to_those_of_beam_theory() {
    // ω = (βL)² √(EI/ρA)/L² of a slender bar, less what shear and turning sections take: both below 1 % of the first two modes. Elements
    // are conforming and mass is consistent, so frequencies come from above, at the square of the element's order.
    let size = Vec3::new(1.0, 0.05, 0.05);
    let material = Elastic { poisson: 0.0, ..rubber() };
    let beam = |root: f64| root * root * (1e6_f64 / 1000.0 / 12.0).sqrt() * 0.05;
    let found = |kind: ElementKind, cells: usize| {
        let model = cantilever(kind, size, [cells, 1, 1], MassMatrix::Consistent, material);
        let all = vibrations(&model, &free(&model, -0.5));
        // Bending comes in pairs.
        [all[0].omega, all[2].omega]
    };
    // Of stiffness, that is of ω².
    let error = |omega: [f64; 2]| {
        let ratios = [omega[0] / beam(1.875_104_069), omega[1] / beam(4.694_091_133)];
        ratios.map(|ratio| ratio * ratio - 1.0)
    };
    let coarse = error(found(ElementKind::Hex8, 4));
    let fine = error(found(ElementKind::Hex8, 8));
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        // Shear locking of thin linear elements goes with the square of their length.
        assert!(fine > 0.0 && (3.0..5.0).contains(&(coarse / fine)), "{coarse} {fine}");
    }
    let quadratic = error(found(ElementKind::Tet10, 2));
    let finer = error(found(ElementKind::Tet10, 4));
    // Four cells carry the second mode's waves: with half as many errors are near the fourth power of their length.
    let ratios = [quadratic[0] / finer[0], quadratic[1] / finer[1]];
    assert!(finer[0] > 0.0 && finer[0] < 0.02 && finer[1] < 0.15, "{quadratic:?} {finer:?}");
    assert!(ratios[0] > 4.0 && (8.0..20.0).contains(&ratios[1]), "{ratios:?}");
}

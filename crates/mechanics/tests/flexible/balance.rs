//! Momentum, energy, static deflection.

use crate::support::{block, rubber, simulation};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::flexible::{FlexibleBody, FlexibleLoad, MassMatrix, StressLaw, Structure};
use signorini_mechanics::{Energy, Model, Momentum, Settings, Simulation, Vec3};

fn variants() -> Vec<FlexibleBody> {
    let mut all = Vec::new();
    for kind in ElementKind::ALL {
        for law in [StressLaw::Corotational, StressLaw::NeoHookean] {
            for mass in [MassMatrix::Lumped, MassMatrix::Consistent] {
                let mut body = block(kind, Vec3::new(0.4, 0.1, 0.1), [4, 1, 1], rubber());
                if let Structure::Solid { law: own, mass: matrix, .. } = &mut body.structure {
                    (*own, *matrix) = (law, mass);
                }
                all.push(body);
            }
        }
    }
    all
}

#[test]
fn a_free_body_falls_as_a_point_and_its_mass_is_that_of_its_volume() {
    for body in variants() {
        let mut model = Model::builder();
        model.flexible(body);
        let model = model.build().unwrap();
        let mass: f64 = model.node_masses().iter().sum();
        assert!((mass - 4.0).abs() < 1e-12, "{mass}");
        let start = model.flexible()[0].nodes().to_vec();
        let mut simulation = simulation(model, 0.01);
        (0..10).for_each(|_| assert!(simulation.step().unwrap().converged()));
        // Euler: v = −g t, x = −g h² Σ k.
        let fall = -9.81 * 1e-4 * 55.0;
        for (now, start) in simulation.state().nodes.iter().zip(&start) {
            assert!((*now - *start - Vec3::Z * fall).length() < 1e-12, "{now}");
        }
        assert!(simulation.state().node_velocities.iter().all(|v| (*v + Vec3::Z * 0.981).length() < 1e-12));
    }
}

#[test]
fn a_spinning_body_keeps_its_momentum_and_gains_no_energy_but_by_the_turn_of_a_step() {
    for mut body in variants() {
        (body.velocity, body.angular_velocity) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.0, 2.0, 4.0));
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        model.flexible(body);
        let model = model.build().unwrap();
        let mut simulation = simulation(model, 0.002);
        let energy = Energy::of(simulation.model(), simulation.state()).total();
        let momentum = Momentum::of(simulation.model(), simulation.state());
        // Points go straight for a step while the body turns by h ω: what that stretches is all that can be gained.
        let turn = 0.002 * 21f64.sqrt();
        for step in 0..100 {
            let report = simulation.step().unwrap();
            assert!((report.momentum.linear - momentum.linear).length() < 1e-9 * momentum.linear.length());
            let change = (report.momentum.angular - momentum.angular).length();
            assert!(change < 0.02 * momentum.angular.length(), "step {step}: {change}");
            assert!(
                report.energy.total() <= energy * (1.0 + turn * turn),
                "step {step}: {}",
                report.energy.total() / energy
            );
        }
    }
}

#[test]
fn a_bar_hung_up_stretches_by_its_own_weight() {
    // u(L) = ρ g L²/2E, without lateral strain: quadratic elements have it to the last digits at their nodes.
    let (length, material) = (1.0, {
        let mut m = rubber();
        m.poisson = 0.0;
        m.damping.mass = 50.0;
        m
    });
    let mut model = Model::builder();
    let mut bar = block(ElementKind::Tet10, Vec3::new(0.1, 0.1, length), [1, 1, 4], material);
    let Structure::Solid { mesh, .. } = &bar.structure else { panic!() };
    let (top, bottom) = (mesh.node_set("z-max").unwrap().to_vec(), mesh.node_set("z-min").unwrap().to_vec());
    bar = bar.held_at(&top);
    if let Structure::Solid { mass, .. } = &mut bar.structure {
        *mass = MassMatrix::Consistent;
    }
    model.flexible(bar);
    let mut simulation = simulation(model.build().unwrap(), 0.05);
    for _ in 0..400 {
        simulation.step().unwrap();
    }
    // Strains of 1 %: the corotational strain is the linear one in a bar that does not turn.
    let expected = 1000.0 * 9.81 * length * length / (2.0 * 1e6);
    for node in bottom {
        let z = simulation.state().nodes[node as usize].z;
        assert!((z + 0.5 * length + expected).abs() < 1e-6 * expected, "{} {expected}", z + 0.5 * length);
    }
}

#[test]
fn a_cantilever_bends_as_beam_theory_says() {
    // F L³/3EI + shear; fine quadratic elements, small load.
    let (length, side) = (1.0, 0.1);
    let mut material = rubber();
    // Without lateral strain the clamp does not stiffen the root.
    (material.youngs_modulus, material.poisson, material.damping.mass) = (1e8, 0.0, 60.0);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut bar = block(ElementKind::Tet10, Vec3::new(length, side, side), [10, 2, 2], material);
    let Structure::Solid { mesh, .. } = &bar.structure else { panic!() };
    let (root, tip) = (mesh.node_set("x-min").unwrap().to_vec(), mesh.node_set("x-max").unwrap().to_vec());
    bar = bar.held_at(&root);
    let id = model.flexible(bar);
    let force = Vec3::new(0.0, 0.0, -1.0);
    let nodes = tip.iter().map(|node| (*node, 1.0)).collect();
    model.flexible_load("tip", FlexibleLoad::Nodes { flexible: id, nodes, force, factor: None });
    let mut simulation = simulation(model.build().unwrap(), 0.05);
    (0..300).for_each(|_| assert!(simulation.step().unwrap().converged()));
    let inertia = side.powi(4) / 12.0;
    let bending = length.powi(3) / (3.0 * 1e8 * inertia);
    let shear = length / (5.0 / 6.0 * 1e8 / 2.0 * side * side);
    let mean: f64 = tip.iter().map(|node| simulation.state().nodes[*node as usize].z).sum::<f64>() / tip.len() as f64;
    assert!((mean + bending + shear).abs() < 0.005 * bending, "{mean} {}", bending + shear);
}

#[test]
fn a_uniform_pressure_stretches_a_block_uniformly_with_every_element() {
    for kind in ElementKind::ALL {
        let mut material = rubber();
        (material.poisson, material.damping.mass) = (0.0, 50.0);
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let body = block(kind, Vec3::ONE, [1, 2, 1], material);
        let Structure::Solid { mesh, .. } = &body.structure else { panic!() };
        let (bottom, top) = (mesh.node_set("z-min").unwrap().to_vec(), mesh.node_set("z-max").unwrap().to_vec());
        let faces = mesh.faces_of_set("z-max").unwrap();
        let flexible = model.flexible(body.held_at(&bottom));
        model.flexible_load("pull", FlexibleLoad::Pressure { flexible, faces, pressure: -1e4, factor: None });
        let mut simulation = simulation(model.build().unwrap(), 0.02);
        (0..600).for_each(|_| assert!(simulation.step().is_ok()));
        // p L/E.
        for node in top {
            let z = simulation.state().nodes[node as usize].z;
            assert!((z - 0.51).abs() < 1e-9, "{kind}: {z}");
        }
    }
}

#[test]
fn a_spinning_rod_has_the_stress_of_its_spin_if_forces_are_iterated() {
    // Of steel, 10 rad/s, h ω = 0.02: one linearisation a step stretches it by (hω)²/2, hundreds of times too much.
    let (length, omega, h) = (1.0, 10.0, 0.002);
    let mut body = block(
        ElementKind::Hex8,
        Vec3::new(length, 0.1, 0.1),
        [8, 1, 1],
        signorini_mechanics::flexible::material::Elastic::new(2e11, 0.0, 7800.0).unwrap(),
    );
    body.angular_velocity = Vec3::Z * omega;
    let energy_of = |iterations: u32| {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        model.flexible(body.clone());
        let settings = Settings { step: h, flexible_iterations: iterations, ..Settings::default() };
        let mut simulation = Simulation::new(model.build().unwrap(), settings).unwrap();
        let mut elastic = 0.0_f64;
        for _ in 0..20 {
            elastic = elastic.max(simulation.step().unwrap().energy.elastic);
        }
        elastic
    };
    // ∫ σ²/2E A dx with σ = ρω²(L²/4 − x²)/2.
    let exact = 7800f64.powi(2) * f64::powi(omega, 4) * length.powi(5) * 0.01 / (8.0 * 2e11) * (1.0 / 30.0);
    let (once, iterated) = (energy_of(1), energy_of(6));
    assert!(once > 1e3 * exact, "{once} {exact}");
    assert!(iterated < 4.0 * exact, "{iterated} {exact}");
}

//! Patch tests: any mesh holds a constant strain exactly.

use crate::support::{KINDS, LAWS, Law, Mesh, largest, material, solve_free};
use signorini_mechanics::flexible::element::Tangent;
use signorini_mechanics::{Mat3, Vec3};

fn boundary(x: Vec3) -> bool {
    let (low, high) = (x.min_element() < 1e-9, (Vec3::new(3.0, 2.0, 2.0) - x).min_element() < 1e-9);
    low || high
}

fn large() -> Mat3 {
    Mat3::from_cols(Vec3::new(1.2, 0.3, -0.1), Vec3::new(-0.4, 0.9, 0.2), Vec3::new(0.1, -0.3, 1.1))
}

#[test]
fn a_constant_strain_of_any_size_leaves_inner_nodes_in_balance() {
    for kind in KINDS {
        for law in LAWS {
            let mesh = Mesh::distorted(kind);
            let now: Vec<Vec3> = mesh.nodes.iter().map(|&x| large() * x).collect();
            let (forces, _) = mesh.assemble(&mesh.solids(law, &material(0.3)), &now, Tangent::Positive);
            let inner: Vec<usize> = (0..now.len()).filter(|&i| !boundary(mesh.nodes[i])).collect();
            assert!(inner.len() >= 2, "{kind:?}");
            let scale = largest(forces.iter().map(|f| f.length()));
            let worst = largest(inner.iter().map(|&i| forces[i].length()));
            assert!(worst < 1e-12 * scale, "{kind:?} {law:?} {worst} of {scale}");
        }
    }
}

#[test]
fn inner_nodes_take_the_places_of_a_constant_strain_given_at_the_boundary() {
    for kind in KINDS {
        let mesh = Mesh::distorted(kind);
        let (_, matrix) =
            mesh.assemble(&mesh.solids(Law::Corotational, &material(0.3)), &mesh.nodes, Tangent::Positive);
        let gradient = large() - Mat3::IDENTITY;
        let exact: Vec<f64> = mesh.nodes.iter().flat_map(|&x| (gradient * x).to_array()).collect();
        let free: Vec<usize> = (0..exact.len()).filter(|&i| !boundary(mesh.nodes[i / 3])).collect();
        let given: Vec<f64> = (0..exact.len()).map(|i| if free.contains(&i) { 0.0 } else { exact[i] }).collect();
        let size = exact.len();
        let rhs: Vec<f64> = (0..size)
            .map(|row| -(0..size).map(|column| matrix[row * size + column] * given[column]).sum::<f64>())
            .collect();
        let found = solve_free(&matrix, &rhs, &free);
        let worst = largest(free.iter().map(|&i| found[i] - exact[i]));
        assert!(worst < 1e-12, "{kind:?} {worst}");
    }
}

#[test]
fn a_bar_pulled_by_its_ends_has_the_strain_of_young_and_contracts_by_poisson() {
    let (e, nu, strain) = (1000.0, 0.3, 1e-2);
    for kind in KINDS {
        let mesh = Mesh::distorted(kind);
        let (_, matrix) = mesh.assemble(&mesh.solids(Law::Corotational, &material(nu)), &mesh.nodes, Tangent::Positive);
        // Displacements along x given at both ends, all other boundaries free but for three rigid motions across x.
        let exact: Vec<f64> =
            mesh.nodes.iter().flat_map(|x| (*x * Vec3::new(strain, -nu * strain, -nu * strain)).to_array()).collect();
        let at_end = |x: Vec3| x.x < 1e-9 || x.x > 3.0 - 1e-9;
        let held = |i: usize| {
            let x = mesh.nodes[i / 3];
            match i % 3 {
                0 => at_end(x),
                1 => x.y < 1e-9,
                _ => x.z < 1e-9,
            }
        };
        let size = exact.len();
        let free: Vec<usize> = (0..size).filter(|&i| !held(i)).collect();
        let given: Vec<f64> = (0..size).map(|i| if held(i) { exact[i] } else { 0.0 }).collect();
        let times = |u: &[f64]| -> Vec<f64> {
            (0..size).map(|row| (0..size).map(|column| matrix[row * size + column] * u[column]).sum()).collect()
        };
        let rhs: Vec<f64> = times(&given).into_iter().map(|f| -f).collect();
        let mut found = solve_free(&matrix, &rhs, &free);
        for i in (0..size).filter(|&i| held(i)) {
            found[i] = given[i];
        }
        assert!(largest((0..size).map(|i| found[i] - exact[i])) < 1e-13, "{kind:?}");
        // Force on an end: E ε A, A = 4 m².
        let forces = times(&found);
        let pull: f64 = (0..size / 3).filter(|&i| mesh.nodes[i].x > 3.0 - 1e-9).map(|i| forces[3 * i]).sum();
        assert!((pull - e * strain * 4.0).abs() < 1e-11 * e, "{kind:?} {pull}");
    }
}

//! Strain and stress at quadrature points and nodes.

use crate::support::{Mesh, material};
use signorini_mechanics::flexible::element::{Corotational, Hyperelastic, NodalMean, PointState, Reference, von_mises};
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::{Mat3, Vec3};

/// All elements of a distorted mesh whose nodes have moved: states by element, and stress at the nodes.
fn states<const N: usize, const Q: usize>(
    reference: &Reference<N, Q>,
    neo_hookean: bool,
    moved: impl Fn(Vec3) -> Vec3,
) -> (Vec<PointState>, Vec<Mat3>, Mesh) {
    let mesh = Mesh::distorted(reference.kind());
    let (mut all, mut mean) = (Vec::new(), NodalMean::new(mesh.nodes.len()));
    for (e, element) in mesh.elements.iter().enumerate() {
        let rest: [Vec3; N] = mesh.of(e).try_into().unwrap();
        let now = rest.map(&moved);
        let states = if neo_hookean {
            Hyperelastic::new(reference, &rest, &material(0.3)).unwrap().states(&now).unwrap()
        } else {
            Corotational::new(reference, &rest, &material(0.3)).unwrap().states(reference, &now).unwrap()
        };
        let nodes: Vec<u32> = element.iter().map(|&i| i as u32).collect();
        let volume = states.iter().map(|s| s.volume).sum();
        mean.add(&nodes, volume, &reference.extrapolate(&states.map(|s| s.stress)));
        all.extend(states);
    }
    (all, mean.means(), mesh)
}

fn check_tension<const N: usize, const Q: usize>(reference: &Reference<N, Q>) {
    // Stretched along x with free sides, then turned: σ = E ε along the turned axis.
    let (strain, turn) = (0.02, Mat3::from_rotation_y(0.9) * Mat3::from_rotation_z(-2.0));
    let (all, nodes, _) = states(reference, false, |x| turn * (x * (Vec3::ONE + Vec3::new(1.0, -0.3, -0.3) * strain)));
    let axis = turn * Vec3::X;
    let exact = Mat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * (1000.0 * strain);
    for state in &all {
        assert!(state.stress.abs_diff_eq(exact, 1e-10), "{N} {}", state.stress);
        assert!(state.strain.abs_diff_eq(Mat3::from_diagonal(Vec3::new(1.0, -0.3, -0.3) * strain), 1e-13));
        assert!((von_mises(state.stress) - 1000.0 * strain).abs() < 1e-10);
    }
    assert!(nodes.iter().all(|stress| stress.abs_diff_eq(exact, 1e-10)));
    assert!((all.iter().map(|s| s.volume).sum::<f64>() - 12.0).abs() < 1e-12);
}

fn check_shear<const N: usize, const Q: usize>(reference: &Reference<N, Q>) {
    // F = I + γ e₁ e₂ᵀ: σ = μ [γ² γ 0; γ 0 0; 0 0 0].
    let (gamma, mu) = (0.8, 1000.0 / 2.6);
    let (all, nodes, _) = states(reference, true, |x| x + Vec3::X * (gamma * x.y));
    let exact = Mat3::from_cols(Vec3::new(gamma * gamma, gamma, 0.0), Vec3::X * gamma, Vec3::ZERO) * mu;
    assert!(all.iter().all(|state| state.stress.abs_diff_eq(exact, 1e-10)));
    assert!(nodes.iter().all(|stress| stress.abs_diff_eq(exact, 1e-10)));
}

#[test]
fn tension_has_its_stress_at_points_and_nodes_whatever_the_rotation() {
    check_tension(&Reference::tet4());
    check_tension(&Reference::tet10());
    check_tension(&Reference::hex8());
}

#[test]
fn simple_shear_of_a_neo_hookean_solid_has_its_closed_form() {
    check_shear(&Reference::tet4());
    check_shear(&Reference::tet10());
    check_shear(&Reference::hex8());
}

#[test]
fn bending_stress_is_linear_at_the_nodes_of_quadratic_elements() {
    // u = κ (x z, 0, −x²/2): ε_x = κ z, no shear; σ_x = (λ + 2μ) κ z, σ_y = σ_z = λ κ z. Small, so that R does not differ.
    let kappa = 1e-7;
    let (_, nodes, mesh) =
        states(&Reference::<10, 4>::tet10(), false, |x| x + Vec3::new(x.x * x.z, 0.0, -0.5 * x.x * x.x) * kappa);
    assert_eq!(mesh.kind, ElementKind::Tet10);
    let (lambda, mu) = (1000.0 * 0.3 / (1.3 * 0.4), 1000.0 / 2.6);
    for (x, stress) in mesh.nodes.iter().zip(&nodes) {
        let exact = Vec3::new(lambda + 2.0 * mu, lambda, lambda) * (kappa * x.z);
        let found = Vec3::new(stress.x_axis.x, stress.y_axis.y, stress.z_axis.z);
        // σ_x is 1e-4 to 3e-4 Pa. Second order in the rotation: E (3e-7)² = 1e-10; rounding of positions (4e-16 m) in
        // gradients of 4/m, ten nodes and extrapolation: 2e-11.
        assert!((found - exact).length() < 2e-10, "{x} {found} {exact}");
    }
}

//! Mass, centre and inertia of a box from its elements.

use crate::support::{KINDS, Mesh, single};
use signorini_mechanics::Vec3;
use signorini_mechanics::flexible::element::{ElementError, mass};
use signorini_mechanics::flexible::mesh::ElementKind;

const DENSITY: f64 = 2.5;

fn consistent(kind: ElementKind, nodes: &[Vec3]) -> Result<Vec<Vec<f64>>, ElementError> {
    Ok(match kind {
        ElementKind::Tet4 => mass::consistent::<4>(kind, nodes.try_into().unwrap(), DENSITY)?.map(Vec::from).to_vec(),
        ElementKind::Tet10 => mass::consistent::<10>(kind, nodes.try_into().unwrap(), DENSITY)?.map(Vec::from).to_vec(),
        ElementKind::Hex8 => mass::consistent::<8>(kind, nodes.try_into().unwrap(), DENSITY)?.map(Vec::from).to_vec(),
    })
}

fn lumped(kind: ElementKind, nodes: &[Vec3]) -> Vec<f64> {
    match kind {
        ElementKind::Tet4 => mass::lumped::<4>(kind, nodes.try_into().unwrap(), DENSITY).unwrap().to_vec(),
        ElementKind::Tet10 => mass::lumped::<10>(kind, nodes.try_into().unwrap(), DENSITY).unwrap().to_vec(),
        ElementKind::Hex8 => mass::lumped::<8>(kind, nodes.try_into().unwrap(), DENSITY).unwrap().to_vec(),
    }
}

#[test]
fn mass_and_centre_of_a_box_are_exact_and_masses_of_nodes_positive() {
    for kind in KINDS {
        let mesh = Mesh::distorted(kind);
        let (mut total, mut first) = (0.0, Vec3::ZERO);
        for e in 0..mesh.elements.len() {
            for (m, x) in lumped(kind, &mesh.of(e)).into_iter().zip(mesh.of(e)) {
                assert!(m > 0.0, "{kind:?} {m}");
                total += m;
                first += x * m;
            }
        }
        assert!((total - DENSITY * 12.0).abs() < 1e-13 * 30.0, "{kind:?} {total}");
        assert!((first / total - Vec3::new(1.5, 1.0, 1.0)).length() < 1e-13, "{kind:?} {first}");
    }
}

#[test]
fn the_consistent_mass_has_the_inertia_of_the_box() {
    for kind in KINDS {
        let mesh = Mesh::distorted(kind);
        let centre = Vec3::new(1.5, 1.0, 1.0);
        let (mut total, mut second) = (0.0, Vec3::ZERO);
        for e in 0..mesh.elements.len() {
            let (m, x) = (consistent(kind, &mesh.of(e)).unwrap(), mesh.of(e));
            for i in 0..x.len() {
                for j in 0..x.len() {
                    total += m[i][j];
                    second += (x[i] - centre) * (x[j] - centre) * m[i][j];
                }
            }
        }
        let exact = Vec3::new(9.0, 4.0, 4.0) * (DENSITY * 12.0 / 12.0);
        assert!(
            (total - DENSITY * 12.0).abs() < 1e-12 && (second - exact).length() < 1e-12,
            "{kind:?} {second} {exact}"
        );
    }
}

#[test]
fn masses_of_the_unit_tetrahedron_are_the_known_fractions() {
    // TET4: V ρ (1 + δ)/20. TET10: corners 1/70, middles 16/210 … of V ρ on the diagonal (∫ of products of barycentrics).
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let m = consistent(ElementKind::Tet4, &corners).unwrap();
    let unit = DENSITY / 6.0;
    assert!((m[0][0] - unit / 10.0).abs() < 1e-15 && (m[0][1] - unit / 20.0).abs() < 1e-15);
    let mut nodes = corners.to_vec();
    for (a, b) in [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)] {
        nodes.push((corners[a] + corners[b]) * 0.5);
    }
    let m = consistent(ElementKind::Tet10, &nodes).unwrap();
    assert!((m[0][0] - unit / 70.0).abs() < 1e-15 && (m[4][4] - unit * 8.0 / 105.0).abs() < 1e-15, "{:?}", m[4][4]);
    // Sums of rows: −1/20 at corners, 1/5 at middles.
    assert!((m[0].iter().sum::<f64>() + unit / 20.0).abs() < 1e-15);
    assert!((m[9].iter().sum::<f64>() - unit / 5.0).abs() < 1e-15);
}

#[test]
fn the_mass_of_an_inverted_element_is_refused() {
    for kind in KINDS {
        let nodes: Vec<Vec3> = single(kind).iter().map(|x| -*x).collect();
        assert!(matches!(consistent(kind, &nodes), Err(ElementError::RestVolume { .. })));
    }
}

//! A cantilever under a tip load converges to beam theory.

use crate::support::{Law, Mesh, material, solve_free};
use signorini_mechanics::Vec3;
use signorini_mechanics::flexible::element::Tangent;
use signorini_mechanics::flexible::mesh::ElementKind;

const LENGTH: f64 = 6.0;
const WIDTH: f64 = 0.5;

/// Mean deflection \[m\] of the tip of a cantilever of height 1 m under a total load of 1 N spread evenly over its end,
/// ν = 0 (the state does not vary over the width, where one element is enough).
fn deflection(kind: ElementKind, n: usize) -> f64 {
    let cells = [3 * n, 1, n];
    let mesh = Mesh::new(kind, cells, |at| {
        let [x, y, z] = [0, 1, 2].map(|a| at[a] as f64 / cells[a] as f64);
        Vec3::new(LENGTH * x, WIDTH * y, z)
    });
    let size = 3 * mesh.nodes.len();
    // The share of the end's area that belongs to a node: a quarter of a quadrilateral; a third of a triangle at
    // corners (TET4) or middles (TET10: the integral of a corner's function is zero).
    let mut shares = vec![0.0; mesh.nodes.len()];
    for element in &mesh.elements {
        let corners = if kind == ElementKind::Hex8 { 8 } else { 4 };
        let on_end = |i: &&usize| mesh.nodes[**i].x > LENGTH - 1e-9;
        let face: Vec<usize> = element[..corners].iter().filter(on_end).copied().collect();
        match (kind, face.len()) {
            (ElementKind::Hex8, 4) => face.iter().for_each(|&i| shares[i] += 0.25),
            (ElementKind::Tet4, 3) => face.iter().for_each(|&i| shares[i] += 1.0 / 6.0),
            (ElementKind::Tet10, 3) => element[4..].iter().filter(on_end).for_each(|&i| shares[i] += 1.0 / 6.0),
            _ => {}
        }
    }
    let total: f64 = shares.iter().sum();
    let mut load = vec![0.0; size];
    for (i, share) in shares.iter().enumerate() {
        load[3 * i + 2] = share / total;
    }
    let (_, matrix) = mesh.assemble(&mesh.solids(Law::Corotational, &material(0.0)), &mesh.nodes, Tangent::Positive);
    let free: Vec<usize> = (0..size).filter(|&i| mesh.nodes[i / 3].x > 1e-9).collect();
    let u = solve_free(&matrix, &load, &free);
    load.iter().zip(&u).map(|(f, u)| f * u).sum()
}

/// PL³/3EI + PL/κGA with κ = 5/6, G = E/2.
fn beam_theory() -> f64 {
    let e = 1000.0;
    LENGTH.powi(3) / (3.0 * e * WIDTH / 12.0) + LENGTH / (5.0 / 6.0 * 0.5 * e * WIDTH)
}

#[test]
fn deflections_converge_to_beam_theory_at_the_rate_of_the_element() {
    let exact = beam_theory();
    let run = |kind, sizes: [usize; 3]| {
        let found = sizes.map(|n| deflection(kind, n));
        let errors = found.map(|w| (w - exact) / exact);
        // Rate from three meshes, each of half the size: free of what beam theory leaves out at the clamp. Of the stiffness
        // 1/w, which too stiff elements raise by c hᵖ; w = 1/(k + c hᵖ) itself shows p on finer meshes only.
        let k = found.map(f64::recip);
        let order = ((k[0] - k[1]) / (k[1] - k[2])).log2();
        // Where k goes on finer meshes, by the rate found.
        let limit = k[2] + (k[2] - k[1]) / (order.exp2() - 1.0);
        let limit_error = (1.0 / limit - exact) / exact;
        println!(
            "{kind:?}: n = {sizes:?}, errors of the deflection {errors:?}, order {order:.2}, of the limit {limit_error:.1e}"
        );
        // Elements of displacements are too stiff, and less so the finer they are.
        assert!(errors[0] < errors[1] && errors[1] < errors[2], "{errors:?}");
        (limit_error, order)
    };
    // What beam theory leaves out at the clamp (sections cannot warp there) is a part of the shear deflection, which is
    // 2 % of the whole, over a length of the height: below 1e-3.
    let (limit, order) = run(ElementKind::Hex8, [2, 4, 8]);
    assert!((order - 2.0).abs() < 0.15 && limit.abs() < 1e-3, "{order} {limit}");
    let (limit, order) = run(ElementKind::Tet10, [1, 2, 4]);
    assert!(order > 3.0 && limit.abs() < 1e-3, "{order} {limit}");
    let (limit, order) = run(ElementKind::Tet4, [2, 4, 8]);
    assert!(order > 1.5 && limit.abs() < 1e-3, "{order} {limit}");
}

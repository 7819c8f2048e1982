//! Forces are derivatives of the energy, tangents those of the forces.

use crate::support::{KINDS, LAWS, Law, Random, largest, material, single, solid};
use signorini_linalg::SymmetricEigen;
use signorini_mechanics::Vec3;
use signorini_mechanics::flexible::element::Tangent;

const STEP: f64 = 1e-5;

/// Turned, moved and deformed at random.
fn deformed(rest: &[Vec3], size: f64, seed: u64) -> Vec<Vec3> {
    let mut random = Random(seed);
    let (turn, shift) = (random.rotation(), random.vector());
    rest.iter().map(|&x| turn * (x + random.vector() * size) + shift).collect()
}

#[test]
fn forces_are_the_negative_derivatives_of_the_energy() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            for seed in 0..5 {
                let now = deformed(&rest, 0.08, seed);
                let mut force = vec![Vec3::ZERO; rest.len()];
                element.force(&now, &mut force).unwrap();
                let scale = largest(force.iter().map(|f| f.length()));
                for i in 0..rest.len() {
                    for a in 0..3 {
                        let at = |h: f64| {
                            let mut moved = now.clone();
                            moved[i][a] += h;
                            element.energy(&moved).unwrap()
                        };
                        let slope = -(at(STEP) - at(-STEP)) / (2.0 * STEP);
                        // h² f''' with f''' ~ f / size²; 1e-10 and rounding of the energy.
                        assert!((slope - force[i][a]).abs() < 1e-7 * scale, "{kind:?} {law:?} {slope} {}", force[i][a]);
                    }
                }
            }
        }
    }
}

#[test]
fn exact_tangents_are_the_derivatives_of_the_forces_and_symmetric() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let n = rest.len();
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            for seed in 0..5 {
                let now = deformed(&rest, 0.08, seed);
                let mut tangent = vec![0.0; 9 * n * n];
                element.tangent(&now, Tangent::Exact, &mut tangent).unwrap();
                let scale = largest(tangent.iter().copied());
                for column in 0..3 * n {
                    let at = |h: f64| {
                        let (mut moved, mut force) = (now.clone(), vec![Vec3::ZERO; n]);
                        moved[column / 3][column % 3] += h;
                        element.force(&moved, &mut force).unwrap();
                        force
                    };
                    let (ahead, behind) = (at(STEP), at(-STEP));
                    for row in 0..3 * n {
                        let slope = (behind[row / 3] - ahead[row / 3])[row % 3] / (2.0 * STEP);
                        let entry = tangent[row * 3 * n + column];
                        assert!(
                            (slope - entry).abs() < 1e-7 * scale,
                            "{kind:?} {law:?} {row} {column} {slope} {entry}"
                        );
                        assert!((entry - tangent[column * 3 * n + row]).abs() < 1e-13 * scale, "{kind:?} {law:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn at_rest_both_tangents_of_both_laws_are_the_stiffness_of_linear_elasticity() {
    for kind in KINDS {
        let rest = single(kind);
        let n = rest.len();
        let mut first: Option<Vec<f64>> = None;
        for law in LAWS {
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            for which in [Tangent::Positive, Tangent::Exact] {
                let mut tangent = vec![0.0; 9 * n * n];
                element.tangent(&rest, which, &mut tangent).unwrap();
                let first = first.get_or_insert_with(|| tangent.clone());
                let difference = largest(tangent.iter().zip(first.iter()).map(|(a, b)| a - b));
                assert!(difference < 1e-12 * largest(first.iter().copied()), "{kind:?} {law:?} {which:?} {difference}");
            }
        }
    }
}

#[test]
fn the_stiffness_at_rest_has_six_zero_eigenvalues_and_the_rest_positive() {
    for kind in KINDS {
        let rest = single(kind);
        let n = 3 * rest.len();
        let element = solid(kind, Law::Corotational, &rest, &material(0.3)).unwrap();
        let mut tangent = vec![0.0; n * n];
        element.tangent(&rest, Tangent::Positive, &mut tangent).unwrap();
        let mut values = SymmetricEigen::of(n, &tangent).unwrap().values.clone();
        values.sort_by(f64::total_cmp);
        let top = values[n - 1];
        assert!(largest(values[..6].iter().copied()) < 1e-13 * top, "{kind:?} {:?}", &values[..7]);
        assert!(values[6] > 1e-3 * top, "{kind:?} {:?}", &values[..7]);
    }
}

#[test]
fn positive_tangents_have_no_negative_eigenvalue_where_exact_ones_have() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let n = 3 * rest.len();
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            // Pressed to half along x: ready to buckle.
            let now: Vec<Vec3> = rest.iter().map(|x| *x * Vec3::new(0.5, 1.0, 1.0)).collect();
            let mut tangent = vec![0.0; n * n];
            let mut smallest = |which| {
                element.tangent(&now, which, &mut tangent).unwrap();
                let values = SymmetricEigen::of(n, &tangent).unwrap().values.clone();
                values.iter().copied().fold(f64::INFINITY, f64::min) / largest(values)
            };
            assert!(smallest(Tangent::Positive) > -1e-13, "{kind:?} {law:?}");
            assert!(smallest(Tangent::Exact) < -1e-3, "{kind:?} {law:?}");
        }
    }
}

#[test]
fn forces_and_tangents_found_together_have_the_same_bits() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let n = rest.len();
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            let now = deformed(&rest, 0.08, 9);
            for which in [Tangent::Positive, Tangent::Exact] {
                let (mut force, mut tangent) = (vec![Vec3::ZERO; n], vec![0.0; 9 * n * n]);
                element.force(&now, &mut force).unwrap();
                element.tangent(&now, which, &mut tangent).unwrap();
                let (mut other, mut both) = (vec![Vec3::ONE; n], vec![1.0; 9 * n * n]);
                element.force_and_tangent(&now, which, &mut other, &mut both).unwrap();
                assert!(force == other && tangent == both, "{kind:?} {law:?} {which:?}");
            }
        }
    }
}

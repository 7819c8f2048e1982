//! Rigid motion makes no forces; no deformation makes a resultant; inverted elements are seen.

use crate::support::{KINDS, LAWS, Law, Random, largest, material, single, solid};
use signorini_mechanics::flexible::element::{ElementError, Tangent};
use signorini_mechanics::{Mat3, Vec3};

#[test]
fn rigid_motion_makes_no_forces() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            let mut random = Random(3);
            for _ in 0..20 {
                let (turn, shift) = (random.rotation(), random.vector() * 10.0);
                let now: Vec<Vec3> = rest.iter().map(|&x| turn * x + shift).collect();
                let mut force = vec![Vec3::ZERO; rest.len()];
                element.force(&now, &mut force).unwrap();
                // Positions near 10 m have rounding of 2e-15 m, the stiffness is E times a length of 1 m.
                assert!(
                    largest(force.iter().map(|f| f.length())) < 1e-14 * 10.0 * 1000.0,
                    "{kind:?} {law:?} {force:?}"
                );
                assert!(element.energy(&now).unwrap().abs() < 1e-12, "{kind:?} {law:?}");
            }
        }
    }
}

#[test]
fn forces_have_no_resultant_and_no_moment_and_turn_with_the_element() {
    for kind in KINDS {
        for law in LAWS {
            let rest = single(kind);
            let element = solid(kind, law, &rest, &material(0.3)).unwrap();
            let mut random = Random(5);
            let now: Vec<Vec3> = rest.iter().map(|&x| x + random.vector() * 0.08).collect();
            let (turn, shift) = (random.rotation(), random.vector());
            let turned: Vec<Vec3> = now.iter().map(|&x| turn * x + shift).collect();
            let (mut force, mut other) = (vec![Vec3::ZERO; rest.len()], vec![Vec3::ZERO; rest.len()]);
            element.force(&now, &mut force).unwrap();
            element.force(&turned, &mut other).unwrap();
            let scale = largest(force.iter().map(|f| f.length()));
            assert!(scale > 1.0);
            assert!(force.iter().sum::<Vec3>().length() < 1e-12 * scale, "{kind:?} {law:?}");
            let moment: Vec3 = now.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
            assert!(moment.length() < 1e-12 * scale, "{kind:?} {law:?} {moment}");
            let difference = largest(force.iter().zip(&other).map(|(a, b)| (turn * *a - *b).length()));
            assert!(difference < 1e-12 * scale, "{kind:?} {law:?} {difference}");
        }
    }
}

#[test]
fn an_inverted_neo_hookean_element_is_an_error_and_a_corotational_one_is_pushed_back() {
    for kind in KINDS {
        let rest = single(kind);
        let n = rest.len();
        let mirrored: Vec<Vec3> = rest.iter().map(|x| *x * Vec3::new(1.0, 1.0, -0.3)).collect();
        let (mut force, mut tangent) = (vec![Vec3::ZERO; n], vec![0.0; 9 * n * n]);
        let element = solid(kind, Law::NeoHookean, &rest, &material(0.3)).unwrap();
        assert!(
            matches!(element.energy(&mirrored), Err(ElementError::Inverted { determinant, .. }) if determinant < 0.0)
        );
        assert!(matches!(element.force(&mirrored, &mut force), Err(ElementError::Inverted { .. })));
        for which in [Tangent::Positive, Tangent::Exact] {
            assert!(matches!(element.tangent(&mirrored, which, &mut tangent), Err(ElementError::Inverted { .. })));
        }
        // A step along the forces lowers the energy, also from flat and collapsed shapes.
        let element = solid(kind, Law::Corotational, &rest, &material(0.3)).unwrap();
        let collapsed = [Vec3::new(1.0, 1.0, -0.3), Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO];
        for scale in collapsed {
            let now: Vec<Vec3> = rest.iter().map(|x| Mat3::from_rotation_x(0.7) * (*x * scale)).collect();
            element.force(&now, &mut force).unwrap();
            let ahead: Vec<Vec3> = now.iter().zip(&force).map(|(x, f)| *x + *f * 1e-7).collect();
            let (before, after) = (element.energy(&now).unwrap(), element.energy(&ahead).unwrap());
            assert!(after < before && before.is_finite(), "{kind:?} {scale} {before} {after}");
            for which in [Tangent::Positive, Tangent::Exact] {
                element.tangent(&now, which, &mut tangent).unwrap();
                assert!(tangent.iter().all(|t| t.is_finite()), "{kind:?} {scale}");
            }
        }
    }
}

#[test]
fn elements_inverted_flat_or_unreadable_at_rest_are_refused() {
    for kind in KINDS {
        for law in LAWS {
            for scale in [Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
                let nodes: Vec<Vec3> = single(kind).iter().map(|x| *x * scale).collect();
                let error = solid(kind, law, &nodes, &material(0.3)).err().unwrap();
                assert!(matches!(error, ElementError::RestVolume { .. }), "{kind:?} {scale} {error}");
            }
            let soft = signorini_mechanics::flexible::material::Elastic { poisson: 0.5, ..material(0.3) };
            let error = solid(kind, law, &single(kind), &soft).err().unwrap().to_string();
            assert!(error.contains("Poisson's ratio is 0.5") && error.contains("incompressible"), "{error}");
        }
    }
}

//! Generated meshes against closed forms and counts; damaged ones against their errors.

use super::*;
use crate::{Pose, Quat, Vec3};
use std::collections::BTreeMap;
use std::f64::consts::PI;

fn round(across: usize) -> CylinderDivisions {
    CylinderDivisions { across, rings: across, along: across }
}

/// Meshes of all generators, with the Euler characteristic of their surfaces.
fn meshes() -> Vec<(VolumeMesh, i64)> {
    let mut meshes = Vec::new();
    for kind in ElementKind::ALL {
        for divisions in [[1, 1, 1], [3, 2, 1], [2, 4, 5]] {
            meshes.push((box_mesh(kind, Vec3::new(1.0, 0.7, 1.3), divisions).unwrap(), 2));
        }
        for (across, rings, along) in [(1, 1, 1), (2, 3, 2), (3, 2, 1)] {
            let divisions = CylinderDivisions { across, rings, along };
            meshes.push((cylinder_mesh(kind, 0.4, 1.1, divisions, Sides::Straight).unwrap(), 2));
        }
        for (around, through, along) in [(3, 1, 1), (7, 2, 3), (12, 2, 1)] {
            let divisions = TubeDivisions { around, through, along };
            meshes.push((tube_mesh(kind, [0.3, 0.4], 0.9, divisions, Sides::Straight).unwrap(), 0));
        }
    }
    let divisions = TubeDivisions { around: 12, through: 2, along: 2 };
    meshes.push((tube_mesh(ElementKind::Tet10, [0.3, 0.4], 0.9, divisions, Sides::Curved).unwrap(), 0));
    meshes.push((cylinder_mesh(ElementKind::Tet10, 0.4, 0.9, round(2), Sides::Curved).unwrap(), 2));
    meshes
}

#[test]
fn generated_meshes_pass_their_checks() {
    for (mesh, _) in meshes() {
        mesh.check().unwrap();
        assert!(mesh.element_volumes().iter().all(|&volume| volume > 0.0));
    }
}

#[test]
fn boxes_of_all_kinds_have_their_exact_volume_and_area() {
    let size = Vec3::new(1.0, 0.7, 1.3);
    for kind in ElementKind::ALL {
        let mut mesh = box_mesh(kind, size, [3, 2, 4]).unwrap();
        mesh.transform(Pose::new(Vec3::new(3.0, -1.0, 2.0), Quat::from_rotation_y(0.7) * Quat::from_rotation_z(1.0)));
        let surface = Surface::of(&mesh).unwrap();
        let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        assert!((mesh.volume() - size.x * size.y * size.z).abs() < 1e-14);
        assert!((surface.area() - area).abs() < 1e-13);
        assert!((Surface::of_set(&mesh, "y-max").unwrap().area() - size.x * size.z).abs() < 1e-14);
    }
}

#[test]
fn every_inner_face_belongs_to_two_elements_with_all_its_nodes() {
    for (mesh, _) in meshes() {
        let mut faces: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for element in 0..mesh.element_count() as u32 {
            for face in 0..mesh.kind.faces().len() as u8 {
                let mut nodes: Vec<u32> = mesh.face(element, face).collect();
                nodes.sort_unstable();
                *faces.entry(nodes).or_default() += 1;
            }
        }
        assert!(faces.values().all(|&count| count == 1 || count == 2));
        // The faces met once are those of the sets, each of one set: inner faces that do not match would be more.
        let outer = faces.values().filter(|&&count| count == 1).count();
        let named: usize = mesh.face_sets.values().map(Vec::len).sum();
        assert_eq!(outer, named, "{:?}", mesh.kind);
    }
}

#[test]
fn surfaces_are_closed_and_have_the_euler_characteristic_of_their_bodies() {
    for (mesh, characteristic) in meshes() {
        let surface = Surface::of(&mesh).unwrap();
        let mut edges: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        let mut uses: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.nodes;
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let key = (from.min(to), from.max(to));
                *edges.entry(key).or_default() += if from < to { 1 } else { -1 };
                *uses.entry(key).or_default() += 1;
            }
        }
        assert!(uses.values().all(|&uses| uses == 2));
        assert!(edges.values().all(|&direction| direction == 0), "neighbours turn the same way");
        let counts = [surface.nodes().len(), uses.len(), surface.triangles.len()].map(|count| count as i64);
        assert_eq!(counts[0] - counts[1] + counts[2], characteristic);
        assert!(surface.boundary().is_empty());
    }
}

/// Whether all nodes in the middle of edges are on the straight lines between their ends.
fn is_straight(mesh: &VolumeMesh) -> bool {
    let middle_is_between = |nodes: &[u32], edge: usize, ends: &[u8; 2]| {
        let [a, b] = ends.map(|local| mesh.nodes[nodes[local as usize] as usize]);
        mesh.nodes[nodes[4 + edge] as usize].distance(0.5 * (a + b)) < 1e-15
    };
    let edges = || mesh.kind.edges().iter().enumerate();
    mesh.kind != ElementKind::Tet10
        || mesh.element_nodes().all(|nodes| edges().all(|(edge, ends)| middle_is_between(nodes, edge, ends)))
}

#[test]
fn the_volume_inside_the_surface_is_that_of_the_elements() {
    for (mesh, _) in meshes() {
        // Curved sides are flattened by the triangles of the surface.
        let is_straight = is_straight(&mesh);
        let difference = (Surface::of(&mesh).unwrap().enclosed_volume() / mesh.volume() - 1.0).abs();
        assert!(difference < if is_straight { 1e-13 } else { 0.03 }, "{difference}");
    }
}

#[test]
fn triangles_name_the_face_they_are_part_of_and_point_away_from_its_element() {
    // Parts of a face that bulges inwards need not point away from the centre of the corners.
    for (mesh, _) in meshes().iter().filter(|(mesh, _)| is_straight(mesh)) {
        for triangle in Surface::of(mesh).unwrap().triangles {
            let face: Vec<u32> = mesh.face(triangle.element, triangle.face).collect();
            assert!(triangle.nodes.iter().all(|node| face.contains(node)));
            let corners = &mesh.element(triangle.element as usize)[..mesh.kind.corners()];
            let centre = corners.iter().map(|&node| mesh.nodes[node as usize]).sum::<Vec3>() / corners.len() as f64;
            let [a, b, c] = triangle.nodes.map(|node| mesh.nodes[node as usize]);
            assert!((b - a).cross(c - a).dot(a - centre) > 0.0);
        }
    }
}

/// Orders at which errors fall when divisions are doubled.
fn orders(error: impl Fn(usize) -> f64) -> Vec<f64> {
    let errors = [2, 4, 8].map(error);
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn volume_and_area_of_a_cylinder_converge_with_order_two_and_four_if_curved() {
    let (radius, height) = (0.3, 0.5);
    let volume = PI * radius * radius * height;
    let area = 2.0 * PI * radius * (radius + height);
    for kind in ElementKind::ALL {
        let mesh = |n| cylinder_mesh(kind, radius, height, round(n), Sides::Straight).unwrap();
        for order in orders(|n| (mesh(n).volume() - volume).abs()) {
            assert!((order - 2.0).abs() < 0.05, "{kind}: volume {order}");
        }
        for order in orders(|n| (Surface::of(&mesh(n)).unwrap().area() - area).abs()) {
            assert!((order - 2.0).abs() < 0.05, "{kind}: area {order}");
        }
        // The polygon of 4 n sides, exactly.
        let angle = 2.0 * PI / 16.0;
        let prism = 16.0 * 0.5 * radius * radius * angle.sin() * height;
        let polygon = mesh(4);
        // As many roundings as there are terms in the sum.
        let rounding = polygon.element_count() as f64 * f64::EPSILON;
        assert!((polygon.volume() / prism - 1.0).abs() < rounding, "{kind}");
    }
    let curved = |n| cylinder_mesh(ElementKind::Tet10, radius, height, round(n), Sides::Curved).unwrap().volume();
    for order in orders(|n| (curved(n) - volume).abs()) {
        assert!(order > 3.8, "curved: {order}");
    }
}

#[test]
fn volume_of_a_tube_is_that_of_its_prism_and_order_four_if_curved() {
    let (radii, height) = ([0.2, 0.3], 0.5);
    let divisions = |n| TubeDivisions { around: 8 * n, through: 1, along: n };
    for kind in ElementKind::ALL {
        let mesh = tube_mesh(kind, radii, height, divisions(1), Sides::Straight).unwrap();
        let prism = 8.0 * 0.5 * (0.3_f64.powi(2) - 0.2_f64.powi(2)) * (PI / 4.0).sin() * height;
        assert!((mesh.volume() - prism).abs() < 1e-15);
        assert!((Surface::of_set(&mesh, "top").unwrap().area() - prism / height).abs() < 1e-15);
    }
    let exact = PI * (0.3_f64.powi(2) - 0.2_f64.powi(2)) * height;
    let curved = |n| tube_mesh(ElementKind::Tet10, radii, height, divisions(n), Sides::Curved).unwrap().volume();
    for order in orders(|n| (curved(n) - exact).abs()) {
        assert!(order > 3.8, "{order}");
    }
}

#[test]
fn volumes_of_distorted_elements_are_those_of_closed_forms() {
    // A frustum of a pyramid: h/3 (A + √(AB) + B).
    let mut frustum = box_mesh(ElementKind::Hex8, Vec3::new(2.0, 2.0, 3.0), [1, 1, 1]).unwrap();
    for &node in &frustum.node_sets["z-max"].clone() {
        frustum.nodes[node as usize] *= Vec3::new(0.5, 0.5, 1.0);
    }
    assert!((frustum.volume() - (4.0 + 2.0 + 1.0)).abs() < 1e-14);
    // x ← x + z² is a shear, and quadratic: volumes stay.
    let mut sheared = box_mesh(ElementKind::Tet10, Vec3::ONE, [2, 2, 2]).unwrap();
    sheared.nodes.iter_mut().for_each(|node| node.x += node.z * node.z);
    assert!((sheared.volume() - 1.0).abs() < 1e-14);
    // So is z ← z + y/10.
    sheared.nodes.iter_mut().for_each(|node| node.z += node.y * 0.1);
    assert!((sheared.volume() - 1.0).abs() < 1e-14);
    sheared.check().unwrap();
}

#[test]
fn damage_is_named_with_its_place_and_count() {
    let sound = box_mesh(ElementKind::Tet4, Vec3::ONE, [2, 2, 2]).unwrap();
    let damaged = |damage: &dyn Fn(&mut VolumeMesh)| {
        let mut mesh = sound.clone();
        damage(&mut mesh);
        mesh.check().unwrap_err()
    };
    let count = sound.element_count();
    let mirrored = damaged(&|mesh| mesh.nodes.iter_mut().for_each(|node| node.x = -node.x));
    assert!(matches!(mirrored, MeshError::Inverted { element: 0, count: all, .. } if all == count));
    let flat = damaged(&|mesh| mesh.nodes.iter_mut().for_each(|node| node.x = 0.0));
    assert!(matches!(flat, MeshError::ZeroVolume { element: 0, count: all, .. } if all == count));
    let point = damaged(&|mesh| mesh.nodes.fill(Vec3::ONE));
    assert!(matches!(point, MeshError::ZeroVolume { element: 0, .. }));
    let infinite = damaged(&|mesh| [3, 7].iter().for_each(|&node: &usize| mesh.nodes[node].y = f64::NAN));
    assert!(matches!(infinite, MeshError::NonFinite { node: 3, count: 2, .. }));
    let outside = damaged(&|mesh| mesh.elements[9] = 27);
    assert_eq!(outside, MeshError::IndexOutOfRange { element: 2, index: 27, nodes: 27, count: 1 });
    let repeated = damaged(&|mesh| mesh.elements[4] = mesh.elements[7]);
    assert!(matches!(repeated, MeshError::RepeatedNode { element: 1, count: 1, .. }));
    let unused = damaged(&|mesh| mesh.nodes.extend([Vec3::ONE; 2]));
    assert_eq!(unused, MeshError::UnusedNode { node: 27, count: 2 });
    let two = damaged(&|mesh| {
        mesh.elements.extend(sound.elements.iter().map(|node| node + 27));
        mesh.nodes.extend(sound.nodes.iter().map(|&node| node + 3.0 * Vec3::X));
    });
    assert_eq!(two, MeshError::Disconnected { pieces: 2, element: count });
    assert_eq!(damaged(&|mesh| mesh.elements.clear()), MeshError::Empty);
    assert_eq!(damaged(&|mesh| mesh.elements.truncate(5)), MeshError::PartOfElement { indices: 5, nodes: 4 });
    let set = damaged(&|mesh| drop(mesh.node_sets.insert("a".into(), vec![0, 99, 98])));
    assert_eq!(set.to_string(), "node set `a`: entry 1 is node 99, which does not exist (2 such entries)");
    let set = damaged(&|mesh| drop(mesh.face_sets.insert("b".into(), vec![(0, 4)])));
    assert_eq!(set.to_string(), "face set `b`: entry 0 is face 4 of element 0, which does not exist (1 such entries)");
    let missing = sound.face_set("left").unwrap_err().to_string();
    assert_eq!(missing, "there is no face set `left`; known: x-max, x-min, y-max, y-min, z-max, z-min");
}

#[test]
fn shapes_are_judged_the_same_at_all_sizes() {
    for scale in [1e-100, 1e-9, 1e9, 1e100] {
        for kind in ElementKind::ALL {
            box_mesh(kind, Vec3::splat(scale), [2, 1, 1]).unwrap().check().unwrap();
        }
    }
}

#[test]
fn generators_refuse_what_they_cannot_make() {
    let kind = ElementKind::Tet10;
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = box_mesh(kind, Vec3::new(1.0, size, 1.0), [1, 1, 1]).unwrap_err();
        assert_eq!(error.to_string(), format!("size y is {size}, expected a finite length > 0"));
        assert!(cylinder_mesh(kind, size, 1.0, round(1), Sides::Straight).is_err());
        assert!(cylinder_mesh(kind, 1.0, size, round(1), Sides::Straight).is_err());
    }
    assert!(matches!(
        box_mesh(kind, Vec3::ONE, [1, 0, 1]),
        Err(MeshError::Divisions { what: "y", found: 0, least: 1 })
    ));
    assert!(matches!(box_mesh(kind, Vec3::ONE, [usize::MAX; 3]), Err(MeshError::TooMany { .. })));
    assert!(matches!(
        cylinder_mesh(kind, 1.0, 1.0, round(usize::MAX), Sides::Straight),
        Err(MeshError::TooMany { .. })
    ));
    let tube = |radii, around| {
        let divisions = TubeDivisions { around, through: 1, along: 1 };
        tube_mesh(ElementKind::Hex8, radii, 1.0, divisions, Sides::Curved)
    };
    assert!(matches!(tube([1.0, 1.0], 8), Err(MeshError::Size { what: "outer radius", .. })));
    assert!(matches!(tube([1.0, 2.0], 2), Err(MeshError::Divisions { what: "around", .. })));
    assert!(matches!(tube([1.0, 2.0], 8), Err(MeshError::CannotCurve { kind: ElementKind::Hex8 })));
    let hexahedra = box_mesh(ElementKind::Hex8, Vec3::ONE, [1, 1, 1]).unwrap();
    assert!(matches!(hexahedra.to_tet10(), Err(MeshError::NotTet4 { .. })));
    // A thin wall cut into few sides: the round outside would be beyond the straight inside, or is refused.
    let divisions = TubeDivisions { around: 3, through: 1, along: 1 };
    assert!(matches!(
        tube_mesh(kind, [0.99, 1.0], 1.0, divisions, Sides::Curved),
        Err(MeshError::Inverted { .. } | MeshError::ZeroVolume { .. })
    ));
}

#[test]
fn sets_have_the_nodes_of_their_places() {
    for kind in ElementKind::ALL {
        let mesh = cylinder_mesh(kind, 0.5, 2.0, round(2), Sides::Straight).unwrap();
        let on = |name: &str, is_there: &dyn Fn(Vec3) -> bool| {
            let expected: Vec<u32> =
                (0..mesh.nodes.len() as u32).filter(|&node| is_there(mesh.nodes[node as usize])).collect();
            let mut found = mesh.node_set(name).unwrap().to_vec();
            found.sort_unstable();
            assert_eq!(found, expected, "{kind} {name}");
            assert_eq!(Surface::of_set(&mesh, name).unwrap().nodes(), expected, "{kind} {name}");
        };
        on("top", &|node| node.z == 1.0);
        on("bottom", &|node| node.z == -1.0);
        // Between the arc and its chords.
        on("side", &|node| node.truncate().length() > 0.5 * (PI / 8.0).cos() - 1e-12);
    }
}

//! Writers of meshes for the tests of the readers.

use signorini_mechanics::flexible::mesh::{ElementKind, VolumeMesh};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Tags that are neither contiguous nor in order.
pub(super) fn tag(node: u32) -> u64 {
    7 + 3 * (u64::from(node) ^ 1)
}

/// Tags in Gmsh's order of nodes.
fn gmsh_nodes(kind: ElementKind, nodes: impl Iterator<Item = u32>) -> String {
    let mut tags: Vec<u64> = nodes.map(tag).collect();
    if kind == ElementKind::Tet10 && tags.len() == 10 {
        // Gmsh: 01 12 20 30 23 13; here 01 12 02 03 13 23.
        tags = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8].map(|k: usize| tags[k]).to_vec();
    }
    tags.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn gmsh_types(kind: ElementKind) -> (u32, u32) {
    match kind {
        ElementKind::Tet4 => (4, 2),
        ElementKind::Tet10 => (11, 9),
        ElementKind::Hex8 => (5, 3),
    }
}

fn physical_names(mesh: &VolumeMesh) -> String {
    let mut text = format!("$PhysicalNames\n{}\n", mesh.face_sets.len() + 1);
    for (k, name) in mesh.face_sets.keys().enumerate() {
        writeln!(text, "2 {} \"{name}\"", k + 1).unwrap();
    }
    text + "3 1 \"all of it\"\n$EndPhysicalNames\n"
}

pub(super) fn gmsh_2(mesh: &VolumeMesh) -> String {
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{}", physical_names(mesh));
    writeln!(text, "$Nodes\n{}", mesh.nodes.len() + 1).unwrap();
    for (k, node) in mesh.nodes.iter().enumerate() {
        writeln!(text, "{} {:e} {:e} {:e}", tag(k as u32), node.x, node.y, node.z).unwrap();
    }
    // A point of the geometry that no element has.
    writeln!(text, "1 9 9 9\n$EndNodes").unwrap();
    let faces: usize = mesh.face_sets.values().map(Vec::len).sum();
    writeln!(text, "$Elements\n{}", faces + mesh.element_count() + 1).unwrap();
    writeln!(text, "1 15 2 0 1 1").unwrap();
    let (volume, surface) = gmsh_types(mesh.kind);
    let mut number = 1;
    for (k, faces) in mesh.face_sets.values().enumerate() {
        for &(element, face) in faces {
            number += 1;
            let nodes = gmsh_nodes(mesh.kind, mesh.face(element, face));
            writeln!(text, "{number} {surface} 2 {} {} {nodes}", k + 1, k + 1).unwrap();
        }
    }
    for nodes in mesh.element_nodes() {
        number += 1;
        writeln!(text, "{number} {volume} 2 1 1 {}", gmsh_nodes(mesh.kind, nodes.iter().copied())).unwrap();
    }
    text + "$EndElements\n"
}

pub(super) fn gmsh_4(mesh: &VolumeMesh) -> String {
    let sets = mesh.face_sets.len();
    let mut text = format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{}", physical_names(mesh));
    writeln!(text, "$Entities\n1 0 {sets} 1\n5 9 9 9 0").unwrap();
    for k in 1..=sets {
        writeln!(text, "{k} 0 0 0 1 1 1 1 {k} 2 1 -2").unwrap();
    }
    writeln!(text, "1 0 0 0 1 1 1 1 1 0\n$EndEntities").unwrap();
    // Two blocks, the first one with parameters on a surface.
    let half = mesh.nodes.len() / 2;
    writeln!(text, "$Nodes\n3 {} 1 99999\n0 5 0 1\n1\n9 9 9", mesh.nodes.len() + 1).unwrap();
    for (head, range) in [("2 1 1", 0..half), ("3 1 0", half..mesh.nodes.len())] {
        writeln!(text, "{head} {}", range.len()).unwrap();
        range.clone().for_each(|k| writeln!(text, "{}", tag(k as u32)).unwrap());
        for node in &mesh.nodes[range] {
            let parameters = if head == "2 1 1" { " 0.25 0.5" } else { "" };
            writeln!(text, "{:e} {:e} {:e}{parameters}", node.x, node.y, node.z).unwrap();
        }
    }
    let faces: usize = mesh.face_sets.values().map(Vec::len).sum();
    writeln!(text, "$EndNodes\n$Elements\n{} {} 1 99999", sets + 2, faces + mesh.element_count() + 1).unwrap();
    writeln!(text, "0 5 15 1\n1 1").unwrap();
    let (volume, surface) = gmsh_types(mesh.kind);
    let mut number = 1;
    for (k, faces) in mesh.face_sets.values().enumerate() {
        writeln!(text, "2 {} {surface} {}", k + 1, faces.len()).unwrap();
        for &(element, face) in faces {
            number += 1;
            writeln!(text, "{number} {}", gmsh_nodes(mesh.kind, mesh.face(element, face))).unwrap();
        }
    }
    writeln!(text, "3 1 {volume} {}", mesh.element_count()).unwrap();
    for nodes in mesh.element_nodes() {
        number += 1;
        writeln!(text, "{number} {}", gmsh_nodes(mesh.kind, nodes.iter().copied())).unwrap();
    }
    text + "$EndElements\n"
}

fn vtk_type(kind: ElementKind) -> u32 {
    match kind {
        ElementKind::Tet4 => 10,
        ElementKind::Tet10 => 24,
        ElementKind::Hex8 => 12,
    }
}

fn points(mesh: &VolumeMesh) -> String {
    mesh.nodes.iter().map(|node| format!("{:e} {:e} {:e}\n", node.x, node.y, node.z)).collect()
}

fn rows(mesh: &VolumeMesh, start: &str) -> String {
    let row = |nodes: &[u32]| start.to_owned() + &nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(" ") + "\n";
    mesh.element_nodes().map(row).collect()
}

fn types(mesh: &VolumeMesh) -> String {
    format!("{}\n", vtk_type(mesh.kind)).repeat(mesh.element_count())
}

/// The legacy format of versions before 5, with an empty title and data that are not read.
pub(super) fn vtk_4(mesh: &VolumeMesh) -> String {
    let (cells, nodes) = (mesh.element_count(), mesh.kind.nodes());
    let mut text = "# vtk DataFile Version 4.2\n\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_owned();
    text += "FIELD FieldData 1\nTIME 1 1 double\n0.5\n";
    write!(text, "POINTS {} double\n{}", mesh.nodes.len(), points(mesh)).unwrap();
    text += "METADATA\nINFORMATION 1\nNAME x LOCATION y\n\n";
    write!(text, "CELLS {cells} {}\n{}", cells * (nodes + 1), rows(mesh, &format!("{nodes} "))).unwrap();
    write!(text, "CELL_TYPES {cells}\n{}", types(mesh)).unwrap();
    text + "POINT_DATA 3\nSCALARS a b\n"
}

/// The legacy format since version 5.
pub(super) fn vtk_5(mesh: &VolumeMesh) -> String {
    let (cells, nodes) = (mesh.element_count(), mesh.kind.nodes());
    let mut text = "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_owned();
    write!(text, "POINTS {} double\n{}", mesh.nodes.len(), points(mesh)).unwrap();
    let offsets: String = (0..=cells).map(|cell| format!("{} ", cell * nodes)).collect();
    writeln!(text, "CELLS {} {}\nOFFSETS vtktypeint64\n{offsets}", cells + 1, cells * nodes).unwrap();
    write!(text, "CONNECTIVITY vtktypeint64\n{}CELL_TYPES {cells}\n{}", rows(mesh, ""), types(mesh)).unwrap();
    text
}

pub(super) fn vtu(mesh: &VolumeMesh) -> String {
    let (cells, nodes) = (mesh.element_count(), mesh.kind.nodes());
    let ends: String = (1..=cells).map(|cell| format!("{} ", cell * nodes)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\">\n<UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">\n<PointData>\n\
         <DataArray type=\"Float64\" Name=\"offsets\" format=\"appended\" offset=\"0\"/>\n</PointData>\n\
         <Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n{}</DataArray>\n</Points>\n\
         <Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n{}</DataArray>\n\
         <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n{ends}\n</DataArray>\n\
         <DataArray type=\"UInt8\" Name='types' format=\"ascii\">\n{}</DataArray>\n</Cells>\n\
         </Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
        mesh.nodes.len(),
        points(mesh),
        rows(mesh, ""),
        types(mesh)
    )
}

/// What a reader of Gmsh's files must make of a mesh: the sets sorted, and one of all nodes.
pub(super) fn expected(mesh: &VolumeMesh) -> VolumeMesh {
    let mut expected = mesh.clone();
    expected.node_sets.values_mut().for_each(|set| set.sort_unstable());
    expected.face_sets.values_mut().for_each(|set| set.sort_unstable());
    expected.node_sets.insert("all of it".into(), (0..mesh.nodes.len() as u32).collect());
    expected
}

/// What a reader of VTK's files must make of it: no sets.
pub(super) fn without_sets(mesh: &VolumeMesh) -> VolumeMesh {
    VolumeMesh { node_sets: BTreeMap::new(), face_sets: BTreeMap::new(), ..mesh.clone() }
}

//! Meshes written and read back; files that cannot be used and what is said about them.

use super::writers::{expected, gmsh_2, gmsh_4, vtk_4, vtk_5, vtu, without_sets};
use super::*;
use glam::DVec3;
use signorini_mechanics::flexible::mesh::{
    CylinderDivisions, ElementKind, Sides, TubeDivisions, box_mesh, cylinder_mesh, tube_mesh,
};

fn meshes() -> Vec<VolumeMesh> {
    let mut meshes = Vec::new();
    for kind in ElementKind::ALL {
        meshes.push(box_mesh(kind, DVec3::new(1.0, 0.3, 0.2), [3, 2, 1]).unwrap());
        let round = if kind == ElementKind::Tet10 { Sides::Curved } else { Sides::Straight };
        let divisions = CylinderDivisions { across: 2, rings: 1, along: 2 };
        meshes.push(cylinder_mesh(kind, 0.1, 0.3, divisions, round).unwrap());
        let divisions = TubeDivisions { around: 12, through: 1, along: 1 };
        meshes.push(tube_mesh(kind, [0.1, 0.15], 0.3, divisions, round).unwrap());
    }
    meshes
}

fn gmsh(text: &str) -> Result<VolumeMesh, VolumeMeshFileError> {
    parse_volume_mesh(text.as_bytes(), VolumeMeshFormat::Gmsh, "a.msh")
}

fn vtk(text: &str) -> Result<VolumeMesh, VolumeMeshFileError> {
    parse_volume_mesh(text.as_bytes(), VolumeMeshFormat::Vtk, "a.vtk")
}

fn xml(text: &str) -> Result<VolumeMesh, VolumeMeshFileError> {
    parse_volume_mesh(text.as_bytes(), VolumeMeshFormat::Vtu, "a.vtu")
}

#[test]
fn meshes_of_all_kinds_are_read_back_from_both_versions_of_gmsh_with_their_sets() {
    for mesh in meshes() {
        assert_eq!(gmsh(&gmsh_2(&mesh)).unwrap(), expected(&mesh));
        assert_eq!(gmsh(&gmsh_4(&mesh)).unwrap(), expected(&mesh));
        assert_eq!(gmsh(&gmsh_4(&mesh).replace('\n', "\r\n")).unwrap(), expected(&mesh));
    }
}

#[test]
fn meshes_of_all_kinds_are_read_back_from_the_formats_of_vtk() {
    for mesh in meshes() {
        assert_eq!(vtk(&vtk_4(&mesh)).unwrap(), without_sets(&mesh));
        assert_eq!(vtk(&vtk_5(&mesh)).unwrap(), without_sets(&mesh));
        assert_eq!(xml(&vtu(&mesh)).unwrap(), without_sets(&mesh));
    }
}

/// A tetrahedron of ten nodes in the order that Gmsh's manual draws: the last two are the middles of 23 and 13.
const GMSH_TET10: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n\
    5 1 0 0\n6 1 1 0\n7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n$EndNodes\n\
    $Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";

#[test]
fn ten_node_tetrahedra_of_gmsh_get_the_order_of_vtk() {
    let mesh = gmsh(GMSH_TET10).unwrap();
    for (edge, ends) in mesh.kind.edges().iter().enumerate() {
        let [a, b] = ends.map(|local| mesh.nodes[mesh.elements[local as usize] as usize]);
        assert_eq!(mesh.nodes[mesh.elements[4 + edge] as usize], 0.5 * (a + b));
    }
    assert!((mesh.volume() - 8.0 / 6.0).abs() < 1e-15);
    // The same order in a VTK file is wrong, and is noticed.
    let nodes = "0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1 0 1 1 1 0 1";
    let text = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 float\n{nodes}\n\
         CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n"
    );
    let swapped = vtk(&text).unwrap_err().to_string();
    assert!(swapped.starts_with("a.vtk: element 0 "), "{swapped}");
}

fn message(result: Result<VolumeMesh, VolumeMeshFileError>) -> String {
    result.unwrap_err().to_string()
}

fn small() -> VolumeMesh {
    box_mesh(ElementKind::Tet4, DVec3::ONE, [1, 1, 1]).unwrap()
}

#[test]
fn other_versions_and_binary_files_are_named_with_the_command_that_converts_them() {
    let command = "gmsh in.msh -save -format msh41 -o out.msh";
    let old = gmsh_4(&small()).replace("4.1 0 8", "4 0 8");
    assert!(message(gmsh(&old)).starts_with("a.msh:2: is a file of Gmsh version `4`; versions 2.2 and 4.1 in ASCII"));
    assert!(message(gmsh(&old)).contains(command));
    let mut binary = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    binary.extend([0xff, 0xfe, 0, 1]);
    let binary = message(parse_volume_mesh(&binary, VolumeMeshFormat::Gmsh, "b.msh"));
    assert!(binary.starts_with("b.msh:2: is a binary file of Gmsh version `4.1`"), "{binary}");
    assert!(binary.contains(command));
    assert!(message(gmsh("$NOD\n3\n")).starts_with("a.msh:1: is a file of Gmsh version 1"));
    assert!(message(vtk(&vtk_4(&small()).replace("ASCII", "BINARY"))).starts_with("a.vtk:3: is a binary file"));
    let appended =
        vtu(&small()).replace("Name=\"connectivity\" format=\"ascii\"", "Name=\"connectivity\" format=\"appended\"");
    assert!(message(xml(&appended)).contains("the array has format=`appended`; arrays with format=\"ascii\" are read"));
}

#[test]
fn mixed_kinds_are_named_with_their_counts() {
    let head =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n$EndNodes\n";
    let mixed = format!("{head}$Elements\n2\n1 4 0 1 2 3 5\n2 7 0 1 2 3 4 5\n$EndElements\n");
    let expected = "the volume elements are 1 5-node pyramid, 1 tet4; expected all tet4, all tet10 or all hex8";
    assert_eq!(message(gmsh(&mixed)), format!("a.msh:15: {expected}"));
    let faces = format!("{head}$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n");
    assert!(message(gmsh(&faces)).ends_with("the file has no volume elements, only 1 points, lines and faces"));
}

#[test]
fn elements_of_two_groups_count_once_and_groups_without_names_get_their_numbers() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 5 \"a\"\n$EndPhysicalNames\n\
        $Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 3 3 3\n$EndNodes\n\
        $Elements\n4\n1 15 2 8 1 3\n2 1 2 9 1 1 4\n3 4 2 5 1 1 2 3 4\n4 4 2 6 1 1 2 3 4\n$EndElements\n";
    let mesh = gmsh(text).unwrap();
    assert_eq!(mesh.elements, [0, 1, 2, 3]);
    assert_eq!(mesh.node_sets["a"], [0, 1, 2, 3]);
    assert_eq!(mesh.node_sets["physical-6"], [0, 1, 2, 3]);
    assert_eq!(mesh.node_sets["physical-8"], [2]);
    assert_eq!(mesh.node_sets["physical-9"], [0, 3]);
    let loose = text.replace("1 15 2 8 1 3\n", "1 2 2 8 1 1 2 5\n");
    assert_eq!(message(gmsh(&loose)), "a.msh:18: the face belongs to no volume element");
}

#[test]
fn defects_are_named_with_their_lines() {
    let sound = gmsh_2(&small());
    let line_of = |what: &str| 1 + sound[..sound.find(what).unwrap()].matches('\n').count();
    let elements = line_of("$Elements");
    let tag = |k: u32| super::writers::tag(k).to_string();
    let cases = [
        (sound.replace("\n$EndNodes", "\nx 0 0 0\n$EndNodes"), line_of("$EndNodes"), "`x` was found where `$EndNodes`"),
        (sound.replace("$Elements\n18", "$Elements\n17"), elements + 19, "`18` was found where `$EndElements`"),
        (
            sound.replace("$Elements\n18", "$Elements\n19"),
            elements + 20,
            "`$EndElements` was found where the tag of an",
        ),
        (sound.replace("$Elements\n18", "$Elements\n99999999"), elements + 1, "99999999 elements are announced"),
        (sound.replace("\n2 2 2 ", "\n2 92 2 "), elements + 3, "element type 92 is unknown"),
        (sound.replace("1 9 9 9", "1 9 nan 9"), line_of("1 9 9 9"), "coordinate is NaN"),
        (sound.replace("1 9 9 9", &format!("{} 9 9 9", tag(0))), line_of("1 9 9 9"), "node 10 is defined twice"),
        (sound.replace("1 15 2 0 1 1\n", "1 15 2 0 1 77\n"), elements + 2, "node 77 is not defined"),
        (sound.replace("$Nodes", "$Knots"), line_of("$Nodes"), "the file ends within section `$Knots`"),
        (
            sound[..sound.find("1 9 9 9").unwrap() + 3].to_owned(),
            line_of("1 9 9 9"),
            "the file ends where a coordinate",
        ),
    ];
    for (text, line, problem) in cases {
        let found = message(gmsh(&text));
        assert!(found.contains(problem), "{found} / {problem}");
        assert!(found.starts_with(&format!("a.msh:{line}: ")), "{found} / {line}");
    }
    let mut mirrored = small();
    mirrored.nodes.iter_mut().for_each(|node| node.x = -node.x);
    let inverted = message(gmsh(&gmsh_2(&mirrored)));
    assert!(inverted.starts_with("a.msh: element 0 is inverted"), "{inverted}");
    assert!(inverted.contains("(5 such elements)"), "{inverted}");
    let text = gmsh_4(&small());
    let message_4 = |from: &str, to: &str| message(gmsh(&text.replace(from, to)));
    assert!(message_4("\n3 1 4 5\n", "\n3 8 4 5\n").contains("entity 8 of dimension 3 is not in `$Entities`"));
    assert!(message_4("$Nodes\n3 9 ", "$Nodes\n3 10 ").contains("10 nodes are announced, but the blocks have 9"));
}

#[test]
fn defects_of_vtk_files_are_named_with_their_lines() {
    let sound = vtk_4(&small());
    let said = |from: &str, to: &str| message(vtk(&sound.replace(from, to)));
    assert!(said("CELL_TYPES 5\n10", "CELL_TYPES 5\n42").contains("cell type 42 is not read"));
    assert!(said("CELL_TYPES 5\n10", "CELL_TYPES 5\n12").contains("the cell has 4 nodes, expected 8 for its type 12"));
    assert!(said("CELL_TYPES 5\n10", "CELL_TYPES 4").contains("there are 5 cells, but 4 cell types"));
    assert!(said("CELLS 5 25", "CELLS 5 26").contains("26 entries of cells are announced, but there are 25"));
    assert!(said("POINTS 8", "POINTS 7").contains("was found where"));
    assert!(said("UNSTRUCTURED_GRID", "POLYDATA").starts_with("a.vtk:4: the data set is `POLYDATA`"));
    let sound = vtu(&small());
    let said = |from: &str, to: &str| message(xml(&sound.replace(from, to)));
    assert!(said("NumberOfPoints=\"8\"", "NumberOfPoints=\"7\"").contains("after the last of the points announced"));
    assert!(said("NumberOfPoints=\"8\"", "").contains("attribute `NumberOfPoints` of <Piece> is missing"));
    assert!(said("type=\"UnstructuredGrid\"", "type=\"PolyData\"").contains("has type `PolyData`"));
    assert!(said("Name='types'", "Name='kinds'").contains("<Cells> has no <DataArray Name=\"types\">"));
    assert!(message(xml("")).starts_with("a.vtu:1: there is no <VTKFile>"));
}

#[test]
fn files_are_opened_by_their_endings() {
    let folder = std::env::temp_dir().join(format!("signorini-volume-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = small();
    for (name, text) in [("a.msh", gmsh_4(&mesh)), ("b.vtk", vtk_5(&mesh)), ("c.VTU", vtu(&mesh))] {
        std::fs::write(folder.join(name), text).unwrap();
        assert_eq!(read_volume_mesh(&folder.join(name)).unwrap().elements, mesh.elements);
    }
    assert!(matches!(read_volume_mesh(&folder.join("d.stl")), Err(VolumeMeshFileError::Ending { .. })));
    assert!(matches!(read_volume_mesh(&folder.join("e.msh")), Err(VolumeMeshFileError::Io { .. })));
    std::fs::create_dir_all(folder.join("f.msh")).unwrap();
    assert!(matches!(read_volume_mesh(&folder.join("f.msh")), Err(VolumeMeshFileError::NoFile { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

//! `mesh = { box = … }`, `{ cylinder = … }`, `{ tube = … }` or `{ file = … }`.

use crate::document::shape::{path_of, scale};
use crate::reader::{Range, Table, Value};
use crate::volume_mesh_file::read_volume_mesh;
use glam::DVec3;
use signorini_mechanics::flexible::mesh::{
    CylinderDivisions, ElementKind, Sides, TubeDivisions, VolumeMesh, box_mesh, cylinder_mesh, tube_mesh,
};

const ELEMENTS: [(&str, ElementKind); 3] =
    [("tet4", ElementKind::Tet4), ("tet10", ElementKind::Tet10), ("hex8", ElementKind::Hex8)];
/// Linear tetrahedra are far too stiff in bending, and contacts of hexahedra do not see that their faces are curved.
const USUAL: ElementKind = ElementKind::Tet10;

/// The mesh of a body, in its reference frame, checked; `None` after errors, which are said.
pub(super) fn read(body: &Table<'_>) -> Option<VolumeMesh> {
    let table = body.require("mesh")?.table(format!("{}.mesh", body.name()))?;
    let [cuboid, cylinder, tube, file] = ["box", "cylinder", "tube", "file"].map(|kind| table.get(kind));
    let element = table.get("element").map(|value| value.choice(&ELEMENTS));
    let mesh = match (cuboid, cylinder, tube, file) {
        (Some(size), None, None, None) => {
            let size = size.vector(Range::LENGTH);
            let divisions = divisions(&table, "three whole numbers [along x, y, z]", |n| n.iter().product());
            table.finish();
            let (element, size, [x, y, z]) = (element.unwrap_or(Some(USUAL))?, size?, divisions?);
            box_mesh(element, size, [x, y, z])
        }
        (None, Some(size), None, None) => {
            let size = lengths::<2>(&size, "two lengths [radius, height]");
            let cells = |n: [f64; 3]| (n[0] * n[0] + 4.0 * n[0] * n[1]) * n[2];
            let divisions = divisions(&table, "three whole numbers [across the core, rings, along]", cells);
            let sides = sides(&table);
            table.finish();
            let (element, [radius, height], [across, rings, along]) =
                (element.unwrap_or(Some(USUAL))?, size?, divisions?);
            cylinder_mesh(element, radius, height, CylinderDivisions { across, rings, along }, sides?)
        }
        (None, None, Some(size), None) => {
            let size = lengths::<3>(&size, "three lengths [inner radius, outer radius, height]");
            let expected = "three whole numbers [around, through the wall, along]";
            let divisions = divisions(&table, expected, |n| n.iter().product());
            let sides = sides(&table);
            table.finish();
            let (element, [inner, outer, height]) = (element.unwrap_or(Some(USUAL))?, size?);
            let [around, through, along] = divisions?;
            tube_mesh(element, [inner, outer], height, TubeDivisions { around, through, along }, sides?)
        }
        (None, None, None, Some(file)) => {
            let scale = scale(&table);
            table.finish();
            return from_file(&table, &file, scale?, element);
        }
        _ => {
            for field in ["divisions", "scale", "curved"] {
                table.get(field);
            }
            if table.finish() {
                table.error("expected one of `box`, `cylinder`, `tube` and `file`");
            }
            return None;
        }
    };
    match mesh.and_then(|mesh| mesh.check().map(|()| mesh)) {
        Ok(mesh) => Some(mesh),
        Err(error) => {
            table.error(error);
            None
        }
    }
}

/// A mesh of a file, scaled, of the elements asked for.
fn from_file(
    table: &Table<'_>,
    file: &Value<'_>,
    scale: DVec3,
    element: Option<Option<ElementKind>>,
) -> Option<VolumeMesh> {
    let refuse = |error: &dyn std::fmt::Display| {
        file.error(format_args!("cannot be used: {error}"));
        None
    };
    let mut mesh = match read_volume_mesh(&path_of(file, table.context().base_dir)?) {
        Ok(mesh) => mesh,
        Err(error) => return refuse(&error),
    };
    let element = match element {
        Some(element) => element?,
        None => mesh.kind,
    };
    if element == ElementKind::Tet10 && mesh.kind == ElementKind::Tet4 {
        mesh = match mesh.to_tet10() {
            Ok(mesh) => mesh,
            Err(error) => return refuse(&error),
        };
    } else if element != mesh.kind {
        let found = mesh.kind;
        table.error(format_args!("`element` is \"{element}\", but the file has {found}; only tet4 can be made tet10"));
        return None;
    }
    mesh.nodes.iter_mut().for_each(|node| *node *= scale);
    match mesh.check() {
        Ok(()) => Some(mesh),
        Err(error) => refuse(&error),
    }
}

fn lengths<const N: usize>(value: &Value<'_>, expected: &str) -> Option<[f64; N]> {
    let parts = value.list_of::<N>(expected)?.map(|part| part.number(Range::LENGTH));
    let mut lengths = [0.0; N];
    for (length, part) in lengths.iter_mut().zip(parts) {
        *length = part?;
    }
    Some(lengths)
}

/// `divisions`: at most as many cells, which `cells` counts, as a scene may have bodies.
fn divisions(table: &Table<'_>, expected: &str, cells: impl Fn([f64; 3]) -> f64) -> Option<[usize; 3]> {
    let most = table.context().most_bodies;
    let value = table.require("divisions")?;
    let [a, b, c] = value.list_of::<3>(expected)?.map(|part| part.whole(1, most as u64));
    let divisions = [a?, b?, c?];
    let count = cells(divisions.map(|number| number as f64));
    if count > most as f64 {
        value.error(format_args!("make {count} cells, expected at most {most}"));
        return None;
    }
    Some(divisions.map(|number| number as usize))
}

/// `curved`: nodes in the middle of edges are on the true surface.
fn sides(table: &Table<'_>) -> Option<Sides> {
    match table.get("curved") {
        Some(value) => Some(if value.boolean()? { Sides::Curved } else { Sides::Straight }),
        None => Some(Sides::Straight),
    }
}

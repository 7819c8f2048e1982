//! The legacy format of VTK, and what it shares with the XML format: types and lists of cells.

use super::cell::{CellKind, Cells};
use super::error::Problem;
use super::lines::{Lines, quote};
use glam::DVec3;
use signorini_mechanics::flexible::mesh::ElementKind;

const READ: &str = "ASCII files are read: save it as such (in ParaView: Save Data, File Type Ascii)";

/// Bytes in which the three lines of the header end.
const HEADER: usize = 1024;

/// Kind and number of nodes of a cell type.
pub(super) fn cell_type(line: usize, number: u32) -> Result<(CellKind, usize), Problem> {
    Ok(match number {
        1 => (CellKind::Lower, 1),
        3 => (CellKind::Lower, 2),
        5 => (CellKind::Face(3), 3),
        8 | 9 => (CellKind::Face(4), 4),
        10 => (CellKind::Volume(ElementKind::Tet4), 4),
        11 => (CellKind::OtherVolume("voxel"), 8),
        12 => (CellKind::Volume(ElementKind::Hex8), 8),
        13 => (CellKind::OtherVolume("6-node prism"), 6),
        14 => (CellKind::OtherVolume("5-node pyramid"), 5),
        21 => (CellKind::Lower, 3),
        22 => (CellKind::Face(3), 6),
        23 => (CellKind::Face(4), 8),
        24 => (CellKind::Volume(ElementKind::Tet10), 10),
        25 => (CellKind::OtherVolume("20-node hexahedron"), 20),
        26 => (CellKind::OtherVolume("15-node prism"), 15),
        27 => (CellKind::OtherVolume("13-node pyramid"), 13),
        28 => (CellKind::Face(4), 9),
        29 => (CellKind::OtherVolume("27-node hexahedron"), 27),
        _ => {
            let usable = "10 (tet4), 24 (tet10), 12 (hex8), or points, lines and faces";
            return Err(Problem::new(line, format!("cell type {number} is not read, expected {usable}")));
        }
    })
}

/// A cell's nodes and the line they are at.
pub(super) struct Listed {
    pub(super) nodes: std::ops::Range<usize>,
    pub(super) line: usize,
}

/// Puts points, connectivity and types together.
pub(super) fn join(
    nodes: Vec<DVec3>,
    connectivity: Vec<u32>,
    listed: &[Listed],
    types: &[(u32, usize)],
) -> Result<Cells, Problem> {
    let mut cells = Cells { nodes, indices: connectivity, ..Cells::default() };
    for (cell, &(number, line)) in listed.iter().zip(types) {
        let (kind, count) = cell_type(line, number)?;
        if cell.nodes.len() != count {
            let found = cell.nodes.len();
            let message = format!("the cell has {found} nodes, expected {count} for its type {number}");
            return Err(Problem::new(cell.line, message));
        }
        for &node in &cells.indices[cell.nodes.clone()] {
            if node as usize >= cells.nodes.len() {
                let message = format!("point {node} does not exist: there are {} points", cells.nodes.len());
                return Err(Problem::new(cell.line, message));
            }
        }
        let (first, count) = (cell.nodes.start, cell.nodes.len());
        cells.cells.push(super::cell::Cell { kind, first, count, line: cell.line, groups: (0, 0) });
        cells.last_line = cell.line;
    }
    Ok(cells)
}

pub(super) fn read(bytes: &[u8]) -> Result<Cells, Problem> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER)]);
    let head: Vec<&str> = head.lines().take(3).map(str::trim).collect();
    let first = head.first().copied().unwrap_or("");
    if !first.starts_with("# vtk DataFile Version") {
        let message = format!("{} was found where `# vtk DataFile Version …` was expected", quote(first));
        return Err(Problem::new(1, message));
    }
    match head.get(2) {
        Some(&"ASCII") => {}
        Some(&"BINARY") => return Err(Problem::new(3, format!("is a binary file; {READ}"))),
        Some(other) => return Err(Problem::new(3, format!("{} was found where `ASCII` was expected", quote(other)))),
        None => return Err(Problem::new(head.len().max(1), "the file ends where `ASCII` was expected")),
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Problem::new(line, format!("is no text; {READ}"))
    })?;
    let mut lines = Lines::new(text);
    for _ in 0..3 {
        lines.raw_line();
    }
    lines.keyword("DATASET")?;
    let kind = lines.expect_word("the type of the data set")?;
    if kind != "UNSTRUCTURED_GRID" {
        return Err(lines.problem(format!("the data set is {}, expected `UNSTRUCTURED_GRID`", quote(kind))));
    }
    sections(&mut lines)
}

fn sections(lines: &mut Lines<'_>) -> Result<Cells, Problem> {
    let (mut nodes, mut listed, mut types) = (None, None, None);
    while let Some(word) = lines.next_word() {
        match word {
            "POINTS" => nodes = Some(points(lines)?),
            "CELLS" => listed = Some(cell_lists(lines)?),
            "CELL_TYPES" => {
                let count: usize = lines.number("the number of cell types")?;
                lines.check_count("cell types", count, 2)?;
                let read = (0..count).map(|_| Ok((lines.number::<u32>("a cell type")?, lines.line())));
                types = Some(read.collect::<Result<Vec<_>, Problem>>()?);
            }
            "METADATA" => {
                // Up to an empty line.
                lines.raw_line();
                while lines.raw_line().is_some_and(|line| !line.is_empty()) {}
            }
            "FIELD" => field(lines)?,
            "POINT_DATA" | "CELL_DATA" => break,
            other => {
                let expected = "`POINTS`, `CELLS`, `CELL_TYPES` or data";
                return Err(lines.problem(format!("{} was found where {expected} was expected", quote(other))));
            }
        }
    }
    let missing = |what: &str| lines.problem(format!("the file has no section `{what}`"));
    let nodes = nodes.ok_or_else(|| missing("POINTS"))?;
    let (connectivity, listed) = listed.ok_or_else(|| missing("CELLS"))?;
    let types = types.ok_or_else(|| missing("CELL_TYPES"))?;
    if types.len() != listed.len() {
        return Err(lines.problem(format!("there are {} cells, but {} cell types", listed.len(), types.len())));
    }
    join(nodes, connectivity, &listed, &types)
}

fn points(lines: &mut Lines<'_>) -> Result<Vec<DVec3>, Problem> {
    let count: usize = lines.number("the number of points")?;
    let _number_type = lines.expect_word("the type of coordinates")?;
    lines.check_count("points", count, 6)?;
    (0..count).map(|_| Ok(DVec3::new(lines.coordinate()?, lines.coordinate()?, lines.coordinate()?))).collect()
}

/// Arrays with a header each: name, components, tuples, type.
fn field(lines: &mut Lines<'_>) -> Result<(), Problem> {
    let _name = lines.expect_word("the name of a field")?;
    let arrays: usize = lines.number("the number of arrays of a field")?;
    for _ in 0..arrays {
        let _name = lines.expect_word("the name of an array")?;
        let components: usize = lines.number("the number of components")?;
        let tuples: usize = lines.number("the number of tuples")?;
        let _number_type = lines.expect_word("the type of an array")?;
        let values = components.saturating_mul(tuples);
        lines.check_count("values", values, 2)?;
        for _ in 0..values {
            lines.expect_word("a value of an array")?;
        }
    }
    Ok(())
}

/// `CELLS cells size` with the number of nodes before the nodes of each cell; since version 5 `CELLS offsets entries`
/// with two arrays.
fn cell_lists(lines: &mut Lines<'_>) -> Result<(Vec<u32>, Vec<Listed>), Problem> {
    let count: usize = lines.number("the number of cells")?;
    let size: usize = lines.number("the size of the list of cells")?;
    lines.check_count("cells", count, 2)?;
    lines.check_count("entries of cells", size, 2)?;
    let mut rest = lines.clone();
    if rest.next_word() == Some("OFFSETS") {
        *lines = rest;
        let _number_type = lines.expect_word("the type of offsets")?;
        let mut offsets = Vec::with_capacity(count);
        for _ in 0..count {
            offsets.push((lines.number::<usize>("an offset")?, lines.line()));
        }
        lines.keyword("CONNECTIVITY")?;
        let _number_type = lines.expect_word("the type of the connectivity")?;
        let (connectivity, places) = indices(lines, size)?;
        let ends: Vec<(usize, usize)> = offsets.iter().skip(1).copied().collect();
        if let Some(&(first, line)) = offsets.first().filter(|first| first.0 != 0) {
            return Err(Problem::new(line, format!("the first offset is {first}, expected 0")));
        }
        let listed = by_ends(&ends, &places)?;
        return Ok((connectivity, listed));
    }
    let mut connectivity = Vec::with_capacity(size);
    let mut listed = Vec::with_capacity(count);
    for _ in 0..count {
        let nodes: usize = lines.number("the number of nodes of a cell")?;
        let line = lines.line();
        lines.check_count("nodes of a cell", nodes, 2)?;
        let first = connectivity.len();
        for _ in 0..nodes {
            connectivity.push(lines.number::<u32>("the number of a point")?);
        }
        listed.push(Listed { nodes: first..connectivity.len(), line });
    }
    if connectivity.len() + listed.len() != size {
        let found = connectivity.len() + listed.len();
        return Err(lines.problem(format!("{size} entries of cells are announced, but there are {found}")));
    }
    Ok((connectivity, listed))
}

/// Numbers of points with the lines they are at.
pub(super) fn indices(lines: &mut Lines<'_>, count: usize) -> Result<(Vec<u32>, Vec<usize>), Problem> {
    lines.check_count("entries of cells", count, 2)?;
    let mut connectivity = Vec::with_capacity(count);
    let mut places = Vec::with_capacity(count);
    for _ in 0..count {
        connectivity.push(lines.number::<u32>("the number of a point")?);
        places.push(lines.line());
    }
    Ok((connectivity, places))
}

/// Cells from the places where they end in the connectivity, each with its line, and the lines of the connectivity.
pub(super) fn by_ends(ends: &[(usize, usize)], places: &[usize]) -> Result<Vec<Listed>, Problem> {
    let mut listed = Vec::with_capacity(ends.len());
    let mut first = 0;
    for &(end, line) in ends {
        if end < first || end > places.len() {
            let most = places.len();
            return Err(Problem::new(line, format!("offset {end} is not between {first} and {most}")));
        }
        listed.push(Listed { nodes: first..end, line: places.get(first).copied().unwrap_or(line) });
        first = end;
    }
    match (ends.last(), first == places.len()) {
        (Some(&(_, line)), false) => {
            let message = format!("the cells end at entry {first} of {} of the connectivity", places.len());
            Err(Problem::new(line, message))
        }
        _ => Ok(listed),
    }
}

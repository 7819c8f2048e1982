//! What the versions of Gmsh's format have in common: header, names of groups, types of elements.

use super::cell::{CellKind, Cells, GroupNames};
use super::error::Problem;
use super::lines::{Lines, quote};
use super::{gmsh_2, gmsh_4};
use glam::DVec3;
use signorini_mechanics::flexible::mesh::ElementKind;
use std::collections::BTreeMap;

const READ: &str = "versions 2.2 and 4.1 in ASCII are read: convert it with \
                    `gmsh in.msh -save -format msh41 -o out.msh` (and no `-bin`)";

/// Reads a file of any version.
pub(super) fn read(bytes: &[u8]) -> Result<Cells, Problem> {
    // The header is text in binary files too.
    let head_end = bytes.windows(2).position(|pair| pair[0] == b'\n' && pair[1] == b'$').unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..head_end.min(4096)]);
    if let Some(("$MeshFormat", rest)) = head.trim_start().split_once('\n').map(|(first, rest)| (first.trim(), rest)) {
        let format: Vec<&str> = rest.lines().next().unwrap_or("").split_whitespace().collect();
        let line = head.lines().position(|line| line.trim() == "$MeshFormat").map_or(1, |at| at + 2);
        if let [version, "1", ..] = format[..] {
            return Err(Problem::new(line, format!("is a binary file of Gmsh version {}; {READ}", quote(version))));
        }
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Problem::new(line, format!("is no text; {READ}"))
    })?;
    let mut lines = Lines::new(text);
    let first = lines.expect_line("`$MeshFormat`")?;
    if first == "$NOD" {
        return Err(lines.problem(format!("is a file of Gmsh version 1; {READ}")));
    }
    if first != "$MeshFormat" {
        return Err(lines.problem(format!("{} was found where `$MeshFormat` was expected", quote(first))));
    }
    let version = lines.expect_word("the version of the format")?;
    let version_line = lines.line();
    let _file_type: u8 = lines.number("the type of the file (0 for ASCII)")?;
    let _data_size: u8 = lines.number("the size of numbers")?;
    lines.keyword("$EndMeshFormat")?;
    match version {
        "2.2" => gmsh_2::read(lines),
        "4.1" => gmsh_4::read(lines),
        _ => Err(Problem::new(version_line, format!("is a file of Gmsh version {}; {READ}", quote(version)))),
    }
}

/// What the reader of a section is to be called with: all sections have a name and an end.
pub(super) fn next_section<'a>(lines: &mut Lines<'a>) -> Result<Option<&'a str>, Problem> {
    let Some(word) = lines.next_word() else { return Ok(None) };
    match word.strip_prefix('$') {
        Some(name) if !name.is_empty() && !name.starts_with("End") => Ok(Some(name)),
        _ => Err(lines.problem(format!("{} was found where the next section was expected", quote(word)))),
    }
}

/// Passes over a section that is not read.
pub(super) fn skip_section(lines: &mut Lines<'_>, name: &str) -> Result<(), Problem> {
    let end = format!("$End{name}");
    let start = lines.line();
    loop {
        match lines.next_line() {
            Some(line) if line == end => return Ok(()),
            Some(_) => {}
            None => return Err(Problem::new(start, format!("the file ends within section `${name}`"))),
        }
    }
}

/// `$PhysicalNames`: dimension, tag, name in quotes.
pub(super) fn physical_names(lines: &mut Lines<'_>) -> Result<GroupNames, Problem> {
    let count: usize = lines.number("the number of physical names")?;
    lines.check_count("physical names", count, 6)?;
    let mut names = GroupNames::new();
    for _ in 0..count {
        let dimension: u8 = lines.number("the dimension of a physical group")?;
        let tag: i64 = lines.number("the tag of a physical group")?;
        let name = lines.expect_line("the name of a physical group")?;
        let inner = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = inner
            .filter(|name| !name.is_empty())
            .ok_or_else(|| lines.problem(format!("{} was found where a name in quotes was expected", quote(name))))?;
        names.insert((dimension, tag), name.to_owned());
    }
    lines.keyword("$EndPhysicalNames")?;
    Ok(names)
}

/// Kind and number of nodes of an element type.
pub(super) fn element_type(lines: &Lines<'_>, number: u32) -> Result<(CellKind, usize), Problem> {
    Ok(match number {
        1 => (CellKind::Lower, 2),
        2 => (CellKind::Face(3), 3),
        3 => (CellKind::Face(4), 4),
        4 => (CellKind::Volume(ElementKind::Tet4), 4),
        5 => (CellKind::Volume(ElementKind::Hex8), 8),
        6 => (CellKind::OtherVolume("6-node prism"), 6),
        7 => (CellKind::OtherVolume("5-node pyramid"), 5),
        8 => (CellKind::Lower, 3),
        9 => (CellKind::Face(3), 6),
        10 => (CellKind::Face(4), 9),
        11 => (CellKind::Volume(ElementKind::Tet10), 10),
        12 => (CellKind::OtherVolume("27-node hexahedron"), 27),
        13 => (CellKind::OtherVolume("18-node prism"), 18),
        14 => (CellKind::OtherVolume("14-node pyramid"), 14),
        15 => (CellKind::Lower, 1),
        16 => (CellKind::Face(4), 8),
        17 => (CellKind::OtherVolume("20-node hexahedron"), 20),
        18 => (CellKind::OtherVolume("15-node prism"), 15),
        19 => (CellKind::OtherVolume("13-node pyramid"), 13),
        21 => (CellKind::Face(3), 10),
        26 => (CellKind::Lower, 4),
        29 => (CellKind::OtherVolume("20-node tetrahedron"), 20),
        _ => {
            let known = "1 to 19, of which volumes 4 (tet4), 11 (tet10) and 5 (hex8) can be used";
            return Err(lines.problem(format!("element type {number} is unknown, expected {known}")));
        }
    })
}

/// Nodes by the tags of the file.
#[derive(Default)]
pub(super) struct Tags(BTreeMap<u64, u32>);

impl Tags {
    /// Adds a node whose tag must be new.
    pub(super) fn insert(&mut self, line: usize, tag: u64, nodes: &mut Vec<DVec3>, at: DVec3) -> Result<(), Problem> {
        let index = u32::try_from(nodes.len()).map_err(|_| Problem::new(line, "too many nodes"))?;
        if self.0.insert(tag, index).is_some() {
            return Err(Problem::new(line, format!("node {tag} is defined twice")));
        }
        nodes.push(at);
        Ok(())
    }
    /// Reads the nodes of an element, in Gmsh's order, and adds them in ours.
    pub(super) fn element(
        &self,
        lines: &mut Lines<'_>,
        count: usize,
        kind: CellKind,
        into: &mut Vec<u32>,
    ) -> Result<(), Problem> {
        let first = into.len();
        for _ in 0..count {
            let tag: u64 = lines.number("the tag of a node")?;
            let index = self.0.get(&tag).ok_or_else(|| lines.problem(format!("node {tag} is not defined")))?;
            into.push(*index);
        }
        if kind == CellKind::Volume(ElementKind::Tet10) {
            // The last two edges are 23, 13 in Gmsh and 13, 23 in VTK.
            into.swap(first + 8, first + 9);
        }
        Ok(())
    }
}

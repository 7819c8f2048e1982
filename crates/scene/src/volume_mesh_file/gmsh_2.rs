//! Gmsh's format 2.2.

use super::cell::Cells;
use super::error::Problem;
use super::gmsh::{Tags, element_type, next_section, physical_names, skip_section};
use super::lines::Lines;
use glam::DVec3;

pub(super) fn read(mut lines: Lines<'_>) -> Result<Cells, Problem> {
    let mut cells = Cells::default();
    let mut tags = None;
    let mut has_elements = false;
    while let Some(section) = next_section(&mut lines)? {
        match section {
            "PhysicalNames" => cells.names = physical_names(&mut lines)?,
            "Nodes" if tags.is_some() => return Err(lines.problem("a second section `$Nodes`")),
            "Nodes" => tags = Some(nodes(&mut lines, &mut cells)?),
            "Elements" if has_elements => return Err(lines.problem("a second section `$Elements`")),
            "Elements" => {
                let tags = tags.as_ref().ok_or_else(|| lines.problem("`$Elements` comes before `$Nodes`"))?;
                elements(&mut lines, tags, &mut cells)?;
                has_elements = true;
            }
            other => skip_section(&mut lines, other)?,
        }
    }
    match (tags.is_some(), has_elements) {
        (true, true) => Ok(cells),
        (false, _) => Err(lines.problem("the file has no section `$Nodes`")),
        _ => Err(lines.problem("the file has no section `$Elements`")),
    }
}

/// Tag and coordinates of every node.
fn nodes(lines: &mut Lines<'_>, cells: &mut Cells) -> Result<Tags, Problem> {
    let count: usize = lines.number("the number of nodes")?;
    lines.check_count("nodes", count, 8)?;
    let mut tags = Tags::default();
    for _ in 0..count {
        let tag: u64 = lines.number("the tag of a node")?;
        let at = DVec3::new(lines.coordinate()?, lines.coordinate()?, lines.coordinate()?);
        tags.insert(lines.line(), tag, &mut cells.nodes, at)?;
    }
    lines.keyword("$EndNodes")?;
    Ok(tags)
}

/// Tag, type, number of tags, tags (the first is the physical group, 0 for none), nodes of every element.
fn elements(lines: &mut Lines<'_>, tags: &Tags, cells: &mut Cells) -> Result<(), Problem> {
    let count: usize = lines.number("the number of elements")?;
    lines.check_count("elements", count, 8)?;
    for _ in 0..count {
        let _tag: u64 = lines.number("the tag of an element")?;
        let line = lines.line();
        let number: u32 = lines.number("the type of an element")?;
        let (kind, nodes) = element_type(lines, number)?;
        let extra: usize = lines.number("the number of tags of an element")?;
        lines.check_count("tags", extra, 2)?;
        let start = cells.group_lists.len();
        for k in 0..extra {
            let tag: i64 = lines.number("a tag of an element")?;
            if k == 0 && tag != 0 {
                let dimension = if number == 15 { 0 } else { kind.dimension() };
                cells.group_lists.push((dimension, tag.saturating_abs()));
            }
        }
        let first = cells.indices.len();
        tags.element(lines, nodes, kind, &mut cells.indices)?;
        if lines.line() != line {
            return Err(Problem::new(line, format!("the element has fewer than {nodes} nodes on its line")));
        }
        let groups = (start, cells.group_lists.len());
        cells.push(kind, first, line, groups);
    }
    lines.keyword("$EndElements")?;
    cells.last_line = lines.line();
    Ok(())
}

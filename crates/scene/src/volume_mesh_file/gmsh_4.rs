//! Gmsh's format 4.1.

use super::cell::Cells;
use super::error::Problem;
use super::gmsh::{Tags, element_type, next_section, physical_names, skip_section};
use super::lines::Lines;
use glam::DVec3;
use std::collections::BTreeMap;

/// Physical groups of entities by dimension and tag, as a range of [`Cells::group_lists`].
type Entities = BTreeMap<(u8, i64), (usize, usize)>;

pub(super) fn read(mut lines: Lines<'_>) -> Result<Cells, Problem> {
    let mut cells = Cells::default();
    let mut known = Entities::new();
    let mut tags = None;
    let mut has_elements = false;
    while let Some(section) = next_section(&mut lines)? {
        match section {
            "PhysicalNames" => cells.names = physical_names(&mut lines)?,
            "Entities" => known = entities(&mut lines, &mut cells)?,
            "PartitionedEntities" => {
                return Err(lines.problem("the mesh is partitioned; save it without partitions"));
            }
            "Nodes" if tags.is_some() => return Err(lines.problem("a second section `$Nodes`")),
            "Nodes" => tags = Some(nodes(&mut lines, &mut cells)?),
            "Elements" if has_elements => return Err(lines.problem("a second section `$Elements`")),
            "Elements" => {
                let tags = tags.as_ref().ok_or_else(|| lines.problem("`$Elements` comes before `$Nodes`"))?;
                elements(&mut lines, tags, &known, &mut cells)?;
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

/// Tag, a point or a box, physical groups, and, but for points, the entities it is bounded by.
fn entities(lines: &mut Lines<'_>, cells: &mut Cells) -> Result<Entities, Problem> {
    let mut counts = [0_usize; 4];
    for count in &mut counts {
        *count = lines.number("a number of entities")?;
        lines.check_count("entities", *count, 8)?;
    }
    let mut entities = Entities::new();
    for (dimension, count) in (0_u8..).zip(counts) {
        for _ in 0..count {
            let tag: i64 = lines.number("the tag of an entity")?;
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                let _bound: f64 = lines.number("a coordinate of an entity")?;
            }
            let groups: usize = lines.number("the number of physical groups of an entity")?;
            lines.check_count("physical groups", groups, 2)?;
            let start = cells.group_lists.len();
            for _ in 0..groups {
                let group: i64 = lines.number("the tag of a physical group")?;
                cells.group_lists.push((dimension, group.saturating_abs()));
            }
            entities.insert((dimension, tag), (start, cells.group_lists.len()));
            if dimension > 0 {
                let bounds: usize = lines.number("the number of bounding entities")?;
                lines.check_count("bounding entities", bounds, 2)?;
                for _ in 0..bounds {
                    let _bound: i64 = lines.number("the tag of a bounding entity")?;
                }
            }
        }
    }
    lines.keyword("$EndEntities")?;
    Ok(entities)
}

/// Checks that the blocks of a section have as many entries as announced.
fn check_total(lines: &Lines<'_>, what: &str, found: usize, announced: usize) -> Result<(), Problem> {
    match found == announced {
        true => Ok(()),
        false => Err(lines.problem(format!("{announced} {what} are announced, but the blocks have {found}"))),
    }
}

/// Blocks of nodes: all tags, then all coordinates, with parameters of the entity if there are any.
fn nodes(lines: &mut Lines<'_>, cells: &mut Cells) -> Result<Tags, Problem> {
    let blocks: usize = lines.number("the number of blocks of nodes")?;
    let count: usize = lines.number("the number of nodes")?;
    lines.check_count("nodes", count, 8)?;
    let _least: u64 = lines.number("the least tag of nodes")?;
    let _greatest: u64 = lines.number("the greatest tag of nodes")?;
    let mut tags = Tags::default();
    let mut block_tags = Vec::new();
    for _ in 0..blocks {
        let dimension: u8 = lines.number("the dimension of an entity (0 to 3)")?;
        if dimension > 3 {
            return Err(lines.problem(format!("the dimension of an entity is {dimension}, expected 0 to 3")));
        }
        let _entity: i64 = lines.number("the tag of an entity")?;
        let parametric: u8 = lines.number("0 or 1 (parametric)")?;
        let in_block: usize = lines.number("the number of nodes of a block")?;
        lines.check_count("nodes", in_block, 8)?;
        block_tags.clear();
        for _ in 0..in_block {
            block_tags.push(lines.number::<u64>("the tag of a node")?);
        }
        for &tag in &block_tags {
            let at = DVec3::new(lines.coordinate()?, lines.coordinate()?, lines.coordinate()?);
            for _ in 0..if parametric == 0 { 0 } else { dimension } {
                let _parameter: f64 = lines.number("a parameter of a node")?;
            }
            tags.insert(lines.line(), tag, &mut cells.nodes, at)?;
        }
    }
    lines.keyword("$EndNodes")?;
    check_total(lines, "nodes", cells.nodes.len(), count)?;
    Ok(tags)
}

/// Blocks of elements of one type on one entity.
fn elements(lines: &mut Lines<'_>, tags: &Tags, known: &Entities, cells: &mut Cells) -> Result<(), Problem> {
    let blocks: usize = lines.number("the number of blocks of elements")?;
    let count: usize = lines.number("the number of elements")?;
    lines.check_count("elements", count, 4)?;
    let _least: u64 = lines.number("the least tag of elements")?;
    let _greatest: u64 = lines.number("the greatest tag of elements")?;
    for _ in 0..blocks {
        let dimension: u8 = lines.number("the dimension of an entity (0 to 3)")?;
        let entity: i64 = lines.number("the tag of an entity")?;
        // Files without groups may have no entities at all.
        let groups = match known.get(&(dimension, entity)) {
            Some(&groups) => groups,
            None if known.is_empty() => (0, 0),
            None => {
                let message = format!("entity {entity} of dimension {dimension} is not in `$Entities`");
                return Err(lines.problem(message));
            }
        };
        let number: u32 = lines.number("the type of elements")?;
        let (kind, nodes) = element_type(lines, number)?;
        let in_block: usize = lines.number("the number of elements of a block")?;
        lines.check_count("elements", in_block, 4)?;
        for _ in 0..in_block {
            let _tag: u64 = lines.number("the tag of an element")?;
            let line = lines.line();
            let first = cells.indices.len();
            tags.element(lines, nodes, kind, &mut cells.indices)?;
            if lines.line() != line {
                return Err(Problem::new(line, format!("the element has fewer than {nodes} nodes on its line")));
            }
            cells.push(kind, first, line, groups);
        }
    }
    lines.keyword("$EndElements")?;
    cells.last_line = lines.line();
    check_total(lines, "elements", cells.cells.len(), count)
}

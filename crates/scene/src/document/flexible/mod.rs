//! `[[flexible]]`, `[[cable]]`, `[[link]]` and the forces on them.
//!
//! `solid` reads bodies of a mesh, `mesh` the mesh, `cables` lines and nets, `skin` what they meet others with; `parts` keeps what
//! links and loads name of them and `selection` finds it; `link` and `load` read what holds and pushes nodes.

mod cables;
mod link;
mod load;
mod mesh;
mod parts;
mod selection;
mod skin;
mod solid;

pub(super) use load::{load, pressure};
pub(crate) use parts::Parts;

use super::Builder;
use crate::reader::Table;
use signorini_mechanics::flexible::FlexibleBody;

/// Reads `[[flexible]]` and `[[cable]]` of the document.
pub(super) fn read<'a>(document: &Table<'a>, builder: &mut Builder<'a>) {
    for (field, kind) in [("flexible", solid::read as Reader<'a>), ("cable", cables::read)] {
        for table in document.tables(field) {
            builder.at = table.span().clone();
            let name = name(&table);
            let made = kind(name.unwrap_or(field), &table, builder);
            if let Some(name) = name {
                builder.add_flexible(name, made);
            }
        }
    }
}

type Reader<'a> = fn(&str, &Table<'a>, &mut Builder<'a>) -> Option<(FlexibleBody, Parts)>;

fn name<'a>(table: &Table<'a>) -> Option<&'a str> {
    let value = table.require("name")?;
    let name = value.text()?;
    if name.is_empty() {
        value.error("is empty, expected a name");
        return None;
    }
    Some(name)
}

/// Reads `[[link]]` of the document.
pub(super) fn read_links<'a>(document: &Table<'a>, builder: &mut Builder<'a>) {
    for (at, table) in document.tables("link").iter().enumerate() {
        let name = if table.has("name") { name(table).map(str::to_owned) } else { Some(format!("link-{at}")) };
        _ = table.get("name");
        link::read(&name.unwrap_or_default(), table, builder);
    }
}

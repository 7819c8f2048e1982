//! Forces on flexible bodies: `[forces.NAME]` with `type = "load"` and `flexible`, or `type = "pressure"`.

use super::selection;
use crate::document::{Builder, law};
use crate::reader::{Range, Table};
use signorini_mechanics::flexible::FlexibleLoad;
use signorini_mechanics::joint::Law;

/// A force on nodes in equal shares, or on faces by their area.
pub(in crate::document) fn load<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) -> Option<()> {
    let flexible = table.require("flexible");
    let given = [table.get("nodes"), table.get("faces")];
    let force = table.require("force").and_then(|value| value.vector(Range::ANY));
    let factor = factor(table);
    for field in ["body", "torque", "point", "follows-body"] {
        if table.get(field).is_some() {
            table.error(format_args!(
                "`{field}` is for loads on rigid bodies, expected `nodes` or `faces` beside `flexible`"
            ));
        }
    }
    table.finish();
    let (id, parts) = builder.flexible(&flexible?)?;
    let nodes = selection::shares(table, given, parts)?;
    let load = FlexibleLoad::Nodes { flexible: id, nodes, force: force?, factor: factor? };
    add(name, load, table, builder);
    Some(())
}

/// A pressure against the outer normal of faces.
pub(in crate::document) fn pressure<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) -> Option<()> {
    let flexible = table.require("flexible");
    let faces = table.require("faces");
    let pressure = table.require("pressure").and_then(|value| value.number(Range::ANY));
    let factor = factor(table);
    table.finish();
    let (id, parts) = builder.flexible(&flexible?)?;
    let faces = selection::faces(&faces?, parts)?;
    let load = FlexibleLoad::Pressure { flexible: id, faces, pressure: pressure?, factor: factor? };
    add(name, load, table, builder);
    Some(())
}

fn factor(table: &Table<'_>) -> Option<Option<Law>> {
    match table.get("factor") {
        Some(value) => law::read(&value).map(Some),
        None => Some(None),
    }
}

fn add<'a>(name: &str, load: FlexibleLoad, table: &Table<'a>, builder: &mut Builder<'a>) {
    builder.remember(format!("{} `{name}`", load.kind()), table);
    builder.model.flexible_load(name, load);
}

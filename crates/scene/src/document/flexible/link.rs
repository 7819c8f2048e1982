//! `[[link]]`: what holds nodes of a flexible body.

use super::parts::HeldAlready;
use super::selection;
use crate::document::{Builder, law};
use crate::reader::{Table, Value};
use glam::DVec3;
use signorini_mechanics::BodyId;
use signorini_mechanics::flexible::Link;
use signorini_mechanics::joint::Law;

#[derive(Clone, Copy)]
enum Kind {
    Rigid,
    Distributed,
}

const KINDS: [(&str, Kind); 2] = [("rigid", Kind::Rigid), ("distributed", Kind::Distributed)];

/// What nodes are held to.
enum Hold {
    Body(BodyId, Kind),
    Motion(DVec3, Law),
}

/// Reads a link and adds it to the model; `None` after errors, which are said.
pub(super) fn read<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) -> Option<()> {
    let flexible = table.require("flexible");
    let given = [table.get("nodes"), table.get("faces")];
    let to = table.get("to").map(|value| builder.body(&value));
    let kind = table.get("kind").map_or(Some(Kind::Rigid), |value| value.choice(&KINDS));
    let collide = table.boolean("collide").unwrap_or(false);
    let imposed = table.get("imposed").map(|value| imposed(&value, table));
    table.finish();

    let hold = match (to, imposed) {
        (Some(body), None) => Hold::Body(body?, kind?),
        (None, Some(imposed)) => {
            let (direction, displacement) = imposed?;
            for field in ["kind", "collide"].into_iter().filter(|field| table.has(field)) {
                table.error(format_args!("`{field}` goes with `to`, not with `imposed`"));
            }
            Hold::Motion(direction, displacement)
        }
        _ => {
            table.error("expected one of `to` (a body) and `imposed`");
            return None;
        }
    };
    let (id, parts) = builder.flexible(&flexible?)?;
    let shares = selection::shares(table, given, parts)?;
    let nodes: Vec<u32> = shares.iter().map(|(node, _)| *node).collect();
    let (held, body, link) = match hold {
        Hold::Body(body, Kind::Rigid) => {
            (parts.hold(&nodes, name), Some(body), Link::Rigid { flexible: id, nodes, body })
        }
        Hold::Body(body, Kind::Distributed) => {
            (parts.average(&nodes), Some(body), Link::Distributed { flexible: id, nodes: shares, body })
        }
        Hold::Motion(direction, displacement) => {
            let held = parts.impose(&nodes, direction, name);
            (held, None, Link::Imposed { flexible: id, nodes, direction, displacement })
        }
    };
    if let Err(HeldAlready { node, count, by }) = held {
        let problem = format!("node {node} is held by {by} already ({count} such nodes), expected nodes that are free");
        table.error_with(problem, "select other nodes, for instance by { box = [[…], […]] }");
        return None;
    }
    // Glued faces need no contacts.
    if let Some(body) = body.filter(|_| !collide) {
        builder.model.exclude_flexible(body, id);
    }
    builder.remember(format!("{} link `{name}`", link.kind()), table);
    builder.model.link(name, link);
    Some(())
}

/// `imposed = { direction, displacement }`.
fn imposed<'a>(value: &Value<'a>, link: &Table<'a>) -> Option<(DVec3, Law)> {
    let table = value.table(format!("{}.imposed", link.name()))?;
    let direction = table.require("direction").and_then(|value| value.direction());
    let displacement = table.require("displacement").and_then(|value| law::read(&value));
    table.finish();
    Some((direction?, displacement?))
}

//! `[[beam]]`: a line of elements whose nodes are bodies.

use super::{Builder, elastic};
use crate::reader::{Range, Table, Value};
use glam::DVec3;
use signorini_mechanics::flexible::beam_line::{Arc, BeamLine, BeamSkin};
use signorini_mechanics::flexible::element::{BeamTheory, Section};
use signorini_mechanics::{BodyId, Groups};

/// Most elements on one side of a line.
const MOST_DIVISIONS: u64 = 1_000_000;

const THEORIES: [(&str, BeamTheory); 2] =
    [("timoshenko", BeamTheory::Timoshenko), ("euler-bernoulli", BeamTheory::EulerBernoulli)];

const ENDS: [(&str, usize); 2] = [("start", 0), ("end", 1)];

/// Where a beam runs.
enum Path {
    /// A polyline, every side in equal parts.
    Line(Vec<DVec3>),
    Arc(Arc),
}

/// Reads one `[[beam]]`.
pub(super) fn read<'a>(table: &Table<'a>, builder: &mut Builder<'a>) {
    let name = table.require("name").and_then(|value| value.text().map(|name| (value, name)));
    let line = line(table, name.as_ref().map_or("beam", |(_, name)| name), builder);
    table.finish();
    let Some((value, name)) = name else { return };
    if name.is_empty() {
        value.error("is empty, expected a name");
        return;
    }
    let plan = line.and_then(|line| line.plan().map_err(|error| table.error(error)).ok());
    let Some(plan) = plan else {
        builder.broken(name);
        return;
    };
    let nodes: Vec<BodyId> = plan.nodes.iter().map(|node| builder.add_body(node.clone())).collect();
    for (k, (element, pair)) in plan.elements.iter().zip(nodes.windows(2)).enumerate() {
        builder.force(plan.element_name(k), Box::new(plan.force(element, [pair[0], pair[1]])), table);
    }
    for (node, collider) in nodes.iter().zip(&plan.colliders) {
        builder.model.collider(*node, collider.clone());
    }
    for &[a, b] in &plan.excluded {
        builder.model.exclude(nodes[a], nodes[b]);
    }
    if let [first, .., last] = nodes[..] {
        builder.alias(format!("{name}/start"), first);
        builder.alias(format!("{name}/end"), last);
    }
}

/// All fields but the name.
fn line<'a>(table: &Table<'a>, name: &str, builder: &mut Builder<'a>) -> Option<BeamLine> {
    let path = path(table);
    let divisions = table.get("divisions").map_or(Some(1), |value| value.whole(1, MOST_DIVISIONS));
    let section = section(table);
    let material = elastic::read(table);
    let theory = table.get("theory").map_or(Some(BeamTheory::default()), |value| value.choice(&THEORIES));
    let clamped = table.get("clamp").map_or(Some([false; 2]), |value| clamped(&value));
    let up = table.get("up").map(|value| value.direction());
    let skin = table.has("skin").then(|| skin(table, builder));
    let velocity = table.vector("velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    let angular_velocity = table.vector("angular-velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    if !table.has("skin") {
        _ = table.get("skin");
    }
    let (path, divisions) = (path?, divisions?);
    let sides = match &path {
        Path::Line(corners) => corners.len().saturating_sub(1),
        Path::Arc(_) => 1,
    };
    let count = sides as f64 * divisions as f64 + 1.0;
    if !builder.has_room_for(count, usize::from(skin.is_some()), table) {
        return None;
    }
    let (section, material) = (section?, material?);
    let divisions = divisions as usize;
    let mut line = match &path {
        Path::Line(corners) => BeamLine::polyline(name, corners, divisions, section, material),
        Path::Arc(arc) => BeamLine::arc(name, arc, divisions, section, material),
    };
    line = line.theory(theory?).clamped(clamped?).moving(velocity, angular_velocity);
    if let Some(up) = up {
        line = line.up(up?);
    }
    if let Some(skin) = skin {
        line = line.skin(skin?);
    }
    Some(line)
}

/// `points`, `from` and `to`, or `arc`.
fn path(table: &Table<'_>) -> Option<Path> {
    let points = table.get("points");
    let (from, to) = (table.get("from"), table.get("to"));
    let arc = table.get("arc");
    let ways = [points.is_some(), from.is_some() || to.is_some(), arc.is_some()];
    if ways.iter().filter(|given| **given).count() != 1 {
        table.error("expected one of `points`, `from` and `to`, and `arc`");
        return None;
    }
    if let Some(value) = points {
        let corners: Vec<Option<DVec3>> = value.list()?.iter().map(|point| point.vector(Range::COORDINATE)).collect();
        let corners: Vec<DVec3> = corners.into_iter().collect::<Option<_>>()?;
        if corners.len() < 2 {
            value.error(format_args!("has {} points, expected at least 2", corners.len()));
            return None;
        }
        return Some(Path::Line(corners));
    }
    if let Some(value) = arc {
        let table = value.table(value.what.clone())?;
        let centre = table.require("centre").and_then(|value| value.vector(Range::COORDINATE));
        let axis = table.require("axis").and_then(|value| value.direction());
        let start = table.require("start").and_then(|value| value.vector(Range::COORDINATE));
        let (angle, degrees) = (table.number("angle", Range::ANY), table.number("angle-degrees", Range::ANY));
        table.finish();
        if table.has("angle") == table.has("angle-degrees") {
            table.error("needs one of `angle` (radians) and `angle-degrees`");
            return None;
        }
        let angle = angle.or(degrees.map(f64::to_radians));
        return Some(Path::Arc(Arc { centre: centre?, axis: axis?, start: start?, angle: angle? }));
    }
    if from.is_none() || to.is_none() {
        table.error("`from` and `to` belong together, expected both");
        return None;
    }
    let [from, to] = [from?, to?].map(|value| value.vector(Range::COORDINATE));
    Some(Path::Line(vec![from?, to?]))
}

/// `{ rectangle = [width, height] }`, `{ circle = radius }` or `{ tube = [outer, inner] }`.
fn section(table: &Table<'_>) -> Option<Section> {
    let value = table.require("section")?;
    let table = value.table(value.what.clone())?;
    let pair = |value: Value<'_>, expected: &str, least: Range| {
        let [a, b] = value.list_of::<2>(expected)?;
        Some((a.number(Range::LENGTH)?, b.number(least)?))
    };
    let rectangle = table.get("rectangle").map(|value| pair(value, "two numbers [width, height]", Range::LENGTH));
    let circle = table.get("circle").map(|value| value.number(Range::LENGTH));
    let tube =
        table.get("tube").map(|value| pair(value, "two numbers [outer radius, inner radius]", Range::LENGTH_OR_ZERO));
    let is_known = table.finish();
    let section = match (rectangle, circle, tube) {
        (Some(sides), None, None) => sides.map(|(width, height)| Section::rectangle(width, height))?,
        (None, Some(radius), None) => radius.map(Section::circle)?,
        (None, None, Some(radii)) => radii.map(|(outer, inner)| Section::tube(outer, inner))?,
        _ => {
            if is_known {
                table.error("expected one of `rectangle`, `circle` and `tube`");
            }
            return None;
        }
    };
    section.map_err(|error| table.error(error)).ok()
}

/// A list of ends.
fn clamped(value: &Value<'_>) -> Option<[bool; 2]> {
    let mut ends = [false; 2];
    for end in value.list()? {
        ends[end.choice(&ENDS)?] = true;
    }
    Some(ends)
}

/// `skin = { radius = …, material = … }`.
fn skin<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<BeamSkin> {
    let table = table.table("skin")?;
    let radius = table.require("radius").and_then(|value| value.number(Range::LENGTH));
    let margin = table.number("margin", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let groups = builder.groups.read(&table).unwrap_or(Groups::ALL);
    let material = match table.get("material") {
        Some(value) => builder.materials.named(&value),
        None => {
            let Builder { materials, model, .. } = builder;
            materials.only(&table, model)
        }
    };
    table.finish();
    Some(BeamSkin { margin, groups, ..BeamSkin::new(radius?, material?) })
}

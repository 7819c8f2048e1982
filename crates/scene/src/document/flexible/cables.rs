//! `[[cable]]`: lines and nets of cables.

use super::parts::Parts;
use super::{selection, skin};
use crate::document::pose::pose;
use crate::document::{Builder, elastic};
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::flexible::mesh::FaceNodes;
use signorini_mechanics::flexible::{FlexibleBody, Structure};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Nodes, cables, triangles of the skin and sets of nodes.
#[derive(Default)]
struct Layout {
    nodes: Vec<DVec3>,
    cables: Vec<[u32; 2]>,
    skin: Vec<[u32; 3]>,
    sets: BTreeMap<String, Vec<u32>>,
}

/// A body and its parts; `None` after errors, which are said.
pub(super) fn read<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) -> Option<(FlexibleBody, Parts)> {
    let is_net = table.has("net");
    let layout = match is_net {
        true => net(table),
        false => line(table),
    };
    let pose = pose(table);
    let radius = table.require("radius").and_then(|value| value.number(Range::LENGTH));
    let material = elastic::read(table);
    if table.has("poisson") {
        table.error("`poisson`: cables stretch along their length alone, expected no such field");
    }
    let slack = table.get("slack").map_or(Some(1.0), |value| value.number(Range::POSITIVE));
    let velocity = table.vector("velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    let angular_velocity = table.vector("angular-velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    let skin = skin::read(table, is_net, radius.unwrap_or(0.0), builder);
    let fixed = table.get("fixed");
    table.finish();

    let Layout { mut nodes, cables, skin: triangles, sets } = layout?;
    nodes.iter_mut().for_each(|node| *node = pose * *node);
    let whole = || triangles.iter().copied().map(FaceNodes::Triangle).collect();
    let faces = if is_net { BTreeMap::from([("net".to_owned(), whole())]) } else { BTreeMap::new() };
    let mut parts = Parts::new(nodes.clone(), sets, faces);
    let fixed = match &fixed {
        Some(value) => selection::nodes(value, &parts)?,
        None => Vec::new(),
    };
    if fixed.len() == nodes.len() {
        table.error("all of its nodes are fixed, expected some that move");
        return None;
    }
    parts.fix(&fixed);
    let skin = skin.ok()?;
    if let Some(set) = skin.as_ref().and_then(|skin| skin.face_set.as_ref()) {
        table.error(format_args!("`skin` is \"{set}\", but a net meets others with all of its meshes"));
        return None;
    }
    let radius = radius?;
    let structure = Structure::Cables { nodes, cables, area: PI * radius * radius, slack: slack?, skin: triangles };
    let body =
        FlexibleBody { velocity, angular_velocity, fixed, skin, ..FlexibleBody::new(name, structure, material?) };
    Some((body, parts))
}

/// `points`, with `divisions` cables between each two; sets `start` and `end`.
fn line(table: &Table<'_>) -> Option<Layout> {
    let most = table.context().most_bodies;
    let divisions = table.get("divisions").map_or(Some(1), |value| value.whole(1, most as u64));
    table.get("net");
    let Some(value) = table.get("points") else {
        table.error("expected one of `points` and `net`");
        return None;
    };
    let points: Vec<_> = value.list()?.iter().map(|point| point.vector(Range::COORDINATE)).collect();
    let points = points.into_iter().collect::<Option<Vec<DVec3>>>()?;
    if points.len() < 2 {
        value.error(format_args!("has {} points, expected at least 2", points.len()));
        return None;
    }
    if let Some(at) = points.windows(2).position(|pair| pair[0] == pair[1]) {
        value.error(format_args!("has points {at} and {} in one place, expected a distance", at + 1));
        return None;
    }
    let divisions = divisions?;
    let count = (points.len() - 1) as f64 * divisions as f64;
    if count > most as f64 {
        table.error(format_args!("`divisions` make {count} cables, expected at most {most}"));
        return None;
    }
    let mut layout = Layout { nodes: vec![points[0]], ..Layout::default() };
    for pair in points.windows(2) {
        for k in 1..=divisions {
            let next = layout.nodes.len() as u32;
            layout.nodes.push(pair[0].lerp(pair[1], k as f64 / divisions as f64));
            layout.cables.push([next - 1, next]);
        }
    }
    let last = layout.nodes.len() as u32 - 1;
    layout.sets = BTreeMap::from([("start".into(), vec![0]), ("end".into(), vec![last])]);
    Some(layout)
}

/// `net = { size, divisions }`: knots on a grid in the plane z = 0 about the origin; sets `rim`, `corners` and the four sides.
fn net(table: &Table<'_>) -> Option<Layout> {
    let most = table.context().most_bodies;
    for field in ["points", "divisions"] {
        if table.get(field).is_some() {
            table.error(format_args!("both `net` and `{field}` are given, expected one of them"));
        }
    }
    let net = table.table("net")?;
    let size = net.require("size").and_then(|value| {
        let [x, y] = value.list_of::<2>("two lengths [x, y]")?.map(|part| part.number(Range::LENGTH));
        Some([x?, y?])
    });
    let divisions = net.require("divisions").and_then(|value| {
        let [x, y] = value.list_of::<2>("two whole numbers [along x, y]")?.map(|part| part.whole(1, most as u64));
        let (x, y) = (x?, y?);
        if x as f64 * y as f64 > most as f64 {
            value.error(format_args!("make {} meshes, expected at most {most}", x as f64 * y as f64));
            return None;
        }
        Some([x as usize, y as usize])
    });
    net.finish();
    let ([length, width], [nx, ny]) = (size?, divisions?);
    let number = |i: usize, j: usize| (i + (nx + 1) * j) as u32;
    let mut layout = Layout::default();
    let mut sets: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for j in 0..=ny {
        for i in 0..=nx {
            let part = |k: usize, n: usize| k as f64 / n as f64 - 0.5;
            layout.nodes.push(DVec3::new(length * part(i, nx), width * part(j, ny), 0.0));
            let sides = [("x-min", i == 0), ("x-max", i == nx), ("y-min", j == 0), ("y-max", j == ny)];
            let on = sides.iter().filter(|(_, is_on)| *is_on).count();
            let all = sides.into_iter().chain([("rim", on > 0), ("corners", on == 2)]);
            for (set, _) in all.filter(|(_, is_in)| *is_in) {
                sets.entry(set.into()).or_default().push(number(i, j));
            }
            if i < nx {
                layout.cables.push([number(i, j), number(i + 1, j)]);
            }
            if j < ny {
                layout.cables.push([number(i, j), number(i, j + 1)]);
            }
            if i < nx && j < ny {
                let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
                // Diagonals alternate: the skin has no preferred direction.
                match (i + j) % 2 {
                    0 => layout.skin.extend([[a, b, c], [a, c, d]]),
                    _ => layout.skin.extend([[a, b, d], [b, c, d]]),
                }
            }
        }
    }
    layout.sets = sets;
    Some(layout)
}

//! `shape = { type = …, … }`.

use super::mesh;
use super::pose::pose;
use crate::reader::{Range, Table, Value};
use glam::DVec3;
use signorini_mechanics::{Pose, Shape};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Height fields with more samples are refused.
const MOST_SAMPLES: usize = 16_000_000;

/// Thickness of the wall of a container whose scene gives none, in inner radii.
const WALL: f64 = 0.1;

#[derive(Clone, Copy)]
enum Kind {
    Sphere,
    Cuboid,
    Capsule,
    Cylinder,
    Cone,
    ConvexHull,
    HalfSpace,
    Mesh,
    HeightField,
    InsideCylinder,
    InsideCone,
}

const KINDS: [(&str, Kind); 11] = [
    ("sphere", Kind::Sphere),
    ("cuboid", Kind::Cuboid),
    ("capsule", Kind::Capsule),
    ("cylinder", Kind::Cylinder),
    ("cone", Kind::Cone),
    ("convex-hull", Kind::ConvexHull),
    ("half-space", Kind::HalfSpace),
    ("mesh", Kind::Mesh),
    ("height-field", Kind::HeightField),
    ("inside-cylinder", Kind::InsideCylinder),
    ("inside-cone", Kind::InsideCone),
];

/// A shape and where it sits in the reference frame of its body. The caller finishes the table.
pub(super) fn read(table: &Table<'_>) -> Option<(Pose, Shape)> {
    let kind = table.require_choice("type", &KINDS);
    let pose = pose(table);
    let Some(kind) = kind else {
        // Which fields are allowed depends on the type.
        return None;
    };
    let shape = match kind {
        Kind::Sphere => length(table, "radius").map(|radius| Shape::Sphere { radius }),
        Kind::Cuboid => {
            let size = table.require("size").and_then(|value| value.vector(Range::LENGTH));
            size.map(|size| Shape::Cuboid { half: 0.5 * size })
        }
        Kind::Capsule => {
            let (radius, length) = (length(table, "radius"), length(table, "length"));
            both(radius, length, |radius, length| Shape::Capsule { radius, half_height: 0.5 * length })
        }
        Kind::Cylinder => {
            let (radius, height) = (length(table, "radius"), length(table, "height"));
            both(radius, height, |radius, height| Shape::Cylinder { radius, half_height: 0.5 * height })
        }
        Kind::Cone => {
            let (radius, height) = (length(table, "radius"), length(table, "height"));
            both(radius, height, |radius, height| Shape::Cone { radius, half_height: 0.5 * height })
        }
        Kind::InsideCylinder => {
            let (radius, height) = (length(table, "radius"), length(table, "height"));
            let thickness = thickness(table, radius);
            both(both(radius, height, |r, h| (r, h)), thickness, |(radius, height), thickness| Shape::InsideCylinder {
                radius,
                half_height: 0.5 * height,
                thickness,
            })
        }
        Kind::InsideCone => {
            let radii = both(length(table, "bottom-radius"), length(table, "top-radius"), |b, t| (b, t));
            let (height, thickness) = (length(table, "height"), thickness(table, radii.map(|(b, t)| b.max(t))));
            both(both(radii, height, |r, h| (r, h)), thickness, |((bottom_radius, top_radius), height), thickness| {
                Shape::InsideCone { bottom_radius, top_radius, half_height: 0.5 * height, thickness }
            })
        }
        Kind::HalfSpace => {
            let normal = table.get("normal").map_or(Some(DVec3::Z), |value| value.direction());
            normal.map(|normal| Shape::HalfSpace { normal })
        }
        Kind::ConvexHull => hull(table),
        Kind::Mesh => mesh::surface(table).map(Shape::TriangleMesh),
        Kind::HeightField => height_field(table),
    }?;
    match shape.check() {
        Ok(()) => Some((pose, shape)),
        Err(error) => {
            table.error(error);
            None
        }
    }
}

fn length(table: &Table<'_>, field: &'static str) -> Option<f64> {
    table.require(field)?.number(Range::LENGTH)
}

/// `thickness` of the wall of a container: a tenth of its larger inner radius without it.
fn thickness(table: &Table<'_>, radius: Option<f64>) -> Option<f64> {
    match table.get("thickness") {
        Some(value) => value.number(Range::LENGTH),
        None => radius.map(|radius| WALL * radius),
    }
}

fn both<A, B, T>(a: Option<A>, b: Option<B>, make: impl FnOnce(A, B) -> T) -> Option<T> {
    Some(make(a?, b?))
}

fn hull(table: &Table<'_>) -> Option<Shape> {
    let points = match table.get("points") {
        Some(value) => {
            let points: Vec<_> = value.list()?.iter().map(|point| point.vector(Range::COORDINATE)).collect();
            points.into_iter().collect::<Option<Vec<DVec3>>>()?
        }
        None if table.has("file") => mesh::file(table)?.vertices.clone(),
        None => {
            table.error("a convex hull needs `points` or `file`");
            return None;
        }
    };
    Some(Shape::ConvexHull { points: Arc::from(points) })
}

/// `scale`: one number or three; 1 without it.
pub(super) fn scale(table: &Table<'_>) -> Option<DVec3> {
    match table.get("scale") {
        None => Some(DVec3::ONE),
        Some(value) if value.is_list() => value.vector(Range::LENGTH),
        Some(value) => value.number(Range::LENGTH).map(DVec3::splat),
    }
}

/// The file a value names, relative to that of the scene.
pub(super) fn path_of(value: &Value<'_>, base_dir: Option<&Path>) -> Option<PathBuf> {
    let path = PathBuf::from(value.text()?);
    Some(match (path.is_absolute(), base_dir) {
        (false, Some(base)) => base.join(path),
        _ => path,
    })
}

fn height_field(table: &Table<'_>) -> Option<Shape> {
    let size = table.require("size").and_then(|value| {
        let [x, y] = value.list_of::<2>("two lengths [x, y]")?.map(|part| part.number(Range::LENGTH));
        Some([x?, y?])
    });
    let value = table.require("heights")?;
    let rows: Vec<_> = value.list()?.iter().map(|row| row.numbers(Range::COORDINATE)).collect();
    let rows: Vec<Vec<f64>> = rows.into_iter().collect::<Option<_>>()?;
    let columns = rows.first().map_or(0, Vec::len);
    if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != columns) {
        value.error(format_args!("row {at} has {} numbers, expected {columns} as in row 0", row.len()));
        return None;
    }
    if rows.len() * columns > MOST_SAMPLES {
        value.error(format_args!("has {} numbers, expected at most {MOST_SAMPLES}", rows.len() * columns));
        return None;
    }
    Some(Shape::HeightField { heights: rows.concat().into(), columns, size: size? })
}

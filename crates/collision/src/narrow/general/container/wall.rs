//! Contacts of a core that is not all inside a container: outside, over an end, or reaching out of one.
//!
//! The distance of two bodies is attained by one of
//!
//! - a corner (or a point of a rim) of the core and the cross-section of the wall, exact in a half plane;
//! - an edge (or the side of a round core) and the outer side, which is convex: along an edge the distance from the solid
//!   within the outer side is a convex function with one least value;
//! - one of the four edge circles of the wall and a face or an edge of the core: [`super::circle`];
//! - a ring of the wall and a face flat on it, which touch in many points: [`super::flat`].
//!
//! The inner side is concave and touches corners only. A point within the wall leaves it by the side its body is on.

use super::super::convex::{Round, View};
use super::super::overlap::{CLOSEST, CORNER_OF_B, CROSSING, Touch};
use super::least::{least, minima_around};
use super::{Container, RIM, circle, flat, half_plane, turned};
use crate::narrow::section::{Near, Place, Side};
use glam::{DVec2, DVec3};

/// A corner this much beyond an end, in thicknesses, still meets the side of its body: on a floor flush with the end of a
/// container the corners of a box are above and below the end by rounding, and the wall shall not come and go with it.
const FLUSH: f64 = 2e-3;
/// A least value along an edge this much lower than at its ends, relative to the size, is a contact of its own.
const LOWER: f64 = 1e-9;
/// A rim along which the distance changes by less than this part of the radius touches everywhere.
const COAXIAL: f64 = 1e-9;
/// A rim flat on a ring and tilted by less than this (sine) has no lowest point: far above rounding, far below any tilt
/// that matters.
const TILT: f64 = 1e-9;
/// Most contacts of one rim.
const MOST_OF_RIM: u32 = 6;

/// Where a point of a body about `core` meets the wall.
fn near(container: &Container, core: DVec3, point: DVec3) -> Near {
    let section = &container.section;
    let (flat_core, flat_point) = (half_plane(core), half_plane(point));
    let side = section.side(flat_core);
    let beyond = flat_point.y.abs() - container.half_height;
    match side {
        Side::Inner | Side::Outer => {
            let (line, slack) = (section.line(flat_point, side), FLUSH * section.thickness);
            let near = section.nearest_of(flat_point, side);
            // Between the ends there is no way from the core to the far side but through the wall.
            let through = beyond <= 0.0 && line.distance <= 0.0;
            let flush = (0.0..=slack).contains(&beyond) && line.distance.abs() <= 10.0 * slack;
            if through || flush { line } else { near }
        }
        Side::Beyond(upper) => {
            let near = section.nearest_of(flat_point, side);
            if near.distance > 0.0 {
                return near;
            }
            // Back over the ring, or by the side the point came from if that is nearer.
            let by_side = entered(container, upper, core, point).map(|side| section.line(flat_point, side));
            by_side.filter(|line| line.distance > near.distance).unwrap_or(near)
        }
    }
}

/// The side by which the straight way from a core beyond an end to a point between the ends enters the wall, by where it
/// crosses the plane of the ring; `None` through the ring.
fn entered(container: &Container, upper: bool, core: DVec3, point: DVec3) -> Option<Side> {
    let edge = container.section.edge(upper, false);
    let share = ((edge.y - core.z) / (point.z - core.z)).clamp(0.0, 1.0);
    let across = half_plane(core + (point - core) * share).x;
    if across < edge.x {
        Some(Side::Inner)
    } else if across > edge.x + container.section.width {
        Some(Side::Outer)
    } else {
        None
    }
}

/// Contact of a point of a body about `core` with the wall.
pub(in super::super) fn point(
    container: &Container,
    core: DVec3,
    point: DVec3,
    name: u32,
    core_reach: f64,
) -> Option<Touch> {
    let near = near(container, core, point);
    if near.place == Place::Inner
        && let Some(touch) = container.corner(point, name, core_reach)
    {
        return Some(touch);
    }
    touch_of(near, point, [CORNER_OF_B, 0, name], core_reach)
}

fn touch_of(near: Near, point: DVec3, name: [u32; 3], core_reach: f64) -> Option<Touch> {
    let (gap, normal) = (near.distance, turned(point, near.normal));
    (gap < core_reach).then(|| Touch { a: point - normal * gap, b: point, normal, gap, name })
}

/// Signed distance from the solid within the outer side and between the planes of the ends: a convex function.
fn outer_solid(container: &Container, point: DVec3) -> f64 {
    let section = &container.section;
    let p = half_plane(point);
    let e = -section.inner(p) - section.thickness;
    // Flush with an end an edge still meets the outer side.
    let beyond = p.y.abs() - container.half_height - FLUSH * section.thickness;
    let inside = e.max(beyond);
    if inside <= 0.0 {
        return inside;
    }
    let start = section.edge(false, true);
    let t = (p - start).dot(section.along);
    if e > 0.0 && (0.0..=section.length).contains(&t) {
        return e;
    }
    let edge = section.edge(p.y > 0.0, true);
    if beyond > 0.0 && p.x <= edge.x {
        return beyond;
    }
    let other = section.edge(p.y <= 0.0, true);
    p.distance(edge).min(p.distance(other))
}

/// Adds the contacts of a core about `core`.
pub(super) fn touch(container: &Container, view: &View, core: DVec3, core_reach: f64, found: &mut Vec<Touch>) {
    let side = container.side(core);
    match &view.round {
        Some(round) => round_core(container, round, (core, side), core_reach, found),
        None => {
            for (index, &vertex) in view.vertices.iter().enumerate() {
                found.extend(point(container, core, vertex, index as u32, core_reach));
            }
            if side != Side::Inner {
                edges(container, view, core, core_reach, found);
            }
        }
    }
    if view.vertices.len() == 1 {
        return;
    }
    if let Side::Beyond(upper) = side {
        flat::touch(container, view, upper, core_reach, found);
    }
    let (low, high) = view.interval(DVec3::Z);
    let [lowest, highest] = container.heights(view, core, core_reach);
    for (number, (upper, outer)) in (0..).zip([(false, false), (true, false), (false, true), (true, true)]) {
        let z = container.section.edge(upper, outer).y;
        let wanted = match side {
            Side::Inner => !outer && if upper { highest > z } else { lowest < z },
            Side::Outer => outer,
            Side::Beyond(_) => true,
        };
        if wanted && z > low - core_reach && z < high + core_reach {
            circle::touch(view, container.section.edge(upper, outer), number, core_reach, found);
        }
    }
}

/// Edges that come nearest to the outer side between their ends.
fn edges(container: &Container, view: &View, core: DVec3, core_reach: f64, found: &mut Vec<Touch>) {
    let slack = 10.0 * FLUSH * container.section.thickness;
    for (edge, [p, q]) in view.topology.edges.iter().enumerate() {
        let (p, q) = (view.vertices[*p as usize], view.vertices[*q as usize]);
        let value = |s: f64| outer_solid(container, p + (q - p) * s);
        let ends = value(0.0).min(value(1.0));
        // 1-Lipschitz: half of the edge is the most it can come nearer.
        if ends - 0.5 * p.distance(q) >= core_reach {
            continue;
        }
        let s = least(0.0, 1.0, &value);
        if value(s) < ends - LOWER * p.distance(q) {
            let place = p + (q - p) * s;
            let near = near(container, core, place);
            // Where a ring is nearer than the outer side, its edge circle touches the edge.
            if near.place == Place::Outer && near.distance >= place.z.abs() - container.half_height - slack {
                found.extend(touch_of(near, place, [CROSSING, 0, edge as u32], core_reach));
            }
        }
    }
}

fn round_core(
    container: &Container,
    round: &Round,
    (core, side): (DVec3, Side),
    core_reach: f64,
    found: &mut Vec<Touch>,
) {
    let up = round.axis * round.half_height;
    rim(container, round, (core, round.centre - up), RIM, core_reach, found);
    if round.cone {
        found.extend(point(container, core, round.centre + up, 0, core_reach));
    } else {
        rim(container, round, (core, round.centre + up), 2 * RIM, core_reach, found);
    }
    if side != Side::Inner {
        found.extend(round_side(container, round, core, core_reach, found));
    }
}

/// Points of a rim that are nearest to the wall: local minima, or four fixed ones where it is the same all around.
fn rim(
    container: &Container,
    round: &Round,
    (core, centre): (DVec3, DVec3),
    name: u32,
    core_reach: f64,
    found: &mut Vec<Touch>,
) {
    let (x, y) = (round.across * round.radius, round.axis.cross(round.across) * round.radius);
    let at = |angle: f64| centre + x * angle.cos() + y * angle.sin();
    let value = |angle: f64| near(container, core, at(angle)).distance;
    // A rim flat on a ring, or about the axis: four points hold it.
    let quarters = [0.0, 0.25, 0.5, 0.75].map(|share| at(std::f64::consts::TAU * share));
    let values = quarters.map(|quarter| near(container, core, quarter));
    let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), near| {
        (least.min(near.distance), most.max(near.distance))
    });
    let is_flat = round.axis.z.abs() > flat::FACING && values.iter().any(|near| matches!(near.place, Place::Ring(_)));
    // Without a tilt every point of such a rim is as good as another.
    if !is_flat || round.axis.truncate().length() > TILT {
        let mut count = 0;
        minima_around(&value, &mut |angle| {
            if count < MOST_OF_RIM {
                found.extend(point(container, core, at(angle), name + count, core_reach));
                count += 1;
            }
        });
    }
    if is_flat || most - least <= COAXIAL * round.radius {
        for (k, (quarter, near)) in (0..).zip(quarters.into_iter().zip(values)) {
            if !is_flat || matches!(near.place, Place::Ring(_)) {
                found.extend(point(container, core, quarter, name + MOST_OF_RIM + k, core_reach));
            }
        }
    }
}

/// The side of a round core against the outer side. The ball about a point a(s) of the axis that touches the side of the
/// core from within has the radius ρ(s) cos β, with ρ the radius there and tan β = r/2h for cones, 0 for cylinders. So the
/// distance is the least of f(a(s)) − ρ(s) cos β, a convex function, with f the distance from the solid.
fn round_side(container: &Container, round: &Round, core: DVec3, core_reach: f64, known: &[Touch]) -> Option<Touch> {
    let h = round.half_height;
    let lean = if round.cone { 0.5 * round.radius / h } else { 0.0 };
    let cosine = 1.0 / f64::hypot(1.0, lean);
    let axis_point = |s: f64| round.centre + round.axis * s;
    let ball = |s: f64| (round.radius - if round.cone { lean * (s + h) } else { 0.0 }) * cosine;
    let value = |s: f64| outer_solid(container, axis_point(s)) - ball(s);
    let s = least(-h, h, &value);
    let from = axis_point(s);
    let near = near(container, core, from);
    let gap = near.distance - ball(s);
    let closest = known.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
    let lower = value(s) < value(-h).min(value(h)) - LOWER * h;
    let at_ring = near.distance < from.z.abs() - container.half_height;
    if near.place != Place::Outer || at_ring || !lower || gap >= core_reach || closest <= gap + LOWER * h {
        return None;
    }
    let normal = turned(from, DVec2::new(near.normal.x, near.normal.y));
    let b = from - normal * ball(s);
    Some(Touch { a: b - normal * gap, b, normal, gap, name: [CLOSEST, 0, 0] })
}

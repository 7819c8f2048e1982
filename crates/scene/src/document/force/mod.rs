//! `[forces.NAME]`.

mod bushing;
mod motor;

use super::{Builder, flexible, law};
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::force::{Load, RotationalSpring, Spring};
use signorini_mechanics::joint::Anchors;
use signorini_mechanics::{BodyId, Force, Pose};

#[derive(Clone, Copy)]
enum Kind {
    Spring,
    RotationalSpring,
    Load,
    Pressure,
    Motor,
    Bushing,
}

/// A rotational spring goes by two names.
const KINDS: [(&str, Kind); 7] = [
    ("spring", Kind::Spring),
    ("rotational-spring", Kind::RotationalSpring),
    ("torsion-spring", Kind::RotationalSpring),
    ("load", Kind::Load),
    ("pressure", Kind::Pressure),
    ("motor", Kind::Motor),
    ("bushing", Kind::Bushing),
];

/// Reads `[forces]` of the document.
pub(super) fn read<'a>(document: &Table<'a>, builder: &mut Builder<'a>) {
    let Some(forces) = document.table("forces") else { return };
    for (name, table) in forces.named_tables() {
        let Some(kind) = table.require_choice("type", &KINDS) else { continue };
        // Forces on nodes are of another type than those on rigid bodies.
        match kind {
            Kind::Pressure => {
                flexible::pressure(name, &table, builder);
                continue;
            }
            Kind::Load if table.has("flexible") => {
                flexible::load(name, &table, builder);
                continue;
            }
            _ => {}
        }
        let force = match kind {
            Kind::Spring => spring(&table, builder),
            Kind::RotationalSpring => rotational_spring(&table, builder),
            Kind::Load | Kind::Pressure => load(&table, builder),
            Kind::Motor => motor::read(&table, builder),
            Kind::Bushing => bushing::read(&table, builder),
        };
        table.finish();
        if let Some(force) = force {
            builder.force(name.to_owned(), force, &table);
        }
    }
}

fn bodies<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<[BodyId; 2]> {
    let names = table.require("bodies").and_then(|value| value.list_of::<2>("two names"))?;
    let [a, b] = names.map(|name| builder.body(&name));
    let pair = [a?, b?];
    if pair[0] == pair[1] {
        table.error("`bodies` names one body twice, expected two bodies");
        return None;
    }
    Some(pair)
}

fn spring<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Box<dyn Force>> {
    let bodies = bodies(table, builder);
    let points = table.require("points").and_then(|value| {
        let [a, b] = value.list_of::<2>("two points, one on each body")?.map(|point| point.vector(Range::COORDINATE));
        Some([a?, b?])
    });
    let stiffness = table.require("stiffness").and_then(|value| value.number(Range::NOT_NEGATIVE));
    let damping = table.number("damping", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let length = table.number("length", Range::LENGTH_OR_ZERO);
    let (bodies, points) = (bodies?, points?);
    let length = length.unwrap_or_else(|| (points[1] - points[0]).length());
    let ends = [builder.pose(bodies[0]).inverse() * points[0], builder.pose(bodies[1]).inverse() * points[1]];
    Some(Box::new(Spring::new(bodies, ends, stiffness?, damping, length)))
}

fn rotational_spring<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Box<dyn Force>> {
    let bodies = bodies(table, builder);
    let axis = table.require("axis").and_then(|value| value.direction());
    let stiffness = table.require("stiffness").and_then(|value| value.number(Range::NOT_NEGATIVE));
    let damping = table.number("damping", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let angle = table.number("angle", Range::ANY).unwrap_or(0.0);
    let preload = table.number("preload", Range::ANY).unwrap_or(0.0);
    let anchors = about(bodies?, axis?, builder);
    Some(Box::new(RotationalSpring::new(anchors, stiffness?, damping, angle).preloaded(preload)))
}

/// Anchors for what turns about an axis: only its direction matters, not where it is.
fn about(bodies: [BodyId; 2], axis: DVec3, builder: &Builder<'_>) -> Anchors {
    let frame = Pose::new(builder.pose(bodies[1]).position, DQuat::from_rotation_arc(DVec3::Z, axis));
    anchored(bodies, frame, builder)
}

/// Anchors in a frame given in the world where the bodies start.
fn anchored(bodies: [BodyId; 2], frame: Pose, builder: &Builder<'_>) -> Anchors {
    let poses = bodies.map(|body| builder.pose(body));
    Anchors::from_world(bodies, poses.each_ref(), frame)
}

fn load<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Box<dyn Force>> {
    table.get("flexible");
    let body = table.require("body").and_then(|value| builder.body(&value));
    let force = table.vector("force", Range::ANY).unwrap_or(DVec3::ZERO);
    let torque = table.vector("torque", Range::ANY).unwrap_or(DVec3::ZERO);
    let point = table.vector("point", Range::COORDINATE);
    let factor = table.get("factor").map(|value| law::read(&value));
    let follows = table.boolean("follows-body").unwrap_or(false);
    if !table.has("force") && !table.has("torque") {
        table.error("a load needs `force` or `torque`");
    }
    let body = body?;
    let factor = match factor {
        Some(law) => Some(law?),
        None => None,
    };
    let pose = builder.pose(body);
    // Given in the world at the start, whatever becomes of the body.
    let turned = |vector: DVec3| if follows { pose.rotation.conjugate() * vector } else { vector };
    let load = Load::new(body).force(turned(force), factor.clone()).torque(turned(torque), factor);
    let load = point.into_iter().fold(load, |load, point| load.at(pose.inverse() * point));
    Some(Box::new(if follows { load.following() } else { load }))
}

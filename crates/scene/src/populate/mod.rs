//! `[[populate]]`: many bodies of one kind.

mod card_tower;
mod fill;
mod grid;
mod random;
pub(crate) mod scale;
mod tower;
mod triangle;
mod wall;

use crate::document::{Builder, JointSpec, MOST_SEED, Prototype, rotation};
use crate::reader::{Range, Table, Value};
use glam::DVec3;
use random::Random;
use signorini_mechanics::{BodyId, Pose, Shape};

/// Most sizes of one kind of body.
const MOST_SCALES: usize = 1000;

#[derive(Clone, Copy)]
enum Pattern {
    Grid,
    Fill,
    Triangle,
    Wall,
    Tower,
    CardTower,
}

const PATTERNS: [(&str, Pattern); 6] = [
    ("grid", Pattern::Grid),
    ("fill", Pattern::Fill),
    ("triangle", Pattern::Triangle),
    ("wall", Pattern::Wall),
    ("tower", Pattern::Tower),
    ("card-tower", Pattern::CardTower),
];

/// What the bodies of a population are called; the first has number 1.
pub(crate) fn numbered_name(population: &str, number: u64) -> String {
    format!("{population}-{number:04}")
}

/// Where the bodies of one kind are, for patterns that bring their own shapes.
struct Course {
    shape: Shape,
    poses: Vec<Pose>,
}

/// Reads one `[[populate]]`, the `index`th of the file, and adds its bodies.
pub(crate) fn read<'a>(index: usize, table: &Table<'a>, builder: &mut Builder<'a>) {
    let name = table.require("name").and_then(|value| value.text());
    let own_seed = table.get("seed").and_then(|value| value.whole(0, MOST_SEED)).unwrap_or(index as u64);
    let random = Random::new(builder.seed, own_seed);
    let Some(pattern) = table.require_choice("pattern", &PATTERNS) else {
        builder.broken(name.unwrap_or_default());
        return;
    };
    let made = match pattern {
        Pattern::Grid | Pattern::Fill | Pattern::Triangle => loose(table, pattern, random, builder),
        Pattern::Wall => own_shapes(table, wall::courses(table, builder), builder),
        Pattern::Tower => own_shapes(table, tower::courses(table, builder), builder),
        Pattern::CardTower => own_shapes(table, card_tower::courses(table, builder), builder),
    };
    let factor = table.number("mass-factor", Range::POSITIVE).unwrap_or(1.0);
    let joints = joints(table, builder);
    table.finish();
    match (name, made, joints) {
        (Some(name), Some(made), Some(joints)) => place(name, &made, factor, &joints, builder),
        _ => builder.broken(name.unwrap_or_default()),
    }
}

/// Prototypes, and bodies by prototype and pose of their reference frame.
struct Made {
    prototypes: Vec<Prototype>,
    bodies: Vec<(usize, Pose)>,
}

/// Patterns that put copies of the template somewhere.
fn loose<'a>(table: &Table<'a>, pattern: Pattern, mut random: Random, builder: &mut Builder<'a>) -> Option<Made> {
    let prototype = Prototype::read(table, None, builder);
    let turned = rotation(table);
    let scales = match table.get("scales") {
        Some(value) => scales(&value),
        None => Some(vec![1.0]),
    };
    // What all of them fit in.
    let largest = scales.as_ref().map_or(1.0, |scales| scales.iter().copied().fold(0.0, f64::max));
    let poses: Option<Vec<Pose>> = match pattern {
        Pattern::Grid => grid::positions(table, &mut random, builder).map(|points| at(points, turned)),
        Pattern::Triangle => triangle::positions(table, builder).map(|points| at(points, turned)),
        _ => {
            let largest = prototype.as_ref().map(|prototype| prototype.larger(largest));
            fill::poses(table, turned, largest.as_ref(), &mut random, builder)
        }
    };
    let (prototype, poses, scales) = (prototype?, poses?, scales?);
    if !builder.has_room_for(poses.len() as f64, prototype.colliders().len(), table) {
        return None;
    }
    let sized = |scale: &f64| if *scale == 1.0 { prototype.heavier(1.0) } else { prototype.larger(*scale) };
    let prototypes: Vec<Prototype> = scales.iter().map(sized).collect();
    let bodies = poses.into_iter().enumerate().map(|(at, pose)| (at % prototypes.len(), pose)).collect();
    Some(Made { prototypes, bodies })
}

/// Sizes that bodies take in turn.
fn scales(value: &Value<'_>) -> Option<Vec<f64>> {
    let range = Range::closed(1e-6, 1e6, "a number from 1e-6 to 1e6");
    let scales = value.numbers(range)?;
    if scales.is_empty() || scales.len() > MOST_SCALES {
        value.error(format_args!("has {} numbers, expected 1 to {MOST_SCALES}", scales.len()));
        return None;
    }
    Some(scales)
}

fn at(points: Vec<DVec3>, turned: glam::DQuat) -> Vec<Pose> {
    points.into_iter().map(|point| Pose::new(point, turned)).collect()
}

/// Patterns that bring their shapes; the template says what they are made of.
fn own_shapes<'a>(table: &Table<'a>, courses: Option<Vec<Course>>, builder: &mut Builder<'a>) -> Option<Made> {
    let Some(courses) = courses else {
        // For the errors of the template, which needs some shape.
        _ = Prototype::read(table, Some(Shape::Sphere { radius: 1.0 }), builder);
        return None;
    };
    let mut made = Made { prototypes: Vec::new(), bodies: Vec::new() };
    for course in courses {
        let prototype = Prototype::read(table, Some(course.shape), builder)?;
        made.bodies.extend(course.poses.into_iter().map(|pose| (made.prototypes.len(), pose)));
        made.prototypes.push(prototype);
    }
    Some(made)
}

/// With whom every body of a pattern is joined.
enum Partner<'a> {
    Body(BodyId),
    /// The body made before; the first has none.
    Previous,
    /// The body with the same number, or a shifted one, of an earlier `[[populate]]`.
    Numbered {
        population: &'a str,
        shift: u64,
        with: Value<'a>,
    },
}

struct Link<'a> {
    partner: Partner<'a>,
    spec: JointSpec,
    table: Table<'a>,
}

/// `joints = [{ with = …, type = …, … }]`; `None` for an error.
fn joints<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Vec<Link<'a>>> {
    let mut links = Vec::new();
    let mut complete = true;
    for table in table.tables("joints") {
        let shift = table.get("shift").map(|value| (value.whole(0, u64::from(u32::MAX)), value));
        let partner = table.require("with").and_then(|with| match (with.text()?, shift) {
            (population, shift) if builder.has_population(population) => {
                let shift = shift.map_or(Some(0), |(shift, _)| shift)?;
                Some(Partner::Numbered { population, shift, with })
            }
            ("previous", None) => Some(Partner::Previous),
            (_, None) => builder.body(&with).map(Partner::Body),
            (other, Some((_, shift))) => {
                // Of a population with errors nothing is known.
                if other == "previous" || builder.body(&with).is_some() {
                    shift.error(format_args!("is given, but \"{other}\" is not the name of an earlier [[populate]]"));
                }
                None
            }
        });
        let spec = JointSpec::read(&table);
        if spec.is_some() {
            table.finish();
        }
        match (partner, spec) {
            (Some(partner), Some(spec)) => links.push(Link { partner, spec, table }),
            _ => complete = false,
        }
    }
    complete.then_some(links)
}

fn place<'a>(name: &str, made: &Made, factor: f64, links: &[Link<'a>], builder: &mut Builder<'a>) {
    let mut previous = None;
    for (index, (kind, pose)) in made.bodies.iter().enumerate() {
        let own_name = numbered_name(name, index as u64 + 1);
        let prototype = &made.prototypes[*kind];
        let body = match factor == 1.0 {
            true => prototype.place(own_name.clone(), *pose, builder),
            false => prototype.heavier(factor.powi(index as i32)).place(own_name.clone(), *pose, builder),
        };
        for (at, link) in links.iter().enumerate() {
            let partner = match &link.partner {
                Partner::Body(partner) => Some(*partner),
                Partner::Previous => previous,
                Partner::Numbered { population, shift, with } => {
                    let number = index as u64 + 1 + shift;
                    let partner = builder.numbered(population, number);
                    if partner.is_none() {
                        with.error(format_args!("is \"{population}\", which has no body {number} for `{own_name}`"));
                        return;
                    }
                    partner
                }
            };
            if let Some(partner) = partner {
                let suffix = if links.len() > 1 { format!("-{}", at + 1) } else { String::new() };
                let joint_name = format!("{own_name}{suffix}");
                link.spec.add(joint_name, [partner, body], pose.position, &link.table, builder);
            }
        }
        if index == 0 {
            builder.alias(format!("{name}-first"), body);
        }
        previous = Some(body);
    }
    if let Some(last) = previous {
        builder.alias(format!("{name}-last"), last);
    }
}

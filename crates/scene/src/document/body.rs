//! What `[bodies.NAME]` and the bodies of `[[populate]]` are made of.

use super::Builder;
use super::pose::pose;
use super::shape;
use crate::populate::scale;
use crate::reader::{Range, Table, Value};
use glam::{DMat3, DQuat, DVec3};
use signorini_mechanics::{Body, BodyId, Collider, Groups, MassProperties, MaterialId, Pose, Shape};
use std::f64::consts::TAU;

/// Most copies of a shape on one body.
const MOST_COPIES: u64 = 10_000;

/// A body that can be placed any number of times.
pub(crate) struct Prototype {
    is_fixed: bool,
    mass: f64,
    inertia: DMat3,
    /// Centre of mass in the reference frame.
    centre: DVec3,
    /// Shapes in the body's frame, whose origin is the centre of mass.
    colliders: Vec<Collider>,
    /// World \[m/s\].
    velocity: DVec3,
    /// World \[rad/s\].
    angular_velocity: DVec3,
}

/// A shape in the reference frame.
struct Part {
    collider: Collider,
    density: Option<f64>,
}

impl Prototype {
    /// Reads all fields of a body but its place, and leaves the table to be finished. Without a shape `given`, the table has it.
    pub(crate) fn read<'a>(table: &Table<'a>, given: Option<Shape>, builder: &mut Builder<'a>) -> Option<Self> {
        let is_fixed = table.boolean("fixed").unwrap_or(false);
        let velocity = table.vector("velocity", Range::SPEED);
        let angular_velocity = table.vector("angular-velocity", Range::SPEED);
        let mass = table.number("mass", Range::POSITIVE);
        let inertia = table.get("inertia").map(|value| inertia(&value));
        let density = table.number("density", Range::POSITIVE);
        let centre = table.vector("centre-of-mass", Range::COORDINATE);
        let parts = parts(table, given, builder)?;
        if is_fixed {
            if velocity.is_some() || angular_velocity.is_some() {
                table.error("a fixed body has no velocity");
            }
            return Some(Self {
                is_fixed,
                mass: 0.0,
                inertia: DMat3::ZERO,
                centre: DVec3::ZERO,
                colliders: parts.into_iter().map(|part| part.collider).collect(),
                velocity: DVec3::ZERO,
                angular_velocity: DVec3::ZERO,
            });
        }
        let (mass, inertia, centre) = weigh(table, &parts, mass, inertia, density, centre)?;
        let colliders = parts.into_iter().map(|part| {
            let pose = part.collider.pose;
            part.collider.at(Pose::new(pose.position - centre, pose.rotation))
        });
        Some(Self {
            is_fixed,
            mass,
            inertia,
            centre,
            colliders: colliders.collect(),
            velocity: velocity.unwrap_or(DVec3::ZERO),
            angular_velocity: angular_velocity.unwrap_or(DVec3::ZERO),
        })
    }

    /// The same body, heavier by a factor.
    pub(crate) fn heavier(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, inertia: self.inertia * factor, colliders: self.colliders.clone(), ..*self }
    }

    /// The same body, larger by a factor and of the same density.
    pub(crate) fn larger(&self, factor: f64) -> Self {
        let colliders = self.colliders.iter().map(|collider| Collider {
            shape: scale::shape(&collider.shape, factor),
            pose: scale::pose(collider.pose, factor),
            margin: collider.margin * factor,
            ..collider.clone()
        });
        Self {
            mass: self.mass * factor.powi(3),
            inertia: self.inertia * factor.powi(5),
            centre: self.centre * factor,
            colliders: colliders.collect(),
            ..*self
        }
    }

    pub(crate) fn colliders(&self) -> &[Collider] {
        &self.colliders
    }
    pub(crate) fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Adds the body to the model with its reference frame at `reference`.
    pub(crate) fn place(&self, name: String, reference: Pose, builder: &mut Builder<'_>) -> BodyId {
        let start = Pose::new(reference * self.centre, reference.rotation);
        let body = Body {
            name,
            mass: self.mass,
            inertia: self.inertia,
            is_fixed: self.is_fixed,
            start,
            velocity: self.velocity,
            angular_velocity: reference.rotation.conjugate() * self.angular_velocity,
        };
        let id = builder.add_body_off_centre(body, self.centre);
        for collider in &self.colliders {
            builder.model.collider(id, collider.clone());
        }
        id
    }
}

/// The shapes of a body: `shape`, or the list `shapes`.
fn parts<'a>(table: &Table<'a>, given: Option<Shape>, builder: &mut Builder<'a>) -> Option<Vec<Part>> {
    let material = table.get("material").map(|value| builder.materials.named(&value));
    let groups = builder.groups.read(table).unwrap_or(Groups::ALL);
    let margin = table.number("margin", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let usual = Usual { material, groups, margin };
    if let Some(shape) = given {
        let material = material_of(table, usual.material, builder)?;
        let collider = Collider { shape, pose: Pose::IDENTITY, material, groups, margin };
        return Some(vec![Part { collider, density: None }]);
    }
    let single = table.table("shape");
    let several = table.tables("shapes");
    if single.is_some() && table.has("shapes") {
        table.error("both `shape` and `shapes` are given, expected one of them");
    }
    let wanted = usize::from(table.has("shape")) + several.len();
    let made: Vec<Vec<Part>> =
        single.into_iter().chain(several).filter_map(|shape| part(&shape, &usual, builder)).collect();
    (made.len() == wanted).then(|| made.into_iter().flatten().collect())
}

/// What shapes are that do not say otherwise.
struct Usual {
    /// Given by the body, and if so whether it exists.
    material: Option<Option<MaterialId>>,
    groups: Groups,
    margin: f64,
}

/// A shape and its turned copies.
fn part<'a>(table: &Table<'a>, usual: &Usual, builder: &mut Builder<'a>) -> Option<Vec<Part>> {
    let own = table.get("material").map(|value| builder.materials.named(&value));
    let groups = builder.groups.read(table).unwrap_or(usual.groups);
    let margin = table.number("margin", Range::LENGTH_OR_ZERO).unwrap_or(usual.margin);
    let density = table.number("density", Range::POSITIVE);
    let copies = repeat(table);
    // Which other fields a shape has depends on its type.
    let read = shape::read(table);
    if read.is_some() {
        table.finish();
    }
    let material = material_of(table, own.or(usual.material), builder)?;
    let (pose, shape) = read?;
    let copy = |turn: DQuat| {
        let pose = Pose::new(turn * pose.position, (turn * pose.rotation).normalize());
        Part { collider: Collider { shape: shape.clone(), pose, material, groups, margin }, density }
    };
    Some(copies?.into_iter().map(copy).collect())
}

/// `repeat = { count = …, axis = … }`: evenly turned copies about an axis through the reference frame's origin.
fn repeat(table: &Table<'_>) -> Option<Vec<DQuat>> {
    if !table.has("repeat") {
        _ = table.get("repeat");
        return Some(vec![DQuat::IDENTITY]);
    }
    let table = table.table("repeat")?;
    let count = table.require("count").and_then(|value| value.whole(1, MOST_COPIES));
    let axis = table.get("axis").map_or(Some(DVec3::Z), |value| value.direction());
    table.finish();
    let (count, axis) = (count?, axis?);
    Some((0..count).map(|k| DQuat::from_axis_angle(axis, TAU * k as f64 / count as f64)).collect())
}

fn material_of<'a>(
    table: &Table<'a>,
    named: Option<Option<MaterialId>>,
    builder: &mut Builder<'a>,
) -> Option<MaterialId> {
    match named {
        Some(named) => named,
        None => {
            let Builder { materials, model, .. } = builder;
            materials.only(table, model)
        }
    }
}

/// Three principal moments, six entries xx, yy, zz, xy, xz, yz, or nine row by row.
fn inertia(value: &Value<'_>) -> Option<DMat3> {
    match value.numbers(Range::ANY)?[..] {
        [x, y, z] => Some(DMat3::from_diagonal(DVec3::new(x, y, z))),
        [xx, yy, zz, xy, xz, yz] => {
            Some(DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz)))
        }
        [a, b, c, d, e, f, g, h, i] => {
            Some(DMat3::from_cols(DVec3::new(a, d, g), DVec3::new(b, e, h), DVec3::new(c, f, i)))
        }
        ref other => {
            let expected = "3 (principal moments), 6 (xx, yy, zz, xy, xz, yz) or 9 (row by row)";
            value.error(format_args!("has {} numbers, expected {expected}", other.len()));
            None
        }
    }
}

/// Mass, inertia about the centre of mass, and centre of mass in the reference frame.
fn weigh(
    table: &Table<'_>,
    parts: &[Part],
    mass: Option<f64>,
    inertia: Option<Option<DMat3>>,
    density: Option<f64>,
    centre: Option<DVec3>,
) -> Option<(f64, DMat3, DVec3)> {
    let has_density = density.is_some() || parts.iter().any(|part| part.density.is_some());
    if table.has("mass") && (table.has("density") || has_density) {
        table.error("both mass and density are given, expected one of them");
        return None;
    }
    if table.has("mass") {
        let mass = mass?;
        let uniform = || combined(parts, |_| Some(1.0)).ok();
        return match inertia {
            Some(inertia) => {
                let centre = centre.or_else(|| uniform().map(|all| all.centre)).unwrap_or(DVec3::ZERO);
                Some((mass, inertia?, centre))
            }
            None => match combined(parts, |_| Some(1.0)) {
                Ok(all) => Some((mass, all.inertia * (mass / all.volume), centre.unwrap_or(all.centre))),
                Err(problem) => {
                    table.error(format_args!("`inertia` is missing, and the shapes do not give it: {problem}"));
                    None
                }
            },
        };
    }
    if table.has("density") && density.is_none() {
        return None;
    }
    if !has_density {
        let hint = "`density`, `mass`, `mass` with `inertia`, or `fixed = true`";
        table.error_with("nothing says how heavy the body is", hint);
        return None;
    }
    for (field, given) in [("inertia", inertia.is_some()), ("centre-of-mass", centre.is_some())] {
        if given {
            table.error(format_args!("`{field}` follows from the density, expected `mass` beside it"));
        }
    }
    match combined(parts, |part| part.density.or(density)) {
        Ok(all) => Some((all.volume, all.inertia, all.centre)),
        Err(problem) => {
            table.error(problem);
            None
        }
    }
}

/// The sum of all parts, each with its density; `volume` is then the mass.
fn combined(parts: &[Part], density: impl Fn(&Part) -> Option<f64>) -> Result<MassProperties, String> {
    let mut sum: Option<MassProperties> = None;
    for part in parts {
        let kind = part.collider.shape.kind();
        let density = density(part).ok_or_else(|| format!("the {kind} has no `density`, and neither has the body"))?;
        let own = part.collider.shape.mass_properties().map_err(|error| error.to_string())?;
        let heavy = MassProperties { volume: own.volume * density, inertia: own.inertia * density, ..own };
        let moved = heavy.moved(part.collider.pose);
        sum = Some(match sum {
            Some(sum) => sum.plus(&moved),
            None => moved,
        });
    }
    let sum = sum.ok_or("the body has no shape")?;
    match sum.volume > 0.0 && sum.volume.is_finite() {
        true => Ok(sum),
        false => Err(format!("the shapes weigh {} kg", sum.volume)),
    }
}

/// `[bodies.NAME]`.
pub(super) fn read<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) {
    let reference = pose(table);
    let prototype = Prototype::read(table, None, builder);
    table.finish();
    match prototype {
        Some(prototype) => {
            prototype.place(name.to_owned(), reference, builder);
        }
        None => builder.broken(name),
    }
}

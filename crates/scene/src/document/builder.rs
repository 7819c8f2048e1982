//! A model under construction, with names and places.

use super::check;
use super::flexible::Parts;
use super::groups::GroupNames;
use super::material::Materials;
use crate::populate::numbered_name;
use crate::reader::nearest::hint;
use crate::reader::{Context, Span, Table, Value};
use signorini_mechanics::flexible::{FlexibleBody, FlexibleId};
use signorini_mechanics::{Body, BodyId, Force, Joint, Model, ModelBuilder, ModelError, Pose, Vec3};
use std::collections::BTreeMap;

/// What joints and forces call the ground when no body has this name.
const WORLD: &str = "world";

/// A model under construction.
pub(crate) struct Builder<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) model: ModelBuilder,
    pub(crate) materials: Materials,
    pub(crate) groups: GroupNames<'a>,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// What is being read.
    pub(crate) at: Span,
    /// Bodies by name; none for those whose errors are said already.
    bodies: BTreeMap<String, Option<BodyId>>,
    /// Flexible bodies by name; none for those whose errors are said already.
    flexible: BTreeMap<String, Option<(FlexibleId, Parts)>>,
    /// Where bodies start, by index.
    poses: Vec<Pose>,
    /// Centres of mass of bodies in their reference frames \[m\], by index.
    centres: Vec<Vec3>,
    /// Where bodies, joints and forces stand in the file, by what errors of the model call them.
    places: BTreeMap<String, Span>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(context: &'a Context<'a>, model: ModelBuilder, materials: Materials, seed: u64) -> Self {
        Self {
            context,
            model,
            materials,
            groups: GroupNames::default(),
            seed,
            at: 0..0,
            bodies: BTreeMap::new(),
            flexible: BTreeMap::new(),
            poses: Vec::new(),
            centres: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// Whether that many bodies more can be added; says so if not.
    pub(crate) fn has_room_for(&self, count: f64, shapes: usize, table: &Table<'_>) -> bool {
        let most = self.context.most_bodies as f64;
        let total = self.poses.len() as f64 + count;
        if total > most || count * shapes as f64 > 4.0 * most {
            table.error(format_args!("makes {total} bodies of {shapes} shapes, expected at most {most} bodies"));
            return false;
        }
        true
    }

    /// Adds a body whose reference frame sits in its centre of mass.
    pub(super) fn add_body(&mut self, body: Body) -> BodyId {
        self.add_body_off_centre(body, Vec3::ZERO)
    }
    /// Adds a body whose centre of mass lies at `centre` in its reference frame \[m\].
    pub(super) fn add_body_off_centre(&mut self, body: Body, centre: Vec3) -> BodyId {
        if self.bodies.contains_key(&body.name) {
            let message = format!("a body called `{}` exists already", body.name);
            self.context.error(&self.at, message);
        }
        let name = body.name.clone();
        self.places.insert(format!("body `{name}`"), self.at.clone());
        self.poses.push(body.start);
        self.centres.push(centre);
        let id = self.model.body(body);
        self.bodies.insert(name, Some(id));
        id
    }
    /// Remembers that a body or bodies of a prefix could not be made, so that what refers to them is no error of its own.
    pub(crate) fn broken(&mut self, name: &str) {
        self.bodies.insert(name.to_owned(), None);
    }

    /// Another name for a body; a body of that name keeps it.
    pub(crate) fn alias(&mut self, name: String, body: BodyId) {
        self.bodies.entry(name).or_insert(Some(body));
    }

    /// Adds a flexible body with what a file may name of it; none if it could not be made.
    pub(super) fn add_flexible(&mut self, name: &str, made: Option<(FlexibleBody, Parts)>) {
        if self.bodies.contains_key(name) || self.flexible.contains_key(name) {
            self.context.error(&self.at, format!("a body called `{name}` exists already"));
        }
        self.places.insert(format!("flexible body `{name}`"), self.at.clone());
        let known = made.map(|(body, parts)| (self.model.flexible(body), parts));
        self.flexible.insert(name.to_owned(), known);
    }
    /// Whether a value is the name of a flexible body.
    pub(super) fn names_flexible(&self, value: &Value<'a>) -> bool {
        value.is_text() && value.text().is_some_and(|name| self.flexible.contains_key(name))
    }
    /// The flexible body a value names, and its parts.
    pub(super) fn flexible(&mut self, value: &Value<'a>) -> Option<(FlexibleId, &mut Parts)> {
        let name = value.text()?;
        if !self.flexible.contains_key(name) {
            let known = hint(name, "flexible bodies", self.flexible.keys().map(String::as_str));
            let what = if self.bodies.contains_key(name) { "rigid" } else { "unknown" };
            value.error_with(format_args!("names the {what} body \"{name}\", expected a flexible one"), known);
        }
        self.flexible.get_mut(name)?.as_mut().map(|(id, parts)| (*id, parts))
    }
    /// Remembers where something stands that errors of the model call `what`.
    pub(super) fn remember(&mut self, what: String, table: &Table<'_>) {
        self.places.insert(what, table.span().clone());
    }

    /// The body a value names; the ground for "world".
    pub(crate) fn body(&mut self, value: &Value<'a>) -> Option<BodyId> {
        let name = value.text()?;
        match self.bodies.get(name) {
            Some(id) => *id,
            None if name == WORLD => Some(self.world()),
            None if self.flexible.contains_key(name) => {
                let hint = "hold nodes to a rigid body with [[link]], push them with `flexible` in a load";
                value.error_with(format_args!("names the flexible body \"{name}\", expected a rigid one"), hint);
                None
            }
            // A list of bodies that was cut short by an error would make every name unknown.
            None if self.bodies.values().any(Option::is_none) => None,
            None => {
                let known = hint(name, "bodies", self.bodies.keys().map(String::as_str).chain([WORLD]));
                value.error_with(format_args!("names the unknown body \"{name}\""), known);
                None
            }
        }
    }
    /// The body of this number of a population that has been made.
    pub(crate) fn numbered(&self, population: &str, number: u64) -> Option<BodyId> {
        self.bodies.get(&numbered_name(population, number)).copied().flatten()
    }
    /// Whether bodies of a population of this name have been made; a body of that name hides it.
    pub(crate) fn has_population(&self, name: &str) -> bool {
        !self.bodies.contains_key(name) && self.numbered(name, 1).is_some()
    }
    /// The body "world", made if there is none.
    pub(crate) fn world(&mut self) -> BodyId {
        match self.bodies.get(WORLD) {
            Some(Some(id)) => *id,
            _ => self.add_body(Body::fixed(WORLD)),
        }
    }
    pub(crate) fn pose(&self, body: BodyId) -> Pose {
        self.poses[body.index()]
    }

    /// Adds a joint that stands at `table`.
    pub(crate) fn joint(&mut self, name: String, joint: Box<dyn Joint>, table: &Table<'_>) {
        match joint.check() {
            Ok(()) => {
                self.places.insert(format!("{} joint `{name}`", joint.kind()), table.span().clone());
                self.model.boxed_joint(name, joint);
            }
            Err(error) => table.error(error),
        }
    }
    /// Adds a force that stands at `table`.
    pub(crate) fn force(&mut self, name: String, force: Box<dyn Force>, table: &Table<'_>) {
        match force.check() {
            Ok(()) => {
                self.places.insert(format!("{} `{name}`", force.kind()), table.span().clone());
                self.model.boxed_force(name, force);
            }
            Err(error) => table.error(error),
        }
    }

    /// The model, the centres of mass of its bodies in their reference frames, and what looks wrong with it; `None` if there were errors.
    pub(super) fn finish(self, document: &Table<'_>) -> Option<(Model, Vec<Vec3>, Vec<String>)> {
        if self.poses.is_empty() && self.flexible.is_empty() && !self.context.has_errors() {
            document.error_with("the scene has no bodies", "add [bodies.NAME], [[populate]] or [[flexible]]");
        }
        // What a broken body leads to is not worth telling.
        if self.context.has_errors() {
            return None;
        }
        let Self { context, model, places, centres, .. } = self;
        for error in model.errors() {
            context.error(&place_of(&error, &places), error.to_string());
        }
        if context.has_errors() {
            return None;
        }
        match model.build() {
            Ok(model) => {
                let warnings = check::warnings(&model);
                Some((model, centres, warnings))
            }
            Err(error) => {
                context.error(&place_of(&error, &places), error.to_string());
                None
            }
        }
    }
}

/// Where the thing that an error names stands in the file.
fn place_of(error: &ModelError, places: &BTreeMap<String, Span>) -> Span {
    let of_body = |body: &str| places.get(&format!("body `{body}`"));
    let span = match error {
        ModelError::Number { place, .. } => {
            places.get(place.trim_start_matches("shape of ").trim_start_matches("cables of "))
        }
        ModelError::SameBody { place, .. }
        | ModelError::BothFixed { place, .. }
        | ModelError::Nothing { place, .. }
        | ModelError::HeldTwice { place, .. }
        | ModelError::Parameter { place, .. } => places.get(place),
        ModelError::Inertia { body, .. } | ModelError::Shape { body, .. } => of_body(body),
        ModelError::Mesh { body, .. } | ModelError::Element { body, .. } => {
            places.get(&format!("flexible body `{body}`"))
        }
        _ => None,
    };
    span.cloned().unwrap_or(0..0)
}

//! `[materials.NAME]` and `[[pairs]]`.

use crate::reader::nearest::hint;
use crate::reader::{Range, Table, Value};
use signorini_mechanics::{Contact, Material, MaterialId, ModelBuilder, Softness};
use std::collections::BTreeMap;

/// More materials are refused: every pair of them has an entry.
const MOST: usize = 1000;

/// The materials by name.
#[derive(Default)]
pub(crate) struct Materials {
    ids: BTreeMap<String, MaterialId>,
    all: Vec<Material>,
    /// The material of shapes that name none, once one needed it.
    unnamed: Option<MaterialId>,
}

impl Materials {
    /// Reads `[materials]` and `[[pairs]]` of the document.
    pub(super) fn read(document: &Table<'_>, model: &mut ModelBuilder) -> Self {
        let mut materials = Self::default();
        if let Some(table) = document.table("materials") {
            let tables = table.named_tables();
            if tables.len() > MOST {
                table.error(format_args!("{} materials, expected at most {MOST}", tables.len()));
                return materials;
            }
            for (name, table) in tables {
                let Contact { friction, restitution, rolling, softness } = surface(&table, &Contact::default());
                table.finish();
                let material = Material { name: name.to_owned(), friction, restitution, rolling, softness };
                materials.all.push(material.clone());
                materials.ids.insert(name.to_owned(), model.material(material));
            }
        }
        for table in document.tables("pairs") {
            let names = table.require("materials").and_then(|value| value.list_of::<2>("two names"));
            let ids = names.map(|names| names.map(|name| materials.named(&name)));
            let rule = match ids {
                Some([Some(a), Some(b)]) => {
                    let [first, second] = [a, b].map(|id| &materials.all[materials.position(id)]);
                    Contact::between(first, second)
                }
                _ => Contact::default(),
            };
            let contact = surface(&table, &rule);
            table.finish();
            if let Some([Some(a), Some(b)]) = ids {
                model.pair(a, b, contact);
            }
        }
        materials
    }

    fn position(&self, id: MaterialId) -> usize {
        let name = self.ids.iter().find(|(_, known)| **known == id).map(|(name, _)| name);
        self.all.iter().position(|material| Some(&material.name) == name).unwrap_or(0)
    }

    /// The material a value names.
    pub(super) fn named(&self, value: &Value<'_>) -> Option<MaterialId> {
        let name = value.text()?;
        let id = self.ids.get(name).copied();
        if id.is_none() {
            let known = hint(name, "materials", self.ids.keys().map(String::as_str));
            value.error_with(format_args!("names the unknown material \"{name}\""), known);
        }
        id
    }

    /// The material of a shape that names none: the only one of the scene, or a frictionless one if there is none at all.
    pub(super) fn only(&mut self, place: &Table<'_>, model: &mut ModelBuilder) -> Option<MaterialId> {
        match (self.ids.len(), self.unnamed) {
            (1, _) => self.ids.values().next().copied(),
            (0, None) => {
                self.unnamed = Some(model.material(Material::new("default")));
                self.unnamed
            }
            (0, known) => known,
            _ => {
                let known = hint("", "materials", self.ids.keys().map(String::as_str));
                place.error_with("`material` is missing, and the scene has more than one", known);
                None
            }
        }
    }
}

/// The fields of a surface; those of `rule` where they are not given.
fn surface(table: &Table<'_>, rule: &Contact) -> Contact {
    let stiffness = table.number("stiffness", Range::POSITIVE);
    let damping = table.number("damping", Range::NOT_NEGATIVE);
    let softness = match (stiffness, damping, rule.softness) {
        (Some(stiffness), damping, rule) => {
            let damping = damping.unwrap_or(rule.map_or(0.0, |rule| rule.damping));
            Some(Softness { stiffness, damping })
        }
        (None, Some(damping), Some(rule)) => Some(Softness { damping, ..rule }),
        (None, Some(_), None) => {
            if !table.has("stiffness") {
                table.error("`damping` needs `stiffness`");
            }
            None
        }
        (None, None, rule) => rule,
    };
    Contact {
        friction: table.number("friction", Range::NOT_NEGATIVE).unwrap_or(rule.friction),
        restitution: table.number("restitution", Range::SHARE).unwrap_or(rule.restitution),
        rolling: table.number("rolling", Range::LENGTH_OR_ZERO).unwrap_or(rule.rolling),
        softness,
    }
}

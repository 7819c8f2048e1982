//! What a flexible body meets others with.

use crate::document::Builder;
use crate::reader::{Range, Table};
use signorini_mechanics::Groups;
use signorini_mechanics::flexible::Skin;

/// What only a body that meets others has.
const OF_CONTACT: [&str; 6] = ["material", "groups", "collides-with", "margin", "self-contact", "skin"];

/// The fields of a skin: none with `contact = false`. A margin that is not given is `margin`; of a body without faces, `has_faces`
/// is false and its fields are refused. `Err` after errors, which are said.
pub(super) fn read<'a>(
    table: &Table<'a>,
    has_faces: bool,
    margin: f64,
    builder: &mut Builder<'a>,
) -> Result<Option<Skin>, ()> {
    let is_wanted = table.boolean("contact").unwrap_or(has_faces);
    let material = table.get("material").map(|value| builder.materials.named(&value));
    let groups = builder.groups.read(table).unwrap_or(Groups::ALL);
    let margin = table.number("margin", Range::LENGTH_OR_ZERO).unwrap_or(margin);
    let touches_itself = table.boolean("self-contact").unwrap_or(false);
    let face_set = table.text("skin").map(str::to_owned);
    let given = OF_CONTACT.into_iter().find(|field| table.has(field));
    if !has_faces && (is_wanted || given.is_some()) {
        let field = given.unwrap_or("contact");
        table.error(format_args!("`{field}`: lines of cables meet nothing, expected a `net`"));
        return Err(());
    }
    if !is_wanted {
        return match given {
            Some(field) => {
                table.error(format_args!("`{field}` is given beside `contact = false`, expected one of them"));
                Err(())
            }
            None => Ok(None),
        };
    }
    let material = match material {
        Some(named) => named,
        None => {
            let Builder { materials, model, .. } = builder;
            materials.only(table, model)
        }
    };
    let material = material.ok_or(())?;
    Ok(Some(Skin { material, groups, margin, touches_itself, face_set }))
}

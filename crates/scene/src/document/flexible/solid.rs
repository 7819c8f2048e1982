//! `[[flexible]]`: a body of solid elements.

use super::parts::Parts;
use super::{mesh, selection, skin};
use crate::document::pose::pose;
use crate::document::{Builder, elastic};
use crate::reader::nearest::hint;
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::flexible::{FlexibleBody, MassMatrix, StressLaw, Structure};

const LAWS: [(&str, StressLaw); 2] =
    [("corotational", StressLaw::Corotational), ("neo-hookean", StressLaw::NeoHookean)];
const MASSES: [(&str, MassMatrix); 2] = [("lumped", MassMatrix::Lumped), ("consistent", MassMatrix::Consistent)];

/// A body and its parts; `None` after errors, which are said.
pub(super) fn read<'a>(name: &str, table: &Table<'a>, builder: &mut Builder<'a>) -> Option<(FlexibleBody, Parts)> {
    let mesh = mesh::read(table);
    let pose = pose(table);
    let material = elastic::read(table);
    let law = table.get("law").map_or(Some(StressLaw::default()), |value| value.choice(&LAWS));
    let mass = table.get("mass").map_or(Some(MassMatrix::default()), |value| value.choice(&MASSES));
    let velocity = table.vector("velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    let angular_velocity = table.vector("angular-velocity", Range::SPEED).unwrap_or(DVec3::ZERO);
    let skin = skin::read(table, true, 0.0, builder);
    let fixed = table.get("fixed");
    table.finish();

    let mut mesh = mesh?;
    mesh.transform(pose);
    let mut parts = Parts::of(&mesh);
    let fixed = match &fixed {
        Some(value) => selection::nodes(value, &parts)?,
        None => Vec::new(),
    };
    if fixed.len() == parts.nodes.len() {
        table.error_with("all of its nodes are fixed", "what never moves is a body with `fixed = true`");
        return None;
    }
    parts.fix(&fixed);
    let skin = skin.ok()?;
    let face_set = skin.as_ref().and_then(|skin| skin.face_set.as_ref());
    if let Some(set) = face_set.filter(|set| !mesh.face_sets.contains_key(*set)) {
        let known = hint(set, "face sets", mesh.face_sets.keys().map(String::as_str).collect::<Vec<_>>());
        if let Some(value) = table.get("skin") {
            value.error_with(format_args!("names the unknown face set \"{set}\""), known);
        }
        return None;
    }
    let structure = Structure::Solid { mesh, law: law?, mass: mass? };
    let body =
        FlexibleBody { velocity, angular_velocity, fixed, skin, ..FlexibleBody::new(name, structure, material?) };
    Some((body, parts))
}

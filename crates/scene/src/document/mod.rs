//! The sections of a scene file, one file each.

mod beam;
mod body;
mod builder;
mod check;
#[cfg(test)]
mod documented;
mod elastic;
mod flexible;
mod force;
mod groups;
mod joint;
mod law;
mod material;
mod mesh;
mod mesh_warnings;
mod output;
mod parameters;
mod penalty;
mod pose;
mod shape;
mod solver;
mod stepper;

pub(crate) use body::Prototype;
pub(crate) use builder::Builder;
pub(crate) use joint::JointSpec;
pub(crate) use pose::rotation;

use crate::reader::{Context, Range, Table};
use crate::{Origin, Overrides, Scene, populate};
use signorini_mechanics::Model;
use toml::Spanned;
use toml::de::DeTable;

/// Seeds are whole numbers that a double holds.
pub(crate) const MOST_SEED: u64 = 1 << 53;

/// The version of the schema this program reads.
const VERSION: u64 = 1;

/// Reads a document; `None` if there were errors, which are then in the context.
pub(crate) fn read<'a>(
    context: &'a Context<'a>,
    document: &'a Spanned<DeTable<'a>>,
    overrides: &Overrides,
    origin: Origin,
    source: &str,
) -> Option<Scene> {
    let table = Table::new(context, document.get_ref(), 0..0, String::new());
    if !is_version_known(&table) {
        return None;
    }
    parameters::read(context, table.table("parameters"), overrides);
    let title = table.text("title").unwrap_or_default().to_owned();
    let description = table.text("description").unwrap_or_default().to_owned();
    let seed = context.seed.or(table.get("seed").and_then(|value| value.whole(0, MOST_SEED))).unwrap_or(0);

    let mut model = Model::builder();
    if let Some(gravity) = table.vector("gravity", Range::SPEED) {
        model.gravity(gravity);
    }
    let materials = material::Materials::read(&table, &mut model);
    let mut builder = Builder::new(context, model, materials, seed);
    if let Some(bodies) = table.table("bodies") {
        for (name, body) in bodies.named_tables() {
            builder.at = body.span().clone();
            body::read(name, &body, &mut builder);
        }
    }
    for (at, table) in table.tables("populate").iter().enumerate() {
        builder.at = table.span().clone();
        populate::read(at, table, &mut builder);
    }
    flexible::read(&table, &mut builder);
    for table in table.tables("beam") {
        builder.at = table.span().clone();
        beam::read(&table, &mut builder);
    }
    builder.groups.finish();
    joint::read(&table, &mut builder);
    flexible::read_links(&table, &mut builder);
    force::read(&table, &mut builder);
    exclude(&table, &mut builder);
    let settings = solver::read(&table, overrides.stepper);
    let idle = stepper::idle(&table, &settings);
    let (until, stop_after, output) = output::read(&table, settings.step);
    table.finish();

    let (model, centres_of_mass, mut warnings) = builder.finish(&table)?;
    warnings.extend(context.meshes.take().iter().flat_map(mesh::warnings));
    warnings.extend(idle);
    warnings.extend(penalty::too_stiff(&model, &settings));
    let name = match &origin {
        Origin::Gallery(name) => name.clone(),
        Origin::File(path) => {
            path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned())
        }
    };
    let parameters = context.parameters();
    Some(Scene {
        name,
        title,
        description,
        model,
        centres_of_mass,
        settings,
        until,
        stop_after,
        output,
        warnings,
        parameters,
        source: source.to_owned(),
        origin,
    })
}

/// Other versions have other fields: nothing else is read of them.
fn is_version_known(table: &Table<'_>) -> bool {
    let Some(value) = table.get("signorini") else {
        table.error_with(
            "`signorini` is missing: the file does not say that it is a scene",
            format!("write `signorini = {VERSION}` in its first line"),
        );
        return false;
    };
    match value.number(Range::ANY) {
        Some(version) if version == VERSION as f64 => true,
        Some(version) => {
            value.error(format_args!("is version {version}, expected {VERSION}, the one this program reads"));
            false
        }
        None => false,
    }
}

/// `[[exclude]] bodies = ["a", "b"]`; one of them may be flexible.
fn exclude<'a>(document: &Table<'a>, builder: &mut Builder<'a>) {
    for table in document.tables("exclude") {
        let names = table.require("bodies").and_then(|value| value.list_of::<2>("two names"));
        table.finish();
        let Some([a, b]) = names else { continue };
        match [&a, &b].map(|name| builder.names_flexible(name)) {
            [false, false] => {
                if let [Some(a), Some(b)] = [builder.body(&a), builder.body(&b)] {
                    builder.model.exclude(a, b);
                }
            }
            [true, true] => table.error_with(
                "both bodies are flexible, expected at least one rigid one",
                "skins that never meet are of `groups` that do not collide",
            ),
            [first, _] => {
                let (flexible, rigid) = if first { (a, b) } else { (b, a) };
                let rigid = builder.body(&rigid);
                let flexible = builder.flexible(&flexible).map(|(id, _)| id);
                if let (Some(rigid), Some(flexible)) = (rigid, flexible) {
                    builder.model.exclude_flexible(rigid, flexible);
                }
            }
        }
    }
}

//! `[stepper]` and `[solver]`: the settings of a simulation by their names in Rust.

use super::stepper;
use crate::reader::nearest::hint;
use crate::reader::{Range, Span, Table, Value};
use serde_json::{Map, Value as Json, json};
use signorini_mechanics::{Gyroscopic, RestitutionLaw, Settings, Stepper};
use signorini_solver::{Cone, ConeProblem, FrictionLaw, Method, SolveError, SolverSettings, Tolerance, solve};
use toml::de::DeValue;

const GYROSCOPIC: [(&str, Gyroscopic); 3] =
    [("implicit", Gyroscopic::Implicit), ("explicit", Gyroscopic::Explicit), ("off", Gyroscopic::Off)];

/// Reads both sections; `other` is a stepper in place of the file's.
pub(super) fn read(document: &Table<'_>, other: Option<Stepper>) -> Settings {
    let mut settings = Settings { stepper: other.unwrap_or_default(), ..Settings::default() };
    if let Some(table) = document.table("stepper") {
        motion(&table, other, &mut settings);
        table.finish();
    }
    if let Some(table) = document.table("solver") {
        solver(&table, &mut settings);
        table.finish();
        check(&table, &settings);
    }
    settings
}

fn motion(table: &Table<'_>, other: Option<Stepper>, settings: &mut Settings) {
    stepper::read(table, other, settings);
    settings.step = table.number("step", Range::TIME).unwrap_or(settings.step);
    settings.recovery_speed = table.number("recovery-speed", Range::NOT_NEGATIVE);
    settings.envelope = table.number("envelope", Range::LENGTH_OR_ZERO);
    settings.restitution_threshold = table.number("restitution-threshold", Range::NOT_NEGATIVE);
    settings.joint_tolerance = table.number("joint-tolerance", Range::LENGTH);
    settings.contact_tolerance = table.number("contact-tolerance", Range::LENGTH);
    settings.flexible_iterations =
        table.get("flexible-iterations").and_then(|value| value.whole(1, 100)).map_or(1, |n| n as u32);
    settings.penalty = super::penalty::read(table).filter(|_| !settings.stepper.has_hard_contacts());
    settings.warm_start = table.boolean("warm-start").unwrap_or(settings.warm_start);
    settings.sleeping = table.boolean("sleeping").unwrap_or(settings.sleeping);
    let laws = RestitutionLaw::ALL.map(|law| (law.name(), law));
    if let Some(choice) = table.get("restitution-law").and_then(|value| value.choice(&laws)) {
        settings.restitution_law = choice;
    }
    if let Some(choice) = table.get("gyroscopic").and_then(|value| value.choice(&GYROSCOPIC)) {
        settings.gyroscopic = choice;
    }
}

fn solver(table: &Table<'_>, settings: &mut Settings) {
    if let Some(method) = table.get("method").and_then(|value| method(&value)) {
        settings.method = method;
    }
    let laws = FrictionLaw::ALL.map(|law| (law.name(), law));
    if let Some(law) = table.get("friction").and_then(|value| value.choice(&laws)) {
        settings.friction = law;
    }
    settings.tolerance = table.get("tolerance").and_then(|value| tolerance(&value));
    let whole = |field, least| table.get(field).and_then(|value| value.whole(least, u64::from(u32::MAX)));
    settings.max_iterations = whole("max-iterations", 1).map(|n| n as u32);
    settings.facets = table.get("facets").and_then(|value| value.whole(3, 256)).map(|n| n as u32);
    settings.time_limit = table.number("time-limit", Range::TIME);
    settings.parallel = table.boolean("parallel").unwrap_or(settings.parallel);
}

/// A number in m/s, or `{ velocity = … }`, or `{ relative = … }`.
fn tolerance(value: &Value<'_>) -> Option<Tolerance> {
    if !value.is_table() {
        return value.number(Range::POSITIVE).map(Tolerance::Velocity);
    }
    let table = value.table(value.what.clone())?;
    let (relative, velocity) = (table.number("relative", Range::POSITIVE), table.number("velocity", Range::POSITIVE));
    let is_known = table.finish();
    match (relative, velocity) {
        (Some(relative), None) => Some(Tolerance::Relative(relative)),
        (None, Some(velocity)) => Some(Tolerance::Velocity(velocity)),
        _ => {
            if is_known && table.has("relative") == table.has("velocity") {
                table.error("expected one of `relative` and `velocity` (m/s)");
            }
            None
        }
    }
}

/// A method by name, or a table with its name and settings.
fn method(value: &Value<'_>) -> Option<Method> {
    let all = Method::all();
    let names = || all.iter().map(Method::name);
    let unknown = |value: &Value<'_>, name: &str| {
        value.error_with(
            format_args!("is the unknown method \"{name}\""),
            hint(name, "methods", names().collect::<Vec<_>>()),
        );
        None
    };
    if !value.is_table() {
        let name = value.text()?;
        return Method::named(name).or_else(|| unknown(value, name));
    }
    let table = value.table(value.what.clone())?;
    let name_value = table.require("name")?;
    let name = name_value.text()?;
    if Method::named(name).is_none() {
        return unknown(&name_value, name);
    }
    let mut given = vec![(vec!["name".to_owned()], json!(name))];
    let before = given.len();
    for (field, span, inner) in table.entries().into_iter().filter(|(field, ..)| *field != "name") {
        leaves(field, &span, &inner, &mut |path, span, inner| {
            // Alone, each setting is either fine or the one that is wrong.
            let alone = [(vec!["name".to_owned()], json!(name)), (path.clone(), inner.clone())];
            match serde_json::from_value::<Method>(nested(&alone)) {
                Ok(_) => given.push((path, inner)),
                Err(error) => {
                    let problem = format!("{}: `{}`: {error}", table.name(), path.join("."));
                    table.context().error(span, problem);
                }
            }
        });
    }
    if given.len() == before {
        return Method::named(name);
    }
    match serde_json::from_value(nested(&given)) {
        Ok(method) => Some(method),
        Err(error) => {
            table.error(error);
            None
        }
    }
}

/// Calls `found` with the path, the place and the value of every setting inside a value.
fn leaves(field: &str, span: &Span, value: &Value<'_>, found: &mut dyn FnMut(Vec<String>, &Span, Json)) {
    let path = vec![field.to_owned()];
    match value.value.get_ref() {
        DeValue::Table(_) => {
            let Some(table) = value.table(value.what.clone()) else { return };
            for (name, span, inner) in table.entries() {
                leaves(name, &span, &inner, &mut |inner_path, span, value| {
                    found([&path[..], &inner_path[..]].concat(), span, value);
                });
            }
        }
        DeValue::Boolean(boolean) => found(path, span, json!(boolean)),
        DeValue::String(text) if !text.trim_start().starts_with('=') => found(path, span, json!(text)),
        _ => {
            if let Some(number) = value.number(Range::ANY) {
                // Counts have to be whole, and whole numbers are numbers as well.
                let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
                found(path, span, if is_whole { json!(number as i64) } else { json!(number) });
            }
        }
    }
}

/// Where a setting stands inside a section.
fn place_of(setting: &str, table: &Table<'_>) -> Option<Span> {
    table.entries().into_iter().find_map(|(name, span, value)| match value.is_table() {
        _ if name == setting => Some(span),
        true => place_of(setting, &value.table(value.what.clone())?),
        false => None,
    })
}

/// One object from paths and values.
fn nested(leaves: &[(Vec<String>, Json)]) -> Json {
    let mut object = Map::new();
    for (path, value) in leaves {
        let mut inner = &mut object;
        for field in &path[..path.len() - 1] {
            let entry = inner.entry(field.clone()).or_insert_with(|| Json::Object(Map::new()));
            match entry {
                Json::Object(next) => inner = next,
                _ => return Json::Null,
            }
        }
        inner.insert(path[path.len() - 1].clone(), value.clone());
    }
    Json::Object(object)
}

/// Settings that contradict each other or are out of range are found by solving something small with them.
fn check(table: &Table<'_>, settings: &Settings) {
    let mut problem = ConeProblem::builder();
    problem.diagonal_body(&[1.0]).linear(&[1.0]).row(Cone::NonNegative, &[(0, 1.0)], 0.0);
    let Ok(problem) = problem.build() else { return };
    let settings = SolverSettings {
        method: settings.method.clone(),
        friction: settings.friction,
        tolerance: settings.tolerance.unwrap_or(Tolerance::Relative(1e-6)),
        facets: settings.facets,
        max_iterations: Some(1),
        time_limit: settings.time_limit,
        parallel: false,
        history: false,
    };
    match solve(&problem, &settings) {
        // Whether the method takes the problems of this scene is only known when they arise.
        Ok(_) | Err(SolveError::NotAccepted { .. }) => {}
        Err(SolveError::Setting { name, value, allowed }) => {
            let span = place_of(name, table).unwrap_or_else(|| table.span().clone());
            table.context().error(&span, format!("{}: `{name}` is {value}, expected {allowed}", table.name()));
        }
        Err(error) => table.error(error),
    }
}

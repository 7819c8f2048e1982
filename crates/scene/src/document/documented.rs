//! The schema's description is complete and its examples work.

use crate::load::read;
use crate::reader::Context;
use crate::reader::expression::function_names;
use crate::{Origin, Overrides, gallery, parse};
use std::collections::BTreeSet;
use std::path::Path;

const DOCS: &str = include_str!("../../../../docs/book/src/scenes.md");
const EVERYTHING: &str = include_str!("../../tests/data/everything.toml");

#[test]
fn every_field_the_reader_knows_is_described() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut asked = BTreeSet::new();
    let texts = gallery::list().iter().map(|entry| entry.text).chain([EVERYTHING]);
    for text in texts {
        let context = Context::new("a scene", text, Some(&data), None);
        let scene = read(&context, text, &Overrides::default(), Origin::File("a scene".into()));
        assert!(scene.is_ok(), "{}", scene.err().map(|errors| errors.to_string()).unwrap_or_default());
        asked.extend(context.asked());
    }
    assert!(asked.len() > 100, "{}", asked.len());
    // In a code span: as a word of its own.
    let is_described = |field: &str| {
        DOCS.split('`')
            .skip(1)
            .step_by(2)
            .any(|code| code.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).any(|word| word == field))
    };
    let missing: Vec<_> = asked.into_iter().filter(|field| !is_described(field)).collect();
    assert!(missing.is_empty(), "not in docs/book/src/scenes.md: {missing:?}");
}

#[test]
fn every_setting_of_a_simulation_can_be_given() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let context = Context::new("everything", EVERYTHING, Some(&data), None);
    let scene = read(&context, EVERYTHING, &Overrides::default(), Origin::File("everything".into())).expect("a scene");
    let usual = serde_json::to_value(signorini_mechanics::Settings::default()).expect("settings");
    let given = serde_json::to_value(&scene.settings).expect("settings");
    let (usual, given) = (usual.as_object().expect("an object"), given.as_object().expect("an object"));
    for (name, value) in usual {
        assert!(context.asked().iter().any(|field| field.starts_with(name.as_str())), "`{name}` cannot be given");
        // The relaxed law is both usual and the only one that has facets; extrapolation and sub-steps exclude each other.
        let is_exempt = name == "friction" || name == "extrapolate";
        assert!(is_exempt || given[name] != *value, "`{name}` is not what the scene gives");
    }
}

#[test]
fn every_function_of_expressions_is_described() {
    let words: BTreeSet<&str> = DOCS.split(|c: char| !c.is_alphanumeric()).collect();
    assert!(function_names().all(|name| words.contains(name)));
}

#[test]
fn the_examples_of_the_descriptions_are_scenes() {
    let example = DOCS.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let scene = parse(example, "docs/book/src/scenes.md", None, &Overrides::default()).expect("a scene");
    assert_eq!(scene.model.moving(), 1);
    let flexible = include_str!("../../../../docs/book/src/flexible.md");
    let example = flexible.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let scene = parse(example, "docs/book/src/flexible.md", None, &Overrides::default()).expect("a scene");
    assert_eq!(scene.model.flexible().len(), 1);
}

//! Damaged scene files: whatever the text, a scene or errors with places, never a panic.

use crate::load::read;
use crate::reader::Context;
use crate::{Origin, Overrides, Scene, SceneErrors, gallery, parse};
use std::path::Path;

/// Enough for every small scene, and few enough to be quick.
const MOST_BODIES: usize = 300;

/// xorshift64*: any stream of numbers will do.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn try_to_read(text: &str) -> Result<Scene, SceneErrors> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut context = Context::new("fuzz", text, Some(&data), None);
    context.most_bodies = MOST_BODIES;
    read(&context, text, &Overrides::default(), Origin::File("fuzz".into()))
}

fn check(text: &str) -> bool {
    match try_to_read(text) {
        Ok(_) => true,
        Err(SceneErrors(errors)) => {
            assert!(!errors.is_empty(), "refused without a reason:\n{text}");
            for error in errors {
                assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
                assert!(error.line <= text.matches('\n').count() + 1, "{error}");
            }
            false
        }
    }
}

/// Words, numbers and signs; their concatenation is the text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    tokens
}

/// Texts that number readers stumble over.
const NASTY: [&str; 24] = [
    "nan",
    "inf",
    "-inf",
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "1e400",
    "99999999999999999999999",
    "0x7fffffffffffffff",
    "true",
    "\"=1/0\"",
    "\"=count\"",
    "\"\"",
    "[]",
    "{}",
    "[[]]",
    "1979-05-27",
    "\"world\"",
    "1_000_000_000",
    "\"=-radius\"",
    "0.1",
    "'''x'''",
];

fn small_scenes() -> Vec<&'static str> {
    gallery::list().iter().map(|entry| entry.text).chain([include_str!("../tests/data/everything.toml")]).collect()
}

#[test]
fn damaged_scenes_are_read_or_refused_with_places() {
    let mut numbers = Numbers(0x5161_0121_d5ea_5eed);
    let scenes = small_scenes();
    let mut read = 0;
    for case in 0..1500 {
        let text = scenes[numbers.below(scenes.len())];
        let mut parts: Vec<String> = tokens(text).into_iter().map(str::to_owned).collect();
        for _ in 0..1 + numbers.below(4) {
            let at = numbers.below(parts.len());
            let other = numbers.below(parts.len());
            match (case + numbers.below(2)) % 7 {
                0 => drop(parts.remove(at)),
                1 => parts.insert(at, parts[other].clone()),
                2 => parts[at] = parts[other].clone(),
                3 => parts.swap(at, other),
                4 => parts.truncate(at.max(1)),
                5 => {
                    // Every number that was damaged was one before.
                    let digits = |part: &String| part.starts_with(|c: char| c.is_ascii_digit());
                    let places: Vec<usize> = (0..parts.len()).filter(|&k| digits(&parts[k])).collect();
                    let place = if places.is_empty() { at } else { places[numbers.below(places.len())] };
                    parts[place] = NASTY[numbers.below(NASTY.len())].to_owned();
                }
                _ => {
                    let bytes: Vec<u8> = (0..1 + numbers.below(6)).map(|_| numbers.next() as u8).collect();
                    parts[at] = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
            if parts.is_empty() {
                parts.push(String::new());
            }
        }
        read += usize::from(check(&parts.concat()));
    }
    // Some damage does none: else this would test the parser of TOML only.
    assert!(read > 20, "{read}");
}

#[test]
fn values_of_every_kind_in_every_place_are_read_or_refused() {
    // Every value of the scene that has all fields, replaced by every nasty one.
    let text = include_str!("../tests/data/everything.toml");
    let lines: Vec<&str> = text.lines().collect();
    let mut numbers = Numbers(42);
    for (at, line) in lines.iter().enumerate() {
        let Some((key, _)) = line.split_once(" = ") else { continue };
        for _ in 0..3 {
            let mut damaged: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            damaged[at] = format!("{key} = {}", NASTY[numbers.below(NASTY.len())]);
            check(&damaged.join("\n"));
        }
    }
}

#[test]
fn noise_is_refused() {
    let mut numbers = Numbers(7);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..numbers.below(300)).map(|_| numbers.next() as u8).collect();
        assert!(!check(&String::from_utf8_lossy(&bytes)));
    }
    let deep = format!("signorini = 1\nx = {}", "[".repeat(100_000));
    assert!(!check(&deep));
}

#[test]
fn the_same_text_gives_the_same_model_and_another_seed_another_one() {
    let bits = |text: &str, seed: Option<u64>| {
        let overrides = Overrides { set: vec![("count".into(), "50".into())], seed, stepper: None };
        let scene = parse(text, "fuzz", None, &overrides).unwrap_or_else(|errors| panic!("{errors}"));
        format!("{:?} {:?}", scene.model, scene.settings)
    };
    let counts = |text: &str| {
        let scene = parse(text, "fuzz", None, &Overrides::default());
        scene.is_ok_and(|scene| scene.parameters.iter().any(|(name, _)| name == "count"))
    };
    for entry in gallery::list().iter().filter(|entry| counts(entry.text)) {
        let is_random = entry.text.contains("\"fill\"") || entry.text.contains("jitter");
        assert!(bits(entry.text, None) == bits(entry.text, None), "{}", entry.name);
        assert_eq!(bits(entry.text, Some(8)) != bits(entry.text, Some(9)), is_random, "{}", entry.name);
    }
}

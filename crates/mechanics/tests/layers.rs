//! Imports go downwards only: model ← dynamics ← step ← analysis.
//!
//! Paths are read from the sources. Names that the crate's root passes on (`crate::Simulation`) count as imports from the module that
//! defines them. Unit tests may use anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules of the crate by layer, from the bottom up.
const LAYERS: [(&str, &[&str]); 4] = [
    ("model", &["body", "diagnostics", "error", "flexible", "force", "joint", "material", "model", "motion", "state"]),
    ("dynamics", &["dynamics"]),
    ("step", &["step"]),
    ("analysis", &["analysis"]),
];

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|(_, modules)| modules.contains(&module))
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The text without comments and unit tests, which stand at the end of a file; lines keep their numbers.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// A path and what follows it: the first names of a group, or the next name.
fn names_after(code: &str) -> Vec<String> {
    let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(group) = code.strip_prefix('{') else { return vec![word(code)] };
    let (mut names, mut depth, mut item) = (Vec::new(), 0, String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(word(item.trim()));
                item.clear();
                if c == '}' {
                    break;
                }
                continue;
            }
            _ => {}
        }
        item.push(c);
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Places in the code where a path starts with this word, with their lines.
fn paths<'a>(code: &'a str, start: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    code.match_indices(start).filter_map(move |(at, _)| {
        let is_word = code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        (!is_word).then(|| (code[..at].matches('\n').count() + 1, &code[at + start.len()..]))
    })
}

/// Names that the root passes on, and the module each comes from; `None` for those of other crates.
fn passed_on() -> BTreeMap<String, Option<String>> {
    let code = code_of(&fs::read_to_string(sources().join("lib.rs")).expect("the root"));
    let mut names = BTreeMap::new();
    for (_, path) in paths(&code, "pub use ") {
        let item = path.split(';').next().unwrap_or_default();
        let module = item.split("::").next().unwrap_or_default().to_owned();
        let module = layer_of(&module).map(|_| module);
        let list = item.rsplit_once("::{").map_or_else(
            || item.rsplit("::").next().unwrap_or_default().to_owned(),
            |(_, group)| group.trim_end_matches('}').to_owned(),
        );
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.rsplit(" as ").next().unwrap_or(name);
            names.insert(name.to_owned(), module.clone());
        }
    }
    names
}

/// The modules a file imports from, with the lines.
fn imports(file: &Path, code: &str, passed_on: &BTreeMap<String, Option<String>>) -> Vec<(usize, String)> {
    let relative = file.strip_prefix(sources()).expect("a source");
    let mut module: Vec<String> =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    let from_root = |line: usize, rest: &str| -> Vec<(usize, String)> {
        let resolve = |name: String| {
            if layer_of(&name).is_some() {
                return Some(name);
            }
            let known = passed_on.get(&name);
            known.unwrap_or_else(|| panic!("{}:{line}: the root has no `{name}`", relative.display())).clone()
        };
        names_after(rest).into_iter().filter_map(resolve).map(|module| (line, module)).collect()
    };
    let mut found: Vec<_> = paths(code, "crate::").flat_map(|(line, rest)| from_root(line, rest)).collect();
    for (line, mut rest) in paths(code, "super::") {
        let mut depth = 1;
        while let Some(further) = rest.strip_prefix("super::") {
            (depth, rest) = (depth + 1, further);
        }
        // Only a path that leaves all folders leads to other modules of the root.
        if depth >= module.len() && !rest.starts_with('*') {
            found.extend(from_root(line, rest));
        }
    }
    found
}

#[test]
fn no_import_goes_upwards() {
    let passed_on = passed_on();
    assert_eq!(passed_on.get("Simulation"), Some(&Some("step".to_owned())));
    assert_eq!(passed_on.get("Vec3"), Some(&None));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files_below(&sources()) {
        let relative = file.strip_prefix(sources()).expect("a source").to_owned();
        let top = relative.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
        if top == "lib" || relative.ends_with("tests.rs") {
            continue;
        }
        let own = layer_of(&top).unwrap_or_else(|| panic!("{}: `{top}` is in no layer", relative.display()));
        let code = code_of(&fs::read_to_string(&file).expect("a source"));
        for (line, module) in imports(&file, &code, &passed_on) {
            count += 1;
            let other = layer_of(&module).expect("a module of a layer");
            if other > own {
                let (below, above) = (LAYERS[own].0, LAYERS[other].0);
                wrong.push(format!("{}:{line}: {below} imports `{module}`, which is of {above}", relative.display()));
            }
        }
    }
    assert!(count > 300, "only {count} imports were found: the sources are not read as they should be");
    assert!(wrong.is_empty(), "imports that go upwards:\n{}", wrong.join("\n"));
}

#[test]
fn an_import_that_goes_upwards_is_seen_however_it_is_written() {
    let passed_on = passed_on();
    let file = sources().join("dynamics/columns.rs");
    let seen = |code: &str| -> Vec<String> {
        imports(&file, &code_of(code), &passed_on).into_iter().map(|(_, module)| module).collect()
    };
    assert_eq!(seen("use crate::{\n    Model,\n    Simulation,\n};"), ["model", "step"]);
    assert_eq!(seen("fn f() { crate::step::usable::check() }"), ["step"]);
    assert_eq!(seen("use crate::{joint::{Row, RowKind}, analysis::Modes};"), ["joint", "analysis"]);
    assert_eq!(seen("use super::super::analysis::modes;"), ["analysis"]);
    assert_eq!(seen("// use crate::Simulation;\nuse super::rows::Rows;"), [""; 0]);
}

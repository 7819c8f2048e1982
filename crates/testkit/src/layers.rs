//! Which modules of a crate import which: nothing may point upwards.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether the modules of one layer may use each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peers {
    /// Yes: the layer is one thing in several modules.
    Friends,
    /// No.
    Strangers,
}

/// Checks the imports of a crate against its layers, from the lowest to the highest.
///
/// Every `crate::…` path in code counts, wherever it stands; comments and test modules do not. Names that `lib.rs` re-exports count
/// as the module they come from.
///
/// # Panics
/// A message with file and line of every import that points upwards, or to a module of the same layer where these are strangers, of
/// every module without a layer, and of every layer that names no module.
pub fn check_layers(source: &Path, layers: &[&[&str]], peers: Peers) {
    let mut layer_of = BTreeMap::new();
    for (layer, modules) in layers.iter().enumerate() {
        modules.iter().for_each(|module| _ = layer_of.insert((*module).to_owned(), layer));
    }
    let root = fs::read_to_string(source.join("lib.rs")).expect("lib.rs is readable");
    let exported = exports(&root);
    let mut found = String::new();
    for module in modules(&root) {
        if !layer_of.contains_key(&module) {
            writeln!(found, "module `{module}` is in no layer").expect("a string grows");
        }
    }
    layer_of.keys().filter(|module| !modules(&root).contains(module)).for_each(|module| {
        writeln!(found, "layer names `{module}`, which is no module").expect("a string grows");
    });
    for file in files(source) {
        let own = module_of(source, &file);
        let Some(&own_layer) = layer_of.get(&own) else { continue };
        let text = fs::read_to_string(&file).expect("sources are readable");
        for (line, target) in imports(&text) {
            let origin = exported.get(&target).cloned();
            if origin.as_ref().is_some_and(|origin| !modules(&root).contains(origin)) {
                // Another crate's.
                continue;
            }
            let target = origin.unwrap_or(target);
            match layer_of.get(&target) {
                Some(&layer) if layer < own_layer || target == own => {}
                Some(&layer) if layer == own_layer && peers == Peers::Friends => {}
                Some(_) => {
                    writeln!(found, "{}:{line}: `{own}` imports `{target}`, which is not below it", file.display())
                        .expect("a string grows")
                }
                None => writeln!(found, "{}:{line}: `crate::{target}` is in no layer", file.display())
                    .expect("a string grows"),
            }
        }
    }
    assert!(found.is_empty(), "imports that break the layers:\n{found}");
}

/// Modules that a root declares.
fn modules(root: &str) -> Vec<String> {
    let declared = |line: &str| {
        let line = line.trim();
        let rest = ["pub(crate) mod ", "pub mod ", "mod "].iter().find_map(|start| line.strip_prefix(start))?;
        rest.strip_suffix(';').map(str::to_owned)
    };
    root.lines().filter_map(declared).collect()
}

/// The module every re-exported name of a root comes from.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let statements: Vec<&str> = root.split(';').collect();
    for statement in statements {
        let Some(at) = statement.find("use ") else { continue };
        if !statement[..at].trim_end().ends_with("pub") && !statement[..at].trim_end().ends_with("pub(crate)") {
            continue;
        }
        let path: String = statement[at + 4..].replace(" as ", ",").split_whitespace().collect();
        let Some((module, rest)) = path.split_once("::") else { continue };
        for name in rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty()) {
            names.insert(name.to_owned(), module.to_owned());
        }
    }
    names
}

/// All source files below a folder but the root.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let entries = fs::read_dir(folder).expect("the source folder is readable");
    for path in entries.map(|entry| entry.expect("an entry of the folder").path()) {
        if path.is_dir() {
            list.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && path.file_name() != Some("lib.rs".as_ref())
        {
            list.push(path);
        }
    }
    list.sort();
    list
}

/// The top-level module a file belongs to.
fn module_of(source: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(source).expect("files lie below the source folder");
    let first = inside.components().next().expect("a file has a name").as_os_str().to_string_lossy().into_owned();
    first.strip_suffix(".rs").unwrap_or(&first).to_owned()
}

/// First segments of all `crate::` paths with their lines, up to the test module.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let end =
        lines.windows(2).position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod "));
    for (number, line) in lines[..end.unwrap_or(lines.len())].iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + "crate::".len()..];
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                continue;
            }
            if let Some(list) = rest.strip_prefix('{') {
                let inside = braces(&lines, number, list);
                top_level_names(&inside).into_iter().for_each(|name| found.push((number + 1, name)));
            } else {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                found.push((number + 1, name));
            }
        }
    }
    found
}

/// The text of a list in braces that begins in a line and may go on in the next ones.
fn braces(lines: &[&str], first: usize, start: &str) -> String {
    let mut text = start.to_owned();
    for line in &lines[first + 1..] {
        if text.matches('{').count() < text.matches('}').count() {
            break;
        }
        text.push_str(line);
    }
    let mut depth = 1;
    let end = text.find(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    text.truncate(end.unwrap_or(text.len()));
    text
}

/// First segments of the entries of a list such as `a::b, c::{d, e}, F`.
fn top_level_names(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut current) = (Vec::new(), 0, String::new());
    for c in list.chars().chain([',']) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            let name: String = current.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() && name != "self" {
                names.push(name);
            }
            current.clear();
        } else {
            current.push(c);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_wherever_they_stand() {
        let text = "use crate::{a::{B, C}, Named,\n    d};\n// crate::comment\nfn f() { crate::e::g() }\n#[cfg(test)]\nmod tests {\n use crate::h;\n}";
        let names: Vec<String> = imports(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["a", "Named", "d", "e"]);
        let root = "mod a;\npub use a::b::{Named, Other};\npub(crate) use d::Third;\npub use far::{Long as Short};";
        assert_eq!(exports(root).get("Named"), Some(&"a".to_owned()));
        assert_eq!(exports(root).get("Third"), Some(&"d".to_owned()));
        assert_eq!(exports(root).get("Short"), Some(&"far".to_owned()));
        assert_eq!(modules(root), ["a"]);
    }
}

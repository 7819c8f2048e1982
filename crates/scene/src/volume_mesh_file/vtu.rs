//! The XML format of VTK.

use super::cell::Cells;
use super::error::Problem;
use super::lines::{Lines, quote};
use super::vtk::{by_ends, indices, join};
use glam::DVec3;

const READ: &str = "arrays with format=\"ascii\" are read: save it so (in ParaView: Save Data, Data Mode Ascii)";

/// A tag of the text: its name, its attributes, and where its content starts.
#[derive(Clone)]
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    /// Bytes at which the tag starts and ends.
    start: usize,
    end: usize,
    line: usize,
}

impl<'a> Tag<'a> {
    /// The value of `key="value"`.
    fn attribute(&self, key: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            let (name, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let mark = after.chars().next().filter(|c| "\"'".contains(*c))?;
            let (value, next) = after[1..].split_once(mark)?;
            if name.trim() == key {
                return Some(value);
            }
            rest = next;
        }
    }
    fn count(&self, key: &str) -> Result<usize, Problem> {
        let found = self.attribute(key);
        found.and_then(|value| value.trim().parse().ok()).ok_or_else(|| {
            let found = found.map_or("is missing".into(), |value| format!("is {}", quote(value)));
            Problem::new(self.line, format!("attribute `{key}` of <{}> {found}, expected a whole number", self.name))
        })
    }
}

/// All tags of a text in order; comments and declarations are left out.
fn tags(text: &str) -> Result<Vec<Tag<'_>>, Problem> {
    let mut tags = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        line += text.as_bytes()[counted..start].iter().filter(|&&byte| byte == b'\n').count();
        counted = start;
        let closing = if text[start..].starts_with("<!--") { "-->" } else { ">" };
        let Some(length) = text[start..].find(closing) else {
            return Err(Problem::new(line, "the file ends within a tag"));
        };
        let end = start + length + closing.len();
        let inner = &text[start + 1..end - 1];
        if !inner.starts_with(['!', '?']) {
            let inner = inner.trim_end_matches('/').trim();
            let (name, attributes) = inner.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((inner, ""));
            tags.push(Tag { name, attributes, start, end, line });
            // Bytes of an appended array are no tags.
            if name == "AppendedData" {
                break;
            }
        }
        at = end;
    }
    Ok(tags)
}

pub(super) fn read(bytes: &[u8]) -> Result<Cells, Problem> {
    // Appended arrays may be no text, but what comes before them is.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    };
    let tags = tags(text)?;
    let last = 1 + text.matches('\n').count();
    let find = |name: &str| tags.iter().position(|tag| tag.name == name);
    let file = find("VTKFile").ok_or_else(|| Problem::new(1, "there is no <VTKFile>"))?;
    let kind = tags[file].attribute("type").unwrap_or("");
    if kind != "UnstructuredGrid" {
        let message = format!("<VTKFile> has type {}, expected `UnstructuredGrid`", quote(kind));
        return Err(Problem::new(tags[file].line, message));
    }
    let piece = find("Piece").ok_or_else(|| Problem::new(last, "there is no <Piece>"))?;
    if let Some(second) = tags.iter().skip(piece + 1).find(|tag| tag.name == "Piece") {
        return Err(Problem::new(second.line, "a second <Piece>, expected one"));
    }
    let points = tags[piece].count("NumberOfPoints")?;
    let cells = tags[piece].count("NumberOfCells")?;
    let array = |parent: &str, name: Option<&str>| array(text, &tags, parent, name, last);

    let mut lines = array("Points", None)?;
    lines.check_count("points", points, 6)?;
    let mut nodes = Vec::with_capacity(points);
    for _ in 0..points {
        nodes.push(DVec3::new(lines.coordinate()?, lines.coordinate()?, lines.coordinate()?));
    }
    expect_end(&mut lines, "points")?;

    let mut lines = array("Cells", Some("offsets"))?;
    lines.check_count("offsets", cells, 2)?;
    let mut ends = Vec::with_capacity(cells);
    for _ in 0..cells {
        ends.push((lines.number::<usize>("an offset")?, lines.line()));
    }
    expect_end(&mut lines, "offsets")?;

    let mut lines = array("Cells", Some("connectivity"))?;
    let (connectivity, places) = indices(&mut lines, ends.last().map_or(0, |end| end.0))?;
    expect_end(&mut lines, "entries of the connectivity")?;

    let mut lines = array("Cells", Some("types"))?;
    lines.check_count("cell types", cells, 2)?;
    let mut types = Vec::with_capacity(cells);
    for _ in 0..cells {
        types.push((lines.number::<u32>("a cell type")?, lines.line()));
    }
    expect_end(&mut lines, "cell types")?;
    join(nodes, connectivity, &by_ends(&ends, &places)?, &types)
}

fn expect_end(lines: &mut Lines<'_>, what: &str) -> Result<(), Problem> {
    match lines.next_word() {
        None => Ok(()),
        Some(word) => Err(lines.problem(format!("{} was found after the last of the {what} announced", quote(word)))),
    }
}

/// The content of the <DataArray> of this name within `parent`, which must be text.
fn array<'a>(
    text: &'a str,
    tags: &[Tag<'a>],
    parent: &str,
    name: Option<&str>,
    last: usize,
) -> Result<Lines<'a>, Problem> {
    let from = tags.iter().position(|tag| tag.name == parent);
    let from = from.ok_or_else(|| Problem::new(last, format!("there is no <{parent}>")))?;
    let closing = |tag: &&Tag<'_>| tag.name.strip_prefix('/') != Some(parent);
    let mut inside = tags[from + 1..].iter().take_while(closing);
    let is_it = |tag: &&Tag<'_>| tag.name == "DataArray" && (name.is_none() || tag.attribute("Name") == name);
    let what = name.map_or(String::new(), |name| format!(" Name=\"{name}\""));
    let missing = || Problem::new(tags[from].line, format!("<{parent}> has no <DataArray{what}>"));
    let tag = inside.find(is_it).ok_or_else(missing)?;
    let format = tag.attribute("format").unwrap_or("ascii");
    if format != "ascii" {
        return Err(Problem::new(tag.line, format!("the array has format={}; {READ}", quote(format))));
    }
    if name.is_none() && tag.attribute("NumberOfComponents").is_some_and(|count| count.trim() != "3") {
        return Err(Problem::new(tag.line, "points must have NumberOfComponents=\"3\""));
    }
    let end = match inside.next() {
        Some(next) if next.name == "/DataArray" => next.start,
        _ => return Err(Problem::new(tag.line, "<DataArray> has no end")),
    };
    let line = tag.line + text[tag.start..tag.end].matches('\n').count();
    Ok(Lines::starting_at(&text[tag.end..end], line))
}

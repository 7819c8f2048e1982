//! As much of Markdown as links need: headings, fences, links and pictures.

use std::collections::BTreeMap;

/// A link or picture and the line it is in, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// Lines outside code fences, with their numbers from 1.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                None
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                None
            }
            (Some(_), _) => None,
            (None, None) => Some((at + 1, line)),
        }
    })
}

/// The anchors of a page: its headings as web sites and mdBook write them.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (line.len() > title.len() && title.starts_with(' ')).then(|| title.trim())
    });
    let mut anchors = Vec::new();
    for heading in headings {
        let slug = slug(heading);
        let count = seen.entry(slug.clone()).or_insert(0);
        anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

/// A heading as an anchor: letters, digits, `-` and `_` in lower case, spaces as `-`, all else left out.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Links and pictures outside code.
pub(crate) fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for (line, content) in prose(text) {
        let content = without_code(content);
        let mut rest = content.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split(" \"").next().unwrap_or_default();
            found.push(Link { line, target: target.trim_matches(['<', '>']).to_owned() });
            rest = &rest[end..];
        }
        for part in content.split("src=\"").skip(1) {
            if let Some(target) = part.split('"').next() {
                found.push(Link { line, target: target.to_owned() });
            }
        }
    }
    found
}

/// A line with its code spans left out.
fn without_code(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        kept.push_str(&rest[..start]);
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let mark = &rest[start..start + ticks];
        let inside = &rest[start + ticks..];
        match inside.find(mark) {
            Some(end) => rest = &inside[end + ticks..],
            None => {
                rest = inside;
                break;
            }
        }
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::{Link, anchors, links, slug};

    #[test]
    fn headings_become_anchors() {
        assert_eq!(slug("What the reports mean"), "what-the-reports-mean");
        assert_eq!(slug("`[run]` and `[output]`"), "run-and-output");
        assert_eq!(anchors("# A\n## A\n```\n# no\n```\n"), ["a", "a-1"]);
    }

    #[test]
    fn links_are_found_outside_code_only() {
        let text = "see [a](a.md#b) and `[x](y)` and ![p](p.svg)\n```\n[no](no)\n```\n<img src=\"q.png\">\n";
        let expected = [(1, "a.md#b"), (1, "p.svg"), (5, "q.png")];
        let expected: Vec<Link> =
            expected.iter().map(|(line, target)| Link { line: *line, target: (*target).into() }).collect();
        assert_eq!(links(text), expected);
    }
}

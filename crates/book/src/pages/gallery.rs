//! The tour of the gallery: what each scene says of itself, how to run it, what came out, what is tested.

use super::header;
use crate::measured::{self, Measured};
use crate::numbers;
use crate::repository::Repository;
use anyhow::Result;
use signorini_scene::gallery::{self, Entry};
use std::path::Path;

/// A test and the scenes' names it mentions are in one function.
struct Test {
    name: String,
    body: String,
    file: String,
}

pub(super) fn page(repository: &Repository) -> Result<String> {
    let measured = measured::read(repository)?;
    let tests = tests(repository)?;
    let mut text = header("A tour of the gallery");
    text += "Every scene comes with the program: `signorini gallery` lists them, `signorini gallery show NAME` prints one. Comments and numbers \
             below are those of the scene files; each is run as it stands (`signorini-book measure`, `bench/results/gallery.csv`; times are of the dev profile on two cores with other work).\n\n";
    text += "All are also held to their tolerance under their own friction law and under Coulomb's \
             ([crates/scene/tests/gallery.rs](../../../../crates/scene/tests/gallery.rs)). What else is tested of a scene is named with it.\n\n";
    let links = gallery::list().iter().map(|entry| format!("[{0}](#{0})", entry.name));
    text += &links.collect::<Vec<_>>().join(" · ");
    text.push('\n');
    for entry in gallery::list() {
        text += &scene(repository, entry, measured.get(entry.name), &tests);
    }
    Ok(text)
}

fn scene(repository: &Repository, entry: &Entry, measured: Option<&Measured>, tests: &[Test]) -> String {
    let mut text = format!("\n## {}\n\n**{}.** {}\n", entry.name, entry.title, prose(entry.text));
    let picture = format!("docs/pictures/{}.png", entry.name);
    if repository.exists(Path::new(&picture)) {
        text += &format!("\n![{}](../../../../{picture})\n", entry.title);
    }
    let parameters = parameters(entry.text);
    if !parameters.is_empty() {
        text += &format!("\nParameters (`--set`): {parameters}\n");
    }
    let file = format!("crates/scene/gallery/{}.toml", entry.name);
    text += &format!("\n`signorini run {}` ([scene file](../../../../{file}))\n", entry.name);
    if let Some(run) = measured {
        text += &format!("\n{}\n", line(run));
    }
    let own: Vec<String> = tests
        .iter()
        .filter(|test| test.body.contains(&format!("\"{}\"", entry.name)))
        .map(|test| format!("*{}* ([source](../../../../{}))", test.name.replace('_', " "), test.file))
        .collect();
    if !own.is_empty() {
        text += &format!("\nTested: {}.\n", own.join("; "));
    }
    text
}

/// A time to the microsecond, without zeros at its end.
fn seconds(time: f64) -> String {
    format!("{time:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What a run came to, in one sentence.
fn line(run: &Measured) -> String {
    let mut parts =
        vec![format!("{} bodies", run.bodies), format!("{} steps to {} s", run.steps, seconds(run.time_end))];
    if run.contacts_max > 0 {
        parts.push(format!("contacts {} on average, {} at most", numbers::digits(run.contacts_mean), run.contacts_max));
    }
    if run.penetration_max > 0.0 {
        parts.push(format!("overlap at most {} m", numbers::small(run.penetration_max)));
    }
    if run.joint_violation_max > 0.0 {
        parts.push(format!("joints open by at most {} m or rad", numbers::small(run.joint_violation_max)));
    }
    parts.push(match run.steps == run.steps_converged {
        true => "every step within its tolerance".to_owned(),
        false => format!("{} steps within their tolerance", run.steps_converged),
    });
    parts.push(format!("{} a step", numbers::time(run.wall_seconds_per_step)));
    format!("Measured: {}.", parts.join(", "))
}

/// The comment a scene file starts with, and its description.
fn prose(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let mut words = comment.collect::<Vec<_>>().join(" ");
    if let Some(description) = text.split("description = \"\"\"").nth(1).and_then(|rest| rest.split("\"\"\"").next()) {
        words = words + " " + &description.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    words.trim().to_owned()
}

/// Most parameters that are named; more are in the file.
const MOST_PARAMETERS: usize = 12;

/// The parameters that are numbers, with what the file says of each.
fn parameters(text: &str) -> String {
    let section = text.lines().skip_while(|line| *line != "[parameters]").skip(1);
    let named = section.take_while(|line| !line.starts_with('[')).filter_map(|line| {
        let (name, rest) = line.split_once(" = ")?;
        let (value, comment) = rest.split_once('#').map_or((rest, ""), |(value, comment)| (value, comment));
        let is_number = value.trim().parse::<f64>().is_ok();
        is_number.then(|| format!("`{name} = {}` {}", value.trim(), comment.trim()).trim_end().to_owned())
    });
    let mut named: Vec<String> = named.collect();
    let more = named.len() > MOST_PARAMETERS;
    named.truncate(MOST_PARAMETERS);
    named.join("; ") + if more { "; …" } else { "" }
}

/// Tests of the scene crate that are about single scenes.
fn tests(repository: &Repository) -> Result<Vec<Test>> {
    let mut found = Vec::new();
    let is_general = |name: &str| name.starts_with("every_scene") || name.starts_with("sizes_are");
    for file in repository.files("rs")?.into_iter().filter(|file| file.starts_with("crates/scene/tests")) {
        let text = repository.read(&file)?;
        for part in text.split("#[test]\n").skip(1) {
            let Some(name) = part.split("fn ").nth(1).and_then(|rest| rest.split('(').next()) else { continue };
            // The function ends where a line closes it.
            let body = part.split("\n}\n").next().unwrap_or(part).to_owned();
            if !is_general(name) {
                found.push(Test { name: name.to_owned(), body, file: file.display().to_string() });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{parameters, prose, seconds};

    #[test]
    fn a_scene_speaks_for_itself() {
        let text = "# A ball\n# falls.\nsignorini = 1\ndescription = \"\"\"\nFar\ndown.\n\"\"\"\n\n[parameters]\nr = 1 # m\n\n[bodies.a]\n";
        assert_eq!([seconds(0.030000000000000002), seconds(10.0)], ["0.03", "10"]);
        assert_eq!(prose(text), "A ball falls. Far down.");
        assert_eq!(parameters(text), "`r = 1` m");
    }
}

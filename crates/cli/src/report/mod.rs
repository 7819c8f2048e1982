//! The report of a comparison: one HTML file that needs nothing else.
//!
//! Plots are SVG inside the page, colours follow the reader's choice of light or dark, nothing is fetched and no script
//! runs. Every text goes through [`escape`].

mod plots;
mod tables;

use crate::commands::compare::outcome::Comparison;
use crate::commands::compare::table::{how_measured, summary};
use crate::commands::doctor::{build, processor_features, target};
use signorini_experiments::memory;
use signorini_plot::{escape, stylesheet};
use std::fmt::Write;

/// Style sheet of all pages the program writes.
pub(crate) const PAGE_STYLE: &str = include_str!("page.css");

/// With so many files or fewer all of them are unfolded.
const UNFOLDED_FILES: usize = 4;
/// With more files than this the list of files in the table of contents is folded.
const LISTED_FILES: usize = 12;

/// The page. Writing to a string cannot fail: results of `write!` are dropped here and in the parts.
pub(crate) fn page(comparison: &Comparison, threads: u16) -> String {
    let mut out = String::new();
    let (files, solvers) = (comparison.files.len(), comparison.solvers.len());
    let title = format!("{solvers} {} on {files} {}", plural(solvers, "solver"), plural(files, "problem"));
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{}{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        PAGE_STYLE,
        stylesheet()
    );
    let _ = writeln!(
        out,
        "<p>{}. Friction law: {}; at most {} s a run.</p>\n<p class=\"soft\">{}.</p>",
        escape(&summary(comparison)),
        comparison.law.name(),
        comparison.time_limit,
        escape(&how_measured(comparison))
    );
    contents(&mut out, comparison);
    tables::solvers(&mut out, comparison);
    tables::matrix(&mut out, comparison);
    if files > 1 {
        profiles(&mut out, comparison);
    }
    each_file(&mut out, comparison);
    unusable(&mut out, comparison);
    made(&mut out, comparison, threads);
    out.push_str("</body>\n</html>\n");
    out
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

fn contents(out: &mut String, comparison: &Comparison) {
    let many = comparison.files.len() > LISTED_FILES;
    let profiles =
        if comparison.files.len() > 1 { "<li><a href=\"#profiles\">Performance profiles</a></li>\n" } else { "" };
    let _ = write!(
        out,
        "<nav aria-label=\"contents\">\n<ul>\n<li><a href=\"#solvers\">Solvers</a></li>\n\
         <li><a href=\"#matrix\">What was solved</a></li>\n{profiles}<li><a href=\"#files\">Problem by problem</a>"
    );
    out.push_str(if many { "<details><summary>list</summary>" } else { "" });
    out.push_str("<ul class=\"files\">");
    for (k, file) in comparison.files.iter().enumerate() {
        let _ = write!(out, "<li><a href=\"#file-{k}\">{}</a></li>", escape(&file.label));
    }
    out.push_str(if many { "</ul></details>" } else { "</ul>" });
    out.push_str("</li>\n<li><a href=\"#made\">How this was made</a></li>\n</ul>\n</nav>\n");
}

fn profiles(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<h2 id=\"profiles\">Performance profiles</h2>\n\
         <p class=\"soft\">Share of the problems a solver solves within so many times the cost of the best solver of each problem \
         (Dolan and Moré). Further up and to the left is better. Problems nobody solved are left out; a problem a solver does \
         not take counts as not solved.</p>\n",
    );
    tables::key(out, comparison.solvers.iter().copied().enumerate());
    let _ = writeln!(out, "<div class=\"plots\">\n{}</div>", plots::profiles(comparison).concat());
}

fn each_file(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<h2 id=\"files\">Problem by problem</h2>\n<p class=\"soft\">A dot marks where the tolerance (dotted line) was reached.</p>\n",
    );
    let open = if comparison.files.len() <= UNFOLDED_FILES { " open" } else { "" };
    for (k, file) in comparison.files.iter().enumerate() {
        let accepted = file.runs.iter().filter(|run| run.answer().is_some()).count();
        let solved = file.runs.iter().filter(|run| run.reached().is_some()).count();
        let _ = writeln!(
            out,
            "<details class=\"file\"{open}><summary><h3>{}</h3> <span class=\"soft\">{} contacts, {} rows, {} velocities: \
             {solved} of {accepted} solved</span></summary>\n<div id=\"file-{k}\">",
            escape(&file.label),
            file.contacts,
            file.rows,
            file.velocities
        );
        tables::runs(out, file);
        let plots = plots::of_file(comparison, file);
        if !plots.is_empty() {
            let drawn = file.runs.iter().enumerate().filter(|(_, run)| run.answer().is_some());
            tables::key(out, drawn.map(|(style, run)| (style, run.solver)));
            let _ = writeln!(out, "<div class=\"plots\">\n{}</div>", plots.concat());
        }
        out.push_str("</div></details>\n");
    }
}

fn unusable(out: &mut String, comparison: &Comparison) {
    if comparison.unusable.is_empty() {
        return;
    }
    out.push_str("<h2>Files that could not be used</h2>\n<ul>\n");
    for (name, reason) in &comparison.unusable {
        let _ = writeln!(out, "<li>{}: {}</li>", escape(name), escape(reason));
    }
    out.push_str("</ul>\n");
}

fn made(out: &mut String, comparison: &Comparison, threads: u16) {
    let parallelism = std::thread::available_parallelism().map_or_else(|_| "unknown".into(), |n| n.to_string());
    let memory = memory::machine_bytes()
        .map_or_else(|| "unknown".into(), |(all, _)| format!("{:.1} GiB", all as f64 / f64::from(1 << 30)));
    let facts = [
        ("signorini", format!("{} ({})", env!("CARGO_PKG_VERSION"), build())),
        ("machine", format!("{}, {}", target(), processor_features().join(" "))),
        ("threads", format!("{threads} used, {parallelism} available")),
        ("memory", memory),
        ("tolerance", comparison.tolerance_name()),
        ("friction law", comparison.law.name().to_owned()),
    ];
    out.push_str("<h2 id=\"made\">How this was made</h2>\n<div class=\"scroll\"><table>\n");
    for (name, value) in facts {
        let _ = writeln!(out, "<tr><td>{name}</td><td class=\"words\">{}</td></tr>", escape(&value));
    }
    let _ = writeln!(out, "</table></div>\n<pre>{}</pre>", escape(&command_line(std::env::args_os())));
    let _ = writeln!(
        out,
        "<p class=\"soft\">Runs follow each other in one process. Memory is the largest resident memory of the process during the run, \
         the problem and what earlier runs left behind included.</p>"
    );
}

/// The command as it can be given to a shell again; the program by its name only.
pub(crate) fn command_line(args: impl Iterator<Item = std::ffi::OsString>) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+%@".contains(c);
    let words = args.skip(1).map(|arg| {
        let arg = arg.to_string_lossy().into_owned();
        if !arg.is_empty() && arg.chars().all(plain) { arg } else { format!("'{}'", arg.replace('\'', r"'\''")) }
    });
    ["signorini".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_pasted_into_a_shell_and_names_no_path_of_the_program() {
        let args = ["/somewhere/bin/signorini", "compare", "a b.hdf5", "set/*.hdf5", "it's", "--tol", "1e-6m/s", ""];
        let line = command_line(args.iter().map(Into::into));
        assert_eq!(line, r"signorini compare 'a b.hdf5' 'set/*.hdf5' 'it'\''s' --tol 1e-6m/s ''");
    }
}

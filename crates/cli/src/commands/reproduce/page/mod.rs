//! The report of a reproduction: one HTML file that needs nothing else, as that of a comparison.

mod section;
mod summary;

use super::machine::{Machine, SECONDS_DO_NOT_COMPARE};
use super::sheet::Sheet;
use super::{date, terminal};
use crate::report::{PAGE_STYLE, command_line};
use signorini_plot::{escape, stylesheet};
use std::fmt::Write;

/// The page. Writing to a string cannot fail: results of `write!` are dropped here and in the parts.
pub(super) fn page(sheet: &Sheet, machine: &Machine) -> String {
    let mut out = String::new();
    let title = "Experiments of the papers";
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{PAGE_STYLE}{}{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        include_str!("page.css"),
        stylesheet()
    );
    summary::write(&mut out, sheet);
    for section in &sheet.sections {
        section::write(&mut out, section);
    }
    made(&mut out, sheet, machine);
    out.push_str("</body>\n</html>\n");
    out
}

fn made(out: &mut String, sheet: &Sheet, machine: &Machine) {
    out.push_str("<h2 id=\"made\">How this was made</h2>\n<div class=\"scroll\"><table class=\"facts\">\n");
    let seconds: f64 = sheet.sections.iter().filter_map(|section| Some(section.record()?.seconds)).sum();
    let facts = machine.facts.iter().map(|(name, value)| (*name, value.clone()));
    for (name, value) in
        facts.chain([("written", date::now()), ("time of all experiments", terminal::duration(seconds))])
    {
        let _ = writeln!(out, "<tr><td>{}</td><td class=\"words\">{}</td></tr>", escape(name), escape(&value));
    }
    let command = escape(&command_line(std::env::args_os()));
    let _ = writeln!(out, "</table></div>\n<p class=\"soft\">{SECONDS_DO_NOT_COMPARE}</p>\n<pre>{command}</pre>");
}

//! The table on top: experiments by verdict.

use super::super::sheet::{Found, Section, Sheet, VERDICTS};
use super::super::{date, terminal};
use crate::words::counted;
use signorini_experiments::{Verdict, hardware};
use signorini_plot::escape;
use std::fmt::Write;

pub(super) fn write(out: &mut String, sheet: &Sheet) {
    let counts = Sheet::counts(sheet.sections.iter());
    let parts = VERDICTS.iter().zip(counts).filter(|(_, count)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(verdict, count)| format!("<b class=\"{}\">{count}</b> {}", class(*verdict), verdict.words()))
        .collect();
    let seconds: f64 = sheet.sections.iter().filter_map(|section| Some(section.record()?.seconds)).sum();
    let processor = hardware::processor().unwrap_or_else(|| "unknown processor".into());
    let _ = writeln!(
        out,
        "<p class=\"verdicts\">{}</p>\n<p class=\"soft\">{}, {}; {}; {} in all. Verdicts are computed: within a tenth of a published \
         number counts as equal.</p>",
        parts.join(", "),
        escape(&processor),
        counted(hardware::cores(), "core"),
        date::now(),
        terminal::duration(seconds)
    );
    out.push_str("<div class=\"scroll\"><table class=\"summary\">\n<tr><th>experiment</th><th class=\"words\">what it shows</th>");
    VERDICTS.iter().for_each(|verdict| {
        let _ = write!(out, "<th>{}</th>", verdict.words());
    });
    out.push_str("<th>effort</th><th>time</th></tr>\n");
    sheet.sections.iter().for_each(|section| line(out, section));
    out.push_str("</table></div>\n");
}

fn line(out: &mut String, section: &Section) {
    let own = section.experiment;
    let _ = write!(
        out,
        "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"words wide\">{1}</td>",
        escape(own.id),
        escape(own.title)
    );
    let counts = Sheet::counts([section].into_iter());
    match &section.found {
        Found::Outcome(record) => {
            for (verdict, count) in VERDICTS.iter().zip(counts) {
                let (shown, class) =
                    if count > 0 { (count.to_string(), class(*verdict)) } else { ("·".into(), "none") };
                let _ = write!(out, "<td class=\"{class}\">{shown}</td>");
            }
            let _ = write!(out, "<td>{}</td><td>{}</td>", record.effort.name(), terminal::duration(record.seconds));
        }
        Found::Failed(_) => out.push_str("<td class=\"words missed\" colspan=\"7\">could not run</td>"),
        Found::Waiting => out.push_str("<td class=\"words none\" colspan=\"7\">not run yet</td>"),
    }
    out.push_str("</tr>\n");
}

/// Class of the style sheet.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better | Verdict::AtPublished => "met",
        Verdict::Short => "missed",
        Verdict::Informative | Verdict::NotRun => "none",
    }
}

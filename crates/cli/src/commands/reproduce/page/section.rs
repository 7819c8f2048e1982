//! One experiment: what it is, its rows, figures, tables and notes.

use super::super::sheet::{Found, Section};
use super::super::terminal::{duration, short_number};
use super::summary::class;
use signorini_experiments::{Cell, DataTable, Outcome, Row};
use signorini_plot::escape;
use std::fmt::Write;

pub(super) fn write(out: &mut String, section: &Section) {
    let own = section.experiment;
    let _ = writeln!(
        out,
        "<section id=\"{0}\">\n<h2>{0}: {1}</h2>\n<p>{2}</p>\n<p class=\"soft\">Published in: {3}.</p>",
        escape(own.id),
        escape(own.title),
        escape(own.description),
        escape(own.source)
    );
    match &section.found {
        Found::Waiting => out.push_str("<p class=\"none\">Not run yet.</p>\n"),
        Found::Failed(reason) => {
            let _ = writeln!(out, "<p class=\"missed\">Could not run: {}</p>", escape(reason));
        }
        Found::Outcome(record) => {
            outcome(out, own.id, &record.outcome);
            let _ = writeln!(
                out,
                "<p class=\"soft\">Effort {}, {}, {}, signorini {} ({}).</p>",
                record.effort.name(),
                duration(record.seconds),
                escape(&record.finished),
                escape(&record.version),
                escape(&record.build)
            );
        }
    }
    out.push_str("</section>\n");
}

fn outcome(out: &mut String, id: &str, outcome: &Outcome) {
    if !outcome.rows.is_empty() {
        out.push_str(
            "<div class=\"scroll\"><table class=\"rows\">\n<tr><th>quantity</th><th class=\"words\">published</th>\
             <th class=\"words\">ours</th><th>ratio</th><th class=\"words\">verdict</th><th class=\"words\">command</th></tr>\n",
        );
        outcome.rows.iter().for_each(|row| line(out, row));
        out.push_str("</table></div>\n");
    }
    if !outcome.figures.is_empty() {
        let figures = outcome.figures.iter().map(|figure| figure.plot().svg());
        let _ = writeln!(out, "<div class=\"plots\">\n{}</div>", figures.collect::<String>());
    }
    for note in &outcome.notes {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(note));
    }
    outcome.tables.iter().for_each(|table| numbers(out, id, table));
}

fn line(out: &mut String, row: &Row) {
    let published = if row.published.is_empty() { "–".to_owned() } else { escape(&row.published).to_string() };
    let _ = writeln!(
        out,
        "<tr><td>{}</td><td class=\"words\">{published}</td><td class=\"words\">{}</td><td>{}</td>\
         <td class=\"words {}\">{}</td><td class=\"words\"><code>{}</code></td></tr>",
        escape(&row.quantity),
        escape(&row.ours),
        row.ratio.map_or_else(|| "–".into(), short_number),
        class(row.verdict),
        row.verdict.words(),
        escape(&row.command)
    );
    if !row.note.is_empty() {
        let _ = writeln!(out, "<tr class=\"note\"><td colspan=\"6\"><div>{}</div></td></tr>", escape(&row.note));
    }
}

fn numbers(out: &mut String, id: &str, table: &DataTable) {
    let _ = write!(
        out,
        "<details class=\"file\"><summary>{} <span class=\"soft\">({}/{}.csv)</span></summary>\n<div class=\"scroll\"><table>\n<tr>",
        escape(&table.title),
        escape(id),
        escape(&table.name)
    );
    table.columns.iter().for_each(|column| {
        let _ = write!(out, "<th>{}</th>", escape(column));
    });
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = match cell {
                Cell::Number(number) => write!(out, "<td>{}</td>", four_digits(*number)),
                Cell::Text(text) => write!(out, "<td class=\"words\">{}</td>", escape(text)),
                Cell::Missing(()) => write!(out, "<td></td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div></details>\n");
}

/// A number with four digits; whole ones as they are.
fn four_digits(number: f64) -> String {
    let size = number.abs();
    match size {
        _ if number.fract() == 0.0 && size < 1e7 => format!("{number:.0}"),
        _ if (1e-3..1e5).contains(&size) => {
            let after = (3 - size.log10().floor() as i32).max(0) as usize;
            format!("{number:.after$}")
        }
        _ => format!("{number:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let shown = [1190.0, 0.05, 17.8234, 123456.7, 1e-9, 0.0, -2.5].map(four_digits);
        assert_eq!(shown, ["1190", "0.05000", "17.82", "1.235e5", "1.000e-9", "0", "-2.500"]);
    }
}

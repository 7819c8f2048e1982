//! The only place that writes: results to stdout, messages to stderr.
//!
//! A reader that closes the pipe has seen enough: that is no error, and [`Printer::closed`] tells commands to stop.

use comfy_table::{CellAlignment, Table, presets};
use std::borrow::Cow;
use std::io::{self, Write};

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Tables for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Writes results and messages.
pub(crate) struct Printer {
    format: Format,
    quiet: bool,
    closed: bool,
    failed: bool,
}

/// Text that starts a column of a table: to the left words, to the right numbers.
pub(crate) struct Column {
    title: Cow<'static, str>,
    alignment: CellAlignment,
}

impl Column {
    pub(crate) const fn words(title: &'static str) -> Self {
        Self { title: Cow::Borrowed(title), alignment: CellAlignment::Left }
    }
    pub(crate) const fn number(title: &'static str) -> Self {
        Self { title: Cow::Borrowed(title), alignment: CellAlignment::Right }
    }
    /// A column of short facts whose title is known only now.
    pub(crate) fn named(title: String) -> Self {
        Self { title: Cow::Owned(title), alignment: CellAlignment::Right }
    }
}

impl Printer {
    pub(crate) fn new(format: Format, quiet: bool) -> Self {
        Self { format, quiet, closed: false, failed: false }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }
    /// Whether results are for machines.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }
    /// Whether nobody reads the results any more.
    pub(crate) fn closed(&self) -> bool {
        self.closed
    }

    /// Whether results were lost for another reason than a reader who has seen enough (a full disk).
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// One result for machines; nothing in text mode.
    pub(crate) fn object(&mut self, object: &impl serde::Serialize) {
        if self.format == Format::Json {
            // Only a map with keys that are no strings fails; our objects have none.
            let line = serde_json::to_string(object).unwrap_or_default();
            self.out(&line);
        }
    }

    /// A table for people; nothing with `--json` or `--quiet`.
    pub(crate) fn table(&mut self, columns: &[Column], rows: Vec<Vec<String>>) {
        if self.format == Format::Json || self.quiet || rows.is_empty() {
            return;
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).force_no_tty();
        if columns.iter().any(|column| !column.title.is_empty()) {
            table.set_header(columns.iter().map(|column| column.title.as_ref()).collect::<Vec<_>>());
        }
        rows.into_iter().for_each(|row| {
            table.add_row(row);
        });
        for (column, wanted) in table.column_iter_mut().zip(columns) {
            column.set_cell_alignment(wanted.alignment);
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            self.out(line.trim_end());
        }
    }

    /// A line for people; nothing with `--json` or `--quiet`.
    pub(crate) fn line(&mut self, text: &str) {
        if self.format == Format::Text && !self.quiet {
            self.out(text);
        }
    }

    /// Something that went wrong, with what to do about it.
    pub(crate) fn error(&mut self, file: Option<&str>, message: &str, hint: Option<&str>) {
        match file {
            Some(file) => say(&format!("error: {file}: {message}")),
            None => say(&format!("error: {message}")),
        }
        if let Some(hint) = hint {
            say(&format!("hint: {hint}"));
        }
    }

    /// Something that looks wrong but is no obstacle; nothing with `--quiet`.
    pub(crate) fn warning(&mut self, file: &str, message: &str) {
        if !self.quiet {
            say(&format!("warning: {file}: {message}"));
        }
    }

    /// A text as it is, line ends included; nothing with `--json`.
    pub(crate) fn text(&mut self, text: &str) {
        if self.format == Format::Text {
            self.out(text.strip_suffix('\n').unwrap_or(text));
        }
    }

    /// Something worth knowing; nothing with `--quiet`.
    pub(crate) fn note(&mut self, file: Option<&str>, message: &str) {
        match file {
            _ if self.quiet => {}
            Some(file) => say(&format!("note: {file}: {message}")),
            None => say(&format!("note: {message}")),
        }
    }

    fn out(&mut self, line: &str) {
        if self.closed {
            return;
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => {}
            Err(error) => {
                self.closed = true;
                if error.kind() != io::ErrorKind::BrokenPipe {
                    self.failed = true;
                    say(&format!("error: cannot write the results: {error}"));
                }
            }
        }
    }
}

fn say(line: &str) {
    // With stderr gone there is nobody left to tell.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

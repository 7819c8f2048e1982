//! The fields of one table.

use super::nearest::hint;
use super::{Context, Range, Span, Value};
use glam::DVec3;
use std::cell::RefCell;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table that is asked for its fields.
pub(crate) struct Table<'a> {
    context: &'a Context<'a>,
    fields: &'a DeTable<'a>,
    /// Where errors about the table as a whole are shown.
    span: Span,
    name: String,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(context: &'a Context<'a>, fields: &'a DeTable<'a>, span: Span, name: String) -> Self {
        Self { context, fields, span, name, asked: RefCell::default() }
    }
    pub(crate) fn context(&self) -> &'a Context<'a> {
        self.context
    }
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }
    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
    pub(crate) fn error(&self, problem: impl std::fmt::Display) {
        self.context.error(&self.span, self.said(problem));
    }
    pub(crate) fn error_with(&self, problem: impl std::fmt::Display, hint: impl Into<String>) {
        self.context.error_with(&self.span, self.said(problem), hint);
    }
    fn said(&self, problem: impl std::fmt::Display) -> String {
        match self.name.is_empty() {
            true => problem.to_string(),
            false => format!("{}: {problem}", self.name),
        }
    }

    /// A field that may be missing.
    pub(crate) fn get(&self, field: &'static str) -> Option<Value<'a>> {
        self.context.ask(field);
        self.asked.borrow_mut().push(field);
        let value = self.fields.get(field)?;
        Some(Value { context: self.context, value, what: self.said(format_args!("`{field}`")) })
    }
    /// A field that must be there.
    pub(crate) fn require(&self, field: &'static str) -> Option<Value<'a>> {
        let value = self.get(field);
        if value.is_none() {
            self.error(format_args!("`{field}` is missing"));
        }
        value
    }
    /// One of several words, which must be there.
    pub(crate) fn require_choice<T: Copy>(&self, field: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        match self.get(field) {
            Some(value) => value.choice(choices),
            None => {
                let allowed = hint("", "allowed", choices.iter().map(|(name, _)| *name));
                self.error_with(format_args!("`{field}` is missing"), allowed);
                None
            }
        }
    }
    pub(crate) fn has(&self, field: &'static str) -> bool {
        self.fields.contains_key(field)
    }

    pub(crate) fn number(&self, field: &'static str, range: Range) -> Option<f64> {
        self.get(field)?.number(range)
    }
    pub(crate) fn vector(&self, field: &'static str, range: Range) -> Option<DVec3> {
        self.get(field)?.vector(range)
    }
    pub(crate) fn boolean(&self, field: &'static str) -> Option<bool> {
        self.get(field)?.boolean()
    }
    pub(crate) fn text(&self, field: &'static str) -> Option<&'a str> {
        self.get(field)?.text()
    }
    /// A table inside.
    pub(crate) fn table(&self, field: &'static str) -> Option<Table<'a>> {
        let name = if self.name.is_empty() { field.to_owned() } else { format!("{}.{field}", self.name) };
        self.get(field)?.table(name)
    }
    /// A list of tables inside.
    pub(crate) fn tables(&self, field: &'static str) -> Vec<Table<'a>> {
        let list = self.get(field).and_then(|value| value.list()).unwrap_or_default();
        let prefix = if self.name.is_empty() { String::new() } else { format!("{}.", self.name) };
        let table = |(at, value): (usize, Value<'a>)| value.table(format!("{prefix}{field}[{at}]"));
        list.into_iter().enumerate().filter_map(table).collect()
    }

    /// The fields as they stand in the file, for tables whose names are the user's.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Span, Value<'a>)> {
        let mut entries: Vec<(&'a Spanned<_>, &'a Spanned<DeValue<'a>>)> = self.fields.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&'a Spanned<std::borrow::Cow<'a, str>>, _)| {
            let what = self.said(format_args!("`{}`", key.get_ref()));
            (key.get_ref().as_ref(), key.span(), Value { context: self.context, value, what })
        };
        entries.into_iter().map(entry).collect()
    }
    /// The tables inside by the user's names.
    pub(crate) fn named_tables(&self) -> Vec<(&'a str, Table<'a>)> {
        let named = |(name, span, value): (&'a str, Span, Value<'a>)| {
            let mut table = value.table(format!("{}.{name}", self.name))?;
            table.span = span;
            Some((name, table))
        };
        self.entries().into_iter().filter_map(named).collect()
    }

    /// Reports every field that was not asked for; whether there was none.
    pub(crate) fn finish(&self) -> bool {
        let asked = self.asked.borrow();
        let mut is_known = true;
        for (key, _) in self.fields.iter() {
            let name = key.get_ref().as_ref();
            if !asked.contains(&name) {
                is_known = false;
                let hint = hint(name, "fields", asked.iter().copied());
                self.context.error_with(&key.span(), self.said(format_args!("unknown field `{name}`")), hint);
            }
        }
        is_known
    }
}

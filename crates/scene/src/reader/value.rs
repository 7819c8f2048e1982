//! One value of a document as the type it should have.

use super::nearest::hint;
use super::{Context, Range, Span, Table};
use glam::DVec3;
use toml::Spanned;
use toml::de::DeValue;

/// One value, where it stands and what messages call it.
#[derive(Clone)]
pub(crate) struct Value<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) value: &'a Spanned<DeValue<'a>>,
    /// Such as "bodies.ball: `mass`".
    pub(crate) what: String,
}

impl<'a> Value<'a> {
    pub(crate) fn span(&self) -> Span {
        self.value.span()
    }
    pub(crate) fn error(&self, problem: impl std::fmt::Display) {
        self.context.error(&self.span(), format!("{} {problem}", self.what));
    }
    pub(crate) fn error_with(&self, problem: impl std::fmt::Display, hint: impl Into<String>) {
        self.context.error_with(&self.span(), format!("{} {problem}", self.what), hint);
    }
    fn wrong_type<T>(&self, expected: &str) -> Option<T> {
        self.error(format_args!("is {}, expected {expected}", described(self.value.get_ref())));
        None
    }

    /// A number, or an expression in a string that starts with `=`.
    pub(crate) fn number(&self, range: Range) -> Option<f64> {
        let value = match self.value.get_ref() {
            DeValue::Integer(integer) => integer_value(integer),
            DeValue::Float(float) => float.as_str().parse().unwrap_or(f64::NAN),
            DeValue::String(text) => match text.trim_start().strip_prefix('=') {
                Some(expression) => self.context.evaluate(expression, &self.span())?,
                None => {
                    let hint = "expressions start with `=`, as in \"=2*radius\"";
                    self.error_with(format_args!("is the text \"{}\", expected a number", shortened(text)), hint);
                    return None;
                }
            },
            _ => return self.wrong_type("a number"),
        };
        match range.contains(value) {
            true => Some(value),
            false => {
                self.error(format_args!("is {value}, expected {}", range.text()));
                None
            }
        }
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&self, least: u64, most: u64) -> Option<u64> {
        let value = self.number(Range::ANY)?;
        // Every whole number up to 2⁵³ is a double.
        if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 && value <= 9.007_199_254_740_992e15 {
            return Some(value as u64);
        }
        self.error(format_args!("is {value}, expected a whole number from {least} to {most}"));
        None
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong_type("true or false"),
        }
    }

    pub(crate) fn text(&self) -> Option<&'a str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text.as_ref()),
            _ => self.wrong_type("a text in quotes"),
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names = choices.iter().map(|(name, _)| *name);
            self.error_with(format_args!("is \"{}\"", shortened(text)), hint(text, "allowed", names));
        }
        found.map(|(_, value)| *value)
    }

    pub(crate) fn list(&self) -> Option<Vec<Value<'a>>> {
        let DeValue::Array(array) = self.value.get_ref() else { return self.wrong_type("a list in [ ]") };
        let element = |(at, value)| Self { context: self.context, value, what: format!("{}[{at}]", self.what) };
        Some(array.iter().enumerate().map(element).collect())
    }

    /// A list of exactly N values.
    pub(crate) fn list_of<const N: usize>(&self, expected: &str) -> Option<[Value<'a>; N]> {
        if !self.value.get_ref().is_array() {
            return self.wrong_type(expected);
        }
        let list = self.list()?;
        let length = list.len();
        let array = list.try_into().ok();
        if array.is_none() {
            self.error(format_args!("has {length} entries, expected {expected}"));
        }
        array
    }

    pub(crate) fn vector(&self, range: Range) -> Option<DVec3> {
        let parts = self.list_of::<3>("three numbers [x, y, z]")?.map(|value| value.number(range));
        Some(DVec3::new(parts[0]?, parts[1]?, parts[2]?))
    }

    /// A vector that can be scaled to length 1.
    pub(crate) fn direction(&self) -> Option<DVec3> {
        let vector = self.vector(Range::ANY)?;
        // Scaled first: squares of tiny or huge numbers are not numbers.
        let unit = (vector / vector.abs().max_element()).try_normalize();
        if unit.is_none() {
            self.error("has no direction, expected a vector other than [0, 0, 0]");
        }
        unit
    }

    pub(crate) fn numbers(&self, range: Range) -> Option<Vec<f64>> {
        let numbers: Vec<Option<f64>> = self.list()?.iter().map(|value| value.number(range)).collect();
        numbers.into_iter().collect()
    }

    pub(crate) fn texts(&self) -> Option<Vec<(Value<'a>, &'a str)>> {
        let texts: Vec<_> = self.list()?.into_iter().map(|value| value.text().map(|text| (value, text))).collect();
        texts.into_iter().collect()
    }

    /// The value as a table, called `name` in messages.
    pub(crate) fn table(&self, name: impl Into<String>) -> Option<Table<'a>> {
        match self.value.get_ref() {
            DeValue::Table(fields) => Some(Table::new(self.context, fields, self.span(), name.into())),
            _ => self.wrong_type("a table { … }"),
        }
    }
    pub(crate) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }
    pub(crate) fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }
    pub(crate) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }
}

fn integer_value(integer: &toml::de::DeInteger<'_>) -> f64 {
    match i64::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(value) => value as f64,
        // Beyond 64 bits: its size is what matters.
        Err(_) => integer.as_str().parse().unwrap_or(f64::INFINITY),
    }
}

/// Text for a message, cut if it is long.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shortened(text)),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".into(),
    }
}

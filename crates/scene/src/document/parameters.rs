//! `[parameters]`: named numbers, each of which may depend on others.

use crate::Overrides;
use crate::reader::expression::{ExpressionError, evaluate, is_reserved};
use crate::reader::nearest::hint;
use crate::reader::{Context, Range, Span, Table, Value, unknown_parameter};
use std::collections::BTreeMap;

/// More parameters are refused.
const MOST: usize = 200;

/// What a parameter is given as.
#[derive(Clone)]
enum Given {
    Number(f64),
    Expression(String),
    /// Its error is said already.
    Wrong,
}

struct Parameter {
    given: Given,
    /// Where it stands; none for a value given beside the file.
    span: Option<Span>,
}

/// Reads and evaluates the parameters, and hands them to the context.
pub(super) fn read(context: &Context<'_>, table: Option<Table<'_>>, overrides: &Overrides) {
    let mut parameters = BTreeMap::new();
    if let Some(table) = table {
        let entries = table.entries();
        if entries.len() > MOST {
            table.error(format_args!("{} parameters, expected at most {MOST}", entries.len()));
            return;
        }
        for (name, span, value) in entries {
            if let Some(problem) = wrong_name(name) {
                context.error(&span, format!("parameter `{name}`: {problem}"));
            }
            parameters.insert(name.to_owned(), Parameter { given: given(&value), span: Some(span) });
        }
    }
    for (name, value) in &overrides.set {
        let Some(parameter) = parameters.get_mut(name) else {
            let message = format!("no parameter `{name}` to set");
            let known = hint(name, "parameters", parameters.keys().map(String::as_str));
            context.error_beside(format!("--set {name}={value}"), message, Some(known));
            continue;
        };
        let value = value.trim().trim_start_matches('=').to_owned();
        *parameter = Parameter { given: Given::Expression(value), span: None };
    }
    let mut resolver = Resolver { context, parameters: &parameters, values: BTreeMap::new(), path: Vec::new() };
    for name in parameters.keys() {
        _ = resolver.value(name);
    }
    context.set_parameters(resolver.values);
}

fn wrong_name(name: &str) -> Option<&'static str> {
    let letters = |c: char| c.is_alphabetic() || c == '_';
    let usable = name.starts_with(letters) && name.chars().all(|c| letters(c) || c.is_numeric());
    match (usable, is_reserved(name)) {
        (false, _) => Some("names of parameters are letters, digits and _, so that expressions can use them"),
        (true, true) => Some("the name belongs to a function or a constant"),
        _ => None,
    }
}

fn given(value: &Value<'_>) -> Given {
    match value.value.get_ref().as_str() {
        Some(text) => Given::Expression(text.trim_start().trim_start_matches('=').to_owned()),
        None => value.number(Range::ANY).map_or(Given::Wrong, Given::Number),
    }
}

/// Evaluates parameters in the order they need each other.
struct Resolver<'a> {
    context: &'a Context<'a>,
    parameters: &'a BTreeMap<String, Parameter>,
    values: BTreeMap<String, Option<f64>>,
    /// Parameters being evaluated, each needed by the one before.
    path: Vec<String>,
}

impl Resolver<'_> {
    fn value(&mut self, name: &str) -> Result<f64, ExpressionError> {
        if let Some(value) = self.values.get(name) {
            return value.ok_or(ExpressionError::Reported);
        }
        let Some(parameter) = self.parameters.get(name) else {
            return Err(unknown_parameter(name, self.parameters.keys().map(String::as_str)));
        };
        if let Some(start) = self.path.iter().position(|on_path| on_path == name) {
            let cycle = self.path[start..].join(" → ");
            let message = format!("parameters depend on themselves: {cycle} → {name}");
            return Err(ExpressionError::Wrong { message, hint: None });
        }
        let result = match &parameter.given {
            Given::Number(value) => Ok(*value),
            Given::Wrong => Err(ExpressionError::Reported),
            Given::Expression(text) => {
                self.path.push(name.to_owned());
                let result = evaluate(text, &mut |inner| self.value(inner));
                self.path.pop();
                result
            }
        };
        let result = result.and_then(|value| match Range::ANY.contains(value) {
            true => Ok(value),
            false => {
                let message = format!("is {value}, expected {}", Range::ANY.text());
                Err(ExpressionError::Wrong { message, hint: None })
            }
        });
        if let Err(ExpressionError::Wrong { message, hint }) = &result {
            let message = format!("parameter `{name}`: {message}");
            match &parameter.span {
                Some(span) => match hint {
                    Some(hint) => self.context.error_with(span, message, hint.clone()),
                    None => self.context.error(span, message),
                },
                None => self.context.error_beside(format!("--set {name}"), message, hint.clone()),
            }
        }
        self.values.insert(name.to_owned(), result.as_ref().ok().copied());
        result.map_err(|_| ExpressionError::Reported)
    }
}

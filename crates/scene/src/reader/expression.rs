//! Arithmetic in scene files: `=2*radius + sqrt(gap)`.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/" | "%") signed }
//! signed  = { "+" | "-" } power
//! power   = atom [ "^" signed ]                  right to left: 2^3^2 = 2^9, -2^2 = -4
//! atom    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
//! ```

use super::nearest::hint;
use std::f64::consts::{E, PI, TAU};

/// Nesting beyond this is refused.
const DEEPEST: usize = 50;

type OneArgument = fn(f64) -> f64;
type TwoArguments = fn(f64, f64) -> f64;

const CONSTANTS: [(&str, f64); 3] = [("pi", PI), ("tau", TAU), ("e", E)];
const OF_ONE: [(&str, OneArgument); 16] = [
    ("sqrt", f64::sqrt),
    ("cbrt", f64::cbrt),
    ("abs", f64::abs),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("round", f64::round),
    ("radians", f64::to_radians),
];
const OF_TWO: [(&str, TwoArguments); 4] =
    [("min", f64::min), ("max", f64::max), ("atan2", f64::atan2), ("hypot", f64::hypot)];

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExpressionError {
    /// Said elsewhere already.
    Reported,
    /// What and what to do about it.
    Wrong { message: String, hint: Option<String> },
}

fn wrong<T>(message: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError::Wrong { message: message.into(), hint: None })
}

/// Whether a name is taken by a function or a constant.
pub(crate) fn is_reserved(name: &str) -> bool {
    CONSTANTS.iter().any(|(n, _)| *n == name) || function_names().any(|n| n == name)
}

/// Names of all functions.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> + Clone {
    OF_ONE.iter().map(|(name, _)| *name).chain(OF_TWO.iter().map(|(name, _)| *name))
}

/// Evaluates an expression; `variable` gives the values of names.
pub(crate) fn evaluate(
    text: &str,
    variable: &mut dyn FnMut(&str) -> Result<f64, ExpressionError>,
) -> Result<f64, ExpressionError> {
    let mut parser = Parser { rest: text, variable, depth: 0 };
    let value = parser.sum()?;
    match parser.rest.trim_start().chars().next() {
        Some(extra) => wrong(format!("unexpected `{extra}` in the expression `{text}`")),
        None if !value.is_finite() => wrong(format!("the expression `{text}` is {value}, expected a finite number")),
        None => Ok(value),
    }
}

struct Parser<'a, 'v> {
    rest: &'a str,
    variable: &'v mut dyn FnMut(&str) -> Result<f64, ExpressionError>,
    depth: usize,
}

impl Parser<'_, '_> {
    fn accept(&mut self, symbols: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let found = self.rest.chars().next().filter(|first| symbols.contains(first))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    fn sum(&mut self) -> Result<f64, ExpressionError> {
        let mut value = self.product()?;
        while let Some(symbol) = self.accept(&['+', '-']) {
            let next = self.product()?;
            value = if symbol == '+' { value + next } else { value - next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, ExpressionError> {
        let mut value = self.signed()?;
        while let Some(symbol) = self.accept(&['*', '/', '%']) {
            let next = self.signed()?;
            value = match symbol {
                '*' => value * next,
                '/' => value / next,
                _ => value.rem_euclid(next),
            };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, ExpressionError> {
        let mut sign = 1.0;
        while let Some(symbol) = self.accept(&['+', '-']) {
            sign = if symbol == '-' { -sign } else { sign };
        }
        Ok(sign * self.power()?)
    }

    fn power(&mut self) -> Result<f64, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return wrong(format!("an expression nested more than {DEEPEST} deep"));
        }
        let base = self.atom()?;
        let value = match self.accept(&['^']) {
            Some(_) => base.powf(self.signed()?),
            None => base,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, ExpressionError> {
        if self.accept(&['(']).is_some() {
            let value = self.sum()?;
            return self.close().map(|()| value);
        }
        match self.rest.chars().next() {
            None => wrong("the expression ends where a number was expected"),
            Some(first) if first.is_ascii_digit() || first == '.' => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => self.name(),
            Some(first) => wrong(format!("unexpected `{first}` in an expression, expected a number or a name")),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        match self.accept(&[')']) {
            Some(_) => Ok(()),
            None => wrong("a `(` without its `)` in an expression"),
        }
    }

    fn number(&mut self) -> Result<f64, ExpressionError> {
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let mut end = digits(0);
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(bytes.len()));
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        match number.parse() {
            Ok(value) => Ok(value),
            Err(_) => wrong(format!("`{number}` is no number")),
        }
    }

    fn name(&mut self) -> Result<f64, ExpressionError> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if self.accept(&['(']).is_none() {
            return match CONSTANTS.iter().find(|(constant, _)| *constant == name) {
                Some((_, value)) => Ok(*value),
                None => (self.variable)(name),
            };
        }
        let mut arguments = vec![self.sum()?];
        while self.accept(&[',']).is_some() {
            arguments.push(self.sum()?);
        }
        self.close()?;
        if let Some((_, function)) = OF_ONE.iter().find(|(known, _)| *known == name) {
            return match arguments[..] {
                [x] => Ok(function(x)),
                _ => wrong(format!("{name}() takes one argument, found {}", arguments.len())),
            };
        }
        if let Some((_, function)) = OF_TWO.iter().find(|(known, _)| *known == name) {
            return match arguments[..] {
                [x, y] => Ok(function(x, y)),
                _ => wrong(format!("{name}() takes two arguments, found {}", arguments.len())),
            };
        }
        let message = format!("no function `{name}()`");
        Err(ExpressionError::Wrong { message, hint: Some(hint(name, "functions", function_names())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, ExpressionError> {
        evaluate(text, &mut |name| if name == "r_1" { Ok(3.0) } else { Err(ExpressionError::Reported) })
    }

    #[test]
    fn expressions_have_the_values_of_arithmetic() {
        for (text, expected) in [
            ("1 + 2*3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("(1+2)*3 - 4/8", 8.5),
            ("1.5e-3*1e3", 1.5),
            ("max(r_1, 2)*min(1, 2)", 3.0),
            ("sqrt(16) + floor(2.7) + 7 % 4", 9.0),
            ("cos(pi) + 2*radians(180)/tau", 0.0),
            (" r_1 - -r_1 ", 6.0),
        ] {
            assert!((value(text).unwrap() - expected).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let deep = "(".repeat(10_000);
        let minus = "-".repeat(100_000) + "1";
        for text in
            ["", "1 +", "2x", "(1", "1)", "1/0", "sqrt(-1)", "sqrt(1,2)", "max(1)", "foo(1)", "1..2", "#", &deep]
        {
            assert!(value(text).is_err(), "{text}");
        }
        assert_eq!(value(&minus), Ok(1.0));
    }
}

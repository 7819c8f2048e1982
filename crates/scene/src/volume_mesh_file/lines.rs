//! Words of a text, with the numbers of their lines.

use super::error::Problem;
use std::str::FromStr;

/// Reads a text word by word or line by line.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a str,
    /// The line of the last word or line read.
    line: usize,
    /// The line at which `rest` starts.
    next: usize,
}

/// Longest excerpt of a file in a message.
const LONGEST: usize = 40;

/// A word of a file for a message: short, and without what a terminal would not show.
pub(super) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::starting_at(text, 1)
    }
    /// A text that starts at a line of a longer one.
    pub(super) fn starting_at(text: &'a str, line: usize) -> Self {
        Self { rest: text, line, next: line }
    }
    /// The line of what was read last.
    pub(super) fn line(&self) -> usize {
        self.line
    }
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.line, message)
    }
    /// The next line, empty or not, or the rest of the present one.
    pub(super) fn raw_line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.line = self.next;
        self.next += usize::from(self.rest.len() > line.len());
        self.rest = rest;
        Some(line.trim())
    }
    /// The next line that is not empty, or the rest of the present one.
    pub(super) fn next_line(&mut self) -> Option<&'a str> {
        loop {
            let line = self.raw_line()?;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }
    /// A line that must be there.
    pub(super) fn expect_line(&mut self, what: &str) -> Result<&'a str, Problem> {
        self.next_line().ok_or_else(|| self.problem(format!("the file ends where {what} was expected")))
    }
    /// The next word.
    pub(super) fn next_word(&mut self) -> Option<&'a str> {
        let start = self.rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        self.next += self.rest.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        self.rest = &self.rest[start..];
        if self.rest.is_empty() {
            return None;
        }
        self.line = self.next;
        let end = self.rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
    /// A word that must be there.
    pub(super) fn expect_word(&mut self, what: &str) -> Result<&'a str, Problem> {
        self.next_word().ok_or_else(|| self.problem(format!("the file ends where {what} was expected")))
    }
    /// A number that must be there.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Problem> {
        let word = self.expect_word(what)?;
        word.parse().map_err(|_| self.problem(format!("{} was found where {what} was expected", quote(word))))
    }
    /// A coordinate: a finite number.
    pub(super) fn coordinate(&mut self) -> Result<f64, Problem> {
        let value: f64 = self.number("a coordinate")?;
        match value.is_finite() {
            true => Ok(value),
            false => Err(self.problem(format!("coordinate is {value}, expected a finite number"))),
        }
    }
    /// A word that must be this one.
    pub(super) fn keyword(&mut self, keyword: &str) -> Result<(), Problem> {
        let word = self.expect_word(&format!("`{keyword}`"))?;
        match word == keyword {
            true => Ok(()),
            false => Err(self.problem(format!("{} was found where `{keyword}` was expected", quote(word)))),
        }
    }
    /// Checks a count before memory is set aside for it: every one takes at least `bytes` bytes of the text.
    pub(super) fn check_count(&self, what: &str, count: usize, bytes: usize) -> Result<(), Problem> {
        match count.checked_mul(bytes) {
            Some(needed) if needed <= self.rest.len() + bytes => Ok(()),
            _ => Err(self
                .problem(format!("{count} {what} are announced, but the file ends {} bytes later", self.rest.len()))),
        }
    }
}

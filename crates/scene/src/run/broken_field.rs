//! Broken promises as one field of steps.csv.
//!
//! ```text
//! promise|value|bound|unit|who;promise|…        empty for a step that kept all
//! ```
//!
//! Names may hold any letter: those that would end a field, an entry or a line are written as % and two hexadecimal digits.

use super::step_row::number;
use signorini_mechanics::{Broken, Promise};
use std::fmt::Write;

/// Letters with a meaning of their own in the field or in the file.
const SPECIAL: &str = "%,;|\"\n\r";

/// Adds the entries to a line.
pub(super) fn write(broken: &[Broken], line: &mut String) {
    for (k, entry) in broken.iter().enumerate() {
        let separator = if k > 0 { ";" } else { "" };
        let Broken { promise, who, value, bound, unit } = entry;
        // Writing to a text cannot fail.
        let _ = write!(line, "{separator}{}|{}|{}|{unit}|", promise.name(), number(*value), number(*bound));
        for letter in who.chars() {
            if SPECIAL.contains(letter) {
                let _ = write!(line, "%{:02x}", letter as u32);
            } else {
                line.push(letter);
            }
        }
    }
}

/// Reads a field; `None` if it is not one that [`write`] makes.
pub(super) fn read(field: &str) -> Option<Vec<Broken>> {
    if field.is_empty() {
        return Some(Vec::new());
    }
    field.split(';').map(entry).collect()
}

fn entry(text: &str) -> Option<Broken> {
    let parts: Vec<&str> = text.split('|').collect();
    let [promise, value, bound, unit, who] = parts[..] else { return None };
    Some(Broken {
        promise: Promise::named(promise)?,
        who: unescaped(who)?,
        value: value.parse().ok()?,
        bound: bound.parse().ok()?,
        unit: unit.to_owned().into(),
    })
}

fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        let code = u8::from_str_radix(part.get(..2)?, 16).ok()?;
        out.push(code.into());
        out.push_str(&part[2..]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back_whatever_letters_names_have() {
        let broken = |promise, who: &str, value| Broken {
            promise,
            who: who.into(),
            value,
            bound: 1.0 / 3.0 * 1e-7,
            unit: "m".into(),
        };
        let all = vec![
            broken(Promise::Joints, "joint `a,b;c|d%e\"f\ng é`", 0.1 + 0.2),
            broken(Promise::Energy, "body `%41`", f64::INFINITY),
        ];
        let mut field = String::new();
        write(&all, &mut field);
        assert!(!field.contains(',') && !field.contains('\n') && !field.contains('"'), "{field}");
        assert_eq!(read(&field), Some(all));
        assert_eq!(read(""), Some(vec![]));
    }

    #[test]
    fn a_spoiled_field_is_noticed() {
        for field in
            ["joints", "luck|1|2|m|a", "joints|x|2|m|a", "joints|1|2|m|%4", "joints|1|2|m|%zz", "joints|1|2|m|a;"]
        {
            assert_eq!(read(field), None, "{field}");
        }
    }
}

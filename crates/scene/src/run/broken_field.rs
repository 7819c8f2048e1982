//! Broken promises as one field of steps.csv.
//!
//! ```text
//! promise|value|bound|unit|who|culprit|…;promise|…        empty for a step that kept all
//! ```
//!
//! A culprit is its kind, a space and its name; earlier programs wrote none.
//!
//! Names may hold any letter: those that would end a field, an entry or a line are written as % and two hexadecimal digits.

use super::step_row::number;
use signorini_mechanics::{Broken, Culprit, CulpritKind, Promise};
use std::fmt::Write;

/// Letters with a meaning of their own in the field or in the file.
const SPECIAL: &str = "%,;|\"\n\r";

/// Adds the entries to a line.
pub(super) fn write(broken: &[Broken], line: &mut String) {
    for (k, entry) in broken.iter().enumerate() {
        let separator = if k > 0 { ";" } else { "" };
        let Broken { promise, who, culprits, value, bound, unit } = entry;
        // Writing to a text cannot fail.
        let _ = write!(line, "{separator}{}|{}|{}|{unit}|", promise.name(), number(*value), number(*bound));
        escape(who, line);
        for Culprit { kind, name, .. } in culprits {
            let _ = write!(line, "|{} ", kind.name());
            escape(name, line);
        }
    }
}

/// Adds a name, with the letters written otherwise that have a meaning of their own.
fn escape(name: &str, line: &mut String) {
    for letter in name.chars() {
        if SPECIAL.contains(letter) {
            // Writing to a text cannot fail.
            let _ = write!(line, "%{:02x}", letter as u32);
        } else {
            line.push(letter);
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
    let [promise, value, bound, unit, who, ref culprits @ ..] = parts[..] else { return None };
    Some(Broken {
        promise: Promise::named(promise)?,
        who: unescaped(who)?,
        culprits: culprits.iter().map(|text| culprit(text)).collect::<Option<_>>()?,
        value: value.parse().ok()?,
        bound: bound.parse().ok()?,
        unit: unit.to_owned().into(),
    })
}

fn culprit(text: &str) -> Option<Culprit> {
    let (kind, name) = text.split_once(' ')?;
    Some(Culprit { kind: CulpritKind::named(kind)?, name: unescaped(name)? })
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
            culprits: vec![
                Culprit { kind: CulpritKind::Joint, name: "a|b;c d".into() },
                Culprit { kind: CulpritKind::Body, name: "e,%".into() },
            ],
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
    fn entries_of_earlier_programs_have_no_culprits() {
        let read = read("joints|1|0.5|m|joint `a`").unwrap();
        assert_eq!((&*read[0].who, read[0].culprits.len()), ("joint `a`", 0));
    }

    #[test]
    fn a_spoiled_field_is_noticed() {
        for field in [
            "joints",
            "luck|1|2|m|a",
            "joints|x|2|m|a",
            "joints|1|2|m|%4",
            "joints|1|2|m|%zz",
            "joints|1|2|m|a;",
            "joints|1|2|m|a|luck b",
        ] {
            assert_eq!(read(field), None, "{field}");
        }
    }
}

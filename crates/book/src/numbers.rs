//! Numbers as tables show them.

/// Seconds with a unit that suits them.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.999_5e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 0.999_5e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 0.999_5 => format!("{} ms", digits(s * 1e3)),
        s => format!("{} s", digits(s)),
    }
}

/// Three digits, without an exponent where it can be avoided.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => small(value),
    }
}

/// One digit and an exponent: residuals and overlaps.
pub(crate) fn small(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// The middle of some numbers.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::{digits, median, time};

    #[test]
    fn numbers_are_short() {
        assert_eq!(time(0.012), "12.0 ms");
        assert_eq!(time(3.2e-6), "3 µs");
        assert_eq!(digits(1.25), "1.25");
        assert_eq!(digits(0.0), "0");
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        assert_eq!(median(Vec::new()), None);
    }
}

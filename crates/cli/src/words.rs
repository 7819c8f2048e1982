//! Counts in words.

/// A number and what it counts, with an s but for one: `1 step`, `2 steps`.
pub(crate) fn counted(count: impl TryInto<u64>, word: &str) -> String {
    // Counts are never negative.
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_has_no_s() {
        assert_eq!([0_u64, 1, 2].map(|n| counted(n, "step")), ["0 steps", "1 step", "2 steps"]);
    }
}

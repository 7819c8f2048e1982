//! Verdicts on which solver is how much slower than another.

use crate::Verdict;

/// `Several times slower`: at least so many.
const SEVERAL: f64 = 3.0;
/// Times within this share are equal.
const EQUAL: f64 = 0.95;

/// Whether the first is the fastest of all.
pub(super) fn is_fastest(own: f64, others: &[f64]) -> Verdict {
    Verdict::holds(others.iter().all(|other| own * EQUAL <= *other))
}

/// Whether the first is the slowest of all.
pub(super) fn is_slowest(own: f64, others: &[f64]) -> Verdict {
    Verdict::holds(others.iter().all(|other| own >= EQUAL * *other))
}

/// Whether it is several times slower than the other.
pub(super) fn is_several_times_slower(own: f64, other: f64) -> Verdict {
    Verdict::holds(own >= SEVERAL * other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_hold_where_times_say_so() {
        assert_eq!(is_fastest(1.0, &[1.0, 2.0, 7.0]), Verdict::AtPublished);
        assert_eq!(is_fastest(2.0, &[1.0, 7.0]), Verdict::Short);
        assert_eq!(is_fastest(1.0, &[f64::NAN]), Verdict::Short);
        assert_eq!(is_slowest(9.0, &[1.0, 7.0]), Verdict::AtPublished);
        assert_eq!(is_slowest(2.0, &[1.0, 7.0]), Verdict::Short);
        assert_eq!(is_several_times_slower(6.4, 1.0), Verdict::AtPublished);
        assert_eq!(is_several_times_slower(2.0, 1.0), Verdict::Short);
    }
}

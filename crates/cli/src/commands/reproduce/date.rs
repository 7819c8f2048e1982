//! The date, in coordinated universal time.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// Now, as `2026-01-31 12:00 UTC`.
pub(super) fn now() -> String {
    // A clock before 1970 is no date anyone needs.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    at(seconds)
}

fn at(seconds: u64) -> String {
    let (mut day, clock) = (seconds / DAY, seconds % DAY);
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if day < length {
            break;
        }
        day -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02} UTC", day + 1, clock / 3600, clock / 60 % 60)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates_are_met() {
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(at(1_000_000_000), "2001-09-09 01:46 UTC");
        assert_eq!(at(4_102_444_799), "2099-12-31 23:59 UTC");
    }
}

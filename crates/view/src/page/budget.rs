//! What is kept of a run that is larger than a page may be.
//!
//! Every k-th frame with the smallest k that fits, always the first and the last. Contacts count as at most half of what is allowed
//! when k is chosen; what then does not fit is left out, the weakest of every frame first. Plots take at most a quarter: every k-th step.

use super::PageOptions;
use crate::ViewError;

/// Bytes of a contact.
pub(super) const CONTACT: u64 = 48;

/// What a page may hold \[bytes\].
pub(super) struct Budget {
    /// All.
    pub(super) most: u64,
    /// Shapes, names: what is there whatever is kept.
    pub(super) fixed: u64,
    /// One frame without its contacts.
    pub(super) frame: u64,
}

/// Every k-th of `count`, and the last.
fn every(count: u64, k: u64) -> impl Iterator<Item = u64> {
    let last = count.saturating_sub(1);
    (0..last).step_by(usize::try_from(k).unwrap_or(usize::MAX)).chain((count > 0).then_some(last))
}

/// How many those are.
fn number(count: u64, k: u64) -> u64 {
    count.saturating_sub(1).div_ceil(k) + u64::from(count > 0)
}

impl Budget {
    /// The frames that are kept.
    pub(super) fn frames(
        &self,
        count: u64,
        options: &PageOptions,
        series: u64,
        contacts: Option<&[u64]>,
    ) -> Result<Vec<u64>, ViewError> {
        let sums: Vec<u64> = contacts.unwrap_or_default().to_vec();
        let bytes = |k: u64| {
            let of_contacts = match sums.is_empty() {
                true => 0,
                false => {
                    every(count, k).map(|frame| sums.get(frame as usize).copied().unwrap_or(0)).sum::<u64>() * CONTACT
                }
            };
            self.fixed + series + self.frame * number(count, k) + of_contacts.min(self.most / 2)
        };
        let asked = options.every.unwrap_or(1).max(1);
        let limit = options.frames.map_or(u64::MAX, |frames| frames.max(2));
        let widest = count.saturating_sub(1).max(1);
        // n frames fit for no k below (count − 1)/(n − 1): the search may start there.
        let fit = (self.most.saturating_sub(self.fixed + series) / self.frame.max(1)).min(limit).max(2);
        let mut k = asked.max(count.saturating_sub(1).div_ceil(fit)).clamp(1, widest);
        while k < widest && (number(count, k) > limit || bytes(k) > self.most) {
            k += 1;
        }
        let least = bytes(k);
        if least > self.most {
            return Err(ViewError::TooLarge { least, most: self.most });
        }
        Ok(every(count, k).collect())
    }

    /// The steps that plots show.
    pub(super) fn series(&self, steps: usize, curves: usize) -> Vec<usize> {
        let most = (self.most / 4 / (8 * (curves as u64 + 1))).max(2);
        let count = steps as u64;
        let k = count.saturating_sub(1).div_ceil(most - 1).max(1);
        every(count, k).map(|step| step as usize).collect()
    }
}

/// The most contacts of a frame so that all frames together have at most `room`.
pub(super) fn cap(counts: &[u64], room: u64) -> u64 {
    let total = |cap: u64| counts.iter().map(|count| (*count).min(cap)).sum::<u64>();
    let (mut low, mut high) = (0, counts.iter().copied().max().unwrap_or(0));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if total(middle) <= room { low = middle } else { high = middle - 1 }
    }
    low
}

fn ordinal(k: u64) -> String {
    let ending = match (k % 10, k % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{k}{ending}")
}

/// What the page says about frames and steps that are not there.
pub(super) fn left_out(count: u64, kept: &[u64], steps: usize, rows: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if (kept.len() as u64) < count {
        let k = kept.get(1).copied().unwrap_or(1);
        notes.push(match kept.len() {
            2 => format!("the first and the last of {count} frames are shown; --max-size, --frames or --every change that"),
            _ => format!(
                "every {} of {count} frames and the last are shown, {} in all; --max-size, --frames or --every change that",
                ordinal(k),
                kept.len()
            ),
        });
    }
    if rows < steps {
        notes.push(format!("plots show {rows} of {steps} steps; --max-size changes that"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brute(count: u64, most: u64, frame: u64) -> Option<Vec<u64>> {
        for k in 1..=count {
            let mut kept: Vec<u64> = (0..count).filter(|index| index % k == 0).collect();
            if kept.last() != Some(&(count - 1)) {
                kept.push(count - 1);
            }
            if kept.len() as u64 * frame <= most {
                return Some(kept);
            }
        }
        None
    }

    #[test]
    fn the_smallest_k_that_fits_is_taken_and_the_ends_are_kept() {
        for count in [1, 2, 3, 7, 100, 101, 1000] {
            for most in [1, 10, 20, 25, 70, 333, 990, 1000, 20000] {
                let budget = Budget { most, fixed: 0, frame: 10 };
                let found = budget.frames(count, &PageOptions::default(), 0, None).ok();
                assert_eq!(found, brute(count, most, 10), "{count} {most}");
            }
        }
        let budget = Budget { most: 10_000, fixed: 0, frame: 10 };
        let ask = |frames, every| {
            let options = PageOptions { frames, every, ..PageOptions::default() };
            budget.frames(101, &options, 0, None).unwrap()
        };
        assert_eq!(ask(None, Some(40)), [0, 40, 80, 100]);
        assert_eq!(ask(Some(3), None), [0, 50, 100]);
        assert_eq!(ask(Some(1), None), [0, 100]);
        assert_eq!(ask(Some(1), Some(10)), [0, 100]);
    }

    #[test]
    fn contacts_count_for_half_at_most_and_the_cap_is_the_largest_that_fits() {
        let budget = Budget { most: 1000, fixed: 0, frame: 10 };
        let many = vec![1000; 50];
        assert_eq!(budget.frames(50, &PageOptions::default(), 0, Some(&many)).unwrap().len(), 50);
        assert_eq!(cap(&[3, 10, 1], 14), 10);
        assert_eq!(cap(&[3, 10, 1], 13), 9);
        assert_eq!(cap(&[3, 10, 1], 2), 0);
        assert_eq!(cap(&[], 2), 0);
    }

    #[test]
    fn steps_of_long_runs_are_thinned_evenly() {
        let budget = Budget { most: 3200, fixed: 0, frame: 1 };
        assert_eq!(budget.series(5, 9), [0, 1, 2, 3, 4]);
        let kept = budget.series(1001, 9);
        assert!(kept.len() <= 10 && kept[0] == 0 && kept.last() == Some(&1000));
        assert!(budget.series(0, 9).is_empty());
        assert_eq!(ordinal(3) + &ordinal(11) + &ordinal(22), "3rd11th22nd");
    }
}

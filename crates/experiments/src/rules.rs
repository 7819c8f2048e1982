//! The rules by which rows get their verdicts.

use crate::{Context, Row, Verdict};

/// A fitted order may miss the order of a method by so much.
pub(crate) const ORDER_SLACK: f64 = 0.15;

/// The verdict on a fitted order.
pub(crate) fn order(found: f64, expected: f64) -> Verdict {
    if found > expected + ORDER_SLACK { Verdict::Better } else { Verdict::holds(found >= expected - ORDER_SLACK) }
}

/// The worst of several verdicts on one statement; what was not run or only informs does not count.
pub(crate) fn worst(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let rank = |verdict: Verdict| match verdict {
        Verdict::Short => 3,
        Verdict::AtPublished => 2,
        Verdict::Better => 1,
        Verdict::Informative | Verdict::NotRun => 0,
    };
    verdicts.into_iter().max_by_key(|verdict| rank(*verdict)).unwrap_or(Verdict::Informative)
}

/// The command that runs an experiment with the effort of this run.
pub(crate) fn reproduce(context: &Context<'_>, id: &str) -> String {
    format!("signorini reproduce {id}{}", context.choose(" --quick", ""))
}

/// A number to six digits.
pub(crate) fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        format!("{x}")
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (5.0 - size.log10().floor()).clamp(0.0, 8.0) as usize;
        let text = format!("{x:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{x:.5e}")
    }
}

/// A number against its closed form.
pub(crate) struct ClosedForm<'a> {
    /// What is compared.
    pub(crate) quantity: &'a str,
    /// The formula, as a reader knows it.
    pub(crate) formula: &'a str,
    /// Its unit; empty without one.
    pub(crate) unit: &'a str,
    /// What the formula gives.
    pub(crate) exact: f64,
    /// What was found.
    pub(crate) found: f64,
    /// How far apart they may be, in the unit.
    pub(crate) slack: f64,
    /// Why so far.
    pub(crate) because: &'a str,
}

impl ClosedForm<'_> {
    /// The verdict: within the slack, or not. What is no number is not.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::holds((self.found - self.exact).abs() <= self.slack)
    }

    /// As a row of the report.
    pub(crate) fn row(&self, command: String) -> Row {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let error = self.found - self.exact;
        Row {
            quantity: self.quantity.into(),
            published: format!("{} = {}{unit}", self.formula, number(self.exact)),
            ours: format!("{}{unit} (off by {error:.1e})", number(self.found)),
            ratio: (self.exact != 0.0).then(|| self.found / self.exact).filter(|ratio| ratio.is_finite()),
            verdict: self.verdict(),
            command,
            note: format!("Asked: within {:.1e}{unit}, {}.", self.slack, self.because),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_counts_within_its_slack_and_no_number_falls_short() {
        assert_eq!(order(1.86, 2.0), Verdict::AtPublished);
        assert_eq!(order(1.84, 2.0), Verdict::Short);
        assert_eq!(order(2.16, 2.0), Verdict::Better);
        assert_eq!(order(f64::NAN, 2.0), Verdict::Short);
    }

    #[test]
    fn one_shortfall_is_enough() {
        assert_eq!(worst([Verdict::Better, Verdict::Short, Verdict::AtPublished]), Verdict::Short);
        assert_eq!(worst([Verdict::Better, Verdict::AtPublished]), Verdict::AtPublished);
        assert_eq!(worst([Verdict::Better, Verdict::Informative]), Verdict::Better);
        assert_eq!(worst([]), Verdict::Informative);
    }

    #[test]
    fn closed_forms_are_met_within_their_slack() {
        let of = |found| ClosedForm {
            quantity: "speed",
            formula: "5/7 v₀",
            unit: "m/s",
            exact: 2.0,
            found,
            slack: 0.1,
            because: "a step",
        };
        assert_eq!(of(2.05).verdict(), Verdict::AtPublished);
        assert_eq!(of(1.85).verdict(), Verdict::Short);
        assert_eq!(of(f64::NAN).verdict(), Verdict::Short);
        let row = of(2.05).row("signorini run x".into());
        assert_eq!(row.published, "5/7 v₀ = 2 m/s");
        assert!(row.ratio.is_some_and(|ratio| (ratio - 1.025).abs() < 1e-12));
    }

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(2.23606798), "2.23607");
        assert_eq!(number(123456.7), "123457");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(1.2345678e-7), "1.23457e-7");
        assert_eq!(number(-0.25), "-0.25");
        assert_eq!(number(0.0), "0");
    }
}

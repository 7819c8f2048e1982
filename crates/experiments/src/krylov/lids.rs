//! KS-3: spheres under a heavy cylinder of 1, 4 and 16 t; which method suffers least from the mass ratio.

use super::charts;
use super::compare::{MEASURES, behind, growth, lead};
use super::equal_iterations::{AS_GOOD, BETWEEN, Comparison, EARLY, LATE, PUBLISHED_LEAD, best_late};
use super::piles::beginning_with;
use crate::{Context, Outcome, Row, Verdict};

const CONTACTS: usize = 4295;

pub(super) fn run(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let mut piles = beginning_with("krylov-3-");
    if context.is_quick() && piles.len() > 2 {
        piles.remove(1);
    }
    let comparison = Comparison::of(context, &piles)?;
    let mut outcome = Outcome::default();
    let samples = comparison.bare_samples();
    let row = |quantity: String, published: &str, ours: String, verdict, note: String| Row {
        quantity,
        published: published.into(),
        ours,
        ratio: None,
        verdict,
        command: "signorini reproduce KS-3".into(),
        note,
    };
    let found = comparison.samples.first().map_or(0, |(found, _)| *found);
    let close = Verdict::holds((found as f64 / CONTACTS as f64 - 1.0).abs() < 0.02);
    outcome.rows.push(row("contacts".into(), &CONTACTS.to_string(), found.to_string(), close, String::new()));
    for (measure, value) in MEASURES {
        for iterations in [EARLY, BETWEEN, LATE] {
            let growth = growth(&samples, iterations, value);
            let ours: Vec<String> = growth.iter().map(|(method, factor)| format!("{method} {factor:.3}")).collect();
            let (verdict, note) = match iterations {
                EARLY => (
                    Verdict::Informative,
                    "nothing has converged yet: what is far from the answer can hardly get worse",
                ),
                _ => (degrades_least(&growth), ""),
            };
            let quantity =
                format!("growth of the {measure} from the lightest to the heaviest lid, {iterations} iterations");
            outcome.rows.push(row(quantity, "least with GPMINRES", ours.join(", "), verdict, note.into()));
        }
        let (late, ahead) = (behind(&samples, "gpminres", LATE, value), lead(&samples, "gpminres", BETWEEN, value));
        let ours = late.map_or(String::new(), |factor| format!("{factor:.3} times the best"));
        let note = format!(
            "As published if it is within {AS_GOOD} times the best, or ahead of Jacobi by the {PUBLISHED_LEAD} times of the paper's first \
             problem after {BETWEEN} iterations (here {:.0} times).",
            ahead.unwrap_or(f64::NAN)
        );
        let quantity = format!("GPMINRES in {measure} after {LATE} iterations");
        outcome.rows.push(row(quantity, "best for all masses", ours, best_late(late, ahead), note));
    }
    outcome.tables.push(charts::table("ks-3", "Four methods after equal iterations", &comparison.samples));
    outcome.tables.push(comparison.complementarity);
    outcome.figures = comparison.figures;
    outcome.notes.push(
        "The same pile under every lid: 1000 spheres of 0.1 m and 6.28 kg in a cylinder of 1.5 m. Gaps and residuals below 1e-10 count as \
         equal, so that methods that have all converged tie."
            .into(),
    );
    Ok(outcome)
}

/// Whether no method grows less than GPMINRES, all but Jacobi's ties included; a tenth counts as equal.
fn degrades_least(growth: &[(&'static str, f64)]) -> Verdict {
    let least = growth.iter().map(|(_, factor)| *factor).fold(f64::INFINITY, f64::min);
    let own = growth.iter().find(|(method, _)| *method == "gpminres");
    own.map_or(Verdict::Short, |(_, own)| Verdict::holds(*own <= 1.1 * least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpminres_degrades_least_if_nothing_grows_less() {
        assert_eq!(degrades_least(&[("jacobi", 5.0), ("gpminres", 2.0)]), Verdict::AtPublished);
        assert_eq!(degrades_least(&[("spg", 1.0), ("gpminres", 1.0)]), Verdict::AtPublished);
        assert_eq!(degrades_least(&[("spg", 1.0), ("gpminres", 1.2)]), Verdict::Short);
        assert_eq!(degrades_least(&[("spg", 1.0)]), Verdict::Short);
        assert_eq!(degrades_least(&[("spg", 1.0), ("gpminres", f64::NAN)]), Verdict::Short);
    }
}

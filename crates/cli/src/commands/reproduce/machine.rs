//! What the experiments ran on.

use crate::commands::doctor::{build, processor_features, target};
use signorini_experiments::hardware::{self, PENTIUM_4};

/// Facts about the machine.
pub(super) struct Machine {
    pub(super) facts: Vec<(&'static str, String)>,
}

impl Machine {
    pub(super) fn measure() -> Self {
        let rate = hardware::core_rate_gflops();
        let processor = hardware::processor().unwrap_or_else(|| "unknown processor".into());
        let facts = vec![
            ("signorini", format!("{} ({})", env!("CARGO_PKG_VERSION"), build())),
            ("processor", format!("{processor}; {}, {}", target(), processor_features().join(" "))),
            ("cores", hardware::cores().to_string()),
            ("one core", format!("{rate:.1} Gflop/s in products of dense matrices, measured in this run")),
            (
                "machine of the QP solver paper",
                format!("{}: at most {:.2} Gflop/s ({})", PENTIUM_4.name, PENTIUM_4.peak_gflops, PENTIUM_4.estimate),
            ),
        ];
        Self { facts }
    }
}

/// What seconds are worth.
pub(super) const SECONDS_DO_NOT_COMPARE: &str = "The machines of the papers are 10 to 20 years old: iterations, residuals, stability \
    limits and ratios between methods compare, seconds do not. Where seconds are shown beside published ones, the rates in the \
    table of the machine say how far they can be trusted.";

//! Imports go downwards only: model ← dynamics ← promise ← step ← analysis.

use signorini_testkit::layers::{Peers, check_layers};

#[test]
fn no_module_imports_from_above() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let model = ["body", "diagnostics", "error", "flexible", "force", "joint", "material", "model", "motion", "state"];
    check_layers(&source, &[&model, &["dynamics"], &["promise"], &["step"], &["analysis"]], Peers::Friends);
}

//! Inside the crate imports point downwards only: what is low can be read, tested and replaced without what is above it.

use signorini_testkit::layers::{Peers, check_layers};

#[test]
fn no_module_imports_from_above() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    check_layers(
        &source,
        &[
            &["generator", "change", "colouring", "friction_law", "cone"],
            &["fclib"],
            &["problem"],
            &["error"],
            &["delassus", "incidence"],
            &["residual"],
            &["limits"],
            &["report"],
            &["pyramid", "repair", "driver", "standard_form"],
            &["dual"],
            &["dual_engine"],
            &["method"],
            &["engine"],
            &["second_order", "first_order"],
            &["velocity_newton"],
            &["settings", "friction", "plan"],
            &["solver"],
            &["solve"],
            // Problems with known answers; tests and measurements use them, no method does.
            &["family"],
        ],
        Peers::Strangers,
    );
}

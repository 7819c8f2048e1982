//! The piles of the second and third test problem.

use signorini_solver::family::CylinderPacking;

/// Those whose name begins so, in the order of the paper.
pub(super) fn beginning_with(prefix: &str) -> Vec<(&'static str, CylinderPacking)> {
    CylinderPacking::test_problems().into_iter().filter(|(name, _)| name.starts_with(prefix)).collect()
}

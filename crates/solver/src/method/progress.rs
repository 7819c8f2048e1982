//! When an iterative method has come to a halt.
//!
//! The objective is no guide: its gains are the squares of the residuals and drown in rounding long before these do. So
//! the impulses are watched: a method that still moves them by more than rounding, or lowers its residual, goes on.

use crate::driver::Estimate;
use crate::dual::dot;

/// Watches residual and impulses from iteration to iteration.
pub(crate) struct Progress {
    best: f64,
    /// ‖g‖² a while ago.
    size: f64,
    idle: u32,
}

/// Iterations without a better residual after which the impulses are looked at.
const WINDOW: u32 = 2000;
/// Change of ‖g‖² over the window, relative, that counts as none.
const NO_CHANGE: f64 = 1e-13;

impl Progress {
    /// The reason a stalled method gives.
    pub(crate) const STALLED: &'static str = "no progress at the limit of double precision";

    pub(crate) fn new() -> Self {
        Self { best: f64::INFINITY, size: f64::INFINITY, idle: 0 }
    }

    /// Whether the method still gets anywhere; to be asked once per iteration.
    pub(crate) fn made(&mut self, estimate: &Estimate, g: &[f64]) -> bool {
        if estimate.natural_map_relative < self.best {
            self.best = estimate.natural_map_relative;
            self.idle = 0;
            return true;
        }
        self.idle += 1;
        if self.idle < WINDOW {
            return true;
        }
        self.idle = 0;
        let size = dot(g, g);
        let moved = (size - self.size).abs() > NO_CHANGE * size;
        self.size = size;
        // Not a number: nothing can be gained.
        moved && size.is_finite()
    }
}

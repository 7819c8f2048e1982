//! How far beyond the last point a sweep begins.

/// The sequence t and its limit.
pub(super) struct Momentum {
    t: f64,
    pub(super) beta: f64,
    /// Most that β may be.
    limit: f64,
    /// Shortest steps since momentum was last limited, and the sweeps since they were that short.
    shortest: f64,
    idle: u32,
}

/// Sweeps without shorter steps after which momentum is limited.
const IDLE: u32 = 100;

impl Default for Momentum {
    fn default() -> Self {
        Self { t: 1.0, beta: 0.0, limit: 1.0, shortest: f64::INFINITY, idle: 0 }
    }
}

impl Momentum {
    fn restart(&mut self) {
        (self.t, self.beta) = (1.0, 0.0);
    }
    /// After a sweep: `length` of its steps, and whether they went against the momentum.
    pub(super) fn advance(&mut self, length: f64, uphill: bool) {
        self.idle += 1;
        if length < self.shortest {
            (self.shortest, self.idle) = (length, 0);
        }
        if self.idle > IDLE {
            // 1 → 0.9 → 0.8 → … → 0.
            *self = Self { limit: (self.limit - 0.1).max(0.0), ..Self::default() };
            return;
        }
        if uphill {
            return self.restart();
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        self.beta = ((self.t - 1.0) / t).min(self.limit);
        self.t = t;
    }
}

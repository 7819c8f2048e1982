//! Interior point first, Newton for the last digits.
//!
//! The interior point finds which contacts are open, sticking and sliding; Newton, started close enough, then
//! converges quadratically where the interior point is limited by the conditioning of its system. Newton is tried when
//! the residual first falls below [`FIRST_TRY`], and again each time the interior point has gained [`RETRY_GAIN`].

use crate::driver::{Iteration, Step};
use crate::method::interior_point::InteriorPointRun;
use crate::method::semismooth_newton::Newton;
use crate::report::Iterate;
use crate::residual::Residuals;

/// Relative residual at which Newton is first tried.
const FIRST_TRY: f64 = 1e-5;
/// Gain of the interior point between two tries.
const RETRY_GAIN: f64 = 1e-2;

pub(crate) struct Crossover<'a> {
    interior: InteriorPointRun<'a>,
    newton: Newton,
    polishing: bool,
    /// Residual below which Newton is tried next.
    next_try: f64,
    /// Residual of the interior-point iterate that Newton started from.
    resume: Option<Residuals>,
    /// The interior point has stalled, for this reason.
    exhausted: Option<&'static str>,
}

impl<'a> Crossover<'a> {
    pub(crate) fn new(interior: InteriorPointRun<'a>) -> Self {
        let newton = Newton::new(interior.form());
        Self { interior, newton, polishing: false, next_try: FIRST_TRY, resume: None, exhausted: None }
    }

    fn start_newton(&mut self, residuals: &Residuals) -> Step {
        self.resume = Some(*residuals);
        self.next_try = residuals.natural_map_relative * RETRY_GAIN;
        self.interior.hand_over(&mut self.newton);
        self.polishing = true;
        self.advance(residuals)
    }
}

impl Iteration for Crossover<'_> {
    fn advance(&mut self, residuals: &Residuals) -> Step {
        if self.polishing {
            let (form, kkt) = self.interior.system();
            match self.newton.advance(form, kkt, residuals) {
                Step::Taken => return Step::Taken,
                other => {
                    if self.exhausted.is_some() {
                        return other;
                    }
                    self.polishing = false;
                    let resume = self.resume.unwrap_or(*residuals);
                    return self.advance(&resume);
                }
            }
        }
        if residuals.natural_map_relative <= self.next_try {
            return self.start_newton(residuals);
        }
        match self.interior.advance(residuals) {
            Step::Stalled(reason) => {
                self.exhausted = Some(reason);
                self.newton.last_attempt();
                self.start_newton(residuals)
            }
            other => other,
        }
    }

    fn export(&self, out: &mut Iterate) {
        match self.polishing {
            true => self.newton.export(self.interior.form(), out),
            false => self.interior.export(out),
        }
    }

    fn phase(&self) -> &'static str {
        if self.polishing { "newton" } else { "interior-point" }
    }
}

//! Interior point first, Newton for the last digits.
//!
//! The interior point finds which contacts are open, sticking and sliding; Newton, started close enough, then
//! converges quadratically where the interior point is limited by the conditioning of its system. Newton is tried when
//! the residual first falls below [`FIRST_TRY`], and again each time the interior point has gained [`RETRY_GAIN`]; not,
//! though, for the last [`WORTH_IT`] of the way, which the interior point covers in the iterations a failed try costs.

use crate::driver::{Iteration, Measured, Step};
use crate::method::interior_point::InteriorPointRun;
use crate::method::semismooth_newton::Newton;
use crate::report::Iterate;
use crate::settings::Tolerance;

/// Relative residual at which Newton is first tried.
const FIRST_TRY: f64 = 1e-5;
/// Gain of the interior point between two tries.
const RETRY_GAIN: f64 = 1e-2;

/// Least ratio of residual to tolerance for which Newton is tried.
const WORTH_IT: f64 = 300.0;

pub(crate) struct Crossover<'a> {
    tolerance: Tolerance,
    interior: InteriorPointRun<'a>,
    newton: Newton,
    polishing: bool,
    /// Residual below which Newton is tried next.
    next_try: f64,
    /// Residual of the interior-point iterate that Newton started from.
    resume: Option<Measured>,
    /// The interior point has stalled, for this reason.
    exhausted: Option<&'static str>,
}

impl<'a> Crossover<'a> {
    pub(crate) fn new(interior: InteriorPointRun<'a>, tolerance: Tolerance) -> Self {
        let newton = Newton::new(interior.form());
        Self { tolerance, interior, newton, polishing: false, next_try: FIRST_TRY, resume: None, exhausted: None }
    }

    fn start_newton(&mut self, measured: &Measured) -> Step {
        self.resume = Some(*measured);
        self.next_try = measured.residuals.natural_map_relative * RETRY_GAIN;
        self.interior.hand_over(&mut self.newton);
        self.polishing = true;
        self.advance(measured)
    }
}

impl Iteration for Crossover<'_> {
    fn advance(&mut self, measured: &Measured) -> Step {
        if self.polishing {
            let (form, kkt) = self.interior.system();
            match self.newton.advance(form, kkt, measured) {
                Step::Taken => return Step::Taken,
                other => {
                    if self.exhausted.is_some() {
                        return other;
                    }
                    self.polishing = false;
                    let resume = self.resume.unwrap_or(*measured);
                    return self.advance(&resume);
                }
            }
        }
        let far = self.tolerance.ratio(&measured.residuals) > WORTH_IT;
        if far && measured.residuals.natural_map_relative <= self.next_try {
            return self.start_newton(measured);
        }
        match self.interior.advance(measured) {
            Step::Stalled(reason) => {
                self.exhausted = Some(reason);
                self.newton.last_attempt();
                self.start_newton(measured)
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

//! The problem of one time step of a pile.

use super::{GRAVITY, Generator, Lid, Packing, frame};
use crate::{Cone, ConeProblem, ProblemError};

/// What a step needs besides the geometry.
pub(super) struct Step<'a> {
    /// Mass of a sphere \[kg\].
    pub(super) mass: f64,
    /// The lid, if the pile has one.
    pub(super) lid: Option<&'a Lid>,
    pub(super) friction: f64,
    /// h \[s\]
    pub(super) step: f64,
    /// η \[m/s\]
    pub(super) recovery_speed: f64,
    /// \[m/s\]
    pub(super) agitation: f64,
    pub(super) seed: u64,
}

impl Step<'_> {
    /// Minimise ½ v′ᵀM v′ − (M v + h f)ᵀv′ subject to n·u′ ≥ −max(Φ/h, −η), or the cones of friction (THEORY §4).
    pub(super) fn problem(&self, packing: &Packing) -> Result<ConeProblem, ProblemError> {
        let mass = self.mass;
        let inertia = 0.4 * mass * packing.radius * packing.radius;
        let masses = [mass, mass, mass, inertia, inertia, inertia];
        let mut generator = Generator::new(self.seed ^ 0x76_656c_6f63_6974);
        let mut builder = ConeProblem::builder();
        let mut c = Vec::with_capacity(6 * packing.positions.len() + 6);
        for _ in &packing.positions {
            builder.diagonal_body(&masses);
            // c = −(M v + h f)
            let (velocity, spin) =
                (generator.vector(self.agitation), generator.vector(self.agitation / packing.radius));
            c.extend([-mass * velocity[0], -mass * velocity[1], -mass * (velocity[2] - self.step * GRAVITY)]);
            c.extend(spin.map(|spin| -inertia * spin));
        }
        if let Some(lid) = self.lid {
            // From rest: its momentum would drown that of the spheres.
            builder.diagonal_body(&lid.masses()).body_name("lid");
            c.extend([0.0, 0.0, self.step * GRAVITY * lid.mass, 0.0, 0.0, 0.0]);
        }
        builder.linear(&c);
        for contact in &packing.contacts {
            let b = -(contact.gap / self.step).max(-self.recovery_speed);
            if self.friction == 0.0 {
                builder.row(Cone::NonNegative, &packing.row(contact, contact.normal), b);
            } else {
                let rows = frame(contact.normal).map(|direction| packing.row(contact, direction));
                let rows = rows.each_ref().map(Vec::as_slice);
                builder.rows(Cone::Friction { mu: self.friction }, &rows, &[b, 0.0, 0.0]);
            }
        }
        builder.build()
    }
}

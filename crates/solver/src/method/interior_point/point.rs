//! The iterate (v, γ, λ, y) with its residuals and scaling.

use super::lift::Lift;
use crate::cone::second_order::{self, Scaling};
use crate::standard_form::StandardForm;

#[derive(Default)]
pub(super) struct Point {
    pub(super) lift: Lift,
    pub(super) v: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    /// Pλ, which must stay in the cones; [`Point::update_residuals`] keeps it up to date.
    pub(super) force: Vec<f64>,
    /// Velocities in the cones, lifted: those of the rows are Pᵀy.
    pub(super) y: Vec<f64>,
    /// r_d = Hv + c − Cᵀγ − Dᵀλ.
    pub(super) r_dual: Vec<f64>,
    /// r_γ = Cv − b_γ + E_γγ.
    pub(super) r_free: Vec<f64>,
    /// r_λ = Dv − b − Pᵀy + Eλ.
    pub(super) r_cone: Vec<f64>,
    scratch: Vec<f64>,
}

impl Point {
    /// Zeros of the sizes of a form, in the memory it has.
    pub(super) fn clear(&mut self, form: &StandardForm) {
        let (n, free, cone) = (form.velocities(), form.free.len(), form.cones.len());
        self.lift.update(&form.cones.jacobian);
        let lifted = self.lift.len();
        let parts = [
            (&mut self.v, n),
            (&mut self.gamma, free),
            (&mut self.lambda, cone),
            (&mut self.force, lifted),
            (&mut self.y, lifted),
            (&mut self.r_dual, n),
            (&mut self.r_free, free),
            (&mut self.r_cone, cone),
            (&mut self.scratch, cone),
        ];
        for (part, size) in parts {
            part.clear();
            part.resize(size, 0.0);
        }
    }

    pub(super) fn update_residuals(&mut self, form: &StandardForm) {
        self.lift.up(&self.lambda, &mut self.force);
        form.dual_residual(&self.v, &self.gamma, &self.lambda, &mut self.r_dual);
        form.relative_velocity(&self.v, &self.gamma, &self.lambda, &mut self.r_cone, &mut self.r_free);
        self.lift.down(&self.y, &mut self.scratch);
        self.r_cone.iter_mut().zip(&self.scratch).for_each(|(r, y)| *r -= y);
    }

    /// μ = yᵀPλ/ν, ν the number of cones.
    pub(super) fn mu(&self) -> f64 {
        self.y.iter().zip(&self.force).map(|(y, l)| y * l).sum::<f64>() / (self.lift.cones().max(1) as f64)
    }

    /// Norm of the constraint residuals r_γ, r_λ.
    pub(super) fn infeasibility(&self) -> f64 {
        self.r_free.iter().chain(&self.r_cone).map(|r| r * r).sum::<f64>().sqrt()
    }

    /// ‖r‖/count for bilateral rows, cone rows and velocities, as the papers' stopping rules take them.
    pub(super) fn mean_residuals(&self) -> [f64; 3] {
        let mean = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>().sqrt() / (r.len().max(1) as f64);
        [mean(&self.r_free), mean(&self.r_cone), mean(&self.r_dual)]
    }

    /// Scalings of all cones; `None` once rounding has put a point on the boundary.
    pub(super) fn scalings(&self, out: &mut Vec<Scaling>) -> Option<()> {
        out.clear();
        for range in self.lift.each_cone() {
            out.push(Scaling::new(&self.y[range.clone()], &self.force[range])?);
        }
        Some(())
    }
}

/// Largest step that keeps every cone of the lifted `z + α d`.
pub(super) fn step_to_boundary(lift: &Lift, z: &[f64], d: &[f64]) -> f64 {
    lift.each_cone()
        .fold(f64::INFINITY, |step, range| step.min(second_order::step_to_boundary(&z[range.clone()], &d[range])))
}

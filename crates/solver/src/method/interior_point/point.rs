//! The iterate (v, γ, λ, y) with its residuals and scaling.

use super::lift::Lift;
use crate::cone::second_order::{self, Scaling};
use crate::standard_form::StandardForm;

#[derive(Clone)]
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
    pub(super) fn zeros(form: &StandardForm) -> Self {
        let (n, free, cone) = (form.velocities(), form.free.len(), form.cones.len());
        let lift = Lift::new(&form.cones.jacobian);
        Self {
            v: vec![0.0; n],
            gamma: vec![0.0; free],
            lambda: vec![0.0; cone],
            force: vec![0.0; lift.len()],
            y: vec![0.0; lift.len()],
            r_dual: vec![0.0; n],
            r_free: vec![0.0; free],
            r_cone: vec![0.0; cone],
            scratch: vec![0.0; cone],
            lift,
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

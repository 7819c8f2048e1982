//! Kučera's method: conjugate gradients on the free variables, gradient steps that bind and release them
//! [Kucera2008; Heyn2013, §4.4; THEORY §8].
//!
//! With α̃ ≤ 1/‖N‖ the projected gradient g̃ = (g − Π(g − α̃y))/α̃ is split by the faces of K that the forces are on: φ̃ is
//! what is left of it when y is replaced by its part φ in the face, β̃ the rest. While β̃ᵀy ≤ Γ²φ̃ᵀy conjugate gradients
//! lower the objective within the faces; a step that would leave K goes as far as it can, and an expansion
//! g ← Π(g − α̃φ) then binds forces to smaller faces. Otherwise proportioning, g ← Π(g − α̃y) where β̃ ≠ 0, releases them.
//! The objective never grows.
//!
//! Rows without friction are on the face {0} or free; this is the bound version of the paper. For cones the paper by Kučera
//! counts a block as bound wherever it is on the surface. The faces of K_μ say more: a sliding contact is on a ray, and
//! the ray is a straight line on which conjugate gradients work as well as inside. Only the direction of friction is left
//! to gradient steps.

use crate::SolveError;
use crate::change::Change;
use crate::cone::face::{Face, FaceKind};
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{DualProblem, MAX_ROWS, dot};
use crate::dual_engine::DualEngine;
use crate::method::interior_point::SURELY_INFEASIBLE;
use crate::method::progress::Progress;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Kučera's method.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kucera {
    /// Γ: how unwilling the method is to release forces from their faces; 1 has proved good.
    pub proportioning: f64,
    /// α̃ in units of 1/‖N‖. Kučera's rate of convergence is proved up to 1; any step below 2 lowers the
    /// objective.
    pub step: f64,
}

impl Default for Kucera {
    fn default() -> Self {
        Self { proportioning: 1.0, step: 1.8 }
    }
}

impl MethodSettings for Kucera {
    fn describe(&self) -> Description {
        Description {
            name: "kucera",
            summary: "conjugate gradients on the free variables, gradient steps to bind and release",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let Self { proportioning, step } = *self;
        if !(proportioning > 0.0 && proportioning.is_finite()) {
            return Err(SolveError::Setting {
                name: "proportioning",
                value: proportioning,
                allowed: "a finite number > 0",
            });
        }
        if step > 0.0 && step < 2.0 {
            Ok(())
        } else {
            Err(SolveError::Setting { name: "step", value: step, allowed: "a number between 0 and 2" })
        }
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(KuceraEngine::new(self.clone())))
    }
}

struct KuceraEngine {
    settings: Kucera,
    /// α̃.
    step: f64,
    g: Vec<f64>,
    /// ∇q(g) = Ng + r.
    y: Vec<f64>,
    /// The smallest face of K at g, block by block.
    faces: Vec<Face>,
    /// φ: y in the tangent spaces of the faces.
    phi: Vec<f64>,
    /// Direction of the conjugate gradients; the step is along −p.
    p: Vec<f64>,
    np: Vec<f64>,
    /// The last step ended where it would have left K: an expansion follows.
    at_bound: bool,
    /// Steps since the gradient was last computed from g.
    since_fresh: u32,
    estimate: Estimate,
    progress: Progress,
    phase: &'static str,
    power: [Vec<f64>; 2],
}

/// Conjugate-gradient steps after which y is computed afresh: its recurrence drifts.
const FRESH_EVERY: u32 = 50;

/// Before the first gradient is known.
const UNKNOWN: Estimate = Estimate { natural_map: f64::INFINITY, natural_map_relative: f64::INFINITY };

impl KuceraEngine {
    fn new(settings: Kucera) -> Self {
        let (g, y, faces, phi, p, np, power) = Default::default();
        Self {
            settings,
            step: 0.0,
            g,
            y,
            faces,
            phi,
            p,
            np,
            at_bound: false,
            since_fresh: 0,
            estimate: UNKNOWN,
            progress: Progress::new(),
            phase: "conjugate-gradient",
            power,
        }
    }

    /// y = Ng + r and what follows from it.
    fn refresh(&mut self, dual: &mut DualProblem) {
        dual.gradient(&self.g, &mut self.y);
        self.since_fresh = 0;
        self.update(dual);
    }

    /// Faces, φ and estimate at g, given y.
    fn update(&mut self, dual: &DualProblem) {
        let Self { g, y, faces, phi, .. } = self;
        phi.copy_from_slice(y);
        for (k, face) in faces.iter_mut().enumerate() {
            let rows = dual.rows_of(k);
            *face = Face::smallest(dual.cone(k), &g[rows.clone()]);
            face.tangent(&mut phi[rows]);
        }
        self.estimate = dual.natural_map(g, y);
    }

    /// β̃ᵀy ≤ Γ²φ̃ᵀy.
    fn is_proportional(&self, dual: &DualProblem) -> bool {
        let Self { g, y, phi, faces, step, .. } = self;
        let (mut free, mut bound) = (0.0, 0.0);
        let mut z = [0.0; MAX_ROWS];
        for (k, face) in faces.iter().enumerate() {
            let (rows, cone) = (dual.rows_of(k), dual.cone(k));
            let (g, y, phi) = (&g[rows.clone()], &y[rows.clone()], &phi[rows.clone()]);
            let z = &mut z[..rows.len()];
            cone.natural_map(g, phi, *step, z);
            let in_face = dot(z, y);
            free += in_face;
            if face.kind != FaceKind::Whole {
                cone.natural_map(g, y, *step, z);
                bound += dot(z, y) - in_face;
            }
        }
        bound <= self.settings.proportioning.powi(2) * free
    }

    /// One step of conjugate gradients, or as much of it as stays in K.
    fn conjugate_gradient(&mut self, dual: &mut DualProblem) -> Step {
        let Self { g, y, p, np, faces, .. } = self;
        dual.apply(p, np);
        let (slope, curvature) = (dot(y, p), dot(p, np));
        let longest = longest_step(dual, faces, g, p);
        // A null direction of N has no best step: as far as K allows.
        let best = if curvature > 0.0 { slope / curvature } else { f64::INFINITY };
        if !best.is_finite() && !longest.is_finite() {
            // The objective falls without end, or p = 0 and nothing is left to do.
            return Step::Stalled("no step of conjugate gradients is defined");
        }
        let alpha = best.min(longest);
        for i in 0..g.len() {
            g[i] -= alpha * p[i];
            y[i] -= alpha * np[i];
        }
        dual.project(g);
        self.at_bound = longest <= best;
        self.since_fresh += 1;
        self.update(dual);
        if !self.at_bound {
            // p ← φ − ρp, ρ = φᵀNp/pᵀNp.
            let rho = dot(&self.phi, &self.np) / curvature;
            self.p.iter_mut().zip(&self.phi).for_each(|(p, phi)| *p = phi - rho * *p);
        }
        self.phase = "conjugate-gradient";
        Step::Taken
    }

    /// g ← Π(g − α̃φ): forces that it brings to a smaller face are bound there.
    fn expand(&mut self, dual: &DualProblem) {
        let Self { g, phi, step, .. } = self;
        g.iter_mut().zip(&*phi).for_each(|(g, phi)| *g -= *step * phi);
        dual.project(g);
        self.phase = "expansion";
    }

    /// g ← Π(g − α̃y) where the gradient draws a force off its face.
    fn release(&mut self, dual: &DualProblem) {
        let Self { g, y, faces, step, .. } = self;
        for (k, face) in faces.iter().enumerate() {
            if face.kind != FaceKind::Whole {
                let rows = dual.rows_of(k);
                g[rows.clone()].iter_mut().zip(&y[rows.clone()]).for_each(|(g, y)| *g -= *step * y);
                dual.cone(k).project(&mut g[rows]);
            }
        }
        self.phase = "proportioning";
    }
}

/// The longest α for which g − αp stays in K, block by block on its face.
fn longest_step(dual: &DualProblem, faces: &[Face], g: &[f64], p: &[f64]) -> f64 {
    let mut longest = f64::INFINITY;
    let mut d = [0.0; MAX_ROWS];
    for (k, face) in faces.iter().enumerate() {
        let rows = dual.rows_of(k);
        let (g, p) = (&g[rows.clone()], &p[rows.clone()]);
        let step = match face.kind {
            FaceKind::Apex => f64::INFINITY,
            // Along a ray only the apex is in the way.
            FaceKind::Ray | FaceKind::Surface | FaceKind::Rolling => {
                if p[0] > 0.0 {
                    g[0] / p[0]
                } else {
                    f64::INFINITY
                }
            }
            FaceKind::Whole => {
                let d = &mut d[..rows.len()];
                d.iter_mut().zip(p).for_each(|(d, p)| *d = -p);
                dual.cone(k).longest_step(g, d)
            }
        };
        longest = longest.min(step);
    }
    longest
}

impl DualEngine for KuceraEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            let largest = dual.largest_eigenvalue(false, &mut self.power);
            self.step = if largest > 0.0 { self.settings.step / largest } else { dual.step() };
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let m = dual.rows();
        self.g.clear();
        self.g.extend_from_slice(start);
        for vector in [&mut self.y, &mut self.phi, &mut self.p, &mut self.np] {
            vector.resize(m, 0.0);
        }
        // Replaced by those at g below.
        self.faces.resize(dual.blocks(), Face::smallest(crate::Cone::Free, &[]));
        (self.at_bound, self.progress, self.phase) = (false, Progress::new(), "conjugate-gradient");
        self.refresh(dual);
        self.p.copy_from_slice(&self.phi);
    }
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step {
        if measured.required_speed > SURELY_INFEASIBLE {
            return Step::Infeasible;
        }
        if !self.progress.made(&self.estimate, &self.g) {
            return Step::Stalled(Progress::STALLED);
        }
        if !self.at_bound && self.is_proportional(dual) {
            if self.since_fresh < FRESH_EVERY {
                return self.conjugate_gradient(dual);
            }
        } else {
            if self.at_bound {
                self.expand(dual);
            } else {
                self.release(dual);
            }
            self.at_bound = false;
        }
        self.refresh(dual);
        self.p.copy_from_slice(&self.phi);
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn phase(&self) -> &'static str {
        self.phase
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        Some(self.estimate)
    }
}

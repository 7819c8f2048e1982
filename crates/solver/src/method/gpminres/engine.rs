//! The phases of the method and the steps between them.

use super::Gpminres;
use super::factor::FactorOfFace;
use crate::SolveError;
use crate::change::Change;
use crate::cone::face::Face;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{DualProblem, MAX_ROWS, dot};
use crate::dual_engine::DualEngine;
use crate::method::interior_point::SURELY_INFEASIBLE;
use crate::method::progress::Progress;
use crate::report::Iterate;
use signorini_linalg::{KrylovStep, MinresRecurrence, MinresWorkspace};

/// What the next product with N is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nd, to find the length of a gradient step.
    Cauchy,
    /// The objective at the trial of a gradient step.
    GradientTrial,
    /// An iteration of MINRES.
    Minres,
    /// The objective at the trial of a MINRES step.
    MinresTrial,
}

/// M⁻¹ on the tangent space of the face.
pub(super) enum Preconditioner {
    None,
    /// One number per block, for each of its rows, so that it keeps every tangent space.
    Diagonal(Vec<f64>),
    Factor(Box<FactorOfFace>),
}

impl Preconditioner {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        match self {
            Self::None => {}
            Self::Diagonal(inverse) => {
                inverse.clear();
                for k in 0..dual.blocks() {
                    inverse.extend(dual.rows_of(k).map(|_| 1.0 / dual.softness()[k]));
                }
            }
            Self::Factor(factor) => factor.prepare(dual, change)?,
        }
        Ok(())
    }
    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        match self {
            Self::None => out.copy_from_slice(x),
            Self::Diagonal(inverse) => out.iter_mut().zip(x).zip(inverse).for_each(|((out, x), m)| *out = x * *m),
            Self::Factor(factor) => {
                out.copy_from_slice(x);
                factor.solve(out);
            }
        }
    }
}

pub(super) struct GpminresEngine {
    settings: Gpminres,
    preconditioner: Preconditioner,
    stage: Stage,
    g: Vec<f64>,
    /// ∇q(g) = Ng + r.
    y: Vec<f64>,
    faces: Vec<Face>,
    /// The direction of the search: of steepest descent, or the solution of MINRES so far.
    d: Vec<f64>,
    nd: Vec<f64>,
    alpha: f64,
    /// 1/‖N‖: a gradient step that is no longer lowers q by theory, whatever rounding makes of the difference.
    safe_step: f64,
    halvings: u32,
    trial: Vec<f64>,
    trial_y: Vec<f64>,
    trial_faces: Vec<Face>,
    /// Whether the trial differs from g + αd.
    projected: bool,
    gradient: GradientPhase,
    minres: MinresPhase,
    estimate: Estimate,
    progress: Progress,
    power: [Vec<f64>; 2],
}

/// What the step to the trial does to q.
struct TrialChange {
    /// q(trial) − q(g) = ½(trial − g)ᵀ(∇q(g) + ∇q(trial)): differences of q itself would lose the last digits.
    change: f64,
    /// ∇q(g)ᵀ(trial − g).
    slope: f64,
    /// Differences this small are rounding of the impulses, times the velocities they meet.
    rounding: f64,
}

/// Progress of the current gradient steps.
#[derive(Default)]
struct GradientPhase {
    steps: u32,
    best: f64,
}

/// Progress of MINRES on the current face.
#[derive(Default)]
struct MinresPhase {
    recurrence: MinresRecurrence,
    work: MinresWorkspace,
    /// −P∇q(g), and what is left of it at g + d by the model.
    rhs: Vec<f64>,
    residual: Vec<f64>,
    model: f64,
    best: f64,
    iterations: u32,
    limit: u32,
    eta: f64,
    /// The recurrence has ended.
    over: bool,
}

/// MINRES takes the rest of a residual for out of reach below this share: see `MinresSettings::rank_tolerance`.
const RANK_TOLERANCE: f64 = 1e-8;
/// Longest gradient step, in units of 1/mean(diag N): along a null direction of N there is no best one.
const LONGEST_STEP: f64 = 1e8;
/// Rounding of (trial − g)ᵀy as a share of Σ|g y|.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Least share of a step that is tried next.
const LEAST_SHARE: f64 = 0.1;

/// Before the first gradient is known.
const UNKNOWN: Estimate = Estimate { natural_map: f64::INFINITY, natural_map_relative: f64::INFINITY };

impl GpminresEngine {
    pub(super) fn new(settings: Gpminres, preconditioner: Preconditioner) -> Self {
        let (g, y, faces, d, nd, trial, trial_y, trial_faces, power) = Default::default();
        Self {
            settings,
            preconditioner,
            stage: Stage::Cauchy,
            g,
            y,
            faces,
            d,
            nd,
            alpha: 0.0,
            safe_step: 0.0,
            halvings: 0,
            trial,
            trial_y,
            trial_faces,
            projected: false,
            gradient: GradientPhase::default(),
            minres: MinresPhase::default(),
            estimate: UNKNOWN,
            progress: Progress::new(),
            power,
        }
    }

    /// A gradient step: its direction, length and first trial.
    fn cauchy(&mut self, dual: &mut DualProblem) -> Step {
        let Self { d, nd, y, faces, .. } = self;
        for (k, face) in faces.iter().enumerate() {
            let rows = dual.rows_of(k);
            face.descent(dual.cone(k), &y[rows.clone()], &mut d[rows]);
        }
        dual.apply(d, nd);
        let (dd, dnd) = (dot(d, d), dot(d, nd));
        if dd == 0.0 {
            return Step::Stalled("the projected gradient is zero");
        }
        self.alpha = dd / dnd.max(dd / (LONGEST_STEP * dual.step()));
        self.halvings = 0;
        self.set_trial(dual);
        if self.projected {
            // The path Π(g − αy) from here on. Without friction it is the same; on a cone near its apex the tangent cone is
            // a good guide for a tiny step only, while this path gains enough for any α below 1/‖N‖.
            self.d.iter_mut().zip(&self.y).for_each(|(d, y)| *d = -y);
            self.set_trial(dual);
            self.stage = Stage::GradientTrial;
            return Step::Taken;
        }
        let alpha = self.alpha;
        for ((out, y), nd) in self.trial_y.iter_mut().zip(&self.y).zip(&self.nd) {
            *out = y + alpha * nd;
        }
        self.accept_gradient_step(dual)
    }

    fn gradient_trial(&mut self, dual: &mut DualProblem) -> Step {
        dual.gradient(&self.trial, &mut self.trial_y);
        if self.alpha <= self.safe_step || self.enough(dual) {
            return self.accept_gradient_step(dual);
        }
        self.shorten(dual);
        self.set_trial(dual);
        Step::Taken
    }

    /// A shorter step: where the parabola through q(g), its slope and q(trial) is lowest, within bounds.
    fn shorten(&mut self, dual: &DualProblem) {
        let TrialChange { change, slope, .. } = self.change(dual);
        let share = 0.5 * slope / (slope - change);
        self.alpha *= if share > LEAST_SHARE { share.min(0.5) } else { LEAST_SHARE };
    }

    fn accept_gradient_step(&mut self, dual: &DualProblem) -> Step {
        let (gain, same_face) = self.move_to_trial(dual);
        let GradientPhase { steps, best } = &mut self.gradient;
        *steps += 1;
        let sluggish = *steps > 1 && gain <= self.settings.gradient_decrease * *best;
        *best = best.max(gain);
        if same_face || sluggish || *steps >= self.settings.gradient_steps {
            let Gpminres { minres_decrease, minres_iterations, .. } = self.settings;
            self.start_minres(dual, minres_decrease, minres_iterations);
        } else {
            self.stage = Stage::Cauchy;
        }
        Step::Taken
    }

    fn start_gradient_steps(&mut self) {
        self.gradient = GradientPhase::default();
        self.stage = Stage::Cauchy;
    }

    fn start_minres(&mut self, dual: &DualProblem, eta: f64, limit: u32) {
        let Self { preconditioner, faces, d, y, minres, .. } = self;
        let MinresPhase { rhs, residual, work, .. } = minres;
        for ((rhs, y), d) in rhs.iter_mut().zip(y).zip(&mut *d) {
            (*rhs, *d) = (-*y, 0.0);
        }
        for (k, face) in faces.iter().enumerate() {
            face.tangent(&mut rhs[dual.rows_of(k)]);
        }
        residual.copy_from_slice(rhs);
        if let Preconditioner::Factor(factor) = preconditioner {
            factor.update(faces);
        }
        minres.recurrence =
            MinresRecurrence::start(rhs, None, RANK_TOLERANCE, |x, out| preconditioner.apply(x, out), work);
        minres.model = 0.0;
        minres.best = 0.0;
        minres.iterations = 0;
        minres.eta = eta;
        minres.limit = limit;
        minres.over = false;
        self.stage = Stage::Minres;
    }

    /// One iteration of MINRES on (PNP + κ) w = −P∇q, all vectors in the tangent space of the face.
    fn minres_iteration(&mut self, dual: &mut DualProblem) -> Step {
        let Self { preconditioner, faces, d, minres, .. } = self;
        let MinresPhase { recurrence, work, .. } = minres;
        let step = recurrence.advance(
            |x, out| {
                dual.apply(x, out);
                for (k, face) in faces.iter().enumerate() {
                    let rows = dual.rows_of(k);
                    face.tangent(&mut out[rows.clone()]);
                    face.add_curvature(&x[rows.clone()], &mut out[rows]);
                }
            },
            |x, out| preconditioner.apply(x, out),
            d,
            work,
        );
        let mut sluggish = true;
        if step == KrylovStep::Taken {
            recurrence.update_residual(&mut minres.residual, work);
            // ½wᵀAw − wᵀb with Aw = b − r.
            let model = -0.5 * (dot(d, &minres.rhs) + dot(d, &minres.residual));
            let gain = minres.model - model;
            sluggish = gain <= minres.eta * minres.best;
            minres.best = minres.best.max(gain);
            minres.model = model;
            minres.iterations += 1;
        } else {
            minres.over = true;
        }
        if sluggish || self.minres.iterations >= self.minres.limit || self.departs(dual) {
            self.alpha = 1.0;
            self.halvings = 0;
            self.set_trial(dual);
            self.stage = Stage::MinresTrial;
        }
        Step::Taken
    }

    fn minres_trial(&mut self, dual: &mut DualProblem) -> Step {
        dual.gradient(&self.trial, &mut self.trial_y);
        if self.enough(dual) {
            return self.accept_minres_step(dual);
        }
        self.halvings += 1;
        self.shorten(dual);
        if self.halvings > self.settings.halvings {
            self.start_gradient_steps();
        } else {
            self.set_trial(dual);
        }
        Step::Taken
    }

    fn accept_minres_step(&mut self, dual: &DualProblem) -> Step {
        let straight = !self.projected && self.alpha == 1.0 && self.faces.iter().all(Face::is_flat);
        let (_, same_face) = self.move_to_trial(dual);
        let Self { faces, y, .. } = self;
        let binding = faces.iter().enumerate().all(|(k, face)| face.is_binding(dual.cone(k), &y[dual.rows_of(k)]));
        // A face that has just changed may change further: gradient steps find out cheaply.
        if !(binding && same_face) {
            self.start_gradient_steps();
            return Step::Taken;
        }
        let (eta, limit) = (self.minres.eta.powi(2), self.minres.limit.saturating_add(self.settings.minres_iterations));
        if straight && !self.minres.over {
            // The same system from a point further on: the recurrence goes on, the model counts from here.
            let Self { minres, d, .. } = self;
            d.fill(0.0);
            minres.rhs.copy_from_slice(&minres.residual);
            minres.model = 0.0;
            (minres.eta, minres.limit) = (eta, limit);
            self.stage = Stage::Minres;
        } else {
            self.start_minres(dual, eta, limit);
        }
        Step::Taken
    }

    /// Whether g + d has left K so far that another face is sought, not a better point of this one.
    fn departs(&self, dual: &DualProblem) -> bool {
        let Self { g, d, .. } = self;
        let [cut, length] = dual.for_blocks([], &|block, [], [cut, length]: &mut [f64; 2]| {
            let mut z = [0.0; MAX_ROWS];
            let rows = block.rows;
            let (g, d, z) = (&g[rows.clone()], &d[rows.clone()], &mut z[..rows.len()]);
            z.iter_mut().zip(g).zip(d).for_each(|((z, g), d)| *z = g + d);
            *cut += block.cone.distance(z).powi(2);
            *length += d.iter().map(|d| d * d).sum::<f64>();
        });
        cut > self.settings.departure.powi(2) * length
    }

    /// trial = Π(g + αd).
    fn set_trial(&mut self, dual: &DualProblem) {
        let Self { g, d, trial, alpha, projected, .. } = self;
        let alpha = *alpha;
        let [changed] = dual.for_blocks([trial], &|block, [z], [changed]: &mut [f64; 1]| {
            let rows = block.rows;
            let (g, d) = (&g[rows.clone()], &d[rows]);
            z.iter_mut().zip(g).zip(d).for_each(|((z, g), d)| *z = g + alpha * d);
            block.cone.project(z);
            let moved = z.iter().zip(g).zip(d).any(|((z, g), d)| *z != g + alpha * d);
            *changed += f64::from(u8::from(moved));
        });
        *projected = changed > 0.0;
    }

    /// Whether q(trial) ≤ q(g) + μ ∇qᵀ(trial − g), or both sides are lost in rounding and the natural map is smaller: q gains
    /// squares of the residual, so that below √ε it says nothing.
    fn enough(&self, dual: &DualProblem) -> bool {
        let TrialChange { change, slope, rounding } = self.change(dual);
        let enough = slope < 0.0 && change <= self.settings.sufficient_decrease * slope;
        let lost = change.abs() <= rounding && slope.abs() <= rounding;
        enough
            || lost
                && dual.natural_map(&self.trial, &self.trial_y).natural_map_relative
                    < self.estimate.natural_map_relative
    }

    fn change(&self, dual: &DualProblem) -> TrialChange {
        let [slope, end, size] = dual.for_blocks([], &|block, [], [slope, end, size]: &mut [f64; 3]| {
            for row in block.rows {
                let step = self.trial[row] - self.g[row];
                *slope += step * self.y[row];
                *end += step * self.trial_y[row];
                *size += (self.g[row] * self.y[row]).abs();
            }
        });
        TrialChange { change: 0.5 * (slope + end), slope, rounding: ROUNDING * size }
    }

    /// Makes the trial the iterate; returns what q gained, and whether the face is the same.
    fn move_to_trial(&mut self, dual: &DualProblem) -> (f64, bool) {
        let TrialChange { change, .. } = self.change(dual);
        std::mem::swap(&mut self.g, &mut self.trial);
        std::mem::swap(&mut self.y, &mut self.trial_y);
        let Self { g, y, faces: old, trial_faces, .. } = self;
        trial_faces.iter_mut().zip(faces(dual, g, y)).for_each(|(face, new)| *face = new);
        let same = old.iter().zip(&*trial_faces).all(|(old, new)| old.kind == new.kind);
        std::mem::swap(old, trial_faces);
        self.estimate = dual.natural_map(&self.g, &self.y);
        (-change, same)
    }
}

fn faces<'b>(dual: &'b DualProblem, g: &'b [f64], y: &'b [f64]) -> impl Iterator<Item = Face> + 'b {
    (0..dual.blocks()).map(|k| {
        let rows = dual.rows_of(k);
        Face::with_gradient(dual.cone(k), &g[rows.clone()], &y[rows])
    })
}

impl DualEngine for GpminresEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            let largest = dual.largest_eigenvalue(false, &mut self.power);
            self.safe_step = if largest > 0.0 { 1.0 / largest } else { dual.step() };
            self.preconditioner.prepare(dual, change)?;
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let m = dual.rows();
        let Self { g, y, faces: at_start, trial_faces, d, nd, trial, trial_y, minres, .. } = self;
        g.clear();
        g.extend_from_slice(start);
        for vector in [&mut *y, d, nd, trial, trial_y, &mut minres.rhs, &mut minres.residual] {
            vector.resize(m, 0.0);
        }
        minres.work.resize(m);
        dual.gradient(g, y);
        at_start.clear();
        at_start.extend(faces(dual, g, y));
        trial_faces.clone_from(at_start);
        // Gradient steps come first; they start MINRES.
        self.start_gradient_steps();
        self.estimate = dual.natural_map(&self.g, &self.y);
        self.progress = Progress::new();
    }
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step {
        if measured.required_speed > SURELY_INFEASIBLE {
            return Step::Infeasible;
        }
        if !self.progress.made(&self.estimate, &self.g) {
            return Step::Stalled(Progress::STALLED);
        }
        match self.stage {
            Stage::Cauchy => self.cauchy(dual),
            Stage::GradientTrial => self.gradient_trial(dual),
            Stage::Minres => self.minres_iteration(dual),
            Stage::MinresTrial => self.minres_trial(dual),
        }
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn phase(&self) -> &'static str {
        match self.stage {
            Stage::Cauchy | Stage::GradientTrial => "gradient",
            Stage::Minres | Stage::MinresTrial => "minres",
        }
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        Some(self.estimate)
    }
}

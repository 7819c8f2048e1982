//! How a model vibrates about a state: linearised motions e^{st}.
//!
//! Small motions ξ = (δx, δφ), both in world axes, about a steady motion obey, with L = A Iω and the reactions λ of that motion,
//!
//! ```text
//! M ξ̈ + (R + Γ) ξ̇ + (K + G) ξ = Cᵀδλ,   C ξ = 0,   Γ δφ̇ = (İ − L̃) δφ̇,   İ = Ω̃I − IΩ̃
//! ξ = Z η:   η̈ + (R̂ + Γ̂) η̇ + K̂ η = 0,   η = x e^{st}
//! s [ x  ]   [  0      ω₀     ] [ x  ]
//!   [ x' ] = [ −K̂/ω₀  −R̂ − Γ̂ ] [ x' ]        x' = s x/ω₀, with ω₀² the size of K̂: entries of one size
//! ```
//!
//! The torque of the steady motion drops out: what it adds to K on the right is what L̇ adds on the left. In world axes a rotor that
//! is symmetric about its spin looks the same all the time (İ = 0); of anything else that moves the coefficients are those of an
//! instant, and [`Modes::is_steady`] is false.

use super::contacts::ContactWatch;
use super::freedoms::{Freedoms, force_rate, symmetric_part};
use super::{AnalysisError, ContactLeftOut, check_one_sided, check_rigid, check_state, contradiction};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::dynamics::smooth::rows::Rows;
use crate::force::cross_matrix;
use crate::force::problem::{described, first_problem};
use crate::{Mat3, Model, State, Vec3};
use signorini_linalg::{Eigen, SymmetricEigen};
use std::f64::consts::TAU;

/// Most degrees of freedom: the eigenvalues of a dense matrix of twice as many rows take seconds.
pub const LARGEST_FREEDOMS: usize = 600;

/// Stiffness below this share of the largest, and of what forces do alone, is none: differences cannot tell it from rounding.
const FLAT: f64 = 1e-9;
/// An antisymmetric part of K̂ below this share of it is that of differences, not of forces.
const ANTISYMMETRIC: f64 = 1e-7;
/// Growth below this share of the fastest motion is rounding.
const GROWTH: f64 = 1e-10;
/// Real parts below this share of the fastest motion are 0.
const REAL_PART: f64 = 1e-12;
/// Accelerations below this share of what forces and reactions do one by one, and of ω², are none.
const STEADY: f64 = 1e-6;
/// Imposed motions are differentiated over this time \[s\].
const WINDOW: f64 = 1e-4;

/// What kind of motion a mode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModeKind {
    /// Meets no stiffness: s = 0 (its speed is kept, or lost to dampers).
    Rigid,
    /// A conjugate pair of eigenvalues; the one with positive imaginary part stands for both.
    Oscillating,
    /// A real eigenvalue.
    Aperiodic,
}

/// How a body takes part in a mode: real and imaginary part of its amplitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct BodyShape {
    /// Of its centre of mass, world axes \[m\].
    pub displacement: [Vec3; 2],
    /// World axes \[rad\].
    pub rotation: [Vec3; 2],
}

/// One mode: the motion Re(shape · e^{st}).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Mode {
    /// Real and imaginary part of s = −ζω ± iω√(1−ζ²) \[1/s\].
    pub eigenvalue: [f64; 2],
    /// |Im s|/2π: what is seen \[Hz\].
    pub frequency: f64,
    /// ω/2π = |s|/2π: without damping, what would be \[Hz\].
    pub natural_frequency: f64,
    /// ζ = −Re s/|s|; 0 for rigid modes, ±1 for aperiodic ones.
    pub damping_ratio: f64,
    /// Its kind.
    pub kind: ModeKind,
    /// Whether it grows.
    pub is_unstable: bool,
    /// The part of every body of the model; the largest component of all, in m or rad, is 1.
    pub shape: Vec<BodyShape>,
}

/// All modes about a state.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Modes {
    /// Rigid ones first, then by |s|, then by the real part.
    pub modes: Vec<Mode>,
    /// Number of motions joints leave.
    pub freedoms: usize,
    /// Whether the state is a rest or a steady spin; otherwise eigenvalues are those of an instant.
    pub is_steady: bool,
    /// Bodies that touch or overlap there: their contacts are left out.
    pub contacts_left_out: Vec<ContactLeftOut>,
}

impl Modes {
    /// Whether no mode grows.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.modes.iter().all(|mode| !mode.is_unstable)
    }
}

/// The modes of a model about a state: joints are closed first, velocities made consistent, reactions found; then stiffness, damping
/// and gyroscopic terms are reduced to the motions joints leave. Numbers that forces keep count as held.
///
/// # Errors
/// Joints that contradict each other, limits and taut ropes, more than [`LARGEST_FREEDOMS`] degrees of freedom or
/// [`super::LARGEST_VELOCITIES`] velocities.
///
/// ```
/// use signorini_mechanics::analysis::modes;
/// use signorini_mechanics::joint::{Anchors, Revolute};
/// use signorini_mechanics::{Body, Mat3, Model, Pose, Quat, State, Vec3};
/// // A pendulum: ω² = m g l/(I + m l²).
/// let mut model = Model::builder();
/// let ground = model.body(Body::fixed("ground"));
/// let start = Pose::new(Vec3::new(0.0, 0.0, -0.5), Quat::IDENTITY);
/// let arm = model.body(Body::new("arm", 2.0, Mat3::from_diagonal(Vec3::splat(0.1))).posed(start));
/// let hinge = Pose::new(Vec3::ZERO, Quat::from_rotation_arc(Vec3::Z, Vec3::Y));
/// model.joint("hinge", Revolute::new(Anchors::from_world([ground, arm], [&Pose::IDENTITY, &start], hinge)));
/// let model = model.build()?;
/// let found = modes(&model, &State::start_of(&model))?;
/// let omega = (2.0_f64 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)).sqrt();
/// assert!((found.modes[0].frequency * std::f64::consts::TAU - omega).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn modes(model: &Model, state: &State) -> Result<Modes, AnalysisError> {
    check_rigid(model, "modes")?;
    check_state(model, state)?;
    let equations = Equations::new(model);
    let system = System { model, equations: &equations };
    let mut phase = equations.phase(state);
    let mut consistent = Consistent::new(system);
    let (mut acceleration, mut multipliers) = (vec![0.0; equations.dimension], vec![0.0; equations.rows.len()]);
    let told = |found| contradiction(model, &found, state.time);
    consistent.positions(system, &mut phase).map_err(told)?;
    consistent.velocities(system, &mut phase).map_err(told)?;
    consistent.accelerations(system, &phase, WINDOW, &mut acceleration, &mut multipliers).map_err(told)?;
    if acceleration.iter().chain(&multipliers).any(|x| !x.is_finite()) {
        return Err(match first_problem(model, |body| equations.motion(&phase, body), phase.time) {
            Some((force, problem)) => AnalysisError::Force { force: described(model, force), problem },
            None => AnalysisError::NotFinite { what: "a force" },
        });
    }
    check_one_sided(model, &phase, 1e-9 * equations.length.max(1.0))?;
    let mut rows = Rows::default();
    equations.evaluate_rows(model, &phase, &mut rows);
    let freedoms = Freedoms::of(system, &rows)?;
    if freedoms.count > LARGEST_FREEDOMS {
        let (found, allowed) = (freedoms.count, LARGEST_FREEDOMS);
        return Err(AnalysisError::TooLarge { what: "degrees of freedom", found, allowed });
    }
    let rate = force_rate(system, &phase, &rows, &multipliers);
    let is_steady = is_steady(system, &phase, &acceleration, rate);
    let modes = Linearised::of(system, &freedoms, &phase, &multipliers, rate).modes(system, &freedoms, &phase)?;
    let mut watch = ContactWatch::new(model, &state.poses, equations.length)?;
    watch.look(&phase.poses, phase.time);
    Ok(Modes { modes, freedoms: freedoms.count, is_steady, contacts_left_out: watch.left_out() })
}

/// K̂ and R̂ + Γ̂, column by column.
struct Linearised {
    n: usize,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    /// What forces do alone \[1/s²\].
    rate: f64,
}

impl Linearised {
    fn of(system: System<'_>, freedoms: &Freedoms, phase: &Phase, multipliers: &[f64], rate: f64) -> Self {
        let n = freedoms.count;
        let reduced = freedoms.tangents(system, phase, multipliers);
        let (mut stiffness, mut damping) = (reduced.stiffness, reduced.damping);
        let symmetric = symmetric_part(n, &stiffness);
        let difference = stiffness.iter().zip(&symmetric).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        if difference <= ANTISYMMETRIC * largest(&symmetric) {
            stiffness = symmetric;
        }
        for k in 0..system.equations.moving.len() {
            let omega = Vec3::from_slice(&phase.velocity[6 * k + 3..]);
            let inertia = system.equations.inertia(k);
            // Γ in body axes, where Z is; Zᵀ Γ Z does not care.
            let block = spin_up(inertia, omega) - cross_matrix(*inertia * omega);
            let mut matrix = [[0.0; 12]; 12];
            (0..9).for_each(|e| matrix[3 + e / 3][3 + e % 3] = block.col(e % 3)[e / 3]);
            freedoms.add(&[Some(6 * k), None], &matrix, &mut damping);
        }
        Self { n, stiffness, damping, rate }
    }

    fn modes(&self, system: System<'_>, freedoms: &Freedoms, phase: &Phase) -> Result<Vec<Mode>, AnalysisError> {
        let n = self.n;
        let size = 2 * n;
        let scale = largest(&self.stiffness).sqrt().max(largest(&self.damping));
        let omega = if scale > 0.0 { scale } else { 1.0 };
        let mut first_order = vec![0.0; size * size];
        for j in 0..n {
            first_order[(n + j) * size + j] = omega;
            for i in 0..n {
                first_order[j * size + n + i] = -self.stiffness[j * n + i] / omega;
                first_order[(n + j) * size + n + i] = -self.damping[j * n + i];
            }
        }
        let eigen = Eigen::of(size, &first_order)?;
        let fastest = eigen.values.iter().map(|s| s[0].hypot(s[1])).fold(self.rate.sqrt(), f64::max);
        // Motions without stiffness have one eigenvalue 0, or two without damping: what differences make of them is left out, and the
        // motions themselves are told.
        let rigid = self.rigid()?;
        let mut order: Vec<usize> = (0..size).collect();
        let absolute = |k: usize| eigen.values[k][0].hypot(eigen.values[k][1]);
        order.sort_by(|&a, &b| absolute(a).total_cmp(&absolute(b)));
        // Squares of them are below FLAT of the fastest one's square, with a margin of 2.
        let zeros =
            order.iter().take(2 * rigid.len()).take_while(|&&k| absolute(k) <= 2.0 * FLAT.sqrt() * fastest).count();
        let shape = |amounts: [&[f64]; 2]| shape_of(system, phase, amounts.map(|part| freedoms.combined(part)));
        let mut modes: Vec<Mode> = rigid.iter().map(|motion| Mode::rigid(shape([motion, &vec![0.0; n]]))).collect();
        for &k in &order[zeros..] {
            let [re, im] = eigen.values[k];
            if im < 0.0 {
                continue;
            }
            let part = |c: usize| eigen.vectors[k][..n].iter().map(|x| x[c]).collect::<Vec<f64>>();
            let re = if re.abs() <= REAL_PART * fastest { 0.0 } else { re };
            modes.push(Mode::new([re, im], re > GROWTH * fastest, shape([&part(0), &part(1)])));
        }
        let key = |mode: &Mode| (mode.kind != ModeKind::Rigid, mode.natural_frequency, mode.eigenvalue[0]);
        modes.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
        });
        Ok(modes)
    }

    /// Motions that meet no stiffness.
    fn rigid(&self) -> Result<Vec<Vec<f64>>, AnalysisError> {
        // ‖K̂x‖ is small for them, also where K̂ is not symmetric: eigenvectors of K̂ᵀK̂ (whose eigenvalues are squares).
        let n = self.n;
        let column = |j: usize| &self.stiffness[j * n..(j + 1) * n];
        let scale = largest(&self.stiffness).max(f64::MIN_POSITIVE);
        let product = |e: usize| column(e % n).iter().zip(column(e / n)).map(|(a, b)| (a / scale) * (b / scale)).sum();
        let squares = SymmetricEigen::of(n, &(0..n * n).map(product).collect::<Vec<f64>>())?;
        let most = squares.values.last().copied().unwrap_or(0.0);
        // Rounding of squares is near 1e-16 of the largest, which hides stiffness below 1e-8 of it: looked at once more, unsquared.
        let stiffest = scale * most.max(0.0).sqrt();
        let flat = FLAT * stiffest.max(self.rate);
        let near = flat.max(1e-7 * stiffest);
        let candidates = (0..n).filter(|&k| scale * squares.values[k].max(0.0).sqrt() <= near);
        let image = |x: &[f64]| {
            let image = (0..n).map(|i| (0..n).map(|j| column(j)[i] * x[j]).sum::<f64>());
            image.map(|y| y * y).sum::<f64>().sqrt()
        };
        let motions = candidates.map(|k| squares.vector(k).to_vec());
        Ok(motions.filter(|x| image(x) <= flat).collect())
    }
}

impl Mode {
    fn new(eigenvalue: [f64; 2], is_unstable: bool, shape: Vec<BodyShape>) -> Self {
        let [re, im] = eigenvalue;
        let absolute = re.hypot(im);
        Self {
            eigenvalue,
            frequency: im.abs() / TAU,
            natural_frequency: absolute / TAU,
            damping_ratio: if absolute > 0.0 { -re / absolute } else { 0.0 },
            kind: if im == 0.0 { ModeKind::Aperiodic } else { ModeKind::Oscillating },
            is_unstable,
            shape,
        }
    }

    fn rigid(shape: Vec<BodyShape>) -> Self {
        Self { kind: ModeKind::Rigid, ..Self::new([0.0; 2], false, shape) }
    }
}

fn largest(entries: &[f64]) -> f64 {
    entries.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// İ = ω̃I − Iω̃, in body axes.
fn spin_up(inertia: &Mat3, omega: Vec3) -> Mat3 {
    let turn = cross_matrix(omega);
    turn * *inertia - *inertia * turn
}

/// Whether nothing accelerates, and whatever spins looks the same all the time. `rate` is that of forces one by one: at rest on a
/// spring their sum is zero, and rounding of it would pass for a motion.
fn is_steady(system: System<'_>, phase: &Phase, acceleration: &[f64], rate: f64) -> bool {
    let equations = system.equations;
    let speed = equations.size(&phase.velocity);
    let allowed = STEADY * (rate + speed * speed);
    let is_even = |k: usize| {
        let omega = Vec3::from_slice(&phase.velocity[6 * k + 3..]);
        let inertia = equations.inertia(k);
        let change = spin_up(inertia, omega).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        change <= STEADY * (*inertia * omega).length()
    };
    equations.size(acceleration) <= allowed && (0..equations.moving.len()).all(is_even)
}

/// A motion, real and imaginary part, as that of all bodies; its largest component is 1.
fn shape_of(system: System<'_>, phase: &Phase, motion: [Vec<f64>; 2]) -> Vec<BodyShape> {
    let System { model, equations } = system;
    let mut shape = vec![BodyShape::default(); model.bodies().len()];
    for (k, &body) in equations.moving.iter().enumerate() {
        let rotation = phase.poses[body].rotation;
        shape[body] = BodyShape {
            displacement: [0, 1].map(|c| Vec3::from_slice(&motion[c][6 * k..])),
            rotation: [0, 1].map(|c| rotation * Vec3::from_slice(&motion[c][6 * k + 3..])),
        };
    }
    let components = shape
        .iter()
        .flat_map(|part| [part.displacement, part.rotation])
        .flat_map(|[re, im]| [0, 1, 2].map(|axis| [re[axis], im[axis]]));
    // The first of equals, up to rounding: shapes do not jump.
    let mut most = [0.0; 2];
    for component in components {
        let size = |c: [f64; 2]| c[0].hypot(c[1]);
        if size(component) > size(most) * (1.0 + 1e-9) {
            most = component;
        }
    }
    let square = most[0] * most[0] + most[1] * most[1];
    if square > 0.0 {
        // Divided by a complex number.
        let divide =
            |[re, im]: [Vec3; 2]| [(re * most[0] + im * most[1]) / square, (im * most[0] - re * most[1]) / square];
        for part in &mut shape {
            *part = BodyShape { displacement: divide(part.displacement), rotation: divide(part.rotation) };
        }
    }
    shape
}

//! Where a model can rest:
//!
//! ```text
//! f(q, 0, t) + C(q, t)ᵀλ = 0,   Ψ(q, t) = 0
//! ```

mod held;
mod search;

use super::contacts::ContactWatch;
use super::{AnalysisError, ContactLeftOut, Reaction, check_one_sided, check_rigid, check_state};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::equations::Equations;
use crate::{Model, State, Vec3};
use search::Search;

/// When the search for an equilibrium ends.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EquilibriumSettings {
    /// What may be left of forces, relative to the largest force in the model. Steps go on below it while they gain digits.
    pub tolerance: f64,
    /// Most iterations, each with one stiffness matrix.
    pub max_iterations: u32,
    /// Leave an equilibrium that is found to be unstable, downhill, and look for another.
    pub leave_unstable: bool,
}

impl Default for EquilibriumSettings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 500, leave_unstable: true }
    }
}

impl EquilibriumSettings {
    fn check(&self) -> Result<(), AnalysisError> {
        if self.tolerance <= 0.0 || !self.tolerance.is_finite() {
            let allowed = "a finite number > 0";
            return Err(AnalysisError::Setting { name: "tolerance", value: self.tolerance, allowed });
        }
        match self.max_iterations {
            0 => Err(AnalysisError::Setting { name: "max-iterations", value: 0.0, allowed: "at least 1" }),
            _ => Ok(()),
        }
    }
}

/// What a small push does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stability {
    /// K + G is positive definite on the motions joints leave: it comes back.
    Stable,
    /// Some motions meet no stiffness: it stays where it is pushed.
    Neutral,
    /// Some motions have negative stiffness: it leaves.
    Unstable,
}

/// A state at rest, and what holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// Poses at rest; no velocities; time and memory as they were given.
    pub state: State,
    /// What every joint transmits.
    pub reactions: Vec<Reaction>,
    /// What a small push does.
    pub stability: Stability,
    /// The least eigenvalue of K + G relative to M on the motions joints leave \[1/s²\]: ω² of the softest motion without damping,
    /// negative where it is unstable. None where nothing can move.
    pub softest: Option<f64>,
    /// Number of motions joints leave.
    pub freedoms: usize,
    /// Stiffness matrices made.
    pub iterations: u32,
    /// Unstable equilibria left on the way.
    pub left_behind: u32,
    /// The largest force left on a body \[N\]; torques are divided by the model's length.
    pub residual: f64,
    /// The largest force in the model \[N\], with which the residual is compared.
    pub force_scale: f64,
    /// Bodies that touch or overlap at rest, new overlaps first: their contacts are left out. Bodies that are passed on the way do not show.
    pub contacts_left_out: Vec<ContactLeftOut>,
}

/// Finds positions where all forces balance, joints hold and nothing moves, downhill from a state: Newton's method on the motions
/// joints leave, with the exact stiffness of forces and reactions. Directions of negative stiffness are followed downhill, and steps
/// are shortened by σM until they do positive work, so that a stable equilibrium is found even from the top of a hill.
///
/// Imposed motions are held where they are at the state's time; velocities count as zero; forces with memory keep it (the
/// integral of a controller is what it is in the state: 0 at the start). Contacts are no part of it;
/// [`Equilibrium::contacts_left_out`] says where there are any.
///
/// # Errors
/// Bodies that nothing holds, joints that contradict each other, limits that would be passed, no convergence, a model with more than
/// [`super::LARGEST_VELOCITIES`] velocities.
///
/// ```
/// use signorini_mechanics::analysis::{EquilibriumSettings, Stability, static_equilibrium};
/// use signorini_mechanics::joint::{Anchors, Prismatic};
/// use signorini_mechanics::force::Spring;
/// use signorini_mechanics::{Body, Mat3, Model, Pose, State, Vec3};
/// // 2 kg on a spring of 100 N/m hang m g/k below its end.
/// let mut model = Model::builder();
/// let ceiling = model.body(Body::fixed("ceiling"));
/// let mass = model.body(Body::new("mass", 2.0, Mat3::IDENTITY).at(Vec3::new(0.0, 0.0, -1.0)));
/// let start = Pose::new(Vec3::new(0.0, 0.0, -1.0), Default::default());
/// model.joint("guide", Prismatic::new(Anchors::from_world([ceiling, mass], [&Pose::IDENTITY, &start], start)));
/// model.force("spring", Spring::new([ceiling, mass], [Vec3::ZERO; 2], 100.0, 0.0, 1.0));
/// let model = model.build()?;
/// let found = static_equilibrium(&model, &State::start_of(&model), &EquilibriumSettings::default())?;
/// assert!((found.state.poses[mass.index()].position.z + 1.0 + 2.0 * 9.81 / 100.0).abs() < 1e-9);
/// assert_eq!(found.stability, Stability::Stable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn static_equilibrium(
    model: &Model,
    state: &State,
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, AnalysisError> {
    settings.check()?;
    check_rigid(model, "static equilibrium")?;
    check_state(model, state)?;
    let equations = Equations::new(model);
    let system = System { model, equations: &equations };
    held::check(system)?;
    let mut phase = equations.phase(state);
    phase.velocity.fill(0.0);
    let found = Search::new(system, phase, settings)?.run()?;
    // Rounding of a joint that is just touched is no violation.
    check_one_sided(model, &found.phase, -1e-9 * equations.length.max(1.0))?;
    let mut watch = ContactWatch::new(model, &state.poses, equations.length)?;
    watch.look(&found.phase.poses, state.time);
    let mut rest = state.clone();
    rest.poses.clone_from(&found.phase.poses);
    rest.velocities.fill(Vec3::ZERO);
    rest.angular_velocities.fill(Vec3::ZERO);
    Ok(Equilibrium {
        state: rest,
        reactions: super::reactions::reactions(system, &found.phase, &found.multipliers),
        stability: found.stability,
        softest: found.softest,
        freedoms: found.freedoms,
        iterations: found.iterations,
        left_behind: found.left_behind,
        residual: found.residual,
        force_scale: found.scale,
        contacts_left_out: watch.left_out(),
    })
}

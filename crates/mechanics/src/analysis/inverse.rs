//! What drives must deliver: the multipliers of the rows that impose motions.
//!
//! ```text
//! Ψ(q, t) = 0  →  q(t),   C v = −Ψ_t  →  v(t),   M a − Cᵀλ = f(q, v, t),  C a = −(C v + Ψ_t)˙  →  λ(t)
//! ```
//!
//! Where imposed motions and joints leave nothing free, this is kinematics, exact at every time. What they leave free moves as
//! dynamics says: positions and velocities are then those of a simulation.

use super::contacts::ContactWatch;
use super::freedoms::Freedoms;
use super::reactions::reactions;
use super::{
    AnalysisError, ContactLeftOut, Reaction, body_name, check_one_sided, check_rigid, check_state, contradiction,
};
use crate::dynamics::smooth::System;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::{Equations, Phase};
use crate::dynamics::smooth::rows::Rows;
use crate::step::smooth::{SmoothFailure, SmoothStepper};
use crate::{Adaptive, Model, Settings, State, Stepper};

/// Imposed motions are differentiated over this share of a step.
const WINDOW_SHARE: f64 = 0.01;
/// Error of positions in a sub-step of a simulation (relative to the model's length, and radians).
const SIMULATION_TOLERANCE: f64 = 1e-9;
/// Most times.
const MOST_SAMPLES: f64 = 1e7;

/// What to do with motions that nothing imposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FreeMotion {
    /// Simulate them with the smooth equations of motion, from the state given.
    #[default]
    Simulate,
    /// Refuse, naming a body that can still move.
    Refuse,
}

/// Over which times, and how.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct InverseSettings {
    /// The last time \[s\].
    pub until: f64,
    /// Time between results \[s\]; imposed motions must be smooth over a hundredth of it.
    pub step: f64,
    /// What to do with motions that nothing imposes.
    pub free: FreeMotion,
}

impl Default for InverseSettings {
    fn default() -> Self {
        Self { until: 1.0, step: 0.01, free: FreeMotion::Simulate }
    }
}

/// What one drive does over time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Drive {
    /// The joint's place in the model.
    pub joint: usize,
    /// Its name.
    pub name: String,
    /// Whether it turns (rad, N m) or moves along a line (m, N).
    pub is_angle: bool,
    /// The imposed angle or length at every time \[rad or m\].
    pub position: Vec<f64>,
    /// Its rate \[rad/s or m/s\].
    pub speed: Vec<f64>,
    /// Torque or force of the drive on the second body, positive along the motion \[N m or N\].
    pub force: Vec<f64>,
}

impl Drive {
    /// Power it delivers at a time, by its place in the list \[W\].
    #[must_use]
    pub fn power(&self, at: usize) -> f64 {
        self.force.get(at).zip(self.speed.get(at)).map_or(0.0, |(force, speed)| force * speed)
    }
}

/// Drives and reactions over time.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDynamics {
    /// \[s\].
    pub times: Vec<f64>,
    /// Every driven joint.
    pub drives: Vec<Drive>,
    /// What every joint of the model transmits, at every time.
    pub reactions: Vec<Vec<Reaction>>,
    /// Positions and velocities at every time.
    pub states: Vec<State>,
    /// Motions that nothing imposes; if there are any, states are those of a simulation.
    pub free: usize,
    /// Bodies that touch or overlap at one of the times, new overlaps first: their contacts are left out.
    pub contacts_left_out: Vec<ContactLeftOut>,
}

/// Forces and torques that imposed motions need, from the state's time on. Contacts are no part of it
/// ([`InverseDynamics::contacts_left_out`] says where there are any); corners of tables are impulses that no force shows.
///
/// # Errors
/// No driven joint, motions left free where that is refused, joints or motions that contradict each other, limits that are passed, a
/// model with more than [`super::LARGEST_VELOCITIES`] velocities.
///
/// ```
/// use signorini_mechanics::analysis::{InverseSettings, inverse_dynamics};
/// use signorini_mechanics::joint::{Anchors, Law, Revolute};
/// use signorini_mechanics::{Body, Mat3, Model, Pose, State, Vec3};
/// // A wheel that is spun up at 3 rad/s²: T = I α.
/// let mut model = Model::builder();
/// let ground = model.body(Body::fixed("ground"));
/// let wheel = model.body(Body::new("wheel", 2.0, Mat3::from_diagonal(Vec3::splat(0.1))));
/// let anchors = Anchors::from_world([ground, wheel], [&Pose::IDENTITY; 2], Pose::IDENTITY);
/// model.joint("motor", Revolute::new(anchors).driven(Law::Polynomial(vec![0.0, 0.0, 1.5])));
/// let model = model.build()?;
/// let found = inverse_dynamics(&model, &State::start_of(&model), &InverseSettings::default())?;
/// assert!(found.drives[0].force.iter().all(|torque| (torque - 0.3).abs() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inverse_dynamics(
    model: &Model,
    start: &State,
    settings: &InverseSettings,
) -> Result<InverseDynamics, AnalysisError> {
    check_rigid(model, "inverse dynamics")?;
    check_state(model, start)?;
    let samples = settings.samples(start.time)?;
    let drives = drives(model, start)?;
    let equations = Equations::new(model);
    let mut run = Run {
        system: System { model, equations: &equations },
        consistent: Consistent::new(System { model, equations: &equations }),
        phase: equations.phase(start),
        acceleration: vec![0.0; equations.dimension],
        multipliers: vec![0.0; equations.rows.len()],
        window: WINDOW_SHARE * settings.step,
        watch: ContactWatch::new(model, &start.poses, equations.length)?,
        out: InverseDynamics {
            times: Vec::new(),
            drives,
            reactions: Vec::new(),
            states: Vec::new(),
            free: 0,
            contacts_left_out: Vec::new(),
        },
    };
    run.close()?;
    run.count_free(settings.free)?;
    run.record(start)?;
    match run.out.free {
        0 => run.kinematic(start, settings.step, samples)?,
        _ => run.simulated(start, settings.step, samples)?,
    }
    run.out.contacts_left_out = run.watch.left_out();
    Ok(run.out)
}

impl InverseSettings {
    /// Number of times after the first.
    fn samples(&self, start: f64) -> Result<u64, AnalysisError> {
        if self.step <= 0.0 || !self.step.is_finite() {
            let allowed = "a finite number of seconds > 0";
            return Err(AnalysisError::Setting { name: "step", value: self.step, allowed });
        }
        let samples = ((self.until - start) / self.step).round();
        if !(1.0..=MOST_SAMPLES).contains(&samples) {
            let allowed = "from one to 1e7 steps after the start";
            return Err(AnalysisError::Setting { name: "until", value: self.until, allowed });
        }
        Ok(samples as u64)
    }
}

/// The driven joints, with nothing recorded yet.
fn drives(model: &Model, state: &State) -> Result<Vec<Drive>, AnalysisError> {
    let mut rows = [crate::joint::Row::ZERO; crate::joint::MAX_ROWS];
    let mut drives = Vec::new();
    for (index, (name, joint)) in model.joints().enumerate() {
        let Some((row, _)) = joint.motion(state.time) else { continue };
        joint.evaluate(joint.bodies().map(|body| &state.poses[body.index()]), state.time, &mut rows[..joint.rows()]);
        drives.push(Drive {
            joint: index,
            name: name.to_owned(),
            is_angle: rows[row].is_angle,
            position: Vec::new(),
            speed: Vec::new(),
            force: Vec::new(),
        });
    }
    if drives.is_empty() { Err(AnalysisError::NoDrive) } else { Ok(drives) }
}

struct Run<'a> {
    system: System<'a>,
    consistent: Consistent,
    phase: Phase,
    acceleration: Vec<f64>,
    multipliers: Vec<f64>,
    window: f64,
    watch: ContactWatch<'a>,
    out: InverseDynamics,
}

impl Run<'_> {
    /// Positions, velocities, accelerations and multipliers that joints and motions ask for.
    fn close(&mut self) -> Result<(), AnalysisError> {
        let Self { system, consistent, phase, acceleration, multipliers, window, .. } = self;
        let time = phase.time;
        let told = |found| contradiction(system.model, &found, time);
        consistent.positions(*system, phase).map_err(told)?;
        consistent.velocities(*system, phase).map_err(told)?;
        consistent.accelerations(*system, phase, *window, acceleration, multipliers).map_err(told)?;
        match acceleration.iter().chain(&*multipliers).all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(AnalysisError::NotFinite { what: "a force" }),
        }
    }

    /// Motions that nothing imposes.
    fn count_free(&mut self, free: FreeMotion) -> Result<(), AnalysisError> {
        let System { model, equations } = self.system;
        let mut rows = Rows::default();
        equations.evaluate_rows(model, &self.phase, &mut rows);
        let freedoms = Freedoms::of(self.system, &rows)?;
        self.out.free = freedoms.count;
        if freedoms.count > 0 && free == FreeMotion::Refuse {
            let mut first = vec![0.0; freedoms.count];
            first[0] = 1.0;
            let body = equations.worst_body(&freedoms.combined(&first));
            return Err(AnalysisError::Free { freedoms: freedoms.count, body: body_name(model, body) });
        }
        Ok(())
    }

    fn record(&mut self, start: &State) -> Result<(), AnalysisError> {
        let System { model, equations } = self.system;
        check_one_sided(model, &self.phase, -1e-9 * equations.length.max(1.0))?;
        let time = self.phase.time;
        let reactions = reactions(self.system, &self.phase, &self.multipliers);
        for drive in &mut self.out.drives {
            let motion = model.joint(drive.joint).and_then(|(_, joint)| joint.motion(time));
            let Some((row, [position, speed])) = motion else { continue };
            drive.position.push(position);
            drive.speed.push(speed);
            drive.force.push(reactions[drive.joint].rows[row]);
        }
        let mut state = State { time, step: self.out.times.len() as u64, ..start.clone() };
        state.memory.clone_from(&self.phase.memory);
        for &body in &equations.moving {
            let motion = equations.motion(&self.phase, body);
            state.poses[body] = motion.pose;
            (state.velocities[body], state.angular_velocities[body]) = (motion.velocity, motion.angular_velocity);
        }
        self.watch.look(&state.poses, time);
        self.out.times.push(time);
        self.out.reactions.push(reactions);
        self.out.states.push(state);
        Ok(())
    }

    /// Time by time, each started from where the one before was heading.
    fn kinematic(&mut self, start: &State, h: f64, samples: u64) -> Result<(), AnalysisError> {
        let mut rates = vec![0.0; self.phase.memory.len()];
        for k in 1..=samples {
            let System { model, equations } = self.system;
            let ahead: Vec<f64> =
                self.phase.velocity.iter().zip(&self.acceleration).map(|(v, a)| h * (v + 0.5 * h * a)).collect();
            equations.memory_rates(model, &self.phase, &mut rates);
            let from = self.phase.clone();
            equations.displace(&from, &ahead, &mut self.phase);
            self.phase.velocity.iter_mut().zip(&self.acceleration).for_each(|(v, a)| *v += h * a);
            // What forces remember, by Euler's method: of first order in the step.
            self.phase.memory.iter_mut().zip(&rates).for_each(|(z, rate)| *z += h * rate);
            self.phase.time = start.time + k as f64 * h;
            self.close()?;
            self.record(start)?;
        }
        Ok(())
    }

    /// Time by time, as dynamics says.
    fn simulated(&mut self, start: &State, h: f64, samples: u64) -> Result<(), AnalysisError> {
        let System { model, equations } = self.system;
        let settings = Settings {
            step: h,
            stepper: Stepper::GeneralisedAlpha { rho: 0.8 },
            adaptive: Some(Adaptive { tolerance: SIMULATION_TOLERANCE, ..Adaptive::default() }),
            ..Settings::default()
        };
        let mut stepper = SmoothStepper::new(model, &settings, start);
        stepper.start(model, h).map_err(|found| contradiction(model, &found, start.time))?;
        let mut state = start.clone();
        for k in 1..=samples {
            let end = start.time + k as f64 * h;
            stepper.advance(model, end, h, None).map_err(|failure| stopped(model, &failure))?;
            stepper.write(&mut state);
            state.time = end;
            self.phase = equations.phase(&state);
            self.close()?;
            self.record(start)?;
        }
        Ok(())
    }
}

fn stopped(model: &Model, failure: &SmoothFailure) -> AnalysisError {
    match failure {
        // Models with elements are refused.
        SmoothFailure::Element { .. } => AnalysisError::NotFinite { what: "the force of an element" },
        SmoothFailure::Joints { time, contradiction: found } => contradiction(model, found, *time),
        SmoothFailure::Newton { time, failure } => {
            let reason = format!("{} (body `{}`)", failure.reason, body_name(model, failure.body));
            AnalysisError::Simulation { time: *time, reason }
        }
        SmoothFailure::Error { time, step, .. } => {
            AnalysisError::Simulation { time: *time, reason: format!("steps of {step:.1e} s are not accurate enough") }
        }
        SmoothFailure::Interrupted { time } => {
            AnalysisError::Simulation { time: *time, reason: "interrupted".to_owned() }
        }
    }
}

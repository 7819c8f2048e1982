//! Motor: a torque about the z of a joint's frames, or a force along it, by a law of time or by a controller.
//!
//! ```text
//! torque   x = α: the angle of B's frame about z relative to A's
//! force    x = a_z·(p_B − p_A): the displacement of B's frame along the z of A's
//! f = T G,  G = ∂x/∂q,  ẋ = G·v                        T does the work T dx; on A the opposite of what it does on B
//! T = law(t), or the answer of a controller            energy 0
//! K = k_p G Gᵀ,  R = k_d G Gᵀ                          R = k_p G Gᵀ for the control of a speed; 0 at the limit of T
//! ```
//!
//! The error of an angle is ⟨target − α⟩, without whole turns: a pose does not tell them. An error beyond half a turn is undone the
//! shorter way; a target that keeps turning is followed round and round as long as B is less than half a turn behind.
//!
//! Left out of K: how G changes with q, as for a load. Whether T is at its limit is judged with the motion a stepper evaluates it for:
//! the linearly implicit step does so where it starts, and may pass the limit by what T changes within one step.

use super::controller::Answer;
use super::{Force, Motion, Pid, SpeedControl, Tangent, Wrench, add_outer, along, rate};
use crate::joint::kinematics::Kinematics;
use crate::joint::{Anchors, Law, twist, wrapped};
use crate::{BodyId, ParameterError};

/// What decides on the torque or force of a motor.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Given over time \[N m or N\].
    Law(Law),
    /// Control of the angle or displacement of B relative to A.
    Position(Pid),
    /// Control of its rate.
    Speed(SpeedControl),
}

/// Torque about, or force along, the z of a joint's frames. It holds nothing in place: a joint beside it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    anchors: Anchors,
    is_turning: bool,
    drive: Drive,
}

impl Motor {
    /// A torque about z: positive turns B about it against A.
    #[must_use]
    pub fn torque(anchors: Anchors, drive: Drive) -> Self {
        Self { anchors, is_turning: true, drive }
    }

    /// A force along the z of A's frame in the origin of B's: positive pushes B along it, and A back.
    #[must_use]
    pub fn force(anchors: Anchors, drive: Drive) -> Self {
        Self { anchors, is_turning: false, drive }
    }

    /// x and G.
    fn position(&self, motions: [&Motion; 2]) -> (f64, [[f64; 6]; 2]) {
        let kinematics = Kinematics::new(&self.anchors, motions.map(|motion| &motion.pose));
        match self.is_turning {
            true => {
                let (angle, gradient) = twist(kinematics.relative_rotation());
                (angle, kinematics.turning(gradient).jacobian)
            }
            false => {
                let row = kinematics.separation_along(2);
                (row.value, row.jacobian)
            }
        }
    }

    fn answer(&self, position: f64, speed: f64, time: f64, memory: &[f64]) -> Answer {
        let z = memory.first().copied().unwrap_or(0.0);
        match &self.drive {
            Drive::Law(law) => Answer { effort: law.value(time), stiffness: 0.0, damping: 0.0, memory_rate: 0.0 },
            Drive::Position(pid) => {
                let error = pid.target.value(time) - position;
                pid.answer(if self.is_turning { wrapped(error) } else { error }, speed, z, time)
            }
            Drive::Speed(control) => control.answer(speed, z, time),
        }
    }
}

impl Force for Motor {
    fn kind(&self) -> &'static str {
        "motor"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn wrench(&self, motions: [&Motion; 2], time: f64, memory: &[f64]) -> [Wrench; 2] {
        let (position, gradient) = self.position(motions);
        along(&gradient, -self.answer(position, rate(&gradient, motions), time, memory).effort)
    }
    fn tangent(&self, motions: [&Motion; 2], time: f64, memory: &[f64]) -> Option<Tangent> {
        if let Drive::Law(_) = self.drive {
            return None;
        }
        let (position, gradient) = self.position(motions);
        let answer = self.answer(position, rate(&gradient, motions), time, memory);
        let mut tangent = Tangent::ZERO;
        add_outer(&mut tangent.stiffness, &gradient, answer.stiffness);
        add_outer(&mut tangent.damping, &gradient, answer.damping);
        Some(tangent)
    }
    fn energy(&self, _motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        0.0
    }
    /// The integral of the error, where there is a gain for it.
    fn memory(&self) -> usize {
        let integral = match &self.drive {
            Drive::Law(_) => 0.0,
            Drive::Position(pid) => pid.integral,
            Drive::Speed(control) => control.integral,
        };
        usize::from(integral > 0.0)
    }
    fn memory_rate(&self, motions: [&Motion; 2], time: f64, memory: &[f64], rates: &mut [f64]) {
        let (position, gradient) = self.position(motions);
        let answer = self.answer(position, rate(&gradient, motions), time, memory);
        rates.iter_mut().for_each(|z| *z = answer.memory_rate);
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        match &self.drive {
            Drive::Law(law) => {
                let what = if self.is_turning { "torque" } else { "force" };
                law.check().map_err(|error| ParameterError::Law { what, error })
            }
            Drive::Position(pid) => pid.check(),
            Drive::Speed(control) => control.check(),
        }
    }
}

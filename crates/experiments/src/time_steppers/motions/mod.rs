//! Motions whose solution is known by means that share no code with the steppers, and how closely a stepper follows them.
//!
//! The tests of `signorini-mechanics` use these files, too: nothing here refers to the rest of the crate.

pub(crate) mod andrews;
pub(crate) mod four_bar;
pub(crate) mod heavy_top;
mod stiff_oscillator;

use signorini_mechanics::{Model, Settings, Simulation, State, StepError, Stepper};

/// What is compared: positions, velocities, multipliers.
pub(crate) type Answer = [Vec<f64>; 3];

/// A motion with a known end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    StiffOscillator,
    BallJoint,
    FourBar,
    Andrews,
}

/// How a stepper followed a motion.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    /// Steps of the four runs, each twice as many as before.
    pub(crate) steps: [u32; 4],
    /// Errors of positions, velocities, multipliers in each.
    pub(crate) errors: [[f64; 4]; 3],
    /// Steps that were taken in parts, all runs.
    pub(crate) troubled: u32,
}

impl Case {
    pub(crate) const ALL: [Self; 4] = [Self::StiffOscillator, Self::BallJoint, Self::FourBar, Self::Andrews];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StiffOscillator => "stiff oscillator",
            Self::BallJoint => "ball joint",
            Self::FourBar => "four-bar",
            Self::Andrews => "Andrews",
        }
    }

    /// Whether it has joint forces to compare.
    pub(crate) fn has_multipliers(self) -> bool {
        self != Self::StiffOscillator
    }

    /// Implicit methods take steps of up to six radians of the fast frequency; explicit ones cannot.
    fn stiffness(stepper: &Stepper) -> f64 {
        if stepper.is_explicit() { 100.0 } else { 1e5 }
    }

    pub(crate) fn model(self, stepper: &Stepper) -> Model {
        match self {
            Self::StiffOscillator => stiff_oscillator::model(Self::stiffness(stepper)),
            Self::BallJoint => heavy_top::model(),
            Self::FourBar => four_bar::model(),
            Self::Andrews => andrews::model(),
        }
    }

    /// When the answers are compared \[s\].
    pub(crate) fn end(self) -> f64 {
        match self {
            Self::StiffOscillator => 2.3,
            Self::BallJoint => 0.8,
            Self::FourBar => 0.6,
            Self::Andrews => 0.006,
        }
    }

    /// Bodies whose positions and velocities are compared.
    fn bodies(self) -> &'static [usize] {
        match self {
            Self::StiffOscillator => &[1, 2],
            Self::BallJoint => &[1],
            Self::FourBar => &[1, 2, 3],
            Self::Andrews => &[1, 2, 3, 4, 5, 6, 7],
        }
    }

    /// Steps at which the order shows: the error is not that of rounding, and terms of higher order are small.
    pub(crate) fn steps(self, stepper: &Stepper) -> [u32; 4] {
        let first = match self {
            Self::StiffOscillator if stepper.is_explicit() => 100,
            Self::StiffOscillator => 160,
            // Below 1e-11 RK4 is at rounding.
            Self::BallJoint if *stepper == Stepper::Rk4 => 20,
            Self::BallJoint => 80,
            Self::FourBar if *stepper == Stepper::Rk4 => 110,
            Self::Andrews if *stepper == Stepper::Rk4 => 40,
            Self::FourBar | Self::Andrews if stepper.order() == 1 => 400,
            // Near its singular position reactions turn fast: steps are to be shorter before h⁴ is small against h².
            Self::FourBar if *stepper == Stepper::DviRattle => 400,
            Self::FourBar => 100,
            Self::Andrews => 150,
        };
        [first, 2 * first, 4 * first, 8 * first]
    }

    /// The answer at the end.
    ///
    /// # Errors
    /// Those of a simulation.
    pub(crate) fn exact(self, stepper: &Stepper) -> Result<Answer, StepError> {
        let by_rk4 = |steps| {
            let settings = Settings { stepper: Stepper::Rk4, ..Settings::default() };
            Ok::<_, StepError>(self.run(&settings, steps)?.0)
        };
        Ok(match self {
            Self::StiffOscillator => stiff_oscillator::exact(Self::stiffness(stepper), self.end()),
            Self::BallJoint => heavy_top::exact(self.end()),
            // Forces of a joint by a second method: RK4 with tiny steps has them to ten digits.
            Self::FourBar => {
                let [positions, velocities, _] = four_bar::exact(self.end());
                let [_, _, forces] = by_rk4(3000)?;
                [positions, velocities, forces]
            }
            Self::Andrews => by_rk4(1500)?,
        })
    }

    /// Runs with equal steps: positions and velocities at the end, forces of the first joint; and how many steps were taken in parts.
    fn run(self, settings: &Settings, steps: u32) -> Result<(Answer, u32), StepError> {
        let settings = Settings { step: self.end() / f64::from(steps), ..settings.clone() };
        let mut simulation = Simulation::new(self.model(&settings.stepper), settings)?;
        let mut troubled = 0;
        for _ in 0..steps {
            troubled += u32::from(simulation.step()?.rounds > 0);
        }
        let State { poses, velocities, .. } = simulation.state();
        let positions = self.bodies().iter().flat_map(|&body| poses[body].position.to_array()).collect();
        let velocities = self.bodies().iter().flat_map(|&body| velocities[body].to_array()).collect();
        Ok(([positions, velocities, simulation.joint_forces(0).unwrap_or_default()], troubled))
    }

    /// Follows the motion with a stepper in four runs.
    ///
    /// # Errors
    /// Those of a simulation.
    pub(crate) fn follow(self, settings: &Settings, exact: &Answer) -> Result<Followed, StepError> {
        let steps = self.steps(&settings.stepper);
        let (mut errors, mut troubled) = ([[0.0; 4]; 3], 0);
        for (k, &steps) in steps.iter().enumerate() {
            let (answer, trouble) = self.run(settings, steps)?;
            troubled += trouble;
            (0..3).for_each(|part| errors[part][k] = distance(&answer[part], &exact[part]));
        }
        Ok(Followed { steps, errors, troubled })
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

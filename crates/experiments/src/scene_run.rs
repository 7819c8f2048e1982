//! A scene of the gallery with some of it changed: what is run here is what its command runs.

use crate::Context;
use anyhow::{Result, anyhow};
use signorini_mechanics::{Settings, Simulation, StepReport, Stepper};
use signorini_scene::run::steps_until;
use signorini_scene::{Overrides, Scene, load};
use signorini_solver::{FrictionLaw, Tolerance};

/// Steps between two looks at whether the user wants to stop.
const LOOK: u64 = 100;

/// A scene and what differs from its file.
#[derive(Clone, Default)]
pub(crate) struct SceneRun {
    scene: &'static str,
    set: Vec<(&'static str, String)>,
    step: Option<f64>,
    until: Option<f64>,
    stepper: Option<Stepper>,
    friction: Option<FrictionLaw>,
    tolerance: Option<f64>,
}

/// A run that reached its end.
pub(crate) struct Finished {
    /// The simulation at its end.
    pub(crate) simulation: Simulation,
    /// Steps taken.
    pub(crate) steps: u64,
    /// Steps that missed their tolerance.
    pub(crate) missed: u64,
}

impl SceneRun {
    /// A scene of the gallery as it is.
    pub(crate) fn of(scene: &'static str) -> Self {
        Self { scene, ..Self::default() }
    }

    /// With a parameter of the scene changed.
    pub(crate) fn set(mut self, name: &'static str, value: impl ToString) -> Self {
        self.set.push((name, value.to_string()));
        self
    }

    /// With steps of so many seconds.
    pub(crate) fn step(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }

    /// For so many seconds.
    pub(crate) fn until(self, until: f64) -> Self {
        Self { until: Some(until), ..self }
    }

    /// With a stepper.
    pub(crate) fn stepper(self, stepper: Stepper) -> Self {
        Self { stepper: Some(stepper), ..self }
    }

    /// With a friction law.
    pub(crate) fn friction(self, law: FrictionLaw) -> Self {
        Self { friction: Some(law), ..self }
    }

    /// With steps solved to so many m/s.
    pub(crate) fn tolerance(self, velocity: f64) -> Self {
        Self { tolerance: Some(velocity), ..self }
    }

    /// The command that runs the same.
    pub(crate) fn command(&self) -> String {
        let mut command = format!("signorini run {}", self.scene);
        let mut add = |option: &str, value: &str| command.push_str(&format!(" --{option} {value}"));
        self.set.iter().for_each(|(name, value)| add("set", &format!("{name}={value}")));
        if let Some(stepper) = &self.stepper {
            let parameters = stepper.parameters();
            let parameters: String = parameters.iter().map(|(name, value)| format!(",{name}={value}")).collect();
            add("stepper", &format!("{}{parameters}", stepper.name()));
        }
        self.friction.iter().for_each(|law| add("friction", law.name()));
        self.step.iter().for_each(|step| add("dt", &step.to_string()));
        self.until.iter().for_each(|until| add("until", &until.to_string()));
        self.tolerance.iter().for_each(|tolerance| add("tol", &format!("{tolerance:e}m/s")));
        command
    }

    /// The scene.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn scene(&self) -> Result<Scene> {
        let set = self.set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let overrides = Overrides { set, stepper: self.stepper, ..Overrides::default() };
        let mut scene = load(self.scene, &overrides).map_err(|errors| anyhow!("{errors}"))?;
        let Settings { step, friction, tolerance, .. } = scene.settings;
        scene.settings.step = self.step.unwrap_or(step);
        scene.settings.friction = self.friction.unwrap_or(friction);
        scene.settings.tolerance = self.tolerance.map(Tolerance::Velocity).or(tolerance);
        scene.until = self.until.unwrap_or(scene.until);
        Ok(scene)
    }

    /// Runs it to its end; every step is shown.
    ///
    /// # Errors
    /// Those of the scene and of its steps; the user asked to stop.
    pub(crate) fn follow(&self, context: &Context<'_>, see: impl FnMut(&Simulation, &StepReport)) -> Result<Finished> {
        self.follow_with(context, |_| (), see)
    }

    /// The same with settings changed that the command line has no option for.
    ///
    /// # Errors
    /// As of [`SceneRun::follow`].
    pub(crate) fn follow_with(
        &self,
        context: &Context<'_>,
        change: impl FnOnce(&mut Settings),
        mut see: impl FnMut(&Simulation, &StepReport),
    ) -> Result<Finished> {
        let mut scene = self.scene()?;
        change(&mut scene.settings);
        let steps = steps_until(scene.until, scene.settings.step);
        let mut simulation = Simulation::new(scene.model, scene.settings)?;
        let mut missed = 0;
        for k in 0..steps {
            if k % LOOK == 0 {
                context.at(&format!("{}: step {k} of {steps}", self.scene))?;
            }
            let report = simulation.step()?;
            missed += u64::from(!report.converged());
            see(&simulation, &report);
        }
        Ok(Finished { simulation, steps, missed })
    }
}

/// The place of a body in lists of bodies.
///
/// # Errors
/// There is none of this name.
pub(crate) fn body(simulation: &Simulation, name: &str) -> Result<usize> {
    let found = simulation.model().body_named(name).ok_or_else(|| anyhow!("the scene has no body `{name}`"))?;
    Ok(found.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_says_all_that_differs() {
        let run = SceneRun::of("box-slide").set("speed", 3).step(0.01).until(0.2).friction(FrictionLaw::Relaxed);
        assert_eq!(run.command(), "signorini run box-slide --set speed=3 --friction relaxed --dt 0.01 --until 0.2");
        let run = SceneRun::of("pendulum").stepper(Stepper::Hht { alpha: -0.1 }).tolerance(1e-9);
        assert_eq!(run.command(), "signorini run pendulum --stepper hht,alpha=-0.1 --tol 1e-9m/s");
        let scene = run.scene().unwrap();
        assert_eq!(scene.settings.stepper, Stepper::Hht { alpha: -0.1 });
    }
}

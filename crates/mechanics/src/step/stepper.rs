//! Time-steppers: a scene changes its integrator by one word.
//!
//! Hard contacts need a step that allows jumps of velocity (`dvi-…`). The others solve M a = f + Cᵀλ, Ψ = 0 with smooth motions;
//! contacts are then stiff springs (penalty), if there are any.

use super::hard::scheme::HardScheme;
use super::hard::{Hard, euler, passive, rattle};
use super::method::Begin;
use super::smooth::coefficients::{self as implicit, Coefficients};
use super::smooth::explicit::{self, Rule};
use super::smooth::method::Smooth;
use crate::StepError;

/// What a stepper says about itself, in its own file.
pub(crate) struct About {
    /// Its name in scene files and on the command line.
    pub(crate) name: &'static str,
    /// What it is, in one line.
    pub(crate) summary: &'static str,
    /// Order of accuracy: halving the step divides errors by two to this power.
    pub(crate) order: i32,
    pub(crate) family: Family,
    /// Whether it can carry flexible bodies.
    pub(crate) carries_flexible: bool,
    /// The first parameter that cannot be used.
    pub(crate) flaw: Option<StepError>,
    /// Begins to take its steps.
    pub(crate) begin: Begin,
}

/// What its steps are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Family {
    /// Cone problems with hard contacts.
    Hard,
    /// Newton's method.
    Implicit(Coefficients),
    /// Accelerations at known states.
    Explicit(Rule),
}

impl About {
    /// A stepper with hard contacts.
    pub(crate) fn hard<S: HardScheme>(name: &'static str, summary: &'static str, order: i32) -> Self {
        let (family, begin) = (Family::Hard, Hard::<S>::begin as Begin);
        Self { name, summary, order, family, carries_flexible: S::CARRIES_FLEXIBLE, flaw: None, begin }
    }

    /// A stepper for smooth motions.
    pub(crate) fn smooth(name: &'static str, summary: &'static str, order: i32, family: Family) -> Self {
        Self { name, summary, order, family, carries_flexible: true, flaw: None, begin: Smooth::begin }
    }
}

/// Makes the enum of all steppers from a list of their names, parameters with usual values, and what they say about themselves.
macro_rules! steppers {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$of:meta])* $parameter:ident = $usual:expr),+ $(,)? })? => $about:path;)+) => {
        /// How a model is carried from one time to the next.
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum Stepper {
            $($(#[$doc])* $name $({ $($(#[$of])* $parameter: f64),+ })?),+
        }

        impl Stepper {
            /// Every stepper, with the parameters it has unless others are given.
            pub const ALL: [Self; [$(stringify!($name)),+].len()] =
                [$(Self::$name $({ $($parameter: $usual),+ })?),+];

            /// What it says about itself.
            pub(crate) fn about(&self) -> About {
                match *self {
                    $(Self::$name $({ $($parameter),+ })? => $about($($($parameter),+)?),)+
                }
            }

            /// Names and values of its parameters.
            #[must_use]
            pub fn parameters(&self) -> Vec<(&'static str, f64)> {
                match *self {
                    $(Self::$name $({ $($parameter),+ })? => vec![$($((stringify!($parameter), $parameter)),+)?],)+
                }
            }

            /// Sets a parameter by its name; false if it has none of this name.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                let parameters: Vec<(&str, &mut f64)> = match self {
                    $(Self::$name $({ $($parameter),+ })? => vec![$($((stringify!($parameter), $parameter)),+)?],)+
                };
                match parameters.into_iter().find(|(known, _)| *known == name) {
                    Some((_, parameter)) => {
                        *parameter = value;
                        true
                    }
                    None => false,
                }
            }
        }
    };
}

steppers! {
    /// Linearly implicit Euler with hard contacts: order 1, never gains energy by stiffness.
    DviEuler => euler::about;
    #[default]
    /// Energy and momentum conserving steps with hard contacts: joints are closed at the end of every step by reactions that do no work.
    DviPassive => passive::about;
    /// RATTLE with hard contacts: order 2 between impacts, joints hold in positions and velocities. Stiff springs are stable at any
    /// step, but not damped.
    DviRattle => rattle::about;
    /// Implicit Euler, Newton's method: order 1, strong damping.
    ImplicitEuler => implicit::euler;
    /// One step of Newton's method for implicit Euler.
    ImplicitEulerLinearised => implicit::euler_linearised;
    /// Trapezoidal rule: order 2, no damping; multipliers of joints oscillate.
    Trapezoidal => implicit::trapezoidal;
    /// One step of Newton's method for the trapezoidal rule.
    TrapezoidalLinearised => implicit::trapezoidal_linearised;
    /// Newmark's method: order 2 only for γ = ½.
    Newmark {
        /// Weight of the acceleration at the end in positions, > 0.
        beta = 0.25,
        /// Weight of the acceleration at the end in velocities, ≥ ½.
        gamma = 0.5,
    } => implicit::newmark;
    /// Hilber, Hughes and Taylor: order 2, damps high frequencies.
    Hht {
        /// From −⅓ (most damping) to 0 (none).
        alpha = -0.1,
    } => implicit::hht;
    /// Generalised-α in the Lie-group form of Arnold and Brüls: order 2, damps high frequencies by a factor ρ∞ a step.
    GeneralisedAlpha {
        /// ρ∞ from 0 (gone in one step) to 1 (kept).
        rho = 0.8,
    } => implicit::generalised_alpha;
    /// Explicit Euler: order 1.
    Euler => explicit::euler;
    /// Heun's method: explicit, order 2.
    Heun => explicit::heun;
    /// The classical Runge-Kutta method: explicit, order 4.
    Rk4 => explicit::rk4;
    /// Kick, drift, kick: explicit, order 2, keeps energy for long where forces depend on positions alone.
    Leapfrog => explicit::leapfrog;
}

impl Stepper {
    /// Its name in scene files and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.about().name
    }

    /// The stepper of a name, with its usual parameters.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stepper| stepper.name() == name)
    }

    /// What it is, in one line.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.about().summary
    }

    /// Whether its steps are cone problems, with hard contacts.
    #[must_use]
    pub fn has_hard_contacts(&self) -> bool {
        self.about().family == Family::Hard
    }

    /// Whether accelerations at the start of a step suffice for it.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self.about().family, Family::Explicit(_))
    }

    /// Whether it takes one step of Newton's method and leaves it there.
    #[must_use]
    pub fn is_linearised(&self) -> bool {
        matches!(self.about().family, Family::Implicit(coefficients) if coefficients.is_linearised)
    }

    /// Order of accuracy: halving the step divides errors by two to this power.
    #[must_use]
    pub fn order(&self) -> i32 {
        self.about().order
    }

    /// Whether its parameters can be used.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), StepError> {
        self.about().flaw.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stepper_is_found_by_its_name_and_has_usable_parameters() {
        for stepper in Stepper::ALL {
            assert_eq!(Stepper::named(stepper.name()), Some(stepper));
            assert!(stepper.check().is_ok() && !stepper.summary().is_empty());
            let mut changed = stepper;
            for (name, value) in stepper.parameters() {
                assert!(changed.set(name, value));
            }
            assert!(changed == stepper && !changed.set("nothing", 1.0));
        }
    }

    #[test]
    fn names_are_those_of_files() {
        // The tag that files are written with is made of the name of the variant; messages use that of the description.
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error, MapDeserializer};
        for stepper in Stepper::ALL {
            let mut entries = vec![("name".to_owned(), Word::Name(stepper.name()))];
            entries
                .extend(stepper.parameters().into_iter().map(|(name, value)| (name.to_owned(), Word::Number(value))));
            let map: MapDeserializer<'_, _, Error> = MapDeserializer::new(entries.into_iter());
            let read: Stepper = serde::Deserialize::deserialize(map).unwrap();
            assert_eq!(read, stepper);
        }

        enum Word {
            Name(&'static str),
            Number(f64),
        }
        impl<'de> IntoDeserializer<'de, Error> for Word {
            type Deserializer = WordDeserializer;
            fn into_deserializer(self) -> WordDeserializer {
                WordDeserializer(self)
            }
        }
        struct WordDeserializer(Word);
        impl<'de> serde::Deserializer<'de> for WordDeserializer {
            type Error = Error;
            fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.0 {
                    Word::Name(name) => visitor.visit_borrowed_str(name),
                    Word::Number(value) => visitor.visit_f64(value),
                }
            }
            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
                newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
    }
}

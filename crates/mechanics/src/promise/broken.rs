//! A promise that a step broke, as plain data.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What a step promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Promise {
    /// The solve reached the tolerance asked for.
    Residual,
    /// Joints, ropes, limits and links are closed.
    Joints,
    /// No overlap was made or deepened beyond its bound.
    Overlap,
    /// Elastic forces balance where nodes arrive.
    Elastic,
    /// Energy has not grown beyond the work done on the system.
    Energy,
}

impl Promise {
    /// Every promise.
    pub const ALL: [Self; 5] = [Self::Residual, Self::Joints, Self::Overlap, Self::Elastic, Self::Energy];

    /// Its name in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Residual => "residual",
            Self::Joints => "joints",
            Self::Overlap => "overlap",
            Self::Elastic => "elastic",
            Self::Energy => "energy",
        }
    }

    /// The promise of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|promise| promise.name() == name)
    }

    /// What helps where it is broken.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Residual => "allow more iterations, a looser tolerance or another solver",
            Self::Joints => {
                "take shorter steps or set `joint-tolerance`; joints that contradict each other never close"
            }
            Self::Overlap => "take shorter steps or set `contact-tolerance`; what is driven into others never parts",
            Self::Elastic => "take shorter steps or more `flexible-iterations`",
            Self::Energy => "take shorter steps",
        }
    }
}

/// What sort of thing a culprit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CulpritKind {
    /// A body, rigid or flexible.
    Body,
    /// A joint.
    Joint,
    /// A link of a flexible body.
    Link,
    /// A force: spring, motor, load.
    Force,
}

impl CulpritKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Body, Self::Joint, Self::Link, Self::Force];

    /// Its name in files and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Link => "link",
            Self::Force => "force",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A body, joint, link or force that breaks a promise, or stands against one that does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Culprit {
    /// What it is.
    pub kind: CulpritKind,
    /// Its name in the model.
    pub name: String,
}

impl Culprit {
    /// A body.
    pub(crate) fn body(name: &str) -> Self {
        Self { kind: CulpritKind::Body, name: name.to_owned() }
    }

    /// A joint.
    pub(crate) fn joint(name: &str) -> Self {
        Self { kind: CulpritKind::Joint, name: name.to_owned() }
    }
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind.name(), self.name)
    }
}

/// A promise that a step broke: by whom most, how far, and how far would have been allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Broken {
    /// What was promised.
    pub promise: Promise,
    /// The joint, link, bodies or body with the largest violation, by name.
    pub who: String,
    /// All who have to do with it: first those of `who`, then those that stand against them, as two joints do that contradict each other.
    /// Empty in what earlier programs wrote.
    #[serde(default)]
    pub culprits: Vec<Culprit>,
    /// The largest violation, in the unit; NaN if it is not a number.
    pub value: f64,
    /// What was allowed, in the unit.
    pub bound: f64,
    /// `m`, `rad`, `m/s` or `J`; empty for a share.
    pub unit: Cow<'static, str>,
}

impl Broken {
    /// A promise that these broke.
    pub(crate) fn by(culprits: Vec<Culprit>, promise: Promise, value: f64, bound: f64, unit: &'static str) -> Self {
        Self { promise, who: named(&culprits), culprits, value, bound, unit: unit.into() }
    }

    /// How many times the bound the violation is; infinite for a bound of 0 and for NaN, so that either is the worst.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let ratio = self.value / self.bound;
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    }

    /// Those of the culprits that `who` does not name.
    fn opponents(&self) -> impl Iterator<Item = &Culprit> {
        self.culprits.iter().filter(|culprit| !self.who.contains(&format!("`{}`", culprit.name)))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { promise, who, value, bound, unit, .. } = self;
        let space = if unit.is_empty() { "" } else { " " };
        let (value, bound) = (format!("{value:.2e}{space}{unit}"), format!("{bound:.2e}{space}{unit}"));
        match promise {
            Promise::Residual => write!(f, "the residual of the solve is {value} (worst: {who}), allowed is {bound}")?,
            Promise::Joints => write!(f, "{who} is open by {value}, allowed is {bound}")?,
            Promise::Overlap => write!(f, "{who} overlap by {value}, allowed is {bound}")?,
            Promise::Elastic => {
                write!(f, "elastic forces of {who} do not balance: nodes are off by {value}, allowed is {bound}")?;
            }
            Promise::Energy => write!(
                f,
                "energy has grown by {value} that no work explains (it appears at {who}), allowed is {bound}"
            )?,
        }
        for (k, opponent) in self.opponents().enumerate() {
            write!(f, "{} {opponent}", if k == 0 { ", against" } else { " and" })?;
        }
        write!(f, ": {}", promise.hint())
    }
}

/// Culprits as a message names them: bodies `a` and `b`, joint `c`.
fn named(culprits: &[Culprit]) -> String {
    match culprits {
        [] => String::new(),
        [one] => one.to_string(),
        [Culprit { kind: CulpritKind::Body, name: a }, Culprit { kind: CulpritKind::Body, name: b }] => {
            format!("bodies `{a}` and `{b}`")
        }
        [first, others @ ..] => others.iter().fold(first.to_string(), |text, other| format!("{text} and {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_promise_is_one_sentence_with_a_name_both_numbers_and_a_hint() {
        let mut broken = Broken::by(vec![Culprit::joint("hinge")], Promise::Joints, 0.19, 1e-3, "m");
        broken.culprits.extend([Culprit::joint("rod"), Culprit::body("wall")]);
        assert_eq!(
            broken.to_string(),
            "joint `hinge` is open by 1.90e-1 m, allowed is 1.00e-3 m, against joint `rod` and body `wall`: take shorter steps or set `joint-tolerance`; \
             joints that contradict each other never close"
        );
        assert!((broken.ratio() - 190.0).abs() < 1e-9);
    }

    #[test]
    fn every_promise_is_found_by_its_name() {
        assert!(Promise::ALL.iter().all(|promise| Promise::named(promise.name()) == Some(*promise)));
        assert_eq!(Promise::named("luck"), None);
    }

    #[test]
    fn what_is_not_a_number_is_the_worst() {
        let worst = |value, bound| Broken::by(Vec::new(), Promise::Energy, value, bound, "J").ratio();
        assert_eq!(worst(f64::NAN, 1.0), f64::INFINITY);
        assert_eq!(worst(0.0, 0.0), f64::INFINITY);
    }
}

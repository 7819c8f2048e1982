//! `[stepper]`: which time-stepper, its parameters, Newton's method, sub-steps.

use crate::reader::nearest::hint;
use crate::reader::{Range, Table, Value};
use signorini_mechanics::{Adaptive, Projection, Settings, StepError, Stepper};

const PROJECTIONS: [(&str, Projection); 3] =
    [("none", Projection::None), ("positions", Projection::Positions), ("both", Projection::Both)];
/// Every parameter a stepper may have.
const PARAMETERS: [(&str, Range); 4] = [
    ("alpha", Range::closed(-1.0 / 3.0 - 1e-12, 0.0, "a number from -1/3 to 0")),
    ("beta", Range::closed(0.25, 1.0, "a number from (gamma + 0.5)²/4 to 1")),
    ("gamma", Range::closed(0.5, 1.0, "a number from 0.5 to 1")),
    ("rho", Range::closed(0.0, 1.0, "a number from 0 to 1")),
];

/// Reads what concerns the time-stepper, the file's or another in its place.
pub(super) fn read(table: &Table<'_>, other: Option<Stepper>, settings: &mut Settings) {
    let own = table.get("method").and_then(|value| named(&value)).unwrap_or_default();
    let mut stepper = other.unwrap_or(own);
    // Parameters that were given with the other name stay.
    if Stepper::named(stepper.name()) == Some(stepper) {
        parameters(table, &mut stepper);
    }
    settings.stepper = stepper;
    if let Some(tolerance) = table.number("newton-tolerance", Range::POSITIVE) {
        settings.newton.tolerance = tolerance;
    }
    if let Some(limit) = table.get("newton-iterations").and_then(|value| value.whole(1, 1000)) {
        settings.newton.max_iterations = limit as u32;
    }
    settings.adaptive = table.get("adaptive").and_then(|value| adaptive(&value));
    settings.extrapolate = table.boolean("extrapolate").unwrap_or(false);
    settings.projection = table.get("projection").and_then(|value| value.choice(&PROJECTIONS));
    if settings.stepper.has_hard_contacts() {
        // Another word for the method, and they count: see `idle`.
        (settings.adaptive, settings.projection, settings.extrapolate) = (None, None, false);
    } else if settings.adaptive.is_some() && settings.extrapolate {
        table.error(
            "both `adaptive` and `extrapolate` are given, expected one of them: extrapolation needs equal steps",
        );
    }
}

/// Fields of smooth steppers only, and of steppers with hard contacts only.
const SMOOTH: [&str; 6] = ["adaptive", "extrapolate", "projection", "newton-tolerance", "newton-iterations", "penalty"];
const HARD: [&str; 9] = [
    "flexible-iterations",
    "recovery-speed",
    "contact-tolerance",
    "joint-tolerance",
    "restitution-threshold",
    "restitution-law",
    "sleeping",
    "gyroscopic",
    "warm-start",
];
/// Fields of `[solver]` that smooth steppers have no use for: they solve linear systems.
const CONE_PROBLEMS: [&str; 5] = ["method", "friction", "facets", "max-iterations", "time-limit"];

/// What a scene says that its stepper has no use for. Not an error: one word changes the stepper.
pub(super) fn idle(document: &Table<'_>, settings: &Settings) -> Vec<String> {
    let is_hard = settings.stepper.has_hard_contacts();
    let lists: &[(&'static str, &[&'static str])] = match is_hard {
        true => &[("stepper", &SMOOTH)],
        false => &[("stepper", &HARD), ("solver", &CONE_PROBLEMS)],
    };
    let mut warnings = Vec::new();
    if let Some(table) = document.table("stepper") {
        let own = settings.stepper.parameters();
        let others = PARAMETERS.iter().filter(|(name, _)| own.iter().all(|(other, _)| other != name));
        for (parameter, _) in others.filter(|(name, _)| table.has(name)) {
            let name = settings.stepper.name();
            warnings.push(format!("[stepper] `{parameter}` is no parameter of `{name}`"));
        }
        let name = settings.stepper.name();
        let is_other = is_hard && settings.stepper != Stepper::DviPassive;
        for field in ["restitution-law", "sleeping"].into_iter().filter(|field| is_other && table.has(field)) {
            warnings.push(format!("[stepper] `{field}` is of no use to `{name}`: it is for `dvi-passive`"));
        }
    }
    for (section, fields) in lists {
        let Some(table) = document.table(section) else { continue };
        for field in fields.iter().filter(|field| table.has(field)) {
            let other = if is_hard { "smooth steppers" } else { "steppers with hard contacts" };
            let name = settings.stepper.name();
            warnings.push(format!("[{section}] `{field}` is of no use to `{name}`: it is for {other}"));
        }
    }
    warnings
}

fn named(value: &Value<'_>) -> Option<Stepper> {
    let name = value.text()?;
    Stepper::named(name).or_else(|| {
        let names = Stepper::ALL.iter().map(Stepper::name).collect::<Vec<_>>();
        value.error_with(format_args!("is the unknown stepper \"{name}\""), hint(name, "steppers", names));
        None
    })
}

/// `alpha`, `beta`, `gamma` and `rho`: those of another stepper wait for its name (see `idle`).
fn parameters(table: &Table<'_>, stepper: &mut Stepper) {
    for (name, range) in PARAMETERS {
        if let Some(number) = table.get(name).and_then(|value| value.number(range)) {
            stepper.set(name, number);
        }
    }
    // Each is in its range; β also has one that depends on γ.
    if let Err(StepError::Setting { name, value: found, allowed }) = stepper.check() {
        let problem = format!("is {found}, expected {allowed}");
        match table.get("beta").filter(|_| name == "beta") {
            Some(value) => value.error(problem),
            None => table.error(format!("`{name}` {problem}")),
        }
        *stepper = Stepper::named(stepper.name()).unwrap_or_default();
    }
}

/// A tolerance, or `{ tolerance = …, min-step = …, max-step = … }`.
fn adaptive(value: &Value<'_>) -> Option<Adaptive> {
    if !value.is_table() {
        let tolerance = value.number(Range::POSITIVE)?;
        return Some(Adaptive { tolerance, ..Adaptive::default() });
    }
    let table = value.table(value.what.clone())?;
    let usual = Adaptive::default();
    let adaptive = Adaptive {
        tolerance: table.number("tolerance", Range::POSITIVE).unwrap_or(usual.tolerance),
        min_step: table.number("min-step", Range::TIME),
        max_step: table.number("max-step", Range::TIME),
    };
    table.finish();
    if let (Some(least), Some(most)) = (adaptive.min_step, adaptive.max_step)
        && least > most
    {
        table.error(format_args!("`min-step` is {least} s, expected at most `max-step`, {most} s"));
        return None;
    }
    Some(adaptive)
}

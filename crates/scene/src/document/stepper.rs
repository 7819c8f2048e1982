//! `[stepper]`: which time-stepper, its parameters, Newton's method, sub-steps.

use crate::reader::nearest::hint;
use crate::reader::{Range, Table, Value};
use signorini_mechanics::{Adaptive, Projection, Settings, StepError, Stepper};

const PROJECTIONS: [(&str, Projection); 3] =
    [("none", Projection::None), ("positions", Projection::Positions), ("both", Projection::Both)];
/// Every parameter a stepper may have.
const PARAMETERS: [&str; 4] = ["alpha", "beta", "gamma", "rho"];

/// Reads what concerns the time-stepper.
pub(super) fn read(table: &Table<'_>, settings: &mut Settings) {
    if let Some(stepper) = table.get("method").and_then(|value| named(&value)) {
        settings.stepper = stepper;
    }
    parameters(table, &mut settings.stepper);
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
        let smooth = ["adaptive", "extrapolate", "projection", "newton-tolerance", "newton-iterations"];
        for field in smooth.into_iter().filter(|field| table.has(field)) {
            let Some(value) = table.get(field) else { continue };
            value.error(format_args!(
                "is for smooth steppers, and `{}` has hard contacts: expected another `method`, or no `{field}`",
                settings.stepper.name()
            ));
        }
    } else if settings.adaptive.is_some() && settings.extrapolate {
        table.error(
            "both `adaptive` and `extrapolate` are given, expected one of them: extrapolation needs equal steps",
        );
    }
}

fn named(value: &Value<'_>) -> Option<Stepper> {
    let name = value.text()?;
    Stepper::named(name).or_else(|| {
        let names = Stepper::ALL.iter().map(Stepper::name).collect::<Vec<_>>();
        value.error_with(format_args!("is the unknown stepper \"{name}\""), hint(name, "steppers", names));
        None
    })
}

/// `alpha`, `beta`, `gamma` and `rho`, where the stepper has them.
fn parameters(table: &Table<'_>, stepper: &mut Stepper) {
    for name in PARAMETERS {
        let Some(value) = table.get(name) else { continue };
        let Some(number) = value.number(Range::ANY) else { continue };
        if !stepper.set(name, number) {
            let own: Vec<&str> = stepper.parameters().iter().map(|(name, _)| *name).collect();
            let own = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
            value.error(format_args!("is no parameter of `{}`, which has {own}", stepper.name()));
        }
    }
    if let Err(StepError::Setting { name, value: found, allowed }) = stepper.check() {
        let problem = format!("is {found}, expected {allowed}");
        match PARAMETERS.into_iter().find(|parameter| *parameter == name).and_then(|name| table.get(name)) {
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
    Some(adaptive)
}

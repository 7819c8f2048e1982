//! From words of the command line to values.

use super::Solvers;
use crate::nearest::nearest;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use serde::de::DeserializeOwned;
use signorini_solver::{FEWEST_FACETS, MOST_FACETS};
use signorini_solver::{Method, Tolerance};

pub(super) fn facets_parser() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(FEWEST_FACETS)..=i64::from(MOST_FACETS))
}

pub(super) fn solver_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Method::all().iter().map(Method::name).collect::<Vec<_>>())
}

/// What stands for every solver.
pub(super) const ALL_SOLVERS: &str = "all";

pub(super) fn parse_solvers(text: &str) -> Result<Solvers, String> {
    let mut chosen: Vec<Method> = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let named = match name {
            ALL_SOLVERS => Method::all(),
            _ => vec![Method::named(name).ok_or_else(|| unknown_solver(name))?],
        };
        let fresh: Vec<Method> = named.into_iter().filter(|method| !chosen.contains(method)).collect();
        chosen.extend(fresh);
    }
    if chosen.is_empty() {
        return Err(format!("expected names separated by commas, or {ALL_SOLVERS}"));
    }
    Ok(Solvers(chosen))
}

fn unknown_solver(name: &str) -> String {
    let methods = Method::all();
    let names: Vec<&str> = methods.iter().map(Method::name).collect();
    let nearest = match nearest(name, &names) {
        near if near.is_empty() => String::new(),
        near => format!("; nearest: {}", near.join(", ")),
    };
    format!("there is no solver `{name}`{nearest}; there are: {}, {ALL_SOLVERS}", names.join(", "))
}

/// The name a setting has in files, which is its name here as well.
pub(crate) fn name_of<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// One of the values of a library enum, by name.
pub(super) fn choice<T>(all: &[T]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(name_of).collect::<Vec<_>>())
        .try_map(|name| serde_json::from_value(serde_json::Value::String(name)))
}

pub(super) fn parse_tolerance(text: &str) -> Result<Tolerance, String> {
    let expected = "a number > 0 (relative, 1e-8) or a speed (1e-6m/s)";
    match text.strip_suffix("m/s") {
        Some(number) => positive(number.trim_end(), expected).map(Tolerance::Velocity),
        None => positive(text, expected).map(Tolerance::Relative),
    }
}

pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    positive(text, "a number of seconds > 0")
}

pub(super) fn parse_positive(text: &str) -> Result<f64, String> {
    positive(text, "a number > 0")
}

pub(super) fn positive(text: &str, expected: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err(format!("expected {expected}")),
    }
}

/// As many threads as the machine runs at once.
pub(super) fn all_threads() -> u16 {
    std::thread::available_parallelism().map_or(1, |threads| threads.get().min(1024) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_has_a_unit_or_is_relative() {
        assert_eq!(parse_tolerance("1e-8"), Ok(Tolerance::Relative(1e-8)));
        assert_eq!(parse_tolerance("1e-6m/s"), Ok(Tolerance::Velocity(1e-6)));
        assert_eq!(parse_tolerance("1e-6 m/s"), Ok(Tolerance::Velocity(1e-6)));
        for bad in ["", "0", "-1e-6", "nan", "inf", "1e-6mm/s", "m/s", "1e-6 s"] {
            assert!(parse_tolerance(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn solvers_are_a_list_without_repetition_or_all() {
        let names = |text: &str| parse_solvers(text).map(|found| found.0.iter().map(Method::name).collect::<Vec<_>>());
        assert_eq!(names("jacobi, interior-point,jacobi"), Ok(vec!["jacobi", "interior-point"]));
        assert_eq!(names("all").map(|names| names.len()), Ok(Method::all().len()));
        assert_eq!(names("jacobi,all").map(|names| names.len()), Ok(Method::all().len()));
        let message = names("interiorpoint").unwrap_err();
        assert!(message.contains("`interiorpoint`; nearest: interior-point"), "{message}");
        assert!(names("").is_err() && names(",").is_err());
    }
}

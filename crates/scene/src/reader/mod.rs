//! Fields by name and type out of a TOML document, every error with its place.
//!
//! A [`Table`] is asked for its fields one by one; what was not asked for when it is finished is unknown. Nothing stops at the
//! first error: a field that is wrong is reported and counts as missing.

mod context;
pub(crate) mod expression;
pub(crate) mod nearest;
mod range;
mod source;
mod table;
mod value;

pub(crate) use context::{Context, unknown_parameter};
pub(crate) use range::Range;
pub(crate) use source::Span;
pub(crate) use table::Table;
pub(crate) use value::{Value, shortened};

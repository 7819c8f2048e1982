//! Pages of real runs, read back by a decoder written from `viewer/FORMAT.md`; runs that are damaged.
#![allow(clippy::unwrap_used, reason = "helpers of tests, outside the test functions")]

mod damage;
mod decoder;
mod runs;
mod values;

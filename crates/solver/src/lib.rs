//! (made next)

pub mod fclib;

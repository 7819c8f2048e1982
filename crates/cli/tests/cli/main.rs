//! The program as users and scripts see it: output, messages, exit codes, files.
#![allow(clippy::unwrap_used, reason = "helpers of tests, outside the test functions")]

mod analysis;
mod bad_input;
mod check;
mod compare;
mod help;
mod interruption;
mod jams;
mod picture;
mod promises;
mod reproduce;
mod resume;
mod run;
mod samples;
mod solve;
mod steppers;
mod support;
mod view;

//! FCLIB files: round trips, storages, messages, damaged files and the shared sample problems.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests, outside the test functions")]

mod checksum;
mod damage;
mod hostile;
mod messages;
mod random;
mod raw;
mod round_trip;
mod samples;
mod saving;
mod storages;

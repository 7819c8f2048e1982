//! FCLIB files: round trips, storages, messages, damaged files and the shared sample problems.

mod damage;
mod messages;
mod random;
mod raw;
mod round_trip;
mod samples;
mod saving;
mod storages;

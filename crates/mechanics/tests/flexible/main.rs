//! Flexible bodies in steps, against closed forms and balances.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod balance;
mod contact;
mod links;
mod reactions;
mod smooth_balance;
mod smooth_links;
mod smooth_penalty;
mod smooth_resume;
mod smooth_vibration;
mod support;
mod threads;

//! Flexible bodies in steps, against closed forms and balances.

mod balance;
mod links;
mod smooth_vibration;
mod support;

//! Flexible bodies in steps, against closed forms and balances.

mod balance;
mod contact;
mod links;
mod reactions;
mod smooth_vibration;
mod support;

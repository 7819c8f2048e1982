//! Run folders: written, read, killed, resumed, exported.
#![allow(clippy::unwrap_used, reason = "helpers of tests, outside the test functions")]

mod books;
mod changed_model;
mod crash;
mod damage;
mod failure;
mod flexible;
mod folder;
mod forces;
mod gallery;
mod support;
mod vtk;

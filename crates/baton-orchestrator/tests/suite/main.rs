//! The orchestrating client against scripted agents and their Environments.

mod fake;
mod handing_over;
mod limits;
mod questions;
mod tools;

//! Managing agents.

mod destinations;
mod effects;
mod managed;
mod secrets;

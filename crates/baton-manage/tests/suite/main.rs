//! Managing agents.

mod managed;
mod secrets;

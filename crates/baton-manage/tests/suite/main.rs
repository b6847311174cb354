//! Managing agents.

#![cfg(test)]

mod destinations;
mod effects;
mod managed;
mod secrets;
